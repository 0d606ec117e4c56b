"""Surveys as the admin sees them: drafts are written in the editor, and what is opened is frozen."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from surveys.models import Question, Survey


class _LookOnly:
    """Everything may be looked at and nothing changed, whatever the permissions say."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401 - both Django signatures
        """Refuse."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401 - Django's signature
        """Refuse."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401 - Django's signature
        """Refuse."""
        return False


class QuestionInline(_LookOnly, admin.TabularInline):  # type: ignore[type-arg]  # no parameters at run time
    """A survey's questions and their exact designs."""

    model = Question
    fields = ("position", "text", "kind", "options", "design", "parameters", "leave_out")
    extra = 0


@admin.register(Survey)
class SurveyAdmin(_LookOnly, admin.ModelAdmin):  # type: ignore[type-arg]  # no parameters at run time
    """List and look."""

    list_display = ("title", "code", "state", "owner", "created_at")
    list_filter = ("state",)
    search_fields = ("title", "code", "owner__username")
    list_select_related = ("owner",)
    readonly_fields = ("state", "content_hash", "created_at")
    inlines = (QuestionInline,)
