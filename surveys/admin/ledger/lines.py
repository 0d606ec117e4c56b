"""The lines of a ledger as its table shows them."""

from dataclasses import dataclass

from surveys.admin.ledger.written import change, pair
from surveys.admin.releases.steps import detail_address
from surveys.models import LedgerEntry
from surveys.selectors.releases.ledger import Ledger


@dataclass(frozen=True, slots=True)
class ShownLine:
    """One line, its numbers written."""

    entry: LedgerEntry

    @property
    def epsilon(self) -> str:
        """The charge, or by how much the total changed."""
        return change(self.entry, self.entry.epsilon)

    @property
    def delta(self) -> str:
        """The same for δ."""
        return change(self.entry, self.entry.delta)

    @property
    def spent(self) -> str:
        """What was spent after it."""
        return pair(self.entry.spent_epsilon, self.entry.spent_delta)

    @property
    def total(self) -> str:
        """What the total was after it."""
        return pair(self.entry.total_epsilon, self.entry.total_delta)

    @property
    def address(self) -> str:
        """Where the release that the line is about is shown, if there is one."""
        return detail_address(self.entry.about.pk) if self.entry.about else ""


def shown_lines(ledger: Ledger) -> tuple[ShownLine, ...]:
    """Return every line."""
    return tuple(ShownLine(line) for line in ledger.lines)
