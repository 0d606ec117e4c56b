"""Packages that offer names from their modules, and load nothing before somebody asks."""

import subprocess
import sys

import pytest

from surveys.privacy.designs.two_answer import warner
from surveys.privacy.listing import modules_of, offer

LISTING = {"Designs": {"designs.two_answer": ("warner", "mangat")}, "Reports": {"randomness": ("draw_report",)}}


def test_a_name_is_loaded_from_its_module() -> None:
    load, names = offer("surveys.privacy", LISTING)
    assert load("warner") is warner
    assert names() == ["draw_report", "mangat", "warner"]
    assert modules_of(LISTING)["draw_report"] == "randomness"


def test_what_is_not_offered_cannot_be_imported() -> None:
    load, _names = offer("surveys.privacy", LISTING)
    with pytest.raises(AttributeError, match=r"'surveys\.privacy' has no attribute 'kuk'"):
        load("kuk")


def test_nothing_is_loaded_before_it_is_asked_for() -> None:
    program = "import sys, surveys.estimation, surveys.privacy; dir(surveys.estimation); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert {"numpy", "scipy", "django", "surveys.estimation.prevalence"}.isdisjoint(loaded)
