"""The one settings module as the tests run it."""

import os
import tempfile
from pathlib import Path

# Deleted when the process ends.
_TEMPORARY = tempfile.TemporaryDirectory(prefix="deniable-tests-")
_DIRECTORY = Path(_TEMPORARY.name)
(_DIRECTORY / "static").mkdir()
os.environ["DENIABLE_LOCAL_DEMO"] = "1"
os.environ["DENIABLE_DATA_DIR"] = str(_DIRECTORY)
os.environ["DENIABLE_SECRET_KEY"] = "only-for-the-tests" * 2
os.environ.setdefault("DENIABLE_SQLITE_SYNCHRONOUS", "NORMAL")
os.environ.setdefault("DENIABLE_EPSILON_CAP", "1000")  # surveys of every kind, and wide ones, in one
os.environ.setdefault("DENIABLE_LAB_SECONDS", "10000")  # all of the lab's tests in one process
os.environ.setdefault("DENIABLE_STATIC_ROOT", str(_DIRECTORY / "static"))

from surveys.settings import *  # noqa: E402, F403 - the environment above must come first
from surveys.settings import DATABASES  # noqa: E402

# A file, not memory: the browser's open pages and the concurrency tests need several connections.
if "sqlite3" in DATABASES["default"]["ENGINE"]:
    DATABASES["default"]["TEST"] = {"NAME": str(_DIRECTORY / "test.sqlite3")}
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    # Hashed names need collectstatic; the tests of the hashed storage run it themselves.
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
MAILERS = {"default": {"BACKEND": "django.core.mail.backends.locmem.EmailBackend"}}
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # the tests sign in often
