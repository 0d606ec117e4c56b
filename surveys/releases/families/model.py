"""What a model says that was fitted to a published table: who has how many times the odds of whom, or how much more."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN
from functools import lru_cache
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from surveys.charts import Axis, IntervalChart, IntervalRow, Table, axis_around, log_axis_around
from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.learning.linear import ReleasedLinearFit, expect_linear_precision, fit_released_linear
from surveys.estimation.learning.logistic import ReleasedLogisticFit, expect_logistic_precision, fit_released_logistic
from surveys.estimation.learning.precision import ReleasePrecision
from surveys.estimation.learning.table import ReleasedTable
from surveys.estimation.released.noise import CountNoise
from surveys.estimation.validation import Floats
from surveys.numbers.words import at_most, decimal, decimal_outwards, people_of_100, says_too_little
from surveys.privacy.designs import Design
from surveys.questionnaire.asked_question import AskedQuestion, Item
from surveys.releases.families.counts import level_of_each
from surveys.releases.families.figure import KeyFigure, NumberScale, measure_words
from surveys.releases.families.finding import CONFIDENCE_LEVEL, DECIMALS, Finding, down, finite, noisy_counts_table, up
from surveys.releases.families.plan import GroupAnswers, Plan
from surveys.releases.families.questions import has_numbers, reported_numbers, unit_of

FARTHEST = 100.0
"""Odds ratios beyond it, or below its inverse, are drawn at the edge."""
MOST_REPLICATED = 128
"""So many combinations of true answers can be fitted to hundreds of replicated tables while somebody waits."""
UNKNOWN = "none"
"""The method of intervals that are the whole line, where only replicated tables would tell."""
_MOST = 1000.0


@dataclass(frozen=True, slots=True)
class TableKey:
    """A published table with all that its fit depends on; equal ones have one fit, which is kept.

    Attributes
    ----------
    counts : tuple of int
        As published, the last question's reports changing fastest.
    n : int
        The number of responses.
    designs : tuple of Design
        Of the outcome, then the predictors; of groups the identity.
    noise : CountNoise
        On each count.
    values : tuple of float
        What the outcome's answers stand for; empty where it is Yes or No.
    """

    counts: tuple[int, ...]
    n: int
    designs: tuple[Design, ...]
    noise: CountNoise
    values: tuple[float, ...]


def table_key(plan: Plan, counts: tuple[int, ...]) -> TableKey:
    """Return what a fit of these published counts depends on."""
    mechanism: Any = plan.mechanism
    designs = tuple(column.design for column in plan.columns)
    return TableKey(counts, plan.n, designs, mechanism.noise, values_of(plan.question))


def values_of(outcome: AskedQuestion) -> tuple[float, ...]:
    """Return the numbers that its answers stand for, or nothing: then it is Yes or No."""
    return tuple(float(number or 0) for number in reported_numbers(outcome).numbers) if has_numbers(outcome) else ()


def released_table(key: TableKey) -> ReleasedTable:
    """Return the published table, from which everything follows at no further cost."""
    shape = tuple(design.m for design in key.designs)
    return ReleasedTable(np.array(key.counts, dtype=np.int64).reshape(shape), key.n, key.designs, key.noise)


@lru_cache(maxsize=64)
def fit_model(key: TableKey) -> ReleasedLogisticFit | ReleasedLinearFit:
    """Return the regression of the outcome on all other true answers; the same table is fitted once per process."""
    table = released_table(key)
    return fit_released_linear(table, key.values) if key.values else fit_released_logistic(table)


def expected_precision(plan: Plan) -> ReleasePrecision:
    """Return coefficients' precision if all patterns of true answers are equally common, from public numbers only."""
    mechanism: Any = plan.mechanism
    designs = tuple(column.design for column in plan.columns)
    truths = np.full([design.k for design in designs], 1 / math.prod(design.k for design in designs))
    values, noise = values_of(plan.question), mechanism.noise
    if values:
        return expect_linear_precision(truths, values, n=plan.n, designs=designs, noise=noise)
    return expect_logistic_precision(truths, n=plan.n, designs=designs, noise=noise)


@dataclass(frozen=True, slots=True)
class AnswerEffect:
    """What one true answer to a predictor goes with, beside its first answer; the others being equal.

    Attributes
    ----------
    question, answer, against : str
        The predictor, its answer, and the one that this is beside.
    estimate : float
        A log odds ratio, or a difference of means; infinite or NaN where there is none.
    low, high : float
        The confidence interval; infinite where the release does not say.
    errors : tuple of three floats
        Standard errors: of this release, of the same without its noise, and of direct answers.
    of_group : bool
        Whether it is a group's, which nobody answers.
    """

    question: str
    answer: str
    against: str
    estimate: float
    low: float
    high: float
    errors: tuple[float, float, float]
    of_group: bool = False

    @property
    def is_uninformative(self) -> bool:
        return self.low == -math.inf and self.high == math.inf

    @property
    def away(self) -> float:
        """How far from no difference it is at least; 0 where there may be none."""
        return max(self.low, -self.high, 0.0)

    @property
    def name(self) -> str:
        return _("%(question)s %(answer)s") % {"question": self.question, "answer": self.answer}


@dataclass(frozen=True, slots=True)
class PredictedShare:
    """How many give the outcome's answer, of all who give one answer to a predictor and the first to all others."""

    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Model(Finding):
    """A regression of true answers, read off a published table.

    Attributes
    ----------
    outcome, answer : str
        The question, and where it has two answers the one whose odds these are.
    scale : NumberScale or None
        Of numbers: what they lie between, and their unit.
    effects : tuple of AnswerEffect
        One a coefficient, the constant apart.
    constant : AnswerEffect
        Where all predictors have their first answer.
    method : str
        By which intervals were found.
    converged, exact : bool
        Whether the maximum was found, and the noise was convolved throughout.
    truths : tuple of float
        Of a logistic fit: the shares of the predictors' patterns of true answers.
    counts : tuple of (str, int)
        Each pattern of reports, and its published count.
    by_group : bool
        Whether groups are among its predictors.
    shares : tuple of PredictedShare
        Of a logistic fit with intervals: of the first answers, then of each effect's; all hold at once.
    """

    outcome: str
    answer: str
    scale: NumberScale | None
    effects: tuple[AnswerEffect, ...]
    constant: AnswerEffect
    method: str
    converged: bool
    exact: bool
    truths: tuple[float, ...]
    counts: tuple[tuple[str, int], ...]
    by_group: bool = False
    shares: tuple[PredictedShare, ...] = ()

    family = "model"
    second_follows = False

    @property
    def is_uninformative(self) -> bool:
        return all(effect.is_uninformative for effect in self.effects)

    @property
    def strongest(self) -> AnswerEffect | None:
        """The effect that is farthest from none, if any surely is: all intervals hold at once, so it may be chosen."""
        best = max(self.effects, key=lambda effect: effect.away)
        return best if best.away > 0 else None

    @property
    def pair(self) -> tuple[PredictedShare, PredictedShare] | None:
        """The shares with the strongest effect's answer and with what it is beside; none where one is too uncertain."""
        best = self.strongest
        if best is None or not (self.shares and self._is_bounded(best) and math.isfinite(best.estimate)):
            return None
        pair = self.shares[1 + self.effects.index(best)], self.shares[0]
        return None if any(says_too_little(each.low, each.high) for each in pair) else pair

    @property
    def held(self) -> str:
        """The answers to all other questions at which shares are predicted; "" where there are none."""
        best, name = self.strongest, _("%(question)s %(answer)s")
        others = {each.question: each.against for each in self.effects if best and each.question != best.question}
        return "; ".join(name % {"question": question, "answer": answer} for question, answer in others.items())

    @property
    def title(self) -> str:
        best = self.strongest
        if best is None:
            return _("No clear association with any of these questions")
        names = {"answer": best.answer, "question": best.question, "against": best.against}
        if self.pair:
            some, others = (people_of_100(each.share) for each in self.pair)
            return self._pair_words(best) % (names | {"outcome": self.answer, "some": some, "others": others})
        if self.scale is not None:
            words = (
                _("“%(answer)s” is associated with an average difference of %(amount)s")
                if best.of_group
                else _("“%(answer)s” to “%(question)s” is associated with an average difference of %(amount)s")
            )
            return words % (names | {"amount": self.write(best.estimate)})
        words = (
            _("“%(answer)s” is associated with %(times)s times the odds of the outcome")
            if best.of_group
            else _("“%(answer)s” to “%(question)s” is associated with %(times)s times the odds of the outcome")
        )
        times = _times(best.estimate, ROUND_HALF_EVEN) if self._is_bounded(best) else self._end_words(best, _times)
        return words % (names | {"times": times})

    def _pair_words(self, best: AnswerEffect) -> str:
        if best.of_group:
            words = _("“%(outcome)s”: %(some)s of 100 in “%(answer)s”, %(others)s of 100 in “%(against)s”")
        else:
            words = _(
                "“%(outcome)s”: %(some)s of 100 with “%(answer)s” to “%(question)s”, %(others)s of 100 with "
                "“%(against)s”"
            )
        return _("%(shares)s, other answers equal") % {"shares": words} if self.held else words

    @property
    def odds_words(self) -> str:
        """Say how many times the odds the first of the two shares is."""
        best = self.strongest
        if best is None:
            return ""
        return _(
            "The odds in the first case are %(times)s times the odds in the second (95%% interval: %(low)s "
            "to %(high)s)."
        ) % {
            "times": _times(best.estimate, ROUND_HALF_EVEN),
            "low": _times(best.low, ROUND_FLOOR),
            "high": _times(best.high, ROUND_CEILING),
        }

    def _is_bounded(self, effect: AnswerEffect) -> bool:
        """Whether an interval ends: of an estimate whose interval does not, only where it begins is known."""
        return math.isfinite(effect.low) and math.isfinite(effect.high)

    def key_figure(self) -> KeyFigure | None:
        """Return the strongest effect, unless two shares say it."""
        best = self.strongest
        if best is None or self.pair or not math.isfinite(best.estimate):
            return None
        of = _("on average, compared with “%(against)s”") if self.scale else _("the odds with “%(against)s”")
        return KeyFigure(
            figure=self.write(best.estimate) if self._is_bounded(best) else self.limits_words(best),
            of=of % {"against": best.against},
            low=self.write(best.low, ROUND_FLOOR),
            high=self.write(best.high, ROUND_CEILING),
            is_estimate=self._is_bounded(best),
            row=self._row(best),
            axis=self._axis,
        )

    def write(self, value: float, rounding: str = ROUND_HALF_EVEN) -> str:
        """Write an effect: a number of times, or a difference in its unit with its sign."""
        if self.scale is not None:
            if not math.isfinite(value):
                return "–" if math.isnan(value) else f"{'-' if value < 0 else '+'}∞"
            written = measure_words(value, self.scale, rounding)
            return f"+{written}" if value > 0 else written
        times = _times(value, rounding)
        return times if times == "–" else f"{times}×"

    def limits_words(self, effect: AnswerEffect) -> str:
        if effect.is_uninformative:
            return _("not clear from this release")
        if not self._is_bounded(effect):
            return self._end_words(effect, self.write)
        limits = {"low": self.write(effect.low, ROUND_FLOOR), "high": self.write(effect.high, ROUND_CEILING)}
        return _("%(low)s to %(high)s") % limits

    def _end_words(self, effect: AnswerEffect, write: Callable[[float, str], str]) -> str:
        if math.isfinite(effect.low):
            return _("at least %(low)s") % {"low": write(effect.low, ROUND_FLOOR)}
        return _("at most %(high)s") % {"high": write(effect.high, ROUND_CEILING)}

    def sentence(self, effect: AnswerEffect) -> str:
        names = {
            "answer": effect.answer,
            "against": effect.against,
            "question": effect.question,
            "limits": self.limits_words(effect),
            "low": _times(effect.low, ROUND_FLOOR),
            "high": _times(effect.high, ROUND_CEILING),
            "outcome": self.answer,
        }
        if effect.of_group:
            return self._group_sentence(effect) % names
        if effect.is_uninformative:
            return _("This release does not show what “%(answer)s” to “%(question)s” is associated with.") % names
        if self.scale is not None:
            return (
                _(
                    "People who would truthfully answer “%(answer)s” to “%(question)s” differ on average by "
                    "%(limits)s from people who would answer “%(against)s”."
                )
                % names
            )
        return (
            _(
                "People who would truthfully answer “%(answer)s” to “%(question)s” have %(low)s to %(high)s "
                "times the odds of “%(outcome)s” compared with people who would answer “%(against)s”."
            )
            % names
        )

    def _group_sentence(self, effect: AnswerEffect) -> str:
        if effect.is_uninformative:
            return _("This release does not show what “%(answer)s” is associated with.")
        if self.scale is not None:
            return _("People in “%(answer)s” differ on average by %(limits)s from people in “%(against)s”.")
        return _(
            "People in “%(answer)s” have %(low)s to %(high)s times the odds of “%(outcome)s” compared with "
            "people in “%(against)s”."
        )

    @property
    def sentences(self) -> list[str]:
        return [self.sentence(effect) for effect in self.effects]

    @property
    def note(self) -> str:
        return " ".join(
            [
                _(
                    "Each row compares an answer with the first answer to the same question, holding the "
                    "answers to all other questions constant. All intervals hold simultaneously with 95%% "
                    "confidence. They allow for sampling, the respondents’ coins and the noise of this release."
                )
                % {},
                *(
                    [
                        _(
                            "The intervals of shares hold simultaneously among themselves, but not together with "
                            "the other intervals."
                        )
                    ]
                    if self.pair
                    else []
                ),
                _(
                    "The model describes true answers. It accounts for both the coins and the noise, so "
                    "neither pulls effects towards zero. It was computed from the published counts, so it "
                    "costs nothing more."
                ),
                *(
                    [
                        _(
                            "Groups are not randomized. Only the noise of this release hides which group a "
                            "response belongs to. Whether a group is shown separately depends on how many of "
                            "its people answered, counted without noise."
                        )
                    ]
                    if self.by_group
                    else []
                ),
                *(
                    []
                    if self.method != UNKNOWN
                    else [_("There are too many combinations of answers to compute intervals here.")]
                ),
                *([] if self.converged else [_("No maximum of the likelihood was found.")]),
            ]
        )

    def chart(self, name: str) -> IntervalChart:
        title = _("Odds ratios of true answers") if self.scale is None else _("Average difference")
        return IntervalChart(
            name=name,
            title=title,
            text=" ".join(self.sentences),
            axis=self._axis,
            rows=[self._row(effect) for effect in self.effects],
            reference=1.0 if self.scale is None else 0.0,
            reference_label=_("no difference"),
            interval_label=_("estimate and interval (all intervals hold simultaneously)"),
            table=self.tables()[0],
        )

    @property
    def _axis(self) -> Axis:
        drawn = [
            place
            for effect in self.effects
            for place in map(self._place, (effect.low, effect.estimate, effect.high))
            if math.isfinite(place)
        ]
        if self.scale is not None:
            return axis_around([0.0, *drawn], title=self.scale.unit)
        return log_axis_around(
            [min(FARTHEST, max(1 / FARTHEST, place)) for place in [1.0, *drawn]], title=_("Odds ratio (log scale)")
        )

    def _place(self, value: float) -> float:
        """Return where a value of the model's scale stands on the axis."""
        return value if self.scale is not None else math.exp(min(value, 500.0))

    def _row(self, effect: AnswerEffect) -> IntervalRow:
        known = not effect.is_uninformative and math.isfinite(effect.estimate)
        return IntervalRow(
            label=effect.name,
            says=self.sentence(effect),
            value=self.write(effect.estimate) if known else "–",
            point=self._place(effect.estimate) if known else None,
            low=None if effect.is_uninformative else self._place(effect.low),
            high=None if effect.is_uninformative else self._place(effect.high),
            claimed=not effect.is_uninformative,
            limits=self.limits_words(effect),
        )

    def tables(self) -> list[Table]:
        """Return the effects, how wide they would be otherwise, and the counts that they follow from."""
        headings = (_("True answer"), _("Estimate"), _("Low"), _("High"))
        rows = tuple(
            (
                effect.name,
                self.write(effect.estimate) if math.isfinite(effect.estimate) else "–",
                self.write(effect.low, ROUND_FLOOR),
                self.write(effect.high, ROUND_CEILING),
            )
            for effect in self.effects
        )
        widths = tuple((effect.name, *map(self._width, effect.errors)) for effect in self.effects)
        return [
            Table(_("Results from the published table"), headings, rows),
            Table(
                _("95%% margin of error of a single estimate") % {}
                if self.scale is not None
                else _("95%% margin of error of a single estimate, as a factor") % {},
                (_("True answer"), _("This release"), _("Without noise"), _("With direct answers")),
                widths,
            ),
            noisy_counts_table(self.counts),
        ]

    def _width(self, error: float) -> str:
        half = normal_quantile(CONFIDENCE_LEVEL) * error
        if self.scale is not None:
            return "∞" if half == math.inf else f"±{decimal(half, 2)}"
        return factor_words(half)

    def numbers(self) -> dict[str, Any]:
        return {
            "model": "logistic" if self.scale is None else "linear",
            "outcome": self.outcome,
            "unit": "" if self.scale is None else self.scale.unit,
            "intervals": "all at once (Bonferroni)",
            "method": self.method,
            "certificate": {"converged": self.converged, "exact_likelihood": self.exact},
            "constant": _document(self.constant),
            "effects": [_document(effect) for effect in self.effects],
            "shares_of_predictors": [round(share, 9) for share in self.truths] or None,
        }


def _document(effect: AnswerEffect) -> dict[str, Any]:
    released, without_noise, direct = (finite(round(error, DECIMALS)) for error in effect.errors)
    return {
        "question": effect.question or None,
        "answer": effect.answer or None,
        "against": effect.against or None,
        "estimate": finite(round(effect.estimate, DECIMALS + 3)),
        "low": down(effect.low) if math.isfinite(effect.low) else None,
        "high": up(effect.high) if math.isfinite(effect.high) else None,
        "standard_error": released,
        "without_noise": without_noise,
        "direct": direct,
    }


def model_of(plan: Plan, counts: tuple[int, ...]) -> Model:
    """Return the model that published counts lead to."""
    outcome, (_first, *predictors) = plan.question, plan.columns
    key = table_key(plan, counts)
    fit = fit_model(key)
    names = [("", "", "")] + [
        (column.text, label, column.labels[0]) for column in predictors for label in column.labels[1:]
    ]
    of_groups = [False, *(column.kind == GroupAnswers.name for column in predictors for _label in column.labels[1:])]
    level = level_of_each(len(names), plan.level())
    low, high, method = _limits(fit, level)
    errors = zip(fit.precision.released, fit.precision.without_noise, fit.precision.direct, strict=True)
    constant, *effects = (
        AnswerEffect(
            *name, float(estimate), float(least), float(most), (float(released), float(without), float(direct)), of
        )
        for (name, of), estimate, least, most, (released, without, direct) in zip(
            zip(names, of_groups, strict=True), fit.coefficients, low, high, errors, strict=True
        )
    )
    numbers = reported_numbers(outcome) if key.values else None
    return Model(
        outcome=outcome.text,
        answer=outcome.first.labels[-1],
        scale=NumberScale(numbers.low, numbers.high, unit_of(outcome)) if numbers else None,
        effects=tuple(effects),
        constant=constant,
        method=method,
        converged=fit.converged if isinstance(fit, ReleasedLogisticFit) else True,
        exact=fit.exact if isinstance(fit, ReleasedLogisticFit) else True,
        truths=tuple(fit.truths.ravel().tolist()) if isinstance(fit, ReleasedLogisticFit) else (),
        counts=tuple(zip(_patterns(plan.columns), counts, strict=True)),
        by_group=plan.groups is not None,
        shares=tuple(PredictedShare(*row) for row in fit.shares(level).tolist())
        if isinstance(fit, ReleasedLogisticFit) and method != UNKNOWN
        else (),
    )


def _limits(fit: ReleasedLogisticFit | ReleasedLinearFit, level: float) -> tuple[Floats, Floats, str]:
    """Return both limits, and how they were found: nothing is claimed that would take minutes to find out."""
    if isinstance(fit, ReleasedLogisticFit) and fit.fitted.size > MOST_REPLICATED and not fit.regular:
        unbounded = np.full(fit.coefficients.shape, np.inf)
        return -unbounded, unbounded, UNKNOWN
    limits = fit.interval(level)
    return limits.low, limits.high, limits.method


def _patterns(columns: Sequence[Item]) -> list[str]:
    names = [""]
    for column in columns:
        names = [f"{name} · {label}" if name else label for name in names for label in column.report_labels]
    return names


def factor_words(log_factor: float) -> str:
    if log_factor > math.log(_MOST):
        return _("more than 1,000")
    return at_most(math.exp(log_factor), 2)


def _times(log_odds: float, rounding: str) -> str:
    """Write 1.4 for a log odds ratio."""
    if math.isnan(log_odds):
        return "–"
    if log_odds == math.inf:
        return "∞"
    times = math.exp(min(log_odds, 500.0))
    digits = 0 if times >= 100 else 1 if times >= 1 else 2
    if rounding == ROUND_HALF_EVEN:
        return decimal(times, digits)
    return decimal_outwards(times, digits, math.floor if rounding == ROUND_FLOOR else math.ceil)
