"""The pages without steps: front door, own coins, the server's form, groups, invitations, and doors that are shut."""

import datetime as dt
import re
from collections.abc import Iterator

from django.utils import timezone
from playwright.sync_api import Page, Route

from surveys.course.services import close_survey, hide_result, pause_survey, show_result
from surveys.drafts.services.groups import add_group
from surveys.sharing.services import invite, new_batch
from tests.browser.tour import DOOR, Tour, press_send, to_the_review
from tests.factories import PROTECTED, crosswise, fill, number_mean, several_of, warner, yes_no

_NO_COINS = warner(parameters={"p": [37, 100]})


def front(_tour: Tour, page: Page) -> Iterator[str]:
    for name, address in {
        "landing": "/",
        "landing, code unknown": "/join?code=ZZZZZZ",
        "landing, code impossible": "/join?code=0",
        "check us": "/check/",
        "not found": "/s/ZZZZZZ/",
    }.items():
        page.goto(address)
        yield name
    page.goto("/check/")
    page.locator("#flip").click()
    page.locator("#result").wait_for()
    for details in page.locator("summary").all():
        details.click()
    yield "check us, flipped"


def _agree(page: Page) -> None:
    page.locator("a[href='#agreed']").click()


def _tap_the_first(page: Page) -> None:
    for name in {radio.get_attribute("name") for radio in page.locator("form[method=post] [type=radio]").all()}:
        page.locator(f"[name='{name}']").first.check()


def _press_the_button(page: Page) -> None:
    page.locator("form[method=post] [type=submit]:visible").last.click()


def _send_unfinished(page: Page) -> None:
    """Send a form as browsers do that look at nothing before."""
    page.locator("form.section, .section form").last.evaluate(
        "(form) => { form.noValidate = true; form.requestSubmit(); }"
    )
    page.locator("#summary").wait_for()


def own_coins(tour: Tour, page: Page) -> Iterator[str]:
    survey = tour.full_survey(server_mode_allowed=True)
    page.goto(f"/s/{survey.code}/own-coin/")
    yield "own coins, asked for consent"
    _agree(page)
    yield "own coins"
    page.locator("[name=item-1]").first.check()
    _send_unfinished(page)
    yield "own coins, unfinished"
    _tap_the_first(page)
    _press_the_button(page)
    page.wait_for_url("**/receipt/*")
    yield "receipt of own coins"
    page.goto(f"/s/{survey.code}/own-coin/")
    yield "already answered"
    page.goto(f"/s/{tour.survey(_NO_COINS, number_mean(**PROTECTED)).code}/own-coin/")
    yield "own coins impossible"


def _without_scripts(route: Route) -> None:
    """Hand over the page as browsers without scripts take it, to a browser with them: axe is a script itself."""
    if route.request.method != "GET":
        route.continue_()
        return
    body = re.sub(r"<(/?)noscript>", r"<\1div>", route.fetch().text())
    route.fulfill(content_type="text/html; charset=utf-8", body=re.sub(r"<script type=.module.*?</script>", "", body))


def own_coins_without_scripts(tour: Tour, page: Page) -> Iterator[str]:
    page.route(DOOR, _without_scripts)
    survey = tour.full_survey(server_mode_allowed=True)
    page.goto(f"/s/{survey.code}/")
    yield "answer page without scripts, asked for consent"
    _agree(page)
    yield "answer page without scripts"
    _tap_the_first(page)
    _press_the_button(page)
    page.wait_for_url("**/receipt/*")
    yield "receipt without scripts"
    page.goto(f"/s/{tour.survey(_NO_COINS, server_mode_allowed=True).code}/")
    yield "answer page without scripts, no coins"


def server(tour: Tour, page: Page) -> Iterator[str]:
    survey = tour.full_survey(server_mode_allowed=True)
    page.goto(f"/s/{survey.code}/server/")
    yield "server, asked for consent"
    _agree(page)
    yield "server"
    for field in page.locator("[inputmode=decimal]").all():
        field.fill("13")
    _send_unfinished(page)
    yield "server, unfinished"
    _tap_the_first(page)
    for field in page.locator("[inputmode=decimal]").all():
        field.fill("7.5")
    _press_the_button(page)
    page.wait_for_url("**/receipt/*")
    yield "receipt of the server"
    page.goto(f"/s/{tour.survey(yes_no()).code}/server/")
    yield "the server does not flip"


def nothing_taken(tour: Tour, page: Page) -> Iterator[str]:
    survey = tour.survey(yes_no())
    page.goto(f"/s/{survey.code}/receipt/")
    yield "receipt of nothing"
    page.goto(f"/s/{survey.code}/own-coin/")
    page.locator("[name=nonce]").last.evaluate("(field) => { field.value = 'made up'; }")
    _tap_the_first(page)
    _press_the_button(page)
    page.locator("h1").wait_for()
    yield "refused"
    page.goto(f"/s/{survey.code}/own-coin/")
    page.context.clear_cookies()
    _tap_the_first(page)
    _press_the_button(page)
    page.locator("form").wait_for(state="detached")
    yield "cookie lost"


def groups(tour: Tour, page: Page) -> Iterator[str]:
    survey = tour.survey(yes_no(), crosswise(), server_mode_allowed=True)
    add_group(survey=survey, name=tour.say("North of the river"), slug="north")
    for rest in ("north/", "north/own-coin/", "north/server/", "south/", "i/NOTNEEDED/"):
        page.goto(f"/s/{survey.code}/{rest}")
        yield f"group, {rest}"
    to_the_review(page, survey, "north/")
    press_send(page)
    page.wait_for_url("**/receipt/")
    yield "receipt in a group"


def invitations(tour: Tour, page: Page) -> Iterator[str]:
    survey = tour.survey(yes_no(), several_of(), by_invitation=True, server_mode_allowed=True)
    (token,) = invite(survey=survey, number=1, batch=new_batch()).tokens
    page.goto(f"/s/{survey.code}/")
    yield "invitation needed"
    page.goto(f"/s/{survey.code}/i/NOSUCHTOKEN/")
    yield "invitation unknown"
    for rest in ("", "own-coin/", "server/"):
        page.goto(f"/s/{survey.code}/i/{token}/{rest}")
        yield f"invitation, {rest or 'promise'}"
    to_the_review(page, survey, f"i/{token}/")
    press_send(page)
    page.wait_for_url("**/receipt/")
    yield "receipt of an invitation"
    page.context.clear_cookies()
    page.goto(f"/s/{survey.code}/i/{token}/")
    yield "invitation spent"


def result(tour: Tour, page: Page) -> Iterator[str]:
    survey = tour.survey(
        *(yes_no(f"Number {word}: have you copied?") for word in ("one", "two", "three", "four", "five"))
    )
    fill(survey, {"10101": 27, "01001": 33, "11111": 3, "00000": 20})
    show_result(survey=survey)
    page.goto(f"/s/{survey.code}/own-coin/")
    _tap_the_first(page)
    _press_the_button(page)
    page.wait_for_url("**/receipt/")
    yield "receipt with a result"
    page.locator("a[href='result/']").click()
    page.locator(".large-figure").wait_for()
    yield "result"
    for summary in page.locator("summary").all():
        summary.click()
    yield "result, all questions"
    hide_result(survey=survey)
    page.reload()
    yield "result no longer shown"


def shut(tour: Tour, page: Page) -> Iterator[str]:
    now, hour = timezone.now(), dt.timedelta(hours=1)
    full = tour.survey(yes_no(), response_cap=1)
    fill(full, {"1": 1})
    for name, survey in {
        "not yet open": tour.survey(yes_no(), opens_at=now + hour),
        "its hours are over": tour.survey(yes_no(), opens_at=now - 2 * hour, closes_at=now - hour),
        "paused": pause_survey(survey=tour.survey(yes_no())),
        "closed": close_survey(survey=tour.survey(yes_no())),
        "full": full,
    }.items():
        page.goto(f"/s/{survey.code}/")
        yield name


SCENES = (front, own_coins, own_coins_without_scripts, server, nothing_taken, groups, invitations, result, shut)
