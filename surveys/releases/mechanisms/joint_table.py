"""Noisy counts of all patterns of reports to several questions, and the model that follows from them."""

import hashlib
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import count
from typing import Any, ClassVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Table
from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.learning.correlation import correlate_released
from surveys.estimation.learning.logistic import MOST_TRUTHS
from surveys.estimation.learning.synthetic import draw_synthetic_rows
from surveys.models import Mechanism
from surveys.numbers.words import decimal, three_digits, whole_number
from surveys.privacy.decimals import float_not_below
from surveys.privacy.learning.domain import RESPONSES_A_CELL
from surveys.privacy.learning.joint import NoisyJointTable
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.releases.families.counts import level_of_each
from surveys.releases.families.finding import CONFIDENCE_LEVEL, SyntheticPeople
from surveys.releases.families.joint import GROUPS, OUTCOME, JointPlan, pattern_domain
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
from surveys.releases.families.noise import Source, gaussian, laplace
from surveys.releases.families.options import invalid
from surveys.releases.families.plan import CALIBRATED_NOISE, COEFFICIENT, DISCRETE_NOISE, RELATION, Plan

MOST_ROWS = 10_000
"""So many people are made up at most."""
_BLOCK = 8


class JointTablePlan(JointPlan):
    """The count of every pattern with noise of its own: a model, and all else, is computed from it for free."""

    name = Mechanism.JOINT_TABLE
    uses_delta = True
    needs_no_delta = True
    synthesizes = True
    wanted_in = (COEFFICIENT,)
    fields = (OUTCOME, GROUPS)
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
    accuracy_sentence = gettext_lazy("With probability %(level)s, the noise moves every count by at most %(amount)s.")
    sensitivity_sentence = gettext_lazy(
        "%(value)s for all counts together (L1 for Laplace noise, squared L2 for Gaussian)"
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

    @cached_property
    def mechanism(self) -> NoisyJointTable:
        """The noise on the counts; before they are counted, of the fewest responses that there may be."""
        for column in self.columns:
            # What cannot be read off the reports is refused here, and not by the model after the charge.
            _ = column.design.left_inverse
        domain = pattern_domain(self.shape)
        return NoisyJointTable(
            domain=domain,
            n=self.n or RESPONSES_A_CELL * domain.cells,
            epsilon=self.loss.epsilon,
            delta=self.loss.delta,
            relation=RELATION,
        )

    def noise(self) -> list[Source]:
        noise: Any = self.mechanism.noise
        if self.loss.delta:
            return [gaussian("each count", noise, self.mechanism.sensitivity.value)]
        return [laplace("each count", noise)]

    def stored(self, output: Any) -> dict[str, Any]:  # noqa: ANN401 - Plan's signature
        return {"noisy_counts": list(output)}

    def restored(self, stored: Mapping[str, Any]) -> tuple[int, ...]:
        return tuple(stored["noisy_counts"])

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
        """Return as many people as answered, 10,000 at most, drawn from what the table says of true answers.

        The table itself seeds the draw, so that everybody who has it gets the same people. Nothing but published
        numbers is drawn from, and no secret is in it: `secrets` would only make files differ.
        """
        counts = self.restored(output)
        source = seeded_randbelow(repr((self.n, counts)).encode())
        rows = draw_synthetic_rows(released_table(table_key(self, counts)), min(self.n, MOST_ROWS), source)
        labels = [column.labels for column in self.columns]
        return SyntheticPeople(
            tuple(column.text for column in self.columns),
            tuple(tuple(of[code] for of, code in zip(labels, row, strict=True)) for row in rows.tolist()),
        )

    @property
    def largest_error(self) -> Fraction:
        """All answers: a count lies between none and that."""
        return Fraction(self.n)

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

    def answers(self, new: Plan) -> bool:
        """Whether it can be read off it: any of its questions alone or with others; groups if they were the same."""
        return new.groups in {None, self.groups}

    def derived_accuracy(self, new: Plan, confidence_level: float) -> float | None:
        """Return what counts lead to that are sums of the table's, each off by at most so much."""
        summed = Fraction(self.cells, math.prod(column.design.m for column in new.columns))
        of_each = summed * Fraction(self.accuracy(confidence_level).at_most)
        of_counts = new.error_from_counts(of_each, self.n)
        return None if of_counts is None else float_not_below(of_counts)

    def error_from_counts(self, t: Fraction, n: int) -> Fraction:
        """Return the same: these are such counts."""
        return t


def seeded_randbelow(seed: bytes) -> Callable[[int], int]:
    """Return a source of uniform integers that only the seed decides: SHAKE-256 of it and a counter, by rejection."""
    numbers = count()

    def randbelow(bound: int) -> int:
        bits = (bound - 1).bit_length()
        while True:
            block = hashlib.shake_256(seed + next(numbers).to_bytes(_BLOCK, "big")).digest(math.ceil(bits / 8))
            drawn = int.from_bytes(block, "big") >> (-bits % 8)
            if drawn < bound:
                return drawn

    return randbelow


def _scale(asked: AskedQuestion) -> tuple[float, ...]:
    """Return what answers count for, from 0 to 1; nothing where they are neither numbers nor two."""
    if asked.protects_leaving_out:
        return ()
    values = values_of(asked) or ((0.0, 1.0) if asked.design.k == 2 else ())
    return tuple((value - min(values)) / (max(values) - min(values)) for value in values)


def _correlation(value: float) -> str:
    return "–" if math.isnan(value) else decimal(value, 2)


PLAN = JointTablePlan
