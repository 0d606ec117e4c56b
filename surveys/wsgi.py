"""The WSGI application that granian serves."""

import os
from typing import Any

import django
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
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
    """Django's handler with our request."""

    request_class = Utf8Request


django.setup(set_prefix=False)
application = Handler()
