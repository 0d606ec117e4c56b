"""The addresses in mails."""

from django.conf import settings
from django.http import HttpRequest

_DEMO = "http://127.0.0.1:8000"


def site_address(request: HttpRequest | None = None) -> str:
    """Return what the links in mails begin with, from the configuration: a Host header could lead elsewhere.

    The local demo may run on any port, so there alone the request is believed.
    """
    if settings.SITE_ADDRESS:
        return str(settings.SITE_ADDRESS)
    return request.build_absolute_uri("/").removesuffix("/") if request is not None else _DEMO
