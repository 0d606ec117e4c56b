"""Putting a lesson together: a ready one with one press, or page by page."""

from collections.abc import Callable
from functools import partial

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from surveys.common.forms import FieldProblem, blame, number_in, problems_of
from surveys.common.selectors import definition_of
from surveys.common.views import survey_page
from surveys.drafts.services.surveys import NotAllowedNow
from surveys.lessons import services
from surveys.lessons.forms import NewStepForm, StepForm
from surveys.lessons.ready import READY
from surveys.lessons.selectors import GivenLesson, lesson_of
from surveys.models import LessonFinding, Right, Survey

_MOVES = {"up": -1, "down": 1}


@survey_page("GET", "HEAD", "POST", right=Right.EDIT)
def survey_lesson(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Show the steps with what changes them; each button is a POST of its own."""
    if request.method != "POST":
        return _page(request, survey)
    action = request.POST.get("action", "")
    try:
        if action == "add":
            return _add(request, survey)
        if action == "set":
            return _set(request, survey)
        if (change := _change(request, survey, action)) is None:
            return HttpResponseBadRequest(
                _("This action isn’t available. Go back and reload the page."), content_type="text/plain"
            )
        change()
    except NotAllowedNow as refused:
        messages.warning(request, str(refused))
    except ValidationError as refused:
        return _page(request, survey, problems=[FieldProblem("", message) for message in refused.messages])
    return redirect("survey-lesson", code=survey.code)


def _change(request: HttpRequest, survey: Survey, action: str) -> Callable[[], None] | None:
    number = _number(request)
    if action == "ready":
        return partial(services.take_ready, survey=survey, name=request.POST.get("name", ""))
    if action in _MOVES:
        return partial(services.move_step, survey=survey, number=number, by=_MOVES[action])
    if action == "remove":
        return partial(services.remove_step, survey=survey, number=number)
    if action == "forget":
        return partial(services.forget_findings, survey=survey)
    return None


def _add(request: HttpRequest, survey: Survey) -> HttpResponse:
    form = NewStepForm(definition_of(survey), request.POST.dict())
    if form.is_valid():
        minutes = form.cleaned_data["minutes"]
        try:
            if form.page:
                services.add_page(survey=survey, slug=form.page, minutes=minutes)
            else:
                services.add_question(survey=survey, number=form.question, minutes=minutes)
        except ValidationError as refused:
            blame(form, refused)
        else:
            return redirect("survey-lesson", code=survey.code)
    return _page(request, survey, new=form, problems=problems_of(form, first_field="what"))


def _set(request: HttpRequest, survey: Survey) -> HttpResponse:
    lesson, number = lesson_of(survey), _number(request)
    steps = lesson.steps if lesson else ()
    form = StepForm(steps[services.place_of(steps, number)], request.POST.dict())
    if form.is_valid():
        services.set_step(survey=survey, number=number, minutes=form.cleaned_data["minutes"], controls=form.chosen())
        return redirect("survey-lesson", code=survey.code)
    asked: list[forms.BaseForm] = [form, *([form.controls] if form.controls else [])]
    problems = [problem for one in asked for problem in problems_of(one, first_field="minutes")]
    return _page(request, survey, changed=(number, form), problems=problems)


def _number(request: HttpRequest) -> int:
    return number_in(request.POST.get("step", ""), most=services.MOST_STEPS) or 0


def _page(
    request: HttpRequest,
    survey: Survey,
    *,
    new: NewStepForm | None = None,
    changed: tuple[int, StepForm] | None = None,
    problems: list[FieldProblem] | None = None,
) -> HttpResponse:
    lesson = lesson_of(survey)
    context = {
        "survey": survey,
        "lesson": lesson,
        "entries": _entries(lesson, changed),
        "ready": READY.values(),
        "new": new or NewStepForm(definition_of(survey)),
        "found": LessonFinding.objects.filter(lesson_id=survey.pk).count(),
        "problems": problems,
    }
    return render(request, "lessons/lesson.html", context, status=422 if problems else 200)


def _entries(lesson: GivenLesson | None, changed: tuple[int, StepForm] | None) -> list[tuple[object, StepForm]]:
    """Return each step with the form that changes it; one that was refused as it was sent."""
    number, form = changed or (0, None)
    steps = lesson.steps if lesson else ()
    return [(step, form if form and step.number == number else StepForm(step)) for step in steps]
