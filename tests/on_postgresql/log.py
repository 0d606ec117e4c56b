"""PostgreSQL's own log, as it is set by default, holds no report, nonce or invitation, whatever becomes of an answer.

Run by `make test-postgresql`, against a server that logs beside its socket.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from time import sleep

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction

from surveys.answering.services import collecting
from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.models import Invitation, Survey
from surveys.models.invitation import token_hashes
from surveys.responses.services import folding
from surveys.sharing import services
from tests.factories import make_open, several_of

pytestmark = pytest.mark.usefixtures("transactional_db")

REPORTS = "011010011001011010010110011010"
OTHERS = REPORTS[::-1].replace("0", "1", 1)


class Page:
    """A page of a survey with its nonce and its invitation, if it needs one."""

    def __init__(self, **fields: object) -> None:
        options = [f"Option {number}" for number in range(len(REPORTS) // 2)]
        self.survey = make_open(several_of(options), several_of(options, "And before?"), **fields)
        self.nonce, self.token = collecting.new_nonce(), ""
        if fields.get("by_invitation"):
            self.token = services.invite(survey=self.survey, number=2, batch=services.new_batch()).tokens[0]

    def send(self, reports: str = REPORTS, **changes: str) -> str:
        """Send and return what comes of it, by its name."""
        fields = {"mode": "device", "nonce": self.nonce, "token": self.token} | changes
        survey = Survey.objects.get(pk=self.survey.pk)
        try:
            outcome = collecting.collect(survey=survey, definition=definition_of(survey), reports=reports, **fields)
        except (collecting.SubmissionRefused, DatabaseError) as refused:
            return type(refused).__name__
        return outcome.name

    def traces(self) -> list[str]:
        """Return everything by which the answer would be recognised, however it is written."""
        hashes = [*collecting._nonce_hashes(self.survey.pk, self.nonce), *token_hashes(self.survey.pk, self.token)]
        escaped = ["".join(f"\\{byte:03o}" for byte in digest[:3]) for digest in hashes]
        return [REPORTS, OTHERS, self.nonce, *filter(None, [self.token]), *(value.hex() for value in hashes), *escaped]


@pytest.fixture
def elsewhere() -> Iterator[Callable[..., Future[str]]]:
    """Start something on another connection; return when it is done or waits for a lock of this one."""
    with ThreadPoolExecutor(1) as pool:

        def start(work: Callable[[], str], *settings: str) -> Future[str]:
            def there() -> str:
                try:
                    for setting in settings:
                        _execute(f"SET {setting}")
                    return work()
                finally:
                    connection.close()

            future = pool.submit(there)
            for _ in range(1000):
                if future.done() or _waiting():
                    return future
                sleep(0.01)
            raise AssertionError("it neither ends nor waits")

        yield start


def _execute(statement: str) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []


def _waiting() -> list[tuple[object, ...]]:
    """Return the processes that wait for a lock; pg_stat_activity would stay as it was when it was first read here."""
    return _execute("SELECT pid FROM pg_locks WHERE NOT granted")


class Log:
    """What the server has logged since."""

    def __init__(self) -> None:
        self.path = Path(str(_execute("SHOW unix_socket_directories")[0][0]), "log")
        self.start = len(self.path.read_bytes())

    def text(self) -> str:
        sleep(0.05)  # a process that was ended may still be writing
        return self.path.read_bytes()[self.start :].decode()

    def holds(self, page: Page) -> list[str]:
        text = self.text()
        return [trace for trace in page.traces() if trace in text]


@pytest.fixture
def log() -> Log:
    return Log()


KINDS = [{}, {"response_cap": 5}, {"by_invitation": True}]


@pytest.mark.parametrize("fields", KINDS)
def test_a_resend_that_meets_a_fold_is_left_out_and_not_logged(
    fields: dict[str, object], log: Log, elsewhere: Callable[..., Future[str]]
) -> None:
    page = Page(**fields)
    assert page.send() == "ACCEPTED"
    with transaction.atomic():
        Survey.objects.select_for_update().get(pk=page.survey.pk)
        resend = elsewhere(page.send)
        folding.fold(survey=page.survey, everything=True)
    assert (resend.result(), log.holds(page)) == ("KEPT", [])
    # On a busy machine the files are written anew later: that a lock was not had tells of no answer.
    errors = [line for line in log.text().splitlines() if "ERROR" in line and "lock timeout" not in line]
    assert errors == []


def test_no_outcome_of_an_answer_is_logged_with_it(log: Log) -> None:
    page, invited, full = Page(), Page(by_invitation=True), Page(response_cap=1)
    outcomes = [page.send(), page.send(), page.send(OTHERS), page.send(mode="other"), page.send("")]
    outcomes += [invited.send(), invited.send(nonce=collecting.new_nonce()), full.send(), full.send(nonce="n" * 22)]
    folding.fold(survey=page.survey, everything=True)
    outcomes.append(page.send(OTHERS))
    close_survey(survey=page.survey)
    outcomes.append(page.send(nonce="n" * 22))
    assert outcomes == [
        *("ACCEPTED", "REPEATED", "AlteredResend", "InvalidSubmission", "InvalidSubmission"),
        *("ACCEPTED", "InvitationSpent", "ACCEPTED", "SurveyFull", "KEPT", "NotCollecting"),
    ]
    assert [log.holds(sender) for sender in (page, invited, full)] == [[], [], []]


@pytest.mark.parametrize("setting", ["lock_timeout = 50", "statement_timeout = 50", "terminated"])
def test_an_answer_that_waits_for_too_long_is_not_logged(
    setting: str, log: Log, elsewhere: Callable[..., Future[str]]
) -> None:
    page = Page()
    with transaction.atomic():
        Survey.objects.select_for_update().get(pk=page.survey.pk)
        if setting == "terminated":
            waiting = elsewhere(page.send)
            _execute("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted")
        else:
            waiting = elsewhere(page.send, setting)
        assert waiting.result() == "OperationalError"
    assert "store_response" in log.text()
    assert log.holds(page) == []


def test_an_answer_in_a_deadlock_is_not_logged(log: Log, elsewhere: Callable[..., Future[str]]) -> None:
    page = Page(by_invitation=True)
    with pytest.raises(DatabaseError, match="deadlock"), transaction.atomic():  # noqa: PT012 - two that wait for each other
        _execute("SET LOCAL deadlock_timeout = 50")
        list(Invitation.objects.select_for_update().filter(survey=page.survey))
        answer = elsewhere(page.send)
        Survey.objects.select_for_update().get(pk=page.survey.pk)
    assert (answer.result(), log.holds(page)) == ("ACCEPTED", [])
    assert "UPDATE surveys_invitation" in log.text()


def test_a_row_that_a_rule_refuses_is_logged_unless_errors_are_terse(log: Log) -> None:
    """No page comes to that; should one, by a mistake, then the setting that the manual names keeps it out."""
    page = Page()
    response = collecting._Response(page.survey, None, "other", REPORTS, b"0" * 16)
    for verbosity, found in (("terse", []), ("default", [REPORTS])):
        _execute(f"SET log_error_verbosity = {verbosity}")
        with pytest.raises(DatabaseError, match="mode_known"):
            collecting._insert(response)
        assert log.holds(page) == found


def test_values_that_stand_in_the_statement_would_be_found(log: Log) -> None:
    """The planted fault: values put into the text, as without binding by the server."""
    page = Page()
    values = [REPORTS, collecting._nonce_hashes(page.survey.pk, page.nonce)[0]]
    with psycopg.connect(**connection.get_connection_params() | {"cursor_factory": psycopg.ClientCursor}) as planted:
        with pytest.raises(psycopg.errors.UndefinedTable):
            planted.execute("INSERT INTO nowhere VALUES (%s, %s)", values)
        planted.rollback()
    assert log.holds(page) == [REPORTS, values[1].hex()]
