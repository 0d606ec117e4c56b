"""A whole distribution in one charge: noisy counts of ordered answers, and of ranges of them where that pays."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import IntervalChart, IntervalRow, Table, share_axis
from surveys.estimation.affine import require_affine_map
from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.released.distribution import ReleasedQuantile, estimate_released_distribution
from surveys.models import Mechanism
from surveys.numbers.words import percent, percent_limits
from surveys.privacy.mechanisms.tree import Span, TreeCounts, best_branching
from surveys.releases.families.counts import NoisyCountsPlan
from surveys.releases.families.finding import (
    CONFIDENCE_LEVEL,
    DECIMALS,
    Finding,
    all_at_once_note,
    down,
    noisy_counts_table,
    share_row,
    up,
)
from surveys.releases.families.plan import CALIBRATED_NOISE, DISCRETE_NOISE, RELATION, Plan
from surveys.releases.families.questions import no_order, not_saying, too_few_numbers

QUARTERS = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))


@dataclass(frozen=True, slots=True)
class ShareUpTo:
    """The share of people whose true answer is this one or a lower one; all but `raw` are between 0 and 1.

    Attributes
    ----------
    label : str
        The answer.
    raw : float
        The unbiased estimate.
    share : float
        The nearest that never falls from one answer to the next.
    low, high : float
        The interval; those of all answers hold at once.
    """

    label: str
    raw: float
    share: float
    low: float
    high: float

    @property
    def name(self) -> str:
        return _("“%(answer)s” or below") % {"answer": self.label}

    @property
    def row(self) -> IntervalRow:
        return share_row(self.name, self.share, self.low, self.high)

    def document(self) -> dict[str, Any]:
        return {
            "answer": self.label,
            "raw": round(self.raw, DECIMALS),
            "share": round(self.share, DECIMALS),
            "low": down(self.low),
            "high": up(self.high),
        }


@dataclass(frozen=True, slots=True)
class Distribution(Finding):
    """Shares of true answers up to each one, and what is read off them.

    Attributes
    ----------
    labels : tuple of str
        All answers, in their order.
    up_to : tuple of ShareUpTo
        One for each answer but the last.
    quartiles : tuple of ReleasedQuantile
        The lower quartile, the median and the upper quartile.
    branching : int
        Of the tree.
    counts : tuple of (Span, int)
        Each node, and its noisy count.
    """

    labels: tuple[str, ...]
    up_to: tuple[ShareUpTo, ...]
    quartiles: tuple[ReleasedQuantile, ...]
    branching: int
    counts: tuple[tuple[Span, int], ...]

    family = "distribution"
    # Each row is a share of its own.
    second_follows = False

    @property
    def is_uninformative(self) -> bool:
        """Whether every interval leaves everything possible."""
        return all(one.low < 0.005 and one.high > 0.995 for one in self.up_to)

    @property
    def median(self) -> str:
        return self.labels[self.quartiles[1].code]

    @property
    def median_low(self) -> str:
        return self.labels[self.quartiles[1].low]

    @property
    def median_high(self) -> str:
        return self.labels[self.quartiles[1].high]

    @property
    def title(self) -> str:
        words = {"median": self.median, "low": self.median_low, "high": self.median_high}
        if self.median_low == self.median_high:
            return _("Median: “%(median)s”") % words
        return _("Median: between “%(low)s” and “%(high)s”") % words

    @property
    def note(self) -> str:
        between = _(
            "The share of people between two answers is the difference of their shares. Its interval is from the "
            "smallest to the largest difference that the two intervals allow."
        )
        return f"{all_at_once_note()} {between}" % {}

    def numbers(self) -> dict[str, Any]:
        return {
            "branching": self.branching,
            "intervals": "all at once (Bonferroni)",
            "up_to": [one.document() for one in self.up_to],
            "quantiles": [
                {
                    "share": str(one.share),
                    "answer": self.labels[one.code],
                    "low": self.labels[one.low],
                    "high": self.labels[one.high],
                }
                for one in self.quartiles
            ],
        }

    def chart(self, name: str) -> IntervalChart:
        return self.interval_chart(
            name,
            title=_("Estimated true answers, up to each one"),
            axis=share_axis(_("Of 100 people")),
            rows=[one.row for one in self.up_to],
        )

    def tables(self) -> list[Table]:
        rows = tuple(
            (one.name, percent(one.share, 1), *percent_limits(one.low, one.high), percent(one.raw, 1))
            for one in self.up_to
        )
        headings = (_("Answer"), _("Estimate"), _("Low"), _("High"), _("Raw estimate"))
        names = (_("lower quartile"), _("median"), _("upper quartile"))
        quartiles = tuple(
            (name, *(self.labels[code] for code in (one.code, one.low, one.high)))
            for name, one in zip(names, self.quartiles, strict=True)
        )
        return [
            Table(_("Released and derived values"), headings, rows),
            Table(_("Quartiles"), (_("Quantile"), _("Estimate"), _("Low"), _("High")), quartiles),
            noisy_counts_table([(self._node(span), count) for span, count in self.counts]),
        ]

    def _node(self, span: Span) -> str:
        first, last = self.labels[span[0]], self.labels[span[1] - 1]
        return first if first == last else _("“%(first)s” to “%(last)s”") % {"first": first, "last": last}


class TreeCountsPlan(NoisyCountsPlan):
    """Counts of a tree over the answers' order: shares, quantiles and ranges follow at no further cost."""

    name = Mechanism.TREE_COUNTS
    uses_delta = True
    needs_no_delta = True
    unsuitable_if = (no_order, too_few_numbers, not_saying)
    sentence = gettext_lazy(
        "Publishes the whole distribution of ordered answers: the share of people up to each answer, the median "
        "and the quartiles."
    )
    explanation = gettext_lazy(
        "This mechanism counts the reports of each answer. If δ is above 0 and there are many answers, it also counts "
        "the reports of neighbouring answers together, because fewer noisy counts then add up to each share. It adds "
        "a random whole number to each count. Least squares makes the counts consistent, and negative shares are "
        "removed by the nearest shares that never fall."
    )
    accuracy_sentence = gettext_lazy(
        "With probability %(level)s, the noise moves every number of reports up to an answer by at most %(amount)s "
        "and every estimated share up to an answer by at most %(points)s percentage points."
    )
    sensitivity_sentence = gettext_lazy(
        "%(value)s for all counts together (L1 for Laplace noise, squared L2 for Gaussian)"
    )
    references = (
        CALIBRATED_NOISE,
        DISCRETE_NOISE,
        (
            "Hay, Rastogi, Miklau & Suciu (2010)",
            "Boosting the accuracy of differentially private histograms through consistency, VLDB.",
        ),
        (
            "Qardaji, Yang & Li (2013)",
            "Understanding hierarchical methods for differentially private histograms, VLDB.",
        ),
        ("Honaker (2015)", "Efficient use of differentially private binary trees, TPDP."),
    )

    @cached_property
    def mechanism(self) -> TreeCounts:
        """The tree whose cumulated counts have the least noise on average."""
        # What cannot be read off the reports is refused here, and not after the charge.
        require_affine_map(self.design)
        delta, length = self.loss.delta, self.design.m
        return TreeCounts(
            epsilon=self.loss.epsilon,
            delta=delta,
            relation=RELATION,
            length=length,
            branching=best_branching(length, gaussian=delta > 0),
        )

    @property
    def largest_error(self) -> Fraction:
        """How far off a cumulated count makes some share 0 instead of 1."""
        return self.n * self._slope

    @property
    def _slope(self) -> Fraction:
        first, second, *_others = self.design.matrix[0]
        return abs(first - second)

    def error_from_reports(self, confidence_level: float = CONFIDENCE_LEVEL) -> float:
        """Return it for a share up to an answer near one half, of the answer where that is largest."""
        line = require_affine_map(self.design)
        rates = line.of_merged().offset + line.slope / 2
        deviation = math.sqrt(float((rates * (1 - rates)).max()) / self.n) / abs(line.slope)
        return 100 * normal_quantile(confidence_level) * deviation

    def read(self, output: Mapping[str, Any]) -> Distribution:
        mechanism, noisy = self.mechanism, self.restored(output)
        estimate = estimate_released_distribution(noisy, self.n, self.design, mechanism)
        band = estimate.band(self.level())
        labels = self.question.first.labels
        return Distribution(
            labels=labels,
            up_to=tuple(
                ShareUpTo(label, *map(float, numbers))
                for label, *numbers in zip(
                    labels[:-1], estimate.point, estimate.constrained, band.low, band.high, strict=True
                )
            ),
            quartiles=estimate.quantiles(*QUARTERS, confidence_level=self.level()),
            branching=mechanism.branching,
            counts=tuple(zip(mechanism.nodes, noisy, strict=True)),
        )

    def answers(self, new: Plan) -> bool:
        """Return True: each answer's own count is among those drawn."""
        return True

    def derived_accuracy(self, new: Plan, confidence_level: float) -> float | None:
        """Return its own for the same, else what the counts of all answers lead to, each off by at most so much."""
        if isinstance(new, TreeCountsPlan):
            return self.accuracy(confidence_level).at_most
        mechanism = self.mechanism
        each = mechanism.noise.error_bound(self.level(confidence_level), mechanism.length)
        bound = new.error_from_counts(Fraction(each), self.n)
        return None if bound is None else float(bound)

    def error_from_counts(self, t: Fraction, n: int) -> Fraction:
        """Return it of the counts up to an answer, or of those above it: half of all counts at most."""
        return self.design.m // 2 * t


PLAN = TreeCountsPlan
