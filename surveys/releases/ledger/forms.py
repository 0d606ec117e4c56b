"""A survey's total ε and δ, and why it is set."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from surveys.models import Budget
from surveys.numbers.words import exact_number
from surveys.releases.forms.fields import DeltaField, EpsilonField, ReasonField, RhoField
from surveys.releases.ledger import services
from surveys.releases.refusals import ReleaseRefused, Why


class BudgetForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameters at run time
    """How much all releases of a survey may cost together; what is spent is not a field, only releases change it."""

    total_epsilon = EpsilonField(
        label=gettext_lazy("Total ε"),
        help_text=gettext_lazy(
            "The limit for all releases of this survey together. A decimal number such as 1 or 0.75."
        ),
    )
    total_delta = DeltaField(
        label=gettext_lazy("Total δ"),
        required=False,
        help_text=gettext_lazy(
            "Enter 0, unless you want to use a mechanism that needs a δ. The total δ should then be less than "
            "1 divided by the square of the number of answers."
        ),
    )
    total_rho = RhoField(
        label=gettext_lazy("Total ρ"),
        required=False,
        help_text=gettext_lazy(
            "Leave this field empty, unless you want the tighter total of zero-concentrated differential "
            "privacy to hold no matter how releases are chosen. This budget applies in addition to ε and δ. It "
            "is set once, before the first release."
        ),
    )
    reason = ReasonField(
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy("The ledger keeps the reason permanently, with your name and the date."),
    )

    class Meta:
        """The survey is chosen once, when the budget is made."""

        model = Budget
        fields = ("survey",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            self.initial["total_epsilon"] = exact_number(self.instance.total_epsilon)
            self.initial["total_delta"] = exact_number(self.instance.total_delta)
            if not services.may_set_rho(self.instance):
                preset = services.concentrated_of(self.instance)
                self.initial["total_rho"] = exact_number(preset.total_rho) if preset else ""
                self.fields["total_rho"].disabled = True

    def clean(self) -> dict[str, Any]:
        """Refuse totals below what is spent, with the budget locked until it is saved."""
        cleaned: dict[str, Any] = super().clean() or {}
        if self.fields["total_rho"].disabled:
            cleaned["total_rho"] = None
        cleaned.setdefault("total_rho", None)
        if self.instance.pk:
            now = Budget.objects.select_for_update().get(pk=self.instance.pk)
            if cleaned["total_rho"] and not services.may_set_rho(now):
                self._refuse(ReleaseRefused(Why.RHO_IS_SET))
            if cleaned.get("total_epsilon", now.spent_epsilon) < now.spent_epsilon:
                self._refuse(ReleaseRefused(Why.BUDGET_BELOW_SPENT, spent=now.spent_epsilon))
            if cleaned.get("total_delta", now.spent_delta) < now.spent_delta:
                self._refuse(ReleaseRefused(Why.DELTA_BELOW_SPENT, spent=now.spent_delta))
        return cleaned

    def _refuse(self, refused: ReleaseRefused) -> None:
        self.add_error(refused.field, str(refused))
