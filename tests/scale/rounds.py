"""Much at once, with folds, kills and a close in the middle: `python -m tests.scale.rounds direct|pgbouncer|citus`.

`trusting` behind it plants a fault: an insert that wrote nothing is taken for one that wrote a row.

What was acknowledged is what is stored is what is counted, each once, with the reports that were acknowledged; an
invitation is spent for each response and for no other; nothing tells an order. Ends with an error where that is not so.
"""

# ruff: noqa: T201 - a script that prints what it found
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.postgresql import postgresql
from tests.programs import PGBOUNCER, POSTGRESQL
from tests.scale import servers
from tests.server import ROOT, bare_environment

SECONDS = float(os.environ.get("SCALE_SECONDS", "12"))
CARDS = 500
PROCESSES, KILLS = 2, 3
_LONGEST_START = 120.0
STORED = {"accepted", "repeated"}


@contextlib.contextmanager
def way(name: str) -> Iterator[tuple[str, str, Callable[[], None]]]:
    """Yield where the program's own connection goes, where the senders' go, and what is killed besides senders."""
    with contextlib.ExitStack() as stack:
        if name == "citus":
            cluster = stack.enter_context(servers.citus(os.environ["CITUS"]))
            yield cluster.url, cluster.url, cluster.kill_a_worker
            return
        server = stack.enter_context(postgresql(POSTGRESQL.find() or ""))
        if name == "direct":
            yield server, server, lambda: None
            return
        socket = server.partition("host=")[2]
        pool = stack.enter_context(servers.pgbouncer(PGBOUNCER.find() or "", f"host={socket}"))
        yield server, pool.url, pool.kill


class Senders:
    """Processes that send; one of them can be killed and is replaced."""

    def __init__(self, directory: Path, url: str, surveys: list[int]) -> None:
        self._directory, self._url, self._surveys = directory, url, surveys
        self._started = 0
        self._running = [self._start() for _ in range(PROCESSES)]

    def wait(self) -> None:
        """Wait until every process sends."""
        until = time.monotonic() + _LONGEST_START
        while len({file.name.split("-")[1] for file in self._directory.glob("sent-*")}) < self._started:
            if time.monotonic() > until:
                raise RuntimeError("the senders do not start")
            time.sleep(0.05)

    def kill_one(self) -> None:
        self._running[0].send_signal(signal.SIGKILL)
        self._running[0].wait()
        self._running[0] = self._start()

    def end(self) -> None:
        (self._directory / "end").touch()
        for process in self._running:
            process.wait(timeout=120)

    def _start(self) -> subprocess.Popen[bytes]:
        arguments = [str(self._directory), str(self._started), *map(str, self._surveys)]
        self._started += 1
        settings = {"DATABASE_URL": self._url, "DJANGO_SETTINGS_MODULE": "surveys.settings"}
        environment = bare_environment() | OURS | settings
        return subprocess.Popen([sys.executable, "-m", "tests.scale.senders", *arguments], cwd=ROOT, env=environment)


OURS = {"DENIABLE_LOCAL_DEMO": "1", "DENIABLE_SECRET_KEY": "only-for-the-scale-run"}


def main(name: str, fault: str = "") -> None:
    with tempfile.TemporaryDirectory(prefix="deniable-scale-") as scratch, way(name) as (url, senders_url, kill):
        os.environ.update(OURS | {"DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "surveys.settings"})
        os.environ["DENIABLE_DATA_DIR"] = OURS["DENIABLE_DATA_DIR"] = scratch
        import django

        django.setup()
        wrong = _run(name, Path(scratch), senders_url, kill, fault)
    if wrong:
        raise SystemExit("\n".join(wrong))


def _run(name: str, scratch: Path, senders_url: str, kill: Callable[[], None], fault: str) -> list[str]:
    from django.core.management import call_command
    from django.db import Error, connection

    from surveys.course.services import close_survey
    from surveys.models import Survey
    from surveys.responses.services.folding import fold
    from surveys.sharing.services import invite, new_batch
    from tests.factories import make_open, one_of
    from tests.scale.distributing import distribute

    call_command("migrate", verbosity=0)
    if name == "citus":
        distribute()
    if fault:
        _plant_trust()
    questions = [one_of(["a", "b", "c", "d"], text) for text in ("One?", "Two?")]
    surveys = [
        Survey.objects.get(pk=make_open(*questions, minimum_n=10, by_invitation=invited).pk)
        for invited in (False, True)
    ]
    cards = invite(survey=surveys[1], number=CARDS, batch=new_batch()).tokens
    for half in range(PROCESSES):
        (scratch / f"cards-{half}.json").write_text(json.dumps(cards[half::PROCESSES]))
    senders = Senders(scratch, senders_url, [survey.pk for survey in surveys])
    kills, folded = 0, Counter[str]()
    # Interpreters take seconds to start on a busy machine: time is counted while everybody sends.
    for _ in range(KILLS + 1):
        senders.wait()
        begin = time.monotonic()
        while time.monotonic() - begin < SECONDS / (KILLS + 1):
            for survey in surveys:
                try:
                    folded["moved"] += fold(survey=survey)
                except Error as error:
                    folded[type(error).__name__] += 1
                    connection.close()
            time.sleep(0.1)
        if kills < KILLS:
            kills += 1
            senders.kill_one()
            kill()
    for survey in surveys:
        _insist(lambda survey=survey: close_survey(survey=survey))
    time.sleep(1)
    senders.end()
    sent = _sent(scratch)
    for key, nonce, reports, card in _unanswered(sent):
        survey = next(survey for survey in surveys if survey.pk == key)
        sent[key, nonce].append((reports, _told(survey, nonce, reports, card)))
    print(f"{name}: {kills} kills, folds while sending {dict(folded)}")
    return [problem for survey in surveys for problem in _problems(name, survey, sent)]


def _plant_trust() -> None:
    from django.db import connection

    from surveys.models import storing

    doubtful = "IF kept IS NULL THEN\n            RETURN false;"
    if doubtful not in storing._CREATE:
        raise RuntimeError("the fault cannot be planted")
    storing._CREATE = storing._CREATE.replace(doubtful, doubtful.replace("false", "true"))
    with connection.schema_editor() as editor:
        storing.install(None, editor)


def _insist(act: Callable[[], object]) -> None:
    from django.db import Error, connection

    for _ in range(100):
        try:
            act()
        except Error:
            connection.close()
            time.sleep(0.1)
        else:
            return
    act()


Sent = dict[tuple[int, str], list[tuple[str, str]]]


def _sent(scratch: Path) -> Sent:
    """Return by survey and nonce what was sent with which reports and what was answered; "" stands for no answer."""
    sent: Sent = defaultdict(list)
    for file in scratch.glob("sent-*"):
        waiting = Counter[tuple[int, str, str, str]]()
        for line in file.read_text().splitlines():
            key, nonce, reports, card, outcome = json.loads(line)
            if outcome == "sending":
                waiting[key, nonce, reports, card] += 1
            else:
                waiting[key, nonce, reports, card] -= 1
                sent[key, nonce].append((reports, outcome))
        for key, nonce, reports, card in waiting.elements():
            sent[key, nonce].append((reports, f"?{card}"))
    return sent


def _unanswered(sent: Sent) -> list[tuple[int, str, str, str]]:
    return [
        (key, nonce, reports, outcome[1:])
        for (key, nonce), outcomes in sent.items()
        for reports, outcome in outcomes
        if outcome.startswith("?")
    ]


def _told(survey: object, nonce: str, reports: str, card: str) -> str:
    """Return what somebody is told who sends again what was never answered."""
    from surveys.answering.services import collecting
    from surveys.common.selectors import definition_of
    from surveys.models import Survey

    fresh = Survey.objects.get(pk=survey.pk)  # type: ignore[attr-defined]
    try:
        return collecting.collect(
            survey=fresh, definition=definition_of(fresh), mode="device", nonce=nonce, reports=reports, token=card
        ).value
    except collecting.SubmissionRefused as refused:
        return type(refused).__name__


def _acknowledged(outcomes: list[tuple[str, str]]) -> tuple[str | None, str]:
    """Return the reports that one page was told are stored, None for none, "" if it cannot be told which of several."""
    acknowledged = {reports for reports, outcome in outcomes if outcome in STORED}
    if len(acknowledged) > 1:
        return acknowledged.pop(), "two sets of reports of one page were acknowledged"
    if sum(outcome == "accepted" for _, outcome in outcomes) > 1:
        return acknowledged.pop(), "one page was accepted twice"
    if acknowledged:
        return acknowledged.pop(), ""
    if any(outcome in {"kept", "AlteredResend"} for _, outcome in outcomes):
        variants = {reports for reports, _ in outcomes}
        return (variants.pop() if len(variants) == 1 else ""), ""
    return None, ""


def _problems(name: str, survey: object, sent: Sent) -> Iterator[str]:
    """Say what is wrong with what is stored of a survey."""
    from django.db.models import Sum

    from surveys.models import Invitation, PatternCount, Response
    from tests.factories import spent_count

    key = survey.pk  # type: ignore[attr-defined]
    outcomes_of = {nonce: outcomes for (its, nonce), outcomes in sent.items() if its == key}
    answers = Counter(
        outcome.partition("?")[0] or "no answer" for outcomes in outcomes_of.values() for _, outcome in outcomes
    )
    known, unsure = Counter[str](), 0
    for outcomes in outcomes_of.values():
        reports, problem = _acknowledged(outcomes)
        if problem:
            yield problem
        known.update([reports] if reports else [])
        unsure += reports == ""
    patterns = PatternCount.objects.filter(survey_id=key)
    stored = Counter(dict(patterns.values_list("reports").annotate(n=Sum("count"))))
    nonces, left = spent_count(survey_id=key), Response.objects.filter(survey_id=key).count()
    print(f"  acknowledged {known.total() + unsure:,}, stored {nonces:,}, counted {stored.total():,}: {dict(answers)}")
    if not known.total() + unsure == stored.total() == nonces or left:
        yield f"acknowledged {known.total() + unsure}, counted {stored.total()}, nonces {nonces}, rows left {left}"
    if known - stored or (stored - known).total() != unsure:
        yield f"other reports are counted than were acknowledged: {known - stored} and {stored - known}"
    if survey.by_invitation:  # type: ignore[attr-defined]
        cards = Invitation.objects.filter(survey_id=key, spent=True).count()
        if cards != nonces:
            yield f"{cards} invitations are spent, and {nonces} responses stored"
    if list(patterns.order_by("pk")) != list(patterns.order_by("mode", "reports")):
        yield "the counts stand in another order than their own"
    if known.total() < 100:
        yield f"too little was sent on the way {name}"


if __name__ == "__main__":
    main(*sys.argv[1:])
