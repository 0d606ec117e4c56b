"""Pages of surveys: the list, a survey's own page, and the pages that move a survey on its course."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.common.forms import FieldProblem, blame, problems_of
from surveys.common.selectors import definition_of, rights_of
from surveys.common.totals import response_count
from surveys.common.views import SurveyRequest, instructor_page, survey_page, surveys_chosen
from surveys.course.forms import CodeConfirmForm, PurgeDayForm, ScheduleForm, SealForm
from surveys.course.selectors import actions_of, course_of, listing_of, losses_of, roles_in
from surveys.course.services import (
    UNTOUCHED_FOR,
    archive_survey,
    begin_next_version,
    close_survey,
    delete_draft,
    delete_drafts,
    hide_result,
    open_survey,
    pause_survey,
    promise_purge,
    purge_survey,
    reschedule,
    seal_survey,
    show_result,
    unarchive_survey,
)
from surveys.course.words import crowd_of, handouts_of, links_of, next_step, places_of
from surveys.drafts.selectors import editions_of, next_draft
from surveys.drafts.services.copies import discard_of
from surveys.drafts.services.surveys import NotAllowedNow
from surveys.linting.selectors import findings_of, sensitive_unprotected
from surveys.models import Right, State, Survey
from surveys.models.housekeeping import leaves_a_log
from surveys.releases.selectors.doors import index_key, published_releases

# Fewer than so many are found by looking.
_SEARCHED_FROM = 8
_LONGEST_SEARCH = 100
# People who only edit see no results, nor let a phone show them; people who only read them change nothing for others.
_EDIT_AND_ANALYSE = frozenset({Right.EDIT, Right.ANALYSE})


@instructor_page("GET", "HEAD")
def survey_list(request: HttpRequest) -> HttpResponse:
    """Show the surveys that somebody owns or works on, newest first, or those in the archive."""
    # People who come back here have left all rehearsals.
    discard_of(user=cast("User", request.user))
    archived = "archived" in request.GET
    words = request.GET.get("q", "")[:_LONGEST_SEARCH]
    listing = listing_of(
        user=request.user,
        now=timezone.now(),
        archived=archived,
        words=words,
        page=request.GET.get("page", "1"),
    )
    entries = [(entry, next_step(entry.course, entry.rights, later=entry.later)) for entry in listing.entries]
    in_all = listing.archived if archived else listing.current
    context = {
        "entries": entries,
        "listing": listing,
        "archived": archived,
        "words": words,
        "searched": words or in_all >= _SEARCHED_FROM,
        "in_all": in_all,
        "deletable": any(entry.deletable for entry in listing.entries),
        "untouched_days": UNTOUCHED_FOR.days,
    }
    return render(request, "course/list.html", context)


@instructor_page("GET", "HEAD", "POST")
def drafts_delete(request: HttpRequest) -> HttpResponse:
    """Name the drafts that were selected in the list, then delete all of them or none."""
    sent = request.POST if request.method == "POST" else request.GET
    codes = dict.fromkeys(code.upper() for code in sent.getlist("draft"))
    drafts = [survey for survey in surveys_chosen(request, codes, right=Right.OWN) if survey.is_draft]
    again = _("Nothing was deleted. Select the drafts again.")
    if not drafts or len(drafts) < len(codes):
        messages.warning(request, again)
        return redirect("survey-list")
    if request.method != "POST":
        return render(request, "course/delete_drafts.html", {"drafts": drafts})
    try:
        delete_drafts(surveys=drafts)
    except NotAllowedNow as refused:
        messages.warning(request, str(refused))
    except Survey.DoesNotExist:
        messages.warning(request, again)
    else:
        words = ngettext("%(number)s draft has been deleted.", "%(number)s drafts have been deleted.", len(drafts))
        messages.success(request, words % {"number": len(drafts)})
    return redirect("survey-list")


# A survey's own page: where it stands, what comes next, and everything there is to it.


@survey_page("GET", "HEAD", right=Right.SEE)
def survey_detail(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Show where a survey stands and what comes next."""
    rights = cast("SurveyRequest", request).rights
    # People who come back here have left the rehearsal.
    discard_of(user=cast("User", request.user), survey=survey)
    now = timezone.now()
    course = course_of(survey, now=now)
    editions = editions_of(survey, user=request.user)
    later = editions[-1] if editions and editions[-1].edition > survey.edition else None
    step = next_step(course, rights, later=later)
    releases_key = index_key(survey) if published_releases(survey).exists() else ""
    context = {
        "survey": survey,
        "definition": definition_of(survey),
        "findings": findings_of(survey) if survey.is_draft else (),
        "course": course,
        "crowd": crowd_of(course),
        "n": course.received,
        "host": request.get_host(),
        "link": request.build_absolute_uri(reverse("answer", args=[survey.code])),
        "step": step,
        "links": links_of(course, rights, offered=step.names, groups=survey.groups.exists()),
        "places": places_of(course, rights, offered=step.names, releases_key=releases_key),
        "handouts": handouts_of(course, rights, offered=step.names),
        "may": {right.value: right in rights for right in Right},
        "my_roles": roles_in(survey, user=request.user),
        "can": {action.name.lower() for action in actions_of(survey, rights)},
        "later": later,
        "editions": editions if len(editions) > 1 else [],
        "next_draft": next_draft(survey),
    }
    return render(request, "course/detail.html", context)


# Moving a survey along: each a POST, what cannot be taken back after a page that says so.


@survey_page("GET", "HEAD", "POST", right=Right.EDIT)
def survey_open(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Open a draft, which freezes it, or resume a paused survey."""
    if request.method != "POST":
        return _open_page(request, survey)
    try:
        return move_survey(
            request,
            survey,
            partial(open_survey, shown=request.POST.get("shown", ""), typed=request.POST.get("code", "")),
            _("The survey is open and can accept answers."),
        )
    except ValidationError as refused:
        return _open_page(request, survey, problems=refused.messages)


@survey_page("POST", right=Right.EDIT)
def survey_pause(request: HttpRequest, survey: Survey) -> HttpResponse:
    return move_survey(request, survey, pause_survey, _("Survey paused. No answers are accepted until you resume it."))


@survey_page("GET", "HEAD", "POST", right=Right.EDIT)
def survey_close(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Accept no more answers; this can't be undone."""
    if request.method == "POST":
        readable = Right.ANALYSE in cast("SurveyRequest", request).rights
        page = "survey-results" if readable and response_count(survey) >= survey.minimum_n else "survey-detail"
        return move_survey(request, survey, close_survey, _("Survey closed. The results are final."), page)
    if not survey.may_collect_more:
        return refuse_move(request, survey, _("Only an open or paused survey can be closed."))
    return render(request, "course/close.html", {"survey": survey, "n": response_count(survey)})


@survey_page("POST", right=_EDIT_AND_ANALYSE)
def survey_result_show(request: HttpRequest, survey: Survey) -> HttpResponse:
    return move_survey(request, survey, show_result, _("Respondents can now open the result from their receipts."))


@survey_page("POST", right=_EDIT_AND_ANALYSE)
def survey_result_hide(request: HttpRequest, survey: Survey) -> HttpResponse:
    return move_survey(request, survey, hide_result, _("The result is no longer shown to respondents."))


@survey_page("POST", right=Right.EDIT)
def survey_archive(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Keep a survey out of the list, or put it back."""
    if request.POST.get("action") == "unarchive":
        return move_survey(request, survey, unarchive_survey, _("Survey restored to the list."))
    return move_survey(
        request, survey, archive_survey, _("Survey archived and hidden from everyone’s list. Nothing else has changed.")
    )


@survey_page("POST", right=Right.EDIT)
def survey_next_version(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Begin the next version of an opened survey, or go to the draft of it that has been begun."""
    try:
        draft = begin_next_version(survey=survey)
    except NotAllowedNow as refused:
        return refuse_move(request, survey, str(refused))
    if Right.EDIT not in rights_of(user=request.user, survey=draft):
        # Nor is its code shown to people who were removed from it.
        messages.warning(
            request, _("The next version already exists, but you have no role in it. Ask the survey owner for one.")
        )
        return redirect("survey-detail", code=survey.code)
    names = {"edition": draft.edition, "code": survey.code}
    messages.success(
        request,
        _("Version %(edition)s has been created as a draft. Survey %(code)s keeps its answers unchanged.") % names,
    )
    return redirect("survey-edit", code=draft.code)


@survey_page("GET", "HEAD", "POST", right=Right.EDIT)
def survey_schedule(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Change when an opened survey takes answers, and how many."""
    if survey.is_draft:
        messages.warning(request, _("Set the times of a draft in the editor."))
        return redirect("survey-edit", code=survey.code)
    form = ScheduleForm(request.POST if request.method == "POST" else None, survey=survey)
    if form.is_bound and form.is_valid():
        try:
            return move_survey(request, survey, partial(reschedule, **form.times()), _("Times saved."))
        except ValidationError as refused:
            blame(form, refused)
    elif not survey.may_collect_more:
        return refuse_move(request, survey, _("This survey no longer accepts answers, so its times can’t be changed."))
    problems = problems_of(form, first_field="closes_at")
    context = {"survey": survey, "form": form, "problems": problems, "n": response_count(survey)}
    return render(request, "course/schedule.html", context, status=422 if problems else 200)


def move_survey(
    request: HttpRequest, survey: Survey, service: Callable[..., object], done: str, page: str = "survey-detail"
) -> HttpResponse:
    """Let a service move a survey, say what came of it, and go on to a page of it; lets ValidationError through."""
    try:
        service(survey=survey)
    except NotAllowedNow as refused:
        return refuse_move(request, survey, str(refused))
    except Survey.DoesNotExist:
        # Somebody has deleted it since this page looked for it.
        raise Http404 from None
    messages.success(request, done)
    return redirect(page, code=survey.code)


def refuse_move(request: HttpRequest, survey: Survey, why: str) -> HttpResponse:
    """Say why a survey cannot be moved now, on its page."""
    messages.warning(request, why)
    return redirect("survey-detail", code=survey.code)


def _open_page(request: HttpRequest, survey: Survey, problems: Sequence[str | FieldProblem] = ()) -> HttpResponse:
    if survey.state not in {State.DRAFT, State.PAUSED}:
        return refuse_move(request, survey, _("Only a draft or a paused survey can be opened."))
    definition = definition_of(survey)
    confirming = CodeConfirmForm(request.POST if problems else None, survey=survey)
    sensitive = sensitive_unprotected(definition) if survey.is_draft else ()
    if asks := survey.is_draft and bool(definition.proving or sensitive):
        problems = problems_of(confirming, first_field="code") or problems
    context = {
        "survey": survey,
        "definition": definition,
        "form": confirming if asks else None,
        "sensitive": sensitive,
        "findings": findings_of(survey) if survey.is_draft else (),
        "over": survey.closes_at is not None and survey.closes_at <= timezone.now(),
        "problems": problems,
    }
    return render(request, "course/open.html", context, status=422 if problems else 200)


# What cannot be taken back at all: sealing, purging, deleting. Each wants the join code typed.


@survey_page("GET", "HEAD", "POST", right=Right.EDIT)
def survey_seal(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Keep only the sums of a closed survey."""
    if request.method != "POST" and survey.state != State.CLOSED:
        return refuse_move(request, survey, _("Only a closed survey can be sealed."))
    done = _("Survey sealed. Only counts remain.")
    return _ended(request, survey, seal_survey, page="course/seal.html", done=done, asking=SealForm)


@survey_page("GET", "HEAD", "POST", right=Right.OWN)
def survey_purge(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Destroy the reports of a closed or sealed survey, down to the last count."""
    if request.method != "POST" and survey.state not in {State.CLOSED, State.SEALED}:
        return refuse_move(request, survey, _("Only a closed or sealed survey can be purged."))
    done = _("Survey purged. The reports have been destroyed.")
    if leaves_a_log():
        done = _(
            "The reports have been purged from the tables. The database’s write-ahead log keeps them until "
            "it is overwritten."
        )
    return _ended(request, survey, purge_survey, page="course/purge.html", done=done)


@survey_page("GET", "HEAD", "POST", right=Right.OWN)
def survey_purge_day(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Set the day on which the reports of an opened survey are destroyed, or an earlier one."""
    if request.method != "POST" and (survey.is_draft or survey.state == State.PURGED):
        return refuse_move(
            request,
            survey,
            _("The day for destroying answers can be set here only after the survey opens and before it is purged."),
        )
    done = _("The day for destroying answers has been set.")
    return _ended(request, survey, promise_purge, page="course/purge_day.html", done=done, asking=PurgeDayForm)


@survey_page("GET", "HEAD", "POST", right=Right.OWN)
def survey_delete(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Delete a draft, about which nobody has been asked anything."""
    if request.method != "POST" and not survey.is_draft:
        return refuse_move(
            request, survey, _("Only drafts can be deleted. Once a survey has opened, its questions stay on record.")
        )
    done = _("“%(title)s” has been deleted.") % {"title": survey.title}
    return _ended(request, survey, delete_draft, page="course/delete.html", done=done)


def _ended(
    request: HttpRequest,
    survey: Survey,
    service: Callable[..., object],
    *,
    page: str,
    done: str,
    asking: type[CodeConfirmForm] = CodeConfirmForm,
) -> HttpResponse:
    """Do it once its join code is typed; before that say what it means, with this survey's numbers.

    As long as the database's files do not follow, the survey's page says so, and nothing is said to be done.
    """
    form = asking(request.POST if request.method == "POST" else None, survey=survey)
    if not (form.is_bound and form.is_valid()):
        return _confirming(request, survey, form, page)
    try:
        service(survey=survey, **form.options)
    except ValidationError as refused:
        blame(form, refused)
        return _confirming(request, survey, form, page)
    except NotAllowedNow as refused:
        return refuse_move(request, survey, str(refused))
    except Survey.DoesNotExist:
        raise Http404 from None
    if not survey.erasures.exists():
        messages.success(request, done)
    return redirect("survey-list") if service is delete_draft else redirect("survey-detail", code=survey.code)


def _confirming(request: HttpRequest, survey: Survey, form: CodeConfirmForm, page: str) -> HttpResponse:
    context: dict[str, Any] = {
        "survey": survey,
        "form": form,
        "losses": losses_of(survey),
        "problems": problems_of(form, first_field="code"),
    }
    return render(request, page, context, status=422 if form.is_bound else 200)
