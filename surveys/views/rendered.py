"""Pages of a frozen survey, rendered once a process: each request only fills in its nonce and its CSRF token."""

import secrets
from dataclasses import dataclass, field
from functools import lru_cache

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.template.loader import render_to_string

from surveys.models import Survey
from surveys.models.definition import Definition
from surveys.services.collecting import new_nonce

# Nobody can write these into a survey's text: they are new in every process.
_NONCE = secrets.token_hex(16)
_CSRF = secrets.token_hex(16)


@dataclass(frozen=True, slots=True)
class _Page:
    """What a rendered page depends on; two are the same when survey, version and template are."""

    template: str
    survey_id: int
    version: str
    definition: Definition = field(compare=False)


def rendered(request: HttpRequest, template: str, survey: Survey, definition: Definition) -> HttpResponse:
    """Return the page with a nonce and a CSRF token of its own."""
    html = _html(_Page(template, survey.pk, survey.content_hash, definition))
    return HttpResponse(html.replace(_CSRF, get_token(request)).replace(_NONCE, new_nonce()))


@lru_cache(maxsize=256)
def _html(page: _Page) -> str:
    return render_to_string(page.template, {"definition": page.definition, "nonce": _NONCE, "csrf": _CSRF})
