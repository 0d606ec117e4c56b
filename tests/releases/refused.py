"""Questions of which it may not be told how many answered: refused wherever a release is asked for."""

import re
from fractions import Fraction
from typing import Any

import pytest
from django.test import Client

from surveys.common.selectors import definition_of
from surveys.models import Mechanism, Question, Survey
from surveys.releases.families.options import OptionError
from surveys.releases.figures.wanted import epsilon_for
from surveys.releases.selectors.doors import asked_of, look_now, why_suppressed
from surveys.releases.services.refusals import UnsuitableQuestion
from surveys.releases.services.releasing import check
from tests.releases.setting import HALF, make_release
from tests.releases.steps import STEP_1, STEP_2, look, nothing_happened, terms_of, text_of


def why_not(survey: Survey, question: Question) -> str:
    """Return why it may not be said how many answered a question; "" where it may."""
    definition = definition_of(survey)
    return why_suppressed(asked_of(definition, [question])[0], look_now(survey, definition))


def refused_every_way(survey: Survey, question: Question, staff: Client) -> bool:
    """Whether a question is refused for one reason, and no number shown of it, wherever a release is asked for."""
    about: dict[str, Any] = {"survey": survey, "questions": [question], "mechanism": Mechanism.LAPLACE_HISTOGRAM}
    words = why_not(survey, question)
    assert f"“{question.text}”" in words
    for refuse in (lambda: check(**about, epsilon=HALF), lambda: make_release(**about)):
        with pytest.raises(UnsuitableQuestion, match=re.escape(words)):
            refuse()
    with pytest.raises(OptionError, match=re.escape(words)):
        epsilon_for(**about, wanted=Fraction(9), unit="points")
    step_2 = staff.get(STEP_2, terms_of(survey, questions=[question.pk]))
    for page in (look(staff, survey, questions=[question.pk]), step_2):
        [problem] = page.context["form"].errors.as_data()["questions"]
        assert (problem.code, problem.message, words in text_of(page)) == ("suppressed", words, True)
    shown = text_of(staff.get(STEP_1, {"survey": survey.pk})) + text_of(step_2)
    return nothing_happened(survey) and not re.search(rf"{re.escape(question.text)}[^“”(]*\([^)]*\d answers?\b", shown)
