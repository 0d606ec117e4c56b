"""Budgets in ρ, beside those in ε and δ: set once, before anything is charged, so that adaptive charges add up."""

from fractions import Fraction

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from surveys.models.budget import REASON_LENGTH, Budget
from surveys.models.guard import Effect, Guard, require_whole
from surveys.models.release import Release, this_second
from surveys.models.units import PICO, Amount


class ConcentratedBudget(models.Model):
    """How much ρ all releases of a survey may cost together; who allowed it, when and why."""

    budget = models.OneToOneField(
        Budget, on_delete=models.PROTECT, related_name="concentrated", verbose_name=_("budget")
    )
    total_pico_rho = models.PositiveBigIntegerField(_("total ρ (trillionths)"))
    spent_pico_rho = models.PositiveBigIntegerField(_("spent ρ (trillionths)"), default=0, editable=False)
    reason = models.CharField(_("reason"), max_length=REASON_LENGTH)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="concentrated_budgets",
        verbose_name=_("made by"),
    )
    created_by_name = models.CharField(_("made by"), max_length=150)
    created_at = models.DateTimeField(_("made on"), default=this_second, editable=False)

    total_rho = Amount("total_pico_rho", PICO)
    # Each charge is rounded up to a trillionth.
    spent_rho = Amount("spent_pico_rho", PICO)

    class Meta:
        verbose_name = _("budget in ρ")
        verbose_name_plural = _("budgets in ρ")
        constraints = (
            models.CheckConstraint(
                condition=Q(total_pico_rho__gt=0, spent_pico_rho__lte=F("total_pico_rho")),
                name="concentrated_budget_not_overspent",
            ),
            models.CheckConstraint(
                condition=~Q(reason="") & ~Q(created_by_name=""), name="concentrated_budget_says_why_and_who"
            ),
        )

    def __str__(self) -> str:
        return f"{self.budget} (ρ)"

    @property
    def remaining_rho(self) -> Fraction:
        return self.total_rho - self.spent_rho


class ConcentratedCharge(models.Model):
    """What a release costs of its survey's budget in ρ: stored before the line of the ledger, which needs it."""

    release = models.OneToOneField(Release, on_delete=models.PROTECT, related_name="concentrated")
    pico_rho = models.PositiveBigIntegerField(_("ρ charged (trillionths)"))

    class Meta:
        constraints = (models.CheckConstraint(condition=Q(pico_rho__gt=0), name="concentrated_charge_costs_something"),)

    def __str__(self) -> str:
        return f"{self.release} (ρ)"


_BUDGET_OF = (
    "(SELECT b.id FROM surveys_budget b JOIN surveys_release r ON r.survey_id = b.survey_id WHERE r.id = {release})"
)
_SET_ONCE = "a budget in ρ is set once, before the first charge, and only charges change it"
_CHARGED_ONCE = "a release is charged once in ρ, before its line"

CONCENTRATED_GUARDS = (
    Guard(
        "concentratedbudget_insert",
        "surveys_concentratedbudget",
        "INSERT",
        "NEW.spent_pico_rho <> 0"
        " OR EXISTS (SELECT 1 FROM surveys_ledgerentry e WHERE e.budget_id = NEW.budget_id AND e.kind = 'charge')"
        " OR EXISTS (SELECT 1 FROM surveys_concentratedbudget c WHERE c.id = NEW.id OR c.budget_id = NEW.budget_id)",
        _SET_ONCE,
    ),
    Guard(
        "concentratedbudget_update",
        "surveys_concentratedbudget",
        "UPDATE",
        "NEW.id <> OLD.id OR NEW.budget_id <> OLD.budget_id OR NEW.total_pico_rho <> OLD.total_pico_rho"
        " OR NEW.reason <> OLD.reason OR NEW.created_by_id <> OLD.created_by_id"
        " OR NEW.created_by_name <> OLD.created_by_name OR NEW.created_at <> OLD.created_at"
        " OR NEW.spent_pico_rho <> (SELECT COALESCE(SUM(c.pico_rho), 0) FROM surveys_concentratedcharge c"
        " JOIN surveys_release r ON r.id = c.release_id JOIN surveys_budget b ON b.survey_id = r.survey_id"
        " WHERE b.id = NEW.budget_id)",
        _SET_ONCE,
    ),
    Guard("concentratedbudget_delete", "surveys_concentratedbudget", "DELETE", "1 = 1", _SET_ONCE),
    Guard(
        "concentratedcharge_insert",
        "surveys_concentratedcharge",
        "INSERT",
        "EXISTS (SELECT 1 FROM surveys_concentratedcharge c WHERE c.id = NEW.id OR c.release_id = NEW.release_id)"  # noqa: S608
        " OR EXISTS (SELECT 1 FROM surveys_ledgerentry e WHERE e.release_id = NEW.release_id)"
        f" OR NOT EXISTS (SELECT 1 FROM surveys_concentratedbudget c"
        f" WHERE c.budget_id = {_BUDGET_OF.format(release='NEW.release_id')})",
        _CHARGED_ONCE,
    ),
    Guard("concentratedcharge_update", "surveys_concentratedcharge", "UPDATE", "1 = 1", _CHARGED_ONCE),
    Guard("concentratedcharge_delete", "surveys_concentratedcharge", "DELETE", "1 = 1", _CHARGED_ONCE),
    Guard(
        "ledgerentry_concentrated",
        "surveys_ledgerentry",
        "INSERT",
        "NEW.kind = 'charge'"
        " AND EXISTS (SELECT 1 FROM surveys_concentratedbudget c WHERE c.budget_id = NEW.budget_id)"
        " AND NOT EXISTS (SELECT 1 FROM surveys_concentratedcharge c WHERE c.release_id = NEW.release_id)",
        "where there is a budget in ρ, a release is charged to it as well",
    ),
    require_whole("surveys_concentratedbudget", "INSERT", ("total_pico_rho",)),
    require_whole("surveys_concentratedcharge", "INSERT", ("pico_rho",)),
)
CHARGE_MOVES_BUDGET = Effect(
    "concentratedcharge_moves_budget",
    "surveys_concentratedcharge",
    "UPDATE surveys_concentratedbudget SET spent_pico_rho = spent_pico_rho + NEW.pico_rho"  # noqa: S608 - names of ours
    f" WHERE budget_id = {_BUDGET_OF.format(release='NEW.release_id')}",
)
