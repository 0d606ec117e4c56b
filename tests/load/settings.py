"""The one settings module with two bare views beside the real ones, to measure against."""

import os

# A name that the tests' own server passes on: `LOAD_DATABASE_URL=postgres://… python -m tests.load.polling`.
if url := os.environ.get("LOAD_DATABASE_URL"):
    os.environ["DATABASE_URL"] = url

from surveys.settings import *  # noqa: F403

ROOT_URLCONF = "tests.load.urls"
