"""The settings of a bare server: Django without middleware, with the two bare views, on the same database."""

from tests.load.settings import *  # noqa: F403

MIDDLEWARE: list[str] = []
