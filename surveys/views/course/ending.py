"""What cannot be taken back at all: sealing, purging, deleting. Each wants the join code typed."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from surveys.forms.lifecycle import ConfirmForm, SealForm
from surveys.forms.problems import problems_of
from surveys.models import Right, State, Survey
from surveys.selectors.losses import losses_of
from surveys.services.archiving import delete_draft
from surveys.services.purging import purge_survey
from surveys.services.sealing import seal_survey
from surveys.services.surveys import NotAllowedNow
from surveys.views.access import survey_page
from surveys.views.course.lifecycle import not_now


@survey_page("GET", "HEAD", "POST", right=Right.EDIT)
def survey_seal(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Keep only the sums of a closed survey."""
    if request.method != "POST" and survey.state != State.CLOSED:
        return not_now(request, survey, _("Only a closed survey can be sealed."))
    done = _("Sealed: only sums are left.")
    return _ended(request, survey, seal_survey, page="instructor/seal.html", done=done, asking=SealForm)


@survey_page("GET", "HEAD", "POST", right=Right.OWN)
def survey_purge(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Destroy the reports of a closed or sealed survey, down to the last count."""
    if request.method != "POST" and survey.state not in {State.CLOSED, State.SEALED}:
        return not_now(request, survey, _("Only a survey that is closed or sealed can be purged."))
    done = _("Purged: the reports are destroyed.")
    return _ended(request, survey, purge_survey, page="instructor/purge.html", done=done)


@survey_page("GET", "HEAD", "POST", right=Right.OWN)
def survey_delete(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Delete a draft, about which nobody has been asked anything."""
    if request.method != "POST" and not survey.is_draft:
        return not_now(request, survey, _("Only a draft can be deleted: what was asked stays on record."))
    done = _("“%(title)s” is deleted.") % {"title": survey.title}
    return _ended(request, survey, delete_draft, page="instructor/delete.html", done=done)


def _ended(
    request: HttpRequest,
    survey: Survey,
    service: Callable[..., object],
    *,
    page: str,
    done: str,
    asking: type[ConfirmForm] = ConfirmForm,
) -> HttpResponse:
    """Do it once its join code is typed; before that say what it means, with this survey's numbers.

    As long as the database's files do not follow, the survey's page says so, and nothing is said to be done.
    """
    form = asking(request.POST if request.method == "POST" else None, survey=survey)
    if not (form.is_bound and form.is_valid()):
        context: dict[str, Any] = {
            "survey": survey,
            "form": form,
            "losses": losses_of(survey),
            "problems": problems_of(form, first_field="code"),
        }
        return render(request, page, context, status=422 if form.is_bound else 200)
    try:
        service(survey=survey, **form.options)
    except NotAllowedNow as refused:
        return not_now(request, survey, str(refused))
    except Survey.DoesNotExist:
        raise Http404 from None
    if not survey.erasures.exists():
        messages.success(request, done)
    return redirect("survey-list") if service is delete_draft else redirect("survey-detail", code=survey.code)
