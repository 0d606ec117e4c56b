"""A network that fails, comes and goes: the page stays, keeps the reports, says so, and one response is stored."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import LocatorAssertions, Page, Request, Route, expect

from surveys.course.services import close_survey, pause_survey
from surveys.models import Response
from tests.browser.walk import answer, begin, choose, fix_draws, leave_out, press_send, seen, send, take, words
from tests.factories import crosswise, make_open, yes_no

DOOR = re.compile(r"/s/[A-Z0-9]+/$")
# More than the longest wait before the next try, in seconds.
LONG = 60
WAITING, OFFLINE = words("notSent"), words("offline")
_COUNT_ONLINE = "addEventListener('online', () => (document.documentElement.dataset.online = 'yes'))"
Answer = Callable[[Route], None]


def stored() -> list[str]:
    return list(Response.objects.values_list("reports", flat=True))


def reach_the_review(page: Page) -> None:
    """Answer one question on a page whose clock the test drives: it stands still from now on."""
    page.clock.install()
    begin(page, make_open(yes_no()))
    answer(page, "Yes")
    page.clock.pause_at(page.evaluate("Date.now()") + 10 * LONG * 1000)


def posts_of(page: Page) -> list[str | None]:
    """Note the body of every POST from now on."""
    bodies: list[str | None] = []

    def note(request: Request) -> None:
        if request.method == "POST":
            bodies.append(request.post_data)

    page.on("request", note)
    return bodies


def alert(page: Page) -> LocatorAssertions:
    return expect(page.get_by_role("alert").locator("visible=true"))


def retry_in(seconds: int, number: int) -> str:
    return words("retryIn", seconds, number=number, most=9)


def unreachable(route: Route) -> None:
    route.abort()


def overloaded(route: Route) -> None:
    route.fulfill(status=503, content_type="text/html", body="<h1>Busy</h1>")


def broken(route: Route) -> None:
    route.fulfill(status=500, content_type="application/json", body='{"error": "no"}')


def signing_in_at_a_hotel(route: Route) -> None:
    route.fulfill(status=200, content_type="text/html", body="<form>Room number?</form>")


def lost_on_the_way_back(route: Route) -> None:
    route.fetch()
    route.abort()


FAILURES = [unreachable, overloaded, broken, signing_in_at_a_hotel, lost_on_the_way_back]


def test_what_failed_is_sent_again_by_itself_unchanged_and_stored_once(page: Page) -> None:
    reach_the_review(page)
    bodies = posts_of(page)
    for tries, failure in enumerate(FAILURES, start=1):
        page.route(DOOR, failure)
        if tries == 1:
            press_send(page)
        else:
            page.clock.fast_forward(LONG * 1000)
        expect(page.locator("#waiting")).to_contain_text(re.compile(rf"\b{tries + 1} .+ 9\b"))
        alert(page).to_have_text(WAITING)
        expect(page.locator("#review")).to_be_visible()
        assert len(bodies) == tries, failure
    page.unroute(DOOR)
    page.clock.fast_forward(LONG * 1000)
    page.wait_for_url("**/receipt/")
    assert len(bodies) == len(FAILURES) + 1
    assert len(set(bodies)) == 1
    assert len(stored()) == 1


@pytest.mark.slow
def test_the_countdown_is_worded_for_one_second_too(page: Page) -> None:
    fix_draws(page, 0)  # every wait is half as long as it may be: one second first
    reach_the_review(page)
    page.route(DOOR, unreachable)
    press_send(page)
    expect(page.locator("#waiting")).to_have_text(retry_in(1, 2))
    page.clock.run_for(1500)
    expect(page.locator("#waiting")).to_have_text(retry_in(2, 3))


def test_the_waits_grow_and_come_to_an_end(page: Page) -> None:
    reach_the_review(page)
    bodies = posts_of(page)
    page.route(DOOR, unreachable)
    press_send(page)
    for number in range(2, 10):
        expect(page.locator("#waiting")).to_contain_text(re.compile(rf"\b{number} .+ 9\b"))
        page.clock.fast_forward(LONG * 1000)
    alert(page).to_have_text(words("gaveUp"))
    page.clock.fast_forward(LONG * 10_000)
    expect(seen(page, "Try again")).to_be_focused()
    assert len(bodies) == 9
    assert len(set(bodies)) == 1
    page.unroute(DOOR)
    seen(page, "Try again").click()
    page.wait_for_url("**/receipt/")
    assert len(stored()) == 1


@pytest.mark.slow
def test_trying_can_be_stopped_and_taken_up_again(page: Page) -> None:
    reach_the_review(page)
    bodies = posts_of(page)
    page.route(DOOR, unreachable)
    press_send(page)
    seen(page, "Stop trying to send").click()
    alert(page).to_have_text(words("stopped"))
    page.clock.fast_forward(LONG * 1000)
    assert len(bodies) == 1
    page.unroute(DOOR)
    seen(page, "Try again").click()
    page.wait_for_url("**/receipt/")
    assert len(stored()) == 1


@pytest.mark.slow
def test_try_now_does_not_wait(page: Page) -> None:
    reach_the_review(page)
    page.route(DOOR, unreachable)
    press_send(page)
    seen(page, "Try now").wait_for()
    page.unroute(DOOR)
    seen(page, "Try now").click()
    page.wait_for_url("**/receipt/")


@pytest.mark.slow
def test_no_answer_at_all_counts_as_a_failure_after_some_time(page: Page) -> None:
    reach_the_review(page)
    page.route(DOOR, lambda _route: None)  # never answered
    with page.expect_request(DOOR):  # the page's patience starts with its request, a little after the press
        press_send(page)
    page.clock.fast_forward(21_000)
    alert(page).to_have_text(WAITING)


def test_offline_at_send_nothing_is_tried_until_the_network_is_back(page: Page) -> None:
    reach_the_review(page)
    bodies = posts_of(page)
    page.context.set_offline(True)
    press_send(page)
    alert(page).to_have_text(OFFLINE)
    page.clock.fast_forward(LONG * 1000)
    assert bodies == []
    page.context.set_offline(False)
    page.wait_for_url("**/receipt/")
    assert len(bodies) == len(stored()) == 1


@pytest.mark.slow
def test_going_offline_between_two_tries_waits_for_the_network(page: Page) -> None:
    reach_the_review(page)
    page.route(DOOR, unreachable)
    press_send(page)
    alert(page).to_have_text(WAITING)
    page.context.set_offline(True)
    alert(page).to_have_text(OFFLINE)
    page.unroute(DOOR)
    page.context.set_offline(False)
    page.wait_for_url("**/receipt/")
    assert len(stored()) == 1


def test_offline_and_gone_back_nothing_is_sent_when_the_network_comes(page: Page) -> None:
    page.clock.install()
    begin(page, make_open(crosswise()))
    choose(page, "The same answer")
    take(page)
    bodies = posts_of(page)
    page.context.set_offline(True)
    press_send(page)
    alert(page).to_have_text(OFFLINE)
    page.go_back()
    seen(page, "Change answer").wait_for()
    page.evaluate(_COUNT_ONLINE)
    page.context.set_offline(False)
    # What listens to the network's coming back has been called by then, and a request would have begun.
    page.wait_for_function("document.documentElement.dataset.online === 'yes'")
    assert page.evaluate("fetch('/healthz').then((answer) => answer.ok)")
    assert bodies == []


def test_once_sending_was_tried_nothing_can_be_changed_any_more(page: Page) -> None:
    """It may have arrived: other reports after it would only be refused."""
    page.clock.install()
    begin(page, make_open(yes_no()))
    leave_out(page)
    page.route(DOOR, lost_on_the_way_back)
    press_send(page)
    alert(page).to_have_text(WAITING)
    assert page.get_by_role("button", name="Back").locator("visible=true").count() == 0
    page.go_back()
    expect(page.locator("#review")).to_be_visible()
    page.unroute(DOOR)
    page.clock.fast_forward(LONG * 1000)
    page.wait_for_url("**/receipt/")
    assert stored() == ["-"]


@pytest.mark.parametrize("end", [pause_survey, close_survey])
def test_what_the_server_says_for_good_is_shown_and_not_tried_again(page: Page, end: Callable[..., object]) -> None:
    page.clock.install()
    begin(page, survey := make_open(yes_no()))
    answer(page, "Yes")
    bodies = posts_of(page)
    end(survey=survey)
    with page.expect_response(DOOR) as answered:
        press_send(page)
    alert(page).to_have_text(answered.value.json()["error"])
    page.clock.fast_forward(LONG * 1000)
    assert len(bodies) == 1
    expect(seen(page, "Try again")).to_be_visible()


@pytest.mark.slow
def test_a_refusal_in_other_words_is_shown_with_its_number(page: Page) -> None:
    reach_the_review(page)
    page.route(DOOR, lambda route: route.fulfill(status=403, content_type="text/html", body="<h1>No</h1>"))
    press_send(page)
    alert(page).to_have_text(words("refused", status=403))


def test_a_double_tap_sends_once(page: Page) -> None:
    begin(page, make_open(yes_no()))
    answer(page, "Yes")
    bodies = posts_of(page)
    page.locator("#sending [type=submit]").dblclick()
    page.wait_for_url("**/receipt/")
    assert len(bodies) == len(stored()) == 1


def test_a_second_tab_cannot_answer_again_and_is_led_to_the_receipt(page: Page) -> None:
    survey = make_open(yes_no())
    second = page.context.new_page()
    for tab, word in ((page, 0), (second, 3)):
        tab.bring_to_front()
        fix_draws(tab, word)
        begin(tab, survey)
        answer(tab, "Yes")
    page.bring_to_front()
    send(page)
    second.bring_to_front()
    press_send(second)
    expect(second.get_by_role("heading", level=1)).to_have_text(words("alreadyAnswered"))
    assert second.locator("#sending button:visible").count() == 0
    expect(second.get_by_role("link", name="View receipt")).to_be_focused()
    second.get_by_role("link", name="View receipt").click()
    second.wait_for_url("**/receipt/")
    assert stored() == ["0"]


@pytest.mark.slow
def test_two_tabs_that_wait_for_the_network_send_in_turn_and_one_response_is_stored(page: Page) -> None:
    survey = make_open(yes_no())
    other = page.context.new_page()
    for tab in (page, other):
        begin(tab, survey)
        answer(tab, "Yes")
    page.context.set_offline(True)
    for tab in (page, other):
        tab.get_by_role("button", name="Send").click()
        seen(tab, "Try now").wait_for()
    page.context.set_offline(False)
    for tab in (page, other):
        expect(tab.locator(".thanks").or_(tab.get_by_role("heading", name=words("alreadyAnswered")))).to_be_visible()
    assert len(stored()) == 1


@pytest.mark.slow
def test_the_link_to_the_content_leads_out_of_no_step(page: Page) -> None:
    begin(page, make_open(yes_no()))
    choose(page, "Yes")
    page.evaluate("document.querySelector('.skip').click()")
    page.wait_for_url("**#content")
    expect(page.get_by_role("radio", name="Yes")).to_be_checked()
    page.go_back()
    expect(page.get_by_role("heading", level=1).locator("visible=true")).to_have_text(yes_no().text)


def test_what_is_sent_is_three_fields_and_shown_before_letter_for_letter(page: Page) -> None:
    begin(page, make_open(yes_no()))
    answer(page, "Yes")
    page.locator("#review details summary").click()
    shown = dict(line.split(": ") for line in page.locator("#payload").inner_text().splitlines())
    bodies = posts_of(page)
    send(page)
    fields = dict(pair.split("=") for pair in (bodies[0] or "").split("&"))
    assert list(fields) == ["nonce", "mode", "reports"]
    assert fields == shown
