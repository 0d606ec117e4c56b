"""Rows that are checked in a list, for an action: keys that can be none are refused, of which Django makes an error."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.auth.admin import GroupAdmin
from django.contrib.auth.models import Group
from django.core.exceptions import BadRequest, ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse


class CheckedRows(admin.ModelAdmin):  # type: ignore[type-arg]  # no parameters at run time
    """A list whose actions take keys only."""

    def response_action(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        """Refuse what no row can be called."""
        try:
            for key in request.POST.getlist(ACTION_CHECKBOX_NAME):
                self.opts.pk.clean(key, None)
        except ValidationError as error:
            raise BadRequest(str(error)) from None
        return super().response_action(request, queryset)


class RightsAdmin(CheckedRows, GroupAdmin):
    """Django's page of named sets of permissions."""


admin.site.unregister(Group)
admin.site.register(Group, RightsAdmin)
