"""Surveys as the admin sees them: drafts are written in the editor, and what is opened is frozen."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from surveys.common.admin import LookOnly
from surveys.models import Question, Survey


class QuestionInline(LookOnly, admin.TabularInline):  # type: ignore[type-arg]  # no parameters at run time
    """A survey's questions and their exact designs."""

    model = Question
    fields = ("position", "text", "kind", "options", "design", "parameters", "leave_out")
    extra = 0


@admin.register(Survey)
class SurveyAdmin(LookOnly, admin.ModelAdmin):  # type: ignore[type-arg]  # no parameters at run time
    """List and look."""

    list_display = ("title", "code", "state", "owner", "created_at")
    list_filter = ("state",)
    search_fields = ("title", "code", "owner__username")
    list_select_related = ("owner",)
    readonly_fields = ("state", "content_hash", "created_at")
    inlines = (QuestionInline,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Survey]:
        """Return all surveys, and no copies to rehearse with."""
        return super().get_queryset(request).filter(rehearsal_of=None)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Allow the listed filters only: any other could ask which survey a response or an invitation belongs to."""
        return lookup.partition("__")[0] in self.list_filter
