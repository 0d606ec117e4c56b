"""Purging destroys what respondents sent, down to the last count and the last byte, and nothing else."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from surveys.answering.services import collecting
from surveys.common.selectors import definition_of
from surveys.common.totals import response_count
from surveys.course.services import close_survey, purge_survey, seal_survey
from surveys.exporting.words import why_no_figures
from surveys.models import (
    CellCount,
    FoldedPart,
    Invitation,
    LedgerEntry,
    PatternCount,
    Release,
    Response,
    SpentNonces,
    State,
    Survey,
)
from surveys.releases.refusals import Why
from surveys.releases.selectors.doors import releasable_surveys
from surveys.releases.services import request
from surveys.responses.selectors import tally
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.responses.selectors.tally import tally_of
from surveys.responses.services import erasing
from surveys.sharing.services import invite, new_batch
from tests.factories import fill, make_open, send, yes_no
from tests.pages import owner_of, text_of, words_of
from tests.releases.refused import refusing
from tests.releases.setting import make_release, published_release, ready_survey, spent
from tests.security.carving import commits_of, offsets

COUNTS = (Response, SpentNonces, Invitation, PatternCount, FoldedPart, CellCount)
EITHER: dict[str, Callable[[Survey], Survey]] = {
    "closed": lambda survey: survey,
    "sealed": lambda survey: seal_survey(survey=survey),
}


def _closed(**fields: object) -> Survey:
    survey = make_open(yes_no(), yes_no("And again?"), **fields)
    fill(survey, {"10": 9, "01": 8, "-1": 3})
    CellCount.objects.create(survey=survey, first=0, second=0, codes="1", count=20)
    if survey.by_invitation:
        token = invite(survey=survey, number=3, batch=new_batch()).tokens[0]
        send(survey, "11", token=token)
    return close_survey(survey=survey)


def _rows(survey: Survey) -> list[int]:
    return [table.objects.filter(survey=survey).count() for table in COUNTS]  # type: ignore[attr-defined]


@pytest.mark.django_db
@pytest.mark.parametrize("state", EITHER)
def test_every_row_that_respondents_left_is_gone_and_other_surveys_keep_theirs(state: str) -> None:
    survey, other = EITHER[state](_closed(by_invitation=True)), _closed(by_invitation=True)
    kept = _rows(other)
    assert purge_survey(survey=survey).state == State.PURGED
    assert (_rows(survey), _rows(other)) == ([0] * len(COUNTS), kept)
    assert 0 not in (kept[1:5])


@pytest.mark.django_db
@pytest.mark.parametrize("state", EITHER)
def test_the_definition_the_releases_and_the_ledger_stay(state: str) -> None:
    survey = ready_survey()
    published = published_release(survey)
    address = reverse("release", args=[published.pk])
    page, document = Client().get(address).content, survey.document
    before = (list(Release.objects.values()), list(LedgerEntry.objects.values()))
    purged = purge_survey(survey=EITHER[state](close_survey(survey=survey)))
    assert (list(Release.objects.values()), list(LedgerEntry.objects.values())) == before
    assert purged.document == document
    assert (purged.content_hash, purged.title) == (survey.content_hash, survey.title)
    assert Client().get(address).content == page


@pytest.mark.django_db
@pytest.mark.parametrize("state", EITHER)
def test_nothing_more_is_released_and_nothing_is_charged(state: str) -> None:
    survey = ready_survey()
    purge_survey(survey=EITHER[state](close_survey(survey=survey)))
    lines = LedgerEntry.objects.count()
    with refusing(Why.PURGED, match="deleted"):
        make_release(survey)
    assert (Release.objects.count(), LedgerEntry.objects.count()) == (0, lines)


@pytest.mark.django_db
def test_a_release_that_counted_before_the_purge_and_stores_after_it_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    survey = ready_survey()
    close_survey(survey=survey)
    SpentNonces.objects.filter(survey=survey).delete()
    # Its counts are there still, as the release has read them; only the state is the one after.
    Survey.objects.filter(pk=survey.pk).update(state=State.PURGED)
    monkeypatch.setattr(request, "State", SimpleNamespace(SEALED="some other state", PURGED="another"))
    with refusing(Why.PURGED):
        make_release(survey)
    assert (spent(survey), Release.objects.exists()) == (0, False)


@pytest.mark.django_db
def test_a_survey_that_was_counted_in_memory_is_counted_as_empty() -> None:
    """A process keeps what it counted last; a purge in another one leaves that there, where nothing can ask for it."""
    survey = _closed()
    definition = definition_of(survey)
    kept = snapshot_of(survey, definition)
    tally.cells_of(survey, folded=20)
    assert (kept.n, tally.folded_tally.cache_info().currsize) == (20, 1)
    purged = purge_survey(survey=survey)
    for read in (survey, purged):  # the one that was read before it was purged, too
        now = snapshot_of(read, definition)
        assert (now.n, now.received, now.on(0).n, response_count(read)) == (0, 0, 0, 0)
        assert tally_of(read, items=2).n == 0


def test_the_process_that_purges_forgets_what_it_counted(transactional_db: None) -> None:
    survey = _closed()
    snapshot_of(survey, definition_of(survey))
    tally.cells_of(survey, folded=20)
    assert (tally.folded_tally.cache_info().currsize, tally._cells.cache_info().currsize) == (1, 1)
    purge_survey(survey=survey)
    assert (tally.folded_tally.cache_info().currsize, tally._cells.cache_info().currsize) == (0, 0)


@pytest.mark.django_db
def test_a_page_that_sent_before_finds_the_survey_closed(client: Client) -> None:
    survey = make_open()
    nonce = collecting.new_nonce()
    send(survey, "1", nonce=nonce)
    purged = purge_survey(survey=close_survey(survey=survey))
    with pytest.raises(collecting.NotCollecting) as refused:
        send(purged, "1", nonce=nonce)
    assert refused.value.reason == "purged"
    assert client.get(f"/s/{survey.code}/").status_code == 410


RESULTS = (
    "survey-results",
    "survey-figures",
    "survey-results-groups",
    "survey-results-relate",
    "survey-results-regression",
    "survey-results-weights",
    "survey-results-bayes",
    "survey-results-plan",
    "survey-results-methods",
)
REPORTS = (
    "survey-export-csv",
    "survey-export-labels",
    "survey-export-json",
    "survey-export-figures-csv",
    "survey-export-figures-json",
    "survey-export-deposit",
)
PROGRAMS = (
    "survey-export",
    "survey-export-codebook",
    "survey-export-codebook-csv",
    "survey-export-r",
    "survey-export-python",
    "survey-export-notebook",
    "survey-export-spss",
    "survey-export-stata",
    "survey-ethics",
    "survey-detail",
    "survey-groups",
    "survey-share",
    "survey-present",
    "survey-preview",
    "survey-document",
)


@pytest.mark.django_db
def test_every_door_to_results_says_that_the_reports_are_gone() -> None:
    """Asked before as well, so that whatever a process keeps of the survey has been kept."""
    survey = _closed()
    client = owner_of(survey)
    addresses = {name: reverse(name, args=[survey.code]) for name in (*RESULTS, *REPORTS, *PROGRAMS)}
    addresses["survey-results-question"] = reverse("survey-results-question", args=[survey.code, 1])
    before = {name: client.get(address) for name, address in addresses.items()}
    assert {response.status_code for response in before.values()} == {200}
    purge_survey(survey=survey)
    pages = {name: client.get(address) for name, address in addresses.items()}
    for name in (*RESULTS, "survey-results-question"):
        assert pages[name].status_code == 200, name
        if name != "survey-results-plan":
            assert pages[name].context["refusal"] == "purged", name
    purged = Survey.objects.get(pk=survey.pk)
    why = why_no_figures(snapshot_of(purged, definition_of(purged)))
    for name in REPORTS:
        assert pages[name].status_code == 409, name
        assert why in text_of(pages[name]), name
    assert {name: pages[name].status_code for name in PROGRAMS} == dict.fromkeys(PROGRAMS, 200)
    told = "20 people answered"
    assert told in words_of(text_of(before["survey-detail"]))
    assert told not in words_of(text_of(pages["survey-detail"]))


def _files() -> list[Path]:
    name = str(connection.settings_dict["NAME"])
    return [Path(name), Path(name + "-wal")]


@pytest.mark.sqlite
@pytest.mark.parametrize("state", EITHER)
def test_not_a_byte_of_a_report_is_left_in_the_files(transactional_db: None, state: str, tmp_path: Path) -> None:
    questions = [yes_no(f"Question {number}?") for number in range(24)]
    survey, other = make_open(*questions), make_open(*questions)
    sent = [f"{number * 7919 + 5_000_011:024b}" for number in range(20)]
    for report in sent:
        send(survey, report)
    send(other, "1" * 24)
    nonces = [bytes(nonce) for nonce in Response.objects.filter(survey=survey).values_list("nonce_hash", flat=True)]
    closed = EITHER[state](close_survey(survey=survey))
    assert [report for report in sent if not offsets(_files(), report.encode())] == []
    purge_survey(survey=closed)
    assert [report for report in sent if offsets(_files(), report.encode())] == []
    assert [nonce for nonce in nonces if offsets(_files(), nonce)] == []
    assert list(commits_of(_files()[0], tmp_path / "past.sqlite3")) == []
    assert offsets(_files(), b"1" * 24) != []


@pytest.mark.sqlite
def test_a_purge_that_leaves_the_files_as_they_are_is_caught(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted fault: rows are deleted, and stay in the file's free space."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA secure_delete=OFF")
    monkeypatch.setattr(erasing, "overwrite_what_is_deleted", lambda: None)
    monkeypatch.setattr(erasing, "_vacuum", lambda _seconds: True)
    survey = make_open(*(yes_no(f"Question {number}?") for number in range(24)))
    sent = [f"{number * 7919 + 5_000_011:024b}" for number in range(20)]
    for report in sent:
        send(survey, report)
    purge_survey(survey=close_survey(survey=survey))
    assert [report for report in sent if offsets(_files(), report.encode())] != []


@pytest.mark.django_db
def test_a_purged_survey_is_offered_to_nobody_who_releases() -> None:
    survey = ready_survey()
    assert survey in releasable_surveys()
    purge_survey(survey=close_survey(survey=survey))
    assert survey not in releasable_surveys()
