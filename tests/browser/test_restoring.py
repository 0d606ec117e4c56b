"""No browser brings a true answer back: Back, reload and reopening find every control empty, scripts or not."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from surveys.answering.views import pages
from tests.browser.conftest import NewContext
from tests.browser.walk import (
    CHOSEN,
    SENDS_THE_TRUTH,
    answer,
    begin,
    choose,
    fix_draws,
    flip,
    seen,
    to_taps,
    words,
    write,
)  # fmt: skip
from tests.factories import crosswise, make_open, number_mean, several_of, yes_no

# Not a page of this site: one that sets a cookie would clear the browser's cache of the pages before it.
ELSEWHERE = "data:text/html,elsewhere"
pytestmark = pytest.mark.whole_chromium
SLOW = pytest.mark.slow


def checked(page: Page) -> int:
    """The number of chosen controls, visible or not."""
    page.wait_for_load_state("load")
    page.wait_for_timeout(200)  # the browser restores forms after the load event
    return page.locator(CHOSEN).count()


def choose_something(page: Page) -> None:
    """Answer the question that is shown, whatever kind it is."""
    to_taps(page)
    if page.locator("[data-limits]:visible").count():
        write(page, "7.5")
    elif options := page.locator("[role=radiogroup][data-option]:visible").all():
        for option in options:
            option.get_by_role("radio", name="No", exact=True).check()
    else:
        page.locator("[data-controls] [role=radio]:visible").first.check()


@pytest.mark.slow
def test_the_browsers_cache_would_bring_a_choice_back_if_the_page_did_not_forget(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted fault: with 200, and without its pagehide and pageshow handlers, it comes back as it was left."""
    monkeypatch.setattr(pages, "_never_kept", lambda response: response)

    def unforgetting(route: Route) -> None:
        response = route.fetch()
        source = response.text()
        route.fulfill(response=response, body=source.replace('"pagehide"', '"never"').replace('"pageshow"', '"never"'))

    page.route("**/respond*.js", unforgetting)
    begin(page, make_open(yes_no()))
    choose(page, "Yes")
    page.goto(ELSEWHERE)
    page.go_back(wait_until="commit")  # from this cache there is no load event to wait for
    expect(page.locator(CHOSEN)).to_have_count(1)


# Every way of leaving what is chosen, with every kind of question, is one of test_restoring_every_kind.py.
def test_leaving_after_the_flip_forgets_the_report_too(page: Page) -> None:
    begin(page, make_open(yes_no("A?"), yes_no("B?")))
    choose(page, "Yes")
    flip(page)
    page.goto(ELSEWHERE)
    page.go_back()
    page.get_by_role("button", name="Start survey").click()
    assert seen(page, "Flip the coins").is_visible()
    assert set(page.locator(".sends").all_text_contents()) == {""}


def test_going_back_one_question_keeps_the_report_and_offers_no_second_flip(page: Page) -> None:
    begin(page, make_open(yes_no("A?"), yes_no("B?")))
    choose(page, "Yes")
    flip(page)
    report = (page.locator("#flipped .sends").text_content() or "").rpartition(" ")[2]
    assert report in {"Yes", "No"}
    choose(page, "No")
    page.go_back()
    assert page.get_by_role("heading", name="A?").is_visible()
    assert page.locator(".sends:visible").text_content() == words("phoneSends", report=report)
    assert seen(page, "Flip the coins").count() == 0
    assert not page.locator("#flipped").is_visible()
    assert checked(page) == 0


MIXED = [yes_no("A?"), several_of(text="B?"), number_mean("C?"), crosswise("D?")]


def nothing_is_left(page: Page) -> bool:
    """Nothing chosen, nothing written, no report, wherever on the page it would be hidden."""
    texts = "(found) => found.map((element) => element.value ?? element.textContent).join('')"
    kept = page.locator("[data-limits], [name=reports], .sends, .report, .tells, #reports, #payload").evaluate_all(
        texts
    )
    return checked(page) == 0 and kept.strip() == ""


LEAVING = ("reload", "elsewhere and back")
IN_TURN = tuple(enumerate(LEAVING, start=1))


@pytest.mark.parametrize(
    ("step", "leaving"),
    [
        # A reload on the second step and a way back to the third in `make test`, both on every step in `make test-all`.
        pytest.param(step, leaving, marks=() if (step, leaving) in IN_TURN else SLOW)
        for step in range(len(MIXED) + 1)
        for leaving in LEAVING
    ],
)
def test_leaving_any_step_forgets_everything(page: Page, step: int, leaving: str) -> None:
    begin(page, make_open(*MIXED))
    for _ in range(step):
        choose_something(page)
        page.locator("[data-flip]:visible").click()
    if step < len(MIXED):
        choose_something(page)
    assert not nothing_is_left(page)
    if leaving == "reload":
        page.reload()
    else:
        page.goto(ELSEWHERE)
        page.go_back()
    page.get_by_role("button", name="Start survey").wait_for()
    assert nothing_is_left(page)
    assert "?" not in page.url


def past_leads(page: Page, go: Callable[[], object]) -> None:
    """Go on to the next question, past the steps that lead to one of the head."""
    go()
    while page.locator("[data-lead]:visible").count():
        go()


def test_back_and_forward_pass_every_step_and_change_nothing(page: Page) -> None:
    fix_draws(page, SENDS_THE_TRUTH)
    begin(page, make_open(*MIXED))
    for _ in MIXED:
        choose_something(page)
        page.locator("[data-flip]:visible").click()
    sent = page.locator("[name=reports]").input_value()
    for question in reversed(MIXED):
        past_leads(page, page.go_back)
        page.get_by_role("heading", name=question.text).wait_for()
        assert page.locator(".sends:visible").count() == 1
        assert page.locator("[data-flip]:visible").count() == 0
        assert page.locator(".coins:visible").count() == 0
    page.go_back()
    page.get_by_role("button", name="Start survey").wait_for()
    for question in MIXED:
        past_leads(page, page.go_forward)
        page.get_by_role("heading", name=question.text).wait_for()
    page.go_forward()
    page.locator("#review").wait_for()
    assert page.locator("[name=reports]").input_value() == sent
    assert checked(page) == 0


def test_back_from_the_receipt_finds_no_form(page: Page) -> None:
    survey = make_open(yes_no())
    begin(page, survey)
    answer(page, "Yes")
    page.get_by_role("button", name="Send").click()
    page.wait_for_url("**/receipt/")
    page.go_back()
    page.get_by_role("link", name="View receipt").wait_for()
    assert page.locator("input").count() == 0


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_the_servers_form_comes_back_empty_after_sending(new_context: NewContext, *, scripts: bool) -> None:
    survey = make_open(yes_no(), server_mode_allowed=True)
    page = new_context(java_script_enabled=scripts).new_page()
    page.goto(f"/s/{survey.code}/server/")
    page.get_by_label("Yes").check()
    page.locator("main form [type=submit]").click()
    page.wait_for_url("**/receipt/")
    page.go_back()
    assert checked(page) == 0
    page.reload()
    assert checked(page) == 0
    page.goto(f"/s/{survey.code}/server/")
    assert checked(page) == 0


def test_without_scripts_the_browsers_cache_would_bring_the_choice_back_from_a_plain_200(
    new_context: NewContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted fault: no-store and autocomplete=off alone do not keep the page out of the cache."""
    monkeypatch.setattr(pages, "_never_kept", lambda response: response)
    survey = make_open(yes_no(), server_mode_allowed=True)
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"/s/{survey.code}/server/")
    page.get_by_label("Yes").check()
    page.goto(ELSEWHERE)
    page.go_back(wait_until="commit")
    expect(page.locator(CHOSEN)).to_have_count(1)
