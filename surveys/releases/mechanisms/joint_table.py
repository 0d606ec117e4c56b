"""Noisy counts of all patterns of reports to several questions, and the model that follows from them."""

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Table
from surveys.estimation.intervals import normal_quantile
from surveys.estimation.learning.logistic import MOST_TRUTHS
from surveys.models import Mechanism
from surveys.models.asked_question import AskedQuestion
from surveys.numbers.words import three_digits, whole_number
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.decimals import float_not_below
from surveys.privacy.learning import NoisyJointTable
from surveys.privacy.learning.domain import RESPONSES_A_CELL
from surveys.privacy.loss import PrivacyLoss
from surveys.releases.families.accuracy import COEFFICIENT, CONFIDENCE_LEVEL, Accuracy
from surveys.releases.families.finding import SyntheticPeople
from surveys.releases.families.further import further_tables, synthetic_people
from surveys.releases.families.joint import GROUPS, OUTCOME, JointOffer, cells_of, pattern_domain, report_shape
from surveys.releases.families.mechanism import PartTerms
from surveys.releases.families.model import (
    MOST_REPLICATED,
    Model,
    expected_half_widths,
    expected_precision,
    factor_words,
    model_finding,
    values_of,
)
from surveys.releases.families.noise import Source, gaussian, laplace
from surveys.releases.families.options import OptionError
from surveys.releases.families.questions import columns_of, groups_in
from surveys.releases.families.references import CALIBRATED_NOISE, DISCRETE_NOISE


class JointTableOffer(JointOffer[NoisyJointTable]):
    """The count of every pattern with noise of its own: a model, and all else, is computed from it for free."""

    name = Mechanism.JOINT_TABLE
    uses_delta = True
    needs_no_delta = True
    synthesizes = True
    wanted_in = (COEFFICIENT,)
    options = (OUTCOME, GROUPS)
    unit = "answers"
    stored_names: ClassVar = {"noisy_counts": gettext_lazy("Noisy counts")}
    sentence = gettext_lazy(
        "Publishes how often each combination of answers was reported, with noise added to each count. Also "
        "publishes a regression of the outcome’s true answers on those of the other questions."
    )
    explanation = gettext_lazy(
        "This mechanism counts how often each combination of reports occurred and adds a random whole number "
        "to each count. The number comes from a discrete Laplace distribution if δ = 0, otherwise from a "
        "discrete Gaussian distribution. The model is computed only from the published counts. Its likelihood "
        "includes the respondents’ coins and the noise."
    )
    references = (
        CALIBRATED_NOISE,
        DISCRETE_NOISE,
        (
            "Carroll, Ruppert, Stefanski & Crainiceanu (2006)",
            "Measurement Error in Nonlinear Models, Chapman & Hall.",
        ),
    )

    def too_few(self, asked: AskedQuestion, n: int) -> str:
        """Return why there are too few answers, or more combinations of true answers than a model of odds can have."""
        truths = math.prod(column.design.k for column in columns_of(asked))
        if values_of(asked) or truths <= MOST_TRUTHS:
            return super().too_few(asked, n)
        return _(
            "These questions have %(truths)s combinations of true answers, but a logistic model can have at "
            "most 1,024. Choose fewer questions."
        ) % {"truths": whole_number(truths)}

    def mechanism(
        self, asked: AskedQuestion, options: Mapping[str, Any], loss: PrivacyLoss, relation: NeighbouringRelation
    ) -> NoisyJointTable:
        """Return the noise on the counts of the fewest responses that there may be."""
        for column in columns_of(asked):
            # What cannot be read off the reports is refused here, and not by the model after the charge.
            _ = column.design.left_inverse
        domain = pattern_domain(report_shape(asked))
        least = RESPONSES_A_CELL * domain.cells
        return NoisyJointTable(domain=domain, n=least, epsilon=loss.epsilon, delta=loss.delta, relation=relation)

    def mechanism_at(self, terms: PartTerms) -> NoisyJointTable:
        return replace(super().mechanism_at(terms), n=terms.n)

    def noise(self, mechanism: NoisyJointTable) -> list[Source]:
        """Return the noise on each count."""
        noise: Any = mechanism.noise
        return [gaussian("each count", noise) if mechanism.delta else laplace("each count", noise)]

    def stored(self, output: Any, asked: AskedQuestion) -> dict[str, Any]:  # noqa: ANN401 - Offer's signature
        """Return the noisy counts."""
        return {"noisy_counts": list(output)}

    def restored(self, stored: Mapping[str, Any]) -> tuple[int, ...]:
        """Return them as they were drawn."""
        return tuple(stored["noisy_counts"])

    def finding(self, terms: PartTerms, output: Mapping[str, Any]) -> Model:
        """Return the model that follows from them."""
        self.drawn_on(terms)
        return model_finding(terms, self.restored(output))

    def further(self, terms: PartTerms, output: Mapping[str, Any]) -> list[Table]:
        """Return correlations."""
        return further_tables(terms, self.restored(output))

    def synthetic(self, terms: PartTerms, output: Mapping[str, Any]) -> SyntheticPeople:
        """Return people who answer as the table says."""
        return synthetic_people(terms, self.restored(output))

    def largest_error(self, asked: AskedQuestion, options: Mapping[str, Any], n: int) -> Fraction:
        """Return all answers: a count lies between none and that."""
        return Fraction(n)

    def accuracy_words(self, accuracy: Accuracy) -> str:
        """Say it of the counts."""
        return _("With probability %(level)s, the noise moves every count by at most %(amount)s.")

    def error_in(self, unit: str, terms: PartTerms, confidence_level: float) -> float:
        """Return it of the counts, or half of the first coefficient's expected interval."""
        if unit != COEFFICIENT:
            return super().error_in(unit, terms, confidence_level)
        if math.prod(column.design.k for column in columns_of(terms.asked)) > MOST_REPLICATED:
            raise OptionError(
                "unit",
                _(
                    "With so many combinations of answers, finding the ε takes too long. Enter an ε and "
                    "check the error."
                ),
            )
        return self.expected_half_widths(terms, confidence_level)[0]

    def expected_half_widths(self, terms: PartTerms, confidence_level: float) -> tuple[float, ...]:
        """Return those of the coefficients, the constant apart."""
        return expected_half_widths(terms, confidence_level)

    def expectation_words(self, terms: PartTerms) -> str:
        """Say it of the least precise coefficient, and of the first, the constant apart."""
        precision = expected_precision(terms)
        z = normal_quantile(CONFIDENCE_LEVEL)
        widths = [
            float(z * errors[1:].max()) for errors in (precision.released, precision.without_noise, precision.direct)
        ]
        _outcome, first, *_others = columns_of(terms.asked)
        words = {
            "answer": first.labels[1],
            "question": first.text,
            "half": three_digits(float(z * precision.released[1])),
        }
        if values_of(terms.asked):
            all_of_them = _(
                "If all combinations of true answers were equally common, the 95%% margin of error of each "
                "difference in means would be about ±%(released)s. The margin would be ±%(without)s without "
                "this noise and ±%(direct)s with direct answers."
            ) % dict(zip(("released", "without", "direct"), map(three_digits, widths), strict=True))
            first_of_them = (
                _(
                    "For the first difference, “%(answer)s” to “%(question)s”, the margin of error would be "
                    "about ±%(half)s."
                )
                % words
            )
        else:
            all_of_them = _(
                "If all combinations of true answers were equally common, the 95%% margin of error of each "
                "odds ratio would be roughly a factor of %(released)s. The factor would be %(without)s without "
                "this noise and %(direct)s with direct answers."
            ) % dict(zip(("released", "without", "direct"), map(factor_words, widths), strict=True))
            first_of_them = (
                _(
                    "For the first odds ratio, “%(answer)s” to “%(question)s”, the margin of error would be "
                    "about ±%(half)s in log odds."
                )
                % words
            )
        return f"{all_of_them} {first_of_them}"

    def sensitivity_words(self) -> str:
        """Say it of all counts."""
        return _("%(value)s for all counts together (L1 for Laplace noise, squared L2 for Gaussian)")

    def answers(self, earlier: PartTerms, new: PartTerms) -> bool:
        """Whether it can be read off it: any of its questions alone or with others; groups if they were the same."""
        return groups_in(new.asked) in {None, groups_in(earlier.asked)}

    def derived_accuracy(self, earlier: PartTerms, new: PartTerms, confidence_level: float) -> float | None:
        """Return what counts lead to that are sums of the table's, each off by at most so much."""
        summed = Fraction(cells_of(earlier.asked), cells_of(new.asked))
        of_each = summed * Fraction(earlier.accuracy(confidence_level).at_most)
        of_counts = new.offer.error_from_counts(new, of_each, earlier.n)
        return None if of_counts is None else float_not_below(of_counts)

    def error_from_counts(self, terms: PartTerms, t: Fraction, n: int) -> Fraction:
        """Return the same: these are such counts."""
        return t


OFFER = JointTableOffer()
