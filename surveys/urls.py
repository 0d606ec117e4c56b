"""Every address of the application: each room has its own."""

from django.urls import URLPattern, URLResolver, include, path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from django.views.i18n import set_language

from surveys.common.on_demand import AdminSite

handler400 = "surveys.common.views.bad_request"
handler403 = "surveys.common.views.permission_denied"
handler404 = "surveys.common.views.page_not_found"
handler500 = "surveys.common.views.server_error"

# Addresses with a word of their own come before those with a code in its place.
ROOMS = ("answering", "credit", "accounts", "documents", "editor", "course", "people", "rehearsing", "presenting",
         "sharing", "lti", "results", "tokens", "exporting", "releases", "learn", "lessons", "common",
         "metrics")  # fmt: skip

urlpatterns: list[URLPattern | URLResolver] = [
    AdminSite("admin/"),
    path("language/", csrf_exempt(require_POST(set_language)), name="language"),
    *(path("", include(f"surveys.{room}.urls")) for room in ROOMS),
]
