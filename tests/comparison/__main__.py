"""What a change of the code changes for people: nothing, or what is printed here.

`python -m tests.comparison write FOLDER` fills a database and keeps it with every answer; with other code
`python -m tests.comparison check FOLDER` fills one anew, shows the kept one, and prints what is another.
"""

import argparse
import datetime as dt
import functools
import itertools
import json
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

_REAL_TIME = time.monotonic
_SHOWN = 40
Answers = Iterator[tuple[str, bytes]]


def main() -> int:
    """Read the command line, and run."""
    parser = argparse.ArgumentParser(prog="python -m tests.comparison", description=__doc__)
    parser.add_argument("what", choices=("write", "check"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--visitor", default="", help="look through the eyes of this one only")
    options = parser.parse_args()
    if options.what == "write" and options.folder.exists() and any(options.folder.iterdir()):
        parser.error(f"{options.folder} is not empty")
    with tempfile.TemporaryDirectory(prefix="comparison-") as directory:
        working = Path(directory) / "working.sqlite3"
        _begin(working)
        made = _made(options.folder, working, options.visitor, writing=options.what == "write")
        return write(options.folder, made) if options.what == "write" else check(options.folder, made, options.visitor)


def _begin(working: Path) -> None:
    """Let Django begin in a world that stands still, with its database at this place."""
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "DATABASE_URL": f"sqlite:///{working}",
        "DENIABLE_ALLOWED_HOSTS": "testserver",
        "DENIABLE_ADDRESS": "http://testserver",
        "COLUMNS": "100",
    }
    from tests.comparison import standing

    standing.stand_still()
    import django
    from django.conf import settings

    django.setup()
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"


def _made(folder: Path, working: Path, visitor: str, *, writing: bool) -> Answers:
    """Yield everything with its name: first the database and what is to be asked of it, then the answers."""
    from django.db import connection

    from tests.comparison import product, standing, visits
    from tests.security.looks import forget

    plan = product.fill()
    yield "database.txt", visits.database()
    yield "plan.json", json.dumps(plan, indent=1, ensure_ascii=False).encode()
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    kept = folder / "filled.sqlite3"
    if writing:
        shutil.copyfile(working, kept)
    else:
        # What an earlier state of the code has stored is shown by this one.
        shutil.copyfile(kept, working)
        plan = json.loads((folder / "plan.json").read_bytes())
    forget()
    # Everybody is signed in still.
    standing.Clock.now = standing.NOW + dt.timedelta(hours=4)
    if not visitor:
        yield from visits.beside(plan)
    connection.close()
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(os.cpu_count(), context, _on_a_copy, (working,)) as pool:
        # Hundreds of megabytes take minutes through a pipe.
        answers = working.parent / "answers"
        for names in pool.map(functools.partial(_visited, plan, answers), visits.parts(plan, visitor)):
            yield from ((name, (answers / name).read_bytes()) for name in names)


def _on_a_copy(working: Path) -> None:
    """Give this process a database of its own."""
    from django.db import connection

    own = f"{working}.{os.getpid()}"
    shutil.copyfile(working, own)
    connection.settings_dict["NAME"] = own


def _visited(plan: Mapping[str, Any], into: Path, part: tuple[str, str]) -> list[str]:
    from tests.comparison import visits

    return [_keep(into, name, content) for name, content in visits.visit(plan, *part)]


def _keep(folder: Path, name: str, content: bytes) -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return name


def write(folder: Path, made: Answers) -> int:
    """Keep all answers, a file each."""
    statuses: Counter[str] = Counter()
    began = _REAL_TIME()
    for name, content in _announced(made):
        _keep(folder, name, content)
        statuses[_status(content)] += 1
    _say(f"{statuses.total():,} written in {_REAL_TIME() - began:.0f} s: {dict(sorted(statuses.items()))}")
    return 0


def check(folder: Path, made: Answers, visitor: str = "") -> int:
    """Say what is not as it was kept, those together that differ in the same lines; 1 if anything."""
    differences: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    missing = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.suffix in {".txt", ".json"}}
    missing = {name for name in missing if not visitor or name.startswith((f"{visitor}/", "database", "plan"))}
    count, began = 0, _REAL_TIME()
    for name, content in _announced(made):
        count += 1
        before = (folder / name).read_bytes() if name in missing else b""
        missing.discard(name)
        if before != content:
            differences[_first_difference(before, content)].append(name)
    for name in sorted(missing):
        differences[_first_difference((folder / name).read_bytes(), b"")].append(name)
    for (was, now), names in itertools.islice(differences.items(), _SHOWN):
        _say(f"{len(names)} such as {names[0]}\n  - {was[:500]}\n  + {now[:500]}")
    differing = sum(map(len, differences.values()))
    _say(f"{count:,} compared in {_REAL_TIME() - began:.0f} s, {differing:,} differ in {len(differences):,} ways")
    return int(differing > 0 or count == 0)


def _announced(made: Answers) -> Answers:
    """Say on the way how far it has come."""
    for part, answers in itertools.groupby(made, lambda answer: "/".join(answer[0].split("/")[:-1])):
        one_after_another = list[str]()
        for name, content in answers:
            one_after_another.append(name)
            yield name, content
        _say(f"{part or 'database'}: {len(one_after_another):,}")


def _status(content: bytes) -> str:
    head = content.split(b"\n", 2)
    return head[1].decode() if head[0].startswith(b"Request(") else "other"


def _first_difference(before: bytes, now: bytes) -> tuple[str, str]:
    lines = (text.decode("utf-8", "replace").split("\n") for text in (before, now))
    return next(pair for pair in itertools.zip_longest(*lines, fillvalue="(nothing)") if pair[0] != pair[1])


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    # Sets have one order, and sums are added up in one order, in every process.
    pinned = {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}
    if any(os.environ.get(name) != value for name, value in pinned.items()):
        os.execve(sys.executable, [sys.executable, "-m", "tests.comparison", *sys.argv[1:]], os.environ | pinned)  # noqa: S606
    raise SystemExit(main())
