"""The admin site: for staff, and for those who may release from a survey; what they find in it each page decides."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar, cast

from django.contrib.admin import AdminSite
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from surveys.common.selectors import surveys_to_release_from

_OF_RELEASERS = ("surveys_release_", "surveys_proposal_", "surveys_budget_", "surveys_ledgerentry_")
_OF_EVERYBODY = ("index", "app_list", "autocomplete", "jsi18n", "login", "logout", "password_change")


# The pages that the header leads to, of those that somebody may see.
_MAIN_PAGES: dict[str, Promise] = {
    "Budget": _("Budgets"),
    "Release": _("Releases"),
    "Survey": _("Surveys"),
    "User": _("People"),
    "LedgerEntry": _("Ledger"),
}


@dataclass(frozen=True, slots=True)
class MainPage:
    name: Promise
    address: str
    is_current: bool


_View = TypeVar("_View", bound=Callable[..., HttpResponseBase])


class Administration(AdminSite):
    """Django's site, open to owners and releasers, too, who reach their surveys' releases there and nothing else."""

    def has_permission(self, request: HttpRequest) -> bool:
        """Let in staff and people who may release from at least one survey."""
        user = request.user
        return user.is_active and (user.is_staff or surveys_to_release_from(user=user).exists())

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Add what the header leads to; Django's sidebar with all pages is the first page's list."""
        context = super().each_context(request)
        return context | {"main_pages": list(_main_pages(request, context["available_apps"]))}

    def admin_view(self, view: _View, cacheable: bool = False) -> _View:
        """Keep people who aren't staff from all pages but those of releases, whatever such a page would say itself.

        Django's pages look a row up before they ask who may see it, so their refusals would tell which rows there are.
        """

        @wraps(view)
        def in_reach(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not (request.user.is_staff or _is_of_releases(request)):
                raise PermissionDenied
            return view(request, *args, **kwargs)

        return super().admin_view(cast("_View", in_reach), cacheable)


def _is_of_releases(request: HttpRequest) -> bool:
    page = request.resolver_match.url_name if request.resolver_match else None
    # Without a name it is Django's answer to addresses that are none.
    return page is None or page in _OF_EVERYBODY or page.startswith(_OF_RELEASERS)


def _main_pages(request: HttpRequest, apps: list[dict[str, Any]]) -> Iterator[MainPage]:
    addresses = {model["object_name"]: model["admin_url"] for app in apps for model in app["models"]}
    for model, name in _MAIN_PAGES.items():
        if address := addresses.get(model):
            yield MainPage(name, address, is_current=request.path.startswith(address))
