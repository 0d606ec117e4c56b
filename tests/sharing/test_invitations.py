"""The pages of invitations: made in batches, shown once, counted so that nobody sees a single one being used."""

import csv
import io
import re
from functools import partial

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from surveys.answering.selectors import invitation_state
from surveys.course.services import close_survey, seal_survey
from surveys.drafts.services.groups import add_group
from surveys.models import Invitation, Survey
from surveys.sharing.services import invite, new_batch
from tests.factories import make_draft, make_open, send
from tests.pages import owner_of, page_of, signed_in, text_of

pytestmark = pytest.mark.django_db

WRONG_NUMBERS = ["", "abc", "1.5", "9" * 5000, "0", "-3", "2001", "1000000000"]


@pytest.fixture
def survey() -> Survey:
    return make_open(by_invitation=True, minimum_n=5)


def _post(
    survey: Survey,
    number: str = "3",
    *,
    batch: str = "",
    sheet: str = "",
    csv_file: bool = False,
    client: object = None,
) -> HttpResponse:
    address = reverse("survey-invitations-csv" if csv_file else "survey-invitations", args=[survey.code])
    fields = {"number": number, "batch": batch or new_batch(), "sheet": sheet}
    sender = client if isinstance(client, Client) else owner_of(survey)
    response = sender.post(address, fields)
    assert isinstance(response, HttpResponse)
    return response


_page = partial(page_of, "survey-invitations")


def _tokens(text: str) -> list[str]:
    return re.findall(r"/i/([A-Z2-9]{26})/", text)


def _table(response: HttpResponse) -> list[list[str]]:
    return list(csv.reader(io.StringIO(response.content.decode())))


def test_a_batch_becomes_cards_with_links_that_work(survey: Survey) -> None:
    response = _post(survey, "3")
    page = text_of(response)
    tokens = _tokens(page)
    assert response.status_code == 200
    assert len(set(tokens)) == page.count("<svg") == 3
    assert [invitation_state(survey, token) for token in tokens] == ["unused"] * 3
    assert f"testserver/s/{survey.code}/i/{tokens[0]}/" in page
    assert "style" not in page[page.index("<svg") :]


def test_the_links_are_shown_once(survey: Survey) -> None:
    token = _tokens(text_of(_post(survey, "1")))[0]
    assert token not in _page(survey)
    assert "no-store" in _post(survey)["Cache-Control"]


def test_a_reloaded_page_shows_the_same_cards_and_makes_no_more(survey: Survey) -> None:
    batch = new_batch()
    first, again = (_post(survey, "3", batch=batch) for _ in range(2))
    assert _tokens(text_of(first)) == _tokens(text_of(again))
    assert [vars(page)["context"]["repeated"] for page in (first, again)] == [False, True]
    assert Invitation.objects.count() == 3


def test_the_table_holds_the_cards_in_their_order(survey: Survey) -> None:
    batch = new_batch()
    tokens = _tokens(text_of(_post(survey, "4", batch=batch)))
    response = _post(survey, "4", batch=batch, csv_file=True)
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response["Content-Disposition"] == f'attachment; filename="invitations-{survey.code}.csv"'
    head, *rows = _table(response)
    assert head == ["invitation", "link"]
    assert rows == [[token, f"http://testserver/s/{survey.code}/i/{token}/"] for token in tokens]
    assert Invitation.objects.count() == 4


def test_invitations_of_a_group_lead_to_it(survey: Survey) -> None:
    assert 'name="group"' not in _page(survey)
    add_group(survey=survey, name="Monday")
    assert '<option value="monday">Monday</option>' in _page(survey)
    batch, client = new_batch(), owner_of(survey)
    fields = {"number": "2", "batch": batch, "group": "monday"}
    page = text_of(client.post(reverse("survey-invitations", args=[survey.code]), fields))
    assert all(f"/s/{survey.code}/monday/i/{token}/" in page for token in _tokens(page))
    assert 'name="group" value="monday"' in page
    table = client.post(reverse("survey-invitations-csv", args=[survey.code]), fields).content.decode()
    assert table.count(f"/s/{survey.code}/monday/i/") == 2
    refused = client.post(reverse("survey-invitations", args=[survey.code]), fields | {"group": "nosuch"})
    assert (refused.status_code, Invitation.objects.count()) == (422, 2)
    assert 'href="#id_group"' in text_of(refused)


def test_a_large_batch_is_shown_in_sheets(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("surveys.sharing.views.CARDS_A_SHEET", 4)
    batch = new_batch()
    sheets = [_tokens(text_of(_post(survey, "10", batch=batch, sheet=sheet))) for sheet in ("", "2", "3", "99")]
    assert [len(tokens) for tokens in sheets] == [4, 4, 2, 2]
    assert len({token for tokens in sheets for token in tokens}) == 10
    page = text_of(_post(survey, "10", batch=batch, sheet="2"))
    assert re.findall(r'name="sheet" value="(\d)"', page) == ["1", "2", "3"]
    assert 'value="2" aria-current="page"' in page


@pytest.mark.parametrize("csv_file", [False, True])
@pytest.mark.parametrize("number", WRONG_NUMBERS, ids=lambda number: number[:12])
def test_a_number_that_cannot_be_is_refused_at_its_field_and_nothing_is_made(
    survey: Survey, number: str, csv_file: bool
) -> None:
    response = _post(survey, number, csv_file=csv_file)
    page = text_of(response)
    assert response.status_code == 422
    assert "<title>Error:" in page
    (message,) = re.findall(r'<a href="#id_number">([^<]+)</a>', page)
    assert page.count(message) >= 2
    assert ("2,000" in message) == bool(re.fullmatch(r"-?\d{1,10}", number))
    assert Invitation.objects.count() == 0


@pytest.mark.parametrize("batch", ["x", "x" * 23, "<b>" + "x" * 19, "x" * 21 + "\0"])
def test_a_damaged_page_is_refused_and_makes_nothing(survey: Survey, batch: str) -> None:
    response = _post(survey, batch=batch)
    assert (response.status_code, len(vars(response)["context"]["problems"])) == (422, 1)
    assert Invitation.objects.count() == 0


@pytest.mark.parametrize("sheet", ["0", "-1", "x"])
def test_a_sheet_that_cannot_be_is_refused(survey: Survey, sheet: str) -> None:
    assert _post(survey, sheet=sheet).status_code == 422


def test_a_survey_that_is_open_to_all_takes_no_invitations() -> None:
    for survey in (make_draft(), make_open()):
        assert 'name="number"' not in _page(survey)
        # What can still be done: tick a box in the draft, or write a new survey.
        assert (reverse("survey-edit", args=[survey.code]) in _page(survey)) == survey.is_draft
        client = owner_of(survey)
        for csv_file in (False, True):
            assert _post(survey, client=client, csv_file=csv_file).status_code == 302
            shown = client.get(reverse("survey-invitations", args=[survey.code]))
            assert [message.level_tag for message in shown.context["messages"]] == ["warning"]
    assert Invitation.objects.count() == 0


def test_a_stranger_makes_none(survey: Survey) -> None:
    for csv_file in (False, True):
        assert _post(survey, client=signed_in(), csv_file=csv_file).status_code == 404
    assert Invitation.objects.count() == 0


def test_uses_are_shown_in_steps_and_exactly_in_the_end(survey: Survey) -> None:
    assert _tally(survey) == ""
    tokens = invite(survey=survey, number=12, batch=new_batch()).tokens
    tallies = []
    for token in tokens[:6]:
        tallies.append(_tally(survey))
        send(survey, "1", token=token)
    # Looking before and after somebody answers shows no change but at every fifth.
    fewer, more = tallies[0], tallies[-1]
    assert tallies == [fewer] * 5 + [more]
    assert fewer != more == _tally(survey)
    assert [re.findall(r"\d+", tally) for tally in (fewer, more)] == [["5", "12"]] * 2
    closed = close_survey(survey=survey)
    assert re.findall(r"\d+", _tally(closed)) == ["6", "12"]
    assert 'name="number"' not in _page(closed)


def _tally(survey: Survey) -> str:
    """Return how many invitations have been used, as the page shows it."""
    return _page(survey).partition('<p class="tally">')[2].partition("</p>")[0]


def test_a_sealed_surveys_invitations_are_deleted(survey: Survey) -> None:
    invite(survey=survey, number=2, batch=new_batch())
    sealed = seal_survey(survey=close_survey(survey=survey))
    assert not Invitation.objects.exists()
    assert _tally(sealed) == ""
    assert 'name="number"' not in _page(sealed)
