"""People in the admin: they are deactivated, never deleted, so that the log of what they did stays."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.http import HttpRequest


class PeopleAdmin(UserAdmin):  # type: ignore[type-arg]  # no parameters at run time
    """Django's page without its delete button: deleting a person deletes their lines of the log."""

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Refuse: take away the check at “active” instead."""
        return False


admin.site.unregister(User)
admin.site.register(User, PeopleAdmin)
