"""The one settings module with two bare views beside the real ones, to measure against."""

from surveys.settings import *  # noqa: F403

ROOT_URLCONF = "tests.load.urls"
