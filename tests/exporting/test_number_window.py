"""Files of a number through a window: each report's exact value, and programs that find the core's mean from them."""

import csv
import io
from fractions import Fraction
from pathlib import Path

import pytest

from surveys.common.selectors import definition_of
from surveys.estimation import estimate_grid_mean
from surveys.exporting.files.codebook import HEAD, codebook_csv
from surveys.exporting.selectors import described_items
from surveys.models import Survey
from tests.exporting.running import outputs
from tests.factories import fill, make_open, number_window, yes_no
from tests.pages import page_of

pytestmark = pytest.mark.django_db
COUNTS = [9, 14, 22, 31, 40, 38, 33, 27, 20, 12, 8, 6]


@pytest.fixture
def survey(db: None) -> Survey:
    survey = make_open(number_window(), yes_no())
    fill(survey, {f"{'0123456789ab'[code]}{code % 2}": count for code, count in enumerate(COUNTS)})
    return survey


def test_the_codebook_says_what_each_report_stands_for(survey: Survey) -> None:
    definition = definition_of(survey)
    grid = definition.items[0].grid
    assert grid is not None
    rows = list(csv.reader(io.StringIO(codebook_csv(definition).decode("utf-8-sig"))))
    assert rows[0] == [*HEAD, "value"]
    assert [Fraction(row[-1].lstrip("'")) for row in rows[1:13]] == list(grid.values)
    assert [row[-1] for row in rows[13:]] == ["", ""]
    assert "Stands for" in page_of("survey-export-codebook", survey)


def test_a_codebook_without_such_a_question_is_as_ever() -> None:
    rows = list(csv.reader(io.StringIO(codebook_csv(definition_of(make_open(yes_no()))).decode("utf-8-sig"))))
    assert rows[0] == list(HEAD)
    assert {len(row) for row in rows} == {len(HEAD)}


def test_the_json_file_has_the_values_of_rows_and_columns(survey: Survey) -> None:
    window, bit = described_items(definition_of(survey))
    grid = definition_of(survey).items[0].grid
    assert grid is not None
    assert [Fraction(*pair) for pair in window["report_values"]] == list(grid.values)
    assert [Fraction(*pair) for pair in window["truth_values"]] == list(grid.truths)
    assert len(window["numerators"]) == len(window["reports"]) == 12
    assert "report_values" not in bit


def _expected(survey: Survey) -> dict[str, float]:
    grid = definition_of(survey).items[0].grid
    assert grid is not None
    found = estimate_grid_mean(COUNTS, grid)
    numbers = {
        "q1.n": found.n,
        "q1.missing": 0,
        "q1.mean.moment": found.point,
        "q1.mean.constrained": found.constrained,
    }
    numbers |= {"q1.mean.standard_error": found.standard_error}
    numbers |= {f"q1.count.{code}": count for code, count in enumerate(COUNTS)}
    for method in ("wald", "likelihood_ratio"):
        interval = found.interval(0.95, method)
        numbers |= {f"q1.mean.{method}.low": interval.low, f"q1.mean.{method}.high": interval.high}
    return {name: float(value) for name, value in numbers.items()}


def test_the_programs_find_the_mean(survey: Survey, tmp_path: Path) -> None:
    expected = _expected(survey)
    for found in outputs(survey, tmp_path):
        ours = {name: value for name, value in found.items() if name.startswith("q1.")}
        assert ours.keys() == expected.keys()
        for name, value in expected.items():
            assert ours[name] == pytest.approx(value, rel=1e-7, abs=1e-9), name
        assert "q2.moment.1" in found
