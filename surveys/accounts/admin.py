"""Accounts in the admin site: signing in there, invitations, second factors and people."""

import datetime as dt
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminPasswordChangeForm, AdminUserCreationForm, UserChangeForm
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django_otp.plugins.otp_static.admin import StaticDevice
from django_otp.plugins.otp_totp.admin import TOTPDevice

from surveys.accounts.selectors import asked_for, has_account
from surveys.accounts.services.credentials import turn_off
from surveys.accounts.services.sign_up import DAYS_BY_ADMIN, SentInvitation, check_free, invite_instructor
from surveys.common.admin import CheckedRows, staff
from surveys.common.selectors import surveys_owned_by
from surveys.models import SecondFactor, SignUpInvitation


@never_cache
def admin_sign_in(request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
    """Send strangers to sign in, people who may enter on, and everybody else away."""
    address = asked_for(request) or reverse("admin:index")
    if not request.user.is_authenticated:
        return redirect_to_login(address)
    if admin.site.has_permission(request):
        # Not `redirect`, which takes a word without a slash for the name of a page.
        return HttpResponseRedirect(address)
    return render(request, "accounts/not_staff.html", status=403)


def admin_password_change(request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
    return redirect("password-change")


# Accounts in the admin: invitations to sign up, and second factors to remove when a phone and all codes are lost.


# Their pages would show secrets and codes. (Imported from where they are registered, so that they are.)
for _model in (StaticDevice, TOTPDevice):
    admin.site.unregister(_model)
admin.site.login = admin_sign_in  # type: ignore[method-assign]
admin.site.password_change = admin_password_change  # type: ignore[method-assign, assignment]


class SignUpInvitationForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameters at run time
    class Meta:
        model = SignUpInvitation
        fields = ("email", "note")

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"]
        if has_account(email):
            raise ValidationError(_("An account with this email address already exists, so no invitation is needed."))
        return email


@admin.register(SignUpInvitation)
class SignUpInvitationAdmin(CheckedRows):
    """Invitations are made, looked at and withdrawn, never changed; the link is shown once."""

    form = SignUpInvitationForm
    list_display = ("email", "note", "invited_by", "made_at", "state")
    readonly_fields = ("invited_by", "made_at", "expires_at", "used_at")
    ordering = ("-made_at", "-pk")

    def get_fields(self, request: HttpRequest, obj: SignUpInvitation | None = None) -> tuple[str, ...]:
        return ("email", "note", *(self.readonly_fields if obj else ()))

    def has_change_permission(self, request: HttpRequest, obj: SignUpInvitation | None = None) -> bool:
        """Refuse: what was sent was sent."""
        return False

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show one button: the link is shown after it, and not before another invitation."""
        one = {"show_save_and_add_another": False, "show_save_and_continue": False}
        return super().add_view(request, form_url, {**(extra_context or {}), **one})

    @admin.display(description=_("state"))
    def state(self, invitation: SignUpInvitation) -> str:
        if invitation.used_at:
            return str(_("used"))
        return str(_("expired") if invitation.expires_at <= timezone.now() else _("valid"))

    def save_model(self, request: HttpRequest, obj: SignUpInvitation, form: object, change: object) -> None:
        """Let the service make the invitation and send it, and keep the link for the answer to this request."""
        invited = invite_instructor(email=obj.email, note=obj.note, invited_by=staff(request), request=request)
        obj.pk = invited.invitation.pk
        obj.invited = invited  # type: ignore[attr-defined]

    def response_add(self, request: HttpRequest, obj: SignUpInvitation, post_url_continue: str | None = None) -> Any:  # noqa: ANN401 - Django's signature
        """Show the link, this once."""
        invited: SentInvitation = obj.invited  # type: ignore[attr-defined]
        context = self.admin_site.each_context(request) | {
            "title": _("Sign-up invitation created"),
            "opts": self.opts,
            "email": obj.email,
            "link": invited.link,
            "mailed": invited.mailed,
            "days": DAYS_BY_ADMIN,
        }
        return never_cache(_shown)(request, context)


def _shown(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    return TemplateResponse(request, "admin/surveys/signupinvitation/made.html", context)


@admin.register(SecondFactor)
class SecondFactorAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # no parameters at run time
    """Accounts with two-factor authentication, without secrets; after deleting a row the password alone is enough."""

    list_display = ("user", "since")
    fields = ("user", "since")
    readonly_fields = fields
    actions = None

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Refuse: only its owner can set one up."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: SecondFactor | None = None) -> bool:
        return False

    @admin.display(description=_("set up on"))
    def since(self, device: SecondFactor) -> dt.datetime:
        moment: dt.datetime = device.created_at
        return moment

    def get_queryset(self, request: HttpRequest) -> QuerySet[SecondFactor]:
        return super().get_queryset(request).select_related("user")

    def delete_model(self, request: HttpRequest, obj: SecondFactor) -> None:
        """Remove the recovery codes with it, and tell its owner."""
        turn_off(user=User.objects.get(pk=obj.user_id))


# People in the admin: they are deactivated, never deleted, so that the log of what they did stays.


class _Named(forms.ModelForm):  # type: ignore[type-arg]  # no parameters at run time
    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        if name := self.cleaned_data.get("username"):
            check_free(name, user=self.instance)
        return cleaned


class _PersonForm(_Named, UserChangeForm):  # type: ignore[type-arg]
    pass


class _NewPersonForm(_Named, AdminUserCreationForm):
    pass


class _PasswordForm(AdminPasswordChangeForm):  # type: ignore[type-arg]  # no parameters at run time
    """Django's form, which ends all sign-ins; access tokens end with them."""

    def save(self, commit: bool = True) -> User:
        self.user.access_tokens.all().delete()
        user: User = super().save(commit)
        return user


class PeopleAdmin(CheckedRows, UserAdmin):  # type: ignore[type-arg]  # no parameters at run time
    """Django's page without its delete button: deleting a person deletes their lines of the log."""

    form = _PersonForm
    add_form = _NewPersonForm
    change_password_form = _PasswordForm

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Refuse: take away the check at “active” instead."""
        return False

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:  # noqa: ANN401 - Django's signature
        """Say what is left behind by somebody who is deactivated: surveys that nobody owns who could sign in."""
        super().save_model(request, obj, form, change)
        if "is_active" not in form.changed_data or obj.is_active:
            return
        # Should they be let in again, their tokens are not.
        obj.access_tokens.all().delete()
        if codes := list(surveys_owned_by(user=obj).values_list("code", flat=True)):
            words = ngettext(
                "%(name)s still owns a survey: %(codes)s. To transfer it, run “%(command)s transfer_survey CODE "
                "--to NAME”.",
                "%(name)s still owns surveys: %(codes)s. To transfer them, run “%(command)s transfer_survey CODE "
                "--to NAME”.",
                len(codes),
            )
            named = {"name": obj.get_username(), "codes": ", ".join(codes), "command": settings.COMMAND}
            self.message_user(request, words % named, messages.WARNING)


admin.site.unregister(User)
admin.site.register(User, PeopleAdmin)
