"""The tabs of the results: who may see them, what stands in their place, and the navigation."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from django import template
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext, ngettext

from surveys.charts.svg import chart_file
from surveys.common.views import SurveyRequest, etag_of, render_what_changed, survey_page
from surveys.common.words import plural_forms
from surveys.models import Right, Survey
from surveys.results.kept import Part
from surveys.results.pages import OVERVIEW, QUESTION, TABS, Needs, Tab
from surveys.results.report import Refusal, RefusedError, Report

register = template.Library()


@survey_page("GET", "HEAD", right=Right.ANALYSE, rehearsals=True)
def survey_tab(request: HttpRequest, survey: Survey, /, *, tab: str, **arguments: int) -> HttpResponse:
    """Show the page of a tab, or one of its charts as a file."""
    shown = next(each for each in [*TABS, QUESTION] if each.name == tab)
    report = Report(survey, query=request.GET)

    def build() -> dict[str, Any]:
        _require(report, shown.needs)
        return _context(request, *report.read(lambda now: shown.build(now, **arguments)), tab=shown)

    try:
        return _shown(request, report, shown.template, build, **arguments)
    except RefusedError as refused:
        context = context_of(request, report) | {"tab": shown, "refusal": refused.refusal}
        return _page(request, report, "results/refused.html", lambda: context, **arguments)


def _require(report: Report, needs: Needs) -> None:
    if report.refusal:
        raise RefusedError(report.refusal)
    if needs != Needs.RESPONSES and not report.items:
        raise RefusedError(Refusal.NOTHING_SHOWN)
    if needs == Needs.SHARES and not report.items_with_shares:
        raise RefusedError(Refusal.NO_SHARES)


def context_of(request: HttpRequest, report: Report) -> dict[str, Any]:
    """Return what the templates of all tabs show."""
    survey, rights = report.survey, cast("SurveyRequest", request).rights
    return {
        "report": report,
        "survey": survey,
        "definition": report.definition,
        "snapshot": report.snapshot,
        "options": report.options,
        "notices": list(report.options.notices),
        # Whether the visitor may close the survey now, so that all of its answers count.
        "may_close": Right.EDIT in rights and survey.may_collect_more and not survey.is_rehearsal,
        "answer_link": _answer_link(request, survey),
        "live": survey.may_collect_more,
        "one_look": report.one_look,
        "counted_until": report.counted_until,
        "not_yet": report.snapshot.withheld,
    }


def _context(request: HttpRequest, report: Report, built: dict[str, Any], *, tab: Tab) -> dict[str, Any]:
    """Return what a tab's template is given: what all show, and what its page has built."""
    context = context_of(request, report)
    return context | built | {"tab": tab, "notices": context["notices"] + built.get("notices", [])}


def _answer_link(request: HttpRequest, survey: Survey) -> str:
    return request.build_absolute_uri(reverse("answer", args=[survey.code]))


def source_of(survey: Survey) -> str:
    """Name a survey in its files, which go where no banner says that nobody real is in it."""
    return f"{'rehearsal-' if survey.is_rehearsal else ''}{survey.code}"


def _shown(
    request: HttpRequest, report: Report, template: str, build: Callable[[], dict[str, Any]], **arguments: int
) -> HttpResponse:
    """Return a page, or one of its charts as a file."""
    if "chart" in request.GET:
        return chart_file(source_of(report.survey), build().get("charts", ()), request.GET["chart"])
    return _page(request, report, template, build, **arguments)


def _page(
    request: HttpRequest, report: Report, template: str, build: Callable[[], dict[str, Any]], **arguments: int
) -> HttpResponse:
    # Groups are named on pages, and never in figures that may change while somebody looks.
    groups = sorted(report.group_names.items())
    part = Part(_key(request, report, template, request.get_full_path(), groups), build)
    return render(request, template, {"survey": report.survey, "part": part} | arguments)


def _key(request: HttpRequest, report: Report, *shown: object) -> str:
    """Return the key under which a part is kept: all that the part depends on is in it."""
    rights = sorted(right.name for right in cast("SurveyRequest", request).rights)
    seen = (*report.depends_on, rights, _answer_link(request, report.survey), get_language(), *shown)
    # Written as Python writes it no text of a survey, and nothing asked for, can pass for the end of its part.
    return etag_of("surveys.results", repr(seen))


# The overview: a page, and the part of it that changes while answers come in.


@survey_page("GET", "HEAD", right=Right.ANALYSE, rehearsals=True)
def survey_results(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Show the results with the options asked for, or one of their charts as a file."""
    report = Report(survey, query=request.GET)
    return _shown(request, report, "results/overview.html", lambda: _overview(request, report))


@survey_page("GET", "HEAD", right=Right.ANALYSE, rehearsals=True)
def survey_figures(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Return only the figures; 304 while nothing has changed, which costs neither estimates nor a page."""
    report = Report(survey, query=request.GET)
    etag = _figures_etag(report)
    return render_what_changed(request, etag, "results/_figures.html", lambda: _overview(request, report))


def _overview(request: HttpRequest, report: Report) -> dict[str, Any]:
    report, built = report.read(OVERVIEW.build)
    shown = {"refusal": report.refusal, "etag": _figures_etag(report)}
    return _context(request, report, built, tab=OVERVIEW) | shown


def _figures_etag(report: Report) -> str:
    """Return the tag that browsers are given: nothing is in it that they are not shown."""
    survey = report.survey
    content = report.stored.version if survey.is_draft else survey.content_hash
    shown = (*report.counted, report.counted_until, report.options.query)
    return etag_of("surveys.results", survey.code, survey.state, content, *shown, get_language())


@dataclass(frozen=True)
class Navigation:
    """The tabs of a survey, and where in them a page stands."""

    tab: str  # the name of the page's address
    under: str  # of the tab that it belongs to
    label: Promise | str  # of that tab
    tabs: list[Tab]
    entries: list[tuple[str, Promise | str]]


@register.simple_tag(takes_context=True)
def navigation(context: template.Context) -> Navigation:
    """Return the navigation of a page of results."""
    name, report = context["tab"].name, context["report"]
    under = next((tab.under for tab in [*TABS, QUESTION] if tab.name == name), "") or name
    offered = [tab for tab in TABS if tab.offered(report)]
    entries = [(tab.name, tab.entry or tab.label) for tab in offered if under in {tab.name, tab.under}]
    tabs = [tab for tab in offered if not tab.under]
    label = next(tab.label for tab in TABS if tab.name == under)
    return Navigation(name, under, label, tabs, entries if len(entries) > 1 else [])


# What the script of the overview says.


@register.simple_tag
def results_words() -> dict[str, str | dict[str, str]]:
    """Return the texts of results.js."""
    return {
        "answers": plural_forms(
            lambda count: ngettext("%(count)s person answered", "%(count)s people answered", count)
        ),
        "old": gettext("The server isn’t responding, so the figures may be out of date."),
    }
