"""The files for SPSS and Stata name columns and codes as the codebook does, whatever texts hold.

PSPP runs the one for SPSS, and another program reads what it saved. There is no Stata here: a strict reader takes the
do-file apart, and refuses every line that is not of the few shapes that the file may have.
"""

import os
import re
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.exporting.files.syntax import SPSS_LABEL, SPSS_VALUE_LABEL, STATA_LABEL, cut, spss_text, stata_text
from surveys.exporting.selectors import column_name
from surveys.models import Group, Survey
from tests.exporting.reports import download, fill_randomly, table_of
from tests.factories import (
    PROTECTED,
    every_kind,
    make_open,
    one_of,
    plain,
    scale,
    several_of,
    yes_no,
)
from tests.pages import owner_of
from tests.programs import PSPP

pytestmark = pytest.mark.django_db

LONG = "Längst – " + "äöü€ " * 90 + "end"
HOSTILE = (
    'it\'s "so"',
    "*/ quit. /* x",
    "`c(pwd)' $S_DATE `\"a\"'",
    "שָׁלוֹם, עולם",
    "'. EXECUTE.",
    "=1+1",
    "\\`x' \\$y \\",
    "emoji 🂡 // ///",
    LONG[:119].strip(),
    "## {braces} %s",
)
_GROUPS = (("north", "North 'n' \"n\" `n' $n"), ("-1", "=South"), ("a" * 40, "Öst"))


@pytest.fixture
def survey() -> Survey:
    survey = make_open(
        *every_kind(),
        one_of(HOSTILE, text=LONG[:400]),
        several_of(HOSTILE[:5], text="* \"Which\" of 'these' /* do `you' $know?"),
        scale("Scale, or not saying?", **PROTECTED),
        title="A 'title'. */ \"with\" `all' $of it",
    )
    for number, (slug, name) in enumerate(_GROUPS):
        fill_randomly(survey, 40, seed=number, group=Group.objects.create(survey=survey, slug=slug, name=name))
    fill_randomly(survey, 30, seed=9)
    return close_survey(survey=survey)


def _line(text: str) -> str:
    return " ".join(text.split())


def _expected_labels(survey: Survey, most: int, size: Any) -> dict[str, str]:  # noqa: ANN401 - a measure
    return {
        column_name(item): cut(
            f"{'Randomized report' if item.protects else 'Answer as sent'}: {_line(item.title)}", most, size
        )
        for item in definition_of(survey).items
    }


def _codes(survey: Survey) -> dict[str, dict[int, str]]:
    """Return what the codebook calls each code of each column."""
    head, rows = table_of(download(owner_of(survey), survey, "survey-export-codebook-csv"))
    codes: dict[str, dict[int, str]] = {}
    for row in rows:
        line = dict(zip(head, row, strict=True))
        codes.setdefault(line["column"], {})[int(line["code"])] = _line(line["report"].removeprefix("'"))
    return codes


def _bytes(text: str) -> int:
    return len(text.encode())


# SPSS


class _Saved(NamedTuple):
    columns: dict[str, list[Any]]
    labels: dict[str, str]
    values: dict[str, dict[Any, str]]
    levels: dict[str, str]


def _run_by_pspp(survey: Survey, folder: Path) -> _Saved:
    """Save syntax and codes as their readers would, run the one on the other, and read what it made."""
    client = owner_of(survey)
    syntax, program = f"responses-{survey.code}.sps", PSPP.find()
    if program is None:
        pytest.skip(PSPP.how_to_install)
    (folder / syntax).write_bytes(download(client, survey, "survey-export-spss"))
    (folder / f"responses-{survey.code}.csv").write_bytes(download(client, survey, "survey-export-csv"))
    (folder / "all.sps").write_text(f"INSERT FILE='{syntax}' ERROR=STOP.\nSAVE OUTFILE='saved.sav'.\n")
    done = subprocess.run(
        [program, "--algorithm=compatible", "all.sps"],
        capture_output=True,
        text=True,
        cwd=folder,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    columns, about = pytest.importorskip("pyreadstat").read_sav(str(folder / "saved.sav"), output_format="dict")
    return _Saved(dict(columns), about.column_names_to_labels, about.variable_value_labels, about.variable_measure)


def test_pspp_reads_every_row_as_it_stands_in_the_file(survey: Survey, tmp_path: Path) -> None:
    saved = _run_by_pspp(survey, tmp_path)
    head, rows = table_of((tmp_path / f"responses-{survey.code}.csv").read_bytes())
    assert list(saved.columns) == head
    for name, cells in zip(head, zip(*rows, strict=True), strict=True):
        wanted = cells if name in {"group", "mode"} else tuple(float(cell) if cell else None for cell in cells)
        assert tuple(saved.columns[name]) == wanted, name
    assert {"'-1", "north", ""} <= set(saved.columns["group"])


def test_pspp_labels_columns_and_codes_as_the_codebook_does(survey: Survey, tmp_path: Path) -> None:
    saved = _run_by_pspp(survey, tmp_path)
    expected = _expected_labels(survey, SPSS_LABEL, _bytes)
    assert {name: saved.labels[name] for name in expected} == expected
    assert any(label.endswith("…") for label in expected.values())
    for name, codes in _codes(survey).items():
        assert saved.values[name] == {code: cut(text, SPSS_VALUE_LABEL, _bytes) for code, text in codes.items()}
    groups = saved.values["group"]
    assert {slug: groups[slug] for slug in ("north", "'-1", "a" * 40)} == {
        "north": _GROUPS[0][1],
        "'-1": "=South",
        "a" * 40: "Öst",
    }
    assert saved.values["mode"]["own_coin"] == "The respondent’s own coins"


def test_levels_of_measurement_follow_the_kind(survey: Survey, tmp_path: Path) -> None:
    saved = _run_by_pspp(survey, tmp_path)
    kinds = {column_name(item): (item.kind, item.leave_out) for item in definition_of(survey).items}
    levels = {kind: saved.levels[name] for name, kind in kinds.items()}
    assert {levels[kind] for kind in levels if kind[0] in {"yes_no", "one_of", "several_of"}} == {"nominal"}
    numbers = {kind for kind in levels if kind[0] in {"number_mean", "number_bands", "scale"}}
    assert {levels[kind] for kind in numbers if kind[1] != "protected"} == {"ordinal"}
    # "Prefer not to say" is a code too, and comes after none of the others.
    assert {levels[kind] for kind in numbers if kind[1] == "protected"} == {"nominal"}
    assert saved.levels["group"] == saved.levels["mode"] == "nominal"


def test_an_answer_that_was_not_randomized_is_not_called_a_report(tmp_path: Path) -> None:
    survey = make_open(yes_no(), plain())
    fill_randomly(survey, 40)
    saved = _run_by_pspp(close_survey(survey=survey), tmp_path)
    assert saved.labels["q1"].startswith("Randomized report: ")
    assert saved.labels["q2"].startswith("Answer as sent: ")


def test_arms_are_labelled(tmp_path: Path) -> None:
    arms = ({"name": "It's one", "weight": 1}, {"name": "Other", "weight": 1})
    survey = make_open(yes_no(), yes_no("Another?", arms=(2,)), arms=arms)
    syntax = download(owner_of(survey), survey, "survey-export-spss").decode()
    assert "\n    arm F3.0\n    group A" in syntax
    assert re.search(r"/arm\n    0 'It''s one'\n    1 'Other'\n", syntax)


def test_no_line_of_the_syntax_is_longer_than_spss_takes(survey: Survey) -> None:
    content = download(owner_of(survey), survey, "survey-export-spss")
    assert content.startswith(b"\xef\xbb\xbf* Encoding: UTF-8.\n")
    assert max(map(len, content.split(b"\n"))) <= 256
    # In batches each command begins in the first column, and nothing else does.
    commands = ("*", "GET", "VARIABLE", "VALUE", "EXECUTE")
    assert all(line.startswith((*commands, " ")) for line in content.decode("utf-8-sig").splitlines())


@given(st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), max_size=120))
def test_a_text_of_spss_is_what_its_pieces_say(text: str) -> None:
    pieces = re.fullmatch(r"'(?:[^']|'')*'(?: \+\n      '(?:[^']|'')*')*", spss_text(text))
    assert pieces
    assert "".join(piece[1:-1].replace("''", "'") for piece in spss_text(text).split(" +\n      ")) == text


# Stata

_EXPRESSION = r'(?:"[^"`$\\/*\']*"|uchar\(\d+\))(?: \+ (?:"[^"`$\\/*\']*"|uchar\(\d+\)))*'
_IMPORT = (
    r'import delimited using "responses-\w+\.csv", clear varnames\(1\) case\(preserve\) delimiters\(","\) '
    r'encoding\("UTF-8"\) ///\n    numericcols\(([\d ]+)\) stringcols\(([\d ]+)\)\n'
)


class _DoFile:
    """What a do-file says, read by its only shapes: anything else in it is refused."""

    def __init__(self, content: str) -> None:
        head, imported, rest = (
            re.split(rf"(?=import delimited)({_IMPORT})", content)[:1],
            re.search(_IMPORT, content),
            "",
        )
        assert imported
        assert re.fullmatch(r"(?:\* [\w ,.:\-]+\n)+version 14\n", head[0])
        self.numbers, self.texts = (list(map(int, imported[at].split())) for at in (1, 2))
        rest = content[imported.end() :]
        block = re.fullmatch(r'label data "Reports of survey \w+"\nmata:\n((?:.+\n)+)end\n', rest)
        assert block
        self.labels: dict[str, str] = {}
        self.values: dict[str, dict[int, str]] = {}
        self.attached: dict[str, str] = {}
        self.notes: dict[str, dict[str, str]] = {}
        for line in block[1].splitlines():
            self._read(line)

    def _read(self, line: str) -> None:
        if found := re.fullmatch(rf'st_varlabel\("(\w+)", ({_EXPRESSION})\)', line):
            self.labels[found[1]] = _spoken(found[2])
        elif found := re.fullmatch(rf'st_vlmodify\("(\w+)", (\d+), ({_EXPRESSION})\)', line):
            self.values.setdefault(found[1], {})[int(found[2])] = _spoken(found[3])
        elif found := re.fullmatch(r'st_varvaluelabel\("(\w+)", "(\w+)"\)', line):
            self.attached[found[1]] = found[2]
        elif found := re.fullmatch(rf'st_global\("(\w+)\[(note\d+)\]", ({_EXPRESSION})\)', line):
            self.notes.setdefault(found[1], {})[found[2]] = _spoken(found[3])
        else:
            raise AssertionError(line)


def _spoken(expression: str) -> str:
    return "".join(
        chr(int(part[6:-1])) if part.startswith("uchar(") else part[1:-1]
        for part in re.findall(r'"[^"]*"|uchar\(\d+\)', expression)
    )


def test_the_do_file_says_what_the_codebook_says(survey: Survey) -> None:
    content = download(owner_of(survey), survey, "survey-export-stata").decode()
    read = _DoFile(content)
    head, _rows = table_of(download(owner_of(survey), survey, "survey-export-csv"))
    assert [head[place - 1] for place in read.texts] == ["group", "mode"]
    assert sorted(read.numbers + read.texts) == list(range(1, len(head) + 1))
    assert list(read.labels) == head
    expected = _expected_labels(survey, STATA_LABEL, len)
    assert {name: read.labels[name] for name in expected} == expected
    assert read.values == _codes(survey)
    assert read.attached == {name: name for name in read.values}
    assert set(read.notes["group"].values()) >= {f"north: {_GROUPS[0][1]}", "'-1: =South"}
    assert read.notes["group"]["note0"] == str(len(read.notes["group"]) - 1)


@example("".join(HOSTILE))
@given(st.text(st.characters(codec="utf-8")))
def test_a_text_of_stata_is_one_expression_that_nothing_in_it_can_end(text: str) -> None:
    written = stata_text(text)
    assert re.fullmatch(_EXPRESSION, written)
    assert written.isprintable()
    assert _spoken(written) == text


def test_the_reader_of_do_files_refuses_what_a_text_could_end(survey: Survey) -> None:
    content = download(owner_of(survey), survey, "survey-export-stata").decode()
    planted = content.replace("uchar(96)", '"`"', 1)
    assert planted != content
    with pytest.raises(AssertionError):
        _DoFile(planted)


# Both


def test_every_name_is_one_that_both_programs_take() -> None:
    survey = make_open(
        *(several_of([f"Option {number}" for number in range(20)], text=f"Which {at}?") for at in range(7))
    )
    names = [column_name(item) for item in definition_of(survey).items]
    assert len(names) == len(set(names)) == 140
    assert all(re.fullmatch(r"q\d{1,2}(_[a-t])?", name) for name in names)


@pytest.mark.parametrize("most", [1, 3, 4, 80])
@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_what_is_cut_says_so_and_fits(most: int, text: str) -> None:
    for size in (len, _bytes):
        written = cut(text, max(most, size("…")), size)
        assert size(written) <= max(most, size("…"))
        assert written == text or (written.endswith("…") and text.startswith(written[:-1]))
