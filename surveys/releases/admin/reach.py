"""Whose budgets and releases somebody reaches: those of all surveys by permission, else of those they may release from.

Permissions are given to staff and hold for every survey. A survey's owner and its releasers need none of them
to release from it; to them everything else in the admin site is not there. The budget itself is set by permission; its
survey's owner sets it only where the installation says so.
"""

from functools import reduce
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse

from surveys.common.selectors import surveys_owned_by, surveys_to_release_from
from surveys.models import Survey

# Each word is a condition of its own; beyond some hundreds SQLite refuses the statement.
_LONGEST_SEARCH = 200
_OF_RELEASERS = {"view_release", "add_release", "change_release", "view_budget", "view_ledgerentry"}
_OF_OWNERS = {"add_budget", "change_budget"}


def surveys_in_reach(request: HttpRequest, *permissions: str) -> QuerySet[Survey] | None:
    """Return the surveys for which somebody has one of these permissions; None stands for all of them."""
    user = request.user
    if any(user.has_perm(f"surveys.{permission}") for permission in permissions):
        return None
    if _OF_RELEASERS & set(permissions):
        return surveys_to_release_from(user=user)
    if _OF_OWNERS & set(permissions) and settings.OWNERS_SET_BUDGETS and user.is_active:
        return surveys_owned_by(user=user)
    return Survey.objects.none()


def has_permission(request: HttpRequest, *permissions: str, survey_id: int | None = None) -> bool:
    """Whether somebody has one of these permissions for a survey, or without one for any survey at all."""
    surveys = surveys_in_reach(request, *permissions)
    if surveys is None:
        return True
    return surveys.exists() if survey_id is None else surveys.filter(pk=survey_id).exists()


class InReach(admin.ModelAdmin):  # type: ignore[type-arg]  # no parameters at run time
    """Pages that show and do what is in somebody's reach, survey by survey; the rest is not there (404), never 403."""

    # How a row leads to its survey.
    survey_path = "survey"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return self.in_reach(request, super().get_queryset(request))

    def in_reach(self, request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
        surveys = surveys_in_reach(request, *self._permissions("view", "change"))
        return rows if surveys is None else rows.filter(**{f"{self.survey_path}__in": surveys})

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Search for no more words than a database can look for at once."""
        return super().get_search_results(request, queryset, search_term[:_LONGEST_SEARCH])

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:  # noqa: ANN401 - Django's signature
        """Show a row's history to people who may look at rows."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        return super().history_view(request, object_id, extra_context)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Whether the site's first page shows these rows at all."""
        return has_permission(request, *self._permissions("view", "add", "change"))

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401 - Django's signature
        return has_permission(request, *self._permissions("view", "change"), survey_id=self._survey_of(obj))

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Whether somebody may add a row, for whichever survey."""
        return has_permission(request, *self._permissions("add"))

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401 - Django's signature
        return has_permission(request, *self._permissions("change"), survey_id=self._survey_of(obj))

    def _permissions(self, *actions: str) -> list[str]:
        return [f"{action}_{self.opts.model_name}" for action in actions]

    def _survey_of(self, obj: Model | None) -> int | None:
        if obj is None:
            return None
        survey: Any = reduce(getattr, self.survey_path.split("__"), obj)
        return int(survey.pk)
