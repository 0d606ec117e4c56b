"""What every design that suits a question would make of the same ε: what chance costs, and which costs least."""

import math
from dataclasses import dataclass
from fractions import Fraction

from surveys.models import designs
from surveys.models.definition import AskedQuestion
from surveys.models.kinds import suitable_designs
from surveys.privacy.designs import Design, direct
from surveys.selectors.expected import Expected, expected_of

# Closer than it is shown, so that designs are compared and not their roundings.
_CLOSE = Fraction(9999, 10_000)
# Half-widths that differ by less are one in the tables, and in anybody's result.
_ALIKE = 0.0005


@dataclass(frozen=True, slots=True)
class AtEqualEpsilon:
    """One design at the question's ε; without an expectation it cannot have this ε."""

    name: str  # of a design; "own" for a question whose own coins are not fair; "direct" for no chance at all
    expected: Expected | None
    is_chosen: bool = False

    @property
    def half_width(self) -> float:
        """How far off its result may be; infinite where there is none."""
        return self.expected.half_width if self.expected else math.inf


@dataclass(frozen=True, slots=True)
class Comparison:
    """The designs that suit a question, at its ε."""

    rows: tuple[AtEqualEpsilon, ...]
    direct: AtEqualEpsilon

    @property
    def possible(self) -> tuple[AtEqualEpsilon, ...]:
        """Those that can have this ε."""
        return tuple(row for row in self.rows if row.expected)

    @property
    def impossible(self) -> tuple[AtEqualEpsilon, ...]:
        """Those that cannot: their ε is infinite whatever their probabilities."""
        return tuple(row for row in self.rows if not row.expected)

    @property
    def most_precise(self) -> tuple[AtEqualEpsilon, ...]:
        """Those with the smallest half-width; several where they are alike."""
        least = min(row.half_width for row in self.possible)
        return tuple(row for row in self.possible if row.half_width < least + _ALIKE)

    @property
    def all_alike(self) -> bool:
        """Whether it does not matter which is chosen."""
        return len(self.most_precise) == len(self.possible)

    @property
    def worth(self) -> float:
        """How many answers with chance tell as much as one without."""
        return (self.most_precise[0].half_width / self.direct.half_width) ** 2


def compared(question: AskedQuestion, *, n: int, share: Fraction) -> Comparison | None:
    """Return the comparison; None where ε is infinite, which no other design need match."""
    own = expected_of(question, n=n, share=share)
    epsilon = question.design.epsilon
    if epsilon == math.inf:
        return None
    rows = []
    for name in suitable_designs(question.kind, question.leave_out):
        design = _at(name, question.design, epsilon)
        expected = Expected(design, own.is_mean, n, share) if design else None
        rows.append(AtEqualEpsilon(name, expected, is_chosen=name == question.design.name))
    if all(not row.is_chosen or abs(row.half_width - own.half_width) >= _ALIKE for row in rows):
        rows = [AtEqualEpsilon("own", own, is_chosen=True)] + [AtEqualEpsilon(row.name, row.expected) for row in rows]
    return Comparison(tuple(rows), AtEqualEpsilon("direct", Expected(direct(), own.is_mean, n, share)))


def _at(name: str, own: Design, epsilon: float) -> Design | None:
    technique = designs.named(name)
    if technique.always_proves:
        return None
    family = technique.matrices
    kept = {parameter: value for parameter, value in own.exact_parameters if parameter in family.kept_facts}
    return family.at_epsilon(epsilon, own.k, close=_CLOSE, **(kept if own.name == name else {}))
