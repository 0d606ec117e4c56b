"""Privacy budgets and the ledger of everything that was ever allowed or spent."""

from fractions import Fraction

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from surveys.models.release import Release, this_second
from surveys.models.survey import Survey
from surveys.models.units import MICRO, PICO, Amount

REASON_LENGTH = 300


class Budget(models.Model):
    """How much a survey may ever publish; integers, so that no rounding lends anything.

    The sums of its ledger stand here a second time, because one conditional statement can guard them.
    """

    survey = models.OneToOneField(Survey, on_delete=models.PROTECT, related_name="budget", verbose_name=_("survey"))
    total_micro_epsilon = models.PositiveBigIntegerField(_("total ε (millionths)"), default=0)
    spent_micro_epsilon = models.PositiveBigIntegerField(_("spent ε (millionths)"), default=0, editable=False)
    total_pico_delta = models.PositiveBigIntegerField(_("total δ (trillionths)"), default=0)
    spent_pico_delta = models.PositiveBigIntegerField(_("spent δ (trillionths)"), default=0, editable=False)
    # How many lines its ledger has.
    entries = models.PositiveIntegerField(default=0, editable=False)

    # Central, and what is spent by basic composition.
    total_epsilon = Amount("total_micro_epsilon", MICRO)
    spent_epsilon = Amount("spent_micro_epsilon", MICRO)
    total_delta = Amount("total_pico_delta", PICO)
    spent_delta = Amount("spent_pico_delta", PICO)

    class Meta:
        """The last line of defence against overspending."""

        verbose_name = _("budget")
        verbose_name_plural = _("budgets")
        constraints = (
            models.CheckConstraint(
                condition=Q(spent_micro_epsilon__lte=F("total_micro_epsilon")), name="budget_epsilon_not_overspent"
            ),
            models.CheckConstraint(
                condition=Q(spent_pico_delta__lte=F("total_pico_delta")), name="budget_delta_not_overspent"
            ),
        )

    def __str__(self) -> str:
        return gettext("Budget of %(survey)s") % {"survey": self.survey}

    @property
    def remaining_epsilon(self) -> Fraction:
        return self.total_epsilon - self.spent_epsilon

    @property
    def remaining_delta(self) -> Fraction:
        return self.total_delta - self.spent_delta


class LedgerEntry(models.Model):
    """One line of a budget's ledger: a total set, a release charged, shown or hidden; never changed or deleted."""

    class Kind(models.TextChoices):
        TOTAL = "total", _("New total")
        CHARGE = "charge", _("Release charged")
        PUBLISH = "publish", _("Release published")
        WITHDRAW = "withdraw", _("Release withdrawn")

    budget = models.ForeignKey(Budget, on_delete=models.PROTECT, related_name="ledger", verbose_name=_("budget"))
    number = models.PositiveIntegerField(_("number"))
    kind = models.CharField(_("kind"), max_length=8, choices=Kind.choices)
    # What a charge costs, or by how much the total changed, which may be less than nothing.
    micro_epsilon = models.BigIntegerField(_("ε (millionths)"))
    pico_delta = models.BigIntegerField(_("δ (trillionths)"))
    # What the budget holds after this line.
    total_micro_epsilon = models.PositiveBigIntegerField(_("total ε (millionths)"))
    spent_micro_epsilon = models.PositiveBigIntegerField(_("spent ε (millionths)"))
    total_pico_delta = models.PositiveBigIntegerField(_("total δ (trillionths)"))
    spent_pico_delta = models.PositiveBigIntegerField(_("spent δ (trillionths)"))
    release = models.OneToOneField(
        Release, on_delete=models.PROTECT, null=True, related_name="entry", verbose_name=_("release")
    )
    # What a line publishes or withdraws, which costs nothing; one release can have many such lines.
    publication = models.ForeignKey(
        Release, on_delete=models.PROTECT, null=True, related_name="publications", verbose_name=_("release")
    )
    reason = models.CharField(_("reason"), max_length=REASON_LENGTH)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="ledger_entries", verbose_name=_("made by")
    )
    # What the account was called then: an account can be given another name, a line cannot.
    created_by_name = models.CharField(_("made by"), max_length=150)
    created_at = models.DateTimeField(_("made on"), default=this_second, editable=False)

    epsilon = Amount("micro_epsilon", MICRO)
    delta = Amount("pico_delta", PICO)
    total_epsilon = Amount("total_micro_epsilon", MICRO)
    spent_epsilon = Amount("spent_micro_epsilon", MICRO)
    total_delta = Amount("total_pico_delta", PICO)
    spent_delta = Amount("spent_pico_delta", PICO)

    class Meta:
        """Rules that also hold for raw SQL; that each line continues the one before is a trigger's."""

        verbose_name = _("ledger entry")
        verbose_name_plural = _("ledger entries")
        ordering = ("budget", "number")
        constraints = (
            models.UniqueConstraint(fields=("budget", "number"), name="ledger_entry_numbered_once"),
            models.CheckConstraint(
                condition=Q(kind="total", release__isnull=True, publication__isnull=True)
                | Q(
                    kind="charge",
                    release__isnull=False,
                    publication__isnull=True,
                    micro_epsilon__gt=0,
                    pico_delta__gte=0,
                )
                | Q(
                    kind__in=("publish", "withdraw"),
                    release__isnull=True,
                    publication__isnull=False,
                    micro_epsilon=0,
                    pico_delta=0,
                ),
                name="ledger_entry_is_of_one_kind",
            ),
            models.CheckConstraint(
                condition=Q(spent_micro_epsilon__lte=F("total_micro_epsilon"))
                & Q(spent_pico_delta__lte=F("total_pico_delta")),
                name="ledger_entry_not_overspent",
            ),
            # What is published shows for itself why.
            models.CheckConstraint(
                condition=Q(kind__in=("publish", "withdraw"), reason="")
                | (Q(kind__in=("total", "charge")) & ~Q(reason="")),
                name="ledger_entry_has_a_reason",
            ),
            models.CheckConstraint(condition=~Q(created_by_name=""), name="ledger_entry_has_a_name"),
        )

    def __str__(self) -> str:
        return f"{self.budget} #{self.number}"

    @property
    def about(self) -> Release | None:
        return self.release or self.publication
