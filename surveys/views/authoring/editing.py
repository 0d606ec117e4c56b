"""The editor of a survey: every button shows the page anew with all that was typed; only saving stores."""

import re
from typing import cast

from csp.constants import SELF
from csp.decorators import csp_update
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from surveys.forms.authoring.conflict import Conflict, conflict_of
from surveys.forms.authoring.editor import SurveyEditor
from surveys.models import Right, Survey
from surveys.services.surveys import NotAllowedNow, SavedMeanwhile, create_once, save_draft
from surveys.views.access import instructor_page, survey_page

# The preview beside the questions is a page of ours in a frame.
_frames_our_own = csp_update({"frame-src": [SELF]})
_OVER = re.compile(r"over-(\d{1,9})")


@_frames_our_own
@instructor_page("GET", "HEAD", "POST")
def survey_new(request: HttpRequest) -> HttpResponse:
    """Write a new survey."""
    return _edit(request, None)


@_frames_our_own
@survey_page("GET", "HEAD", "POST", right=Right.EDIT)
def survey_edit(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Edit a draft; an opened survey is frozen."""
    if request.method != "POST" and not survey.is_draft:
        messages.warning(request, _("This survey has been opened: its design is frozen."))
        return redirect("survey-detail", code=survey.code)
    return _edit(request, survey)


def _edit(request: HttpRequest, survey: Survey | None) -> HttpResponse:
    if request.method != "POST":
        editor = SurveyEditor.stored(survey)
        editor.unfold()
        return _page(request, editor, survey)
    action = request.POST.get("action", "save")
    if action == "theirs" and survey is not None:
        return redirect("survey-edit", code=survey.code)
    editor = SurveyEditor.posted(request.POST, survey)
    if editor.damage:
        editor.survey.is_valid()
        return _page(request, editor, survey, status=400)
    over = _OVER.fullmatch(action)
    if over:
        editor.revision = int(over[1])
    if over or action in {"save", "copy"}:
        return _save(request, editor, survey, as_new=survey is None or action == "copy")
    editor.act(action)
    editor.forgive()
    return _page(request, editor, survey)


def _save(request: HttpRequest, editor: SurveyEditor, survey: Survey | None, *, as_new: bool) -> HttpResponse:
    author = cast("User", request.user)
    if editor.is_valid():
        content = {"questions": editor.drafts(), **editor.survey.columns()}
        try:
            if survey is None or as_new:
                saved = create_once(owner=author, key=editor.key, **content)
            else:
                saved = save_draft(survey=survey, revision=editor.revision, by=author, **content)
        except ValidationError as refused:
            editor.blame(refused)
        except SavedMeanwhile as meanwhile:
            stored = Survey.objects.get(pk=meanwhile.survey_id)
            return _page(request, editor, stored, status=409, conflict=conflict_of(editor, stored, author))
        except NotAllowedNow:
            return _page(request, editor, survey, status=409, frozen=True)
        else:
            messages.success(request, _("Saved."))
            return redirect("survey-detail", code=saved.code)
    return _page(request, editor, survey, status=422)


def _page(
    request: HttpRequest,
    editor: SurveyEditor,
    survey: Survey | None,
    *,
    status: int = 200,
    conflict: Conflict | None = None,
    frozen: bool = False,
) -> HttpResponse:
    """Show the editor, or those parts of it that a button changes where a script asks for them."""
    complains = status in {400, 422}
    if complains:
        editor.complain()
    context = {
        "editor": editor,
        "survey": survey,
        "problems": editor.problems() if complains else [],
        "conflict": conflict,
        "frozen": frozen or (survey is not None and not survey.is_draft),
    }
    parts = "X-Parts" in request.headers and status == 200
    return render(request, "editor/editor_parts.html" if parts else "editor/editor.html", context, status=status)
