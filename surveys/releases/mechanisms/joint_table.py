"""Noisy counts of all patterns of reports to several questions, and the model that follows from them."""

import math
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Table
from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.learning.correlation import correlate_released
from surveys.estimation.learning.logistic import MOST_TRUTHS
from surveys.models import Mechanism
from surveys.numbers.words import decimal, three_digits, whole_number
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.releases.families.counts import level_of_each
from surveys.releases.families.finding import CONFIDENCE_LEVEL, SyntheticPeople
from surveys.releases.families.joint import GROUPS, OUTCOME, TablePlan
from surveys.releases.families.model import (
    MOST_REPLICATED,
    Model,
    expected_precision,
    factor_words,
    model_of,
    released_table,
    table_key,
    values_of,
)
from surveys.releases.families.options import invalid
from surveys.releases.families.plan import CALIBRATED_NOISE, COEFFICIENT, DISCRETE_NOISE
from surveys.releases.families.synthetic import synthetic_people


class JointTablePlan(TablePlan):
    """The count of every pattern with noise of its own: a model, and all else, is computed from it for free."""

    name = Mechanism.JOINT_TABLE
    synthesizes = True
    wanted_in = (COEFFICIENT,)
    fields = (OUTCOME, GROUPS)
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

    @property
    def truths(self) -> int:
        """How many combinations of true answers there can be."""
        return math.prod(column.design.k for column in self.columns)

    def too_few(self) -> str:
        """Return why there are too few answers, or more combinations of true answers than a model of odds can have."""
        if values_of(self.question) or self.truths <= MOST_TRUTHS:
            return super().too_few()
        return _(
            "These questions have %(truths)s combinations of true answers, but a logistic model can have at "
            "most 1,024. Choose fewer questions."
        ) % {"truths": whole_number(self.truths)}

    def read(self, output: Mapping[str, Any]) -> Model:
        return model_of(self, self.restored(output))

    def further(self, output: Mapping[str, Any]) -> list[Table]:
        """Return the correlations of true answers that are numbers, or two."""
        scales = {place: scale for place, asked in enumerate(self.questions) if (scale := _scale(asked))}
        if len(scales) < 2:
            return []
        table = released_table(table_key(self, self.restored(output)))
        names = [self.questions[item].text for item in scales]
        fit = correlate_released(table, list(scales), list(scales.values()))
        limits = fit.interval(level_of_each(math.comb(len(names), 2), self.level()))
        correlations = tuple(
            (
                _("%(one)s · %(other)s") % {"one": names[a], "other": names[b]},
                _correlation(fit.point[a, b]),
                _correlation(limits.low[a, b]),
                _correlation(limits.high[a, b]),
            )
            for a in range(len(names))
            for b in range(a + 1, len(names))
        )
        return [
            Table(
                _("Correlations of true answers (all intervals hold simultaneously)"),
                (_("Questions"), _("Estimate"), _("Low"), _("High")),
                correlations,
            ),
        ]

    def synthetic(self, output: Mapping[str, Any]) -> SyntheticPeople:
        return synthetic_people(self, self.restored(output))

    def error_in(self, unit: str, confidence_level: float) -> float:
        """Return it of the counts, or half of the first coefficient's expected interval."""
        if unit != COEFFICIENT:
            return super().error_in(unit, confidence_level)
        if self.truths > MOST_REPLICATED:
            raise invalid(
                "unit",
                _(
                    "With so many combinations of answers, finding the ε takes too long. Enter an ε and "
                    "check the error."
                ),
            )
        return self.expected_half_widths(confidence_level)[0]

    def expected_half_widths(self, confidence_level: float) -> tuple[float, ...]:
        """Return it of each effect by itself, the constant apart: of log odds, or in its unit."""
        z = normal_quantile(confidence_level)
        return tuple((z * expected_precision(self).released[1:]).tolist())

    def expectation_says(self) -> str:
        """Say it of the least precise coefficient, and of the first, the constant apart."""
        precision = expected_precision(self)
        z = normal_quantile(CONFIDENCE_LEVEL)
        widths = [
            float(z * errors[1:].max()) for errors in (precision.released, precision.without_noise, precision.direct)
        ]
        _outcome, first, *_others = self.columns
        words = {
            "answer": first.labels[1],
            "question": first.text,
            "half": three_digits(float(z * precision.released[1])),
        }
        if values_of(self.question):
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


def _scale(asked: AskedQuestion) -> tuple[float, ...]:
    """Return what answers count for, from 0 to 1; nothing where they are neither numbers nor two."""
    if asked.protects_leaving_out:
        return ()
    values = values_of(asked) or ((0.0, 1.0) if asked.design.k == 2 else ())
    return tuple((value - min(values)) / (max(values) - min(values)) for value in values)


def _correlation(value: float) -> str:
    return "–" if math.isnan(value) else decimal(value, 2)


PLAN = JointTablePlan
