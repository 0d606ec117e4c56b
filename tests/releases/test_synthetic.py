"""The file of synthetic respondents is read whole by the documented lines, whatever its texts hold."""

import csv
import re
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from surveys.models import Mechanism
from tests.factories import fill, make_budget, make_open, numbers_of, one_of, yes_no
from tests.privacy.chance import seeded
from tests.programs import RSCRIPT
from tests.releases.setting import published_release

pytestmark = pytest.mark.django_db

JOINT: dict[str, Any] = {"mechanism": Mechanism.JOINT_TABLE, "options": {"outcome": "2"}, "epsilon": Fraction(4)}
HOSTILE = ("C# or F#", "NA", "1.0", 'say "#', "# ünïcode 🂡", "a, b", "TRUE", "None")
_READING = re.compile(r"Skip the four lines.*?```r\n(.+?)```.*?```python\n(.+?)```", re.DOTALL)


def _hostile_file(client: Client, folder: Path) -> tuple[Path, list[list[str]]]:
    """Save synthetic respondents whose texts hold all that readers of tables take for something else."""
    questions = one_of(HOSTILE, text='Which "#1" of these?'), yes_no("Did you post with #homework?", leave_out="no")
    survey = make_open(*questions, title='Hash #1, and "one quotation mark')
    fill(survey, {f"{code}{code % 2}": 50 for code in range(len(HOSTILE))})
    make_budget(survey, 10)
    release = published_release(survey, questions=numbers_of(survey), **JOINT, randbelow=seeded(1))
    path = folder / "synthetic-ID.csv"
    path.write_bytes(client.get(f"/r/{release.pk}/synthetic.csv").content)
    with path.open(encoding="utf-8-sig", newline="") as file:
        label = [next(file) for _ in range(4)]
        rows = list(csv.reader(file))
    assert all(line.startswith("# ") and '"' not in line for line in label)
    return path, rows


def test_below_four_lines_without_quotation_marks_every_text_is_whole(client: Client, tmp_path: Path) -> None:
    _path, (head, *rows) = _hostile_file(client, tmp_path)
    assert sorted(head) == ["Did you post with #homework?", 'Which "#1" of these?']
    assert len(rows) == 400
    assert {cell for row in rows for cell in row} == {*HOSTILE, "Yes", "No"}


def test_the_line_of_r_in_the_documents_reads_every_text(client: Client, tmp_path: Path) -> None:
    rscript = RSCRIPT.find()
    if rscript is None:
        pytest.skip(RSCRIPT.how_to_install)
    path, expected = _hostile_file(client, tmp_path)
    lines = _READING.search((settings.BASE_DIR / "docs" / "formats.md").read_text(encoding="utf-8"))
    assert lines
    program = (
        f"read <- {lines[1]}\nfor (text in c(names(read), t(as.matrix(read)))) cat(utf8ToInt(enc2utf8(text)), '\\n')"
    )
    done = subprocess.run(
        [rscript, "--vanilla", "-e", program], capture_output=True, text=True, cwd=path.parent, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    read = ["".join(map(chr, map(int, line.split()))) for line in done.stdout.splitlines()]
    assert read == [cell for row in expected for cell in row]
