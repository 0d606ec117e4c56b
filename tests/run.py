"""Runs all that must hold, side by side, and says how far it is and what took how long: `python -m tests.run`.

With parts' names only those; with --all also the tests that are marked slow, and the count of all lines; with
--shuffle SEED the tests in another order.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from tests import programs
from tests.property_profile import ALL_EXAMPLES

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
MATHEMATICS = ("tests/privacy", "tests/estimation", "tests/learn/learners")
# Tests with a browser, and those that only loop more often than others or wait for other programs, would cover nothing
# more: counting would slow them.
QUICK = "not slow and not studies"
COUNTED = f"{QUICK} and not uncounted and not browser"
# One more than there are processors: tests with a browser or another program wait a third of their time.
WORKERS = str((os.cpu_count() or 1) + 1)
COVERAGE = BIN / "coverage"
NO_SKIPS = {"TESTS_NO_SKIPS": "1"}
PYTEST = ("-m", "pytest", "--quiet")
SAID_EVERY = 5 if sys.stdout.isatty() else 30
Command = Sequence[str | Path]


@dataclass(slots=True)
class Part:
    """A part of the run: its commands, of which the first that fails ends it, and what became of them."""

    name: str
    commands: Sequence[Command]
    variables: dict[str, str] = field(default_factory=dict)
    log: Path = Path(os.devnull)
    started: float | None = None
    seconds: float | None = None
    failed: bool = False

    def run(self) -> None:
        self.started = time.monotonic()
        with self.log.open("wb") as log:
            self.failed = any(_fails(command, log.fileno(), self.variables) for command in self.commands)
        self.seconds = time.monotonic() - self.started

    @property
    def output(self) -> str:
        return self.log.read_text(errors="replace")

    @property
    def state(self) -> str:
        """How far it is, in a word."""
        if self.seconds is not None:
            return "failed" if self.failed else "done"
        percents = re.findall(r"\[ *(\d+%)\]", self.output)
        return percents[-1] if percents else "runs" if self.started else "waits"

    @property
    def tests(self) -> str:
        """What pytest says that became of the tests, if they were any."""
        ends = re.findall(r"^(?:=+ )?(\d+ (?:passed|failed)[^=\n]*?) in \d", self.output, re.MULTILINE)
        return f": {ends[-1]}" if ends else ""


def _fails(command: Command, log: int, variables: dict[str, str]) -> bool:
    # Bytecode is kept: without it every process would translate all tests again. Every processor has a process already,
    # and threads of linear algebra would wait for one another.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = kept | {"OPENBLAS_NUM_THREADS": "1"} | variables
    with _STARTING:
        if _ENDED.is_set():
            return True
        # In a group of its own, in which the workers of tests and the servers that they start are ended with it.
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log, process_group=0)
        _STARTED.append(process)
    return bool(process.wait())


_STARTED: list[subprocess.Popen[bytes]] = []
_STARTING = threading.RLock()
_ENDED = threading.Event()


def _end(number: int, _frame: object) -> None:
    """End what was started, and this."""
    with _STARTING:
        _ENDED.set()
        for process in _STARTED:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
    raise SystemExit(128 + number)


def lanes(*, everything: bool, options: Sequence[str] = ()) -> list[list[Part]]:
    """Return what runs side by side, and in each lane one after the other."""

    def by_workers(name: str, marks: str) -> Part:
        spread = ("--numprocesses", WORKERS, "--dist", "worksteal")
        return Part(name, [(sys.executable, *PYTEST, *options, *spread, "-m", marks)], testing)

    testing = NO_SKIPS | ({ALL_EXAMPLES: "1"} if everything else {})
    if not everything:
        return [_checks(), [by_workers("tests", QUICK)]]
    others = [*_counting(*(f"--ignore={path}" for path in MATHEMATICS)), *options]
    counted = Part("other tests, lines counted", [others], testing | _counted("others"))
    uncounted = by_workers("browsers and simulations", f"not studies and not ({COUNTED})")
    # Lines are counted in one process: beside more than two others it would be the last one, alone on a processor.
    return [[*_checks(), _branches(testing)], [counted], [uncounted, _on_postgresql()]]


def _branches(testing: dict[str, str]) -> Part:
    """Return the tests of the mathematics, which have to take every branch of it: counting takes as long again."""
    mathematics = "surveys/privacy/*,surveys/estimation/*,surveys/learn/learners/*"
    reported = (COVERAGE, "report", "--fail-under=100", f"--include={mathematics}")
    return Part("branches", [_counting(*MATHEMATICS), reported], testing | _counted("mathematics"))


def _counting(*paths: str) -> Command:
    # To look for greenlets, which the browser tests' library has, would take a fifth longer.
    return (COVERAGE, "run", "--concurrency=thread", *PYTEST, "-m", COUNTED, *paths)


def _counted(name: str) -> dict[str, str]:
    return {"COVERAGE_FILE": str(_counts(name))}


def _counts(name: str) -> Path:
    return BIN.parent / f"coverage.{name}"


def _all_lines() -> Part:
    total = f"--data-file={_counts('total')}"
    combined = (COVERAGE, "combine", "--keep", "--quiet", total, _counts("mathematics"), _counts("others"))
    return Part("95% of all lines", [combined, (COVERAGE, "report", total, "--fail-under=95")])


def _checks() -> list[Part]:
    def settings(key: str) -> dict[str, str]:
        return {"DENIABLE_LOCAL_DEMO": "1", "DENIABLE_SECRET_KEY": f"only-for-the-{key}-of-this-code"}

    style = [
        (BIN / "ruff", "format", "--check", "."),
        (BIN / "ruff", "check", "."),
        (BIN / "djlint", "--lint", "--quiet", "templates"),
    ]
    return [
        Part("lint", style),
        Part("types", [(BIN / "mypy",)], settings("types")),
        Part("contracts", [(BIN / "lint-imports",)], settings("contracts")),
    ]


def _on_postgresql() -> Part:
    return Part("postgresql", [(sys.executable, "-m", "tests.on_postgresql")])


def _studies() -> Part:
    workers = ("--numprocesses", str(os.cpu_count() or 1), "--dist", "worksteal")
    places = ("tests/credit", "tests/estimation", "tests/results")
    return Part("studies", [(sys.executable, "-m", "pytest", "--quiet", *workers, "-m", "studies", *places)])


def run(beside: list[list[Part]], after: Sequence[Part] = ()) -> list[Part]:
    """Run the lanes to their end, whatever fails in them, then what needs them all; say how far they are."""
    parts = [part for lane in beside for part in lane]
    with tempfile.TemporaryDirectory(prefix="deniable-run-") as directory, ThreadPoolExecutor(len(beside)) as pool:
        for number, part in enumerate([*parts, *after]):
            part.log = Path(directory, f"{number}.log")
            part.log.touch()
        started = reported = time.monotonic()
        lanes = [pool.submit(_run_all, lane) for lane in beside]
        while not all(lane.done() for lane in lanes):
            time.sleep(0.2)
            if time.monotonic() - reported > SAID_EVERY:
                reported = time.monotonic()
                states = " · ".join(f"{part.name}: {part.state}" for part in parts)
                _say(f"{_clock(reported - started)}  {states}")
        for lane in lanes:
            lane.result()
        _run_all(after)
        parts = [*parts, *after]
        for part in parts:
            if part.failed:
                _say(f"\n--- {part.name} ---\n{part.output}")
        _say("\nWhat was run, and how long it took (side by side):")
        for part in parts:
            _say(f"  {part.name:<28}{_clock(part.seconds or 0):>6}  {part.state}{part.tests}")
        _say(f"  {'all of it':<28}{_clock(time.monotonic() - started):>6}")
    return parts


def _run_all(parts: Sequence[Part]) -> None:
    for part in parts:
        part.run()


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "parts", nargs="*", metavar="PART", help="only lint, types, contracts, branches, postgresql or studies"
    )
    options.add_argument("--all", action="store_true", help="also what is marked slow, and the count of all lines")
    options.add_argument("--shuffle", metavar="SEED", help="the tests in an order that follows from this number")
    chosen = options.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _end)
    if chosen.parts:
        parts = (*_checks(), _branches(NO_SKIPS), _on_postgresql(), _studies())
        done = run([[part for part in parts if part.name in chosen.parts]])
    elif programs.main([]):
        return 1
    else:
        shuffled = () if chosen.shuffle is None else ("--shuffle", chosen.shuffle)
        done = run(lanes(everything=chosen.all, options=shuffled), after=[_all_lines()] if chosen.all else [])
    return 1 if any(part.failed for part in done) else 0


if __name__ == "__main__":
    raise SystemExit(main())
