"""Published releases: the same bytes for everybody, at every refresh."""

from fractions import Fraction

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils import translation
from django.views.decorators.cache import cache_control
from django.views.decorators.http import conditional_page, require_safe

from surveys import charts
from surveys.models import Release
from surveys.selectors import releases
from surveys.services import releasing

# A withdrawn release is gone from shared caches after so many seconds.
_SECONDS = 60


@require_safe
@cache_control(public=True, max_age=_SECONDS)
@conditional_page
def release(request: HttpRequest, release_id: str) -> HttpResponse:
    """Show a published release; rendered without the request, so that nothing of a visitor can get into it."""
    reading = _published(release_id)
    with translation.override(reading.definition.language):
        context = {
            "reading": reading,
            "rows": _rows(reading),
            "ticks": charts.TICKS,
            "epsilon": releasing.written(reading.terms.epsilon),
            "spent": releasing.written(Fraction(reading.release.parameters["spent"])),
        }
        return HttpResponse(render_to_string("release/release.html", context))


@require_safe
@cache_control(public=True, max_age=_SECONDS)
@conditional_page
def release_json(request: HttpRequest, release_id: str) -> HttpResponse:
    """Return the same as JSON."""
    return JsonResponse(releases.document_of(_published(release_id)), json_dumps_params={"indent": 2})


def _published(release_id: str) -> releases.Reading:
    try:
        return releases.reading_of(releases.published_release(release_id))
    except Release.DoesNotExist:
        raise Http404 from None


def _rows(reading: releases.Reading) -> list[tuple[releases.Estimate, charts.IntervalRow]]:
    return [
        (
            estimate,
            charts.interval_row(low=estimate.low, high=estimate.high, point=estimate.share, raw=estimate.reported),
        )
        for estimate in reading.estimates
    ]
