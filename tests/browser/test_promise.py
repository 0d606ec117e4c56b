"""The promise as people see it: on every width, in every colour scheme, from right to left, and with all odds open."""

import pytest
from playwright.sync_api import Page

from surveys.models import Survey
from tests.browser.audit import Looks, Setting, faults
from tests.browser.conftest import NewContext
from tests.factories import every_kind, make_open, one_of, yes_no

SETTINGS = (Setting(320), Setting(390, dark=True), Setting(390, forced=True), Setting(1280))
# How many of the first two pictures' 100 dots are painted in the colour of dots that are on.
_COUNT = """() => [...document.querySelectorAll(".odds svg")].slice(0, 2).map((svg) =>
    Math.round(svg.querySelectorAll("path")[1].getBBox().height))"""


def make_every_kind() -> Survey:
    weights = {"truth": [1, 2], "weights": [[1, 2], [1, 4], [1, 4]]}
    return make_open(*every_kind(), one_of(parameters=weights), title="Honest answers", consent="Freely.")


def open_all(page: Page, survey: Survey) -> None:
    page.goto(f"/s/{survey.code}/")
    page.get_by_text("The odds of the other questions").click()


def test_axe_finds_nothing_and_nothing_overflows(new_context: NewContext, looks: Looks) -> None:
    page = new_context(reduced_motion="reduce").new_page()
    open_all(page, make_every_kind())
    found = {}
    for direction in ("ltr", "rtl"):
        page.evaluate("direction => { document.documentElement.dir = direction; }", direction)
        for setting, rules in looks.at(page, SETTINGS):
            found[direction, setting] = faults(page, rules)
    assert {where: wrong for where, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize("forced", ["none", "active"])
def test_dots_that_are_on_can_be_told_from_those_that_are_not(new_context: NewContext, forced: str) -> None:
    page = new_context(forced_colors=forced).new_page()
    page.goto(f"/s/{make_open(yes_no()).code}/")
    colours = page.evaluate(
        """() => [".dots-on", ".dots-off"].map((dots) => getComputedStyle(document.querySelector(dots)).fill)"""
    )
    assert colours[0] != colours[1]
    assert page.evaluate(_COUNT) == [80, 30]  # 75 and 25 of 100: eight rows and three, the last of each begun
