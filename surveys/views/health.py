"""For load balancers and service managers."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from surveys.services import readiness


@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """Say that the process answers."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """Say that the database can be written too: whoever answers now, their answer is kept."""
    problem = readiness.problem()
    return HttpResponse(f"{problem or 'ok'}\n", content_type="text/plain", status=503 if problem else 200)
