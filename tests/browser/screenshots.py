"""Pictures for people to look at: `python -m tests.browser.screenshots [DIRECTORY]`."""

import os
import sys
from pathlib import Path

import pytest

if __name__ == "__main__":
    os.environ["TESTS_SCREENSHOTS"] = str(Path(*sys.argv[1:] or ["screenshots"]).resolve())
    raise SystemExit(pytest.main([str(Path(__file__).with_name("pictures.py")), "--quiet"]))
