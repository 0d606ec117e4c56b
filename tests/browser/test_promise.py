"""The promise as people see it: on every width, in every colour scheme, from right to left, and with all facts open."""

import pytest
from playwright.sync_api import Page

from surveys.models import Survey
from tests.browser.audit import Looks, Setting
from tests.browser.conftest import NewContext
from tests.factories import every_kind, make_open, one_of, yes_no

SETTINGS = (Setting(320), Setting(390, dark=True), Setting(390, forced=True), Setting(1280))
# How high the area of each kind of dot is in both pictures.
_AREAS = """() => [...document.querySelectorAll(".grids svg")].map((svg) =>
    [...svg.querySelectorAll("path")].map((path) => Math.round(path.getBBox().height)))"""
_COLOURS = """() => ["yes", "no", "lit", "ring"].map((kind) => {
    const { fill, stroke } = getComputedStyle(document.querySelector(`#dot-${kind} circle`));
    return [fill, stroke];
})"""


def make_every_kind(**fields: str) -> Survey:
    weights = {"truth": [1, 2], "weights": [[1, 2], [1, 4], [1, 4]]}
    return make_open(*every_kind(), one_of(parameters=weights), title="Honest answers", consent="Freely.", **fields)


def open_all(page: Page, survey: Survey) -> None:
    page.goto(f"/s/{survey.code}/")
    for summary in page.locator("#promise summary").all():
        summary.click()


@pytest.mark.slow
def test_axe_finds_nothing_and_nothing_overflows(new_context: NewContext, every_look: Looks) -> None:
    page = new_context(reduced_motion="reduce").new_page()
    wrong = []
    for language in ("en", "he"):
        open_all(page, make_every_kind(language=language))
        wrong += [f"{language}, {fault}" for fault in every_look.faults(page, SETTINGS)]
    assert wrong == []


def test_the_four_kinds_of_dots_are_different(page: Page) -> None:
    page.goto(f"/s/{make_open(yes_no()).code}/")
    yes, no, lit, ring = colours = page.evaluate(_COLOURS)
    assert yes[0] != lit[0]  # whose word it is
    assert no[1] != ring[1]
    assert page.evaluate(_AREAS) == [[80, 30], [30, 80]]  # 75 and 25 of 100: eight rows and three, one shared
    page.emulate_media(forced_colors="active")
    for filled, hollow, lit, ring in (colours, page.evaluate(_COLOURS)):
        assert filled[0] != hollow[0]
        assert lit[0] != ring[0]


def test_the_promise_and_its_button_stand_above_the_fold(page: Page) -> None:
    for survey in (make_open(yes_no(), introduction="How common is this? " * 5), make_every_kind()):
        page.goto(f"/s/{survey.code}/")
        for width, height in ((390, 844), (360, 640)):
            page.set_viewport_size({"width": width, "height": height})
            begin = page.get_by_role("button", name="Start survey").bounding_box()
            line = page.locator(".grids + p").bounding_box()
            assert begin is not None
            assert line is not None
            assert begin["height"] >= 56
            assert begin["y"] + begin["height"] <= height
            assert line["y"] + line["height"] <= begin["y"]
