"""Files of questions that only some are asked: programs count as missing who was asked and skipped, and nobody else."""

from pathlib import Path

import pytest

from surveys.course.services import close_survey
from tests.exporting.core_numbers import expected_numbers
from tests.exporting.running import differences, outputs
from tests.factories import fill, make_open, plain, yes_no
from tests.questionnaire.test_branches import after

pytestmark = pytest.mark.django_db
ARMS = [{"name": "One", "weight": 1}, {"name": "Two", "weight": 1}]
# Of those in the second year or later 12 skip; 30 are not asked.
COUNTS = {"00-": 18, "01-": 12, "100": 10, "101": 8, "10-": 7, "210": 9, "211": 5, "21-": 5}


def test_who_was_not_asked_is_not_missing(tmp_path: Path) -> None:
    survey = make_open(plain(), yes_no("Did you copy?"), yes_no("Did you help?", **after(1, 1, 2)))
    fill(survey, COUNTS)
    expected = expected_numbers(close_survey(survey=survey), {"(none)"})
    assert (expected["q3.n"], expected["q3.missing"]) == (32, 12)
    for output in outputs(survey, tmp_path):
        assert differences(output, expected) == []


def test_in_arms_who_was_asked_is_in_the_arm_and_gave_the_answer(tmp_path: Path) -> None:
    survey = make_open(plain(), yes_no("Copied?"), yes_no("Helped?", arms=[1], **after(1, 1, 2)), arms=ARMS)
    in_first = {f"{reports}0": 2 * n for reports, n in COUNTS.items()}
    fill(survey, in_first | {"00-1": 40, "11-1": 30, "20-1": 30})
    close_survey(survey=survey)
    for output in outputs(survey, tmp_path):
        assert (output["q3.n"], output["q3.missing"]) == (64, 24)
