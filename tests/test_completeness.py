"""Says what is left out where only requirements.txt is installed; under `make test` nothing may be."""

import pytest


def test_the_browser_tests_can_run() -> None:
    assert pytest.importorskip("playwright", reason="the browser tests need playwright: `make test` installs it")


def test_the_oracles_are_there() -> None:
    assert pytest.importorskip("opendp", reason="some tests compare with opendp: `make test` installs it")
