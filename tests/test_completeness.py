"""Says what is left out where only requirements.txt is installed; under `make test` nothing may be."""

import sys

import pytest

from tests.server import run


def test_the_browser_tests_can_run() -> None:
    assert pytest.importorskip("playwright", reason="the browser tests need playwright: `make test` installs it")


@pytest.mark.parametrize("oracle", ["opendp", "dp_accounting", "pyxform", "schemathesis", "pylti1p3"])
def test_the_oracles_are_there(oracle: str) -> None:
    assert pytest.importorskip(oracle, reason=f"some tests compare with {oracle}: `make test` installs it")


def test_scripts_of_load_import_their_harness_before_they_say_where_the_settings_are() -> None:
    done = run(sys.executable, "-c", "import tests.load.harness")
    assert done.returncode == 0, done.stderr
