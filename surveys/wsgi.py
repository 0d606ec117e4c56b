"""The WSGI application that granian serves."""

import os
from functools import lru_cache
from typing import Any

import django
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.http import HttpRequest
from django.urls import ResolverMatch, resolve
from django.utils.http import parse_header_parameters

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "surveys.settings")


class Utf8Request(WSGIRequest):
    """A request in UTF-8, whatever charset its Content-Type names.

    Django decodes forms by that charset; a codec that is none for text, or a header that cannot be read, would be an
    error of ours. Our pages send UTF-8.
    """

    def _set_content_type_params(self, meta: dict[str, Any]) -> None:
        """Read the header as Django does, but for the charset."""
        try:
            self.content_type, self.content_params = parse_header_parameters(meta.get("CONTENT_TYPE", ""))
        except (LookupError, ValueError):
            self.content_type, self.content_params = "", {}


class Handler(WSGIHandler):
    """Django's handler with our request; the view of a survey's page is looked up once."""

    request_class = Utf8Request

    def resolve_request(self, request: HttpRequest) -> ResolverMatch:
        """Return the view of this address."""
        path = request.path_info
        if not path.startswith("/s/") or "/i/" in path:
            return super().resolve_request(request)  # a process keeps no list of the single-use links that were opened
        request.resolver_match = _view_of(path)
        return request.resolver_match


@lru_cache(1024)
def _view_of(path: str) -> ResolverMatch:
    return resolve(path)


django.setup(set_prefix=False)
application = Handler()
