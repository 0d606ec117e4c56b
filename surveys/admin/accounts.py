"""Accounts in the admin: invitations to sign up, and second factors to remove when a phone and all codes are lost."""

import datetime as dt
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from surveys.admin.door import admin_password_change, admin_sign_in
from surveys.admin.selection import CheckedRows
from surveys.admin.staff import staff
from surveys.models import SecondFactor, SignUpInvitation
from surveys.selectors.accounts import has_account
from surveys.services.accounts.inviting import DAYS_BY_ADMIN, Invited, invite_instructor
from surveys.services.accounts.second_factor import turn_off

# Their pages would show secrets and codes.
for _model in (StaticDevice, TOTPDevice):
    admin.site.unregister(_model)
admin.site.login = admin_sign_in  # type: ignore[method-assign]
admin.site.password_change = admin_password_change  # type: ignore[method-assign, assignment]


class InvitationForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameters at run time
    """A mail address that has no account yet, and a note."""

    class Meta:
        """What an admin says."""

        model = SignUpInvitation
        fields = ("email", "note")

    def clean_email(self) -> str:
        """Refuse the address of somebody who has an account."""
        email: str = self.cleaned_data["email"]
        if has_account(email):
            raise ValidationError(_("Somebody with this mail address has an account already."))
        return email


@admin.register(SignUpInvitation)
class SignUpInvitationAdmin(CheckedRows):
    """Invitations are made, looked at and withdrawn, never changed; the link is shown once."""

    form = InvitationForm
    list_display = ("email", "note", "invited_by", "made_at", "state")
    readonly_fields = ("invited_by", "made_at", "expires_at", "used_at")
    ordering = ("-made_at", "-pk")

    def get_fields(self, request: HttpRequest, obj: SignUpInvitation | None = None) -> tuple[str, ...]:
        """Ask for an address and a note; show the rest of those that are made."""
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
        """Say whether the link still leads to an account."""
        if invitation.used_at:
            return str(_("used"))
        return str(_("expired") if invitation.expires_at <= timezone.now() else _("good"))

    def save_model(self, request: HttpRequest, obj: SignUpInvitation, form: object, change: object) -> None:
        """Let the service make the invitation and send it, and keep the link for the answer to this request."""
        invited = invite_instructor(email=obj.email, note=obj.note, invited_by=staff(request), request=request)
        obj.pk = invited.invitation.pk
        obj.invited = invited  # type: ignore[attr-defined]

    def response_add(self, request: HttpRequest, obj: SignUpInvitation, post_url_continue: str | None = None) -> Any:  # noqa: ANN401 - Django's signature
        """Show the link, this once."""
        invited: Invited = obj.invited  # type: ignore[attr-defined]
        context = self.admin_site.each_context(request) | {
            "title": _("Invitation made"),
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
    """Who has a second factor, without its secret; deleting it lets its owner in by the password alone."""

    list_display = ("user", "since")
    fields = ("user", "since")
    readonly_fields = fields
    actions = None

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Refuse: only its owner can set one up."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: SecondFactor | None = None) -> bool:
        """Refuse."""
        return False

    @admin.display(description=_("since"))
    def since(self, device: SecondFactor) -> dt.datetime:
        """Say when it was set up."""
        moment: dt.datetime = device.created_at
        return moment

    def get_queryset(self, request: HttpRequest) -> QuerySet[SecondFactor]:
        """Read the people with their second factors."""
        return super().get_queryset(request).select_related("user")

    def delete_model(self, request: HttpRequest, obj: SecondFactor) -> None:
        """Remove the recovery codes with it, and tell its owner."""
        turn_off(user=User.objects.get(pk=obj.user_id))
