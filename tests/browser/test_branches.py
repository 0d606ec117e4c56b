"""Questions that only some are asked, on the phone: passed over, asked again, never flipped twice."""

from playwright.sync_api import Page, expect

from surveys.models import Response, Survey
from tests.browser.walk import SENDS_THE_TRUTH, SENDS_YES, answer, begin, choose, fix_draws, send, take
from tests.factories import crosswise, make_open, plain, yes_no
from tests.questionnaire.test_branches import after


def _survey() -> Survey:
    return make_open(
        plain(), yes_no("Copied?", leave_out="no", **after(1, 1)), crosswise("Helped?", **after(1, 0)), yes_no("All?")
    )


def _year(page: Page, label: str) -> None:
    choose(page, label)
    take(page)


def _stored() -> list[str]:
    return list(Response.objects.values_list("reports", flat=True))


def test_what_is_not_asked_is_passed_over_and_sent_as_missing(page: Page) -> None:
    fix_draws(page, SENDS_THE_TRUTH)
    begin(page, _survey())
    _year(page, "Later")
    expect(page.get_by_role("heading", name="All?")).to_be_focused()
    answer(page, "Yes")
    assert page.locator("#reports > li").count() == 2
    send(page)
    assert _stored() == ["2--1"]
    assert page.locator(".reports > li").count() == 2


def test_somebody_who_is_asked_answers_and_comes_back_by_the_browsers_button(page: Page) -> None:
    fix_draws(page, SENDS_THE_TRUTH)
    begin(page, _survey())
    _year(page, "Second year")
    expect(page.get_by_role("heading", name="Copied?")).to_be_focused()
    answer(page, "Yes")
    expect(page.get_by_role("heading", name="All?")).to_be_focused()
    page.go_back()
    expect(page.get_by_role("heading", name="Copied?")).to_be_visible()
    page.go_forward()
    answer(page, "No")
    send(page)
    assert _stored() == ["11-0"]


def test_a_changed_answer_asks_others_and_flips_nothing_twice(page: Page) -> None:
    fix_draws(page, SENDS_YES)
    begin(page, _survey())
    _year(page, "Second year")
    answer(page, "No")  # chance sends Yes
    page.go_back()
    page.go_back()
    page.get_by_role("button", name="Change answer").locator("visible=true").click()
    _year(page, "Later")
    expect(page.get_by_role("heading", name="All?")).to_be_focused()
    answer(page, "No")
    assert page.locator("#sending [name=reports]").input_value() == "2--1"
    page.evaluate("() => { crypto.getRandomValues = (words) => words.fill(0); }")  # from now on chance would send No
    page.go_back()
    page.go_back()
    page.get_by_role("button", name="Change answer").locator("visible=true").click()
    _year(page, "Second year")
    assert page.locator("[data-flip]:visible").count() == 0
    page.locator("[data-next]:visible").click()
    page.locator("[data-next]:visible").click()
    assert page.locator("#sending [name=reports]").input_value() == "11-1"
