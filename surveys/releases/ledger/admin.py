"""Budgets and the lines of their ledgers in the admin: the lists, one budget with its ledger, the report, the files."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from surveys.charts.svg import chart_file
from surveys.common.admin import LookOnly, staff
from surveys.models import Budget, LedgerEntry, Survey
from surveys.numbers.words import exact_number, loss_words
from surveys.releases.admin.reach import InReach, has_permission, surveys_in_reach
from surveys.releases.admin.steps import detail_address
from surveys.releases.ledger.charts import budget_chart
from surveys.releases.ledger.files import ledger_csv, ledger_json
from surveys.releases.ledger.forms import BudgetForm
from surveys.releases.ledger.selectors import Ledger, ledger_of
from surveys.releases.ledger.services import set_budget, set_rho
from surveys.releases.selectors.doors import charged_releases
from surveys.releases.selectors.reading import reading_of
from surveys.releases.words.picture import percent_of
from surveys.releases.words.release import release_headline


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
        return _change(self.entry, self.entry.delta)

    @property
    def spent(self) -> str:
        return loss_words(self.entry.spent_epsilon, self.entry.spent_delta)

    @property
    def total(self) -> str:
        return loss_words(self.entry.total_epsilon, self.entry.total_delta)

    @property
    def address(self) -> str:
        """Where the release that the line is about is shown, if there is one."""
        return detail_address(self.entry.about.pk) if self.entry.about else ""


def shown_lines(ledger: Ledger) -> tuple[ShownLine, ...]:
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
            _("%(name)s: %(spent)s of %(total)s")
            % {"name": name, "spent": exact_number(spent), "total": exact_number(total)}
        )
        for name, spent, total in both
    )


def _change(entry: LedgerEntry, amount: Fraction) -> str:
    """Write a charge as it is, and a change of the total with its sign."""
    sign = "+" if entry.kind == LedgerEntry.Kind.TOTAL and amount >= 0 else ""
    return f"{sign}{exact_number(amount)}"


def _together(words: str) -> str:
    return words.replace(" ", "\N{NO-BREAK SPACE}")


# Every line of every ledger, to look at: what was allowed or charged, by whom, when and why.


class _PersonFilter(admin.RelatedOnlyFieldListFilter):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.title = gettext_lazy("person")


@admin.register(LedgerEntry)
class LedgerEntryAdmin(LookOnly, InReach):
    """List and look; nothing is ever added by hand, changed or deleted."""

    survey_path = "budget__survey"
    list_display = ("line", "what", "after", "why", "who", "day")
    list_filter = (
        ("budget__survey", admin.RelatedOnlyFieldListFilter),
        "kind",
        ("created_by", _PersonFilter),
    )
    search_fields = ("reason", "budget__survey__title", "budget__survey__code")
    ordering = ("-created_at", "budget", "-number")
    list_select_related = ("budget__survey", "created_by", "release", "publication")
    fields = ("of", "number", "kind", "changed", "after", "drawn", "reason", "who", "created_at")
    actions = None

    def get_queryset(self, request: HttpRequest) -> QuerySet[LedgerEntry]:
        """Return the lines with what is shown of them."""
        return super().get_queryset(request).select_related(*self.list_select_related)

    @admin.display(description=gettext_lazy("line"))
    def line(self, entry: LedgerEntry) -> str:
        return f"{entry.budget.survey.code} #{entry.number}"

    @admin.display(description=gettext_lazy("budget"))
    def of(self, entry: LedgerEntry) -> str:
        address = reverse("admin:surveys_budget_change", args=[entry.budget_id])
        return format_html('<a href="{}">{}</a>', address, entry.budget)

    @admin.display(description=pgettext_lazy("column of the ledger: what happened", "event"), ordering="kind")
    def what(self, entry: LedgerEntry) -> str:
        costs = entry.publication_id is None
        return f"{entry.get_kind_display()}: {changes(entry)}" if costs else entry.get_kind_display()

    @admin.display(description=gettext_lazy("charge or change"))
    def changed(self, entry: LedgerEntry) -> str:
        return changes(entry)

    @admin.display(description=gettext_lazy("spent so far"))
    def after(self, entry: LedgerEntry) -> str:
        return after(entry)

    @admin.display(description=pgettext_lazy("column of the ledger: the reason", "reason"), ordering="reason")
    def why(self, entry: LedgerEntry) -> str:
        if entry.about is None:
            return format_html("<bdi>{}</bdi>", entry.reason)
        return format_html(
            '<bdi>{}</bdi> <a href="{}">{}</a>',
            entry.reason,
            detail_address(entry.about.pk),
            gettext_lazy("View release"),
        )

    @admin.display(description=gettext_lazy("release"))
    def drawn(self, entry: LedgerEntry) -> str:
        if entry.about is None:
            return "–"
        return format_html('<a href="{}">{}</a>', detail_address(entry.about.pk), entry.about)

    @admin.display(description=gettext_lazy("made by"), ordering="created_by_name")
    def who(self, entry: LedgerEntry) -> str:
        """Show who it was, by the name that the account had then."""
        return format_html("<bdi>{}</bdi>", entry.created_by_name)

    @admin.display(description=pgettext_lazy("column of the ledger: the day", "date"), ordering="created_at")
    def day(self, entry: LedgerEntry) -> str:
        return format_html('<span class="nowrap">{}</span>', entry.created_at.date().isoformat())


# Budgets: the total is typed with its reason, the spent part only ever grows by releases; below stands the ledger.


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
        files = [
            path(
                f"<int:budget_id>/ledger.{kind}",
                self.admin_site.admin_view(self.ledger_file_view),
                {"kind": kind},
                name=f"surveys_budget_ledger_{kind}",
            )
            for kind in ("csv", "json")
        ]
        report = path(
            "<int:budget_id>/report/", self.admin_site.admin_view(self.report_view), name="surveys_budget_report"
        )
        return [*files, report, *super().get_urls()]

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
        if (surveys := surveys_in_reach(request, "add_budget")) is not None:
            offered = offered.filter(pk__in=surveys)
        return super().formfield_for_foreignkey(db_field, request, **kwargs | {"queryset": offered})

    def has_delete_permission(self, request: HttpRequest, obj: Budget | None = None) -> bool:
        """Refuse: a ledger is only ever continued."""
        return False

    def save_model(self, request: HttpRequest, obj: Budget, form: Any, change: bool) -> None:  # noqa: ANN401 - Django's signature
        """Save through the service, which also writes the line of the ledger."""
        saved = set_budget(
            survey=obj.survey,
            total_epsilon=form.cleaned_data["total_epsilon"],
            total_delta=form.cleaned_data["total_delta"],
            reason=form.cleaned_data["reason"],
            user=staff(request),
        )
        if form.cleaned_data["total_rho"]:
            set_rho(
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
                return chart_file(budget.survey.code, [chart], request.GET["chart"])
            shown = {"ledger": ledger, "lines": shown_lines(ledger), "chart": chart, "survey": budget.survey}
            may_release = has_permission(request, "add_release", survey_id=budget.survey_id)
            shown["may_release"] = may_release and not budget.survey.is_draft
        # The next budget is another survey's, which has its own page.
        shown["show_save_and_add_another"] = False
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **shown})

    def report_view(self, request: HttpRequest, budget_id: int) -> HttpResponse:
        """Show all releases of a survey with their terms, what they come to, and the ledger, as a page to print."""
        if request.method not in {"GET", "HEAD"}:
            return HttpResponseNotAllowed(["GET", "HEAD"])
        budget = self._looked_at(request, budget_id)
        ledger = ledger_of(budget.survey)
        looks = has_permission(request, "view_release", "change_release", survey_id=budget.survey_id)
        released = charged_releases().filter(survey_id=budget.survey_id).order_by("entry__number")
        context = self.admin_site.each_context(request) | {
            "opts": self.opts,
            "title": _("All releases on one sheet"),
            "subtitle": budget.survey.title,
            "budget": budget,
            "survey": budget.survey,
            "ledger": ledger,
            "lines": shown_lines(ledger),
            "chart": budget_chart(ledger),
            "spent": percent_of(budget.spent_epsilon, budget.total_epsilon),
            # Terms are in the ledger, which they may see; what was found is for those who may look at releases.
            "releases": [(release, release_headline(reading_of(release)) if looks else "") for release in released],
        }
        return TemplateResponse(request, "admin/surveys/budget/report.html", context)

    def _looked_at(self, request: HttpRequest, budget_id: int) -> Budget:
        """Return a budget to somebody who may look at it, and to nobody else."""
        budget = self.get_object(request, str(budget_id))
        if not self.has_view_or_change_permission(request, budget):
            raise PermissionDenied
        if budget is None:
            raise Http404
        return cast("Budget", budget)

    def ledger_file_view(self, request: HttpRequest, budget_id: int, kind: str) -> HttpResponse:
        if request.method not in {"GET", "HEAD"}:
            return HttpResponseNotAllowed(["GET", "HEAD"])
        budget = self._looked_at(request, budget_id)
        write = ledger_csv if kind == "csv" else ledger_json
        types = {"csv": "text/csv; charset=utf-8", "json": "application/json"}
        response = HttpResponse(write(ledger_of(budget.survey)), content_type=types[kind])
        response["Content-Disposition"] = f'attachment; filename="{budget.survey.code}-ledger.{kind}"'
        return response

    @admin.display(description=gettext_lazy("total"), ordering="total_micro_epsilon")
    def total(self, budget: Budget) -> str:
        return loss_words(budget.total_epsilon, budget.total_delta)

    @admin.display(description=gettext_lazy("spent"), ordering="spent_micro_epsilon")
    def spent(self, budget: Budget) -> str:
        return loss_words(budget.spent_epsilon, budget.spent_delta)

    @admin.display(description=gettext_lazy("remaining"))
    def remaining(self, budget: Budget) -> str:
        return loss_words(budget.remaining_epsilon, budget.remaining_delta)

    @admin.display(description=gettext_lazy("ledger lines"), ordering="entries")
    def lines(self, budget: Budget) -> int:
        return budget.entries
