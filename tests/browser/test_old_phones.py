"""Phones of 2020 answer; a browser that cannot is told so; nobody loses an answer by leaving unawares."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from playwright.sync_api import Dialog, Page, expect

from surveys.models import Response
from tests.browser.test_answering import answer_every_kind
from tests.browser.walk import answer, begin, choose, flip, press_send, send
from tests.factories import crosswise, every_kind, make_open, yes_no

# What came to Chrome or to Safari after 2020.
LATER = """
for (const kind of [Array, String, Int8Array.__proto__]) delete kind.prototype.at;
for (const name of ["findLast", "findLastIndex", "toSorted", "toReversed", "toSpliced", "with"]) {
  delete Array.prototype[name];
}
for (const name of ["hasOwn", "groupBy"]) delete Object[name];
for (const name of ["any", "timeout"]) delete AbortSignal[name];
for (const name of ["structuredClone", "reportError"]) delete globalThis[name];
for (const name of ["checkVisibility", "showPopover", "setHTMLUnsafe"]) {
  delete Element.prototype[name];
  delete HTMLElement.prototype[name];
}
for (const name of ["union", "intersection", "difference", "isSubsetOf"]) delete Set.prototype[name];
delete Array.fromAsync;
delete Promise.withResolvers;
delete Promise.try;
delete Crypto.prototype.randomUUID;
delete Navigator.prototype.locks;
delete String.prototype.isWellFormed;
"""
_LATER_SYNTAX = re.compile(r"(?m)static \{|#\w+ in |\(\?<[=!]|^(?:\w+ \w+ = )?await ")


def test_a_phone_of_2020_goes_the_whole_way(page: Page) -> None:
    page.add_init_script(LATER)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    begin(page, make_open(*every_kind()))
    old = "[].at === undefined && navigator.locks === undefined"
    assert page.evaluate(old)
    answer_every_kind(page)
    page.keyboard.press("Tab")
    send(page)
    assert errors == []
    assert Response.objects.count() == 1


def test_a_phone_of_2020_makes_a_credit_receipt_and_draws_it(page: Page) -> None:
    page.add_init_script(LATER + "delete DataView.prototype.getBigUint64; delete Navigator.prototype.clipboard;")
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    begin(page, make_open(yes_no(), credit=True))
    answer(page, "Yes")
    press_send(page)
    page.locator("#credit-show").click()
    expect(page.locator("#credit-qr svg")).to_be_visible()
    page.locator("[data-copies=credit-link]").click()
    expect(page.locator("#credit-copied")).not_to_be_empty()
    assert errors == []


def test_a_function_that_such_a_phone_lacks_would_be_noticed(page: Page) -> None:
    page.add_init_script(LATER)
    page.route(
        "**/respond*.js",
        lambda route: route.fulfill(response=(script := route.fetch()), body="[1].at(-1);" + script.text()),
    )
    page.goto(f"/s/{make_open(yes_no()).code}/")
    expect(page.locator("#unscripted")).to_be_visible()
    expect(page.get_by_role("button", name="Start survey")).to_be_hidden()


@pytest.mark.parametrize("name", ["respond.js", "randomizer.js", "credit.js", "blind.js", "qr.js"])
def test_the_scripts_use_no_later_syntax(name: str) -> None:
    source = (Path(settings.BASE_DIR) / "static" / "js" / name).read_text(encoding="utf-8")
    assert _LATER_SYNTAX.findall(source) == []


def test_a_page_whose_script_does_not_come_offers_what_needs_none(page: Page) -> None:
    page.route("**/randomizer*.js", lambda route: route.abort())
    page.goto(f"/s/{make_open(yes_no()).code}/")
    page.locator("#unscripted a").click()
    page.wait_for_url("**/own-coin/")


def test_where_all_chance_is_in_the_head_it_offers_the_plain_form(page: Page) -> None:
    page.route("**/respond*.js", lambda route: route.abort())
    page.goto(f"/s/{make_open(crosswise()).code}/")
    expect(page.locator("#unscripted a[href='own-coin/']")).to_be_visible()


@pytest.mark.slow
def test_leaving_warns_once_something_was_chosen_and_not_before_nor_after_sending(page: Page) -> None:
    asked: list[str] = []

    def note(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", note)
    survey = make_open(yes_no("A?"), yes_no("B?"))
    begin(page, survey)
    page.reload()
    assert asked == []
    page.get_by_role("button", name="Start survey").click()
    choose(page, "Yes")
    page.reload()
    assert asked == ["beforeunload"]
    page.get_by_role("button", name="Start survey").click()
    choose(page, "Yes")
    flip(page)
    page.reload()
    assert asked == ["beforeunload"] * 2
    page.get_by_role("button", name="Start survey").click()
    answer(page, "Yes")
    answer(page, "Yes")
    send(page)
    page.goto("/check/")
    assert asked == ["beforeunload"] * 2
