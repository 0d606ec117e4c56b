"""The front door, the check page and a survey's own page: what is to be pressed is seen at once, in few words."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Locator, Page

from tests.browser.audit import Setting, faults, look_as, measured
from tests.browser.conftest import NewContext, SignedIn
from tests.factories import fill, make_open, yes_no

PHONE = Setting(390)
ABOVE_THE_FOLD = 844
_MOVES = """() => document.getAnimations().map(({ effect }) => effect.getComputedTiming())
  .map(({ iterations, endTime }) => [iterations, endTime])"""
_LEAVE_THE_FIELD = """() => {
  document.getAnimations().forEach((move) => { move.pause(); move.currentTime = 0; });
  const field = document.querySelector(".settled"), { left, right, top, bottom } = field.getBoundingClientRect();
  const within = (box) => left <= box.left && box.right <= right && top <= box.top && box.bottom <= bottom;
  return [...field.children].filter((dots) => !within(dots.getBoundingClientRect())).length;
}"""


def _above_the_fold(element: Locator) -> bool:
    box = element.bounding_box()
    return box is not None and box["y"] + box["height"] <= ABOVE_THE_FOLD


def _words(page: Page) -> int:
    return len(page.locator("main").inner_text().split())


@pytest.mark.slow
def test_on_a_phone_the_field_for_a_code_comes_first(new_context: NewContext) -> None:
    page = new_context(reduced_motion="reduce").new_page()
    page.goto("/")
    look_as(page, PHONE)
    assert _above_the_fold(page.locator("#code"))
    assert _above_the_fold(page.get_by_role("button", name="Join", exact=True))
    # The first thing that a key reaches besides the way in.
    assert page.locator("main").locator("a, input, button").first.get_attribute("id") == "code"
    for setting in (PHONE, Setting(320), Setting(1280, dark=True), Setting(390, forced=True)):
        look_as(page, setting)
        assert faults(page) == []


def test_the_picture_moves_once_in_its_field_and_not_at_all_where_motion_is_not_wanted(new_context: NewContext) -> None:
    page = new_context(reduced_motion="no-preference").new_page()
    page.goto("/")
    moves = page.evaluate(_MOVES)
    assert moves
    assert {iterations for iterations, _ in moves} == {1}
    assert max(end for _, end in moves) <= 2_000
    assert page.evaluate(_LEAVE_THE_FIELD) == 0
    page.emulate_media(reduced_motion="reduce")
    page.reload()
    assert page.evaluate(_MOVES) == []


def test_the_check_page_has_its_button_above_the_fold_and_the_rest_folded(new_context: NewContext) -> None:
    page = new_context(reduced_motion="reduce").new_page()
    look_as(page, PHONE)
    page.goto("/check/")
    assert _above_the_fold(page.locator("#flip"))
    assert _words(page) <= 400
    folded = page.locator("main details").evaluate_all("all => all.map((one) => one.open)")
    assert folded
    assert not any(folded)


@pytest.mark.parametrize("received", [3, 40])
def test_a_surveys_page_says_what_is_next_in_ninety_words(signed_in: SignedIn, teacher: User, received: int) -> None:
    survey = make_open(yes_no(), owner=teacher)
    fill(survey, {"1": received})
    page = signed_in(reduced_motion="reduce").new_page()
    page.goto(reverse("survey-detail", args=[survey.code]))
    look_as(page, PHONE)
    assert _words(page) <= 90
    assert page.locator(".card").count() == 1
    assert _above_the_fold(page.locator(".card .button").first)
    assert _above_the_fold(page.locator(".code"))
    page.evaluate("document.documentElement.dir = 'rtl'")
    assert measured(page) == []
