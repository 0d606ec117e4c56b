"""What may only be looked at."""

from typing import Any, cast

from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.auth.admin import GroupAdmin
from django.contrib.auth.models import Group, User
from django.core.exceptions import BadRequest, ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from surveys.common.forms import RowsField


class LookOnly:
    """Everything may be looked at and nothing changed, whatever the permissions say."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401 - both Django signatures
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401 - Django's signature
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401 - Django's signature
        return False


# Rows that are checked in a list: keys that can be none are refused, of which Django makes an error.


class CheckedRows(admin.ModelAdmin):  # type: ignore[type-arg]  # no parameters at run time
    """A list whose actions take keys only, and so do the fields for rows of another one."""

    def formfield_for_manytomany(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - Django's signature
        """Let our field read the keys."""
        return super().formfield_for_manytomany(*args, **{"form_class": RowsField, **kwargs})

    def response_action(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
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


# Who is at work in the admin.


def staff(request: HttpRequest) -> User:
    """Return the person signed in; the admin site lets nobody reach its views who is not."""
    return cast("User", request.user)
