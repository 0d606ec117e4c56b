"""Hebrew, from right to left: where things stand, and what keeps its own direction among them."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.audit import Setting, look_as, measured
from tests.browser.tour import answer, press_send
from tests.factories import crosswise, fill, make_open, number_mean, one_of, scale, several_of, yes_no

PHONES = (Setting(390), Setting(360), Setting(1280, dark=True))
# The characters of a text by their places on the screen: line by line, from left to right.
_AS_SEEN = """(element) => {
    const lines = [];
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode;
        for (let at = 0; at < node.length; at++) {
            const range = document.createRange();
            range.setStart(node, at);
            range.setEnd(node, at + 1);
            const { left, top, width, height } = range.getBoundingClientRect();
            if (width === 0) continue;
            const line = lines.find((other) => Math.abs(other.top - top) < height / 2);
            if (line) line.letters.push([left, node.data[at]]);
            else lines.push({ top, letters: [[left, node.data[at]]] });
        }
    }
    const read = ({ letters }) => letters.sort(([a], [b]) => a - b).map(([, letter]) => letter).join("").trim();
    return lines.map(read).join(" ").replace(/\\s+/g, " ");
}"""


def _as_seen(place: Locator) -> str:
    """Return a text as it stands on the screen, from left to right."""
    seen: str = place.evaluate(_AS_SEEN)
    return seen


def _middle(place: Locator) -> float:
    box = place.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2


@pytest.fixture
def page(page: Page) -> Page:
    page.set_viewport_size({"width": 390, "height": 844})
    return page


@pytest.mark.slow
def test_a_choice_has_its_sign_before_its_words_and_the_first_of_two_stands_to_the_right(page: Page) -> None:
    page.goto(f"/s/{make_open(several_of(), language='he').code}/")
    page.locator("#begin").click()
    first, second = page.locator("[role=radiogroup]:visible").first.locator("[role=radio]").all()
    assert _middle(first) > _middle(second)
    box, words = first.bounding_box(), first.locator("bdi").bounding_box()
    assert box is not None
    assert words is not None
    assert box["x"] + box["width"] - (words["x"] + words["width"]) > 20  # the sign
    assert first.inner_text() == "כן"


@pytest.mark.slow
def test_the_points_of_a_scale_and_its_ends_run_from_right_to_left(page: Page) -> None:
    page.goto(f"/s/{make_open(scale(points=5), language='he').code}/")
    page.locator("#begin").click()
    places = [_middle(point) for point in page.locator("[role=radio]:visible").all()]
    assert places == sorted(places, reverse=True)
    low, high = page.locator(".ends span").all()
    assert _middle(low) > _middle(high)


@pytest.mark.slow
def test_a_point_stands_before_what_it_means(page: Page) -> None:
    page.goto(f"/s/{make_open(scale(points=2), language='he').code}/")
    page.locator("#begin").click()
    answer(page)
    # From left to right, with brackets that are drawn the other way round.
    assert re.search(r"\)(?:Never|Always)\( [12]", _as_seen(page.locator("#review .sends")))


@pytest.mark.slow
def test_authors_words_in_another_language_keep_their_marks(page: Page) -> None:
    survey = make_open(one_of(("C++", "No, never!"), "Ever (really)?"), language="he", title="Exams (1)")
    page.goto(f"/s/{survey.code}/")
    assert _as_seen(page.locator(".eyebrow")) == "Exams (1)"
    page.locator("#begin").click()
    assert _as_seen(page.locator("h1:visible")) == "Ever (really)?"
    assert [_as_seen(choice) for choice in page.locator("[role=radio]:visible").all()] == ["C++", "No, never!"]


@pytest.mark.slow
@pytest.mark.parametrize(("unit", "as_seen"), [("km", "(?:-5|12) km"), ("שעות", "תועש (?:-5|12)")])
def test_a_sign_stands_before_its_number_and_a_factor_reads_as_it_is_meant(page: Page, unit: str, as_seen: str) -> None:
    details = {"low": [-5, 1], "high": [12, 1], "step": [1, 2], "unit": unit}
    survey = make_open(number_mean("כמה?", details=details), language="he")
    page.goto(f"/s/{survey.code}/")
    assert "ε ≤ 1.10" in _as_seen(page.locator("#promise > .grids + p")).replace("\u00a0", " ")
    page.locator("#begin").click()
    assert "-5־מ" in _as_seen(page.locator(".hint:visible"))
    page.locator("[data-limits]").fill("-5")
    expect(page.locator("[data-limits]")).to_have_css("direction", "ltr")
    page.locator("[data-flip]:visible").click()
    assert re.search(as_seen, _as_seen(page.locator("#review .sends")))


@pytest.mark.slow
def test_dots_are_read_from_the_right(page: Page) -> None:
    survey = make_open(yes_no(), language="he", minimum_n=10)
    fill(survey, {"0": 70})
    page.goto(f"/s/{survey.code}/")
    grid = page.locator(".grids svg").first
    expect(grid).to_have_css("scale", "-1 1")
    yes, no = page.locator(".grids figure").all()
    assert _middle(yes) > _middle(no)


@pytest.mark.slow
def test_what_is_sent_letter_for_letter_runs_from_left_to_right(page: Page) -> None:
    page.goto(f"/s/{make_open(yes_no(), language='he').code}/")
    page.locator("#begin").click()
    answer(page)
    page.locator("#review summary").click()
    expect(page.locator("#payload")).to_have_css("direction", "ltr")
    page.goto("/check/")
    expect(page.locator("code").first).to_have_css("unicode-bidi", "isolate")


def test_a_join_code_is_read_from_left_to_right_wherever_it_stands(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="עברית").click()
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    page.locator("#code").fill("AB-2C")
    assert page.locator("#code").input_value() == "AB-2C"
    assert measured(page) == []


@pytest.mark.parametrize(
    "setting", [PHONES[0], *(pytest.param(one, marks=pytest.mark.slow) for one in PHONES[1:])], ids=str
)
def test_every_step_of_a_mixed_survey_fits(page: Page, setting: Setting) -> None:
    survey = make_open(yes_no("האם?"), number_mean("How many?"), crosswise("Have you (ever)?"), language="he")
    look_as(page, setting)
    page.goto(f"/s/{survey.code}/")
    problems = measured(page)
    page.locator("#begin").click()
    while not page.locator("#review").is_visible():
        problems += measured(page)
        answer(page)
    problems += measured(page)
    press_send(page)
    page.wait_for_url("**/receipt/")
    assert problems + measured(page) == []
