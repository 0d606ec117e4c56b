"""One survey in several languages: chosen by links, kept by a cookie, and in nothing that is stored."""

import gzip
import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client

from surveys.course.services import close_survey, show_result
from surveys.models import Response, Survey
from tests.answering.test_sending import BY_SCRIPT, NONCE, device, in_arm, own_coin, server, stored
from tests.factories import fill, make_open, one_of, plain, yes_no
from tests.pages import text_of, words_of
from tests.questionnaire.test_translations import BOTH

pytestmark = pytest.mark.django_db
ENGLISH, GERMAN, HEBREW = "How often?", "Wie oft?", "באיזו תדירות?"
ROW = ("survey_id", "group_id", "mode", "reports", "nonce_hash")


@pytest.fixture
def survey() -> Survey:
    return make_open(yes_no(), one_of(), translations=BOTH, server_mode_allowed=True)


def _choose(client: Client, survey: Survey, code: str, page: str = "") -> HttpResponse:
    return client.get(f"/s/{survey.code}/{page}?language={code}")


def _of_nobody(html: str) -> str:
    """Return a page without what is another one for each visitor."""
    return re.sub(r'(name="nonce" value=")[^"]+', r"\1", html)


def test_the_first_page_offers_each_language_by_a_link_in_its_own_name(client: Client, survey: Survey) -> None:
    page = text_of(client.get(f"/s/{survey.code}/"))
    nav = page[page.index("<nav") : page.index("</nav>")]
    assert re.findall(r'href="([^"]+)" lang="(\w+)" dir="auto"[^>]*>([^<]+)<', nav) == [
        ("?language=en", "en", "English"),
        ("?language=de", "de", "Deutsch"),
        ("?language=he", "he", "עברית"),
    ]
    assert re.findall(r'lang="(\w+)" dir="auto" aria-current="true"', nav) == ["en"]
    assert page.index("<nav") < page.index("<h1") < page.index("<noscript>")
    assert not client.cookies


def test_a_choice_leads_back_to_the_same_address_and_is_remembered_there_alone(client: Client, survey: Survey) -> None:
    chosen = _choose(client, survey, "de")
    assert (chosen.status_code, chosen["Location"]) == (302, f"/s/{survey.code}/")
    cookie = chosen.cookies["deniable_language"]
    assert (cookie.value, cookie["path"], cookie["max-age"]) == ("de", f"/s/{survey.code}/", "")
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    page = client.get(chosen["Location"])
    assert page["Content-Language"] == "de"
    assert '<html lang="de" dir="ltr">' in page.content.decode()
    _choose(client, survey, "en")
    assert ENGLISH in text_of(client.get(f"/s/{survey.code}/"))


@pytest.mark.parametrize("path", ["", "own-coin/", "server/", "server/?missing=2"])
def test_every_page_with_a_form_is_in_the_language_that_was_chosen(client: Client, survey: Survey, path: str) -> None:
    for code, asked, direction in (("de", GERMAN, "ltr"), ("he", HEBREW, "rtl")):
        _choose(client, survey, code)
        page = client.get(f"/s/{survey.code}/{path}")
        html = page.content.decode()
        assert asked in html
        assert ENGLISH not in html
        assert f'<html lang="{code}" dir="{direction}">' in html
        assert page["Content-Language"] == code


@pytest.mark.parametrize(("path", "form"), [("", device()), ("", own_coin()), ("server/", server())])
def test_answers_in_each_mode_lead_to_a_receipt_in_the_language(
    client: Client, survey: Survey, path: str, form: dict[str, str]
) -> None:
    address = f"/s/{survey.code}/"
    _choose(client, survey, "de")
    sent = client.post(address + path, form)
    assert (sent.status_code, sent["Location"]) == (303, f"{address}receipt/")
    receipt = text_of(client.get(sent["Location"]))
    assert '<html lang="de"' in receipt
    assert GERMAN in receipt
    assert ENGLISH not in receipt
    assert "Prüfungen" in text_of(client.get(address))
    assert [mode for mode, _reports in stored()] == [form["mode"]]


def test_refusals_are_in_the_language(client: Client, survey: Survey) -> None:
    address = f"/s/{survey.code}/"
    _choose(client, survey, "de")
    incomplete = client.post(address, {"mode": "own_coin", "nonce": NONCE, "item-1": "1"})
    assert incomplete.status_code == 400
    assert GERMAN in incomplete.content.decode()
    assert "Frage 2" in incomplete.content.decode()
    refused = client.post(address, device("9"), headers=BY_SCRIPT).json()["error"]
    assert re.search(r"Meldungen.*\b2\b.*\b1\b", refused)


@contextmanager
def _statements() -> Iterator[list[tuple[str, object]]]:
    seen: list[tuple[str, object]] = []

    def note(execute: object, sql: str, params: object, many: bool, context: object) -> object:
        seen.append((sql, params))
        return execute(sql, params, many, context)  # type: ignore[operator]

    with connection.execute_wrapper(note):
        yield seen


def test_rows_and_statements_are_the_same_in_every_language(survey: Survey) -> None:
    executed, rows = [], []
    for code in ("en", "de", "he"):
        client = Client()
        _choose(client, survey, code)
        client.get(f"/s/{survey.code}/")
        with _statements() as statements:
            assert client.post(f"/s/{survey.code}/", device(), headers=BY_SCRIPT).status_code == 200
        executed.append(statements)
        rows.append(list(Response.objects.values_list(*ROW)))
        Response.objects.all().delete()
    assert executed[0] == executed[1] == executed[2]
    assert rows[0] == rows[1] == rows[2]
    assert len(rows[0]) == 1


@pytest.mark.parametrize("mode", ["device", "own_coin"])
def test_no_form_takes_a_language(client: Client, survey: Survey, mode: str) -> None:
    _choose(client, survey, "de")
    html = client.get(f"/s/{survey.code}/").content.decode()
    forms = re.findall(r"<form .*?</form>", html, re.DOTALL)
    assert not [name for form in forms for name in re.findall(r'name="([^"]+)"', form) if "lang" in name]
    form = device() if mode == "device" else own_coin()
    assert client.post(f"/s/{survey.code}/", form | {"language": "de"}, headers=BY_SCRIPT).status_code == 400
    assert stored() == []


def test_forms_ask_for_the_same_fields_and_the_phone_for_the_same_draws_in_every_language(survey: Survey) -> None:
    pages = {}
    for code in ("en", "de", "he"):
        client = Client()
        _choose(client, survey, code)
        pages[code] = client.get(f"/s/{survey.code}/").content.decode()
    controls = [re.findall(r'name="(\w+-\d\w?)" value="([^"]*)"', page) for page in pages.values()]
    assert controls[0] == controls[1] == controls[2] != []
    matrices = [re.findall(r'"columns": (\[\[.*?\]\])', page) for page in pages.values()]
    assert matrices[0] == matrices[1] == matrices[2] != []


def test_pages_are_rendered_once_for_each_language(survey: Survey) -> None:
    """Twice each, in turns: what one language left in memory is no other's."""
    rendered: dict[str, set[str]] = {"en": set(), "de": set(), "he": set()}
    for code in [*rendered, *rendered]:
        client = Client(headers={"Accept-Encoding": "gzip", "Accept-Language": "es"})
        _choose(client, survey, code)
        rendered[code].add(_of_nobody(gzip.decompress(client.get(f"/s/{survey.code}/").content).decode()))
    assert [len(pages) for pages in rendered.values()] == [1, 1, 1]
    assert len(set.union(*rendered.values())) == 3


@pytest.mark.parametrize("kept", ["fr", "", "de-AT", "es", "<b>"])
def test_a_cookie_or_a_link_that_names_no_language_of_the_survey_changes_nothing(survey: Survey, kept: str) -> None:
    asked = Client().get(f"/s/{survey.code}/?language={kept}")
    assert "deniable_language" not in asked.cookies
    client = Client()
    client.cookies["deniable_language"] = kept
    remembered = client.get(f"/s/{survey.code}/")
    assert _of_nobody(remembered.content.decode()) == _of_nobody(asked.content.decode())
    assert remembered["Content-Language"] == "en"


def test_a_survey_of_one_language_knows_nothing_of_it(client: Client) -> None:
    survey = make_open(yes_no(), one_of())
    plain = client.get(f"/s/{survey.code}/").content.decode()
    assert "language=" not in plain
    assert "<nav class" not in plain
    client.cookies["deniable_language"] = "de"
    asked = client.get(f"/s/{survey.code}/?language=de")
    assert asked.status_code == 203
    assert _of_nobody(asked.content.decode()) == _of_nobody(plain)
    assert "deniable_language" not in asked.cookies


def test_the_choice_holds_behind_the_door_of_a_group_too(client: Client) -> None:
    survey = make_open(yes_no(), one_of(), translations=BOTH)
    survey.groups.create(name="North", slug="north")
    chosen = client.get(f"/s/{survey.code}/NORTH/?language=he")
    assert chosen["Location"] == f"/s/{survey.code}/north/"
    assert HEBREW in client.get(chosen["Location"]).content.decode()
    assert client.get(f"/s/{survey.code}/").headers["Content-Language"] == "he"


def test_an_arm_is_met_in_the_language_and_stored_as_it_is(client: Client) -> None:
    arms = [{"name": "One", "weight": 1}, {"name": "Other", "weight": 1}]
    survey = make_open(yes_no(arms=[1]), one_of(arms=[2]), arms=arms, translations=BOTH)
    _choose(client, survey, "he")
    client.cookies["deniable_arm"] = "2"
    page = client.get(f"/s/{survey.code}/").content.decode()
    assert HEBREW in page
    assert BOTH["he"][yes_no().text] not in page
    client.post(f"/s/{survey.code}/", device("2", **in_arm(survey, 2)))
    assert stored() == [("device", "-21")]
    assert HEBREW in text_of(client.get(f"/s/{survey.code}/receipt/"))


def test_the_result_on_the_receipt_is_in_the_language_and_says_the_same(client: Client) -> None:
    asked = plain(text="How often?", options=("Never", "Once", "Often"))
    survey = make_open(yes_no(), one_of(), asked, translations=BOTH)
    fill(survey, {"010": 40, "121": 40, "102": 40})
    show_result(survey=close_survey(survey=survey))
    client.cookies["deniable_done"] = "1"
    shown = {}
    for code in ("en", "de"):
        _choose(client, survey, code)
        page = client.get(f"/s/{survey.code}/receipt/result/")
        assert page["Content-Language"] == code
        shown[code] = words_of(text_of(page))
    assert GERMAN in shown["de"]
    assert ENGLISH not in shown["de"]
    figures = [re.findall(r"\b\d+(?= \w+ 100)", page) for page in shown.values()]
    assert figures[0] == figures[1] != []


def test_where_a_language_can_be_chosen_the_pages_say_what_becomes_of_it(client: Client, survey: Survey) -> None:
    mentions = []
    for asked in (survey, make_open(yes_no(), one_of(), server_mode_allowed=True)):
        browser = Client()
        pages = [browser.get(f"/s/{asked.code}/{path}") for path in ("", "server/")]
        browser.post(f"/s/{asked.code}/", device())
        pages.append(browser.get(f"/s/{asked.code}/receipt/"))
        mentions.append(["language" in words_of(text_of(page).split("<main")[1]) for page in pages])
    assert mentions == [[True] * 3, [False] * 3]
