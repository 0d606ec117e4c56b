"""Nothing is called destroyed while the database's files hold it; and nobody waits long for them to be written anew."""

import os
import signal
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.urls import reverse

from surveys.course.services import close_survey, purge_survey, seal_survey
from surveys.models import Erasure, Response, Survey
from surveys.models.rewriting import TABLES
from surveys.responses.services import erasing
from surveys.upkeep.services.housekeeping import STILL_HELD
from tests.factories import make_open, send, several_of
from tests.pages import owner_of, text_of
from tests.responses.obstacles import OBSTACLES, files, held, own_connection
from tests.security.carving import commits_of

pytestmark = pytest.mark.usefixtures("transactional_db")

PEOPLE, ITEMS = 24, 24
ENDINGS: dict[str, Callable[[Survey], object]] = {
    "close": lambda survey: close_survey(survey=survey),
    "seal": lambda survey: seal_survey(survey=close_survey(survey=survey)),
    "purge": lambda survey: purge_survey(survey=close_survey(survey=survey)),
}
FIRST = next(iter(OBSTACLES))
BRIEFLY, AS_LONG_AS_IT_TAKES = 0.3, 60.0


@pytest.fixture(autouse=True)
def _no_long_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait briefly for those who do not go; a machine, however busy, has the time to write a file."""
    for name in ("PATIENCE_OF_A_JOB", "PATIENCE"):
        monkeypatch.setattr(erasing, name, BRIEFLY)
    monkeypatch.setitem(erasing.erase.__kwdefaults__, "patience", BRIEFLY)
    for name in ("_SQLITE_WRITES", "_POSTGRESQL_WRITES"):
        monkeypatch.setattr(erasing, name, AS_LONG_AS_IT_TAKES)


def answered(people: int = PEOPLE) -> Survey:
    """Return a survey that people have answered one after the other, beside one that goes on."""
    # As many reports as options, in few questions.
    options = [f"Option {number}" for number in range(ITEMS // 2)]
    questions = [several_of(options, text) for text in ("Which once?", "Which often?")]
    other, survey = (Survey.objects.get(pk=make_open(*questions, minimum_n=10).pk) for _ in range(2))
    send(other, "1" * ITEMS)
    for number in range(people):
        send(survey, f"{number * 7919 + 5_000_011:0{ITEMS}b}")
    with connection.cursor() as cursor:
        # On PostgreSQL it would keep samples.
        cursor.execute("ANALYZE")
    return survey


def traces_of(survey: Survey, ending: str) -> list[bytes]:
    """Return what has to go: reports beside their nonces, then also the nonces, then also the reports."""
    rows = [
        (reports.encode(), bytes(nonce))
        for reports, nonce in Response.objects.filter(survey=survey).values_list("reports", "nonce_hash")
    ]
    if connection.vendor == "sqlite":
        together = [nonce + b"device" + reports for reports, nonce in rows]
    else:
        # One byte before each text says how long it is.
        together = [reports + bytes([2 * (len(nonce) + 1) + 1]) + nonce for reports, nonce in rows]
    nonces, reports = [nonce for _, nonce in rows], [text for text, _ in rows]
    return {"close": together, "seal": together + nonces, "purge": together + nonces + reports}[ending]


def _keep_house() -> str:
    return _output_of("housekeeping", "--once")


def _finished(command: str, *arguments: str) -> str:
    """Return what a command says that waits as long as it takes, now that nobody is in its way."""
    with pytest.MonkeyPatch.context() as patched:
        for name in ("PATIENCE_OF_A_JOB", "PATIENCE"):
            patched.setattr(erasing, name, AS_LONG_AS_IT_TAKES)
        return _output_of(command, *arguments)


def _output_of(command: str, *arguments: str) -> str:
    out = StringIO()
    call_command(command, *arguments, stdout=out)
    return out.getvalue()


def _is_erasing(survey: Survey) -> bool:
    """Whether the survey's page says that the files still hold what was deleted."""
    return bool(owner_of(survey).get(reverse("survey-detail", args=[survey.code])).context["course"].erasing)


def _warnings_on(name: str, survey: Survey) -> int:
    address = reverse(name, args=[] if name == "survey-list" else [survey.code])
    return text_of(owner_of(survey).get(address)).count('class="badge warn"')


@pytest.mark.parametrize(
    ("ending", "obstacle"),
    [*((ending, FIRST) for ending in ENDINGS), *(("purge", obstacle) for obstacle in OBSTACLES if obstacle != FIRST)],
)
def test_what_somebody_may_still_see_is_not_called_destroyed(ending: str, obstacle: str, tmp_path: Path) -> None:
    survey = answered()
    traces = traces_of(survey, ending)
    with OBSTACLES[obstacle]():
        ENDINGS[ending](survey)
        assert held(traces) == len(traces)
        assert _is_erasing(survey)
        assert [_warnings_on(name, survey) for name in ("survey-detail", "survey-list")] == [1, 1]
        assert STILL_HELD in _keep_house()
        assert held(traces) == len(traces)
    assert survey.code in _finished("housekeeping", "--once")
    assert held(traces) == 0
    if connection.vendor == "sqlite":
        assert list(commits_of(files()[0], tmp_path / "past.sqlite3")) == []
    assert not _is_erasing(survey)
    assert [_warnings_on(name, survey) for name in ("survey-detail", "survey-list")] == [0, 0]
    assert not Erasure.objects.exists()
    assert _keep_house() == ""


def test_rewriting_without_looking_for_those_who_see_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: the row that says “busy” is thrown away, or nobody looks at who holds what."""
    if connection.vendor == "sqlite":
        empty = erasing._empty_the_journal
        monkeypatch.setattr(erasing, "_empty_the_journal", lambda: empty() or True)
    else:
        monkeypatch.setattr(erasing, "_OLDEST", "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint")
    survey = answered()
    traces = traces_of(survey, "purge")
    with OBSTACLES[FIRST]():
        purge_survey(survey=close_survey(survey=survey))
        assert not Erasure.objects.exists()
        assert held(traces) == len(traces)


@pytest.mark.parametrize("ending", ["seal", "purge"])
def test_a_command_and_a_page_say_what_is_not_done(ending: str) -> None:
    survey, other = (close_survey(survey=answered(20)) for _ in range(2))
    pressed, flags = owner_of(survey), {"seal": {"yes": True}, "purge": {"yes_purge": other.code}}
    with OBSTACLES[FIRST]():
        response = pressed.post(reverse(f"survey-{ending}", args=[survey.code]), {"code": survey.code}, follow=True)
        assert list(response.context["messages"]) == []
        page = text_of(response)
        assert page.count('class="notice warn"') == 1
        assert "destroyed" not in page.split('class="notice warn"')[1].split("</div>")[0]
        for flag in (flags[ending], {}):
            with pytest.raises(CommandError, match=STILL_HELD):
                call_command(ending, other.code, **flag)
    assert other.code in _finished(ending, other.code)


def test_what_a_kill_left_is_finished_by_the_next_job() -> None:
    """The process is killed after the commit, before it turns to the files."""
    survey = answered()
    traces = traces_of(survey, "purge")
    connection.close()
    if not (child := os.fork()):
        try:
            erasing.erase = lambda **_how: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[assignment]
            with transaction.atomic():
                ENDINGS["purge"](survey)
        finally:
            os._exit(1)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
    assert Survey.objects.get(pk=survey.pk).state == "purged"
    assert held(traces) > 0
    assert _is_erasing(survey)
    _finished("housekeeping", "--once")
    assert held(traces) == 0
    assert not _is_erasing(survey)


def test_files_that_take_long_are_left_for_quiet_hours(monkeypatch: pytest.MonkeyPatch) -> None:
    _keep_house()  # its first night is over
    survey = answered()
    traces = traces_of(survey, "purge")
    for name, value in {"_SQLITE_WRITES": 0, "_STEPS_BETWEEN_LOOKS": 1, "_POSTGRESQL_WRITES": 0}.items():
        monkeypatch.setattr(erasing, name, value)
    purge_survey(survey=close_survey(survey=survey))
    assert STILL_HELD in _keep_house()
    assert survey.code in _finished("housekeeping", "--once", "--night")
    assert held(traces) == 0


if connection.vendor == "postgresql":

    def test_a_role_that_owns_nothing_sees_who_holds_rows_and_writes_these_tables_anew_and_no_other() -> None:
        with own_connection() as owner, OBSTACLES["snapshot"]():
            owner.execute("CREATE ROLE runner LOGIN")
            try:
                with own_connection(user="runner") as runner:
                    assert runner.execute(erasing._OLDEST).fetchone() == owner.execute(erasing._OLDEST).fetchone()
                    assert "permission denied" in _refusal(runner, "surveys_response")
                    owner.execute("GRANT EXECUTE ON FUNCTION write_anew(text) TO runner")
                    assert [_refusal(runner, table) for table in TABLES] == [""] * len(TABLES)
                    for table in ("surveys_survey", "pg_class", None):
                        assert "not written anew" in _refusal(runner, table)
            finally:
                owner.execute("DROP OWNED BY runner")
                owner.execute("DROP ROLE runner")

    def _refusal(runner: Any, table: str | None) -> str:  # noqa: ANN401 - psycopg may not be installed
        try:
            runner.execute("SELECT write_anew(%s)", [table])
        except Exception as error:  # noqa: BLE001 - of psycopg, which may not be installed
            return str(error)
        return ""
