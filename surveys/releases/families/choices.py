"""What is chosen by scores: an answer, or several in order; and by how much it may fall short of the best."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, TypeVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Table
from surveys.estimation.intervals import normal_quantile
from surveys.estimation.released.choices import shortfall_of_truth
from surveys.models.asked_question import AskedQuestion
from surveys.privacy.adjacency import Counted, NeighbouringRelation
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.choice import ScoredMechanism
from surveys.privacy.mechanisms.most_common import MostCommon
from surveys.privacy.mechanisms.scores import Scores
from surveys.releases.families.accuracy import Accuracy
from surveys.releases.families.finding import Candidate, Finding, candidates_with_drawn, facts_table, people_words
from surveys.releases.families.mechanism import Drawing, Offer, PartTerms
from surveys.releases.families.noise import Source, choice
from surveys.releases.families.questions import counted_of, design_counted, labels_of, saying_answers, two_limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortfall(Finding):
    """Any finding that another answer may be more common in truth, by so many people at most.

    Attributes
    ----------
    labels : tuple of str
        All that could have been chosen.
    shortfall : float
        By how many people another answer may be more common in truth.
    n : int
        Of how many answers.
    """

    labels: tuple[str, ...]
    shortfall: float
    n: int

    @property
    def points(self) -> float:
        """The shortfall in percentage points."""
        return 100 * self.shortfall / self.n

    @property
    def is_uninformative(self) -> bool:
        """Whether any answer may be more common by any number of people."""
        return not self.shortfall < self.n

    @property
    def note(self) -> str:
        """How to read its bound."""
        return choice_note()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenAnswer(Shortfall):
    """The answer that a mechanism chose, among all that it could have chosen."""

    label: str

    family = "choice"

    @property
    def title(self) -> str:
        """Which answer was drawn."""
        return _("Chosen as most common: “%(answer)s”") % {"answer": self.label}

    def numbers(self) -> dict[str, Any]:
        """Return the answer, and by how many people it may fall short."""
        return {"chosen": self.label, "among": list(self.labels), "people_short_at_most": self.shortfall}

    def candidates(self) -> list[Candidate]:
        return candidates_with_drawn(self.labels, self.label)

    def tables(self) -> list[Table]:
        behind = _("Maximum true lead of another answer (confidence 95%)")
        return [facts_table([(_("Chosen answer"), self.label), (behind, people_words(self.shortfall, self.n))])]


def choice_note() -> str:
    """Say how to read the bound of a choice."""
    return _(
        "The bound allows for both this release’s noise and the respondents’ coins, each with half of the risk "
        "of error. The bound is computed only from public numbers, so it does not depend on the reports."
    )


Scored = TypeVar("Scored", bound=ScoredMechanism[Any])


class ScoredOffer(Offer[Scored]):
    """Any mechanism that chooses by scores."""

    # How the choice is made, as JSON names it.
    selection = "exponential_mechanism"

    def noise(self, mechanism: Any) -> list[Source]:  # noqa: ANN401 - Offer's signature
        """Return the one choice."""
        return [choice(mechanism.selection, self.selection)]

    def sensitivity_words(self) -> str:
        return _("%(value)s for each candidate’s score")

    def error_from_counts(self, terms: PartTerms, t: Fraction, n: int) -> Fraction:
        """Return how far the best of the noisy scores is from the best: neither of the two is where it seems."""
        scored: Scores = self.drawn_on(terms).scored
        return 2 * t * max(sum(map(abs, form), Fraction(0)) for forms in scored.forms for form in forms)


class ChoiceOffer(ScoredOffer[Scored]):
    """Any mechanism that chooses by scores which are numbers of people."""

    unit = "people"
    in_points = True

    def largest_error(self, asked: AskedQuestion, options: Mapping[str, Any], n: int) -> Fraction:
        """Return all people."""
        return Fraction(n)

    def points_from_reports(
        self, asked: AskedQuestion, options: Mapping[str, Any], n: int, confidence_level: float
    ) -> float:
        """Return it for the scores."""
        scored = self.mechanism(asked, options, PrivacyLoss(Fraction(1)), NeighbouringRelation.REPLACE_ONE)
        return 100 * half_width_of_scores(scored, n, confidence_level) / n


class LargestOffer(Offer[Drawing]):
    """Any mechanism that names the most common answers: naming more of them includes what fewer would."""

    def how_many(self, options: Mapping[str, Any]) -> int:
        """Return how many answers it names."""
        return 1

    def answers(self, earlier: PartTerms, new: PartTerms) -> bool:
        """Whether it named at least as many."""
        other = new.offer
        return isinstance(other, LargestOffer) and self.how_many(earlier.options) >= other.how_many(new.options)


class OneAnswerOffer(LargestOffer[Drawing]):
    """Any mechanism whose output is one answer."""

    stored_names: ClassVar = {
        "index": gettext_lazy("Position of the answer, counting from 0"),
        "label": gettext_lazy("Answer"),
    }


class MostCommonAnswerOffer(ChoiceOffer[MostCommon], OneAnswerOffer[MostCommon]):
    """The most common true answer, "prefer not to say" set aside; or the option that most people tick."""

    kind: ClassVar[type[MostCommon]]

    def unsuitable(self, asked: AskedQuestion) -> str:
        """Return why its reports are not answers."""
        return two_limits(asked)

    def mechanism(
        self, asked: AskedQuestion, options: Mapping[str, Any], loss: PrivacyLoss, relation: NeighbouringRelation
    ) -> MostCommon:
        """Return the choice among its answers."""
        return self.kind(
            epsilon=loss.epsilon,
            relation=relation,
            design=design_counted(asked),
            counted=counted_of(asked),
            candidates=candidates(asked),
        )

    def stored(self, output: Any, asked: AskedQuestion) -> dict[str, Any]:  # noqa: ANN401 - Offer's signature
        """Return the chosen answer."""
        return {"index": output, "label": labels_of(asked)[output]}

    def restored(self, stored: Mapping[str, Any]) -> int:
        """Return its code."""
        return int(stored["index"])

    def finding(self, terms: PartTerms, output: Mapping[str, Any]) -> ChosenAnswer:
        scores = self.drawn_on(terms).scored
        return chosen_answer(terms, scores, self.restored(output), terms.risk_of_reports, terms.bound_of_noise)

    def accuracy_words(self, accuracy: Accuracy) -> str:
        return _(
            "With probability %(level)s, the chosen answer is at most %(amount)s people (%(points)s percentage "
            "points) behind the most common answer, as estimated from the reports."
        )


def chosen_answer(terms: PartTerms, scores: Scores, chosen: int, risk: float, of_noise: float) -> ChosenAnswer:
    """Return what an answer says that was chosen by its score, at this risk and bound of the noise."""
    labels = labels_of(terms.asked)[: len(scores.forms)]
    others = [other for other in range(len(labels)) if other != chosen]
    shortfall = shortfall_of_truth(scores, chosen, others, n=terms.n, risk=risk, of_reports=of_noise)
    return ChosenAnswer(label=labels[chosen], labels=labels, shortfall=shortfall, n=terms.n)


def candidates(asked: AskedQuestion) -> int:
    """Return how many answers can be chosen: options of several, or all answers that say something."""
    return len(asked.items) if counted_of(asked) is Counted.BITS else saying_answers(asked)


def half_width_of_scores(mechanism: ScoredMechanism[Any], n: int, confidence_level: float) -> float:
    """Return at most z·√n/2 times the range that one response adds to a score.

    What n independent responses add to a form has n times the variance of what one adds, and that is at most a quarter
    of its range squared (Popoviciu's inequality). Under REPLACE_ONE the range is the sensitivity.
    """
    return normal_quantile(confidence_level) * math.sqrt(n) * float(mechanism.sensitivity.value) / 2
