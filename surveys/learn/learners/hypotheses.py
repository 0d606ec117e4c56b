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
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

from surveys.learn.learners.risk import EmpiricalRisk, Vector
from surveys.privacy.learning.domain import PatternDomain
from surveys.privacy.learning.learner import CandidateLearner, Learner
from surveys.privacy.mechanisms.exponential import ExponentialMechanism
from surveys.privacy.mechanisms.scores import Scores
from surveys.privacy.rationals import exact, positive, whole_number

MOST_HYPOTHESES = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class HypothesisChoice:
    """A choice of which all utilities are known: what `HypothesisLearner` makes of counts, for models of any kind.

    Parameters
    ----------
    utilities : sequence of exact numbers
        One a hypothesis, larger for better ones.
    epsilon : exact number
        Above 0, in nats.
    sensitivity : exact number
        How much any one utility differs at most between neighbours, above 0.

    Examples
    --------
    >>> from surveys.learn.learners import HypothesisChoice
    >>> choice = HypothesisChoice(utilities=(80, 78, 70), epsilon=1, sensitivity=1)
    >>> [round(probability, 4) for probability in choice.probabilities]
    [0.7275, 0.2676, 0.0049]
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
    def probabilities(self) -> tuple[float, ...]:
        """The probability of each hypothesis, proportional to exp(εu/(2Δ))."""
        return ExponentialMechanism(self.epsilon, self.sensitivity).probabilities(self.utilities)


@dataclass(frozen=True, slots=True, kw_only=True)
class HypothesisLearner(CandidateLearner):
    """The place of one hypothesis, those of smaller total loss more likely: a score is minus the total loss.

    Parameters
    ----------
    epsilon, relation, n
        As of a `CandidateLearner`.
    domain : PatternDomain
        The patterns, one for every five responses at most.
    losses : sequence of sequences of exact numbers
        What each hypothesis loses by each pattern, fixed before any data are read; not all losses may be equal.

    Examples
    --------
    >>> from surveys.learn.learners import EmpiricalRisk, HypothesisLearner, parameter_grid
    >>> from surveys.privacy import CodedItem, PatternDomain
    >>> domain = PatternDomain(
    ...     outcome=CodedItem(name="copied", codes=2), predictors=(CodedItem(name="year", codes=2),)
    ... )
    >>> risk = EmpiricalRisk(domain=domain, n=400)
    >>> learner = HypothesisLearner.of_parameters(risk, parameter_grid(2, 1, "1/2"), 1)
    >>> learner.release([120, 80, 90, 110]) in range(13)
    True
    """

    domain: PatternDomain
    losses: tuple[tuple[Fraction, ...], ...]
    scored: Scores = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        Learner.__post_init__(self)
        self.domain.require_responses(self.n)
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
    def candidates(self) -> int:
        """How many hypotheses there are."""
        return len(self.losses)

    def scores(self, counts: Sequence[int]) -> tuple[Fraction, ...]:
        """Return minus the total loss of each hypothesis."""
        return self.scored.values(self.domain.read_counts(counts, self.n))


def loss_table(risk: EmpiricalRisk, parameters: Sequence[Sequence[object]]) -> tuple[Vector, ...]:
    """Return what each of these parameters loses by each pattern, beyond what parameters of 0 lose by it.

    That difference is at most L times the parameters' length, for every pattern: losses themselves would have a larger
    range, and so more noise for the same choice. The ridge's part is the same for all patterns.

    Parameters
    ----------
    risk : EmpiricalRisk
        Its loss, its ridge and its domain.
    parameters : sequence of sequences of exact numbers
        One vector a hypothesis.

    Returns
    -------
    tuple of tuples of Fraction
        One row for each of the parameters, one column a pattern.

    Raises
    ------
    ValueError
        If parameters are not as many as the domain has terms.

    Examples
    --------
    >>> from surveys.learn.learners import EmpiricalRisk, loss_table
    >>> from surveys.privacy import CodedItem, PatternDomain
    >>> domain = PatternDomain(
    ...     outcome=CodedItem(name="copied", codes=2), predictors=(CodedItem(name="year", codes=2),)
    ... )
    >>> risk = EmpiricalRisk(domain=domain, n=400)
    >>> table = loss_table(risk, [(0, 0), (1, 0)])
    >>> [len(table), len(table[0])]
    [2, 4]
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

    Parameters
    ----------
    dimension : int
        How long a vector is, at least 1.
    radius, step : exact numbers
        Above 0.

    Returns
    -------
    tuple of tuples of Fraction
        The vectors.

    Raises
    ------
    ValueError
        If the cube around them has more than 100,000 points.

    Examples
    --------
    >>> from surveys.learn.learners import parameter_grid
    >>> len(parameter_grid(2, 1, "1/2"))
    13
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
