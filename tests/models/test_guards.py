"""An opened design is frozen, also against raw SQL; tests/releases has the guards of budgets and releases."""

import pytest
from django.db import connection

from surveys.course.services import close_survey, purge_survey, seal_survey
from surveys.drafts.services.surveys import NotAllowedNow, save_draft
from surveys.models import (
    CellCount,
    CreditKey,
    Decline,
    FoldedPart,
    Invitation,
    PatternCount,
    Response,
    SpentNonces,
    Survey,
)
from tests.factories import fill, make_budget, make_draft, make_open, send, yes_no
from tests.models.statements import passing, refusal_of

pytestmark = pytest.mark.django_db

COLUMNS = ", ".join(field.column for field in Survey._meta.local_concrete_fields if not field.generated)
OTHER = "REPLACE(document, 'Exams', 'x')"
FROZEN = [
    f"UPDATE surveys_survey SET document = {OTHER} WHERE id = {{open}}",  # noqa: S608 - of this file
    "UPDATE surveys_survey SET document = (SELECT document FROM surveys_survey WHERE id = {draft}) || ' '"
    " WHERE id = {open}",
    "UPDATE surveys_survey SET code = 'ABCDEF' WHERE id = {open}",
    "UPDATE surveys_survey SET content_hash = 'x' WHERE id = {open}",
    "UPDATE surveys_survey SET state = 'draft' WHERE id = {open}",
    "UPDATE surveys_survey SET state = 'sealed' WHERE id = {open}",
    "UPDATE surveys_survey SET state = 'sealed' WHERE id = {draft}",
    "DELETE FROM surveys_survey WHERE id = {open}",
]
FROZEN_ON_SQLITE = [
    f"INSERT OR REPLACE INTO surveys_survey ({COLUMNS}) SELECT {COLUMNS} FROM surveys_survey WHERE id = {{open}}",  # noqa: S608 - of this file
    "UPDATE OR REPLACE surveys_survey SET id = {open} WHERE id = {draft}",
    "UPDATE OR REPLACE surveys_survey SET code = (SELECT code FROM surveys_survey WHERE id = {open})"
    " WHERE id = {draft}",
]
FROZEN_ON_POSTGRESQL = ["TRUNCATE surveys_survey CASCADE"]


def _statements() -> list[str]:
    return FROZEN + (FROZEN_ON_SQLITE if connection.vendor == "sqlite" else FROZEN_ON_POSTGRESQL)


def test_raw_sql_cannot_change_an_opened_design() -> None:
    ids = {"open": make_open().pk, "draft": make_draft().pk}
    connection.check_constraints()  # pending checks would refuse TRUNCATE before the guard does
    statements = [statement.format(**ids) for statement in _statements()]
    assert passing(statements, "frozen", "cannot go", "draft", "never emptied") == {}


def test_the_same_statements_change_a_draft() -> None:
    draft, other = make_draft(), make_draft()
    ids = {"open": draft.pk, "draft": other.pk}
    with connection.cursor() as cursor:
        cursor.execute(FROZEN[0].format(**ids))
    draft.refresh_from_db()
    assert draft.title == draft.questionnaire.title == "x"


def test_saving_an_opened_survey_as_a_draft_is_refused() -> None:
    survey = make_open()
    with pytest.raises(NotAllowedNow, match="has been opened"):
        save_draft(survey=survey, questions=[yes_no("Something else?")], title="Other")
    assert survey.questions[0].text == yes_no().text


def test_what_a_survey_is_a_version_of_never_changes() -> None:
    survey, other = make_draft(), make_open()
    for column, value in (("previous_id", other.pk), ("rehearsal_of_id", other.pk), ("edition", 7)):
        statement = f"UPDATE surveys_survey SET {column} = {value} WHERE id = {survey.pk}"  # noqa: S608 - of this file
        assert "never changes" in refusal_of(statement), column


# Of a purged survey nothing is counted again, and it comes back from nowhere.
INTO_A_PURGED_SURVEY = [
    "INSERT INTO surveys_response (survey_id, mode, reports, nonce_hash) VALUES ({purged}, 'device', '1', {bytes})",
    "INSERT INTO surveys_spentnonces (survey_id, prefix, hashes) VALUES ({purged}, {bytes}, {bytes})",
    "INSERT INTO surveys_invitation (survey_id, token_hash, spent) VALUES ({purged}, {bytes}, FALSE)",
    "INSERT INTO surveys_decline (survey_id, nonce_hash) VALUES ({purged}, {bytes})",
    "INSERT INTO surveys_patterncount (survey_id, mode, reports, count) VALUES ({purged}, 'device', '0', 1)",
    "INSERT INTO surveys_foldedpart (survey_id, mode, count, patterns) VALUES ({purged}, 'server', 1, 1)",
    "INSERT INTO surveys_cellcount (survey_id, first, second, codes, count) VALUES ({purged}, 0, 0, '1', 1)",
    "UPDATE surveys_response SET survey_id = {purged} WHERE survey_id = {open}",
    "UPDATE surveys_spentnonces SET survey_id = {purged} WHERE survey_id = {open}",
    "UPDATE surveys_invitation SET survey_id = {purged} WHERE survey_id = {open}",
    "UPDATE surveys_patterncount SET survey_id = {purged} WHERE survey_id = {open}",
    "UPDATE surveys_foldedpart SET survey_id = {purged} WHERE survey_id = {open}",
    "UPDATE surveys_cellcount SET survey_id = {purged} WHERE survey_id = {open}",
    "UPDATE surveys_survey SET state = 'sealed' WHERE id = {purged}",
    "UPDATE surveys_survey SET state = 'closed' WHERE id = {purged}",
    "UPDATE surveys_survey SET state = 'open' WHERE id = {purged}",
    "UPDATE surveys_survey SET state = 'draft' WHERE id = {purged}",
    f"UPDATE surveys_survey SET document = {OTHER} WHERE id = {{purged}}",  # noqa: S608 - of this file
    "DELETE FROM surveys_survey WHERE id = {purged}",
    "INSERT INTO surveys_release (id, survey_id, mechanism, relation, micro_epsilon, pico_delta, data_version,"
    " request_key, created_by_id, created_at, exact_figures, published) SELECT 'x', {purged}, 'laplace_histogram',"
    " 'CHANGE_ONE', 1, 0, '0', {key}, owner_id, created_at, 'shown', FALSE FROM surveys_survey WHERE id = {purged}",
]
# A survey gets there from closed or sealed only, and not while rows of people are left; until then counts stay.
ON_THE_WAY = [
    "UPDATE surveys_survey SET state = 'purged' WHERE id = {draft}",
    "UPDATE surveys_survey SET state = 'purged' WHERE id = {open}",
    "UPDATE surveys_survey SET state = 'purged' WHERE id = {closed}",
    "DELETE FROM surveys_patterncount WHERE survey_id = {sealed}",
    "DELETE FROM surveys_foldedpart WHERE survey_id = {sealed}",
    "DELETE FROM surveys_cellcount WHERE survey_id = {pairs}",
    "INSERT INTO surveys_spentnonces (survey_id, prefix, hashes) VALUES ({sealed}, {bytes}, {bytes})",
    "INSERT INTO surveys_invitation (survey_id, token_hash, spent) VALUES ({sealed}, {bytes}, FALSE)",
    "UPDATE surveys_response SET survey_id = {sealed} WHERE survey_id = {open}",
]
ON_SQLITE = [
    "INSERT OR REPLACE INTO surveys_patterncount (id, survey_id, mode, reports, count)"
    " SELECT id, {purged}, mode, reports, count FROM surveys_patterncount WHERE survey_id = {open}",
    f"INSERT OR REPLACE INTO surveys_survey ({COLUMNS}) SELECT {COLUMNS} FROM surveys_survey WHERE id = {{purged}}",  # noqa: S608 - of this file
    "UPDATE OR REPLACE surveys_survey SET state = 'purged' WHERE id = {open}",
]
PURGE = "UPDATE surveys_survey SET state = 'purged' WHERE id = {}"
WORDS = ("final", "cannot go", "frozen", "destroyed", "purged", "counts the same", "draft", "stays spent")


def _surveys() -> dict[str, object]:
    """Return the keys of surveys in every state that matters, each with rows to lose."""
    opened, closed = make_open(), make_open()
    fill(opened, {"1": 7})
    send(opened, "1")
    send(closed, "1")
    for survey in (opened, closed):
        CellCount.objects.create(survey=survey, first=0, second=0, codes="1", count=7)
        Invitation.objects.create(survey=survey, token_hash=bytes([survey.pk % 256]) * 16)
    ended = [make_open(), make_open(), make_open()]
    for survey in ended:
        fill(survey, {"0": 3, "1": 4})
        make_budget(survey)
    sealed, pairs, purged = (
        seal_survey(survey=close_survey(survey=survey), pairs_only=survey is ended[1]) for survey in ended
    )
    purge_survey(survey=purged)
    return {
        "draft": make_draft().pk,
        "open": opened.pk,
        "closed": close_survey(survey=closed).pk,
        "sealed": sealed.pk,
        "pairs": pairs.pk,  # sealed too, and holding cells
        "purged": purged.pk,
        "bytes": "X'00'" if connection.vendor == "sqlite" else "'x'::bytea",
        "key": "'00000000000000000000000000000001'",
    }


def test_raw_sql_brings_nothing_back_into_a_purged_survey_and_purges_none_by_halves() -> None:
    values = _surveys()
    connection.check_constraints()
    statements = INTO_A_PURGED_SURVEY + ON_THE_WAY + (ON_SQLITE if connection.vendor == "sqlite" else [])
    assert passing([statement.format(**values) for statement in statements], *WORDS) == {}


def test_the_same_statements_pass_where_the_survey_is_not_purged() -> None:
    """The planted twin: what is refused is refused because the survey is purged, not because it is wrong SQL."""
    values = _surveys()
    inserts = [statement for statement in INTO_A_PURGED_SURVEY if statement.startswith("INSERT")]
    for statement in inserts:
        assert refusal_of(statement.format(**(values | {"purged": values["open"]}))) == "", statement


def test_the_counts_of_a_sealed_survey_go_once_its_state_says_that_it_is_purged() -> None:
    values = _surveys()
    keys = (values["sealed"], values["pairs"])
    tables = (PatternCount, FoldedPart, CellCount)
    assert all(table.objects.filter(survey_id__in=keys).exists() for table in tables)
    with connection.cursor() as cursor:
        for key in keys:
            cursor.execute(PURGE.format(key))
            for table in ("patterncount", "foldedpart", "cellcount"):
                cursor.execute(f"DELETE FROM surveys_{table} WHERE survey_id = {key}")  # noqa: S608 - of this file
    assert not any(table.objects.filter(survey_id__in=keys).exists() for table in tables)


def test_purging_by_hand_waits_for_the_rows_of_people() -> None:
    survey = close_survey(survey=make_open())
    purge = PURGE.format(survey.pk)
    for table in (Response, SpentNonces, Invitation, Decline):
        columns = {
            Response: {"nonce_hash": b"0" * 16, "mode": "device", "reports": "1"},
            SpentNonces: {"prefix": b"00", "hashes": b"0" * 14},
            Invitation: {"token_hash": b"0" * 16},
            Decline: {"nonce_hash": b"0" * 16},
        }
        row = table.objects.create(survey=survey, **columns[table])
        assert "purged only when" in refusal_of(purge)
        row.delete()
    assert refusal_of(purge) == ""


_KEY_OF_OTHER = "(SELECT private_key FROM surveys_creditkey WHERE survey_id = {other})"
_ANOTHER_KEY = [
    "UPDATE surveys_survey SET document = REPLACE(document, '{key}', '{key_of_other}') WHERE id = {survey}",
    "UPDATE surveys_survey SET document = REPLACE(document, 'credit_key', 'credit_was') WHERE id = {survey}",
    f"UPDATE surveys_creditkey SET private_key = {_KEY_OF_OTHER} WHERE survey_id = {{survey}}",  # noqa: S608 - of this file
    "UPDATE surveys_creditkey SET survey_id = {without} WHERE survey_id = {survey}",
    f"INSERT INTO surveys_creditkey (survey_id, private_key) SELECT {{without}}, {_KEY_OF_OTHER}",
]
_ANOTHER_KEY_ON_SQLITE = [
    f"INSERT OR REPLACE INTO surveys_creditkey (survey_id, private_key) SELECT {{survey}}, {_KEY_OF_OTHER}",
    "UPDATE OR REPLACE surveys_creditkey SET survey_id = {survey} WHERE survey_id = {other}",
]


def test_raw_sql_gives_no_opened_survey_another_key() -> None:
    survey, other = make_open(credit=True), make_open(credit=True)
    given = {
        "survey": survey.pk,
        "other": other.pk,
        "without": make_open().pk,
        "key": survey.questionnaire.credit_key,
        "key_of_other": other.questionnaire.credit_key,
    }
    statements = _ANOTHER_KEY + (_ANOTHER_KEY_ON_SQLITE if connection.vendor == "sqlite" else [])
    assert passing([statement.format(**given) for statement in statements], "frozen") == {}
    # The planted twin: a draft takes it, so it is no wrong SQL.
    assert refusal_of(_ANOTHER_KEY[-1].format(**given | {"without": make_draft(credit=True).pk})) == ""


def test_a_survey_is_ended_by_hand_only_when_its_key_is_gone() -> None:
    survey = close_survey(survey=make_open(credit=True))
    seal = f"UPDATE surveys_survey SET state = 'sealed' WHERE id = {survey.pk}"  # noqa: S608 - of this file
    for statement in (PURGE.format(survey.pk), seal):
        assert "key" in refusal_of(statement)
    CreditKey.objects.all().delete()
    assert refusal_of(seal) == ""
