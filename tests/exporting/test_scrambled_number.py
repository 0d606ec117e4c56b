"""Files of scrambled numbers: each report's exact value, and programs that find the core's mean from them."""

import csv
import io
from fractions import Fraction
from pathlib import Path

import pytest

from surveys.common.selectors import definition_of
from surveys.estimation import estimate_grid_mean
from surveys.exporting.files.codebook import codebook_csv
from surveys.exporting.selectors import described_items
from surveys.models import Survey
from surveys.privacy.designs import GridMean
from tests.exporting.running import outputs
from tests.factories import fill, make_open, scrambled_number
from tests.pages import page_of

pytestmark = pytest.mark.django_db
COUNTS = [60, 40, 55, 22, 38, 25, 20]


@pytest.fixture
def survey(db: None) -> Survey:
    survey = make_open(scrambled_number())
    fill(survey, {str(code): count for code, count in enumerate(COUNTS)})
    return survey


def _grid(survey: Survey) -> GridMean:
    grid = definition_of(survey).items[0].grid
    assert grid is not None
    return grid


def test_files_say_what_each_report_stands_for(survey: Survey) -> None:
    definition, grid = definition_of(survey), _grid(survey)
    rows = list(csv.reader(io.StringIO(codebook_csv(definition).decode("utf-8-sig"))))
    assert [Fraction(row[-1].lstrip("'")) for row in rows[1:]] == list(grid.values)
    assert "truth = 1/2; grid = 5; factors = 2" in rows[1]
    (described,) = described_items(definition)
    assert [Fraction(*pair) for pair in described["report_values"]] == list(grid.values)
    page = page_of("survey-export-codebook", survey)
    assert "Stands for" in page
    assert "multiplies the rounded number by" in page_of("survey-ethics", survey)


@pytest.mark.slow
def test_the_programs_find_the_mean(survey: Survey, tmp_path: Path) -> None:
    estimate = estimate_grid_mean(COUNTS, _grid(survey))
    expected = {
        "q1.mean.moment": estimate.point,
        "q1.mean.constrained": estimate.constrained,
        "q1.mean.standard_error": estimate.standard_error,
    }
    for method in ("wald", "likelihood_ratio"):
        interval = estimate.interval(0.95, method)
        expected |= {f"q1.mean.{method}.low": interval.low, f"q1.mean.{method}.high": interval.high}
    for found in outputs(survey, tmp_path):
        for name, value in expected.items():
            assert found[name] == pytest.approx(value, rel=1e-7, abs=1e-9), name
