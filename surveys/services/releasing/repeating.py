"""Whether a release that was made is the one that is asked for again."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from surveys.models import Question, Release, Survey
from surveys.privacy.loss import PrivacyLoss
from surveys.services.releasing.asking import Cost, wanted
from surveys.services.releasing.checked import micro_epsilon, pico_delta


def same_as(
    made: Release,
    *,
    survey: Survey,
    questions: Sequence[Question],
    mechanism: str,
    epsilon: Fraction,
    delta: Fraction = Fraction(0),
    options: Mapping[str, Any] | None = None,
) -> bool:
    """Whether a release is of these questions, by this mechanism with these options, and for this cost."""
    cost = Cost(micro_epsilon(epsilon), pico_delta(delta))
    found = wanted(survey, questions, mechanism, cost, options or {})
    asked = [
        (question.question_id, dict(told), loss)
        for question, told, loss in zip(found.asked, found.options, found.losses, strict=True)
    ]
    drawn = [
        (part.question_id, part.parameters["options"], PrivacyLoss(part.epsilon, part.delta))
        for part in made.parts.order_by("position")
    ]
    return made.survey_id == survey.pk and made.mechanism == mechanism and drawn == asked
