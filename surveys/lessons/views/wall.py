"""A lesson on the wall: the step that is shown, with the keys of every projector's page."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from surveys.charts.svg import chart_file
from surveys.common.content_policy import NO_MARKUP_FROM_TEXT, changes_policy
from surveys.common.forms import number_in
from surveys.common.qr import qr_drawing
from surveys.common.selectors import whole_language
from surveys.common.views import etag_of, render_what_changed
from surveys.drafts.services.surveys import NotAllowedNow
from surveys.learn.forms import LARGEST_SEED, TIMES, PageForm
from surveys.learn.page import LabPage
from surveys.lessons.charts import class_shown
from surveys.lessons.selectors import GivenLesson, LessonStep, lesson_of, seeds_of
from surveys.lessons.services import MOST_STEPS, show_step
from surveys.models import Survey
from surveys.presenting.views import PresentedSurvey, for_presenters, show_figures

_END = "end"


@changes_policy(NO_MARKUP_FROM_TEXT)
@for_presenters("GET", "HEAD", "POST")
def survey_lesson_present(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Show the step that the class is at; a POST leads to another one, which phones follow, or ends the lesson."""
    if request.method == "POST":
        return _moved(request, survey)
    lesson = lesson_of(survey)
    if lesson is None:
        messages.warning(request, _("This survey has no lesson yet. Add a step on its lesson page first."))
        return redirect("survey-detail", code=survey.code)
    step, host = lesson.step, request.get_host()
    context = {"survey": survey, "lesson": lesson, "step": step, "host": host}
    if step is None:
        link = request.build_absolute_uri(reverse("lesson", args=[survey.code]))
        return render(request, "lessons/joining.html", context | {"link": link, "drawing": qr_drawing(link)})
    if step.page:
        return _lab_page(request, survey, step, context)
    presented = PresentedSurvey.of(request, survey)
    shown = presented.context(of=step.question.number if step.question else 0)
    return render(request, "lessons/question.html", context | shown | {"etag": _etag(presented.etag, step)})


@for_presenters("GET", "HEAD")
def survey_lesson_live(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Return what changes while a step is shown: how many phones found something, or how many answered; else 304."""
    lesson = _lesson(survey)
    step = _step(request, lesson)
    if step.page:
        with _spoken(survey):
            seeds = seeds_of(lesson, step)
            etag, context = _etag(_drawn(seeds), step), {"found": len(seeds)}
            return render_what_changed(request, etag, "lessons/_found.html", lambda: context)
    presented, number = PresentedSurvey.of(request, survey), step.question.number if step.question else 0
    return render_what_changed(
        request,
        _etag(presented.etag, step),
        "lessons/_question.html",
        lambda: presented.context(of=number) | {"step": step},
    )


@for_presenters("GET", "HEAD")
def survey_lesson_picture(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Return what changes with the controls of a step's page, or what the class found."""
    lesson = _lesson(survey)
    step = _step(request, lesson)
    if step.page is None:
        raise Http404
    with _spoken(survey):
        return render(request, "learn/_shown.html", _shown(request, lesson, step, step.page))


def _lab_page(request: HttpRequest, survey: Survey, step: LessonStep, context: dict[str, Any]) -> HttpResponse:
    lesson, page = context["lesson"], step.page
    if page is None:
        raise Http404
    with _spoken(survey):
        context |= _shown(request, lesson, step, page)
        if "chart" in request.GET:
            return chart_file(page.slug, context["shown"].charts, request.GET["chart"])
        seeds = seeds_of(lesson, step)
        context |= {
            "frame": "lessons/wall.html",
            "next_seed": context["form"].values["seed"] % LARGEST_SEED + 1,
            "times": TIMES,
            "most": LARGEST_SEED,
            "projector": True,
            "found": len(seeds),
            "etag": _etag(_drawn(seeds), step),
        }
        return render(request, page.template, context)


def _shown(request: HttpRequest, lesson: GivenLesson, step: LessonStep, page: LabPage) -> dict[str, Any]:
    """Return what a page shows: of one draw, or, in the place of many, what the class found."""
    form = PageForm(page.controls, {**step.controls, **request.GET.dict()})
    values = form.values
    moved = any(values[name] != step.values[name] for name in page.controls)
    together = (
        class_shown(step, seeds_of(lesson, step), beside=moved) if values["times"] == TIMES and page.watched else None
    )
    if together is None:
        values |= {"times": 1}
    context = page.context(form, values)
    return context | {"shown": together or context["shown"]}


def _moved(request: HttpRequest, survey: Survey) -> HttpResponse:
    if "figures" in request.POST:
        return show_figures(request, survey)
    at = request.POST.get("at", "")
    try:
        if at == _END:
            show_step(survey=survey, at=None)
            return redirect("survey-detail", code=survey.code)
        number = number_in(at, most=MOST_STEPS)
        show_step(survey=survey, at=-1 if number is None else number)
    except NotAllowedNow as refused:
        # Somebody has changed the lesson meanwhile.
        messages.warning(request, str(refused))
    return redirect("survey-lesson-present", code=survey.code)


def _lesson(survey: Survey) -> GivenLesson:
    lesson = lesson_of(survey)
    if lesson is None:
        raise Http404
    return lesson


def _step(request: HttpRequest, lesson: GivenLesson) -> LessonStep:
    """Return the step that a page of the wall asks about, which may be another one than is shown by now."""
    number = request.GET.get("step", "")
    for step in lesson.steps:
        if str(step.number) == number:
            return step
    raise Http404


def _spoken(survey: Survey) -> translation.override:
    """Speak as the class reads; the lab has no language that only respondents are spoken to in."""
    return translation.override(whole_language(survey.language))


def _drawn(seeds: list[int]) -> str:
    return ",".join(map(str, seeds))


def _etag(seen: str, step: LessonStep) -> str:
    return etag_of("surveys.lessons", step.number, seen, translation.get_language())
