"""Moving a survey along: each a POST, what cannot be taken back after a page that says so."""

from collections.abc import Callable, Sequence
from functools import partial

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from surveys import selectors
from surveys.forms.lifecycle import ConfirmForm, ScheduleForm
from surveys.forms.problems import FieldProblem, blame, problems_of
from surveys.models import Right, State, Survey
from surveys.selectors.linting import findings_of
from surveys.services.archiving import archive_survey, unarchive_survey
from surveys.services.lifecycle import close_survey, open_survey, pause_survey
from surveys.services.next_version import begin_next_version
from surveys.services.scheduling import reschedule
from surveys.services.surveys import NotAllowedNow
from surveys.views.access import survey_page


@survey_page("GET", "HEAD", "POST", right=Right.EDIT)
def survey_open(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Open a draft, which freezes it, or resume a paused survey."""
    if request.method != "POST":
        return _open_page(request, survey)
    try:
        return moved(
            request,
            survey,
            partial(open_survey, shown=request.POST.get("shown", ""), typed=request.POST.get("code", "")),
            _("Open: answers are being accepted."),
        )
    except ValidationError as refused:
        return _open_page(request, survey, problems=refused.messages)


@survey_page("POST", right=Right.EDIT)
def survey_pause(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Accept no answers for a while."""
    return moved(request, survey, pause_survey, _("Paused: no answers are accepted until you resume."))


@survey_page("GET", "HEAD", "POST", right=Right.EDIT)
def survey_close(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Accept no more answers, for good."""
    if request.method == "POST":
        return moved(request, survey, close_survey, _("Closed: the results are final."))
    if survey.state not in {State.OPEN, State.PAUSED}:
        return not_now(request, survey, _("Only a survey that is open or paused can be closed."))
    return render(request, "instructor/close.html", {"survey": survey, "n": selectors.response_count(survey)})


@survey_page("POST", right=Right.EDIT)
def survey_archive(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Keep a survey out of the list, or put it back."""
    if request.POST.get("action") == "unarchive":
        return moved(request, survey, unarchive_survey, _("Back in the list."))
    return moved(request, survey, archive_survey, _("Archived: it is out of your list, and nothing else has changed."))


@survey_page("POST", right=Right.EDIT)
def survey_next_version(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Begin the next version of an opened survey, or go to the draft of it that has been begun."""
    try:
        draft = begin_next_version(survey=survey)
    except NotAllowedNow as refused:
        return not_now(request, survey, str(refused))
    if Right.EDIT not in selectors.rights_of(user=request.user, survey=draft):
        # Nor is its code told to somebody who was taken off it.
        messages.warning(request, _("Its next version has been begun, and you have no role in it: ask its owner."))
        return redirect("survey-detail", code=survey.code)
    told = {"edition": draft.edition, "code": survey.code}
    messages.success(
        request, _("Version %(edition)s, a draft. %(code)s stays as it is, with the answers it has.") % told
    )
    return redirect("survey-edit", code=draft.code)


@survey_page("GET", "HEAD", "POST", right=Right.EDIT)
def survey_schedule(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Change when an opened survey takes answers, and how many."""
    if survey.is_draft:
        messages.warning(request, _("The times of a draft are written in the editor."))
        return redirect("survey-edit", code=survey.code)
    form = ScheduleForm(request.POST if request.method == "POST" else None, survey=survey)
    if form.is_bound and form.is_valid():
        try:
            return moved(request, survey, partial(reschedule, **form.times()), _("The times are changed."))
        except ValidationError as refused:
            blame(form, refused)
    elif survey.state not in {State.OPEN, State.PAUSED}:
        return not_now(request, survey, _("This survey takes no more answers: its times are past."))
    problems = problems_of(form, first_field="closes_at")
    context = {"survey": survey, "form": form, "problems": problems, "n": selectors.response_count(survey)}
    return render(request, "instructor/schedule.html", context, status=422 if problems else 200)


def moved(request: HttpRequest, survey: Survey, service: Callable[..., object], done: str) -> HttpResponse:
    """Let a service move a survey, say what came of it, and go back to its page; lets ValidationError through."""
    try:
        service(survey=survey)
    except NotAllowedNow as refused:
        return not_now(request, survey, str(refused))
    except Survey.DoesNotExist:
        # Somebody has deleted it since this page looked for it.
        raise Http404 from None
    messages.success(request, done)
    return redirect("survey-detail", code=survey.code)


def not_now(request: HttpRequest, survey: Survey, why: str) -> HttpResponse:
    """Say why a survey cannot be moved now, on its page."""
    messages.warning(request, why)
    return redirect("survey-detail", code=survey.code)


def _open_page(request: HttpRequest, survey: Survey, problems: Sequence[str | FieldProblem] = ()) -> HttpResponse:
    if survey.state not in {State.DRAFT, State.PAUSED}:
        return not_now(request, survey, _("Only a draft, or a survey that is paused, can be opened."))
    definition = selectors.definition_of(survey)
    confirming = ConfirmForm(request.POST if problems else None, survey=survey)
    if asks := survey.is_draft and bool(definition.proving):
        problems = problems_of(confirming, first_field="code") or problems
    context = {
        "survey": survey,
        "definition": definition,
        "form": confirming if asks else None,
        "findings": findings_of(survey) if survey.is_draft else (),
        "over": survey.closes_at is not None and survey.closes_at <= timezone.now(),
        "problems": problems,
    }
    return render(request, "instructor/open.html", context, status=422 if problems else 200)
