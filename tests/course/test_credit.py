"""The key of a survey's receipts: made when it opens, in no draft, file, version or copy, and gone when it ends."""

import secrets
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest
from django.db import connection

from surveys.common.selectors import definition_of, draft_of
from surveys.course.services import (
    begin_next_version,
    close_survey,
    open_survey,
    pause_survey,
    purge_survey,
    seal_survey,
)
from surveys.credit import blind
from surveys.credit.services import modulus_of
from surveys.documents.services.creating import create_from, duplicate, restore_version
from surveys.documents.services.parsing import DocumentRefused
from surveys.documents.services.reading import read_document
from surveys.drafts.selectors import document_of, write_document
from surveys.drafts.services.surveys import NotAllowedNow, save_draft
from surveys.models import (
    CoursePlatform,
    CreditKey,
    Decline,
    Invitation,
    SavedVersion,
    SpentReceipt,
    State,
    Survey,
    WaitingScore,
)
from surveys.models.simulated import TrueShares
from surveys.questionnaire.document import hash_of
from surveys.rehearsing import services as rehearsing
from tests.credit.device import Device, answer, decline
from tests.factories import make_draft, make_open, yes_no

pytestmark = pytest.mark.django_db


def test_opening_freezes_a_key_of_the_surveys_own() -> None:
    one, other = make_open(credit=True), make_open(credit=True)
    keys = [definition_of(survey).credit_key for survey in (one, other)]
    assert len(set(keys)) == 2
    for survey, key in zip((one, other), keys, strict=True):
        survey.refresh_from_db()
        assert survey.questionnaire.credit_key == key
        assert modulus_of(key).bit_length() == blind.BITS


def test_the_key_is_part_of_the_fingerprint() -> None:
    """A server that shows one person another key shows another fingerprint, or one that is not the document's."""
    survey, other = make_open(credit=True), make_open(credit=True)
    survey.refresh_from_db()
    assert survey.content_hash == hash_of(survey.code, survey.document) == definition_of(survey).version
    swapped = replace(survey.questionnaire, credit_key=other.questionnaire.credit_key)
    assert hash_of(survey.code, swapped.text) != survey.content_hash


def test_everybody_is_shown_one_key_and_one_fingerprint() -> None:
    words = {"Exams": "Klausuren", yes_no().text: "Hast du je abgeschrieben?"}
    survey = make_open(credit=True, translations={"de": words})
    definition = definition_of(survey)
    met = [definition, definition.in_language("de"), definition_of(Survey.objects.get(pk=survey.pk))]
    assert len({(each.credit_key, each.version) for each in met}) == 1


def test_a_survey_without_credit_gets_no_key() -> None:
    survey = make_open()
    assert definition_of(survey).credit_key == ""
    assert "credit" not in survey.questionnaire.as_json
    assert not CreditKey.objects.exists()


def test_what_the_owner_looked_at_is_opened_and_no_other_draft() -> None:
    draft = make_draft(credit=True)
    shown = draft_of(draft).version
    save_draft(survey=draft, questions=[yes_no("Another one?")], revision=draft.revision, by=draft.owner, title="Other")
    with pytest.raises(NotAllowedNow):
        open_survey(survey=draft, shown=shown)
    assert not CreditKey.objects.exists()
    draft.refresh_from_db()
    assert (draft.state, draft.questionnaire.credit_key) == (State.DRAFT, "")
    assert open_survey(survey=draft, shown=draft_of(draft).version).questionnaire.credit_key


def test_of_an_opening_that_fails_no_key_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    draft = make_draft(credit=True)

    def fail(*_: object) -> Survey:
        raise RuntimeError("planted")

    monkeypatch.setattr("surveys.course.services._move", fail)
    with pytest.raises(RuntimeError, match="planted"):
        open_survey(survey=draft)
    assert not CreditKey.objects.exists()


def test_pausing_and_opening_again_keep_the_key() -> None:
    survey = make_open(credit=True)
    key = definition_of(survey).credit_key
    again = open_survey(survey=pause_survey(survey=survey))
    assert again.questionnaire.credit_key == key
    assert CreditKey.objects.count() == 1


# Nowhere else.


def _rehearsed(survey: Survey) -> Survey:
    half = TrueShares(answers=((Fraction(1, 2), Fraction(1, 2)),))
    return rehearsing.start(survey=survey, user=survey.owner, respondents=10, shares=[half]).survey


def _restored(survey: Survey) -> Survey:
    draft = begin_next_version(survey=survey)
    version = SavedVersion.objects.filter(survey=draft).latest("number")
    return restore_version(survey=draft, version=version, revision=draft.revision, by=draft.owner)


ELSEWHERE: dict[str, Callable[[Survey], Survey]] = {
    "a copy": lambda survey: duplicate(survey=survey, owner=survey.owner),
    "a file": lambda survey: create_from(owner=survey.owner, content=read_document(document_of(survey))),
    "the next version": lambda survey: begin_next_version(survey=survey),
    "a saved version": _restored,
}


@pytest.mark.parametrize("way", ELSEWHERE)
def test_no_draft_that_is_made_of_an_opened_survey_has_its_key(way: str) -> None:
    survey = make_open(credit=True)
    draft = ELSEWHERE[way](survey)
    draft.refresh_from_db()
    assert draft.questionnaire.credit
    assert draft.questionnaire.credit_key == ""
    assert CreditKey.objects.count() == 1
    assert open_survey(survey=draft).questionnaire.credit_key not in {"", survey.questionnaire.credit_key}


def test_no_file_and_no_saved_version_says_a_key() -> None:
    survey = make_open(credit=True)
    key = survey.questionnaire.credit_key
    written = write_document(document_of(survey)).decode()
    assert '"credit": true' in written
    assert "credit_key" not in written
    assert not [version for version in SavedVersion.objects.all() if key in str(version.document)]


def test_a_rehearsal_gives_no_credit() -> None:
    for survey in (make_draft(credit=True), make_open(credit=True)):
        copy = _rehearsed(survey)
        assert copy.state == State.OPEN
        assert (copy.questionnaire.credit, copy.questionnaire.credit_key) == (False, "")
    assert CreditKey.objects.count() == 1


def test_a_rehearsal_that_is_marked_as_giving_credit_gets_no_key() -> None:
    copy = open_survey(survey=make_draft(credit=True, rehearsal_of=make_draft()))
    assert (copy.questionnaire.credit_key, CreditKey.objects.count()) == ("", 0)


def test_a_file_may_ask_for_credit_and_bring_no_key() -> None:
    document = document_of(make_draft())
    document["survey"]["credit"] = True
    assert read_document(document).fields["credit"] is True
    document["survey"]["credit_key"] = definition_of(make_open(credit=True)).credit_key
    with pytest.raises(DocumentRefused) as refused:
        read_document(document)
    assert [problem.place for problem in refused.value.problems] == ["survey.credit_key"]


# Ending.


@pytest.fixture
def asked() -> Survey:
    """Two have answered and two declined; one receipt is spent, and one score waits."""
    survey = make_open(credit=True)
    for way in (answer, decline):
        for _ in range(2):
            assert way(survey, Device.at(survey)).status_code == 200
    platform = CoursePlatform.objects.create(name="Moodle", issuer="https://moodle.example", client_id="1")
    SpentReceipt.objects.create(survey=survey, receipt_hash=secrets.token_bytes(16))
    WaitingScore.objects.create(
        survey=survey, platform=platform, line_item="https://x", subject="a student", key=secrets.token_bytes(16)
    )
    return survey


def _left(survey: Survey) -> set[str]:
    tables = (CreditKey, Decline, SpentReceipt, WaitingScore, Invitation)
    return {table.__name__ for table in tables if table.objects.filter(survey=survey).exists()}


def test_sealing_destroys_declines_and_the_key_and_keeps_what_was_shown(asked: Survey) -> None:
    other = make_open(credit=True)
    decline(other, Device.at(other))
    closed = close_survey(survey=asked)
    assert _left(asked) == {"CreditKey", "Decline", "SpentReceipt", "WaitingScore"}
    sealed = seal_survey(survey=closed)
    assert _left(asked) == {"SpentReceipt", "WaitingScore"}
    assert definition_of(sealed).credit_key
    assert _left(other) == {"CreditKey", "Decline"}


@pytest.mark.parametrize("sealing", [True, False])
def test_purging_destroys_all_of_it(asked: Survey, sealing: bool) -> None:
    closed = close_survey(survey=asked)
    purge_survey(survey=seal_survey(survey=closed) if sealing else closed)
    assert _left(asked) == set()
    assert CoursePlatform.objects.exists()


@pytest.mark.sqlite
def test_sqlite_finds_no_fault_in_their_tables_as_every_backup_asks(asked: Survey) -> None:
    """Of a table without row numbers SQLite 3.40 says that there are NULLs where the key is not its first column."""
    assert _left(asked) == {"CreditKey", "Decline", "SpentReceipt", "WaitingScore"}
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA integrity_check")
        assert cursor.fetchall() == [("ok",)]
        cursor.execute("CREATE TABLE planted (survey_id bigint NOT NULL, hash BLOB NOT NULL PRIMARY KEY) WITHOUT ROWID")
        cursor.execute("INSERT INTO planted SELECT survey_id, nonce_hash FROM surveys_decline")
        cursor.execute("PRAGMA integrity_check")
        found = cursor.fetchall()
    assert found != [("ok",)] or sqlite3.sqlite_version_info >= (3, 41)
