"""Random order: what the phone draws, and that every report is under its question all the same."""

from itertools import permutations

import pytest
from playwright.sync_api import Page, Route, expect

from surveys.models import Response, Survey
from tests.browser.walk import (
    SENDS_THE_TRUTH,
    answer,
    begin,
    choice,
    choose,
    choose_each,
    fix_draws,
    flip,
    send,
    take,
    words,
)
from tests.factories import PROTECTED, crosswise, make_open, one_by_option, one_of, plain, several_of, yes_no

_DRAWS_IN_TURN = """const turn = {words}; crypto.getRandomValues = (words) => words.fill(turn.shift() ?? 0);"""
_USED = {"Coffee": "Yes", "Tablets": "No", "Something illegal": "No"}
_TICKED, _YEAR = several_of().text, plain().text
_ANSWERS = {"Have you cheated?": "Yes", "How often?": "Often", _YEAR: "Second year"}
_RADIOS = "[data-question]:not([hidden]) [role=radio]"
# What is meant, in the order of the definition: with these draws chance leaves it as it is.
_MEANT = "1" + "2" + "100" + "1"


def _survey() -> Survey:
    return make_open(
        yes_no("Have you cheated?"),
        plain(("Never", "Once", "Often"), "How often?", random_order=True),
        several_of(random_order=True),
        plain(),
        random_order=True,
    )


def _answer_as_shown(page: Page, survey: Survey) -> list[str]:
    """Answer what is asked until nothing is left to ask; return the questions as they came."""
    begin(page, survey)
    asked = []
    while page.locator("[data-question]:visible").count():
        text = page.locator("[data-question]:visible h1").inner_text()
        asked.append(text)
        if text in _ANSWERS:
            choose(page, _ANSWERS[text])
        else:
            choose_each(page, _USED)
        if page.locator("[data-question]:visible [data-unprotected]").count():
            take(page)
        else:
            flip(page)
    return asked


def _reports(page: Page) -> str:
    return page.locator("#sending [name=reports]").input_value()


def _shown(page: Page) -> list[str]:
    return page.locator("[data-question]:not(#practice) h1").all_text_contents()


def test_reports_arrive_under_their_questions_whatever_order_they_are_asked_in(page: Page) -> None:
    fix_draws(page, SENDS_THE_TRUTH)
    survey = _survey()
    asked = _answer_as_shown(page, survey)
    assert asked == ["How often?", _TICKED, _YEAR, "Have you cheated?"]
    lines = page.locator("#reports > li")
    assert [line.split("?")[0] + "?" for line in lines.all_text_contents()] == asked
    options = lines.nth(1).locator("li").all_text_contents()
    assert options == ["Tablets No", "Something illegal No", "Coffee Yes"]
    assert _reports(page) == _MEANT
    send(page)
    assert list(Response.objects.values_list("reports", flat=True)) == [_MEANT]
    received = [line.split("?")[0] + "?" for line in page.locator(".reports > li").all_text_contents() if "?" in line]
    assert received == ["Have you cheated?", "How often?", _TICKED, _YEAR]


FAULTS = {
    "asked.map((_, index) => reportOf(index)).slice(1)": "order.map(reportOf)",
    "options.length ? options : [section]": "[section]",
}


@pytest.mark.slow
@pytest.mark.parametrize(("place", "fault"), FAULTS.items())
def test_reports_in_the_order_shown_would_be_noticed(page: Page, place: str, fault: str) -> None:
    def faulty(route: Route) -> None:
        response = route.fetch()
        source = response.text()
        assert place in source
        route.fulfill(response=response, body=source.replace(place, fault))

    page.route("**/respond*.js", faulty)
    fix_draws(page, SENDS_THE_TRUTH)
    _answer_as_shown(page, _survey())
    assert _reports(page) != _MEANT


def test_the_one_option_that_is_chosen_is_reported_in_its_own_place(page: Page) -> None:
    fix_draws(page, SENDS_THE_TRUTH)
    survey = make_open(one_by_option(random_order=True, parameters={"truth": [1, 2], "yes": [1, 2]}))
    for label, meant in {"Never": "100", "Once": "010", "Often": "001"}.items():
        begin(page, survey)
        assert page.locator("[data-option]:visible").all_inner_texts() == ["Once", "Often", "Never"]
        choose(page, label)
        flip(page)
        assert _reports(page) == meant
        shown = page.locator("main li:visible").all_text_contents()
        assert [line for line in shown if line.endswith("Yes")] == [f"{label} Yes"]


def test_the_order_is_drawn_anew_whenever_the_page_is_loaded(page: Page) -> None:
    """False alarms: all four loads draw one of 720 orders, 3 in 10⁹."""
    questions = [yes_no(f"{letter}?") for letter in "ABCDEF"]
    address = f"/s/{make_open(*questions, random_order=True).code}/"
    orders = []
    for _load in range(4):
        page.goto(address)
        orders.append(tuple(_shown(page)))
    assert {frozenset(order) for order in orders} == {frozenset(f"{letter}?" for letter in "ABCDEF")}
    assert len(set(orders)) > 1


@pytest.mark.slow
def test_each_order_comes_from_as_many_draws_as_any_other(page: Page) -> None:
    code = make_open(*[yes_no(f"{letter}?") for letter in "ABC"], random_order=True).code
    orders = []
    # Below 3, then below 2: that such draws are uniform is shown where they are made.
    for draws in [(first, second) for first in range(3) for second in range(2)]:
        drawn = page.context.new_page()
        drawn.add_init_script(_DRAWS_IN_TURN.format(words=list(draws)))
        drawn.goto(f"/s/{code}/")
        orders.append(tuple(_shown(drawn)))
        drawn.close()
    assert sorted(orders) == sorted(permutations(("A?", "B?", "C?")))


def test_going_back_keeps_the_order_and_the_numbers_and_keys_follow_it(page: Page) -> None:
    fix_draws(page, SENDS_THE_TRUTH)
    survey = make_open(
        crosswise("A?"), plain(text="B?", random_order=True), yes_no("C?"), random_order=True, consent="Be frank."
    )
    begin(page, survey)
    expect(page.get_by_role("heading", name="Do you agree?")).to_be_visible()
    page.get_by_role("button", name="I agree").click()
    expect(page.get_by_role("heading", name="B?")).to_be_focused()
    expect(page.locator(".step-head:visible")).to_contain_text(" 1 of 3")
    shown = page.locator(_RADIOS).all_text_contents()
    assert shown == ["Second year", "Later", "First year"]
    choice(page, "Second year").focus()
    page.keyboard.press("ArrowDown")
    expect(choice(page, "Later")).to_be_focused()
    take(page)
    expect(page.get_by_role("heading", name="C?")).to_be_focused()
    page.get_by_role("button", name="Back").locator("visible=true").click()
    expect(page.get_by_role("heading", name="B?")).to_be_visible()
    assert page.locator(_RADIOS).all_text_contents() == shown
    page.locator("[data-next]:visible").click()
    answer(page, "Yes")
    expect(page.get_by_role("status").locator("visible=true").locator(".sends")).to_have_text(
        words("phoneSendsFor", number=2, report="Yes")
    )
    expect(page.get_by_role("heading", name="A?").locator("visible=true")).to_be_visible()
    expect(page.locator(".step-head:visible")).to_contain_text(" 3 of 3")


def test_not_saying_stays_the_last_answer(page: Page) -> None:
    fix_draws(page, SENDS_THE_TRUTH)
    begin(page, make_open(one_of(random_order=True, **PROTECTED)))
    codes = [choice.get_attribute("value") for choice in page.locator(_RADIOS).all()]
    assert codes == ["1", "2", "0", "3"]


def test_in_the_frame_beside_the_editor_everything_stays_where_it_is_written(page: Page) -> None:
    def framed(route: Route) -> None:
        response = route.fetch()
        route.fulfill(response=response, body=response.text().replace("<main", '<main data-start="1"', 1))

    fix_draws(page, SENDS_THE_TRUTH)
    survey = _survey()
    page.route(f"**/s/{survey.code}/", framed)
    page.goto(f"/s/{survey.code}/")
    expect(page.get_by_role("heading", name="Have you cheated?")).to_be_visible()
    assert _shown(page) == ["Have you cheated?", "How often?", _TICKED, _YEAR]
    options = page.locator("#question-2 ~ [data-controls]").get_by_role("radio", include_hidden=True)
    assert options.all_text_contents() == ["Never", "Once", "Often"]
