"""The way into the admin site: by our own sign-in page, with its throttling and its second factor."""

from typing import Any

from django.contrib import admin
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache


@never_cache
def admin_sign_in(request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
    """Send strangers to sign in, whoever may enter on, and everybody else away."""
    asked = request.GET.get(REDIRECT_FIELD_NAME, "")
    safe = url_has_allowed_host_and_scheme(asked, {request.get_host()}, require_https=request.is_secure())
    address = asked if safe else reverse("admin:index")
    if not request.user.is_authenticated:
        return redirect_to_login(address)
    if admin.site.has_permission(request):
        # Not `redirect`, which takes a word without a slash for the name of a page.
        return HttpResponseRedirect(address)
    return render(request, "account/not_staff.html", status=403)


def admin_password_change(request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
    """Send people to where everybody changes their password."""
    return redirect("password-change")
