"""What a model is learned from: how often each pattern of a public, finite domain was reported.

A pattern is the code of an outcome and the codes of up to six predictors. Which patterns there are, the features of
each and their scaling to a length of at most 1 come from the questions alone, so that none of it reveals anything about
the answers, and every sum over a data set is a sum over a table of counts.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import prod
from typing import NamedTuple

from surveys.privacy.mechanisms.grid import code_counts
from surveys.privacy.rationals import exact, root_not_below, show_value, whole_number

MOST_PREDICTORS = 6
RESPONSES_A_CELL = 5
"""So many responses there must be for every pattern, or noise on each of them drowns what they say."""

_UNIT = Fraction(1, 1024)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodedItem:
    """A question, or a group, with finitely many codes.

    Parameters
    ----------
    name : str
        What the item is called, no two of a domain the same.
    codes : int
        How many codes it has, at least 2.
    values : tuple of exact numbers, optional
        One number a code, not all the same, where the codes stand for numbers. An outcome's lie between −1 and 1; one
        of two codes has −1 and 1 unless others are given.

    Examples
    --------
    >>> from surveys.privacy import CodedItem
    >>> CodedItem(name="year", codes=3, values=(1, 2, 3)).codes
    3
    """

    name: str
    codes: int
    values: tuple[Fraction, ...] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise ValueError(f"name must be text, got {show_value(self.name)}")
        whole_number(self.codes, "codes", 2)
        if self.values is not None:
            values = tuple(exact(value, f"values of {self.name}") for value in self.values)
            if len(values) != self.codes or len(set(values)) < 2:
                raise ValueError(f"values of {self.name} must be {self.codes} numbers that are not all the same")
            object.__setattr__(self, "values", values)


class ModelTerm(NamedTuple):
    """What one coefficient belongs to: the constant (no item), a code beside code 0, or an item's number (no code).

    Attributes
    ----------
    item : str or None
        The name of the predictor.
    code : int or None
        Its code.
    """

    item: str | None
    code: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternDomain:
    """All patterns of an outcome and its predictors, in the order of `itertools.product`, the outcome first.

    Parameters
    ----------
    outcome : CodedItem
        What is to be predicted.
    predictors : sequence of CodedItem
        At most six, none of them the outcome.

    Attributes
    ----------
    terms : tuple of ModelTerm
        One a coefficient: the constant, then each predictor's number, or a 0 or 1 for each of its codes but code 0.
    scales : tuple of Fraction
        What each feature is multiplied by, so that the features of no pattern are longer than 1.
    features : tuple of tuples of Fraction
        Of each combination of the predictors' codes, scaled.
    targets : tuple of Fraction
        The number of each code of the outcome; empty where its codes stand for none.

    Examples
    --------
    >>> from surveys.privacy import CodedItem, PatternDomain
    >>> domain = PatternDomain(
    ...     outcome=CodedItem(name="copied", codes=2), predictors=(CodedItem(name="year", codes=2),)
    ... )
    >>> [domain.cells, domain.dimension]
    [4, 2]
    """

    outcome: CodedItem
    predictors: tuple[CodedItem, ...]
    terms: tuple[ModelTerm, ...] = field(init=False, repr=False, compare=False)
    scales: tuple[Fraction, ...] = field(init=False, repr=False, compare=False)
    features: tuple[tuple[Fraction, ...], ...] = field(init=False, repr=False, compare=False)
    targets: tuple[Fraction, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        predictors = tuple(self.predictors)
        object.__setattr__(self, "predictors", predictors)
        if not len(predictors) <= MOST_PREDICTORS:
            raise ValueError(f"predictors must be at most {MOST_PREDICTORS}, got {len(predictors)}")
        names = [item.name for item in predictors]
        if self.outcome.name in names:
            raise ValueError(f"outcome {self.outcome.name} must not be its own predictor")
        if len(set(names)) < len(names):
            raise ValueError(f"predictors must differ, got {', '.join(names)}")
        object.__setattr__(self, "targets", _targets(self.outcome))
        self._scale_features()

    def _scale_features(self) -> None:
        """Divide each column by its largest number, and all by a rational that no row is longer than."""
        columns = [(ModelTerm(None, None), -1, None), *_columns(self.predictors)]
        largest = [max(map(abs, values)) if values else Fraction(1) for _, _, values in columns]
        rows = [
            [
                (Fraction(1) if values is None else values[codes[place]]) / most
                for (_, place, values), most in zip(columns, largest, strict=True)
            ]
            for codes in product(*(range(item.codes) for item in self.predictors))
        ]
        length = root_not_below(max(sum((x * x for x in row), Fraction(0)) for row in rows), _UNIT)
        object.__setattr__(self, "terms", tuple(term for term, _, _ in columns))
        object.__setattr__(self, "scales", tuple(1 / (most * length) for most in largest))
        object.__setattr__(self, "features", tuple(tuple(x / length for x in row) for row in rows))

    @property
    def shape(self) -> tuple[int, ...]:
        """How many codes the outcome has, and each predictor."""
        return (self.outcome.codes, *(item.codes for item in self.predictors))

    @property
    def cells(self) -> int:
        """How many patterns there are."""
        return prod(self.shape)

    @property
    def dimension(self) -> int:
        """How many coefficients a linear model has."""
        return len(self.terms)

    @property
    def patterns(self) -> tuple[tuple[int, ...], ...]:
        """The codes of each pattern, the outcome's first."""
        return tuple(product(*map(range, self.shape)))

    def require_responses(self, n: object) -> int:
        """Return the number of responses; ValueError if there are fewer than five for every pattern."""
        responses = whole_number(n, "n", 1)
        if not self.cells * RESPONSES_A_CELL <= responses:
            raise ValueError(
                f"domain must have at most a pattern for every {RESPONSES_A_CELL} responses, "
                f"got {self.cells} patterns and {responses} responses"
            )
        return responses

    def read_counts(self, counts: Sequence[int], n: int) -> tuple[int, ...]:
        """Return one integer a pattern; ValueError unless they are so many and sum to n."""
        read = code_counts(counts, self.cells)
        if sum(read) != n:
            raise ValueError(f"counts must sum to n = {n}")
        return read

    def coefficients(self, parameters: Iterable[Fraction]) -> tuple[Fraction, ...]:
        """Return what the parameters of a linear model of the scaled features are for the features unscaled."""
        return tuple(theta * scale for theta, scale in zip(parameters, self.scales, strict=True))


def _columns(predictors: Sequence[CodedItem]) -> list[tuple[ModelTerm, int, tuple[Fraction, ...] | None]]:
    """Return each column's term, its predictor's place, and its number for each code."""
    columns: list[tuple[ModelTerm, int, tuple[Fraction, ...] | None]] = []
    for place, item in enumerate(predictors):
        if item.values is None:
            columns += [
                (ModelTerm(item.name, code), place, tuple(Fraction(code == other) for other in range(item.codes)))
                for code in range(1, item.codes)
            ]
        else:
            columns.append((ModelTerm(item.name, None), place, item.values))
    return columns


def _targets(outcome: CodedItem) -> tuple[Fraction, ...]:
    values = outcome.values
    if values is None:
        return (Fraction(-1), Fraction(1)) if outcome.codes == 2 else ()
    if not all(-1 <= value <= 1 for value in values):
        raise ValueError(f"values of the outcome {outcome.name} must lie between -1 and 1")
    return values
