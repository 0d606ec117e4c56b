"""What is accepted from a respondent, what is refused, and what is stored then: one row or nothing."""

import re

import pytest
from django.http import HttpResponse
from django.test import Client

from surveys.answering.services.collecting import new_nonce
from surveys.answering.views.arms import signature_of
from surveys.common.selectors import definition_of
from surveys.course.services import close_survey, pause_survey
from surveys.models import PatternCount, Response, Survey
from surveys.releases.services.releasing import publish
from tests.factories import fill, make_open, one_of, yes_no
from tests.pages import text_of
from tests.releases.setting import make_release, ready_survey

pytestmark = pytest.mark.django_db

NONCE = "abcdefghijklmnopqrstuv"
BY_SCRIPT = {"Accept": "application/json"}


@pytest.fixture
def survey() -> Survey:
    """Yes/no that may be left out; one of three that may not."""
    return make_open(yes_no(), one_of(["Never", "Once", "Often"]), server_mode_allowed=True)


def device(reports: str = "12", **changes: str) -> dict[str, str]:
    return {"mode": "device", "nonce": NONCE, "reports": reports} | changes


def in_arm(survey: Survey, number: int | str, nonce: str = NONCE) -> dict[str, str]:
    """Return what the page with this nonce says of its arm."""
    signature = signature_of(definition_of(survey).in_arm(int(number)), nonce)
    return {"nonce": nonce, "arm": f"{number}.{signature}"}


def own_coin(first: str = "1", second: str = "2", **changes: str) -> dict[str, str]:
    return {"mode": "own_coin", "nonce": NONCE, "item-1": first, "item-2": second} | changes


def server(first: str = "1", second: str = "2", **changes: str) -> dict[str, str]:
    return {"mode": "server", "nonce": NONCE, "answer-1": first, "answer-2": second} | changes


def shown(response: object) -> str:
    """Return the name of a respondent's page: already, closed, invitation, nowhere, refused …"""
    return str(vars(response)["templates"][0].name).removeprefix("answering/").removesuffix(".html")


def stored() -> list[tuple[str, str]]:
    """All that is stored, folded or not."""
    folded = [(row.mode, row.reports) for row in PatternCount.objects.all() for _ in range(row.count)]
    return [*Response.objects.values_list("mode", "reports"), *folded]


def test_the_devices_reports_become_one_row(client: Client, survey: Survey) -> None:
    response = client.post(f"/s/{survey.code}/", device("12"), headers=BY_SCRIPT)
    assert (response.status_code, response.json()) == (200, {"receipt": f"/s/{survey.code}/receipt/"})
    assert stored() == [("device", "12")]


def test_real_coins_become_one_row_and_lead_to_the_receipt(client: Client, survey: Survey) -> None:
    response = client.post(f"/s/{survey.code}/", own_coin("-", "1"))
    assert (response.status_code, response["Location"]) == (303, f"/s/{survey.code}/receipt/")
    assert stored() == [("own_coin", "-1")]


def test_sending_twice_stores_once_and_gives_the_same_receipt(survey: Survey) -> None:
    answers = [Client().post(f"/s/{survey.code}/", device(), headers=BY_SCRIPT) for _ in range(3)]
    assert [answer.json() for answer in answers] == [{"receipt": f"/s/{survey.code}/receipt/"}] * 3
    assert stored() == [("device", "12")]


def test_the_same_nonce_with_other_reports_is_refused_and_leads_to_the_receipt_of_the_first(survey: Survey) -> None:
    Client().post(f"/s/{survey.code}/", device("12"))
    response = Client().post(f"/s/{survey.code}/", device("02"))
    assert (response.status_code, shown(response)) == (409, "already")
    assert f'href="/s/{survey.code}/receipt/"' in response.content.decode()
    assert stored() == [("device", "12")]


REFUSED = {
    "a truth beside the reports": device(truth="1"),
    "a truth under its control's name": device(**{"truth-1": "1"}),
    "a server-mode field on the device page": device(**{"answer-1": "1"}),
    "no reports": {"mode": "device", "nonce": NONCE},
    "too few reports": device("1"),
    "too many reports": device("120"),
    "a code out of range": device("13"),
    "a letter": device("1x"),
    "a NUL byte": device("1\0"),
    "a digit of another script": device("1١"),
    "leaving out what must be answered": device("1-"),
    "a list": device("[1,2]"),
    "no mode": {"nonce": NONCE, "reports": "12"},
    "an unknown mode": device(mode="telepathy"),
    "server mode by the device's door": device(mode="server"),
    "no nonce": {"mode": "device", "reports": "12"},
    "a short nonce": device(nonce="short"),
    "a long nonce": device(nonce=NONCE + "x"),
    "a nonce with NUL": device(nonce=NONCE[:-1] + "\0"),
    "a nonce with a line end": device(nonce=NONCE + "\n"),
    "an empty item": own_coin(""),
    "an item of two codes": own_coin("11"),
    "an item out of range": own_coin("2"),
    "a missing item": {"mode": "own_coin", "nonce": NONCE, "item-1": "1"},
    "an extra item": own_coin(**{"item-3": "1"}),
    "reports beside items": own_coin(reports="12"),
}


@pytest.mark.parametrize("fields", REFUSED.values(), ids=REFUSED.keys())
def test_what_no_page_of_ours_sends_is_refused_and_not_stored(
    client: Client, survey: Survey, fields: dict[str, str]
) -> None:
    for headers in ({}, BY_SCRIPT):
        assert client.post(f"/s/{survey.code}/", fields, headers=headers).status_code == 400
        assert stored() == []
        assert "deniable_done" not in client.cookies


REFUSED_BY_SERVER_MODE = {
    "reports beside answers": server(reports="12"),
    "another mode": server(mode="device"),
    "no answer": server(""),
    "an answer out of range": server("2"),
    "a negative answer": server("-1"),
    "leaving out what must be answered": server("1", "-"),
    "a missing answer": {"mode": "server", "nonce": NONCE, "answer-1": "1"},
    "an extra answer": server(**{"answer-3": "1"}),
    "a bad nonce": server(nonce="x"),
}


@pytest.mark.parametrize("fields", REFUSED_BY_SERVER_MODE.values(), ids=REFUSED_BY_SERVER_MODE.keys())
def test_server_mode_refuses_what_its_page_does_not_send(
    client: Client, survey: Survey, fields: dict[str, str]
) -> None:
    assert client.post(f"/s/{survey.code}/server/", fields, follow=True).status_code == 400
    assert stored() == []


def test_a_megabyte_is_refused(client: Client, survey: Survey) -> None:
    assert client.post(f"/s/{survey.code}/", device("1" * 1_000_000)).status_code == 400
    body = "mode=device&reports=" + "1" * 1_000_000
    encoded = "application/x-www-form-urlencoded"
    assert client.post(f"/s/{survey.code}/", body, content_type=encoded).status_code == 400
    assert stored() == []


def test_json_and_garbage_bodies_are_refused(client: Client, survey: Survey) -> None:
    for body, kind in (
        ('{"mode":"device"}', "application/json"),
        (b"\xff\x00\xfe", "application/x-www-form-urlencoded"),
    ):
        assert client.post(f"/s/{survey.code}/", body, content_type=kind).status_code == 400
    assert stored() == []


def test_a_refusal_never_repeats_what_was_posted(client: Client, survey: Survey) -> None:
    response = client.post(f"/s/{survey.code}/", device(**{"my-true-answer": "CANARY"}))
    assert "CANARY" not in response.content.decode()
    assert "my-true-answer" not in response.content.decode()


def test_an_unfinished_own_coin_form_comes_back_with_what_was_tapped(client: Client, survey: Survey) -> None:
    response = client.post(f"/s/{survey.code}/", own_coin("1", ""))
    html = text_of(response)
    assert "<title>Error: " in html
    ((field, problem),) = response.context["problems"].items()
    assert field == "item-2"
    assert f'<a href="#item-2">{problem}</a>' in html
    assert html.count(problem) == 2  # in the summary, and at the question
    assert re.findall(r'name="([^"]+)" value="(.)"[^>]* checked', html) == [("item-1", "1")]


def test_an_unfinished_server_form_never_gives_a_true_answer_back(client: Client, survey: Survey) -> None:
    response = client.post(f"/s/{survey.code}/server/", server("1", ""), follow=True)
    assert list(response.context["problems"]) == ["answer-2"]
    assert " checked" not in response.content.decode()


def test_a_paused_closed_or_full_survey_takes_nothing(client: Client, survey: Survey) -> None:
    pause_survey(survey=survey)
    assert client.post(f"/s/{survey.code}/", device()).status_code == 403
    close_survey(survey=survey)
    assert client.post(f"/s/{survey.code}/", device(), headers=BY_SCRIPT).status_code == 410
    assert client.post(f"/s/{survey.code}/server/", server(), follow=True).status_code == 410
    assert stored() == []
    full = make_open(response_cap=1)
    fill(full, {"1": 1})
    response = client.post(f"/s/{full.code}/", device("1"))
    assert (response.status_code, response.context["reason"]) == (410, "full")
    assert stored() == [("device", "1")]


def test_unknown_codes_take_nothing(client: Client) -> None:
    assert client.post("/s/ZZZZZZ/", device()).status_code == 404
    assert client.post("/s/%00/", device()).status_code == 404


def test_success_sets_two_short_cookies_for_this_survey_only(client: Client, survey: Survey) -> None:
    client.post(f"/s/{survey.code}/", device("-2"))
    done, receipt = client.cookies["deniable_done"], client.cookies["deniable_receipt"]
    assert (done.value, done["max-age"]) == ("1", 30 * 24 * 3600)
    assert (receipt.value, receipt["max-age"]) == ("device.-2", 600)
    for cookie in (done, receipt):
        assert (cookie["path"], cookie["samesite"]) == (f"/s/{survey.code}/", "Lax")
        assert cookie["httponly"]


def test_the_receipt_repeats_what_arrived_in_words(client: Client) -> None:
    survey = make_open(yes_no("A?"), one_of(["Never", "Once"], "B?"), support="Room 12, https://example.org")
    client.post(f"/s/{survey.code}/", device("-1"))
    html = client.get(f"/s/{survey.code}/receipt/").content.decode()
    assert '<li><bdi>A?</bdi> <strong dir="auto">skipped</strong></li>' in html
    assert '<li><bdi>B?</bdi> <strong dir="auto">Once</strong></li>' in html
    assert '<a href="https://example.org"' in html


def test_the_receipt_leads_to_a_result_once_one_was_published_and_to_none_before(client: Client) -> None:
    survey = ready_survey(None, yes_no())
    client.post(f"/s/{survey.code}/", device("1"))
    receipt = f"/s/{survey.code}/receipt/"
    drawn = make_release(survey)
    assert "/r/" not in client.get(receipt).content.decode()
    publish(release=drawn, user=drawn.created_by)
    assert f'href="/r/{drawn.pk}/"' in client.get(receipt).content.decode()


def _shows_reports(response: HttpResponse) -> bool:
    return 'class="reports"' in response.content.decode()


def test_the_receipt_is_shown_once_and_the_browser_then_keeps_no_report(client: Client, survey: Survey) -> None:
    client.post(f"/s/{survey.code}/", device("12"))
    client.head(f"/s/{survey.code}/receipt/")
    assert _shows_reports(client.get(f"/s/{survey.code}/receipt/"))
    kept = client.cookies["deniable_receipt"]
    assert (kept.value, kept["max-age"], kept["path"]) == ("", 0, f"/s/{survey.code}/")
    again = client.get(f"/s/{survey.code}/receipt/")
    assert not _shows_reports(again)
    assert "no longer shown on this device" in again.content.decode()
    assert client.cookies["deniable_done"].value == "1"


@pytest.mark.parametrize(
    "value", ["", "1", "device", "device.", "device.19", "server.1", "x.12", ".12", "zz", "<b>", "1" * 300]
)
def test_a_damaged_receipt_cookie_gives_the_general_receipt(client: Client, survey: Survey, value: str) -> None:
    client.post(f"/s/{survey.code}/", device())
    client.cookies["deniable_receipt"] = value
    response = client.get(f"/s/{survey.code}/receipt/")
    assert response.status_code == 200
    assert not _shows_reports(response)
    assert "no longer shown on this device" in response.content.decode()


def test_nobody_gets_a_receipt_for_nothing(client: Client, survey: Survey) -> None:
    receipt = client.get(f"/s/{survey.code}/receipt/")
    assert not _shows_reports(receipt)
    assert "Nothing was received from this browser" in receipt.content.decode()


def test_a_receipt_is_made_once_and_each_shows_its_own_reports(client: Client, survey: Survey) -> None:
    shown = []
    for reports in ("12", "21", "12"):
        client.cookies.clear()
        client.post(f"/s/{survey.code}/", device(reports))
        shown.append(client.get(f"/s/{survey.code}/receipt/").content.decode())
    assert shown[0] == shown[2] != shown[1]


def test_a_double_click_in_server_mode_ends_at_the_receipt_of_the_first(client: Client) -> None:
    survey = make_open(*[yes_no(f"Q{number}?") for number in range(12)], server_mode_allowed=True)
    fields = {"nonce": new_nonce(), "mode": "server"} | {f"answer-{number}": "1" for number in range(1, 13)}
    Client().post(f"/s/{survey.code}/server/", fields)
    stored = Response.objects.get().reports
    # Chance falls differently the second time (the same once in 16 million), and the first answer's cookies were lost.
    second = client.post(f"/s/{survey.code}/server/", fields, follow=True)
    assert Response.objects.get().reports == stored
    words = [{"Yes": "1", "No": "0"}[word] for word in re.findall(">(Yes|No)</strong>", second.content.decode())]
    assert "".join(words) == stored
    assert shown(client.get(f"/s/{survey.code}/")) == "already"


def test_a_second_person_at_the_same_browser_gets_no_receipt_for_what_was_not_stored(survey: Survey) -> None:
    """Their page was open before the first sent; equal reports from another page are no resend."""
    client = Client()
    assert client.post(f"/s/{survey.code}/", device("12"), headers=BY_SCRIPT).status_code == 200
    response = client.post(f"/s/{survey.code}/", device("12", nonce=new_nonce()), headers=BY_SCRIPT)
    assert (response.status_code, "error" in response.json()) == (409, True)
    assert stored() == [("device", "12")]
