"""Noisy counts of ordered codes and of ranges of them: a tree whose every level is a histogram of all responses.

With branching b the last level has the codes, the one before it runs of b codes, then of b², and so on while there
are at least two. A range of codes is the sum of a few nodes instead of many codes, so its noise is smaller, but each
level takes a share of the budget: all levels have the same noise, and so the same share. `best_branching` says which
tree pays. One level, a plain histogram, is a tree too.

What follows from the noisy counts is post-processing. The counts are made consistent by least squares: of all counts
of codes, those whose sums are nearest to all nodes together, and under a public n those that sum to n. A cumulated
count is then a weighted sum of the noisy ones; the weights are exact, and depend on the tree alone.

References
----------
Hay, Rastogi, Miklau & Suciu (2010), Boosting the accuracy of differentially private histograms through consistency.
Qardaji, Yang & Li (2013), Understanding hierarchical methods for differentially private histograms.
Honaker (2015), Efficient use of differentially private binary trees.
"""

import math
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from surveys.privacy.accounting.gaussian import gaussian_variance
from surveys.privacy.adjacency import Counted, NeighbouringRelation, histogram_sensitivity, require_member
from surveys.privacy.loss import ConcentratedLoss, PrivacyLoss
from surveys.privacy.mechanisms.gaussian import DiscreteGaussian
from surveys.privacy.mechanisms.histogram import Noise
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from surveys.privacy.mechanisms.mechanism import CentralMechanism, ErrorBound, Norm, Randbelow, Sensitivity
from surveys.privacy.rationals import positive, probability, show_value, whole_number

Span = tuple[int, int]
"""The first code of a node, and the one after its last."""

Weights = tuple[Fraction, ...]
"""Of n, and then of each node."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeCounts(CentralMechanism[tuple[int, ...]]):
    """The count of every node of a tree over ordered codes, each with its own noise.

    One response is in one node of every level. So under replace-one it moves two counts of each by 1, and one under
    add-or-remove-one.

    Parameters
    ----------
    epsilon : Fraction
        Above 0, in nats.
    delta : Fraction
        With 0 the noise is discrete Laplace, else discrete Gaussian.
    relation : NeighbouringRelation
        Which data sets are neighbours.
    length : int
        How many codes there are, at least 2.
    branching : int
        How many nodes are one node of the level above: from 2 to `length`, which is a tree of one level.

    Examples
    --------
    >>> from surveys.privacy import NeighbouringRelation, TreeCounts
    >>> relation = NeighbouringRelation.REPLACE_ONE
    >>> mechanism = TreeCounts(epsilon=1, delta="1/1000000", relation=relation, length=9, branching=3)
    >>> mechanism.nodes[:4]
    ((0, 3), (3, 6), (6, 9), (0, 1))
    >>> len(mechanism.release([5, 10, 20, 30, 40, 30, 20, 10, 5]))
    12
    """

    epsilon: Fraction
    delta: Fraction = Fraction(0)
    relation: NeighbouringRelation
    length: int
    branching: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        object.__setattr__(self, "delta", probability(self.delta, "delta"))
        if not self.delta < 1:
            raise ValueError(f"delta must be below 1, got {self.delta}")
        require_member(NeighbouringRelation, self.relation, "relation")
        object.__setattr__(self, "length", whole_number(self.length, "length", 2))
        object.__setattr__(self, "branching", whole_number(self.branching, "branching", 2, self.length))

    @property
    def levels(self) -> tuple[tuple[Span, ...], ...]:
        """The nodes by level, the codes last."""
        return tree_levels(self.length, self.branching)

    @property
    def nodes(self) -> tuple[Span, ...]:
        """All of them, in the order of the released counts."""
        return tuple(node for level in self.levels for node in level)

    @property
    def changed(self) -> int:
        """How many of the counts one response changes at most, each by 1."""
        return len(self.levels) * histogram_sensitivity(self.relation, Counted.CODES, self.length)

    @property
    def loss(self) -> PrivacyLoss:
        """What all levels cost together."""
        return PrivacyLoss(self.epsilon, self.delta)

    @property
    def concentrated(self) -> ConcentratedLoss | None:
        """The same as zero-concentrated privacy, of Gaussian noise."""
        noise = self.noise
        return noise.concentrated_loss(self.changed) if isinstance(noise, DiscreteGaussian) else None

    @property
    def sensitivity(self) -> Sensitivity:
        """Of the counts of all nodes: in L1 or squared L2, as the noise needs."""
        return Sensitivity(Fraction(self.changed), Norm.L2_SQUARED if self.delta else Norm.L1, self.relation)

    @property
    def noise(self) -> DiscreteLaplace | DiscreteGaussian:
        """What is added to each count."""
        if self.delta:
            return DiscreteGaussian(gaussian_variance(self.epsilon, self.delta, self.changed))
        return DiscreteLaplace(self.epsilon, self.changed)

    def node_counts(self, counts: Sequence[int]) -> tuple[int, ...]:
        """Return how many responses are in each node."""
        if len(counts) != self.length:
            raise ValueError(f"counts must hold {self.length} integers, got {show_value(counts)}")
        exact = [whole_number(count, "counts") for count in counts]
        return tuple(sum(exact[first:end]) for first, end in self.nodes)

    def release(self, counts: Sequence[int], randbelow: Randbelow = secrets.randbelow) -> tuple[int, ...]:
        """Return the count of each node with its own noise; they may be negative, and do not fit together."""
        return self.noise.add_noise(self.node_counts(counts), randbelow)

    def probability(self, output: tuple[int, ...], counts: Sequence[int]) -> float:
        """Return the probability of these noisy counts: a product, as every draw is independent."""
        noise: Noise = self.noise
        nodes = self.node_counts(counts)
        return math.prod(noise.probability(noisy - count) for noisy, count in zip(output, nodes, strict=True))

    @property
    def weights(self) -> tuple[Weights, ...]:
        """What leads from n and the noisy counts to the number of responses in the first 1, 2, …, length − 1 codes."""
        public = self.relation is NeighbouringRelation.REPLACE_ONE
        return least_squares_weights(self.length, self.branching, public)

    def cumulated(self, output: Sequence[int], n: int) -> tuple[Fraction, ...]:
        """Return the consistent estimates of the responses in the first 1, 2, …, length − 1 codes.

        They are unbiased, and may be negative, exceed n or fall. n is not read where it is not public.
        """
        if len(output) != len(self.nodes):
            raise ValueError(f"output must hold {len(self.nodes)} counts, got {len(output)}")
        return tuple(
            sum((weight * count for weight, count in zip(weights, (n, *output), strict=True)), Fraction(0))
            for weights in self.weights
        )

    def error_bound(self, n: int, confidence_level: float) -> ErrorBound:
        """Return how far all cumulated counts at once are from the true ones at most; n does not matter.

        It is the t at which the tails of all of them, bounded as in `weighted`, sum to the risk.
        """
        whole_number(n, "n")
        if not 0 < confidence_level < 1:
            raise ValueError(f"confidence_level must be between 0 and 1, got {confidence_level!r}")
        from surveys.privacy.mechanisms.weighted import WeightedNoise  # noqa: PLC0415 - draws need no numpy

        noise, risk = self.noise, 1 - confidence_level
        sums = [WeightedNoise(noise, weights[1:]) for weights in self.weights]
        low, high = 0.0, 1.0
        while sum(2 * float(one.at_least(high)) for one in sums) > risk:
            low, high = high, 2 * high
        while high - low > 1e-9 * high:
            middle = (low + high) / 2
            enough = sum(2 * float(one.at_least(middle)) for one in sums) <= risk
            low, high = (low, middle) if enough else (middle, high)
        return ErrorBound(high, confidence_level)


def tree_levels(length: int, branching: int) -> tuple[tuple[Span, ...], ...]:
    """Return the nodes of each level: runs of b^k codes, the last of which may be shorter, down to single codes."""
    width = 1
    levels: list[tuple[Span, ...]] = []
    while not levels or width < length:
        levels.append(tuple((first, min(first + width, length)) for first in range(0, length, width)))
        width *= branching
    return tuple(reversed(levels))


@lru_cache(maxsize=256)
def least_squares_weights(length: int, branching: int, public: bool) -> tuple[Weights, ...]:
    """Return the weights of n and of each node in the cumulated counts of least squares.

    Upwards, each node's count is averaged with the sum of its children, inversely to their variances; downwards,
    what a parent differs by from its children's sum is shared out by their variances. That is the projection of Hay
    et al., for nodes with any number of children. The root is n where that is public, and its children's sum where not.
    """
    spans = [node for level in tree_levels(length, branching) for node in level]
    children = _children(length, branching)
    size = len(spans) + 1
    variance: dict[int, Fraction] = {}
    below: dict[int, list[Fraction]] = {}
    upwards: dict[int, list[Fraction]] = {}
    for node in range(size - 1, -1, -1):
        own = [Fraction(place == node) for place in range(size)]
        if not children[node]:
            variance[node], upwards[node] = Fraction(1), own
            continue
        below[node] = [
            sum(column, Fraction(0)) for column in zip(*(upwards[child] for child in children[node]), strict=True)
        ]
        of_sum = sum((variance[child] for child in children[node]), Fraction(0))
        # The root is known exactly or not counted at all; any other node has the same noise as a code.
        trust = Fraction(public) if node == 0 else of_sum / (1 + of_sum)
        upwards[node] = [trust * one + (1 - trust) * other for one, other in zip(own, below[node], strict=True)]
        variance[node] = (1 - trust) * of_sum
    final = {0: upwards[0]}
    for node, under in enumerate(children):
        of_sum = sum((variance[child] for child in under), Fraction(0))
        for child in under:
            part = variance[child] / of_sum
            final[child] = [
                z + part * (x - s) for z, x, s in zip(upwards[child], final[node], below[node], strict=True)
            ]
    weights, total = [], [Fraction(0)] * size
    for leaf in range(size - length, size - 1):
        total = [one + other for one, other in zip(total, final[leaf], strict=True)]
        weights.append(tuple(total))
    return tuple(weights)


def _children(length: int, branching: int) -> list[list[int]]:
    """Return the places of each node's children, the root's first; the root has place 0 and the nodes the next ones."""
    levels = tree_levels(length, branching)
    above, place = [0], 1
    children: list[list[int]] = [[]]
    for level in levels:
        here = list(range(place, place + len(level)))
        children += [[] for _ in here]
        for rank, node in enumerate(here):
            children[above[0] if len(above) == 1 else above[rank // branching]].append(node)
        above, place = here, place + len(here)
    return children


@lru_cache(maxsize=256)
def best_branching(length: int, *, gaussian: bool) -> int:
    """Return the branching at which cumulated counts have the smallest variance, on average over all of them.

    Under replace-one and a public n. So many levels multiply the variance of discrete Gaussian noise by their number,
    of discrete Laplace noise by its square. Compared are a single level and all trees of at least two levels whose
    branching is up to the square root of `length`, rounded up.

    Parameters
    ----------
    length : int
        How many codes there are, at least 2.
    gaussian : bool
        Whether the noise is discrete Gaussian; else it is discrete Laplace.

    Returns
    -------
    int
        For a `TreeCounts` of these codes; `length` for a single level.

    Raises
    ------
    ValueError
        If the length is not a whole number of at least 2.

    Examples
    --------
    >>> from surveys.privacy import best_branching
    >>> best_branching(36, gaussian=True), best_branching(36, gaussian=False)
    (6, 36)
    """
    whole_number(length, "length", 2)

    def error(branching: int) -> Fraction:
        levels = len(tree_levels(length, branching))
        squares = (sum((w * w for w in cut[1:]), Fraction(0)) for cut in least_squares_weights(length, branching, True))
        return sum(squares, Fraction(0)) * (levels if gaussian else levels**2)

    best: int = min([length, *range(2, min(math.isqrt(length - 1) + 1, length - 1) + 1)], key=error)
    return best
