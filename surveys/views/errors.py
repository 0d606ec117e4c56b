"""The pages of requests that no page answers.

Django's own look for a CSRF token before they are written, so a body that cannot be read made an error of a missing
address. These read nothing of the request's body: what they say does not depend on it.
"""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Say that the request could not be understood."""
    return render(request, "400.html", status=400)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Say that the page is for others."""
    return render(request, "403.html", status=403)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Say that there is nothing at this address."""
    return render(request, "404.html", status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Say that something went wrong; what may be broken (the visitor, the database) is not asked."""
    return HttpResponse(render_to_string("500.html"), status=500)
