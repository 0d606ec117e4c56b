"""An opened design is frozen, also against raw SQL; tests/releases has the guards of budgets and releases."""

import pytest
from django.db import DatabaseError, connection, transaction

from surveys.models import State, Survey
from surveys.services.surveys import NotAllowedNow, close_survey, open_survey, save_draft
from tests.factories import make_draft, make_open, yes_no

pytestmark = pytest.mark.django_db

FROZEN = [
    "UPDATE surveys_question SET text = 'x' WHERE survey_id = {open}",
    "UPDATE surveys_question SET survey_id = {draft} WHERE survey_id = {open}",
    "UPDATE surveys_question SET survey_id = {open}, position = 9 WHERE survey_id = {draft}",
    "DELETE FROM surveys_question WHERE survey_id = {open}",
    "INSERT INTO surveys_question (survey_id, position, kind, text, options, design, parameters, leave_out)"
    " SELECT survey_id, 2, kind, text, options, design, parameters, leave_out FROM surveys_question"
    " WHERE survey_id = {open}",
    "UPDATE surveys_survey SET title = 'x' WHERE id = {open}",
    "UPDATE surveys_survey SET minimum_n = 5 WHERE id = {open}",
    "UPDATE surveys_survey SET code = 'ABCDEF' WHERE id = {open}",
    "UPDATE surveys_survey SET content_hash = 'x' WHERE id = {open}",
    "UPDATE surveys_survey SET state = 'draft' WHERE id = {open}",
    "UPDATE surveys_survey SET state = 'sealed' WHERE id = {open}",
    "UPDATE surveys_survey SET state = 'sealed' WHERE id = {draft}",
    "DELETE FROM surveys_survey WHERE id = {open}",
]
FROZEN_ON_SQLITE = [
    "INSERT OR REPLACE INTO surveys_question SELECT * FROM surveys_question WHERE survey_id = {open}",
    "UPDATE OR REPLACE surveys_question SET id = (SELECT id FROM surveys_question WHERE survey_id = {open})"
    " WHERE survey_id = {draft}",
    "INSERT OR REPLACE INTO surveys_survey SELECT * FROM surveys_survey WHERE id = {open}",
    "UPDATE OR REPLACE surveys_survey SET code = (SELECT code FROM surveys_survey WHERE id = {open})"
    " WHERE id = {draft}",
]
FROZEN_ON_POSTGRESQL = ["TRUNCATE surveys_question CASCADE", "TRUNCATE surveys_survey CASCADE"]


def _statements() -> list[str]:
    return FROZEN + (FROZEN_ON_SQLITE if connection.vendor == "sqlite" else FROZEN_ON_POSTGRESQL)


def _refused(statement: str) -> bool:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    except DatabaseError as error:
        return (
            "frozen" in str(error)
            or "cannot go" in str(error)
            or "draft" in str(error)
            or "never emptied" in str(error)
        )
    return False


def test_raw_sql_cannot_change_an_opened_design() -> None:
    ids = {"open": make_open().pk, "draft": make_draft().pk}
    connection.check_constraints()  # pending checks would refuse TRUNCATE before the guard does
    passed = [statement for statement in _statements() if not _refused(statement.format(**ids))]
    assert passed == []


def test_the_same_statements_change_a_draft() -> None:
    draft, other = make_draft(), make_draft()
    ids = {"open": draft.pk, "draft": other.pk}
    with connection.cursor() as cursor:
        cursor.execute(FROZEN[0].format(**ids))
        cursor.execute(FROZEN[5].format(**ids))
    draft.refresh_from_db()
    assert (draft.title, draft.questions.get().text) == ("x", "x")


def test_saving_an_opened_survey_as_a_draft_is_refused() -> None:
    survey = make_open()
    with pytest.raises(NotAllowedNow, match="frozen"):
        save_draft(survey=survey, questions=[yes_no("Something else?")], title="Other")
    assert survey.questions.get().text == yes_no().text


def test_a_closed_survey_does_not_open_again() -> None:
    survey = close_survey(survey=make_open())
    with pytest.raises(NotAllowedNow):
        open_survey(survey=survey)
    assert Survey.objects.get(pk=survey.pk).state == State.CLOSED
