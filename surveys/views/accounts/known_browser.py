"""The cookie that marks a browser in which somebody signed in before; only the sign-in page is sent it."""

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from surveys.services.accounts.known_browsers import new_mark, number_in


def mark_of(request: HttpRequest) -> str:
    """Return this browser's mark, if it has any."""
    return request.COOKIES.get(settings.KNOWN_BROWSER_COOKIE_NAME, "")


def mark_browser(response: HttpResponse, user: User, mark: str = "") -> None:
    """Mark the browser in which this person has just shown who they are; a mark that it has is renewed."""
    response.set_cookie(
        settings.KNOWN_BROWSER_COOKIE_NAME,
        new_mark(user.get_username(), number_in(mark, user.get_username())),
        max_age=settings.KNOWN_BROWSER_COOKIE_AGE,
        path=reverse("login"),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Strict",
    )
