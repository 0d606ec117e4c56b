"""The figures file: what pages show of arms, lists and anchors, and nothing that they do not show."""

import json
import re
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.exporting.files.programs import ABSENT, FOUND, parts_computed
from surveys.models import Survey
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.results import tabs
from tests.exporting.core_numbers import expected_numbers, of_anchor
from tests.exporting.reports import download, table_of
from tests.exporting.running import BLOCKING, differences, numbers, outputs, run, saved
from tests.factories import SENSITIVE, crosswise, fill, item_count, make_open, plain, scale, two_lists, yes_no
from tests.pages import owner_of, page_of, tables_of, words_of
from tests.results.grouping import group_of

pytestmark = pytest.mark.django_db
ARMS = [{"name": "Short", "weight": 1}, {"name": "Long", "weight": 1}]
PLAIN: dict[str, Any] = {"design": "plain", "parameters": {}}
OTHERS = ("I like tea", "I ski", "I have a twin")


def rows_of(survey: Survey) -> dict[tuple[str, ...], str]:
    """The table by what stands in its columns."""
    head, rows = table_of(download(owner_of(survey), survey, "survey-export-figures-csv"))
    assert head == ["figure", "item", "report", "with_item", "with_report", "group", "arm", "number"]
    table = {tuple(row[:-1]): row[-1] for row in rows}
    assert len(table) == len(rows)
    return table


@pytest.fixture
def lists() -> Survey:
    """Two lists sent as they are, the statement asked directly, and a plain question that makes combinations small."""
    survey = make_open(
        plain(("Arts", "Science", "Law", "Medicine")),
        *two_lists(**PLAIN),
        yes_no("Cheated?", quantity=1, **PLAIN),
        yes_no("All?", leave_out="no"),
        arms=ARMS,
    )
    control, treatment = ([20, 61, 50, 13], [10, 18, 12, 10]), ([13, 45, 50, 22, 10], [0, 13, 14, 16, 12])
    counts: Counter[str] = Counter()
    for answer in (0, 1):
        for code, n in enumerate(control[answer]):
            counts.update(f"{place % 4}{code}-{answer}{place % 2}0" for place in range(n))
        for code, n in enumerate(treatment[answer]):
            counts.update(f"{place % 4}-{code}{answer}{place % 2}1" for place in range(n))
    fill(survey, dict(counts))
    return close_survey(survey=survey)


def test_a_list_that_rows_do_not_tell_is_computed_from_the_figures(lists: Survey, tmp_path: Path) -> None:
    head, rows = table_of(download(owner_of(lists), lists, "survey-export-csv"))
    # Beside the subject few share a number: the rows have less than the page.
    assert len({row[head.index("q2")] for row in rows}) < 5
    figures = rows_of(lists)
    assert figures["list", "q2", "1", "", "", "", ""] == "79"
    assert figures["combined", "q4", "1", "q3", "4", "", ""] == "12"
    expected = expected_numbers(lists, {"(none)"})
    assert {"q2.q3.list.welch.low", "q2.q3.combined.wald.low", "arms.p_value"} <= expected.keys()
    for output in outputs(lists, tmp_path):
        assert differences(output, expected) == []


@pytest.fixture
def double() -> Survey:
    survey = make_open(
        *two_lists(parameters={"truth": [4, 5]}),
        item_count(OTHERS, arms=[2], quantity=2, **PLAIN),
        item_count((*OTHERS, SENSITIVE), arms=[1], quantity=2, **PLAIN),
        yes_no("All?", leave_out="no"),
        arms=ARMS,
    )
    chance = iter(range(10_000))
    first = {f"{a}--{b}{next(chance) % 2}0": 3 + (a * b + a) % 4 for a in range(4) for b in range(5)}
    second = {f"-{a}{b}-{next(chance) % 2}1": 3 + (a + 2 * b) % 5 for a in range(5) for b in range(4)}
    fill(survey, first | second)
    return close_survey(survey=survey)


def test_two_lists_of_the_same_people_are_computed_from_the_figures(double: Survey, tmp_path: Path) -> None:
    expected = expected_numbers(double, {"(none)"})
    assert {"q1.q2.double.mean.welch.low", "q1.q2.double.apart.p_value"} <= expected.keys()
    for output in outputs(double, tmp_path):
        assert differences(output, expected) == []


def test_pairs_of_plain_numbers_that_few_gave_are_not_told_and_the_figure_is_as_the_page_rounds_it() -> None:
    survey = make_open(
        *two_lists(**PLAIN),
        item_count(OTHERS, arms=[2], quantity=2, **PLAIN),
        item_count((*OTHERS, SENSITIVE), arms=[1], quantity=2, **PLAIN),
        yes_no("All?", leave_out="no"),
        arms=ARMS,
    )
    fill(survey, {f"{a}--{b}00": 3 + (a * b + a) % 4 for a in range(4) for b in range(5)})
    fill(survey, {f"-{a}{b}-01": 3 + (a + 2 * b) % 5 for a in range(5) for b in range(4)})
    survey = close_survey(survey=survey)
    figures = rows_of(survey)
    assert not [key for key in figures if key[0] == "double"]
    assert {key[0] for key in figures} >= {"list", "double_rounded"}
    point, low, high = (
        f"{100 * float(figures['double_rounded', 'q1', end, 'q2', '', '', '']):g}"
        for end in ("estimate", "low", "high")
    )
    page = page_of("survey-results-question", survey, number=1).replace("−", "-")
    assert [point, f"{low} to {high}"] in [row[1:3] for _caption, rows in tables_of(page) for row in rows]


def test_where_numbers_are_rare_the_figures_hold_no_count_of_them(tmp_path: Path) -> None:
    survey = make_open(*two_lists(**PLAIN), yes_no("All?", leave_out="no"), arms=ARMS)
    fill(survey, {f"{code}-00": count for code, count in enumerate([6, 14, 9, 1])})
    fill(survey, {f"-{code}01": count for code, count in enumerate([4, 11, 11, 3, 1])})
    survey = close_survey(survey=survey)
    figures = rows_of(survey)
    assert {key[:5]: value for key, value in figures.items() if "list" in key[0]} == {
        ("list_rounded", "q1", "estimate", "q2", ""): "0.5",
        ("list_rounded", "q1", "low", "q2", ""): "-0.5",
        ("list_rounded", "q1", "high", "q2", ""): "1.0",
    }
    for output in outputs(survey, tmp_path):
        assert differences(output, expected_numbers(survey, {"(none)"})) == []


def test_what_few_share_beside_others_is_compared_from_the_figures(tmp_path: Path) -> None:
    survey = make_open(
        plain(("Arts", "Science", "Law", "Medicine")),
        yes_no("Cheated?", arms=[1], quantity=1),
        yes_no("Cheated?", arms=[2], quantity=1, leave_out="no", **PLAIN),
        yes_no("All?", leave_out="no"),
        arms=ARMS,
    )
    fill(survey, {f"{subject}{report}-{report}0": 12 + subject for subject in range(4) for report in (0, 1)})
    fill(survey, {f"{subject}-{report}{report}1": 20 - 16 * report for subject in range(4) for report in (0, 1)})
    survey = close_survey(survey=survey)
    figures = rows_of(survey)
    assert ("answers", "q3", "1", "", "", "", "") not in figures
    assert figures["compared", "q3", "1", "", "", "", ""] == "16"
    for output in outputs(survey, tmp_path):
        assert differences(output, expected_numbers(survey, {"(none)"})) == []


MOON = crosswise(
    "Been to the moon?",
    leave_out="no",
    details={"innocuous": "Was your father born in the first quarter of a year?", "innocuous_source": "Births"},
)


def test_an_anchor_corrects_from_the_figures_with_what_is_known_of_it(tmp_path: Path) -> None:
    survey = make_open(crosswise("Cheated?", leave_out="no"), MOON)
    fill(survey, {"00": 30, "01": 90, "10": 40, "11": 140})
    survey = close_survey(survey=survey)
    expected = expected_numbers(survey, {"(none)"})
    assert "q1.anchor.q2.corrected.likelihood_ratio.low" in expected
    for output in outputs(survey, tmp_path):
        assert differences(output, expected) == []
    # Five of 100 are known to truly say Yes.
    first, anchor = definition_of(survey).items
    snapshot = snapshot_of(survey, definition_of(survey))
    known = dict(of_anchor(first, anchor, Fraction(1, 20), snapshot))
    program, out = tmp_path / "analysis.py", tmp_path / "results.csv"
    text = program.read_text(encoding="utf-8")
    program.write_text(text.replace("KNOWN_YES = {}", 'KNOWN_YES = {"q2": 5}'), encoding="utf-8")
    run([sys.executable, str(program), str(tmp_path / f"figures-{survey.code}.csv"), str(out)])
    output = numbers(out)
    assert differences({name: output[name] for name in known}, known) == []
    assert output["q1.anchor.q2.corrected.moment"] != expected["q1.anchor.q2.corrected.moment"]


def test_the_json_has_the_same_table_and_what_is_compared(lists: Survey) -> None:
    content = json.loads(download(owner_of(lists), lists, "survey-export-figures-json"))
    assert content["schema"] == "deniable-figures/1"
    names = ("figure", "item", "report", "with_item", "with_report", "group", "arm")
    table = {tuple(each.get(name, "") for name in names): repr(each["number"]) for each in content["figures"]}
    assert table == rows_of(lists)
    assert content["lists"][0]["statement"] == SENSITIVE
    assert [arm["weight"] for arm in content["arms"]] == [1, 1]


def test_a_planted_wrong_variance_of_lists_would_be_found(lists: Survey, tmp_path: Path) -> None:
    folder, out = saved(lists, tmp_path), tmp_path / "results.csv"
    program = folder / "analysis.py"
    planted = program.read_text(encoding="utf-8").replace(
        "/ (n - 1) if n > 1 else math.nan\n        point", "/ n\n        point"
    )
    assert planted != program.read_text(encoding="utf-8")
    program.write_text(planted, encoding="utf-8")
    run([sys.executable, "-c", BLOCKING, str(program), str(folder / f"figures-{lists.code}.csv"), str(out)])
    wrong = differences(numbers(out), expected_numbers(lists, {"(none)"}))
    assert any(name.startswith("q2.q3.list.standard_error") for name in wrong)


# What the export page says of the programs.

# A name that only this part of a program writes.
WRITTEN = {
    "shares": r"q\d\.moment\.1",
    "means": r"q\d\.mean\.moment",
    "comparisons": r"q\d\.groups\.p_value",
    "arms": r"q\d\.q\d\.difference\.1\.moment",
    "lists": r"q\d\.q\d\.list\.welch\.low",
    "anchors": r"q\d\.anchor\.q\d\.corrected\.moment",
}
# Where each tab of the results is told to be: in a part, in programs of its own, or nowhere.
TABS = {
    "survey-results": "shares",
    "survey-results-groups": "comparisons",
    "survey-results-relate": "comparisons",
    "survey-results-regression": "regressions",
    "survey-results-weights": "The “Weights” page has its own programs.",
    "survey-results-bayes": "how much one report reveals",
    "survey-results-plan": "planning, and the variation of estimates across repeated surveys",
    "survey-results-methods": "shares",
}


def test_the_page_names_what_the_programs_compute_and_every_tab_that_they_do_not(tmp_path: Path) -> None:
    survey = make_open(
        *two_lists(parameters={"truth": [4, 5]}),
        crosswise("Cheated?", leave_out="no"),
        MOON,
        scale(leave_out="no"),
        yes_no("Copied?", arms=[1], quantity=2, leave_out="no"),
        yes_no("Copied?", arms=[2], quantity=2, leave_out="no", **PLAIN),
        arms=ARMS,
    )
    for shift, name in enumerate(("Mon", "Tue")):
        rows = ((a, place) for a in range(4) for place in range(12))
        shapes = ("{0}-{1}{2}{3}{1}-0", "-{0}{2}{1}{3}-{1}1")
        reports = [
            shape.format(a, (place + shift) % 3 % 2, int(place % 4 != 3), place % 5)
            for a, place in rows
            for shape in shapes
        ]
        fill(survey, dict(Counter(reports)), group=group_of(survey, name))
    survey = close_survey(survey=survey)
    page = words_of(page_of("survey-export", survey))
    for output, language in zip(outputs(survey, tmp_path), ("python", "r"), strict=False):
        assert parts_computed(language).keys() == FOUND.keys() == WRITTEN.keys()
        for part, label in parts_computed(language).items():
            assert str(label) in page
            assert any(re.fullmatch(WRITTEN[part], name) for name in output), part
    assert all(str(label) in page for label in ABSENT)
    labels = {*FOUND, *map(str, ABSENT)}
    assert TABS.keys() == {tab.name for tab in tabs.TABS}
    assert all(where in labels or where in page for where in TABS.values())
