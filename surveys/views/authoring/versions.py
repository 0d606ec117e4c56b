"""The saved versions of a draft: what changed with each, what each was, and the way back to it."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from surveys.forms.authoring.differences import differences, questions_in
from surveys.models import Right, SavedVersion, Survey
from surveys.selectors.documents import document_of
from surveys.services.documents import DocumentRefused
from surveys.services.restoring import restore_version
from surveys.services.saved_versions import KEPT
from surveys.services.surveys import NotAllowedNow, SavedMeanwhile
from surveys.views.access import survey_page

# Each is compared with the one before it, question by question.
_A_PAGE = 20


@survey_page("GET", "HEAD", right=Right.EDIT)
def survey_versions(request: HttpRequest, survey: Survey) -> HttpResponse:
    """List the saved versions, newest first, with what changed in each."""
    page = Paginator(survey.saved_versions.select_related("saved_by"), _A_PAGE).get_page(request.GET.get("page"))
    versions = list(page)
    last = versions[-1].number if versions else 0
    before = [*versions[1:], survey.saved_versions.filter(number__lt=last).first()]
    entries = [
        (version, differences(earlier.document, version.document) if earlier else None)
        for version, earlier in zip(versions, before, strict=True)
    ]
    context = {"survey": survey, "page": page, "entries": entries, "kept": KEPT}
    return render(request, "editor/versions.html", context)


@survey_page("GET", "HEAD", right=Right.EDIT)
def survey_version(request: HttpRequest, survey: Survey, number: int) -> HttpResponse:
    """Show one saved version, and how the survey of today differs from it."""
    version = _version(survey, number)
    context = {
        "survey": survey,
        "version": version,
        "questions": questions_in(version.document),
        "differences": differences(version.document, document_of(survey)),
    }
    return render(request, "editor/version.html", context)


@survey_page("POST", right=Right.EDIT)
def survey_restore(request: HttpRequest, survey: Survey, number: int) -> HttpResponse:
    """Save an earlier version once more, unless somebody has saved since the page was shown."""
    version = _version(survey, number)
    typed = request.POST.get("revision", "")
    revision = int(typed) if typed.isascii() and typed.isdecimal() and len(typed) < 10 else -1
    try:
        restore_version(survey=survey, version=version, revision=revision, by=cast("User", request.user))
    except SavedMeanwhile:
        words = _("The draft has been saved since this page was shown. Look at the differences again, then restore.")
        messages.error(request, words)
    except NotAllowedNow as refused:
        messages.error(request, str(refused))
    except (DocumentRefused, ValidationError) as refused:
        words = _("This draft cannot be restored any more: %(why)s")
        why = refused.messages if isinstance(refused, ValidationError) else map(str, refused.problems)
        messages.error(request, words % {"why": " ".join(why)})
    else:
        messages.success(request, _("Draft %(number)s is restored.") % {"number": number})
        return redirect("survey-detail", code=survey.code)
    return redirect("survey-version", code=survey.code, number=number)


def _version(survey: Survey, number: int) -> SavedVersion:
    try:
        return survey.saved_versions.select_related("saved_by").get(number=number)
    except (SavedVersion.DoesNotExist, OverflowError):
        raise Http404 from None
