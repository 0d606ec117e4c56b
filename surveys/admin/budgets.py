"""Budgets: the total is typed, the spent part only ever grows by releases."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from surveys.admin.staff import staff
from surveys.forms.release import BudgetForm
from surveys.models import Budget, Survey
from surveys.services import releasing


@admin.register(Budget)
class BudgetAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # no parameters at run time
    """Set a survey's total ε; what is spent is only shown."""

    form = BudgetForm
    list_display = ("survey", "total", "spent", "remaining")
    list_select_related = ("survey",)
    search_fields = ("survey__title", "survey__code")
    # Deleting many at once would also try the spent ones.
    actions = None

    def get_fields(self, request: HttpRequest, obj: Budget | None = None) -> tuple[str, ...]:
        """Show what is spent once there is a budget."""
        return ("survey", "total_epsilon", "spent", "remaining") if obj else ("survey", "total_epsilon")

    def get_readonly_fields(self, request: HttpRequest, obj: Budget | None = None) -> tuple[str, ...]:
        """Keep a budget with its survey."""
        return ("survey", "spent", "remaining") if obj else ()

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:  # noqa: ANN401 - Django's signature
        """Offer the surveys that have no budget yet."""
        return super().formfield_for_foreignkey(
            db_field, request, **kwargs | {"queryset": Survey.objects.filter(budget__isnull=True)}
        )

    def has_delete_permission(self, request: HttpRequest, obj: Budget | None = None) -> bool:
        """Keep every budget from which something was spent."""
        unspent = obj is None or obj.spent_micro_epsilon == 0
        return unspent and super().has_delete_permission(request, obj)

    def save_model(self, request: HttpRequest, obj: Budget, form: Any, change: bool) -> None:  # noqa: ANN401 - Django's signature
        """Save through the service, which also writes the log."""
        saved = releasing.set_budget(
            survey=obj.survey, total_epsilon=form.cleaned_data["total_epsilon"], user=staff(request)
        )
        obj.pk = saved.pk
        obj.refresh_from_db()

    def log_addition(self, request: HttpRequest, obj: Budget, message: object) -> None:  # type: ignore[override]
        """Leave the log to the service."""

    def log_change(self, request: HttpRequest, obj: Budget, message: object) -> None:  # type: ignore[override]
        """Leave the log to the service."""

    @admin.display(description=_("total ε"), ordering="total_micro_epsilon")
    def total(self, budget: Budget) -> str:
        """Total ε as a decimal."""
        return releasing.written(budget.total_epsilon)

    @admin.display(description=_("spent ε"), ordering="spent_micro_epsilon")
    def spent(self, budget: Budget) -> str:
        """Spent ε as a decimal."""
        return releasing.written(budget.spent_epsilon)

    @admin.display(description=_("remaining ε"))
    def remaining(self, budget: Budget) -> str:
        """Remaining ε as a decimal."""
        return releasing.written(budget.remaining_epsilon)
