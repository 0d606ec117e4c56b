"""Where likelihoods have no slope left or no room: the programs still say what the page says."""

import random
import re
import sys
from pathlib import Path

import pytest

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.models import Survey
from surveys.questionnaire.question import Question
from surveys.questionnaire.reports import CODES
from tests.exporting.core_numbers import expected_numbers
from tests.exporting.running import differences, numbers, outputs, run, saved
from tests.factories import PROTECTED, every_kind, fill, make_open, number_bands, number_mean, scale, unrelated
from tests.programs import RSCRIPT

pytestmark = pytest.mark.django_db

_N = 60

# By report code; with truth told half the time, chance alone brings 60/(2k) of each.
_SCALES = ([54, 6, 0, 0, 0], [0, 0, 60, 0, 0], [30, 0, 0, 0, 30], [36, 6, 6, 6, 6])
_SCALES_OR_NOT = (
    [30, 20, 0, 0, 0, 10],
    [0, 0, 0, 0, 60, 0],  # the mean is beyond the largest point, and that is rejected
    [7, 5, 5, 5, 5, 33],  # hardly anybody says
    [3, 3, 3, 3, 3, 45],  # fewer than nobody says
    [0, 0, 0, 0, 0, 60],
    [35, 5, 5, 5, 5, 5],  # all at one point, and as many others as chance brings
)
_BANDS = ([60, 0, 0], [0, 30, 30], [10, 40, 10])
_BANDS_OR_NOT = ([60, 0, 0, 0], [30, 0, 0, 30], [8, 7, 0, 45])
_NUMBERS_OR_NOT = ([0, 60, 0], [20, 0, 40], [11, 9, 40], [0, 0, 60])


def _asked() -> list[tuple[Question, list[int]]]:
    return [
        *((scale(f"Scale {i}?"), counts) for i, counts in enumerate(_SCALES)),
        *((scale(f"Scale {i}, or not saying?", **PROTECTED), counts) for i, counts in enumerate(_SCALES_OR_NOT)),
        *((number_bands(f"Bands {i}?"), counts) for i, counts in enumerate(_BANDS)),
        *((number_bands(f"Bands {i}, or not saying?", **PROTECTED), counts) for i, counts in enumerate(_BANDS_OR_NOT)),
        *((number_mean(f"Mean {i}, or not saying?", **PROTECTED), counts) for i, counts in enumerate(_NUMBERS_OR_NOT)),
    ]


def _answered(asked: list[tuple[Question, list[int]]]) -> Survey:
    survey = make_open(*(question for question, _ in asked))
    columns = []
    for _, counts in asked:
        assert sum(counts) == _N
        column = [CODES[code] for code, count in enumerate(counts) for _ in range(count)]
        random.Random(len(columns)).shuffle(column)  # noqa: S311 - reports to test with
        columns.append(column)
    texts = ["".join(row) for row in zip(*columns, strict=True)]
    fill(survey, {text: texts.count(text) for text in texts})
    return close_survey(survey=survey)


@pytest.mark.slow
def test_reports_that_nobody_sent_get_the_same_limits(tmp_path: Path) -> None:
    survey = _answered(_asked())
    expected = expected_numbers(survey, {"(none)"})
    for output in outputs(survey, tmp_path):
        assert differences(output, expected) == []


# With the other code, and this one beside it, run the programs of test_programs.py.
@pytest.mark.slow
@pytest.mark.parametrize("code", ["0", pytest.param("1", marks=pytest.mark.slow)])
def test_reports_that_are_all_alike_get_the_same_limits(code: str, tmp_path: Path) -> None:
    more = (scale("Scale, or not saying?", **PROTECTED), number_bands("Bands, or not saying?", **PROTECTED))
    survey = make_open(*every_kind(), *more)
    fill(survey, {code * len(definition_of(survey).items): 12})
    survey = close_survey(survey=survey)
    expected = expected_numbers(survey, {"(none)"})
    for output in outputs(survey, tmp_path):
        assert differences(output, expected) == []


def test_a_program_that_gives_unsent_reports_no_share_would_be_found(tmp_path: Path) -> None:
    asked = [(scale("Scale, or not saying?", **PROTECTED), counts) for counts in _SCALES_OR_NOT[:1]]
    survey = _answered(asked)
    program = saved(survey, tmp_path) / "analysis.py"
    text = program.read_text(encoding="utf-8")
    planted = text.replace("else weights.max()", "else of_seen.max()")
    assert planted != text
    program.write_text(planted, encoding="utf-8")
    run([sys.executable, str(program), str(tmp_path / f"figures-{survey.code}.csv"), str(tmp_path / "results.csv")])
    wrong = differences(numbers(tmp_path / "results.csv"), expected_numbers(survey, {"(none)"}))
    assert {name.split(": ")[0] for name in wrong} >= {"q1.mean.likelihood_ratio.high"}
    assert all(re.search(r"\.(likelihood_ratio|confidence_sequence)\.", name) for name in wrong)


# In `make test` test_a_guessed_share_is_marked_on_every_tab_and_in_every_file reads what the programs are made of.
@pytest.mark.slow
def test_a_guessed_share_stands_beside_the_numbers_and_not_among_them(tmp_path: Path) -> None:
    survey = make_open(unrelated(details=unrelated().details | {"innocuous_source": ""}))
    fill(survey, {"0": 30, "1": 30})
    folder = saved(close_survey(survey=survey), tmp_path)
    rscript = [(program, "analysis.R")] if (program := RSCRIPT.find()) else []
    for program, file in ((sys.executable, "analysis.py"), *rscript):
        done = run([program, str(folder / file)])
        assert re.findall(r"\bq\d?\b", done.stderr) == ["q1", "q"]
        assert len(done.stderr.splitlines()) == 1
        assert done.stderr.strip() not in done.stdout
