"""Questions of which it may not be told how many answered: refused wherever a release is asked for."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import pytest
from django.test import Client

from surveys.common.selectors import definition_of
from surveys.models import Mechanism, Survey
from surveys.releases.refusals import TOO_FEW_SO_FAR, ReleaseRefused, Why
from surveys.releases.selectors.doors import asked_of, look_now, why_suppressed
from tests.releases.setting import HALF, check, epsilon_for, make_release
from tests.releases.steps import STEP_1, STEP_2, look, nothing_happened, terms_of, text_of


@contextmanager
def refusing(code: Why, match: str = "") -> Iterator[pytest.ExceptionInfo[ReleaseRefused]]:
    """Expect a refusal for this reason, and of these words."""
    with pytest.raises(ReleaseRefused, match=match or None) as refused:
        yield refused
    assert refused.value.code is code


def too_few(n: int, minimum: int, *, in_batches: bool = False) -> ReleaseRefused:
    return ReleaseRefused(Why.TOO_FEW_ANSWERS, TOO_FEW_SO_FAR if in_batches else "", n=n, minimum=minimum)


def why_not(survey: Survey, question: int) -> str:
    """Return why it may not be said how many answered a question; "" where it may."""
    definition = definition_of(survey)
    return why_suppressed(asked_of(definition, [question]), look_now(survey, definition))


def refused_every_way(survey: Survey, question: int, staff: Client) -> bool:
    """Whether a question is refused for one reason, and no number shown of it, wherever a release is asked for."""
    about: dict[str, Any] = {"survey": survey, "questions": [question], "mechanism": Mechanism.LAPLACE_HISTOGRAM}
    words, text = why_not(survey, question), survey.questions[question - 1].text
    assert f"“{text}”" in words
    for refuse in (lambda: check(**about, epsilon=HALF), lambda: make_release(**about)):
        with refusing(Why.UNSUITABLE_QUESTION, match=re.escape(words)):
            refuse()
    with refusing(Why.INVALID_OPTION, match=re.escape(words)):
        epsilon_for(**about, wanted=Fraction(9), unit="points")
    step_2 = staff.get(STEP_2, terms_of(survey, questions=[question]))
    for page in (look(staff, survey, questions=[question]), step_2):
        [problem] = page.context["form"].errors.as_data()["questions"]
        assert (problem.code, problem.message, words in text_of(page)) == ("suppressed", words, True)
    shown = text_of(staff.get(STEP_1, {"survey": survey.pk})) + text_of(step_2)
    return nothing_happened(survey) and not re.search(rf"{re.escape(text)}[^“”(]*\([^)]*\d answers?\b", shown)
