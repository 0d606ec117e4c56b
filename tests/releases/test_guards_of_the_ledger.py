"""A budget, its ledger and releases change as the rules allow, also against raw SQL and on both databases."""

from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import DatabaseError, connection, transaction

from surveys.models import Budget, LedgerEntry, Release, ReleasePart, Survey
from surveys.services import releasing
from tests.factories import make_admin, make_open, yes_no
from tests.releases.setting import first, make_release, ready_survey

pytestmark = pytest.mark.django_db

LINE = (
    "INSERT INTO surveys_ledgerentry (budget_id, number, kind, micro_epsilon, pico_delta, total_micro_epsilon,"
    " spent_micro_epsilon, total_pico_delta, spent_pico_delta, release_id, reason, created_by_id,"
    " created_by_name, created_at)"
    " SELECT budget_id, {number}, {kind}, {epsilon}, 0, {total}, {spent}, 0, 0, {release}, 'x', created_by_id,"
    " created_by_name, created_at FROM surveys_ledgerentry WHERE number = 2"
)
PART = (
    "INSERT INTO surveys_releasepart (release_id, position, question_id, parameters, output, micro_epsilon,"
    " pico_delta, n) SELECT release_id, {position}, {question}, parameters, output, {epsilon}, 0, n"
    " FROM surveys_releasepart"
)
REFUSED = [
    # What was drawn.
    "UPDATE surveys_release SET micro_epsilon = 1",
    "UPDATE surveys_release SET pico_delta = 1",
    "UPDATE surveys_release SET mechanism = 'most_common'",
    "UPDATE surveys_release SET relation = 'ADD_OR_REMOVE_ONE'",
    "UPDATE surveys_release SET id = 'other'",
    "UPDATE surveys_release SET request_key = '{key}'",
    "UPDATE surveys_release SET created_at = '2020-01-01 00:00:00+00:00'",
    "UPDATE surveys_release SET created_by_id = {other_user}",
    "UPDATE surveys_release SET survey_id = {other}",
    "DELETE FROM surveys_release",
    "UPDATE surveys_releasepart SET output = '{{\"noisy_counts\": [1, 2]}}'",
    "UPDATE surveys_releasepart SET parameters = '{{}}'",
    "UPDATE surveys_releasepart SET n = n + 1",
    "UPDATE surveys_releasepart SET position = 9",
    "DELETE FROM surveys_releasepart",
    # A part more, after the charge.
    PART.format(position=2, question="{second}", epsilon=1),
    # The ledger.
    "UPDATE surveys_ledgerentry SET reason = 'Another.'",
    "UPDATE surveys_ledgerentry SET micro_epsilon = 1 WHERE number = 2",
    "UPDATE surveys_ledgerentry SET created_by_name = 'Another'",
    "DELETE FROM surveys_ledgerentry WHERE number = 2",
    "DELETE FROM surveys_ledgerentry",
    # A line that no budget was changed for, one out of turn, one that replaces, one for a release that has its own.
    LINE.format(number=3, kind="'total'", epsilon=1, total=1_000_001, spent=500_000, release="NULL"),
    LINE.format(number=9, kind="'total'", epsilon=0, total=1_000_000, spent=500_000, release="NULL"),
    LINE.format(number=2, kind="'total'", epsilon=0, total=1_000_000, spent=500_000, release="NULL"),
    LINE.format(number=3, kind="'charge'", epsilon=1, total=1_000_000, spent=500_001, release="release_id"),
    # The budget.
    "UPDATE surveys_budget SET spent_micro_epsilon = 0",
    "UPDATE surveys_budget SET spent_micro_epsilon = spent_micro_epsilon - 1, entries = entries + 1",
    "UPDATE surveys_budget SET spent_micro_epsilon = spent_micro_epsilon + 1",
    "UPDATE surveys_budget SET total_micro_epsilon = total_micro_epsilon + 1",
    "UPDATE surveys_budget SET spent_micro_epsilon = total_micro_epsilon + 1, entries = entries + 1",
    "UPDATE surveys_budget SET total_micro_epsilon = 400000, entries = entries + 1",
    "UPDATE surveys_budget SET total_pico_delta = 5",
    "UPDATE surveys_budget SET entries = entries + 1, survey_id = {other}",
    "UPDATE surveys_budget SET entries = entries + 2",
    "UPDATE surveys_budget SET entries = 0",
    "UPDATE surveys_budget SET id = id + 1000",
    "DELETE FROM surveys_budget",
    "INSERT INTO surveys_budget (survey_id, total_micro_epsilon, spent_micro_epsilon, total_pico_delta,"
    " spent_pico_delta, entries) VALUES ({other}, 5000000, 0, 0, 0, 0)",
    "INSERT INTO surveys_budget (survey_id, total_micro_epsilon, spent_micro_epsilon, total_pico_delta,"
    " spent_pico_delta, entries) VALUES ({survey}, 0, 0, 0, 0, 0)",
    # An upsert is an insert first.
    "INSERT INTO surveys_budget (survey_id, total_micro_epsilon, spent_micro_epsilon, total_pico_delta,"
    " spent_pico_delta, entries) VALUES ({survey}, 0, 0, 0, 0, 0)"
    " ON CONFLICT (survey_id) DO UPDATE SET spent_micro_epsilon = 0",
]
REFUSED_ON_SQLITE = [
    "INSERT OR REPLACE INTO surveys_release SELECT * FROM surveys_release",
    # By the number that SQLite gives the row of a table whose key is a text.
    "INSERT OR REPLACE INTO surveys_release (rowid, id, mechanism, relation, micro_epsilon, pico_delta, data_version,"
    " request_key, created_at, published, created_by_id, survey_id) SELECT rowid, 'other', mechanism, relation,"
    " micro_epsilon, pico_delta, data_version, '{key}', created_at, TRUE, created_by_id, survey_id"
    " FROM surveys_release",
    "UPDATE OR REPLACE surveys_release SET rowid = rowid + 1, published = TRUE",
    "INSERT OR REPLACE INTO surveys_releasepart SELECT * FROM surveys_releasepart",
    "INSERT OR REPLACE INTO surveys_ledgerentry SELECT * FROM surveys_ledgerentry WHERE number = 2",
    "INSERT OR REPLACE INTO surveys_budget SELECT * FROM surveys_budget",
    "REPLACE INTO surveys_budget (id, survey_id, total_micro_epsilon, spent_micro_epsilon, total_pico_delta,"
    " spent_pico_delta, entries) SELECT id, survey_id, 0, 0, 0, 0, 0 FROM surveys_budget",
    "UPDATE OR REPLACE surveys_budget SET spent_micro_epsilon = 0",
    "UPDATE OR REPLACE surveys_ledgerentry SET number = 1 WHERE number = 2",
    "UPDATE OR REPLACE surveys_release SET id = id || 'x'",
    "UPDATE OR IGNORE surveys_releasepart SET n = 1",
    # What is no whole number.
    "UPDATE surveys_budget SET total_micro_epsilon = 9e999, entries = entries + 1",
    "UPDATE surveys_budget SET total_micro_epsilon = 'much', entries = entries + 1",
    "UPDATE surveys_budget SET spent_micro_epsilon = 500000.5, entries = entries + 1",
    "UPDATE surveys_budget SET total_pico_delta = x'ff', entries = entries + 1",
]
REFUSED_ON_POSTGRESQL = [
    f"TRUNCATE surveys_{table} CASCADE" for table in ("release", "releasepart", "budget", "ledgerentry")
]
SAYS = (
    "drawn once",
    "already made",
    "only ever continued",
    "never given back",
    "whole numbers",
    "overspent",
    "never emptied",
)


def _says_why(statement: str) -> str:
    """Return the database's words about a statement, or "" where it passed."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    except DatabaseError as error:
        return str(error)
    return ""


def _everything() -> tuple[object, ...]:
    return tuple(list(model.objects.order_by("pk").values()) for model in (Budget, LedgerEntry, Release, ReleasePart))


def _names(survey: Survey) -> dict[str, object]:
    return {
        "survey": survey.pk,
        "second": survey.questions.get(position=2).pk,
        "other": make_open().pk,
        "other_user": make_admin().pk,
        "key": uuid4().hex if connection.vendor == "sqlite" else uuid4(),
    }


@pytest.fixture
def survey() -> Survey:
    survey = ready_survey({"00": 60, "11": 60}, yes_no(), yes_no("Twice?"))
    make_release(survey)
    return survey


def test_raw_sql_changes_nothing_of_what_was_drawn_or_charged(survey: Survey) -> None:
    connection.check_constraints()  # pending checks would refuse TRUNCATE before the guard does
    names, before = _names(survey), _everything()
    statements = REFUSED + (REFUSED_ON_SQLITE if connection.vendor == "sqlite" else REFUSED_ON_POSTGRESQL)
    answers = {statement: _says_why(statement.format(**names)) for statement in statements}
    passed = {statement: words for statement, words in answers.items() if not any(say in words for say in SAYS)}
    assert passed == {}
    assert _everything() == before


def test_what_the_rules_allow_passes(survey: Survey) -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE surveys_release SET published = TRUE")
        cursor.execute("UPDATE surveys_budget SET total_micro_epsilon = 2000000, entries = entries + 1")
        cursor.execute(
            LINE.format(number=3, kind="'total'", epsilon=1_000_000, total=2_000_000, spent=500_000, release="NULL")
        )
    make_release(survey, epsilon=1)
    assert [entry.number for entry in LedgerEntry.objects.all()] == [1, 2, 3, 4]


def _spent_without_a_line(cursor: object) -> None:
    cursor.execute("UPDATE surveys_budget SET spent_micro_epsilon = 600000, entries = entries + 1")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "line",
    [
        # Not what the budget says; not what the line before left; a total that spends; a charge without a release.
        LINE.format(number=3, kind="'total'", epsilon=0, total=1_000_000, spent=500_000, release="NULL"),
        LINE.format(number=3, kind="'total'", epsilon=100_000, total=1_000_000, spent=600_000, release="NULL"),
        LINE.format(number=3, kind="'charge'", epsilon=100_000, total=1_000_000, spent=600_000, release="NULL"),
        LINE.format(number=3, kind="'charge'", epsilon=100_000, total=1_000_000, spent=600_000, release="release_id"),
        LINE.format(number=3, kind="'charge'", epsilon=100_000, total=1_000_000, spent=600_000, release="'none'"),
    ],
)
def test_a_line_must_continue_the_ledger_and_be_what_the_budget_says(survey: Survey, line: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        _spent_without_a_line(cursor)
        assert _says_why(line)
    assert LedgerEntry.objects.count() == 2


def test_nothing_more_is_charged_while_a_line_is_missing(survey: Survey) -> None:
    with connection.cursor() as cursor:
        _spent_without_a_line(cursor)
    with pytest.raises(DatabaseError, match="every change of a budget is a line"):
        make_release(survey, epsilon="0.1")
    assert (Budget.objects.get(survey=survey).spent_micro_epsilon, Release.objects.count()) == (600_000, 1)


def _release_of(
    survey: Survey, *, epsilon: int, parts: int, question: int | None = None, later: timedelta = timedelta(0)
) -> Callable[[], None]:
    """Return what writes a release with one part as raw SQL would, and its charge."""

    def write() -> None:
        with transaction.atomic():
            row = Release.objects.create(
                survey=survey,
                mechanism="laplace_histogram",
                relation="REPLACE_ONE",
                micro_epsilon=epsilon,
                data_version="1",
                request_key=uuid4(),
                created_by=make_admin(),
            )
            ReleasePart.objects.create(
                release=row,
                position=1,
                question_id=question or first(survey).pk,
                parameters={},
                output={},
                micro_epsilon=parts,
                n=1,
            )
            row.created_at += later
            assert releasing.ledger.spend(survey, micro_epsilon=epsilon, pico_delta=0)
            releasing.ledger.write_charge(
                Budget.objects.get(survey=survey), release=row, reason="x", user=row.created_by
            )

    return write


def test_a_charge_is_what_its_parts_cost_together(survey: Survey) -> None:
    before = _everything()
    with pytest.raises(DatabaseError, match="only ever continued"):
        _release_of(survey, epsilon=1000, parts=999)()
    assert _everything() == before
    _release_of(survey, epsilon=1000, parts=1000)()


def test_a_part_is_about_a_question_of_the_releases_own_survey(survey: Survey) -> None:
    other = first(make_open()).pk
    with pytest.raises(DatabaseError, match="drawn once"):
        _release_of(survey, epsilon=1000, parts=1000, question=other)()


def test_the_line_of_a_release_has_no_time_of_its_own(survey: Survey) -> None:
    """A second time, taken after the draw, would tell how long the draw took."""
    with pytest.raises(DatabaseError, match="only ever continued"):
        _release_of(survey, epsilon=1000, parts=1000, later=timedelta(seconds=1))()


SHADOWED = ("survey", "question", "release", "releasepart", "budget", "ledgerentry")


@pytest.mark.parametrize(
    "statement",
    [
        PART.format(position=2, question="{second}", epsilon=1).replace("surveys_", "{real}.surveys_"),
        "UPDATE {real}.surveys_budget SET spent_micro_epsilon = spent_micro_epsilon + 1, entries = entries + 1",
        "UPDATE {real}.surveys_question SET text = 'x'",
        "DELETE FROM {real}.surveys_releasepart",
    ],
)
def test_the_guards_look_at_the_real_tables_whatever_stands_before_them(survey: Survey, statement: str) -> None:
    """Temporary tables of the same names are found first: a guard that looked there would see what anybody likes."""
    real = "main" if connection.vendor == "sqlite" else "public"
    second = survey.questions.get(position=2).pk
    with connection.cursor() as cursor:
        _spent_without_a_line(cursor)
    with transaction.atomic(), connection.cursor() as cursor:
        for table in SHADOWED:
            shadow = f"CREATE TEMPORARY TABLE surveys_{table} AS SELECT * FROM {real}.surveys_{table} LIMIT 0"  # noqa: S608
            cursor.execute(shadow)
        assert _says_why(statement.format(real=real, second=second))
        transaction.set_rollback(True)


def test_a_release_without_its_line_is_nowhere_to_be_seen(survey: Survey) -> None:
    from surveys.selectors.releases import doors

    hidden = Release.objects.create(
        survey=survey,
        mechanism="laplace_histogram",
        relation="REPLACE_ONE",
        micro_epsilon=1,
        data_version="1",
        request_key=uuid4(),
        created_by=make_admin(),
        published=True,
    )
    ReleasePart.objects.create(
        release=hidden, position=1, question=first(survey), parameters={}, output={}, micro_epsilon=1, n=1
    )
    assert hidden.pk not in doors.charged_releases().values_list("pk", flat=True)
    assert list(doors.published_releases(survey)) == []
    assert doors.spent_on(first(survey)) * 2 == 1
    with pytest.raises(Release.DoesNotExist):
        doors.published_release(hidden.pk)
