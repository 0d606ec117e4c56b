"""Shares of the true answers, or the mean of a number, from released noisy counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from surveys.estimation.intervals import Interval
from surveys.estimation.released import CountNoise, estimate_released_histogram, estimate_released_options
from surveys.models.definition import AskedQuestion
from surveys.models.kinds import Range
from surveys.privacy.mechanisms.histogram import NoisyHistogram
from surveys.privacy.mechanisms.one_count import OneCount
from surveys.selectors.releases.found.figure import Figure, Scale
from surveys.selectors.releases.terms import PartTerms


@dataclass(frozen=True, slots=True)
class Estimate:
    """One true answer, as far as released counts tell; all but `raw` are shares between 0 and 1.

    Attributes
    ----------
    label : str
        The answer; "" for all answers but the one that was counted.
    report : str
        What was counted, where that is not called like the answer.
    noisy_count : int
        The released count of reports; it may be negative or exceed n.
    reported : float or None
        Its share of n, limited to 0 and 1; None where the report is not called like the answer.
    raw : float
        The unbiased estimate of the share of people whose true answer this is; it may leave 0 and 1.
    share : float
        The same, all answers together limited to what shares can be.
    low, high : float
        The confidence interval.
    """

    label: str
    report: str
    noisy_count: int
    reported: float | None
    raw: float
    share: float
    low: float
    high: float

    @property
    def says_nothing(self) -> bool:
        """Whether the interval leaves everything possible."""
        return self.low < 0.005 and self.high > 0.995


@dataclass(frozen=True, slots=True)
class Counts:
    """Shares of the true answers with intervals that cover the respondents' coins and the noise.

    Attributes
    ----------
    estimates : tuple of Estimate
        One for each answer, or for each of several options.
    headline : Estimate
        Yes, the one answer that was counted, or whatever seems the most common.
    level_of_each : float
        The confidence level of each interval.
    several : bool
        Whether people may have several of these answers, so that the shares need not sum to 1.
    mean : Figure or None
        Of a number that chance rounds to its two ends: then that is what the counts are for.
    """

    estimates: tuple[Estimate, ...]
    headline: Estimate
    level_of_each: float
    several: bool
    mean: Figure | None

    @property
    def family(self) -> str:
        """How it is shown."""
        return "mean" if self.mean else "counts"

    @property
    def all_at_once(self) -> bool:
        """Whether the intervals are wider each, so that all of them hold at once with `CONFIDENCE_LEVEL`."""
        return len(self.estimates) > (1 if self.several else 2)

    @property
    def says_nothing(self) -> bool:
        """Whether the interval that the sentence is about leaves everything possible."""
        return self.mean.says_nothing if self.mean else self.headline.says_nothing


def counts_found(terms: PartTerms, output: Mapping[str, Any]) -> Counts:
    """Return what noisy counts of all reports, of one, or of several options say."""
    mechanism = terms.mechanism
    if not isinstance(mechanism, NoisyHistogram | OneCount):
        raise TypeError(f"mechanism must count, got {mechanism!r}")
    return said_by_counts(terms, terms.offer.restored(output), mechanism.noise, one_count=mechanism.is_one_count)


def said_by_counts(terms: PartTerms, noisy: Sequence[int], noise: CountNoise, *, one_count: bool) -> Counts:
    """Return what these counts of the question say, this noise being on each."""
    asked, design = terms.asked, terms.design
    if asked.traits.several:
        options = estimate_released_options(noisy, terms.n, design, noise)
        level = level_of_each(len(noisy), terms.level())
        labels = tuple(item.option for item in asked.items)
        interval = options.interval(level)
        return _counts(
            labels=labels, reports=labels, noisy=noisy, found=options, interval=interval, level=level, terms=terms
        )
    labels, reports = asked.first.labels, asked.first.report_labels
    if "answer" in terms.options:
        labels = reports = ("", labels[int(terms.options["answer"])])
    found = estimate_released_histogram(noisy, terms.n, design, noise, one_count=one_count)
    level = level_of_each(design.k if design.k > 2 else 1, terms.level())
    interval = found.interval(level)
    return _counts(
        labels=labels, reports=reports, noisy=noisy, found=found, interval=interval, level=level, terms=terms
    )


def level_of_each(k: int, confidence_level: float) -> float:
    """Return the level of each of k intervals, so that all of them hold at once with this level (Bonferroni).

    People read off the largest of several answers, so the level must survive that choice.
    """
    return 1 - (1 - confidence_level) / k


def _counts(
    *,
    labels: Sequence[str],
    reports: Sequence[str],
    noisy: Sequence[int],
    found: Any,  # noqa: ANN401 - of one answer a person or of several: both have points
    interval: Interval,
    level: float,
    terms: PartTerms,
) -> Counts:
    asked = terms.asked
    estimates = tuple(
        Estimate(
            label=label,
            report="" if report == label else report,
            noisy_count=int(noisy[code]),
            reported=_limited(int(noisy[code]) / terms.n) if report == label else None,
            raw=float(found.point[code]),
            share=_limited(float(found.constrained[code])),
            low=float(interval.low[code]),
            high=float(interval.high[code]),
        )
        for code, (label, report) in enumerate(zip(labels, reports, strict=True))
    )
    several, one_answer = asked.traits.several, "answer" in terms.options
    counted = one_answer or (asked.traits.yes_or_no and not several)
    headline = estimates[1] if counted else max(estimates, key=lambda estimate: estimate.share)
    mean = _mean(asked, estimates) if asked.first.range and not one_answer else None
    return Counts(estimates, headline, level, several, mean)


def _mean(asked: AskedQuestion, estimates: Sequence[Estimate]) -> Figure:
    """Return the mean of a number from the shares of its two ends, among those who say theirs.

    With shares a and b of the low and the high end it is low + (high − low)·b/(a + b), which rises with b and falls
    with a: so its limits are at the limits of both shares, which hold at once.
    """
    limits = asked.first.range
    if limits is None:
        raise TypeError(f"asked must be a number for its mean, got {asked.kind}")
    least, most = estimates[:2]
    # Where nobody need say theirs, any mean is possible.
    low, high = _between(limits, least.high, most.low), _between(limits, least.low, most.high)
    return Figure(
        raw=_between(limits, least.raw, most.raw),
        value=_between(limits, least.share, most.share),
        low=float(limits.low) if low is None else low,
        high=float(limits.high) if high is None else high,
        scale=Scale(limits.low, limits.high, limits.unit),
        among_those_who_say=asked.protects_leaving_out,
    )


def _between(limits: Range, least: float, most: float) -> float | None:
    if not least + most > 0:
        return None
    return float(limits.low) + float(limits.high - limits.low) * most / (least + most)


def _limited(share: float) -> float:
    return min(1.0, max(0.0, share))
