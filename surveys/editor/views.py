"""The editor of a survey: every button shows the page anew with all that was typed; only saving stores."""

import re
from typing import cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.clickjacking import xframe_options_sameorigin

from surveys.common.content_policy import NO_MARKUP_FROM_TEXT, changes_policy
from surveys.common.forms import number_in
from surveys.common.selectors import definition_of, whole_language
from surveys.common.views import instructor_page, survey_page
from surveys.documents.services.creating import restore_version
from surveys.documents.services.parsing import DocumentRefused
from surveys.drafts.selectors import document_of, others_of
from surveys.drafts.services.surveys import KEPT, NotAllowedNow, SavedMeanwhile, create_once, save_draft
from surveys.drafts.services.translating import translate_draft
from surveys.editor.forms.differences import Conflict, conflict_of, differences, questions_in
from surveys.editor.forms.editor import SurveyEditor
from surveys.editor.forms.languages import TranslationForm, languages_of
from surveys.editor.forms.preview import preview_of
from surveys.models import Right, SavedVersion, Survey
from surveys.questionnaire.translations import language_name

# The preview beside the questions is a page of ours in a frame.
_frames_our_own = changes_policy({"frame-src": ["'self'"]})
_OVER = re.compile(r"over-(\d{1,9})")
# Where a save leads; else to the survey's own page.
_FURTHER = {"rehearse": "survey-rehearse", "open": "survey-open", "languages": "survey-languages"}
_SAVING = {"save", "copy", *_FURTHER}


@_frames_our_own
@instructor_page("GET", "HEAD", "POST")
def survey_new(request: HttpRequest) -> HttpResponse:
    return _edit(request, None)


@_frames_our_own
@survey_page("GET", "HEAD", "POST", right=Right.EDIT)
def survey_edit(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Edit a draft; an opened survey is frozen."""
    if request.method != "POST" and not survey.is_draft:
        return _frozen(request, survey)
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
    if action == "autosave":
        return _autosave(request, editor, survey)
    over = _OVER.fullmatch(action)
    if over:
        editor.revision = int(over[1])
    if over or action in _SAVING:
        return _save(request, editor, survey, action, over=bool(over))
    editor.act(action)
    editor.forgive()
    return _page(request, editor, survey)


def _save(
    request: HttpRequest, editor: SurveyEditor, survey: Survey | None, action: str, *, over: bool
) -> HttpResponse:
    author = cast("User", request.user)
    if editor.is_valid():
        content = {"questions": editor.drafts(), **editor.columns()}
        try:
            if survey is None or action == "copy":
                content["translations"] = survey.questionnaire.translations if survey else {}
                saved = create_once(owner=author, key=editor.key, **content)
            else:
                saved = save_draft(survey=survey, revision=editor.revision, by=author, keeps_stored=over, **content)
        except ValidationError as refused:
            editor.blame(refused)
        except SavedMeanwhile as meanwhile:
            stored = Survey.objects.get(pk=meanwhile.survey_id)
            return _page(request, editor, stored, status=409, conflict=conflict_of(editor, stored, author))
        except NotAllowedNow:
            return _page(request, editor, survey, status=409, frozen=True)
        else:
            if action not in _FURTHER:
                messages.success(request, _("Saved."))
            return redirect(_FURTHER.get(action, "survey-detail"), code=saved.code)
    return _page(request, editor, survey, status=422)


def _autosave(request: HttpRequest, editor: SurveyEditor, survey: Survey | None) -> JsonResponse:
    """Save what is typed, by the same rules as the button, and say in a few words what came of it."""
    author = cast("User", request.user)
    # A question nobody has typed anything into is still to come.
    editor.drop_blank()
    if not editor.is_valid():
        return JsonResponse({"words": _("Not saved yet: %(why)s") % {"why": editor.problems()[0].message}})
    content = {"questions": editor.drafts(), "automatic": True, **editor.columns()}
    try:
        if survey is None:
            saved = create_once(owner=author, key=editor.key, **content)
        else:
            saved = save_draft(survey=survey, revision=editor.revision, by=author, **content)
    except ValidationError as refused:
        return JsonResponse({"words": _("Not saved yet: %(why)s") % {"why": " ".join(refused.messages)}})
    except SavedMeanwhile:
        return JsonResponse(
            {
                "words": _(
                    "Not saved, because this draft was saved elsewhere in the meantime. Save again to see both "
                    "versions."
                )
            }
        )
    except NotAllowedNow as refused:
        return JsonResponse({"words": _("Not saved: %(why)s") % {"why": refused}})
    address = reverse("survey-edit", args=[saved.code])
    return JsonResponse({"words": _("Draft, saved a moment ago"), "revision": saved.revision, "address": address})


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


# A survey as respondents will see it.


@changes_policy(NO_MARKUP_FROM_TEXT)
@survey_page("GET", "HEAD", right=Right.SEE)
def survey_preview(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Show the respondents' own page, from which nothing can be sent."""
    definition = definition_of(survey)
    if not definition.items:
        messages.warning(request, _("There is nothing to preview yet. Enter a question."))
        return redirect("survey-edit", code=survey.code)
    asked = request.GET.get("language", "")
    definition = definition.in_language(asked) if asked in definition.languages else definition
    arms = definition.arms
    if arms:
        asked = request.GET.get("arm", "")
        number = next((arm.number for arm in arms if str(arm.number) == asked), 1)
        definition = definition.in_arm(number)
    context = {"definition": definition, "survey": survey, "preview": True, "others": others_of(survey), "arms": arms}
    context["told_in"] = whole_language(survey.language)
    with translation.override(definition.language):
        return render(request, "editor/preview.html", context)


# The respondents' page as it would be from what is typed in the editor at this moment; nothing of it is stored.


# In a frame of the editor, and of no other site; scripts on it can neither ask nor send anything anywhere.
@changes_policy(
    NO_MARKUP_FROM_TEXT | {"frame-ancestors": ["'self'"], "form-action": ["'none'"], "connect-src": ["'none'"]}
)
@xframe_options_sameorigin
@instructor_page("POST")
def survey_preview_typed(request: HttpRequest) -> HttpResponse:
    """Show what respondents would get, from the question on that is open, or say what is missing for it."""
    preview = preview_of(SurveyEditor.posted(request.POST, None), untitled=_("Untitled survey"))
    if preview.definition is None:
        return render(request, "editor/preview_missing.html", {"missing": preview.missing})
    missing = "; ".join(preview.missing)
    context = {"definition": preview.definition, "preview": True, "start": preview.start, "missing": missing}
    context["told_in"] = whole_language(preview.definition.language)
    with translation.override(preview.definition.language):
        return render(request, "editor/preview_typed.html", context)


# The same survey in other languages.


@survey_page("GET", "HEAD", right=Right.EDIT)
def survey_languages(request: HttpRequest, survey: Survey) -> HttpResponse:
    """List the languages that a draft can be offered in, and how far it is translated into each."""
    if not survey.is_draft:
        return _frozen(request, survey)
    context = {"survey": survey, "languages": languages_of(survey, _further_languages(survey))}
    return render(request, "editor/languages.html", context)


@survey_page("GET", "HEAD", "POST", right=Right.EDIT)
def survey_language(request: HttpRequest, survey: Survey, language: str) -> HttpResponse:
    """Write a draft's texts in another language, beside each other, or no longer offer it."""
    if language not in _further_languages(survey):
        raise Http404
    if not survey.is_draft:
        return _frozen(request, survey)
    posted = request.POST if request.method == "POST" else None
    form = TranslationForm(posted, survey=survey, code=language)
    status = 200
    if posted is not None:
        status = 422
        removed = posted.get("action") == "remove"
        if removed or form.is_valid():
            words = {} if removed else form.words
            try:
                translate_draft(
                    survey=survey, code=language, words=words, revision=_revision(posted), by=cast("User", request.user)
                )
            except ValidationError as refused:
                form.blame(refused)
            except SavedMeanwhile:
                # The form is of what is stored by now, and holds what was typed: saved again it is saved over that.
                status = 409
            except NotAllowedNow:
                return _frozen(request, survey)
            else:
                messages.success(request, _("Saved."))
                return redirect("survey-languages", code=survey.code)
    context = {
        "survey": survey,
        "form": form,
        "code": language,
        "name": language_name(language),
        "offered": language in survey.questionnaire.other_languages,
        "problems": form.problems if status == 422 else [],
        "meanwhile": status == 409,
    }
    return render(request, "editor/language.html", context, status=status)


def _revision(posted: QueryDict) -> int:
    """Return the revision that a page showed; -1, which no draft has, where it is none."""
    revision = number_in(posted.get("revision", ""), most=10**9)
    return -1 if revision is None else revision


def _further_languages(survey: Survey) -> list[str]:
    return [code for code, _name in settings.RESPONDENTS_LANGUAGES if code != survey.language]


def _frozen(request: HttpRequest, survey: Survey) -> HttpResponse:
    messages.warning(request, _("This survey has been opened, so its content can no longer be changed."))
    return redirect("survey-detail", code=survey.code)


# The saved versions of a draft: what changed with each, what each was, and the way back to it.


# Each is compared with the one before it, question by question.
_A_PAGE = 20


@survey_page("GET", "HEAD", right=Right.EDIT)
def survey_versions(request: HttpRequest, survey: Survey) -> HttpResponse:
    """List the saved versions, newest first, with what changed in each."""
    page = Paginator(survey.saved_versions.filter(automatic=False).select_related("saved_by"), _A_PAGE).get_page(
        request.GET.get("page")
    )
    versions = list(page)
    last = versions[-1].number if versions else 0
    before = [*versions[1:], survey.saved_versions.filter(automatic=False, number__lt=last).first()] if versions else []
    entries = [
        (version, differences(earlier.document, version.document) if earlier else None)
        for version, earlier in zip(versions, before, strict=True)
    ]
    unfinished = survey.saved_versions.filter(automatic=True).exists()
    context = {"survey": survey, "page": page, "entries": entries, "kept": KEPT, "unfinished": unfinished}
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
    try:
        restore_version(survey=survey, version=version, revision=_revision(request.POST), by=cast("User", request.user))
    except SavedMeanwhile:
        words = _(
            "The current draft has been saved since this page was shown. Review the differences again "
            "before you restore this older draft."
        )
        messages.error(request, words)
    except NotAllowedNow as refused:
        messages.error(request, str(refused))
    except (DocumentRefused, ValidationError) as refused:
        words = _("This draft can no longer be restored: %(why)s")
        why = refused.messages if isinstance(refused, ValidationError) else map(str, refused.problems)
        messages.error(request, words % {"why": " ".join(why)})
    else:
        messages.success(request, _("Draft %(number)s restored.") % {"number": number})
        return redirect("survey-detail", code=survey.code)
    return redirect("survey-version", code=survey.code, number=number)


def _version(survey: Survey, number: int) -> SavedVersion:
    try:
        return survey.saved_versions.select_related("saved_by").get(number=number)
    except (SavedVersion.DoesNotExist, OverflowError):
        raise Http404 from None
