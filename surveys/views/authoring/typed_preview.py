"""The respondents' page as it would be from what is typed in the editor at this moment; nothing of it is stored."""

from csp.constants import NONE, SELF
from csp.decorators import csp_replace, csp_update
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.clickjacking import xframe_options_sameorigin

from surveys.forms.authoring.editor import SurveyEditor
from surveys.forms.authoring.previewed import previewed
from surveys.views.access import instructor_page


# In a frame of the editor, and of no other site; scripts on it can neither ask nor send anything anywhere.
@csp_replace({"frame-ancestors": [SELF], "form-action": [NONE], "connect-src": [NONE]})
@csp_update({"require-trusted-types-for": ["'script'"], "trusted-types": [NONE]})
@xframe_options_sameorigin
@instructor_page("POST")
def survey_preview_typed(request: HttpRequest) -> HttpResponse:
    """Show what respondents would get, from the question on that is open, or say what is missing for it."""
    preview = previewed(SurveyEditor.posted(request.POST, None), untitled=_("Untitled survey"))
    if preview.definition is None:
        return render(request, "editor/preview_missing.html", {"missing": preview.missing})
    missing = "; ".join(preview.missing)
    context = {"definition": preview.definition, "preview": True, "start": preview.start, "missing": missing}
    with translation.override(preview.definition.language):
        return render(request, "editor/preview_typed.html", context)
