"""Questions of which it may not be told how many answered: refused wherever a release is asked for."""

import re
from fractions import Fraction
from typing import Any

import pytest
from django.test import Client

from surveys.models import Mechanism, Question, Survey
from surveys.releases.families.options import OptionError
from surveys.releases.figures.wanted import epsilon_for
from surveys.releases.services.refusals import UnsuitableQuestion
from surveys.releases.services.releasing import check
from tests.releases.setting import HALF, make_release
from tests.releases.steps import STEP_1, STEP_2, look, nothing_happened, terms_of, text_of

OPEN, CLOSED = "only once the survey is closed. Close it first", "fewer than 10 people from all others"


def refused_every_way(survey: Survey, question: Question, staff: Client, words: str) -> bool:
    """Whether a question is refused in these words, and no number told of it, wherever a release is asked for."""
    about: dict[str, Any] = {"survey": survey, "questions": [question], "mechanism": Mechanism.LAPLACE_HISTOGRAM}
    for refuse in (lambda: check(**about, epsilon=HALF), lambda: make_release(**about)):
        with pytest.raises(UnsuitableQuestion, match=words) as refused:
            refuse()
        assert f"“{question.text}”" in str(refused.value)
    with pytest.raises(OptionError, match=words):
        epsilon_for(**about, wanted=Fraction(9), unit="points")
    assert words in text_of(look(staff, survey, questions=[question.pk]))
    step_2 = staff.get(STEP_2, terms_of(survey, questions=[question.pk]))
    assert words in text_of(step_2)
    shown = text_of(staff.get(STEP_1, {"survey": survey.pk})) + text_of(step_2)
    return nothing_happened(survey) and not re.search(rf"{re.escape(question.text)}[^“”(]*\([^)]*\d answers?\b", shown)
