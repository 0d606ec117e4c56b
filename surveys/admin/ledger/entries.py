"""Every line of every ledger, to look at: what was allowed or charged, by whom, when and why."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from surveys.admin.ledger.lines import after, changes
from surveys.admin.look_only import LookOnly
from surveys.admin.reach import InReach
from surveys.admin.releases.steps import detail_address
from surveys.models import LedgerEntry


class _PersonFilter(admin.RelatedOnlyFieldListFilter):
    """Whoever wrote a line."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.title = _("person")


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

    @admin.display(description=_("line"))
    def line(self, entry: LedgerEntry) -> str:
        """Show the survey's code and the number of the line."""
        return f"{entry.budget.survey.code} #{entry.number}"

    @admin.display(description=_("budget"))
    def of(self, entry: LedgerEntry) -> str:
        """Link to the budget."""
        address = reverse("admin:surveys_budget_change", args=[entry.budget_id])
        return format_html('<a href="{}">{}</a>', address, entry.budget)

    @admin.display(description=pgettext_lazy("column of the ledger: what happened", "what"), ordering="kind")
    def what(self, entry: LedgerEntry) -> str:
        """Show what happened to the budget."""
        costs = entry.publication_id is None
        return f"{entry.get_kind_display()}: {changes(entry)}" if costs else entry.get_kind_display()

    @admin.display(description=_("charge or change"))
    def changed(self, entry: LedgerEntry) -> str:
        """Show the charge, or by how much the total changed."""
        return changes(entry)

    @admin.display(description=_("spent afterwards"))
    def after(self, entry: LedgerEntry) -> str:
        """Show how much of which total is spent after this line."""
        return after(entry)

    @admin.display(description=pgettext_lazy("column of the ledger: the reason", "why"), ordering="reason")
    def why(self, entry: LedgerEntry) -> str:
        """Show the reason, and the release that it is about."""
        if entry.about is None:
            return format_html("<bdi>{}</bdi>", entry.reason)
        return format_html(
            '<bdi>{}</bdi> <a href="{}">{}</a>', entry.reason, detail_address(entry.about.pk), _("See it")
        )

    @admin.display(description=_("release"))
    def drawn(self, entry: LedgerEntry) -> str:
        """Link to the release that the line is about."""
        if entry.about is None:
            return "–"
        return format_html('<a href="{}">{}</a>', detail_address(entry.about.pk), entry.about)

    @admin.display(description=_("by"), ordering="created_by_name")
    def who(self, entry: LedgerEntry) -> str:
        """Show who it was, by the name that the account had then."""
        return format_html("<bdi>{}</bdi>", entry.created_by_name)

    @admin.display(description=pgettext_lazy("column of the ledger: the day", "on"), ordering="created_at")
    def day(self, entry: LedgerEntry) -> str:
        """Show the day."""
        return format_html('<span class="nowrap">{}</span>', entry.created_at.date().isoformat())
