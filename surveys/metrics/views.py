"""The page that Prometheus reads, where the operator has set a token."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from surveys.metrics import services


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    if not settings.METRICS_TOKEN:
        raise Http404
    if not constant_time_compare(request.headers.get("Authorization", ""), f"Bearer {settings.METRICS_TOKEN}"):
        return HttpResponse(
            "A token is needed.\n", content_type="text/plain", status=401, headers={"WWW-Authenticate": "Bearer"}
        )
    text, content_type = services.written()
    return HttpResponse(text, content_type=content_type)
