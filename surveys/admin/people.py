"""People in the admin: they are deactivated, never deleted, so that the log of what they did stays."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils.translation import ngettext

from surveys.selectors.surveys import surveys_owned_by
from surveys.services.accounts.naming import check_free


class _Named(forms.ModelForm):  # type: ignore[type-arg]  # no parameters at run time
    def clean(self) -> dict[str, Any] | None:
        """Refuse a name that could be taken for somebody else's."""
        cleaned = super().clean()
        if name := self.cleaned_data.get("username"):
            check_free(name, user=self.instance)
        return cleaned


class _PersonForm(_Named, UserChangeForm):  # type: ignore[type-arg]
    pass


class _NewPersonForm(_Named, AdminUserCreationForm):
    pass


class PeopleAdmin(UserAdmin):  # type: ignore[type-arg]  # no parameters at run time
    """Django's page without its delete button: deleting a person deletes their lines of the log."""

    form = _PersonForm
    add_form = _NewPersonForm

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Refuse: take away the check at “active” instead."""
        return False

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:  # noqa: ANN401 - Django's signature
        """Say what is left behind by somebody who is deactivated: surveys that nobody owns who could sign in."""
        super().save_model(request, obj, form, change)
        if "is_active" in form.changed_data and not obj.is_active and (codes := _codes_of(obj)):
            told = ngettext(
                "%(name)s still owns a survey: %(codes)s. To give it another owner run "
                "“manage.py transfer_survey CODE --to NAME”.",
                "%(name)s still owns surveys: %(codes)s. To give them another owner run "
                "“manage.py transfer_survey CODE --to NAME”.",
                len(codes),
            )
            self.message_user(request, told % {"name": obj.get_username(), "codes": ", ".join(codes)}, messages.WARNING)


def _codes_of(user: User) -> list[str]:
    return list(surveys_owned_by(user=user).values_list("code", flat=True))


admin.site.unregister(User)
admin.site.register(User, PeopleAdmin)
