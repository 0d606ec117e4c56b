"""What a page may load: the settings' Content-Security-Policy, and what a view changes of it.

`SECURE_CSP` has the name and the form that Django 6 reads; its decorator, though, names a whole policy each time.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, TypeVar, cast
from urllib.parse import quote, urlsplit

from django.conf import settings
from django.http.response import HttpResponseBase

View = TypeVar("View", bound=Callable[..., HttpResponseBase])
_Directives = Mapping[str, Sequence[str]]

HEADER = "Content-Security-Policy"
NO_MARKUP_FROM_TEXT = {"require-trusted-types-for": ["'script'"], "trusted-types": ["'none'"]}
"""No script can turn a text into markup."""


def changes_policy(changes: _Directives) -> Callable[[View], View]:
    """Let a view's pages have these directives, in place of the settings' where those have them too."""

    def decorate(view: View) -> View:
        @wraps(view)
        def changed(*args: Any, **kwargs: Any) -> HttpResponseBase:
            response = view(*args, **kwargs)
            vars(response)["policy_changes"] = changes
            return response

        return cast("View", changed)

    return decorate


def policy_of(response: HttpResponseBase) -> str:
    """Return the policy that is sent with a response."""
    return "; ".join(directives(vars(response).get("policy_changes", {})))


def directives(changes: _Directives) -> list[str]:
    """Return the settings' directives, changed so, each as it is sent."""
    changed: _Directives = {**settings.SECURE_CSP, **changes}
    return [" ".join((name, *sources)) for name, sources in changed.items()]


_HOST = re.compile(r"[a-z0-9.-]+")
# What begins another source or directive stands in no address.
_OF_A_PATH = "/%:@-._~!$&'()*+="


def origin_of(address: str) -> str:
    """Return the source of all of a server's pages; raises ValueError where a policy cannot name it."""
    parts = urlsplit(address)
    if not _HOST.fullmatch(parts.hostname or ""):
        raise ValueError("a policy names hosts in letters, digits, points and hyphens")
    return f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}"


def source_of(address: str) -> str:
    """Return the source of one page, whatever its query; raises ValueError as above."""
    return origin_of(address) + quote(urlsplit(address).path, safe=_OF_A_PATH)
