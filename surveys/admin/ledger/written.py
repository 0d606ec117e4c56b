"""ε and δ as tables of the admin write them."""

from fractions import Fraction

from django.utils.translation import gettext as _

from surveys.models import LedgerEntry
from surveys.privacy.loss import PrivacyLoss
from surveys.services.releasing import written
from surveys.templatetags.release.loss_words import loss


def pair(epsilon: Fraction, delta: Fraction) -> str:
    """Write ε, and δ where there is one."""
    return loss(PrivacyLoss(epsilon, delta))


def change(entry: LedgerEntry, amount: Fraction) -> str:
    """Write a charge as it is, and a change of the total with its sign."""
    if entry.kind != LedgerEntry.Kind.TOTAL:
        return written(amount)
    return f"−{written(-amount)}" if amount < 0 else f"+{written(amount)}"


def changes(entry: LedgerEntry) -> str:
    """Write what a line charges, or by how much it changes the total: ε, and δ where there is one."""
    if entry.kind != LedgerEntry.Kind.TOTAL:
        return pair(entry.epsilon, entry.delta)
    delta = f", {_together(f'δ {change(entry, entry.delta)}')}" if entry.delta else ""
    return _together(f"ε {change(entry, entry.epsilon)}") + delta


def after(entry: LedgerEntry) -> str:
    """Write how much of the total is spent after a line."""
    both = [("ε", entry.spent_epsilon, entry.total_epsilon)]
    if entry.total_delta:
        both.append(("δ", entry.spent_delta, entry.total_delta))
    return ", ".join(
        _together(
            _("%(name)s: %(spent)s of %(total)s") % {"name": name, "spent": written(spent), "total": written(total)}
        )
        for name, spent, total in both
    )


def _together(words: str) -> str:
    """Keep words on one line."""
    return words.replace(" ", "\N{NO-BREAK SPACE}")
