"""The chance of a release as JSON holds it: each source of it, exactly, by what it was added to or what it decided."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, cast

from surveys.models import Mechanism
from surveys.privacy.mechanisms.bounds import ApproximateBounds
from surveys.privacy.mechanisms.choice import Choice
from surveys.privacy.mechanisms.exponential import Selection
from surveys.privacy.mechanisms.gaussian import DiscreteGaussian
from surveys.privacy.mechanisms.histogram import GaussianHistogram, LaplaceHistogram
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from surveys.privacy.mechanisms.mean import BoundedMean
from surveys.privacy.mechanisms.one_count import OneCount
from surveys.privacy.mechanisms.permute_and_flip import PermuteAndFlip
from surveys.privacy.mechanisms.shared_sums import SharedSums
from surveys.privacy.mechanisms.smooth_median import SmoothMedian
from surveys.privacy.mechanisms.stability import StabilityTest
from surveys.privacy.mechanisms.stable_median import StableMedian
from surveys.privacy.mechanisms.stable_mode import StableMode
from surveys.privacy.mechanisms.top import TopAnswers
from surveys.privacy.mechanisms.total import BoundedTotal
from surveys.privacy.mechanisms.variance import BoundedVariance
from surveys.selectors.releases.terms import PartTerms

Source = dict[str, Any]


def noise_of(terms: PartTerms) -> list[Source]:
    """Return every source of chance: what it was `on`, its `family`, and the parameters of that, exactly.

    Noise is a whole number of steps of the `grid`.
    """
    return _SOURCES[terms.offer.name](terms.mechanism)


def _laplace(on: str, noise: DiscreteLaplace, grid: Fraction = Fraction(1)) -> Source:
    """Pr(X = x steps) ∝ exp(−|x|/scale)."""
    return {
        "on": on,
        "family": "discrete_laplace",
        "scale": str(Fraction(noise.sensitivity) / noise.epsilon),
        "grid": str(grid),
    }


def _gaussian(on: str, noise: DiscreteGaussian) -> Source:
    """Pr(X = x) ∝ exp(−x²/(2σ²))."""
    return {
        "on": on,
        "family": "discrete_gaussian",
        "variance_parameter": str(noise.variance_parameter),
        "grid": "1",
    }


def _choice(one: Selection, rounds: int = 1) -> Source:
    """Pr(candidate) ∝ exp(rate·score), or the same of its coin, the candidates in a random order."""
    return {
        "on": "choice",
        "family": "permute_and_flip" if isinstance(one, PermuteAndFlip) else "exponential_mechanism",
        "rate": str(one.epsilon / (2 * one.sensitivity)),
        "rounds": rounds,
    }


def _test(test: StabilityTest) -> Source:
    return {**_laplace("stability", test.noise), "threshold": test.threshold}


def _total(on: str, total: BoundedTotal) -> Source:
    return _laplace(on, total.noise, total.grid.unit)


def _sums(sums: SharedSums, *names: str) -> list[Source]:
    found = [_total(name, one) for name, one in zip(names, sums.sums, strict=True)]
    return found if sums.count is None else [*found, _total("count", sums.count)]


def _smooth(mechanism: SmoothMedian) -> list[Source]:
    return [
        {
            "on": "median",
            "family": "cauchy",
            "alpha": str(mechanism.alpha),
            "beta": str(mechanism.beta),
            "grid": str(mechanism.step),
        },
        _laplace("distance", mechanism.of_distance),
    ]


def _stable_median(mechanism: StableMedian) -> list[Source]:
    noise = mechanism.noise
    return [_test(mechanism.test), *([] if noise is None else [_laplace("median", noise, mechanism.step)])]


def _counted(mechanism: LaplaceHistogram | OneCount | ApproximateBounds) -> list[Source]:
    return [_laplace("each count", mechanism.noise)]


def _chosen(mechanism: Choice[Any]) -> list[Source]:
    return [_choice(mechanism.selection)]


def _gaussian_counts(mechanism: GaussianHistogram) -> list[Source]:
    return [_gaussian("each count", mechanism.noise)]


def _top(mechanism: TopAnswers) -> list[Source]:
    return [_choice(mechanism.one_round, mechanism.rounds)]


def _one_total(mechanism: BoundedTotal) -> list[Source]:
    return [_total("total", mechanism)]


def _mean(mechanism: BoundedMean) -> list[Source]:
    return _sums(mechanism.parts, "total")


def _variance(mechanism: BoundedVariance) -> list[Source]:
    return _sums(mechanism.parts, "squares", "total")


def _stable_mode(mechanism: StableMode) -> list[Source]:
    return [_test(mechanism.test)]


_SOURCES = cast(
    "dict[str, Callable[[Any], list[Source]]]",
    {
        Mechanism.LAPLACE_HISTOGRAM: _counted,
        Mechanism.GAUSSIAN_HISTOGRAM: _gaussian_counts,
        Mechanism.ONE_COUNT: _counted,
        Mechanism.MOST_COMMON: _chosen,
        Mechanism.PERMUTE_AND_FLIP: _chosen,
        Mechanism.TOP: _top,
        Mechanism.QUANTILE: _chosen,
        Mechanism.BEST_PRICE: _chosen,
        Mechanism.TOTAL: _one_total,
        Mechanism.MEAN: _mean,
        Mechanism.VARIANCE: _variance,
        Mechanism.BOUNDS: _counted,
        Mechanism.SMOOTH_MEDIAN: _smooth,
        Mechanism.STABLE_MODE: _stable_mode,
        Mechanism.STABLE_MEDIAN: _stable_median,
    },
)
"""By mechanism: a new one is one more entry here, and one in `verify_release.py`."""
