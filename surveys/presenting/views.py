"""Presenting a survey to a class: join, wait, and see how the estimate comes out of the reports."""

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.translation import get_language
from django.views.decorators.http import require_http_methods

from surveys.common.content_policy import NO_MARKUP_FROM_TEXT, changes_policy
from surveys.common.qr import qr_drawing
from surveys.common.selectors import definition_of
from surveys.common.totals import ResponseTotals, all_in_figures, standing_of
from surveys.common.views import SurveyRequest, etag_of, refuse_role, render_what_changed, survey_page
from surveys.course.services import record_exact_figures
from surveys.models import ExactFigures, Right, Survey
from surveys.presenting.charts import slides_of
from surveys.presenting.selectors import AnswerCount, Reveal, answer_count, reveals_of
from surveys.results.report import Report
from surveys.sharing.views import answer_link

# People who edit show how to join and counts; people who analyse also show results.
_PRESENT = frozenset({Right.EDIT, Right.ANALYSE})
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_View = Callable[[HttpRequest, Survey], HttpResponse]


@dataclass(frozen=True)
class PresentedSurvey:
    """What is shown of a survey at one moment, to this visitor."""

    survey: Survey
    standing: ResponseTotals
    report: Report | None  # what the estimates come from, for those who may read them
    shows: bool  # whether this visitor may let phones show the result
    link: str
    host: str

    @classmethod
    def of(cls, request: HttpRequest, survey: Survey) -> "PresentedSurvey":
        """Read what there is now."""
        shows, link, host = _rights(request) >= _PRESENT, answer_link(request, survey), request.get_host()
        if Right.ANALYSE not in _rights(request):
            return cls(survey, standing_of(survey), None, shows, link, host)
        report = Report(survey, query=request.GET)
        return cls(survey, report.standing, report, shows, link, host)

    @property
    def arrived(self) -> AnswerCount:
        """How many answered, in batches."""
        return answer_count(self.survey, self.standing)

    @property
    def etag(self) -> str:
        """What changes whenever the page does, and so in batches only: no single answer changes it."""
        figures = self.report.n if self.report else 0
        survey = self.survey
        shown = (self.arrived, figures, self.one_look, self.counted_until, survey.exact_figures)
        return etag_of("surveys.presenting", survey.code, survey.state, survey.content_hash, *shown, get_language())

    @property
    def one_look(self) -> bool:
        """Whether intervals are shown that are of one look among many."""
        return self.report is not None and self.report.one_look

    @property
    def _has_figures(self) -> bool:
        return self.report is not None and self.report.read(lambda now: now.snapshot.enough)[1]

    @property
    def counted_until(self) -> dt.datetime | None:
        """Up to when answers are counted, where housekeeping stands still."""
        return self.report.counted_until if self.report else None

    def context(self, *, of: int | None = None, counting: bool = False) -> dict[str, Any]:
        """Return what the templates show, of all questions or of one; the class reads it in the survey's language.

        While people are `counting` answers, figures that the page has are not read anew.
        """
        definition = definition_of(self.survey)
        recorded = self.survey.exact_figures == ExactFigures.SHOWN
        later = counting and recorded and self._has_figures
        reveals = self.report.read(lambda now: _reveals(now, of, recorded))[1] if self.report and not later else ()
        with translation.override(self.survey.language):
            slides = slides_of(reveals)
        shown = recorded or not any(reveal.result.enough for reveal in reveals)
        return {
            "survey": self.survey,
            "arrived": self.arrived,
            "analyses": self.report is not None,
            "shows": self.shows,
            "slides": slides if shown else (),
            "unshown": "" if shown else slides[0].name,
            "later": later,
            "questions": len(definition.questions),
            "over": all_in_figures(self.survey),
            "live": self.survey.may_collect_more,
            "one_look": self.one_look,
            "counted_until": self.counted_until,
            "definition": definition,
            "link": self.link,
            "drawing": qr_drawing(self.link),
            "host": self.host,
        }


def _reveals(report: Report, of: int | None, recorded: bool) -> list[Reveal]:
    """Return the ways of all questions; of figures that may not be shown yet, up to the first: there are some."""
    reveals = []
    for reveal in reveals_of(report, of):
        reveals.append(reveal)
        if not recorded and reveal.result.enough:
            break
    return reveals


def for_presenters(*methods: str) -> Callable[[_View], Callable[..., HttpResponseBase]]:
    """Hand the view the survey if its visitor has one of the rights to present; that comes before the method."""

    def decorate(view: _View) -> Callable[..., HttpResponseBase]:
        checked = require_http_methods(methods)(view)

        @survey_page(*_METHODS, right=Right.SEE)
        @wraps(view)
        def page(request: HttpRequest, survey: Survey) -> HttpResponse:
            return checked(request, survey) if _rights(request) & _PRESENT else refuse_role(request, survey, *_PRESENT)

        return page

    return decorate


def show_figures(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Record that the class is shown exact figures, and go back to the page, which now has them."""
    if Right.ANALYSE not in _rights(request):
        return refuse_role(request, survey, Right.ANALYSE)
    record_exact_figures(survey=survey)
    return redirect(request.path)


@changes_policy(NO_MARKUP_FROM_TEXT)
@for_presenters("GET", "HEAD", "POST")
def survey_present(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Show the whole presentation; without scripts, all its states below each other. A POST shows the figures."""
    if request.method == "POST":
        return show_figures(request, survey)
    presented = PresentedSurvey.of(request, survey)
    return render(request, "presenting/present.html", presented.context() | {"etag": presented.etag})


@for_presenters("GET", "HEAD")
def survey_present_live(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Return only what changes while answers come in: the count, in batches; 304 where it has not.

    The steps, whose figures take many times as long, are in it where the page asks for them.
    """
    presented, counting = PresentedSurvey.of(request, survey), "figures" not in request.GET
    return render_what_changed(
        request, presented.etag, "presenting/_live.html", lambda: presented.context(counting=counting)
    )


def _rights(request: HttpRequest) -> frozenset[Right]:
    return cast("SurveyRequest", request).rights
