"""The staff's page of the version that runs."""

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from surveys.upkeep.selectors.program import program_version
from surveys.upkeep.services.backing_up import backups_in


@require_safe
def version_page(request: HttpRequest) -> HttpResponse:
    kept = backups_in(settings.BACKUP_DIR)
    context: dict[str, Any] = {
        **admin.site.each_context(request),
        "title": _("Version"),
        "version": program_version(),
        "newest": kept[-1] if kept else None,
        "outdated": [backup for backup in kept if backup.destroyed],
    }
    return TemplateResponse(request, "upkeep/version.html", context)


_ADDRESSES = admin.site.get_urls


def _with_version() -> list[URLPattern | URLResolver]:
    """Put the page before the site's own addresses, the last of which answers everything else."""
    return [path("version/", admin.site.admin_view(version_page), name="version"), *_ADDRESSES()]


admin.site.get_urls = _with_version  # type: ignore[method-assign]
