"""Results: a page, and the part of it that changes while answers come in."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response
from django.utils.crypto import salted_hmac
from django.utils.translation import get_language

from surveys.forms.results.options import too_many_forged
from surveys.models import Right, Survey
from surveys.selectors.results.overview import group_names, results_of
from surveys.selectors.results.snapshot import OutdatedError
from surveys.views.access import survey_page
from surveys.views.results.shown import shown_question
from surveys.views.results.tabs import Asked, chart_file


@survey_page("GET", "HEAD", right=Right.ANALYSE, rehearsals=True)
def survey_results(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Show the results with the options asked for, or one of their charts as a file."""
    asked = Asked.of(request, survey)
    context, etag = _context(asked), _etag(asked)
    if "chart" in request.GET:
        return chart_file(survey, context["charts"], request.GET["chart"])
    return render(request, "results/overview.html", context | {"etag": etag, "tab": "survey-results"})


@survey_page("GET", "HEAD", right=Right.ANALYSE, rehearsals=True)
def survey_figures(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Return only the figures; 304 while nothing has changed, which costs neither estimates nor a page."""
    asked = Asked.of(request, survey)
    etag = _etag(asked)
    response = get_conditional_response(request, etag=etag)
    if response is None:
        response = render(request, "results/_figures.html", _context(asked))
    response["ETag"] = etag
    return response


def _context(asked: Asked) -> dict[str, Any]:
    try:
        return _figures(asked)
    except OutdatedError:
        # A fold came in between; the next one is far away.
        return _figures(Asked.of(asked.request, asked.survey))


def _figures(asked: Asked) -> dict[str, Any]:
    results = results_of(
        asked.definition, asked.snapshot, wanted=asked.options.wanted, groups=group_names(asked.survey)
    )
    shown = [shown_question(question, asked.options, asked.survey.language) for question in results.questions]
    return asked.context | {
        "results": results,
        "shown": shown,
        "charts": [chart for question in shown for chart in question.charts],
        "notices": asked.context["notices"] + too_many_forged(asked.options, results.received),
    }


def _etag(asked: Asked) -> str:
    survey = asked.survey
    content = asked.definition.version if survey.is_draft else survey.content_hash
    parts = (survey.code, survey.state, content, asked.version, asked.options.query, str(get_language()))
    # Keyed: nobody is to make one for figures that they have not seen.
    return f'"{salted_hmac("surveys.results", "|".join(parts), algorithm="sha256").hexdigest()[:32]}"'
