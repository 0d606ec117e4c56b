"""The gate before every page: who has a second factor has shown it, and staff have one where that is demanded."""

from collections.abc import Callable

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from surveys.selectors.accounts import second_factor_of

# Which second factor a session was begun with.
SHOWN = "second_factor"
# Pages of a survey and of a release know no sessions; a visitor who never signed in has none.
_PUBLIC = ("/s/", "/r/", "/healthz", "/readyz")
# What somebody needs on the way to a second factor.
_ON_THE_WAY = ("/account/", "/password/", "/sign-in/", "/sign-out/", "/language/", "/check/", "/join")


def second_factor_first(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """End a session that did not show the second factor its owner has; send staff without one to where it is made."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if settings.SESSION_COOKIE_NAME not in request.COOKIES or request.path_info.startswith(_PUBLIC):
            return get_response(request)
        user = request.user
        if isinstance(user, User):
            device = second_factor_of(user)
            if device is not None and request.session.get(SHOWN) != device.pk:
                logout(request)
            elif device is None and _must_have_one(user) and not _may_go_without(request):
                messages.warning(request, _("Staff of this server sign in with a second factor. Please set yours up."))
                return redirect("two-factor")
        return get_response(request)

    return middleware


def _must_have_one(user: User) -> bool:
    return settings.STAFF_SECOND_FACTOR and (user.is_staff or user.is_superuser)


def _may_go_without(request: HttpRequest) -> bool:
    return request.path_info == "/" or request.path_info.startswith(_ON_THE_WAY)
