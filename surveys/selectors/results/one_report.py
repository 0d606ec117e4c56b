"""What one report says about the person who sent it, to somebody who believed something before."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from surveys.models.definition import Item
from surveys.privacy.accounting import posterior_bound
from surveys.privacy.designs import Design

_SHARES = tuple(Fraction(at, 50) for at in range(51))
_FINE = 10**4  # to this the proportions of the other answers are rounded: exact sums stay short


@dataclass(frozen=True, slots=True)
class OneReport:
    """One item's reports as evidence for one true answer.

    With more than two answers it matters how common each of the others is: they are taken in the proportions
    estimated. The report of the answer itself says the same in a k-ary design whatever these are.
    """

    item: Item
    option: int
    if_true: tuple[Fraction, ...]  # the probability of each report where this answer is true
    if_other: tuple[Fraction, ...]  # and where another is

    @property
    def design(self) -> Design:
        """The item's matrix."""
        return self.item.design

    def posterior(self, share: Fraction) -> tuple[Fraction | None, ...]:
        """Return for each report the share who have the answer among those who sent it; None: nobody sends it.

        `share` is that of the people who have the answer.
        """
        sent = [
            (share * true, share * true + (1 - share) * other)
            for true, other in zip(self.if_true, self.if_other, strict=True)
        ]
        return tuple(have / all_who if all_who else None for have, all_who in sent)

    def curves(self) -> tuple[list[tuple[float, float]], ...]:
        """Return for every report prior and posterior along the axis; where it cannot come there is no point."""
        table = [(share, self.posterior(share)) for share in _SHARES]
        return tuple(
            [(float(share), float(after)) for share, row in table if (after := row[report]) is not None]
            for report in range(self.design.m)
        )

    def band(self) -> list[tuple[float, float, float]]:
        """Return prior, and the least and the most that any report of a design with this ε can make of it."""
        epsilon = self.design.epsilon
        return [
            (float(share), 1 - posterior_bound(1 - share, epsilon), posterior_bound(share, epsilon))
            for share in _SHARES
        ]

    def proof(self, report: int) -> bool | None:
        """Return whether a report proves that this is the answer (True), or that it is not (False); else None."""
        row = self.design.matrix[report]
        if not row[self.option]:
            return False
        return True if not any(row[: self.option] + row[self.option + 1 :]) else None


def one_report(item: Item, option: int, shares: Sequence[float]) -> OneReport:
    """Return what an item's reports say about an answer, with the others as frequent as these estimates of all say."""
    weights = [max(0, round(_FINE * share)) for code, share in enumerate(shares) if code != option]
    if not any(weights):
        weights = [1] * len(weights)
    parts = [Fraction(weight, sum(weights)) for weight in weights]
    if_true, if_other = [], []
    for row in item.design.matrix:
        others = row[:option] + row[option + 1 :]
        if_true.append(row[option])
        if_other.append(sum((part * entry for part, entry in zip(parts, others, strict=True)), Fraction(0)))
    return OneReport(item, option, tuple(if_true), tuple(if_other))
