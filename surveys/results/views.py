"""What every tab of the results shares: who may see it, what it is drawn from, its navigation and its charts."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Concatenate, ParamSpec

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext

from surveys.charts import Chart, IntervalChart
from surveys.charts.svg import to_svg
from surveys.common.selectors import definition_of
from surveys.common.views import etag_of, render_what_changed, survey_page
from surveys.common.words import design_words, epsilon_words
from surveys.models import Right, Survey
from surveys.models.asked_question import AskedQuestion, Item
from surveys.models.definition import Definition
from surveys.models.lists import pairs_of
from surveys.numbers.words import level_words, percent
from surveys.responses.selectors.snapshot import (
    NotKeptError,
    NotToldError,
    OutdatedError,
    Snapshot,
    responses_in_figures,
    snapshot_of,
)
from surveys.responses.selectors.tally import ResponseTotals, may_be_looked_at_again, standing_of
from surveys.responses.services import folding
from surveys.responses.told import told_together
from surveys.results.charts.means import mean_charts
from surveys.results.charts.overview import overview_charts
from surveys.results.charts.shares import shares_chart
from surveys.results.figures.arms import arm_sizes
from surveys.results.figures.intervals import method_label
from surveys.results.figures.items import ItemResult
from surveys.results.figures.overview import QuestionResult, group_names, results_of
from surveys.results.forms import ResultsOptions, parse_options, too_many_forged
from surveys.results.lists.figures import difference_of_lists
from surveys.results.words.arms import arm_sizes_words
from surveys.results.words.finding import Headline, finding_of, method_of
from surveys.results.words.forged import forged_words
from surveys.results.words.means import bounds_words
from surveys.results.words.methods import coverage_words, method_words, simultaneous_words
from surveys.results.words.shares import answered_words

P = ParamSpec("P")

# The navigation: the name of each tab's address, and what it is called; urls.py has them in their order.
TABS: list[tuple[str, Promise]] = []
# Tabs with several entries: the names and labels of the entries by the name of the tab's address, which is the first's.
ENTRIES: dict[str, list[tuple[str, Promise]]] = {}
# Which surveys have a tab, by the name of its address; those without a condition every survey has.
CONDITIONS: dict[str, Callable[["TabRequest"], bool]] = {}


# What is shown in the place of a page that cannot be computed.
_INSTEAD: dict[type[Exception], str] = {
    NotToldError: "results/too_few.html",
    NotKeptError: "results/not_kept.html",
}


@dataclass(frozen=True)
class TabRequest:
    """What a tab is asked for: the survey, its responses at this moment, and the options of the query string."""

    request: HttpRequest
    survey: Survey
    stored: Definition
    standing: ResponseTotals
    options: ResultsOptions

    @classmethod
    def of(cls, request: HttpRequest, survey: Survey) -> "TabRequest":
        """Fold what is due, so that figures are as new as they may be, and read what is asked for."""
        standing = standing_of(survey)
        if folding.fold_on_the_way(survey, standing):
            standing = standing_of(survey)
        return cls(request, survey, definition_of(survey), standing, parse_options(request.GET))

    @cached_property
    def _told(self) -> tuple[Definition, Snapshot]:
        return told_together(self.stored, snapshot_of(self.survey, self.stored))

    @property
    def definition(self) -> Definition:
        """What was asked; of what is not protected, answers that would single people out are one."""
        return self._told[0] if self.stored.figures_wait else self.stored

    @property
    def snapshot(self) -> Snapshot:
        """The responses to draw figures from; read only where there is something to draw."""
        return self._told[1]

    @property
    def items(self) -> tuple[Item, ...]:
        """The items whose answers are told, to choose from."""
        return tuple(item for item in self.definition.items if self.snapshot.tells(item.number))

    @property
    def items_with_shares(self) -> tuple[Item, ...]:
        """Those of them whose answers have shares: of a number whose reports stand for values only the mean is told."""
        return tuple(item for item in self.items if not item.grid)

    @property
    def version(self) -> str:
        """What changes whenever the page may; known without reading a single report."""
        received = self.standing.received
        return f"{responses_in_figures(self.survey, self.standing)}.{received}.{self.one_look:d}"

    @property
    def one_look(self) -> bool:
        """Whether intervals are to be called those of one look among many."""
        return may_be_looked_at_again(self.survey, self.standing.received) and not self.survey.is_rehearsal

    @property
    def may_close(self) -> bool:
        """Whether whoever asks may close the survey now, so that all of its answers count."""
        rights: frozenset[Right] = getattr(self.request, "rights", frozenset())
        return Right.EDIT in rights and self.survey.may_collect_more and not self.survey.is_rehearsal

    def tabs(self) -> list[tuple[str, Promise]]:
        """Return the tabs that this survey has."""
        return [(name, label) for name, label in TABS if name not in CONDITIONS or CONDITIONS[name](self)]

    @property
    def context(self) -> dict[str, Any]:
        """What the templates of all tabs show."""
        return {
            "survey": self.survey,
            "definition": self.definition,
            "snapshot": self.snapshot,
            "options": self.options,
            "notices": list(self.options.notices),
            "tabs": self.tabs,  # called by the template of whole pages alone
            "may_close": self.may_close,
            "answer_link": self.request.build_absolute_uri(reverse("answer", args=[self.survey.code])),
            "live": self.survey.may_collect_more,
            "one_look": self.one_look,
            "not_yet": self.snapshot.waits,
        }


def tab_context(request: HttpRequest) -> dict[str, Any]:
    """Return which page this is, the tab that it stands under, and the entries of that."""
    name = request.resolver_match.url_name if request.resolver_match else None
    under = next((tab for tab, entries in ENTRIES.items() if name in dict(entries)), name)
    return {"tab": name or "", "under": under or "", "entries": ENTRIES.get(under or "", [])}


_Build = Callable[Concatenate[TabRequest, P], dict[str, Any]]


def results_tab(
    template: str, *, of_shares: bool = False, of_items: bool = False
) -> Callable[[_Build[P]], Callable[..., HttpResponseBase]]:
    """Make a page of a function that returns its context; called only where there are enough responses.

    Of what a tab `of_shares` says there has to be a question whose answers have shares, and for one `of_items` one of
    which anything is told.
    Charts in the context's "charts" can be downloaded: `?chart=NAME` beside the page's own query.
    """

    def decorate(build: _Build[P]) -> Callable[..., HttpResponseBase]:
        def page(request: HttpRequest, survey: Survey, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            asked = TabRequest.of(request, survey)
            if not asked.snapshot.enough:
                return render(request, "results/too_few.html", asked.context | tab_context(request))
            if (of_items or of_shares) and not asked.items:
                return render(request, "results/nothing_told.html", asked.context | tab_context(request))
            if of_shares and not asked.items_with_shares:
                return render(request, "results/no_shares.html", asked.context | tab_context(request))
            try:
                built = build(asked, *args, **kwargs)
            except OutdatedError:
                # A fold came in between; the next one is far away.
                asked = TabRequest.of(request, survey)
                built = build(asked, *args, **kwargs)
            except tuple(_INSTEAD) as why:
                instead = asked.context | tab_context(request) | {"empty": True, "not_yet": True}
                return render(request, _INSTEAD[type(why)], instead)
            if "chart" in request.GET:
                return chart_file(_source(survey), built.get("charts", ()), request.GET["chart"])
            context = asked.context | tab_context(request)
            return render(
                request, template, context | built | {"notices": context["notices"] + built.get("notices", [])}
            )

        return survey_page("GET", "HEAD", right=Right.ANALYSE, rehearsals=True)(page)

    return decorate


def chart_file(source: str, charts: Iterable[Chart], name: str) -> HttpResponse:
    """Return one of these charts as a file of its own, named after what it is of."""
    for chart in charts:
        if chart.name == name:
            response = HttpResponse(to_svg(chart), content_type="image/svg+xml; charset=utf-8")
            response["Content-Disposition"] = f'attachment; filename="{source}-{name}.svg"'
            return response
    raise Http404


def _source(survey: Survey) -> str:
    """Name a survey in its files, which go where no banner says that nobody real is in it."""
    return f"{'rehearsal-' if survey.is_rehearsal else ''}{survey.code}"


# One question as pages show it: its charts and what is said below them.


@dataclass(frozen=True, slots=True)
class ShownQuestion:
    """A question's results as charts and sentences; none where too few answered it."""

    result: QuestionResult
    finding: Headline | None = None
    charts: tuple[Chart, ...] = ()
    raw: str = ""  # the reports, where they are not called as the answers
    forged: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def shown_question(result: QuestionResult, options: ResultsOptions, language: str) -> ShownQuestion:
    """Return what is shown of a question."""
    if not result.enough:
        return ShownQuestion(result)
    level = options.confidence_level
    shares = shares_chart(result, level=level, language=language)
    means = [chart for item in result.items for chart in mean_charts(item, level=level)]
    # What the headline is about comes first, then the distribution, then what else is said of it.
    charts = [*means[:1], *([shares] if shares else []), *means[1:]]
    note = f"{answered_words(result)} · {design_words(result.question.design.name)} · {epsilon_words(result.question)}"
    finding = finding_of(result, level)
    # As a file it stands alone: with the question, the finding, and how that was found.
    charts[0] = replace(
        charts[0],
        asked=result.question.text,
        title=finding.alone or finding.title,
        # What is a symbol and its number stays on one line.
        note=f"{note} · {method_label(method_of(result))}, {level_words(level)}".replace(
            "ε = ", "ε\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}"
        ),
    )
    return ShownQuestion(
        result,
        finding,
        tuple(charts),
        _raw(result.first),
        tuple(forged_words(result)),
        tuple(_notes(result, options)),
    )


def _raw(item: ItemResult) -> str:
    if item.reports_are_answers or item.item.grid:
        return ""
    return gettext("With chance added, %(observed)s of the reports say “%(report)s”.") % {
        "observed": percent(item.options[1].observed),
        "report": item.options[1].report,
    }


def _notes(result: QuestionResult, options: ResultsOptions) -> list[str]:
    first = result.first
    notes = method_words(first, options.wanted)
    shares = 1 if first.item.grid else first.item.design.k
    together = len(result.items) * (shares if shares > 2 else 1)
    notes.append(simultaneous_words(together, options.wanted))
    if not first.oddities:
        notes.append(coverage_words(first.item, first.n, first.method, options.wanted.each(together)))
    if first.too_few_say:
        notes.append(gettext("About so few people say anything here that nothing is told of them alone."))
    if first.scale and not first.oddities:
        notes.append(gettext("The mean takes the points as numbers the same distance apart."))
    if first.bands and not first.oddities:
        notes.append(bounds_words(first.bands))
    if first.bands and first.bands.below and first.bands.simultaneous:
        notes.append(gettext("Those of the shares below the limits hold all at once among themselves."))
    if not first.item.protects:
        notes.append(
            gettext(
                "Answers that too few people share, in a group or beside other unprotected answers, are told together."
            )
        )
    if (first.options[0].standard_error is None) if first.options else first.n == 1:
        notes.append(gettext("A single answer has no standard error."))
    return [note for note in notes if note]


# Results: a page, and the part of it that changes while answers come in.


@survey_page("GET", "HEAD", right=Right.ANALYSE, rehearsals=True)
def survey_results(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Show the results with the options asked for, or one of their charts as a file."""
    asked = TabRequest.of(request, survey)
    context, etag = _context(asked), _etag(asked)
    if "chart" in request.GET:
        return chart_file(_source(survey), context["charts"], request.GET["chart"])
    return render(request, "results/overview.html", context | tab_context(request) | {"etag": etag})


@survey_page("GET", "HEAD", right=Right.ANALYSE, rehearsals=True)
def survey_figures(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Return only the figures; 304 while nothing has changed, which costs neither estimates nor a page."""
    asked = TabRequest.of(request, survey)
    return render_what_changed(request, _etag(asked), "results/_figures.html", lambda: _context(asked))


def _context(asked: TabRequest) -> dict[str, Any]:
    try:
        return _figures(asked)
    except OutdatedError:
        # A fold came in between; the next one is far away.
        return _figures(TabRequest.of(asked.request, asked.survey))


def _figures(asked: TabRequest) -> dict[str, Any]:
    results = results_of(
        asked.definition, asked.snapshot, wanted=asked.options.wanted, groups=group_names(asked.survey)
    )
    shown = [shown_question(question, asked.options, asked.survey.language) for question in results.questions]
    overview = _overview(asked, results.questions) if len(results.questions) > 1 else []
    sizes = arm_sizes(asked.definition, asked.snapshot)
    return asked.context | {
        "results": results,
        "shown": shown,
        "charts": [*overview, *(chart for question in shown for chart in question.charts)],
        "overview": overview,
        "arm_sizes": arm_sizes_words(sizes) if sizes else "",
        "notices": asked.context["notices"] + too_many_forged(asked.options, results.received),
    }


def _overview(asked: TabRequest, questions: Sequence[QuestionResult]) -> list[IntervalChart]:
    """Return a row a question, or a pair of lists, each leading to the question's own page."""
    halves = {number for pair in pairs_of(asked.stored) for number in (pair.control.number, pair.treatment.number)}
    whole = [result for result in questions if result.question.number not in halves]
    links = [(_named(result.question, asked.definition), _page_of(result.question, asked)) for result in whole]
    lists = [
        (difference_of_lists(pair, asked.stored, asked.snapshot), _page_of(pair.treatment, asked))
        for pair in pairs_of(asked.stored)
    ]
    survey, wanted = asked.survey, asked.options.wanted
    return overview_charts(whole, links, lists, asked=survey.title, wanted=wanted, language=survey.language)


def _page_of(question: AskedQuestion, asked: TabRequest) -> str:
    """Return the address where a question is told in full."""
    return f"{reverse('survey-results-question', args=[asked.survey.code, question.number])}?{asked.options.query}"


def _named(question: AskedQuestion, definition: Definition) -> str:
    """Return a question's text, with its arms where not all are asked it: two may have one text."""
    arms = definition.arm_names(question)
    return f"{question.text} ({arms})" if arms else question.text


def _etag(asked: TabRequest) -> str:
    survey = asked.survey
    content = asked.stored.version if survey.is_draft else survey.content_hash
    parts = (survey.code, survey.state, content, asked.version, asked.options.query, get_language())
    return etag_of("surveys.results", *parts)
