"""The lines of a ledger as its table shows them."""

from dataclasses import dataclass
from fractions import Fraction

from django.utils.translation import gettext as _

from surveys.admin.releases.steps import detail_address
from surveys.common.numbers import exactly, loss_words
from surveys.models import LedgerEntry
from surveys.selectors.releases.ledger import Ledger


@dataclass(frozen=True, slots=True)
class ShownLine:
    """One line, its numbers written."""

    entry: LedgerEntry

    @property
    def epsilon(self) -> str:
        """The charge, or by how much the total changed."""
        return _change(self.entry, self.entry.epsilon)

    @property
    def delta(self) -> str:
        """The same for δ."""
        return _change(self.entry, self.entry.delta)

    @property
    def spent(self) -> str:
        """What was spent after it."""
        return loss_words(self.entry.spent_epsilon, self.entry.spent_delta)

    @property
    def total(self) -> str:
        """What the total was after it."""
        return loss_words(self.entry.total_epsilon, self.entry.total_delta)

    @property
    def address(self) -> str:
        """Where the release that the line is about is shown, if there is one."""
        return detail_address(self.entry.about.pk) if self.entry.about else ""


def shown_lines(ledger: Ledger) -> tuple[ShownLine, ...]:
    """Return every line."""
    return tuple(ShownLine(line) for line in ledger.lines)


def changes(entry: LedgerEntry) -> str:
    """Write what a line charges, or by how much it changes the total: ε, and δ where there is one."""
    if entry.kind != LedgerEntry.Kind.TOTAL:
        return loss_words(entry.epsilon, entry.delta)
    delta = f", {_together(f'δ {_change(entry, entry.delta)}')}" if entry.delta else ""
    return _together(f"ε {_change(entry, entry.epsilon)}") + delta


def after(entry: LedgerEntry) -> str:
    """Write how much of the total is spent after a line."""
    both = [("ε", entry.spent_epsilon, entry.total_epsilon)]
    if entry.total_delta:
        both.append(("δ", entry.spent_delta, entry.total_delta))
    return ", ".join(
        _together(
            _("%(name)s: %(spent)s of %(total)s") % {"name": name, "spent": exactly(spent), "total": exactly(total)}
        )
        for name, spent, total in both
    )


def _change(entry: LedgerEntry, amount: Fraction) -> str:
    """Write a charge as it is, and a change of the total with its sign."""
    sign = "+" if entry.kind == LedgerEntry.Kind.TOTAL and amount >= 0 else ""
    return f"{sign}{exactly(amount)}"


def _together(words: str) -> str:
    """Keep words on one line."""
    return words.replace(" ", "\N{NO-BREAK SPACE}")
