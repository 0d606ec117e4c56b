"""Weights under which plain answers have the margins that a population is known to have.

Iterative proportional fitting: one margin after the other is met, until all are. One margin alone, which may be a
crossing of several questions, is post-stratification. Only answers that nobody protected can be weighted by, such as
sex, class or year. What is protected is then estimated with these weights (`estimate_weighted`).

References
----------
Deming & Stephan (1940), On a least squares adjustment of a sampled frequency table when the expected marginal totals
are known.
Kish (1965), Survey Sampling, section 11.7: the effective n.
Deville, Särndal & Sautory (1993), Generalized raking procedures in survey sampling.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from surveys.estimation.validation import Counts, Floats, as_float, as_list, integer_array, read_only, report_counts
from surveys.privacy.rationals import whole_number

_AGREE = 1e-9
"""Margins whose sums differ by less than this part are of the same population."""

_MET = 1e-10
"""A margin off by less than this part of its target is met."""


_HALF = 0.5 - 1e-9
"""Half of the weight, but for rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Margin:
    """An unprotected question's answers, and how many of the population give each.

    Attributes
    ----------
    name : str
        What errors call it.
    categories : array of integers
        The answer's code of every row.
    targets : array of floats
        How many of the population (or which share) have each code from 0; all above 0.

    Examples
    --------
    >>> from surveys.estimation import Margin, rake
    >>> rake([60, 40], [Margin("sex", [0, 1], [50, 50])]).effective_n < 100
    True
    """

    name: str
    categories: npt.NDArray[np.int64]
    targets: Floats

    def __post_init__(self) -> None:
        given = as_list(self.targets)
        targets = np.array([as_float(target) for target in given or ()])
        if not (targets.size and np.all((targets > 0) & (targets < np.inf))):
            raise ValueError(f"margin {self.name}: targets must be numbers above 0, got {self.targets!r}")
        codes = integer_array(self.categories)
        if codes is None or codes.ndim != 1 or not ((codes >= 0) & (codes < targets.size)).all():
            raise ValueError(f"margin {self.name}: categories must be codes from 0 to {targets.size - 1}")
        object.__setattr__(self, "targets", read_only(targets))
        object.__setattr__(self, "categories", read_only(codes))

    def sums(self, weights: Floats) -> Floats:
        """Return the weight of each category."""
        sums: Floats = np.bincount(self.categories, weights, self.targets.size).astype(np.float64)
        return sums


@dataclass(frozen=True, slots=True, eq=False)
class RakedWeights:
    """Weights of respondents that meet all margins.

    Attributes
    ----------
    weights : array of floats
        Of one respondent of each row.
    counts : array of integers
        How many respondents each row stands for.
    margins : tuple of Margin
        What they meet, to one part in 10¹⁰.
    rounds : int
        How often every margin was met in turn.
    """

    weights: Floats
    counts: npt.NDArray[np.int64]
    margins: tuple[Margin, ...]
    rounds: int

    @property
    def n(self) -> int:
        """The number of respondents."""
        return int(self.counts.sum())

    @property
    def effective_n(self) -> float:
        """How many respondents of equal weight would tell as much of what has nothing to do with the weights."""
        return effective_n(self.weights, self.counts)


def effective_n(weights: Floats, counts: npt.NDArray[np.int64]) -> float:
    """Return Kish's effective number of respondents, (Σw)²/Σw²."""
    return float((counts @ weights) ** 2 / (counts @ weights**2))


def heaviest(weights: Floats, counts: npt.NDArray[np.int64]) -> tuple[int, float]:
    """Return how many respondents of the largest weights carry half of all weight or more, and what part they carry.

    Those of one weight are counted together.
    """
    values, place = np.unique(-weights, return_inverse=True)
    people = np.bincount(place, counts).cumsum()
    carried = np.cumsum(np.bincount(place, counts) * -values) / (counts @ weights)
    least = int(np.argmax(carried >= _HALF))
    return int(people[least]), float(carried[least])


def rake(
    counts: Counts,
    margins: Sequence[Margin],
    weights: Sequence[float] | Floats | None = None,
    *,
    most_rounds: int = 1_000,
) -> RakedWeights:
    """Return weights that meet all margins and depart from the given ones by a factor for each category only.

    Parameters
    ----------
    counts : sequence of integers
        How many respondents each row (a pattern) stands for; at least 1 in all.
    margins : sequence of Margin
        At least one, with a code for every row. Their targets must have the same sum, which the weights get.
    weights : sequence of floats, optional
        Of one respondent of each row before, above 0, such as inverse probabilities of being asked; by default 1.
    most_rounds : int, optional
        After which it counts as not converging.

    Returns
    -------
    RakedWeights
        With `weights`, one a row, and `effective_n`.

    Raises
    ------
    ValueError
        Naming the margin: where nobody has a category that has a target, where two margins' targets have not the same
        sum, or where raking does not converge, as with margins that no respondents of these patterns can have.

    Examples
    --------
    >>> from surveys.estimation import Margin, rake
    >>> margin = Margin("sex", [0, 1], [50, 50])
    >>> rake([60, 40], [margin]).weights.round(3).tolist()
    [0.833, 1.25]
    """
    received = report_counts(counts, len(as_list(counts) or ()))
    base = require_weights(weights, received.size)
    given = require_margins(margins, received.size)
    most_rounds = whole_number(most_rounds, "most_rounds", 1)
    for margin in given:
        empty = np.flatnonzero(margin.sums(received.astype(np.float64)) == 0)
        if empty.size:
            raise ValueError(
                f"margin {margin.name}: nobody is in category {empty[0]}, which has the target "
                f"{margin.targets[empty[0]]:g}; join it to another"
            )
        total, first = float(margin.targets.sum()), float(given[0].targets.sum())
        if not abs(total - first) <= _AGREE * first:
            raise ValueError(
                f"margin {margin.name} disagrees with {given[0].name}: its targets add up to {total:g}, not {first:g}"
            )
    raked = base.copy()
    for rounds in range(1, most_rounds + 1):
        for margin in given:
            raked *= (margin.targets / margin.sums(received * raked))[margin.categories]
        off = [np.abs(margin.sums(received * raked) / margin.targets - 1).max() for margin in given]
        if max(off) <= _MET:
            return RakedWeights(read_only(raked), received, given, rounds)
    worst = given[int(np.argmax(off))]
    missed = np.abs(worst.sums(received * raked) / worst.targets - 1)
    raise ValueError(
        f"raking does not converge: after {most_rounds} rounds margin {worst.name} is off by "
        f"{missed.max():.2g} of its target in category {missed.argmax()}"
    )


def require_weights(weights: Sequence[float] | Floats | None, rows: int) -> Floats:
    """Return a weight for every row, 1 where none are given, or refuse what is none."""
    if weights is None:
        return np.ones(rows)
    given = np.array([as_float(weight) for weight in as_list(weights) or ()])
    if not (given.shape == (rows,) and np.all(given > 0)):
        raise ValueError(f"weights must be {rows} numbers above 0, got {weights!r}")
    return given


def require_margins(margins: Sequence[Margin], rows: int) -> tuple[Margin, ...]:
    """Return at least one margin with a code for every row, or refuse them."""
    given = tuple(margins)
    if not given:
        raise ValueError("margins must be at least one")
    for margin in given:
        if margin.categories.size != rows:
            raise ValueError(f"margin {margin.name}: categories must be {rows} codes, got {margin.categories.size}")
    return given
