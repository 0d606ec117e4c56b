"""How well two neighbours can be told apart: by the formula of their outputs, and by draws."""

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from tests.privacy.chance import FALSE_ALARM_RATE
from tests.privacy.mechanisms.neighbours import DataSet

_HALVINGS = 60


class Pair(NamedTuple):
    """Two neighbours, with the probabilities of all enumerated outputs from each."""

    one: DataSet
    other: DataSet
    p: np.ndarray
    q: np.ndarray


def hockey_stick(p: np.ndarray, q: np.ndarray, epsilon: float) -> float:
    """Σ max(0, p − e^ε·q), by how much some event is likelier than (ε, 0) allows."""
    return float(np.maximum(p - math.exp(epsilon) * q, 0.0).sum())


def log_ratios(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """ln(p/q) of each output: −∞ where p is 0, ∞ where only q is."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(p > 0, np.log(p) - np.log(q), -np.inf)


def spent(p: np.ndarray, q: np.ndarray, delta: float) -> float:
    """The smallest ε ≥ 0 at which one of two neighbours is (ε, δ)-protected from the other, among these outputs."""
    if not delta:
        return max(0.0, float(log_ratios(p, q).max()))
    low, high = 0.0, 100.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if hockey_stick(p, q, middle) > delta else (low, middle)
    return high


def telling_event(outputs: Sequence[Hashable], pair: Pair, delta: float, draws: int) -> set[Hashable]:
    """The outputs that so many draws from each of two neighbours tell them apart by best.

    By the lemma of Neyman & Pearson it is one of those with the largest ratios; which of these is chosen by the bound
    that is to be expected, of five standard deviations.
    """
    order = np.argsort(-log_ratios(pair.p, pair.q), kind="stable")
    p, q = np.minimum(np.cumsum(pair.p[order]), 1), np.minimum(np.cumsum(pair.q[order]), 1)
    low = np.maximum(p - 5 * np.sqrt(p * (1 - p) / draws) - delta, 1e-12)
    high = q + 5 * np.sqrt(q * (1 - q) / draws) + 14 / draws
    chosen = int(np.argmax(low / high))
    return {outputs[index] for index in order[: chosen + 1]}


def audited_epsilon(hits: int, hits_of_other: int, draws: int, delta: float) -> float:
    """A lower bound of ε by the limits of Clopper and Pearson: too large at most once in a million audits."""
    tail = FALSE_ALARM_RATE / 2
    low = stats.beta.ppf(tail, hits, draws - hits + 1) if hits else 0.0
    high = stats.beta.ppf(1 - tail, hits_of_other + 1, draws - hits_of_other) if hits_of_other < draws else 1.0
    return math.log((low - delta) / high) if low > delta else -math.inf


def p_value_of_draws(
    sample: Sequence[Hashable], probabilities: Mapping[Hashable, float], smallest_expected: float = 10
) -> float:
    """The p-value of a χ² test of outputs against their probabilities; rare ones and all others are pooled."""
    observed, total = Counter(sample), len(sample)
    rest, seen_in_rest = total * (1 - math.fsum(probabilities.values())), total
    cells = []
    for output, probability in sorted(probabilities.items(), key=lambda item: item[1], reverse=True):
        if total * probability >= smallest_expected:
            cells.append((total * probability, observed[output]))
            seen_in_rest -= observed[output]
        else:
            rest += total * probability
    while cells and 1e-9 * total < rest < smallest_expected:  # a χ² with rarer cells would raise false alarms
        expected, seen = cells.pop()
        rest, seen_in_rest = rest + expected, seen_in_rest + seen
    if rest >= smallest_expected:
        cells.append((rest, seen_in_rest))
    elif seen_in_rest:
        return 0.0
    assert len(cells) > 1, "so few draws of so many outputs cannot show anything"
    return float(stats.chi2.sf(sum((seen - e) ** 2 / e for e, seen in cells), len(cells) - 1))
