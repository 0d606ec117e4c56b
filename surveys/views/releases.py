"""Published releases: the same bytes for everybody, at every refresh."""

from fractions import Fraction

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import conditional_page, require_safe

from surveys.charts import IntervalChart, IntervalRow, Table, share_axis
from surveys.models import Release
from surveys.selectors import releases
from surveys.selectors.release_terms import CONFIDENCE_LEVEL
from surveys.services import releasing
from surveys.templatetags.figures import percent
from surveys.templatetags.release_numbers import estimate_says

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
            "chart": _chart(reading) if reading.terms.is_histogram else None,
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


def _chart(reading: releases.Reading) -> IntervalChart:
    """Return a histogram's estimates with their intervals, and all that was released as a table."""
    level = percent(CONFIDENCE_LEVEL)
    return IntervalChart(
        name="release",
        title=_("How people would truly answer"),
        text=" ".join(estimate_says(estimate) + "." for estimate in reading.estimates),
        axis=share_axis(_("Of 100 people")),
        rows=[
            IntervalRow(
                label=estimate.label,
                says=estimate_says(estimate),
                value=percent(estimate.share),
                point=estimate.share,
                low=estimate.low,
                high=estimate.high,
                raw=estimate.reported,
            )
            for estimate in reading.estimates
        ],
        interval_label=_("estimate and %(level)s interval") % {"level": level},
        raw_label=_("share of the reports as released, with chance added"),
        table=Table(
            caption=_("What was released, and what follows from it"),
            headings=(
                _("Answer"),
                _("Estimate"),
                _("%(level)s interval") % {"level": level},
                _("Before limiting"),
                _("Noisy count"),
            ),
            rows=tuple(
                (
                    estimate.label,
                    percent(estimate.share, 1),
                    _("%(low)s to %(high)s") % {"low": percent(estimate.low, 1), "high": percent(estimate.high, 1)},
                    percent(estimate.raw, 1),
                    str(estimate.noisy_count),
                )
                for estimate in reading.estimates
            ),
        ),
    )
