"""Keeps a database of the version that is about to be released, for the tests of every later one.

`python -m tests.upkeep.released_version` writes a backup, and what it holds as JSON, to `released/`: of SQLite, and of
PostgreSQL where one is installed. Run it once, when a version is released; what it wrote is never written again.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

from tests.postgresql import postgresql
from tests.programs import POSTGRESQL
from tests.server import ROOT, environment

RELEASED = Path(__file__).parent / "released"
_IN_A_DATABASE = "import tests.upkeep.released_version as kept; kept.fill_and_keep()"


def fill_and_keep() -> None:
    """Fill an empty database with something of every kind, and write a backup of it."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    from surveys import __version__
    from surveys.upkeep.services.backing_up import back_up
    from tests.upkeep.holding import holding

    call_command("migrate", verbosity=0)
    _fill()
    with tempfile.TemporaryDirectory() as directory:
        written = back_up(to=Path(directory), passphrase="")
        name = f"{__version__}.{connection.vendor}"
        shutil.move(written.path, RELEASED / f"{name}.backup")
    (RELEASED / f"{name}.json").write_text(json.dumps(holding(), indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _fill() -> None:
    from surveys.accounts.services.sign_up import invite_instructor
    from surveys.course.services import begin_next_version, close_survey, purge_survey, seal_survey
    from surveys.drafts.services.groups import add_group
    from surveys.models import Membership
    from surveys.releases.services import releasing
    from surveys.sharing.services import invite, new_batch
    from tests.factories import every_kind, fill, make_admin, make_draft, make_open, make_user, send, yes_no
    from tests.releases.setting import make_release, published_release, ready_survey

    releasing.STEP_SECONDS = 0
    admin, owner = make_admin("admin"), make_user("owner")
    ready = ready_survey(epsilon=4, owner=owner, delta=Fraction(1, 10**5), code="RENTED")
    published_release(ready, user=admin)
    releasing.withdraw(release=published_release(ready, user=admin), user=admin)
    make_release(ready, user=admin)
    send(ready, "1")
    Membership.objects.create(survey=ready, user=make_user("helper"), role="editor")
    draft = make_draft(*every_kind(), owner=owner, code="DRAFTED")
    add_group(survey=draft, name="Morning")
    every = make_open(*every_kind(), owner=owner, code="EVERY")
    begin_next_version(survey=every)
    invited = make_open(yes_no(), owner=owner, by_invitation=True, code="WANTED")
    tokens = invite(survey=invited, number=3, batch=new_batch()).tokens
    send(invited, "1", token=tokens[0])
    for code, end in (("CHASED", None), ("SEAM", seal_survey), ("PARTED", purge_survey)):
        survey = make_open(yes_no(), yes_no("And again?"), owner=owner, code=code)
        fill(survey, {"10": 9, "01": 8, "-1": 3})
        closed = close_survey(survey=survey)
        if end is not None:
            end(survey=closed)
    invite_instructor(email="new@example.org", mail=False)


def main() -> None:
    """Write the files of this version."""
    RELEASED.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as directory:
        _keep(Path(directory, "sqlite"), {})
        programs = POSTGRESQL.find()
        if programs is not None:
            with postgresql(programs) as url:
                _keep(Path(directory, "postgresql"), {"DATABASE_URL": url})


def _keep(directory: Path, variables: dict[str, str]) -> None:
    settings = {"DJANGO_SETTINGS_MODULE": "surveys.settings", "PATH": os.environ["PATH"]}
    subprocess.run(
        [sys.executable, "-c", _IN_A_DATABASE], cwd=ROOT, env=environment(directory) | settings | variables, check=True
    )


if __name__ == "__main__":
    main()
