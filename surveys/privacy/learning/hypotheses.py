"""The exponential mechanism over finitely many public hypotheses: parameters on a grid, or models to select from.

What a hypothesis loses by each pattern is fixed beforehand, in rationals. A replaced response changes the total loss
of a hypothesis by at most the range R of its losses, and Pr ∝ exp(−η·loss) with η = ε/(2R). For an L-Lipschitz loss on
a ball R is at most L times the ball's diameter, once what each pattern loses at the centre is taken from its losses: a
constant that no choice depends on. **η = ε/(L·diameter)** is a trap: it spends up to 2ε.

References
----------
McSherry & Talwar (2007), Mechanism design via differential privacy.
Bassily, Smith & Thakurta (2014), Private empirical risk minimization, section 3.
"""

import math
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.learning.domain import PatternDomain
from surveys.privacy.learning.learner import Learner, LearningCertificate, require_replacement
from surveys.privacy.learning.risk import EmpiricalRisk, Vector
from surveys.privacy.loss import ConcentratedLoss, PrivacyLoss
from surveys.privacy.mechanisms.exponential import ExponentialMechanism
from surveys.privacy.mechanisms.mechanism import ErrorBound, Norm, Randbelow, Sensitivity
from surveys.privacy.mechanisms.scores import Scores
from surveys.privacy.rationals import exact, positive, whole_number

MOST_HYPOTHESES = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class HypothesisChoice:
    """With which probability each hypothesis is chosen, once it is known how good each is.

    `HypothesisLearner` is the mechanism, which makes one of these from the counts.

    Parameters
    ----------
    utilities : sequence of exact numbers
        One a hypothesis, larger for better ones.
    epsilon : Fraction
        Above 0, in nats.
    sensitivity : exact number
        How much any one utility differs at most between neighbours.
    """

    utilities: tuple[Fraction, ...]
    epsilon: Fraction
    sensitivity: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "utilities", tuple(exact(utility, "utilities") for utility in self.utilities))
        if not self.utilities:
            raise ValueError("utilities must hold at least one hypothesis")
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        object.__setattr__(self, "sensitivity", positive(self.sensitivity, "sensitivity"))

    @property
    def mechanism(self) -> ExponentialMechanism:
        """What chooses."""
        return ExponentialMechanism(self.epsilon, self.sensitivity)

    @property
    def probabilities(self) -> tuple[float, ...]:
        """The probability of each hypothesis."""
        return self.mechanism.probabilities(self.utilities)

    def draw(self, randbelow: Randbelow = secrets.randbelow) -> int:
        """Draw the place of a hypothesis, exactly."""
        return self.mechanism.choose(self.utilities, randbelow)

    def shortfall(self, confidence_level: float) -> float:
        """Return by how much the chosen utility at most falls short of the best: (2Δ/ε)·ln(k/β), rounded up."""
        return self.mechanism.error_bound(len(self.utilities), confidence_level)


@dataclass(frozen=True, slots=True, kw_only=True)
class HypothesisLearner(Learner[int]):
    """The place of one hypothesis, those of smaller total loss more likely.

    Parameters
    ----------
    domain : PatternDomain
        The patterns, one for every five responses at most.
    n : int
        How many responses there are.
    losses : sequence of sequences of exact numbers
        What each hypothesis loses by each pattern, fixed before any data are read; not all losses may be equal.
    epsilon : Fraction
        Above 0, in nats.
    relation : NeighbouringRelation
        REPLACE_ONE.
    """

    domain: PatternDomain
    n: int
    losses: tuple[tuple[Fraction, ...], ...]
    epsilon: Fraction
    relation: NeighbouringRelation = NeighbouringRelation.REPLACE_ONE
    scored: Scores = field(init=False, repr=False, compare=False)
    largest_change: Fraction = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self.domain.require_responses(self.n)
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        require_replacement(self.relation)
        losses = tuple(tuple(exact(loss, "losses") for loss in row) for row in self.losses)
        if not 1 <= len(losses) <= MOST_HYPOTHESES or {len(row) for row in losses} != {self.domain.cells}:
            raise ValueError(
                f"losses must be 1 to {MOST_HYPOTHESES} rows, of {self.domain.cells} losses each, one a pattern"
            )
        object.__setattr__(self, "losses", losses)
        object.__setattr__(self, "scored", Scores(tuple((tuple(-loss for loss in row),) for row in losses)))
        largest = self.scored.sensitivity(self.relation).value
        if not largest:
            raise ValueError("losses must differ between patterns, or no choice says anything about the data")
        object.__setattr__(self, "largest_change", largest)

    @classmethod
    def of_parameters(
        cls, risk: EmpiricalRisk, parameters: Sequence[Sequence[object]], epsilon: Fraction
    ) -> "HypothesisLearner":
        """Return the choice among these parameters by the regularised risk; the losses are of `loss_table`."""
        return cls(domain=risk.domain, n=risk.n, losses=loss_table(risk, parameters), epsilon=epsilon)

    @property
    def loss(self) -> PrivacyLoss:
        """What one choice costs."""
        return PrivacyLoss(self.epsilon)

    @property
    def concentrated(self) -> ConcentratedLoss:
        """The same as zero-concentrated privacy, ε²/8."""
        return ExponentialMechanism(self.epsilon, self.largest_change).concentrated

    @property
    def sensitivity(self) -> Sensitivity:
        """Of every hypothesis' total loss: the largest range of losses in a row."""
        return Sensitivity(self.largest_change, Norm.ABSOLUTE, self.relation)

    @property
    def utility(self) -> float:
        """How much more mean loss than the best the chosen one has, on average at most: 2R(ln k + 1)/(nε).

        It falls short by more than (2R/ε)(ln k + t) with a probability of at most e^−t, and this is the integral.
        """
        k = len(self.losses)
        return float(2 * self.largest_change / (self.n * self.epsilon)) * (math.log(k) + 1)

    def choice(self, counts: Sequence[int]) -> HypothesisChoice:
        """Return with which probabilities these counts lead to each hypothesis."""
        utilities = self.scored.values(self.domain.read_counts(counts, self.n))
        return HypothesisChoice(utilities=utilities, epsilon=self.epsilon, sensitivity=self.largest_change)

    def release(self, counts: Sequence[int], randbelow: Randbelow = secrets.randbelow) -> int:
        """Draw the place of one hypothesis."""
        return self.choice(counts).draw(randbelow)

    def probability(self, output: int, counts: Sequence[int]) -> float:
        """Return the probability of this hypothesis; 0 for what is none."""
        probabilities = self.choice(counts).probabilities
        return probabilities[output] if output in range(len(probabilities)) else 0.0

    def error_bound(self, n: int, confidence_level: float) -> ErrorBound:
        """Return by how much total loss the chosen hypothesis at most exceeds the best; n does not matter."""
        whole_number(n, "n")
        mechanism = ExponentialMechanism(self.epsilon, self.largest_change)
        return ErrorBound(mechanism.error_bound(len(self.losses), confidence_level), confidence_level)

    def certificate(self, output: int) -> LearningCertificate:
        """Return that nothing was minimised, rounded or clipped; ValueError for what is no hypothesis."""
        whole_number(output, "output", 0, len(self.losses) - 1)
        return LearningCertificate()


def loss_table(risk: EmpiricalRisk, parameters: Sequence[Sequence[object]]) -> tuple[Vector, ...]:
    """Return what each of these parameters loses by each pattern, beyond what parameters of 0 lose by it.

    That difference is at most L times the parameters' length, for every pattern: losses themselves would have a larger
    range, and so more noise for the same choice. The ridge's part is the same for all patterns.
    """
    rows, at_zero = risk.rows, [risk.training_loss.value(Fraction(0), y) for _, y in risk.rows]
    table = []
    for given in parameters:
        theta = tuple(exact(number, "parameters") for number in given)
        if len(theta) != risk.domain.dimension:
            raise ValueError(f"parameters must be {risk.domain.dimension} numbers each, got {len(theta)}")
        ridge = risk.ridge / 2 * sum((number * number for number in theta), Fraction(0))
        scores = [sum((a * b for a, b in zip(theta, x, strict=True)), Fraction(0)) for x, _ in rows]
        table.append(
            tuple(
                risk.training_loss.value(score, y) - nothing + ridge
                for score, (_, y), nothing in zip(scores, rows, at_zero, strict=True)
            )
        )
    return tuple(table)


def parameter_grid(dimension: int, radius: object, step: object) -> tuple[Vector, ...]:
    """Return all vectors of multiples of a step that are no longer than a radius: a public list of hypotheses.

    Raises
    ------
    ValueError
        If the cube around them has more than 100,000 points.
    """
    size, longest, unit = whole_number(dimension, "dimension", 1), positive(radius, "radius"), positive(step, "step")
    reach = math.floor(longest / unit)
    if not (2 * reach + 1) ** size <= MOST_HYPOTHESES:
        raise ValueError(f"step must leave at most {MOST_HYPOTHESES} hypotheses, got {(2 * reach + 1) ** size}")
    return tuple(
        tuple(place * unit for place in places)
        for places in product(range(-reach, reach + 1), repeat=size)
        if sum(place * place for place in places) * unit * unit <= longest * longest
    )
