"""Importing: what was sent is read and shown with all that it holds, and becomes a draft only then."""

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from surveys.forms.authoring.importing import ImportForm
from surveys.forms.problems import problems_of
from surveys.services.documents import DocumentRefused, Imported, create_from, read_document, read_import
from surveys.services.documents.problems import refuse
from surveys.views.access import instructor_page

SALT = "surveys.views.authoring.importing"
# With everything around it this stays below what a request may hold besides files.
_LONGEST_CARRIED = 200_000


@instructor_page("GET", "HEAD", "POST")
def survey_import(request: HttpRequest) -> HttpResponse:
    """Take a file or a text; show what it would create; create it once that has been seen."""
    if request.method != "POST":
        return _page(request, ImportForm())
    try:
        if "document" in request.POST:
            return _create(request)
        form = ImportForm(request.POST, request.FILES)
        if not form.is_valid():
            form.blame_size(int(request.META.get("CONTENT_LENGTH") or 0))
            return _page(request, form, problems=problems_of(form, first_field="file"), status=422)
        return _review(request, read_import(form.raw))
    except DocumentRefused as refused:
        # What was pasted stays, to be put right.
        form = ImportForm(initial={"text": request.POST.get("text", "")})
        return _page(request, form, refused=refused, status=422)


def _review(request: HttpRequest, imported: Imported) -> HttpResponse:
    # Nothing is stored before it has been seen: the page carries it, signed, so that it comes back as it was shown.
    carried = signing.dumps(imported.document, salt=SALT, compress=True)
    if len(carried) > _LONGEST_CARRIED:
        raise refuse(_("This survey’s texts are too long to be shown before it is created: shorten them."))
    context = {"imported": imported, "definition": imported.content.definition, "carried": carried}
    return render(request, "documents/review.html", context)


def _create(request: HttpRequest) -> HttpResponse:
    try:
        data = signing.loads(request.POST["document"], salt=SALT)
    except signing.BadSignature:
        raise refuse(_("What was shown here can no longer be used. Choose the file again.")) from None
    survey = create_from(owner=cast("User", request.user), content=read_document(data))
    messages.success(request, _("Imported. Your draft is saved."))
    return redirect("survey-edit", code=survey.code)


def _page(request: HttpRequest, form: ImportForm, status: int = 200, **context: Any) -> HttpResponse:
    return render(request, "documents/import.html", {"form": form, **context}, status=status)
