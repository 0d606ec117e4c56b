"""Results: a page, and the part of it that changes while answers come in."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response
from django.utils.crypto import salted_hmac

from surveys import selectors
from surveys.charts import TICKS, interval_row
from surveys.forms.results import ResultsOptions, parse_options
from surveys.models import State, Survey
from surveys.models.definition import Definition
from surveys.selectors.results import ItemResult, results_of
from surveys.views.access import survey_page


@survey_page("GET", "HEAD")
def survey_results(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Show the results with the method and level asked for."""
    definition, options = selectors.definition_of(survey), parse_options(request.GET)
    context = _context(survey, definition, options) | {"etag": _etag(survey, definition, options)}
    return render(request, "instructor/results.html", context)


@survey_page("GET", "HEAD")
def survey_figures(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Return only the figures; 304 while nothing has changed, which costs neither estimates nor a page."""
    definition, options = selectors.definition_of(survey), parse_options(request.GET)
    etag = _etag(survey, definition, options)
    response = get_conditional_response(request, etag=etag)
    if response is None:
        response = render(request, "instructor/_figures.html", _context(survey, definition, options))
    response["ETag"] = etag
    return response


def _context(survey: Survey, definition: Definition, options: ResultsOptions) -> dict[str, object]:
    tally = selectors.tally_of(survey, items=len(definition.items))
    results = results_of(definition, tally, method=options.method, confidence_level=options.confidence_level)
    return {
        "survey": survey,
        "options": options,
        "results": results,
        "charts": [(result, _rows(result)) for result in results.items],
        "ticks": TICKS,
        "live": survey.state in {State.OPEN, State.PAUSED},
    }


def _rows(result: ItemResult) -> list[tuple[object, object]]:
    return [
        (option, interval_row(low=option.low, high=option.high, point=option.estimate, raw=option.observed))
        for option in result.shown
    ]


def _etag(survey: Survey, definition: Definition, options: ResultsOptions) -> str:
    version = selectors.tally_of(survey, items=len(definition.items)).version
    content = definition.version if survey.is_draft else survey.content_hash
    parts = (survey.code, survey.state, content, version, options.method, options.level)
    # Keyed: the version counts responses of all surveys, and nobody is to find it by trying.
    return f'"{salted_hmac("surveys.results", "|".join(parts), algorithm="sha256").hexdigest()[:32]}"'
