"""How requests, folds and emails go, counted for Prometheus: off unless the operator sets a token.

Until a server calls `start`, counting is a look at one variable. Its processes count into files of a directory of
their own, so that whichever is asked answers for all of them. docs/decisions/0046 says why requests come in batches.
"""

import os
from collections import defaultdict
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Literal

from django.conf import settings

if TYPE_CHECKING:
    from prometheus_client import Counter, Gauge, Histogram

# Of each page and class of answers so many are published at once: no series shows when a single request came.
BATCH = 20
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
MailOutcome = Literal["sent", "failed", "dropped", "given up"]


class Meters:
    """What is counted; every label has a few values that the program itself names."""

    def __init__(self, requests: "Histogram", folds: "Counter", mails: "Counter", waiting: "Gauge") -> None:
        self.folds, self.mails, self.waiting = folds, mails, waiting
        self._requests = requests
        self._pending: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
        self._lock = Lock()

    def observe(self, view: str, status: int, seconds: float) -> None:
        """Count one answer of a page; what failed here is published at once."""
        key = (view, status // 100)
        pending = self._pending[key]
        pending.append(seconds)
        if len(pending) >= BATCH or status >= 500:
            self._publish(key)

    def _publish(self, key: tuple[str, int]) -> None:
        with self._lock:
            view, kind = key
            published = self._requests.labels(view, f"{kind}xx")
            # Another thread may have published them meanwhile.
            while (pending := self._pending[key]) and (len(pending) >= BATCH or kind == 5):
                batch, self._pending[key] = pending, []
                for seconds in batch:
                    published.observe(seconds)


_meters: Meters | None = None


def start(*, answers: bool = True) -> None:
    """Count from now on; for the processes below `serve`, which clears their files, and for no other command."""
    global _meters  # noqa: PLW0603 - one for the process
    _meters = _build(answers)


@cache
def _build(answers: bool) -> Meters:
    directory = Path(settings.METRICS_DIR)
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Read by the library when it is imported, which only those do who count.
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(directory)
    from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram  # noqa: PLC0415

    registry = CollectorRegistry()
    workers = Gauge(
        "deniable_workers", "Processes that answer requests", registry=registry, multiprocess_mode="livesum"
    )
    workers.set(int(answers))
    return Meters(
        requests=Histogram(
            "deniable_request_seconds",
            f"Seconds from a request to its answer, published {BATCH} at a time",
            ["view", "status"],
            buckets=_BUCKETS,
            registry=registry,
        ),
        folds=Counter("deniable_folds", "Folds of responses into counts", ["outcome"], registry=registry),
        mails=Counter("deniable_mails", "Mails", ["outcome"], registry=registry),
        waiting=Gauge("deniable_mails_waiting", "Mails to send", registry=registry, multiprocess_mode="livemax"),
    )


def observe_request(*, view: str, status: int, seconds: float) -> None:
    """Count a request by the name of its page, never by its address."""
    if _meters is not None:
        _meters.observe(view, status, seconds)


def count_fold(*, done: bool) -> None:
    """Count a fold that moved something, or one that could not be made."""
    if _meters is not None:
        _meters.folds.labels("done" if done else "failed").inc()


def count_mail(outcome: MailOutcome) -> None:
    if _meters is not None:
        _meters.mails.labels(outcome).inc()


def set_waiting(number: int) -> None:
    """Publish how many emails wait; for housekeeping, which sends them."""
    if _meters is not None:
        _meters.waiting.set(number)


def written() -> tuple[bytes, str]:
    """Return what all processes have counted, as Prometheus reads it, and the name of that format."""
    from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, CollectorRegistry, generate_latest  # noqa: PLC0415
    from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead  # noqa: PLC0415

    directory = str(settings.METRICS_DIR)
    for path in Path(directory).glob("gauge_live*_*.db"):
        process = int(path.stem.rpartition("_")[2])
        if not _runs(process):
            mark_process_dead(process, directory)  # type: ignore[no-untyped-call]  # not annotated yet
    registry = CollectorRegistry()
    MultiProcessCollector(registry, directory)  # type: ignore[no-untyped-call]  # not annotated yet
    return generate_latest(registry), CONTENT_TYPE_PLAIN_0_0_4


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError as error:
        return isinstance(error, PermissionError)
    return True
