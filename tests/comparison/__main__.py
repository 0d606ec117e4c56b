"""`python -m tests.comparison write FOLDER`, then, with other code, `python -m tests.comparison check FOLDER`."""

import argparse
import datetime as dt
import itertools
import json
import os
import shutil
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

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
    with tempfile.TemporaryDirectory(prefix="comparison-") as directory:
        working = Path(directory) / "working.sqlite3"
        _begin(working)
        made = _made(options.folder, working, options.visitor, writing=options.what == "write")
        return (
            _write(options.folder, made) if options.what == "write" else _check(options.folder, made, options.visitor)
        )


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
    standing.Clock.now = standing.NOW + dt.timedelta(days=1)
    yield from visits.answers(plan, visitor)


def _write(folder: Path, made: Answers) -> int:
    if folder.exists() and any(folder.iterdir()):
        sys.exit(f"{folder} is not empty")
    folder.mkdir(parents=True, exist_ok=True)
    statuses: Counter[str] = Counter()
    began = _REAL_TIME()
    for name, content in _told(made):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        statuses[_status(content)] += 1
    print(f"{sum(statuses.values()):,} written in {_REAL_TIME() - began:.0f} s: {dict(sorted(statuses.items()))}")
    return 0


def _told(made: Answers) -> Answers:
    """Say on the way how far it has come."""
    for part, answers in itertools.groupby(made, lambda answer: "/".join(answer[0].split("/")[:-1][:2])):
        count = 0
        for count, answer in enumerate(answers, start=1):
            yield answer
        print(f"{part or 'database'}: {count:,}", file=sys.stderr)


def _status(content: bytes) -> str:
    head = content.split(b"\n", 2)
    return head[1].decode() if head[0].startswith(b"Request(") else "other"


def _check(folder: Path, made: Answers, visitor: str) -> int:
    differences: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    missing = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.suffix in {".txt", ".json"}}
    if visitor:
        missing = {name for name in missing if name.startswith((f"{visitor}/", "database", "plan"))}
    count, began = 0, _REAL_TIME()
    for name, content in _told(made):
        count += 1
        path = folder / name
        if name not in missing:
            differences["", "is new"].append(name)
            continue
        missing.remove(name)
        if (before := path.read_bytes()) != content:
            differences[_first_difference(before, content)].append(name)
    for name in sorted(missing):
        differences["is missing", ""].append(name)
    for (was, now), names in itertools.islice(differences.items(), _SHOWN):
        print(f"{len(names)} such as {names[0]}\n  - {was[:500]}\n  + {now[:500]}")
    differing = sum(map(len, differences.values()))
    print(f"{count:,} compared in {_REAL_TIME() - began:.0f} s, {differing:,} differ in {len(differences):,} ways")
    return int(differing > 0)


def _first_difference(before: bytes, now: bytes) -> tuple[str, str]:
    lines = (text.decode("utf-8", "replace").splitlines() for text in (before, now))
    return next(
        (pair for pair in itertools.zip_longest(*lines, fillvalue="(nothing)") if pair[0] != pair[1]),
        ("", "other ends of lines"),
    )


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.execve(
            sys.executable,
            [sys.executable, "-m", "tests.comparison", *sys.argv[1:]],
            os.environ | {"PYTHONHASHSEED": "0"},
        )
    raise SystemExit(main())
