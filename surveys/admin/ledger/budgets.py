"""Budgets: the total is typed with its reason, the spent part only ever grows by releases; below stands the ledger."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.urls import URLPattern, path
from django.utils.translation import gettext_lazy as _

from surveys.admin.ledger.chart import budget_chart
from surveys.admin.ledger.lines import shown_lines
from surveys.admin.reach import InReach, may, reached
from surveys.admin.staff import staff
from surveys.charts import Chart
from surveys.charts.drawing import to_svg
from surveys.common.numbers import loss_words
from surveys.exports.ledger import ledger_csv, ledger_json
from surveys.forms.releases.budget import BudgetForm
from surveys.models import Budget, Survey
from surveys.selectors.releases.ledger import ledger_of
from surveys.services import releasing


@admin.register(Budget)
class BudgetAdmin(InReach):
    """Set a survey's total ε and δ; what is spent is only shown, with every line of the ledger."""

    form = BudgetForm
    change_form_template = "admin/surveys/budget/change_form.html"
    list_display = ("survey", "total", "spent", "remaining", "lines")
    list_select_related = ("survey",)
    search_fields = ("survey__title", "survey__code")
    # Nothing is done to many budgets at once.
    actions = None

    def get_urls(self) -> list[URLPattern]:
        """Add the files of a ledger."""
        files = [
            path(
                f"<int:budget_id>/ledger.{kind}",
                self.admin_site.admin_view(self.ledger_file_view),
                {"kind": kind},
                name=f"surveys_budget_ledger_{kind}",
            )
            for kind in ("csv", "json")
        ]
        return [*files, *super().get_urls()]

    def get_fields(self, request: HttpRequest, obj: Budget | None = None) -> tuple[str, ...]:
        """Show what is spent once there is a budget."""
        typed = ("total_epsilon", "total_delta", "total_rho", "reason")
        return ("survey", "spent", "remaining", *typed) if obj else ("survey", *typed)

    def get_readonly_fields(self, request: HttpRequest, obj: Budget | None = None) -> tuple[str, ...]:
        """Keep a budget with its survey."""
        return ("survey", "spent", "remaining") if obj else ()

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:  # noqa: ANN401 - Django's signature
        """Offer the surveys that have no budget yet, of those that somebody may set one for."""
        offered = Survey.objects.filter(budget__isnull=True, rehearsal_of=None)
        if (surveys := reached(request, "add_budget")) is not None:
            offered = offered.filter(pk__in=surveys)
        return super().formfield_for_foreignkey(db_field, request, **kwargs | {"queryset": offered})

    def has_delete_permission(self, request: HttpRequest, obj: Budget | None = None) -> bool:
        """Refuse: a ledger is only ever continued."""
        return False

    def save_model(self, request: HttpRequest, obj: Budget, form: Any, change: bool) -> None:  # noqa: ANN401 - Django's signature
        """Save through the service, which also writes the line of the ledger."""
        saved = releasing.set_budget(
            survey=obj.survey,
            total_epsilon=form.cleaned_data["total_epsilon"],
            total_delta=form.cleaned_data["total_delta"],
            reason=form.cleaned_data["reason"],
            user=staff(request),
        )
        if form.cleaned_data["total_rho"]:
            releasing.set_rho(
                survey=obj.survey,
                total_rho=form.cleaned_data["total_rho"],
                reason=form.cleaned_data["reason"],
                user=staff(request),
            )
        obj.pk = saved.pk
        obj.refresh_from_db()

    def log_addition(self, request: HttpRequest, obj: Budget, message: object) -> None:  # type: ignore[override]
        """Leave it to the ledger."""

    def log_change(self, request: HttpRequest, obj: Budget, message: object) -> None:  # type: ignore[override]
        """Leave it to the ledger."""

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the form with the whole ledger below it; a POST sets the totals."""
        budget = self.get_object(request, object_id)
        shown: dict[str, Any] = {}
        if budget is not None and budget.entries and self.has_view_or_change_permission(request, budget):
            ledger = ledger_of(budget.survey)
            chart = budget_chart(ledger)
            if "chart" in request.GET and request.method in {"GET", "HEAD"}:
                return _chart_file(budget, chart, request.GET["chart"])
            shown = {"ledger": ledger, "lines": shown_lines(ledger), "chart": chart, "survey": budget.survey}
            may_release = may(request, "add_release", survey_id=budget.survey_id)
            shown["may_release"] = may_release and not budget.survey.is_draft
        # The next budget is another survey's, which has its own page.
        shown["show_save_and_add_another"] = False
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **shown})

    def ledger_file_view(self, request: HttpRequest, budget_id: int, kind: str) -> HttpResponse:
        """Return the ledger as CSV or JSON."""
        if request.method not in {"GET", "HEAD"}:
            return HttpResponseNotAllowed(["GET", "HEAD"])
        budget = self.get_object(request, str(budget_id))
        if not self.has_view_or_change_permission(request, budget):
            raise PermissionDenied
        if budget is None:
            raise Http404
        write = ledger_csv if kind == "csv" else ledger_json
        types = {"csv": "text/csv; charset=utf-8", "json": "application/json"}
        response = HttpResponse(write(ledger_of(budget.survey)), content_type=types[kind])
        response["Content-Disposition"] = f'attachment; filename="{budget.survey.code}-ledger.{kind}"'
        return response

    @admin.display(description=_("total"), ordering="total_micro_epsilon")
    def total(self, budget: Budget) -> str:
        """Total ε, and δ where there is one."""
        return loss_words(budget.total_epsilon, budget.total_delta)

    @admin.display(description=_("spent"), ordering="spent_micro_epsilon")
    def spent(self, budget: Budget) -> str:
        """Write what is spent of it."""
        return loss_words(budget.spent_epsilon, budget.spent_delta)

    @admin.display(description=_("remaining"))
    def remaining(self, budget: Budget) -> str:
        """Write what is left of it."""
        return loss_words(budget.remaining_epsilon, budget.remaining_delta)

    @admin.display(description=_("lines of the ledger"), ordering="entries")
    def lines(self, budget: Budget) -> int:
        """How many lines the ledger has."""
        return budget.entries


def _chart_file(budget: Budget, chart: Chart, name: str) -> HttpResponse:
    if name != chart.name:
        raise Http404
    response = HttpResponse(to_svg(chart), content_type="image/svg+xml; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{budget.survey.code}-{name}.svg"'
    return response
