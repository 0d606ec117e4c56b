"""What a process loads when it is first asked for: views, the admin site, template tags.

Respondents need a small part of the program. All of it at once would cost each worker, and the start of each command,
twice the memory and the time.
"""

from collections.abc import Mapping
from functools import cached_property
from importlib import import_module
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.template.backends.django import DjangoTemplates
from django.template.library import Library, import_library
from django.urls import URLPattern, URLResolver
from django.urls.resolvers import RoutePattern


class Views:
    """Stands for a module of views, for a list of addresses."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> "_View":
        return _View(self._module, name)


class _View:
    """Stands for a view: Django and our middleware read no other attributes of one."""

    def __init__(self, module: str, name: str) -> None:
        self.__module__, self._name = module, name

    @cached_property
    def _view(self) -> Any:  # noqa: ANN401 - a view takes what its address has
        return getattr(import_module(self.__module__), self._name)

    @property
    def csrf_exempt(self) -> bool:
        return getattr(self._view, "csrf_exempt", False)

    def __call__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response: HttpResponseBase = self._view(request, *args, **kwargs)
        return response


class AdminSite(URLResolver):
    def __init__(self, route: str) -> None:
        super().__init__(RoutePattern(route), (), app_name="admin", namespace="admin")

    @cached_property
    def url_patterns(self) -> list[URLPattern | URLResolver]:
        admin.autodiscover()
        return admin.site.get_urls()

    def _populate(self) -> None:
        """Leave the names of pages to whoever looks for one: all of them begin with `admin:`."""


class Templates(DjangoTemplates):
    """Django's templates; each of our modules of tags is imported when a template loads it."""

    def __init__(self, params: dict[str, Any]) -> None:
        options = dict(params["OPTIONS"])
        ours = options.pop("libraries")
        super().__init__(params | {"OPTIONS": options})
        self.engine.template_libraries = _Libraries(self.engine.template_libraries, ours)


class _Libraries(dict[str, Library]):
    def __init__(self, loaded: Mapping[str, Library], ours: Mapping[str, str]) -> None:
        super().__init__(loaded)
        self._ours = ours

    def __missing__(self, name: str) -> Library:
        return self.setdefault(name, import_library(self._ours[name]))
