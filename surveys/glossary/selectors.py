"""The numbers of one survey, or of one question, that explanations of terms are written with."""

import math
from dataclasses import dataclass
from fractions import Fraction

from surveys.drafts.figures import USUAL_SHARE, ExpectedPrecision, expected_of
from surveys.estimation.intervals import normal_quantile
from surveys.models.asked_question import AskedQuestion, Item
from surveys.models.definition import Definition

USUAL_LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Facts:
    """What a paragraph about a term can lean on; of several questions the least protected one stands for all."""

    questions: tuple[AskedQuestion, ...]
    epsilon: float
    n: int | None = None  # answers expected, or in
    share: Fraction = USUAL_SHARE
    minimum_n: int | None = None
    confidence_level: float = USUAL_LEVEL  # of the intervals at hand

    @property
    def is_survey(self) -> bool:
        """Whether it is about all questions and not about one."""
        return self.minimum_n is not None

    @property
    def question(self) -> AskedQuestion:
        """The question whose numbers are told."""
        return max(self.questions, key=lambda question: question.losses[0].epsilon)

    @property
    def item(self) -> Item:
        """One of its items."""
        return self.question.first

    @property
    def is_infinite(self) -> bool:
        """Whether a report can prove something."""
        return self.epsilon == math.inf

    @property
    def expected(self) -> ExpectedPrecision | None:
        """The precision to expect, where it is known how many answer."""
        return expected_of(self.question, n=self.n, share=self.share) if self.n else None

    @property
    def half_width(self) -> float | None:
        """That to expect at this confidence level."""
        if self.expected is None:
            return None
        return self.expected.half_width * normal_quantile(self.confidence_level) / normal_quantile(USUAL_LEVEL)


def facts_of(
    about: Definition | AskedQuestion,
    *,
    n: int | None = None,
    share: Fraction = USUAL_SHARE,
    confidence_level: float = USUAL_LEVEL,
) -> Facts | None:
    """Return the numbers of a survey or of a question; None where none of it is protected."""
    if isinstance(about, AskedQuestion) and not about.protects:
        return None
    if isinstance(about, AskedQuestion):
        return Facts((about,), about.epsilon, n, share, None, confidence_level)
    if not about.losses:
        return None
    questions = tuple(question for question in about.questions if question.protects)
    return Facts(questions, about.epsilon, n, share, about.minimum_n, confidence_level)
