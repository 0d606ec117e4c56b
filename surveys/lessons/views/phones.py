"""A lesson on phones: the step that the wall shows, for everybody with the survey's code. Nobody is known here.

These pages stand outside of the survey's own addresses: what a browser remembers of its answer is not sent to them.
"""

import secrets
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.safestring import SafeString

from surveys.answering.views.doors import Door, nowhere, respondent_page
from surveys.common.selectors import whole_language
from surveys.common.views import etag_of, render_what_changed
from surveys.learn.budget import within_budget
from surveys.learn.forms import LARGEST_SEED, PageForm
from surveys.learn.page import LabPage
from surveys.lessons.forms import FindingForm
from surveys.lessons.selectors import GivenLesson, LessonStep, lesson_of
from surveys.lessons.services import keep_finding


@respondent_page("lesson", "GET", "HEAD")
@within_budget
def lesson(request: HttpRequest, door: Door) -> HttpResponse:
    """Show what the wall shows: a page of the lab to try with a draw of one's own, or the way to the survey."""
    given = lesson_of(door.survey, door.definition)
    if given is None:
        return nowhere(request, door, "lesson")
    context: dict[str, Any] = {
        "definition": door.definition,
        "lesson": given,
        "step": given.step,
        "given": given.stored.at is not None,
        "etag": _etag(given, door),
        "address": reverse("lesson", args=[door.survey.code]),
        "door": door.front.address(),
        "collecting": not door.survey.why_not_collecting(timezone.now()),
    }
    if given.step and given.step.page:
        context |= _drawn(request, door, given, given.step, given.step.page)
    return render(request, "lessons/phone.html", context)


@respondent_page("lesson-now", "GET", "HEAD")
def lesson_now(request: HttpRequest, door: Door) -> HttpResponse:
    """Say that something else is shown by now; 304 where it is not."""
    given = lesson_of(door.survey, door.definition)
    if given is None:
        return nowhere(request, door, "lesson")
    context = {"definition": door.definition, "address": reverse("lesson", args=[door.survey.code])}
    return render_what_changed(request, _etag(given, door), "lessons/_now.html", lambda: context)


@respondent_page("lesson-picture", "GET", "HEAD")
@within_budget
def lesson_picture(request: HttpRequest, door: Door) -> HttpResponse:
    """Return what changes with the controls of the page that is shown, alone."""
    given = lesson_of(door.survey, door.definition)
    if given is None or given.step is None or given.step.page is None:
        return nowhere(request, door, "lesson")
    with translation.override(whole_language(door.definition.language)):
        form = PageForm(given.step.page.controls, {**given.step.controls, **request.GET.dict()})
        # Without the request no files are offered.
        html = render_to_string("learn/_shown.html", given.step.page.context(form, {**form.values, "times": 1}))
    return HttpResponse(html, status=200 if form.is_valid() else 400)


@respondent_page("lesson-find", "POST")
def lesson_find(request: HttpRequest, door: Door) -> HttpResponse:
    """Keep a phone's draw for the wall: its seed and nothing else. What the step does not take is not kept.

    The address names the step (`?step=`), so that what comes late is not taken for a draw of the next one.
    """
    given, form = lesson_of(door.survey, door.definition), FindingForm(request.POST)
    if given is None:
        return nowhere(request, door, "lesson")
    address, step = reverse("lesson", args=[door.survey.code]), given.step
    asked = step is not None and step.takes_findings and request.GET.get("step") == str(step.number)
    if step is not None and asked and form.is_valid():
        seed = form.cleaned_data["seed"]
        kept = keep_finding(lesson=given.stored, step=step.number, seed=seed)
        address = f"{address}?seed={seed}" if kept else f"{address}?seed={seed}&full=1"
    # Reloaded, it sends nothing again.
    return HttpResponseRedirect(address, status=303)


def _drawn(request: HttpRequest, door: Door, given: GivenLesson, step: LessonStep, page: LabPage) -> dict[str, Any]:
    """Return a page of the lab with a draw of this phone's own, and whether that can be shown on the wall."""
    asked = {"seed": str(secrets.randbelow(LARGEST_SEED) + 1), **step.controls, **request.GET.dict(), "times": "1"}
    spoken = whole_language(door.definition.language)
    with translation.override(spoken):
        form = PageForm(page.controls, asked)
        values = form.values
        html: SafeString = render_to_string(
            page.template,
            page.context(form, values)
            | {
                "frame": "lessons/_page.html",
                "address": reverse("lesson", args=[door.survey.code]),
                "picture": reverse("lesson-picture", args=[door.survey.code]),
            },
        )
    seed = values["seed"]
    return {
        "spoken": spoken,
        "page": page,
        "html": html,
        "seed": seed,
        "errors": form.errors,
        # The wall computes with what the step begins with, so only that is worth a dot.
        "same": all(values[name] == step.values[name] for name in page.controls),
        "sent": step.takes_findings and given.stored.findings.filter(step=step.number, seed=seed).exists(),
        "full": "full" in request.GET,
    }


def _etag(given: GivenLesson, door: Door) -> str:
    """Return what changes whenever phones have something else to show."""
    survey, step = door.survey, given.stored.steps[given.at - 1] if given.step else None
    # A page of the lab is the same whatever becomes of the survey, and its draw is to stay.
    state = "" if step and "page" in step else survey.state
    return etag_of("surveys.lessons.phones", survey.code, state, given.stored.at, step)
