"""New surveys from a template, a copy or an imported file, and a survey's document to download."""

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from surveys.common.forms import problems_of
from surveys.common.views import instructor_page, survey_page
from surveys.documents.forms import ImportForm, LanguageForm
from surveys.documents.services.creating import create_from, duplicate, read_import
from surveys.documents.services.parsing import DocumentRefused, refuse
from surveys.documents.services.reading import read_document
from surveys.documents.services.xlsform.rows import ImportReport
from surveys.documents.starters import CLASS_SIZE, STARTERS, start_from
from surveys.drafts.selectors import document_of, surveys_to_duplicate, write_document
from surveys.models import Right, Survey
from surveys.tokens.views import open_to_programs


@open_to_programs
@survey_page("GET", "HEAD", right=Right.SEE)
def survey_document(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Send everything the survey owner wrote; no answer is in it."""
    name = f'attachment; filename="survey-{survey.code}.json"'
    return HttpResponse(
        write_document(document_of(survey)), content_type="application/json", headers={"Content-Disposition": name}
    )


@survey_page("POST", right=Right.EDIT)
def survey_duplicate(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Create a draft that says the same; it belongs to the person who made it."""
    try:
        copy = duplicate(survey=survey, owner=cast("User", request.user))
    except DocumentRefused as refused:
        # It was written when other rules held.
        messages.error(request, _("This survey can’t be copied as it is. %(problems)s") % {"problems": refused})
        return redirect("survey-detail", code=survey.code)
    messages.success(request, _("Copy saved as a draft, with its own code."))
    return redirect("survey-edit", code=copy.code)


# Importing: what was sent is read and shown with all that it holds, and becomes a draft only then.


# A name that stays, wherever this file stands: pages that were shown before are signed with it.
SALT = "surveys.views.authoring.importing"
# With everything around it this stays below what a request may hold besides files.
_LONGEST_CARRIED = 200_000


@instructor_page("GET", "HEAD", "POST")
def survey_import(request: HttpRequest) -> HttpResponse:
    """Take a file or a text; show what it would create; create it once that has been seen."""
    if request.method != "POST":
        return _import_page(request, ImportForm())
    try:
        if "document" in request.POST:
            return _create(request)
        form = ImportForm(request.POST, request.FILES)
        if not form.is_valid():
            form.blame_size(int(request.META.get("CONTENT_LENGTH") or 0))
            return _import_page(request, form, problems=problems_of(form, first_field="file"), status=422)
        return _review(request, read_import(form.raw))
    except DocumentRefused as refused:
        # What was pasted stays, to be put right.
        form = ImportForm(initial={"text": request.POST.get("text", "")})
        return _import_page(request, form, refused=refused, status=422)


def _review(request: HttpRequest, imported: ImportReport) -> HttpResponse:
    # Nothing is stored before it has been seen: the page carries it, signed, so that it comes back as it was shown.
    carried = signing.dumps(imported.document, salt=SALT, compress=True)
    if len(carried) > _LONGEST_CARRIED:
        raise refuse(_("This survey’s texts are too long for a preview. Shorten them."))
    context = {"imported": imported, "definition": imported.content.definition, "carried": carried}
    return render(request, "documents/review.html", context)


def _create(request: HttpRequest) -> HttpResponse:
    try:
        data = signing.loads(request.POST["document"], salt=SALT)
    except signing.BadSignature:
        raise refuse(_("This preview is no longer valid. Import the survey again.")) from None
    survey = create_from(owner=cast("User", request.user), content=read_document(data))
    messages.success(request, _("Survey imported and saved as a draft."))
    return redirect("survey-edit", code=survey.code)


def _import_page(request: HttpRequest, form: ImportForm, status: int = 200, **context: Any) -> HttpResponse:
    return render(request, "documents/import.html", {"form": form, **context}, status=status)


# New surveys: from nothing, from a template, from a file, or from one that exists.


_BY_KEY = {starter.key: starter for starter in STARTERS}


@instructor_page("GET", "HEAD")
def survey_start(request: HttpRequest) -> HttpResponse:
    return _start_page(request, LanguageForm(initial={"language": get_language()}))


@instructor_page("POST")
def survey_start_from(request: HttpRequest, key: str) -> HttpResponse:
    """Create a draft from a starter, in the language chosen, and open it in the editor."""
    if (starter := _BY_KEY.get(key)) is None:
        raise Http404
    form = LanguageForm(request.POST)
    if not form.is_valid():
        return _start_page(request, form, status=422)
    user = cast("User", request.user)
    survey = start_from(starter, owner=user, language=form.cleaned_data["language"])
    messages.success(request, _("Your draft has been saved. Change anything that doesn’t suit your survey."))
    return redirect("survey-edit", code=survey.code)


def _start_page(request: HttpRequest, form: LanguageForm, status: int = 200) -> HttpResponse:
    context = {
        "form": form,
        "problems": problems_of(form, first_field="language"),
        "starters": STARTERS,
        "class_size": CLASS_SIZE,
        "surveys": surveys_to_duplicate(request.user),
    }
    return render(request, "documents/start.html", context, status=status)
