"""What is computed and drawn once for a mechanism, for all checks of it."""

from collections.abc import Hashable
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from surveys.privacy.mechanisms.mechanism import CentralMechanism
from tests.privacy.chance import seeded
from tests.privacy.mechanisms.distinguishing import Pair, hockey_stick, log_ratios, spent

if TYPE_CHECKING:
    from tests.privacy.mechanisms.conformance import MechanismConformance

Mechanism: TypeAlias = CentralMechanism[Any]


class Evidence:
    def __init__(self, suite: "MechanismConformance", mechanism: Mechanism) -> None:
        self.suite, self.mechanism = suite, mechanism
        self.data = suite.data_sets(mechanism, suite.largest_n)

    @cached_property
    def honest(self) -> "Evidence | None":
        """What is known of the mechanism whose probabilities and loss a lying one says are its own."""
        mechanism = getattr(self.mechanism, "formula_of", None)
        return _kept(type(self.suite), mechanism) if mechanism else None

    @cached_property
    def outputs(self) -> list[Hashable]:
        return list(dict.fromkeys(self.suite.outputs(self.mechanism)))

    @cached_property
    def probabilities(self) -> np.ndarray:
        """One row a data set, one column an output."""
        if self.honest:
            return self.honest.probabilities
        rows = [[self.mechanism.probability(output, data.counts) for output in self.outputs] for data in self.data]
        return np.array(rows, dtype=np.float64)

    @cached_property
    def pairs(self) -> list[Pair]:
        p = dict(zip(self.data, self.probabilities, strict=True))
        return [Pair(one, other, p[one], p[other]) for one, other in self.suite.pairs(self.mechanism, self.data)]

    @cached_property
    def worst(self) -> Pair:
        """The neighbours that are easiest to tell apart."""
        if self.honest:
            return self.honest.worst
        loss = self.mechanism.loss
        if loss.delta:
            return max(self.pairs, key=lambda pair: hockey_stick(pair.p, pair.q, float(loss.epsilon)))
        # Of many that spend the same, one of which an audit shows most: an event that is likely.
        spends = [min(spent(pair.p, pair.q, 0.0), 1e3) for pair in self.pairs]
        worst = max(spends)
        return max(
            (pair for pair, spending in zip(self.pairs, spends, strict=True) if spending >= worst - 1e-6),
            key=lambda pair: pair.p[log_ratios(pair.p, pair.q) >= worst - 1e-6].sum(),
        )

    @cached_property
    def drawn(self) -> tuple[list[Hashable], list[Hashable]]:
        """Outputs of either of the worst two neighbours."""
        return self._draw(self.suite.draws)

    @cached_property
    def drawn_first(self) -> tuple[list[Hashable], list[Hashable]]:
        """As many of them as are enough for `make test`."""
        return self._draw(500)

    def _draw(self, number: int) -> tuple[list[Hashable], list[Hashable]]:
        one, other = (
            [self.mechanism.release(data.counts, randbelow) for _ in range(number)]
            for data, randbelow in zip(self.worst[:2], (seeded(20_287), seeded(20_288)), strict=True)
        )
        return one, other


def evidence_of(suite: "MechanismConformance", mechanism: Mechanism) -> Evidence:
    """What this suite has found out about a mechanism, kept from test to test."""
    return _kept(type(suite), mechanism)


@cache
def _kept(suite: "type[MechanismConformance]", mechanism: Mechanism) -> Evidence:
    return Evidence(suite(), mechanism)
