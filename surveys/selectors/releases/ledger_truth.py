"""What releases tell about the true answers of one response, which reach them only through randomized reports."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from surveys.models.definition import AskedQuestion, Definition
from surveys.privacy.accounting import compose, local_then_central, local_then_central_delta
from surveys.privacy.loss import PrivacyLoss


@dataclass(frozen=True, slots=True)
class ForTheTruth:
    """Both layers together: chance in the reports, then chance in the releases.

    Attributes
    ----------
    question : AskedQuestion or None
        The question; None stands for all of them together.
    central : PrivacyLoss
        Of all releases that count its reports, composed first.
    local_epsilon : float
        What the reports alone tell about the truth; infinite where one can prove an answer.
    epsilon : float
        f, rounded up: what the releases tell about the truth.
    delta : float
        δ', rounded up.
    """

    question: AskedQuestion | None
    central: PrivacyLoss
    local_epsilon: float
    epsilon: float
    delta: float

    @property
    def report_proves(self) -> bool:
        """Whether a report can prove an answer, so that the releases' own ε is the only bound."""
        return self.local_epsilon == math.inf


def for_one_question(question: AskedQuestion, losses: Iterable[PrivacyLoss]) -> ForTheTruth:
    """Return what all releases of one question tell about the truth of one response."""
    return _both(question, question.epsilon, compose(losses))


def for_all_truths(definition: Definition, spent: PrivacyLoss) -> ForTheTruth:
    """Return what all releases tell about all truths of one response together."""
    return _both(None, definition.epsilon, spent)


def _both(question: AskedQuestion | None, local: float, central: PrivacyLoss) -> ForTheTruth:
    return ForTheTruth(
        question=question,
        central=central,
        local_epsilon=local,
        epsilon=local_then_central(local, central.epsilon),
        delta=local_then_central_delta(local, central.epsilon, central.delta),
    )
