"""Every way into a survey: its own link, a group's, a single-use link, and both; each remembers its own answer."""

import pytest
from django.db import OperationalError
from django.http import HttpResponse
from django.test import Client
from django.utils.translation import get_language
from pytest_django import DjangoAssertNumQueries

from surveys.answering import forms
from surveys.answering.services import collecting
from surveys.answering.services.collecting import new_nonce
from surveys.course.services import close_survey
from surveys.drafts.services.groups import add_group, rename_group
from surveys.models import Group, Invitation, PatternCount, Response, Survey
from surveys.questionnaire import asked_question, definition
from surveys.sharing.services import invite, new_batch
from tests.answering.test_sending import BY_SCRIPT, shown
from tests.factories import every_kind, make_open, yes_no
from tests.pages import text_of

pytestmark = pytest.mark.django_db

PAGES = ("", "own-coin/", "server/", "receipt/")


@pytest.fixture
def survey() -> Survey:
    return make_open(server_mode_allowed=True)


@pytest.fixture
def group(survey: Survey) -> Group:
    return add_group(survey=survey, name="Monday class")


@pytest.fixture
def invited() -> Survey:
    return make_open(by_invitation=True, server_mode_allowed=True)


class Browser:
    """A client that sends a cookie only where its path says so, as browsers do."""

    def __init__(self) -> None:
        self.jar: dict[tuple[str, str], str] = {}

    def open(self, address: str, fields: dict[str, str] | None = None) -> HttpResponse:
        client = Client()
        client.cookies.load({name: value for (path, name), value in self.jar.items() if address.startswith(path)})
        response = client.get(address) if fields is None else client.post(address, fields)
        self.jar |= {(morsel["path"], name): morsel.value for name, morsel in response.cookies.items()}
        return response


def token_of(survey: Survey) -> str:
    return invite(survey=survey, number=1, batch=new_batch()).tokens[0]


def device(reports: str = "1", **changes: str) -> dict[str, str]:
    return {"mode": "device", "nonce": new_nonce(), "reports": reports} | changes


def test_an_answer_by_a_groups_link_is_stored_with_the_group(client: Client, survey: Survey, group: Group) -> None:
    response = client.post(f"/s/{survey.code}/monday-class/", device(), headers=BY_SCRIPT)
    assert response.json() == {"receipt": f"/s/{survey.code}/monday-class/receipt/"}
    assert Response.objects.get().group == group
    assert "Monday class" in text_of(client.get(response.json()["receipt"]))


def test_real_coins_and_the_server_store_the_group_too(survey: Survey, group: Group) -> None:
    nonce = new_nonce()
    Client().post(f"/s/{survey.code}/monday-class/", {"mode": "own_coin", "nonce": nonce, "item-1": "1"})
    Client().post(f"/s/{survey.code}/monday-class/server/", {"mode": "server", "nonce": new_nonce(), "answer-1": "1"})
    assert [response.group for response in Response.objects.all()] == [group, group]


def test_the_ordinary_link_stores_no_group(client: Client, survey: Survey, group: Group) -> None:
    client.post(f"/s/{survey.code}/", device())
    assert Response.objects.get().group is None


@pytest.mark.parametrize("slug", ["tuesday", "i", "MONDAY_class", "a" * 41, "%00", "sql'--", "monday-class%20"])
def test_an_unknown_group_names_the_way_to_the_front_door(survey: Survey, group: Group, slug: str) -> None:
    for rest in PAGES:
        client, address = Client(), f"/s/{survey.code}/{slug}/{rest}"
        for response in (client.get(address), client.post(address, follow=True)):
            if response.status_code != 405:
                assert response.status_code == 404
                assert f'href="/s/{survey.code}/"' in text_of(response)
                # What stands behind "i" is a token's place.
                assert response.context["reason"] == ("token" if slug == "i" and rest else "group")
    assert not Response.objects.exists()


def test_a_group_of_another_survey_is_unknown_here(group: Group) -> None:
    other = make_open()
    assert Client().post(f"/s/{other.code}/{group.slug}/", device()).status_code == 404
    assert not Response.objects.exists()


def test_links_in_small_or_capital_letters_lead_to_the_one_address(
    client: Client, survey: Survey, group: Group
) -> None:
    response = client.get(f"/s/{survey.code.lower()}/Monday-Class/own-coin/")
    assert (response.status_code, response["Location"]) == (302, f"/s/{survey.code}/monday-class/own-coin/")


def test_a_renamed_group_is_shown_by_its_new_name(client: Client, survey: Survey, group: Group) -> None:
    assert "Monday class" in text_of(client.get(f"/s/{survey.code}/monday-class/own-coin/"))
    rename_group(group=group, name="Tuesday class")
    text = text_of(client.get(f"/s/{survey.code}/monday-class/own-coin/"))
    assert "Tuesday class" in text
    assert "Monday class" not in text


def test_one_browser_answers_once_whatever_group_it_comes_by(client: Client, survey: Survey, group: Group) -> None:
    client.post(f"/s/{survey.code}/monday-class/", device())
    for door in ("", "monday-class/"):
        for page in ("", "own-coin/"):
            assert shown(client.get(f"/s/{survey.code}/{door}{page}")) == "already"
        assert client.post(f"/s/{survey.code}/{door}", device("0")).status_code == 409
    assert Response.objects.count() == 1


def test_an_invitation_is_spent_with_the_answer(client: Client, invited: Survey) -> None:
    token = token_of(invited)
    door = f"/s/{invited.code}/i/{token}/"
    assert client.get(door).status_code == 203
    assert client.post(door, device(), headers=BY_SCRIPT).json() == {"receipt": f"{door}receipt/"}
    assert (Response.objects.count(), Invitation.objects.get().spent) == (1, True)
    assert 'class="reports"' in client.get(f"{door}receipt/").content.decode()
    assert shown(client.get(door)) == "already"
    stranger = Client()
    refused = stranger.get(door)
    assert (refused.status_code, refused.context["reason"]) == (410, "spent")
    assert stranger.post(door, device()).status_code == 410
    assert stranger.post(door, device(), headers=BY_SCRIPT).status_code == 410
    assert Response.objects.count() == 1


def test_two_invited_people_may_share_a_device(invited: Survey) -> None:
    browser, first, second = Browser(), token_of(invited), token_of(invited)
    assert browser.open(f"/s/{invited.code}/i/{first}/", device("1")).status_code == 303
    assert browser.open(f"/s/{invited.code}/i/{second}/").status_code == 203
    assert browser.open(f"/s/{invited.code}/i/{second}/", device("0")).status_code == 303
    assert browser.open(f"/s/{invited.code}/i/{first}/", device("0")).status_code == 409
    for token, report in ((first, "Yes"), (second, "No")):
        assert f'<strong dir="auto">{report}</strong>' in text_of(browser.open(f"/s/{invited.code}/i/{token}/receipt/"))
    assert sorted(Response.objects.values_list("reports", flat=True)) == ["0", "1"]


def test_an_invitation_may_come_with_a_group(client: Client, invited: Survey) -> None:
    group = add_group(survey=invited, name="North")
    door = f"/s/{invited.code}/north/i/{token_of(invited)}/"
    assert client.post(f"{door}server/", {"mode": "server", "nonce": new_nonce(), "answer-1": "1"})["Location"] == (
        f"{door}receipt/"
    )
    assert Response.objects.get().group == group


def test_a_lost_answer_may_be_sent_again_though_its_invitation_is_spent(invited: Survey) -> None:
    door, sent = f"/s/{invited.code}/i/{token_of(invited)}/", device()
    for _ in range(3):
        assert Client().post(door, sent, headers=BY_SCRIPT).status_code == 200
    assert Response.objects.count() == 1
    altered = Client().post(door, sent | {"reports": "0"}, headers=BY_SCRIPT)
    assert (altered.status_code, altered.json()["receipt"]) == (409, f"{door}receipt/")
    assert Response.objects.count() == 1


def test_without_an_invitation_one_is_asked_for(client: Client, invited: Survey) -> None:
    add_group(survey=invited, name="North")
    for door in ("", "north/"):
        for rest in ("", "own-coin/", "server/"):
            response = client.get(f"/s/{invited.code}/{door}{rest}")
            assert (response.status_code, response.context["reason"]) == (403, "needed")
        assert client.post(f"/s/{invited.code}/{door}", device(), headers=BY_SCRIPT).status_code == 403
    assert not Response.objects.exists()


@pytest.mark.parametrize("token", ["X", "x" * 26, "A" * 26, "%00", "ſ" * 26, "A" * 500, "own-coin", "\u202e" * 26])
def test_an_unknown_or_malformed_token_is_not_one_of_this_surveys(invited: Survey, token: str) -> None:
    for rest in ("", "own-coin/", "server/"):
        response = Client().get(f"/s/{invited.code}/i/{token}/{rest}", follow=True)
        assert (response.status_code, shown(response)) == (404, "invitation")
        assert response.context["reason"] not in {"needed", "spent"}
    assert Client().post(f"/s/{invited.code}/i/{token}/", device()).status_code == 404
    assert not Response.objects.exists()


def test_a_token_of_another_survey_opens_nothing(invited: Survey) -> None:
    token = token_of(make_open(by_invitation=True))
    assert Client().get(f"/s/{invited.code}/i/{token}/").status_code == 404
    assert Client().post(f"/s/{invited.code}/i/{token}/", device()).status_code == 404
    assert not Response.objects.exists()


def test_a_survey_that_needs_no_invitation_has_no_such_door(invited: Survey, survey: Survey) -> None:
    token = token_of(invited)
    for rest in PAGES:
        response = Client().get(f"/s/{survey.code}/i/{token}/{rest}")
        assert response.status_code == 404
        assert f'href="/s/{survey.code}/"' in text_of(response)
        assert token not in text_of(response)
    assert Client().post(f"/s/{survey.code}/i/{token}/", device()).status_code == 404
    assert not Response.objects.exists()


def test_a_token_in_small_letters_leads_to_the_one_address(client: Client, invited: Survey) -> None:
    token = token_of(invited)
    response = client.get(f"/s/{invited.code}/i/{token.lower()}/")
    assert (response.status_code, response["Location"]) == (302, f"/s/{invited.code}/i/{token}/")


def test_a_closed_survey_says_so_to_whoever_was_invited(invited: Survey) -> None:
    token = token_of(invited)
    close_survey(survey=invited)
    for door in ("", f"i/{token}/", "i/UNKNOWN/"):
        assert shown(Client().get(f"/s/{invited.code}/{door}", follow=True)) == "closed"


def test_cookies_belong_to_the_survey_or_to_the_invitation(survey: Survey, group: Group, invited: Survey) -> None:
    token = token_of(invited)
    doors = {
        f"/s/{survey.code}/": f"/s/{survey.code}/",
        f"/s/{survey.code}/monday-class/": f"/s/{survey.code}/",
        f"/s/{survey.code.lower()}/Monday-Class/": f"/s/{survey.code}/",
        f"/s/{invited.code}/i/{token.lower()}/": f"/s/{invited.code}/i/{token}/",
    }
    for door, path in doors.items():
        client = Client()
        assert client.post(door, device()).status_code == 303
        assert {client.cookies[name]["path"] for name in ("deniable_done", "deniable_receipt")} == {path}


def test_all_pages_of_a_door_link_only_within_it(invited: Survey) -> None:
    token = token_of(invited)
    add_group(survey=invited, name="North")
    for rest in ("", "own-coin/", "server/", "receipt/"):
        text = text_of(Client().get(f"/s/{invited.code}/north/i/{token}/{rest}"))
        assert f'href="/s/{invited.code}/"' not in text
        assert f'action="/s/{invited.code}/"' not in text


def test_the_same_bytes_serve_every_invitation(invited: Survey) -> None:
    """So a single-use link is in no page, and no process keeps pages by link."""
    tokens = [token_of(invited) for _ in range(2)]
    for rest in ("", "own-coin/", "server/"):
        for token in tokens:
            assert token not in Client().get(f"/s/{invited.code}/i/{token}/{rest}").content.decode()


def test_the_ordinary_door_needs_one_query_and_a_group_one_more(
    survey: Survey, group: Group, invited: Survey, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    token = token_of(invited)
    doors = {f"/s/{survey.code}/": 1, f"/s/{survey.code}/monday-class/": 2, f"/s/{invited.code}/i/{token}/": 2}
    for door, queries in doors.items():
        Client().get(door)  # the definition is read once a process
        with django_assert_num_queries(queries):
            Client().get(door)
    for door, queries in list(doors.items())[:2]:
        with django_assert_num_queries(queries + 1):
            Client().post(door, device(), headers=BY_SCRIPT)


@pytest.mark.parametrize("language", ["de", "es", "en"])
def test_pages_speak_the_surveys_language_whatever_the_visitor_asks_for(language: str) -> None:
    survey = make_open(*every_kind(), language=language, server_mode_allowed=True)
    for rest in ("", "own-coin/", "server/", "receipt/", "nosuch/"):
        asked = [
            Client(headers={"Accept-Language": wished}).get(f"/s/{survey.code}/{rest}") for wished in ("fr", "de", "en")
        ]
        for response in asked:
            assert response["Content-Language"] == language
            assert f'<html lang="{language}" dir="ltr">' in response.content.decode()
            assert "Accept-Language" not in response.get("Vary", "")


def test_refusals_are_worded_in_the_surveys_language(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (asked_question, definition, collecting, forms):
        name = "_" if module is collecting else "gettext"
        monkeypatch.setattr(module, name, lambda text: f"{get_language()}: {text}")
    survey = make_open(language="es")
    for fields in (device("9"), device(nonce="x"), {"mode": "own_coin"}, {"mode": "x"}):
        response = Client(headers={"Accept-Language": "de"}).post(f"/s/{survey.code}/", fields, headers=BY_SCRIPT)
        assert response.json()["error"].startswith("es: ")


def test_an_unknown_code_speaks_the_visitors_language() -> None:
    response = Client(headers={"Accept-Language": "de"}).get("/s/ZZZZZZ/")
    assert (response.status_code, response["Content-Language"]) == (404, "de")


def test_an_answer_sent_again_after_the_fold_counts_as_kept(survey: Survey) -> None:
    sent = device("1")
    Client().post(f"/s/{survey.code}/", sent)
    close_survey(survey=survey)
    assert PatternCount.objects.get().count == 1
    later = Client()
    for fields in (sent, sent | {"reports": "0"}):
        response = later.post(f"/s/{survey.code}/", fields, follow=True)
        assert (response.status_code, response.redirect_chain) == (200, [(f"/s/{survey.code}/receipt/", 303)])
        assert "no longer shown on this device" in response.content.decode()
        assert 'class="reports"' not in response.content.decode()
        later = Client()
    assert PatternCount.objects.get().count == 1


def test_a_second_tab_is_led_to_the_receipt_of_the_first_answer(client: Client, survey: Survey) -> None:
    client.post(f"/s/{survey.code}/", device("1"))
    by_tab = [
        ("", device("0")),
        ("", {"mode": "own_coin", "nonce": new_nonce(), "item-1": "1"}),
        ("server/", {"mode": "server", "nonce": new_nonce(), "answer-1": "0"}),
    ]
    for rest, fields in by_tab:
        response = client.post(f"/s/{survey.code}/{rest}", fields, follow=True)
        assert (response.status_code, shown(response)) == (409, "already")
        assert f'href="/s/{survey.code}/receipt/"' in text_of(response)
    script = client.post(f"/s/{survey.code}/", device("0"), headers=BY_SCRIPT)
    assert script.json() == {"error": str(response.context["refusal"]), "receipt": f"/s/{survey.code}/receipt/"}
    assert list(Response.objects.values_list("reports", flat=True)) == ["1"]
    assert '<strong dir="auto">Yes</strong>' in text_of(client.get(f"/s/{survey.code}/receipt/"))


def test_a_page_names_the_group_that_is_stored(client: Client) -> None:
    survey = make_open(yes_no(), server_mode_allowed=True)
    add_group(survey=survey, name="Night shift")
    for rest in ("own-coin/", "server/", ""):
        assert "Night shift" in text_of(client.get(f"/s/{survey.code}/night-shift/{rest}"))
        assert "Night shift" not in text_of(client.get(f"/s/{survey.code}/{rest}"))


@pytest.mark.parametrize("mode", ["device", "own_coin", "server"])
@pytest.mark.parametrize("cookies", ["kept", "lost"])
def test_the_same_form_sent_again_ends_at_the_receipt_of_the_first(survey: Survey, mode: str, cookies: str) -> None:
    fields = {
        "device": device("1"),
        "own_coin": {"mode": "own_coin", "nonce": new_nonce(), "item-1": "1"},
        "server": {"mode": "server", "nonce": new_nonce(), "answer-1": "1"},
    }
    door = f"/s/{survey.code}/{'server/' if mode == 'server' else ''}"
    client = Client()
    client.post(door, fields[mode])
    first = Response.objects.get().reports
    for _ in range(6):
        again = client if cookies == "kept" else Client()
        response = again.post(door, fields[mode], follow=True)
        assert response.status_code == 200
        assert f">{'Yes' if first == '1' else 'No'}</strong>" in text_of(response)
    assert list(Response.objects.values_list("mode", "reports")) == [(mode, first)]


def test_a_failing_database_lets_the_script_send_again(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(**_fields: object) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(collecting, "collect", locked)
    client = Client(raise_request_exception=False)
    response = client.post(f"/s/{survey.code}/", device(), headers=BY_SCRIPT)
    # Its page sends the same again after every 5xx.
    assert (response.status_code, set(response.json())) == (503, {"error"})
    assert "deniable_done" not in client.cookies
