"""Files of numbers whose reports stand for values: what each stands for, and programs that find the core's mean."""

import csv
import io
from collections.abc import Callable
from fractions import Fraction
from html import unescape
from pathlib import Path

import pytest

from surveys.answering.words.designs import procedure
from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.estimation.grid_mean import estimate_grid_mean
from surveys.exporting.files.codebook import HEAD, codebook_csv
from surveys.exporting.selectors import described_items
from surveys.models import Survey
from surveys.privacy.designs import GridMean
from surveys.questionnaire.question import Question
from surveys.questionnaire.reports import CODES
from tests.exporting.running import outputs
from tests.factories import fill, make_open, number_window, scrambled_number, unrelated_number, yes_no
from tests.pages import page_of, tables_of

pytestmark = pytest.mark.django_db
Make = Callable[[], Question]
COUNTS = {
    number_window: [9, 14, 22, 31, 40, 38, 33, 27, 20, 12, 8, 6],
    scrambled_number: [60, 40, 55, 22, 38, 25, 20],
    unrelated_number: [60, 40, 35, 22, 28, 15, 18, 12, 17, 13],
}


def _survey(make: Make) -> tuple[Survey, GridMean, int]:
    """Return one that asks for a bit too where it asks for a window, its values, and how many bits it asks for."""
    bits = [yes_no()] if make is number_window else []
    survey = make_open(make(), *bits)
    fill(survey, {CODES[code] + str(code % 2) * len(bits): count for code, count in enumerate(COUNTS[make])})
    survey = close_survey(survey=survey)
    grid = definition_of(survey).items[0].grid
    assert grid is not None
    return survey, grid, len(bits)


@pytest.mark.parametrize(
    ("make", "parameters"),
    [
        (number_window, "truth = 1/2; grid = 9; window = 4"),
        (scrambled_number, "truth = 1/2; grid = 5; factors = 2"),
        (unrelated_number, "p = 1/2; grid = 10"),
    ],
)
def test_files_say_what_each_report_stands_for(make: Make, parameters: str) -> None:
    survey, grid, bits = _survey(make)
    definition = definition_of(survey)
    head, *rows = csv.reader(io.StringIO(codebook_csv(definition).decode("utf-8-sig")))
    m = len(grid.values)
    assert head == [*HEAD, "value"]
    assert [Fraction(row[-1].lstrip("'")) for row in rows[:m]] == list(grid.values)
    assert [row[-1] for row in rows[m:]] == ["", ""] * bits
    assert parameters in rows[0]
    number, *others = described_items(definition)
    assert [Fraction(*pair) for pair in number["report_values"]] == list(grid.values)
    assert [Fraction(*pair) for pair in number["truth_values"]] == list(grid.truths)
    assert len(number["numerators"]) == len(number["reports"]) == m
    assert ["report_values" in other for other in others] == [False] * bits
    page = page_of("survey-export-codebook", survey)
    [head, *_rows] = tables_of(page)[0][1]
    assert len(head) == 3 + len(grid.truths)
    item, packet = definition.items[0], unescape(page_of("survey-ethics", survey))
    assert ("0 to 9" if item.in_the_head else procedure(item)) in packet


def test_a_codebook_without_such_a_question_is_as_ever() -> None:
    rows = list(csv.reader(io.StringIO(codebook_csv(definition_of(make_open(yes_no()))).decode("utf-8-sig"))))
    assert rows[0] == list(HEAD)
    assert {len(row) for row in rows} == {len(HEAD)}


@pytest.mark.parametrize(
    "make",
    [number_window, *(pytest.param(other, marks=pytest.mark.slow) for other in (scrambled_number, unrelated_number))],
)
def test_the_programs_find_the_mean(make: Make, tmp_path: Path) -> None:
    survey, grid, bits = _survey(make)
    mean = estimate_grid_mean(COUNTS[make], grid)
    expected = {
        "q1.n": mean.n,
        "q1.missing": 0,
        "q1.mean.moment": mean.point,
        "q1.mean.constrained": mean.constrained,
        "q1.mean.standard_error": mean.standard_error,
    }
    expected |= {f"q1.count.{code}": count for code, count in enumerate(COUNTS[make])}
    for method in ("wald", "likelihood_ratio", "confidence_sequence"):
        interval = mean.interval(0.95, method)
        expected |= {f"q1.mean.{method}.low": interval.low, f"q1.mean.{method}.high": interval.high}
    for output in outputs(survey, tmp_path):
        ours = {name: value for name, value in output.items() if name.startswith("q1.")}
        assert ours == pytest.approx(expected, rel=1e-7, abs=1e-9)
        assert ("q2.moment.1" in output) == bool(bits)
