"""Results: a page, and the part of it that changes while answers come in."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response
from django.utils.crypto import salted_hmac
from django.utils.translation import get_language

from surveys import selectors
from surveys.charts import TICKS, IntervalRow, interval_row
from surveys.forms.results import ResultsOptions, parse_options
from surveys.models import State, Survey
from surveys.models.definition import Definition
from surveys.selectors.mean_results import MeanResult
from surveys.selectors.results import ItemResult, OptionResult, group_names, results_of
from surveys.views.access import survey_page


@dataclass(frozen=True, slots=True)
class ItemChart:
    """One item's rows: each answer with its geometry, and that of the mean where a number was asked."""

    item: ItemResult
    rows: tuple[tuple[OptionResult, IntervalRow], ...]
    mean_row: IntervalRow | None


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
    results = results_of(
        definition,
        tally,
        method=options.method,
        confidence_level=options.confidence_level,
        groups=group_names(survey),
    )
    return {
        "survey": survey,
        "options": options,
        "results": results,
        "charts": [(question, [_chart(item) for item in question.items]) for question in results.questions],
        "ticks": TICKS,
        "live": survey.state in {State.OPEN, State.PAUSED},
    }


def _chart(item: ItemResult) -> ItemChart:
    rows = tuple(
        (option, interval_row(low=option.low, high=option.high, point=option.estimate, raw=option.observed))
        for option in item.shown
    )
    return ItemChart(item, rows, _mean_row(item.mean) if item.mean else None)


def _mean_row(mean: MeanResult) -> IntervalRow:
    return interval_row(
        low=mean.share(mean.low),
        high=mean.share(mean.high),
        point=mean.share(mean.estimate),
        raw=mean.share(mean.observed),
    )


def _etag(survey: Survey, definition: Definition, options: ResultsOptions) -> str:
    version = selectors.tally_of(survey, items=len(definition.items)).version
    content = definition.version if survey.is_draft else survey.content_hash
    parts = (survey.code, survey.state, content, version, options.method, options.level, str(get_language()))
    # Keyed: the version counts responses of all surveys, and nobody is to find it by trying.
    return f'"{salted_hmac("surveys.results", "|".join(parts), algorithm="sha256").hexdigest()[:32]}"'
