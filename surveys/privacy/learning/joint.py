"""The noisy joint table: noise on the count of every pattern, from which everything else follows at no further cost."""

import math
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from surveys.privacy.adjacency import Counted
from surveys.privacy.learning.domain import PatternDomain
from surveys.privacy.learning.learner import LearningCertificate, NoisyLearner
from surveys.privacy.loss import ConcentratedLoss
from surveys.privacy.mechanisms.histogram import GaussianHistogram, LaplaceHistogram, Noise, NoisyHistogram
from surveys.privacy.mechanisms.mechanism import ErrorBound, Randbelow, Sensitivity


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyJointTable(NoisyLearner[tuple[int, ...]]):
    """Every pattern's count with its own integer noise.

    Parameters
    ----------
    epsilon, delta, relation
        As of a `NoisyLearner`.
    domain : PatternDomain
        The patterns, one for every five responses at most.
    n : int
        How many responses there are.

    Examples
    --------
    >>> from surveys.privacy import CodedItem, NoisyJointTable, PatternDomain
    >>> domain = PatternDomain(
    ...     outcome=CodedItem(name="copied", codes=2), predictors=(CodedItem(name="year", codes=2),)
    ... )
    >>> table = NoisyJointTable(epsilon=1, domain=domain, n=400)
    >>> len(table.release([120, 80, 90, 110]))
    4
    """

    domain: PatternDomain
    n: int

    def __post_init__(self) -> None:
        NoisyLearner.__post_init__(self)
        self.domain.require_responses(self.n)

    @property
    def histogram(self) -> NoisyHistogram:
        """The mechanism of counts that this is."""
        relation, counted, length = self.relation, Counted.CODES, self.domain.cells
        if not self.delta:
            return LaplaceHistogram(epsilon=self.epsilon, relation=relation, counted=counted, length=length)
        return GaussianHistogram(
            epsilon=self.epsilon, delta=self.delta, relation=relation, counted=counted, length=length
        )

    @property
    def concentrated(self) -> ConcentratedLoss | None:
        """The same as zero-concentrated privacy, of Gaussian noise."""
        return self.histogram.concentrated

    @property
    def sensitivity(self) -> Sensitivity:
        """Of the counts: in L1 or squared L2, as the noise needs."""
        return self.histogram.sensitivity

    @property
    def noise(self) -> Noise:
        """What is added to each count."""
        return self.histogram.noise

    @property
    def utility(self) -> float:
        """How much more mean loss than the best model one fitted to the noisy table has, on average at most.

        For losses from 0 to 1: no model's mean loss is off by more than half of Σ|noise|/n beyond what all share, so
        the minimum of the noisy one is off by at most Σ|noise|/n. The mean of |noise| is at most its root mean square.
        """
        return self.domain.cells * math.sqrt(self.noise.variance) / self.n

    def release(self, counts: Sequence[int], randbelow: Randbelow = secrets.randbelow) -> tuple[int, ...]:
        """Return the counts, each with its own noise; they may be negative."""
        return self.histogram.release(self.domain.read_counts(counts, self.n), randbelow)

    def probability(self, output: tuple[int, ...], counts: Sequence[int]) -> float:
        """Return the probability of these noisy counts."""
        return self.histogram.probability(output, self.domain.read_counts(counts, self.n))

    def error_bound(self, n: int, confidence_level: float) -> ErrorBound:
        """Return how far all counts at once are from the true ones at most, in responses; n does not matter."""
        return self.histogram.error_bound(n, confidence_level)

    def certificate(self, output: tuple[int, ...]) -> LearningCertificate:
        """Return that nothing was minimised, rounded or clipped; ValueError for what is no such table."""
        if len(output) != self.domain.cells:
            raise ValueError(f"output must hold {self.domain.cells} counts")
        return LearningCertificate()
