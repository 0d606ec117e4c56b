"""Credit on a phone: a receipt where the questions were, the same for people who decline, and no trace of it."""

import re
from collections.abc import Callable
from urllib.parse import parse_qsl

import pytest
import segno
from django.test import Client
from playwright.sync_api import Dialog, Page, Request, Route, expect
from segno import encoder

from surveys.common.selectors import definition_of
from surveys.credit import blind
from surveys.credit.services import modulus_of, read
from surveys.models import Decline, Response, Survey
from tests.browser.conftest import NewContext
from tests.browser.evidence import Evidence
from tests.browser.walk import answer, begin, leave_out, press_send
from tests.factories import make_open, yes_no


def opened(**fields: object) -> Survey:
    return make_open(yes_no(), **{"credit": True, "consent": "You take part of your own free will."} | fields)


def go_to_review(page: Page, survey: Survey, choose: Callable[[Page], None] = lambda page: answer(page, "Yes")) -> None:
    begin(page, survey)
    page.locator("#consent [data-next]").click()
    choose(page)


def decline(page: Page, survey: Survey) -> None:
    begin(page, survey)
    page.locator("#consent a").click()
    page.locator("#decline").click()


def shown(page: Page) -> str:
    """Return the receipt that is shown, once it is."""
    expect(page.locator("#credit-code")).to_be_visible()
    return page.locator("#credit-code").inner_text()


def is_valid(survey: Survey, receipt: str) -> bool:
    data = read(receipt)
    modulus = modulus_of(definition_of(survey).credit_key)
    return data is not None and len(receipt) == 427 and blind.verify(modulus, data[:64], data[64:])


@pytest.fixture
def posted(page: Page) -> list[dict[str, str]]:
    """What the page has posted, form by form."""
    forms: list[dict[str, str]] = []

    def note(request: Request) -> None:
        if request.method == "POST":
            forms.append({"path": request.url.rsplit("/s/", 1)[1][6:], **dict(parse_qsl(request.post_data or ""))})

    page.on("request", note)
    return forms


@pytest.fixture
def asked(page: Page) -> list[str]:
    """The questions that the browser has asked before leaving, each answered with yes."""
    dialogs: list[str] = []

    def note(dialog: Dialog) -> None:
        dialogs.append(dialog.type)
        dialog.accept()

    page.on("dialog", note)
    return dialogs


def test_an_answer_gets_a_receipt_that_holds_and_raw_data_showed_all_that_was_sent(
    page: Page, posted: list[dict[str, str]]
) -> None:
    survey = opened()
    go_to_review(page, survey)
    page.locator("#review details summary").last.click()
    raw = page.locator("#payload").inner_text()
    page.locator("[data-back]:visible").click() if page.locator("[data-back]:visible").count() else None
    press_send(page)
    assert is_valid(survey, shown(page))
    expect(page.locator("#credit h1:visible")).to_be_focused()
    [form] = posted
    assert form.pop("path") == "/"
    assert raw == "\n".join(f"{name}: {value}" for name, value in form.items())
    assert len(form["blinded"]) == 342
    assert Response.objects.count() == 1
    page.get_by_role("link", name="View receipt")
    # Going back shows neither the questions nor what was sent.
    page.go_back()
    assert is_valid(survey, shown(page))
    expect(page.locator("[data-step]:visible")).to_have_count(0)
    assert page.locator("#payload").text_content() == page.locator("[name=blinded]").input_value() == ""


def test_no_receipt_begins_as_a_formula_does(page: Page) -> None:
    draws = "let draws = 0; const draw = crypto.getRandomValues.bind(crypto); crypto.getRandomValues = (given) => {"
    draws += "draw(given); if (given.length === 64 && !draws++) given[0] = 62 << 2; return given; };"
    page.add_init_script(f"{draws} globalThis.draws = () => draws;")
    survey = opened()
    go_to_review(page, survey)
    press_send(page)
    receipt = shown(page)
    assert is_valid(survey, receipt)
    assert not receipt.startswith("-")
    assert page.evaluate("draws()") == 2


def test_skipping_everything_gets_a_receipt_like_any_answer(page: Page) -> None:
    survey = opened()
    go_to_review(page, survey, leave_out)
    press_send(page)
    assert is_valid(survey, shown(page))
    assert Response.objects.get().reports == "-"


def test_what_is_sent_again_is_the_same_and_gets_one_receipt(page: Page, posted: list[dict[str, str]]) -> None:
    """The server's first answer is lost on the way."""
    survey, signatures = opened(), []

    def lose_the_first(route: Route) -> None:
        if route.request.method != "POST":
            return route.fallback()
        response = route.fetch()
        signatures.append(response.json()["signature"])
        return route.abort() if len(signatures) == 1 else route.fulfill(response=response)

    page.route(f"**/s/{survey.code}/", lose_the_first)
    go_to_review(page, survey)
    press_send(page)
    page.locator("#stop").wait_for()
    press_send(page)
    assert is_valid(survey, shown(page))
    assert posted[0] == posted[1]
    assert signatures[0] == signatures[1]
    assert Response.objects.count() == 1


def test_whoever_declines_gets_the_same_receipt_and_nothing_of_the_questions_is_sent(
    page: Page, posted: list[dict[str, str]], asked: list[str]
) -> None:
    survey = opened()
    decline(page, survey)
    assert is_valid(survey, shown(page))
    [form] = posted
    assert (form["path"], sorted(form)) == ("/declined/", ["blinded", "nonce", "path"])
    assert (Response.objects.count(), Decline.objects.count()) == (0, 1)
    expect(page.locator("#credit a[href='receipt/']")).to_be_hidden()
    page.go_back()
    assert is_valid(survey, shown(page))
    assert asked == []


def test_declining_that_fails_on_the_way_says_so_and_can_be_done_again(
    page: Page, posted: list[dict[str, str]]
) -> None:
    survey = opened()
    page.route("**/declined/", lambda route: route.abort(), times=1)
    decline(page, survey)
    expect(page.locator("#not-declined")).to_be_visible()
    page.locator("#decline").click()
    assert is_valid(survey, shown(page))
    assert posted[0] == posted[1]


def test_leaving_asks_until_the_receipt_was_copied_as_a_link_or_a_code(
    new_context: NewContext, page: Page, asked: list[str], site: str
) -> None:
    survey = opened()
    page.context.grant_permissions(["clipboard-read"])
    go_to_review(page, survey)
    press_send(page)
    receipt = shown(page)
    for button in page.locator("[data-copies]").all():
        button.click()
        expect(page.locator("#credit-copied")).to_have_text(button.get_attribute("data-copied") or "?")
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied in {receipt, f"{site}/credit/{survey.code}/#{receipt}"}
    assert copied == receipt
    page.goto("/")
    assert asked == []
    page.context.clear_cookies()
    go_to_review(page, survey)
    press_send(page)
    shown(page)
    page.goto("/")
    assert asked == ["beforeunload"]


def test_the_receipt_is_drawn_and_saved_on_the_phone(
    page: Page, site: str, monkeypatch: pytest.MonkeyPatch, asked: list[str]
) -> None:
    monkeypatch.setattr(encoder, "write_padding_bits", lambda buff, _version, length: buff.extend([0] * (-length % 8)))
    survey = opened()
    go_to_review(page, survey)
    press_send(page)
    link = f"{site}/credit/{survey.code}/#{shown(page)}"
    seen: list[str] = []
    page.on("request", lambda request: seen.append(request.url))
    page.locator("#credit-show").click()
    drawn = page.locator("#credit-qr path").last.get_attribute("d") or ""
    expected = segno.make(link, version=16, error="l", mask=0, boost_error=False, mode="byte")
    modules = {(int(x), int(y)) for x, y in re.findall(r"M(\d+) (\d+)h1v1h-1z", drawn)}
    assert modules == {(x, y) for y, row in enumerate(expected.matrix) for x, module in enumerate(row) if module}
    assert [url.rsplit("/", 1)[1].split(".")[0] for url in seen] == ["qr"]
    with page.expect_download() as saving:
        page.locator("#credit-file").click()
    assert saving.value.path().read_text() == link
    page.goto("/")
    assert asked == []


def _sign_something_else(route: Route) -> None:
    if route.request.method != "POST":
        return route.fallback()
    response = route.fetch()
    answered = response.json()
    signature = ("B" if answered["signature"][0] == "A" else "A") + answered["signature"][1:]
    return route.fulfill(response=response, json=answered | {"signature": signature})


def test_a_signature_that_does_not_hold_gives_no_receipt_and_says_that_the_answer_is_stored(
    page: Page, asked: list[str]
) -> None:
    survey = opened()
    page.route(f"**/s/{survey.code}/", _sign_something_else)
    go_to_review(page, survey)
    press_send(page)
    expect(page.locator("#credit-wrong")).to_be_visible()
    expect(page.locator("#credit-made")).to_be_hidden()
    assert page.locator("#credit-code").text_content() == ""
    assert Response.objects.count() == 1
    page.get_by_role("link", name="View receipt").click()
    page.wait_for_url("**/receipt/")
    assert asked == []


def test_a_browser_without_large_whole_numbers_answers_without_a_receipt_and_says_so(
    page: Page, posted: list[dict[str, str]]
) -> None:
    survey = opened()
    page.route("**/blind*.js", lambda route: route.fulfill(body="1x;", content_type="text/javascript"))
    page.goto(f"/s/{survey.code}/")
    expect(page.locator("#no-credit")).to_be_visible()
    page.goto("/")
    go_to_review(page, survey)
    expect(page.locator("#no-credit")).to_be_visible()
    press_send(page)
    page.wait_for_url("**/receipt/")
    assert [sorted(form) for form in posted] == [["mode", "nonce", "path", "reports"]]
    assert Response.objects.count() == 1


def test_such_a_browser_is_offered_no_receipt_for_declining(page: Page) -> None:
    survey = opened()
    page.route("**/blind*.js", lambda route: route.abort())
    begin(page, survey)
    page.locator("#consent a").click()
    expect(page.locator("#declined h1")).to_be_visible()
    expect(page.locator("#decline")).to_be_hidden()


def test_a_survey_without_credit_loads_and_says_nothing_of_it(page: Page, posted: list[dict[str, str]]) -> None:
    survey = make_open(yes_no())
    seen: list[str] = []
    page.on("request", lambda request: seen.append(request.url))
    begin(page, survey)
    answer(page, "Yes")
    press_send(page)
    page.wait_for_url("**/receipt/")
    assert not [url for url in seen if re.search(r"blind|credit|qr", url)]
    assert "blinded" not in posted[0]


# No trace: what was sent and what was made of it is nowhere once the page was left.


def _needles(receipt: str, blinded: str) -> list[str]:
    """Return parts of what must not be found: of prefix, serial, signature and blinded number."""
    return [receipt[:40], receipt[44:84], receipt[88:128], receipt[-40:], blinded[:40], blinded[-40:]]


@pytest.mark.parametrize("leak", ["", "history.replaceState({ receipt: code.textContent }, '');", "planted"])
def test_when_the_page_was_left_nothing_of_the_receipt_is_left(new_context: NewContext, site: str, leak: str) -> None:
    survey, context = opened(), new_context()
    seen, page = Evidence(context, site), context.new_page()
    page.on("dialog", lambda dialog: dialog.accept())
    if leak == "planted":
        leak = "localStorage.receipt = code.textContent;"
    if leak:

        def plant(route: Route) -> None:
            response, place = route.fetch(), "      isUnsaved = true;"
            assert response.text().count(place) == 1
            route.fulfill(response=response, body=response.text().replace(place, place + leak))

        page.route("**/credit*.js", plant)
    go_to_review(page, survey)
    press_send(page)
    receipt = shown(page)
    page.locator("#credit-show").click()
    page.goto("/")
    seen.look(page, "elsewhere")
    page.go_back()
    page.wait_for_load_state()
    seen.look(page, "back")
    [blinded] = [dict(parse_qsl(body))["blinded"] for body in seen.posted]
    assert seen.addresses
    kept = seen.snapshot()
    assert blinded[:40] in kept.pop("requests")
    found = {name for name, text in kept.items() for needle in _needles(receipt, blinded) if needle in text}
    assert bool(found) == bool(leak), found
    if not leak:
        assert seen.console == []
        assert not [url for url in seen.addresses if any(needle in url for needle in _needles(receipt, blinded))]


# Where no phone makes a receipt, one sentence says so.


@pytest.mark.django_db
def test_real_coins_and_the_servers_coins_say_that_they_give_no_receipt(client: Client) -> None:
    sentence = "no credit receipt this way"
    for gives, times in ((True, 1), (False, 0)):
        survey = opened(credit=gives, consent="", server_mode_allowed=True)
        for path in ("", "own-coin/", "server/"):
            page = client.get(f"/s/{survey.code}/{path}").content.decode()
            assert page.count(sentence) == times, path
