"""Surveys as the admin sees them: drafts are written in the editor, and what is opened is frozen."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.translation import gettext_lazy

from surveys.common.admin import LookOnly
from surveys.drafts.selectors import write_document
from surveys.models import Survey


@admin.register(Survey)
class SurveyAdmin(LookOnly, admin.ModelAdmin):  # type: ignore[type-arg]  # no parameters at run time
    list_display = ("title", "code", "state", "owner", "created_at")
    list_filter = ("state",)
    search_fields = ("title", "code", "owner__username")
    list_select_related = ("owner",)
    readonly_fields = ("state", "content_hash", "created_at", "written")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Survey]:
        """Return all surveys, and no copies to rehearse with."""
        return super().get_queryset(request).filter(rehearsal_of=None)

    @admin.display(description=gettext_lazy("questionnaire"))
    def written(self, survey: Survey) -> str:
        """Show everything that is frozen when the survey opens, with the exact designs."""
        text = write_document(survey.questionnaire.as_json).decode()
        return format_html('<pre lang="{}">{}</pre>', survey.language, text)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Allow the listed filters only: any other could ask which survey a response or an invitation belongs to."""
        return lookup.partition("__")[0] in self.list_filter
