"""A budget, its ledger and releases change as the rules allow, also against raw SQL and on both databases."""

from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import DatabaseError, connection, transaction

from surveys.models import Budget, LedgerEntry, Release, ReleasePart, Survey
from surveys.releases.ledger import services
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
# What passes: the total is raised by one millionth.
NEXT = LINE.format(number=3, kind="'total'", epsilon=1, total=1_000_001, spent=500_000, release="NULL")
# What passes: what is charged is shown. It costs nothing.
SHOW = (
    "INSERT INTO surveys_ledgerentry (budget_id, number, kind, micro_epsilon, pico_delta, total_micro_epsilon,"
    " spent_micro_epsilon, total_pico_delta, spent_pico_delta, {column}, reason, created_by_id, created_by_name,"
    " created_at) SELECT budget_id, {number}, {kind}, {epsilon}, 0, 1000000, {spent}, 0, 0, {release}, {reason},"
    " created_by_id, created_by_name, created_at FROM surveys_ledgerentry WHERE number = 2"
)


def _show(kind: str = "publish", number: int = 3, **changes: object) -> str:
    usual = {"column": "publication_id", "epsilon": 0, "spent": 500_000, "release": "release_id", "reason": "''"}
    return SHOW.format(**usual | changes, kind=f"'{kind}'", number=number)


PART = (
    "INSERT INTO surveys_releasepart (release_id, position, question, parameters, output, micro_epsilon,"
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
    # Shown or hidden without a line.
    "UPDATE surveys_release SET published = TRUE",
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
    # Not what the line before left; a total that spends; a charge without a release, or for none there is.
    LINE.format(number=3, kind="'total'", epsilon=0, total=1_000_001, spent=500_000, release="NULL"),
    LINE.format(number=3, kind="'total'", epsilon=100_000, total=1_000_000, spent=600_000, release="NULL"),
    LINE.format(number=3, kind="'charge'", epsilon=100_000, total=1_000_000, spent=600_000, release="NULL"),
    LINE.format(number=3, kind="'charge'", epsilon=100_000, total=1_000_000, spent=600_000, release="'none'"),
    # Dated before the one it follows; by a name that nobody ever had, by another's, by nobody's.
    NEXT.replace(" created_at FROM", " '2020-01-01 00:00:00' FROM"),
    NEXT.replace(" created_by_name, created_at FROM", " 'Nobody', created_at FROM"),
    NEXT.replace(" created_by_id, created_by_name, created_at FROM", " {other_user}, created_by_name, created_at FROM"),
    # One out of turn, one that replaces, one for a release that has its own.
    LINE.format(number=9, kind="'total'", epsilon=0, total=1_000_000, spent=500_000, release="NULL"),
    LINE.format(number=2, kind="'total'", epsilon=0, total=1_000_000, spent=500_000, release="NULL"),
    LINE.format(number=3, kind="'charge'", epsilon=1, total=1_000_000, spent=500_001, release="release_id"),
    # Hides what is hidden; shows what there is none of, or another survey's; costs something; is of two kinds, or of
    # none.
    _show("withdraw"),
    _show(release="'none'"),
    _show(release="'{elsewhere}'"),
    _show(epsilon=1),
    _show(epsilon=1, spent=500_001),
    _show(column="release_id"),
    _show("total", reason="'x'"),
    _show("charge", reason="'x'"),
    _show(release="NULL"),
    _show(reason="'x'"),
    # The budget.
    "UPDATE surveys_budget SET spent_micro_epsilon = 0",
    "UPDATE surveys_budget SET spent_micro_epsilon = spent_micro_epsilon - 1, entries = entries + 1",
    "UPDATE surveys_budget SET spent_micro_epsilon = spent_micro_epsilon + 1",
    "UPDATE surveys_budget SET total_micro_epsilon = total_micro_epsilon + 1",
    "UPDATE surveys_budget SET spent_micro_epsilon = total_micro_epsilon + 1, entries = entries + 1",
    "UPDATE surveys_budget SET total_micro_epsilon = 400000, entries = entries + 1",
    "UPDATE surveys_budget SET total_pico_delta = 5",
    "UPDATE surveys_budget SET spent_micro_epsilon = 600000, entries = entries + 1",
    "UPDATE surveys_budget SET total_micro_epsilon = 9000000, entries = entries + 1",
    "UPDATE surveys_budget SET total_pico_delta = 5, entries = entries + 1",
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
    " request_key, created_at, exact_figures, published, created_by_id, survey_id) SELECT rowid, 'other', mechanism,"
    " relation, micro_epsilon, pico_delta, data_version, '{key}', created_at, exact_figures, TRUE, created_by_id,"
    " survey_id FROM surveys_release",
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
    "never dated before",
    "as it is called",
    "of_one_kind",
    "has_a_reason",
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
        "second": 2,
        "other": make_open().pk,
        "elsewhere": make_release(ready_survey()).pk,
        "other_user": make_admin().pk,
        "key": uuid4().hex if connection.vendor == "sqlite" else uuid4(),
    }


@pytest.fixture
def survey() -> Survey:
    survey = ready_survey({"00": 60, "11": 60}, yes_no(), yes_no("Twice?"))
    make_release(survey)
    return survey


def test_raw_sql_changes_nothing_of_what_was_drawn_or_charged(survey: Survey) -> None:
    names, before = _names(survey), _everything()
    connection.check_constraints()  # pending checks would refuse TRUNCATE before the guard does
    statements = REFUSED + (REFUSED_ON_SQLITE if connection.vendor == "sqlite" else REFUSED_ON_POSTGRESQL)
    answers = {statement: _says_why(statement.format(**names)) for statement in statements}
    passed = {statement: words for statement, words in answers.items() if not any(say in words for say in SAYS)}
    assert passed == {}
    assert _everything() == before


def test_a_line_that_continues_the_ledger_passes_and_moves_its_budget(survey: Survey) -> None:
    with connection.cursor() as cursor:
        cursor.execute(NEXT)
    budget = Budget.objects.get(survey=survey)
    assert (budget.entries, budget.total_micro_epsilon, budget.spent_micro_epsilon) == (3, 1_000_001, 500_000)
    make_release(survey, epsilon="0.1")
    assert [entry.number for entry in LedgerEntry.objects.all()] == [1, 2, 3, 4]


def test_a_line_shows_or_hides_its_release_and_costs_nothing(survey: Survey) -> None:
    shown = []
    with connection.cursor() as cursor:
        for number, kind in enumerate(("publish", "withdraw", "publish"), 3):
            cursor.execute(_show(kind, number))
            shown.append(Release.objects.get().published)
    assert shown == [True, False, True]
    budget = Budget.objects.get(survey=survey)
    assert (budget.entries, budget.total_micro_epsilon, budget.spent_micro_epsilon) == (5, 1_000_000, 500_000)
    for what in ("published = FALSE", "published = TRUE, mechanism = 'most_common'"):
        assert "drawn once" in _says_why(f"UPDATE surveys_release SET {what}")  # noqa: S608
    assert _says_why(_show("publish", 6))


def test_a_line_that_overspends_leaves_nothing_behind_whatever_is_to_be_done_instead(survey: Survey) -> None:
    """SQLite does with what follows from a statement what the statement says, too: leave out, or stop half-way."""
    before = _everything()
    below = LINE.format(number=3, kind="'total'", epsilon=-600_000, total=400_000, spent=500_000, release="NULL")
    instead = [f"{below} ON CONFLICT DO NOTHING"]
    if connection.vendor == "sqlite":
        instead = [below.replace("INSERT", f"INSERT OR {word}", 1) for word in ("IGNORE", "FAIL", "REPLACE")]
    for statement in instead:
        _says_why(statement)
        assert _everything() == before, statement


def _release_of(
    survey: Survey, *, epsilon: int, parts: int, question: int = 1, later: timedelta = timedelta(0)
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
                question=question,
                parameters={},
                output={},
                micro_epsilon=parts,
                n=1,
            )
            row.created_at += later
            services.write_charge(Budget.objects.get(survey=survey), release=row, reason="x", user=row.created_by)

    return write


def test_a_charge_is_what_its_parts_cost_together(survey: Survey) -> None:
    before = _everything()
    with pytest.raises(DatabaseError, match="only ever continued"):
        _release_of(survey, epsilon=1000, parts=999)()
    assert _everything() == before
    _release_of(survey, epsilon=1000, parts=1000)()


def test_a_part_is_about_a_question_of_the_releases_own_survey(survey: Survey) -> None:
    for other in (0, 3):
        with pytest.raises(DatabaseError, match="drawn once"):
            _release_of(survey, epsilon=1000, parts=1000, question=other)()


def test_the_line_of_a_release_has_no_time_of_its_own(survey: Survey) -> None:
    """A second time, taken after the draw, would tell how long the draw took."""
    with pytest.raises(DatabaseError, match="only ever continued"):
        _release_of(survey, epsilon=1000, parts=1000, later=timedelta(seconds=1))()


SHADOWED = ("survey", "release", "releasepart", "budget", "ledgerentry")


@pytest.mark.parametrize(
    "statement",
    [
        PART.format(position=2, question="{second}", epsilon=1).replace("surveys_", "{real}.surveys_"),
        "UPDATE {real}.surveys_budget SET spent_micro_epsilon = spent_micro_epsilon + 1, entries = entries + 1",
        "UPDATE {real}.surveys_survey SET document = REPLACE(document, 'Exams', 'x')",
        "DELETE FROM {real}.surveys_releasepart",
    ],
)
def test_the_guards_look_at_the_real_tables_whatever_stands_before_them(survey: Survey, statement: str) -> None:
    """Temporary tables of the same names are found first: a guard that looked there would see what anybody likes."""
    real = "main" if connection.vendor == "sqlite" else "public"
    second = 2
    with transaction.atomic(), connection.cursor() as cursor:
        for table in SHADOWED:
            rows = "" if table == "ledgerentry" else " LIMIT 0"
            shadow = f"CREATE TEMPORARY TABLE surveys_{table} AS SELECT * FROM {real}.surveys_{table}{rows}"  # noqa: S608
            cursor.execute(shadow)
        # The line that the update of the budget below would need.
        temporary = "temp" if connection.vendor == "sqlite" else "pg_temp"
        spent = f"UPDATE {temporary}.surveys_ledgerentry SET number = 3, spent_micro_epsilon = 500001 WHERE number = 2"  # noqa: S608
        cursor.execute(spent)
        assert _says_why(statement.format(real=real, second=second))
        transaction.set_rollback(True)


def test_a_release_without_its_line_is_never_shown(survey: Survey) -> None:
    from surveys.releases.selectors import doors

    def without_line(**more: object) -> Release:
        return Release.objects.create(
            survey=survey,
            mechanism="laplace_histogram",
            relation="REPLACE_ONE",
            micro_epsilon=1,
            data_version="1",
            request_key=uuid4(),
            created_by=make_admin(),
            **more,
        )

    hidden = without_line()
    with pytest.raises(DatabaseError, match="no line publishes"), transaction.atomic():
        without_line(published=True)
    ReleasePart.objects.create(
        release=hidden, position=1, question=first(survey), parameters={}, output={}, micro_epsilon=1, n=1
    )
    assert hidden.pk not in doors.charged_releases().values_list("pk", flat=True)
    assert list(doors.published_releases(survey)) == []
    with pytest.raises(Release.DoesNotExist):
        doors.published_release(hidden.pk)
