"""What every tab of the results shares: who may see it, what it is drawn from, its navigation and its charts."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Concatenate, ParamSpec

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from surveys import selectors
from surveys.charts import Chart
from surveys.charts.drawing import to_svg
from surveys.forms.results.options import ResultsOptions, parse_options
from surveys.models import Right, State, Survey
from surveys.models.definition import Definition
from surveys.selectors.responses import Standing, standing_of
from surveys.selectors.results.snapshot import NotKeptError, OutdatedError, Snapshot, in_figures, snapshot_of
from surveys.services import folding
from surveys.views.access import survey_page

P = ParamSpec("P")

# Names of addresses, in the order of the navigation.
TABS = (
    ("survey-results", _("Overview")),
    ("survey-results-groups", _("Compare groups")),
    ("survey-results-relate", _("Relate two questions")),
    ("survey-results-regression", _("Regression")),
    ("survey-results-bayes", _("Bayes and tests")),
    ("survey-results-plan", _("Plan next time")),
    ("survey-results-methods", _("Methods")),
)


@dataclass(frozen=True)
class Asked:
    """What a tab is asked for: the survey, its responses at this moment, and the options of the query string."""

    request: HttpRequest
    survey: Survey
    definition: Definition
    standing: Standing
    options: ResultsOptions

    @classmethod
    def of(cls, request: HttpRequest, survey: Survey) -> "Asked":
        """Fold what is due, so that figures are as new as they may be, and read what is asked for."""
        standing = standing_of(survey)
        if folding.fold_on_the_way(survey, standing):
            standing = standing_of(survey)
        return cls(request, survey, selectors.definition_of(survey), standing, parse_options(request.GET))

    @cached_property
    def snapshot(self) -> Snapshot:
        """The responses to draw figures from; read only where there is something to draw."""
        return snapshot_of(self.survey, self.definition)

    @property
    def version(self) -> str:
        """What changes whenever the page may; known without reading a single report."""
        return f"{in_figures(self.survey, self.standing)}.{self.standing.received}"

    @property
    def context(self) -> dict[str, Any]:
        """What the templates of all tabs show."""
        return {
            "survey": self.survey,
            "definition": self.definition,
            "snapshot": self.snapshot,
            "options": self.options,
            "notices": list(self.options.notices),
            "tabs": TABS,
            "live": self.survey.state in {State.OPEN, State.PAUSED},
        }


_Build = Callable[Concatenate[Asked, P], dict[str, Any]]


def results_tab(template: str) -> Callable[[_Build[P]], Callable[..., HttpResponseBase]]:
    """Make a page of a function that returns its context; called only where there are enough responses.

    Charts in the context's "charts" can be downloaded: `?chart=NAME` beside the page's own query.
    """

    def decorate(build: _Build[P]) -> Callable[..., HttpResponseBase]:
        def page(request: HttpRequest, survey: Survey, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            asked = Asked.of(request, survey)
            if not asked.snapshot.enough:
                return render(request, "results/too_few.html", asked.context | {"tab": _tab(request)})
            try:
                built = build(asked, *args, **kwargs)
            except OutdatedError:
                # A fold came in between; the next one is far away.
                asked = Asked.of(request, survey)
                built = build(asked, *args, **kwargs)
            except NotKeptError:
                return render(request, "results/not_kept.html", asked.context | {"tab": _tab(request)})
            if "chart" in request.GET:
                return chart_file(survey, built.get("charts", ()), request.GET["chart"])
            context = asked.context | {"tab": _tab(request)}
            return render(
                request, template, context | built | {"notices": context["notices"] + built.get("notices", [])}
            )

        return survey_page("GET", "HEAD", right=Right.ANALYSE, rehearsals=True)(page)

    return decorate


def chart_file(survey: Survey, charts: Iterable[Chart], name: str) -> HttpResponse:
    """Return one of these charts as a file of its own."""
    for chart in charts:
        if chart.name == name:
            response = HttpResponse(to_svg(chart), content_type="image/svg+xml; charset=utf-8")
            # A file goes where no banner says that nobody real is in it.
            simulated = "rehearsal-" if survey.is_rehearsal else ""
            response["Content-Disposition"] = f'attachment; filename="{simulated}{survey.code}-{name}.svg"'
            return response
    raise Http404


def _tab(request: HttpRequest) -> str:
    return request.resolver_match.url_name if request.resolver_match and request.resolver_match.url_name else ""
