"""Course platforms in the admin: entered by hand, or registered by a link that a platform opens."""

from typing import Any, ClassVar

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db import models
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from surveys.accounts.services.mails import site_address
from surveys.common.admin import CheckedRows
from surveys.lti.forms import CoursePlatformForm
from surveys.lti.selectors import tool_addresses
from surveys.lti.services.keys import store_platform
from surveys.lti.services.registering import new_link
from surveys.models import CoursePlatform


@admin.register(CoursePlatform)
class CoursePlatformAdmin(CheckedRows):
    """What a platform needs to know of this tool stands on the page where it is described."""

    form = CoursePlatformForm
    list_display = ("name", "issuer", "client_id")
    formfield_overrides: ClassVar = {models.URLField: {"assume_scheme": "https"}}

    def get_urls(self) -> list[URLPattern]:
        """Add the address at which a link is made."""
        linked = never_cache(require_POST(self.link_view))
        link = path("link/", self.admin_site.admin_view(linked), name="surveys_courseplatform_link")
        return [link, *super().get_urls()]

    def link_view(self, request: HttpRequest) -> HttpResponse:
        """Show a link that registers one platform, this once."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        context = self.admin_site.each_context(request) | {
            "title": _("Registration link created"),
            "opts": self.opts,
            "link": site_address(request) + reverse("lti-register", args=[new_link()]),
        }
        return TemplateResponse(request, "admin/surveys/courseplatform/link.html", context)

    def save_model(self, request: HttpRequest, obj: CoursePlatform, form: Any, change: bool) -> None:  # noqa: ANN401
        store_platform(obj)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:  # noqa: ANN401 - Django's signature
        """Show the addresses to copy into the platform."""
        tool = {"tool": tool_addresses(site_address(request))}
        return super().changeform_view(request, object_id, form_url, {**(extra_context or {}), **tool})
