"""A family of designs: every matrix of one name, with what is known of all of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

from surveys.privacy.designs.at_epsilon import CLOSE, odds_below, simplest_between
from surveys.privacy.designs.design import Design
from surveys.privacy.designs.odds import LARGEST_DENOMINATOR, exact_epsilon, largest_odds
from surveys.privacy.rationals import probability, show_value, whole_number

# How a parameter is stored.
INTEGER, PAIR, PAIRS, ROWS = (
    "an integer",
    "an integer pair",
    "a list of integer pairs",
    "a list of lists of integer pairs",
)
_INSIDE = {PAIRS: PAIR, ROWS: PAIRS}

Parameters: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, eq=False, slots=True)
class DesignFamily:
    """The designs that one constructor makes.

    Parameters
    ----------
    name : str
        The name of its designs, as it is stored.
    build : callable
        The constructor: of the parameters by name, and first of the number of answers where it is made for any.
    stored : mapping
        How each parameter is stored, in the constructor's order.
    optional : frozenset of str
        The optional parameters.
    for_any_k : bool
        Whether it is made for any number of answers; else for two.
    facts : frozenset of str
        The parameters that are shares of people for whom an innocuous fact holds: nobody can choose them.
    turned_by : str
        The parameter that epsilon rises with; "" where epsilon is infinite whatever the parameters.
    useless : Fraction or str
        Its value at which reports tell nothing, or the parameter whose value that is; on either side of it true answers
        change places.
    probability_at : callable, optional
        Its value at given odds, from the odds, the number of answers and the other parameters.
    option_at : callable, optional
        For a comparison where that does not do: of an epsilon and a number of options, the designs of one option by
        name.
    grid : callable, optional
        Of its designs for the mean of a number: with the two limits, the values that true answers and reports stand
        for.
    compared_as : str, optional
        The family whose matrices it has at its best, which is compared in its place.
    """

    name: str
    build: Callable[..., Design]
    stored: Mapping[str, str]
    optional: frozenset[str] = frozenset()
    for_any_k: bool = False
    facts: frozenset[str] = frozenset()
    turned_by: str = ""
    useless: Fraction | str = Fraction(0)
    probability_at: Callable[[Fraction, int, Parameters], Fraction] | None = None
    option_at: Callable[[Fraction | float, int], Mapping[str, Design]] | None = field(default=None, repr=False)
    grid: Callable[[Design, object, object], Any] | None = None
    compared_as: str = ""

    @property
    def kept_facts(self) -> frozenset[str]:
        """The shares of facts that are left as they are while it is turned."""
        return self.facts - {self.turned_by}

    def useless_beside(self, others: Parameters) -> Fraction:
        """Return the value of what turns it at which reports tell nothing, beside these other parameters."""
        return self.useless if isinstance(self.useless, Fraction) else probability(others[self.useless], self.useless)

    def design(self, k: int, parameters: Parameters) -> Design:
        """Return the design for k answers with exact parameters; ValueError naming the one that is wrong."""
        design = self.build(k, **parameters) if self.for_any_k else self.build(**parameters)
        if design.k != k:
            raise ValueError(f"the design {self.name} is for {design.k} answers, k is {k}")
        return design

    def read(self, k: int, parameters: Mapping[str, object]) -> Design:
        """Return the same from parameters as they are stored."""
        k = whole_number(k, "k", 2)
        if not isinstance(parameters, Mapping):
            raise ValueError(f"parameters must be a mapping from names to integer pairs, got {parameters!r}")  # noqa: TRY004 - one kind of error for all wrong parameters
        for parameter in parameters:
            if parameter not in self.stored:
                raise ValueError(f"the design {self.name} has no parameter {parameter!r}")
        for parameter in self.stored:
            if parameter not in parameters and parameter not in self.optional:
                raise ValueError(f"the design {self.name} needs the parameter {parameter!r}")
        return self.design(k, {name: _read(value, name, self.stored[name]) for name, value in parameters.items()})

    def turned(self, design: Design, probability: Fraction) -> Design:
        """Return one of its designs with another value of the parameter that turns it."""
        return self.design(design.k, {**dict(design.exact_parameters), self.turned_by: probability})

    def at_odds(self, odds: Fraction, k: int = 2, **others: object) -> Design:
        """Return the design whose reports change odds by this factor, at most; `others` as of `at_epsilon`."""
        return self.design(k, {self.turned_by: self._probability_at(odds, k, others), **others})

    def at_epsilon(self, epsilon: object, k: int = 2, *, close: Fraction = CLOSE, **others: object) -> Design:
        """Return a design whose epsilon is the wished one or just below it, with the simplest fraction that does.

        Parameters
        ----------
        epsilon : exact number or float
            Above 0 and finite, in nats.
        k : int, optional
            The number of answers.
        close : Fraction, optional
            Which part of the wished epsilon is enough.
        **others
            The parameters besides the one that epsilon rises with, where they are not the usual ones.

        Raises
        ------
        ValueError
            Naming the argument: a family whose epsilon is infinite whatever its parameters, an epsilon that is none.
        """
        wished = exact_epsilon(epsilon)
        least, most = (self._probability_at(odds_below(exponent), k, others) for exponent in (wished * close, wished))
        return self.design(k, {self.turned_by: simplest_between(least, most), **others})

    def options_at(self, epsilon: Fraction | float, k: int, **others: object) -> Mapping[str, Design]:
        """Return the design of one option, by name, when a respondent's whole answer costs epsilon; {} where none can.

        Up to two options a two-answer design is asked once; for more it is asked for every option, and as two true
        answers then differ in two of them, each gets half of epsilon.
        """
        if self.compared_as:
            return {}
        if self.option_at:
            return self.option_at(epsilon, k)
        if not self.probability_at:
            return {}
        wished = exact_epsilon(epsilon)
        if self.for_any_k:
            return {self.name: self.at_odds(largest_odds(wished, k - 1, LARGEST_DENOMINATOR), k, **others)}
        return {
            self.name: self.at_odds(largest_odds(wished / (2 if k > 2 else 1), 1, LARGEST_DENOMINATOR), 2, **others)
        }

    def _probability_at(self, odds: Fraction, k: int, others: Parameters) -> Fraction:
        if not self.probability_at:
            raise ValueError(f"name must be of a design that can have every epsilon, got {self.name!r}")
        if not self.for_any_k and k != 2:
            raise ValueError(f"k must be 2 for the design {self.name}, got {k}")
        return self.probability_at(odds, whole_number(k, "k", 2), others)


def _read(value: object, name: str, shape: str) -> object:
    """Turn (lists of) integer pairs into (lists of) Fractions."""
    if type(value) is int and shape == INTEGER:
        return value
    if not isinstance(value, list | tuple) or shape == INTEGER:
        raise ValueError(f"{name} must be {shape}, got {show_value(value)}")
    if shape in _INSIDE:
        return [_read(inner, name, _INSIDE[shape]) for inner in value]
    if len(value) != 2 or any(type(part) is not int for part in value) or not value[1] > 0:
        raise ValueError(f"{name} must hold integer pairs [numerator, denominator > 0], got {show_value(value)}")
    return Fraction(*value)
