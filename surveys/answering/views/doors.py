"""The doors to a survey: its own link, the link of a group, a single-use link, and both together."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Protocol

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from surveys.answering.charts import EXAMPLE, noise_and_signal
from surveys.answering.selectors import lesson_given
from surveys.answering.views.compressed import CompressedPage
from surveys.common.caches import cached
from surveys.common.content_policy import NO_MARKUP_FROM_TEXT, changes_policy
from surveys.common.selectors import definition_of, group_by_slug, survey_by_code, visitors_language
from surveys.drafts.selectors import OtherVersions, others_of
from surveys.models import Group, Survey
from surveys.models.survey import CODE_ALPHABET
from surveys.questionnaire.definition import Definition

_NEVER = "max-age=0, no-cache, no-store, must-revalidate, private"
LANGUAGE_COOKIE = "deniable_language"
# When the whole request had come, by `time.monotonic`: asgi.py says it.
ARRIVED = "deniable.arrived"
_CODE_LETTERS = frozenset(CODE_ALPHABET)


@dataclass(frozen=True, slots=True)
class Door:
    survey: Survey
    definition: Definition
    group: Group | None = None
    token: str = ""

    def address(self, name: str = "answer") -> str:
        code, group, token = self.spelling
        if not token:
            return _address(name, code, group)
        # Not remembered: a process keeps no list of the single-use links that were opened.
        return reverse(name, kwargs={"code": code, "token": token} | ({"group": group} if group else {}))

    @property
    def spelling(self) -> tuple[str, str, str]:
        """Code, group and token as this door's one address has them."""
        return self.survey.code, self.group.slug if self.group else "", self.token

    @property
    def front(self) -> "Door":
        return Door(self.survey, self.definition, token=self.token)

    @property
    def others(self) -> OtherVersions | None:
        """The other versions of this survey, with which its reports add up."""
        return others_of(self.survey)

    @property
    def cookie_path(self) -> str:
        """Where a browser's answer is remembered.

        One answer a browser, through whichever group; but people who were invited one by one may share a device.
        """
        return self.address() if self.token else self.front.address()


_DoorView = Callable[[HttpRequest, Door], HttpResponse]


class _View(Protocol):
    def __call__(self, request: HttpRequest, code: str, group: str = "", token: str = "") -> HttpResponse: ...


def respondent_page(name: str, *methods: str) -> Callable[[_DoorView], _View]:
    """Find the door, speak a language of the survey, keep the page out of every cache, let no text become markup."""

    def decorate(view: _DoorView) -> _View:
        @csrf_exempt
        @require_http_methods(methods)
        @changes_policy(NO_MARKUP_FROM_TEXT)
        @wraps(view)
        def page(request: HttpRequest, code: str, group: str = "", token: str = "") -> HttpResponse:
            survey = _survey(code, request.META.get(ARRIVED, math.inf))
            if survey is None or survey.is_draft:
                # There is no survey yet that could have a language: the visitor's.
                return _in_visitors_language(request, "answering/not_yet.html" if survey else "404.html", 404)
            definition = _spoken(request, definition_of(survey))
            # All that depends on the language is worded in here, refusals too; a visitor's own wishes change no byte.
            with translation.override(definition.language):
                known_group = group_by_slug(survey, group) if group else None
                door = Door(survey, definition, known_group, token.upper() if token.isascii() else token)
                if group and known_group is None:
                    response = nowhere(request, door, "group")
                elif token and not definition.by_invitation:
                    response = nowhere(request, Door(survey, definition), "token")
                elif definition.languages and request.method != "POST" and _chosen(request) in definition.languages:
                    response = redirect(door.address(name))
                    remember(response, door, LANGUAGE_COOKIE, _chosen(request))
                elif request.method != "POST" and (code, group, token) != door.spelling:
                    # Cookies belong to one spelling of the address.
                    response = redirect(door.address(name))
                else:
                    response = view(request, door)
            response["Content-Language"] = definition.language
            response["Cache-Control"] = _NEVER
            return response

        return page

    return decorate


def _chosen(request: HttpRequest) -> str:
    return request.GET.get("language", "")


def _spoken(request: HttpRequest, definition: Definition) -> Definition:
    """Return the survey in the language that was chosen in this browser; in its own where none was."""
    chosen = request.COOKIES.get(LANGUAGE_COOKIE, "") if definition.languages else ""
    return definition.in_language(chosen) if chosen in definition.languages else definition


def remember(response: HttpResponse, door: Door, name: str, value: str, seconds: int | None = None) -> None:
    """Set a cookie for the pages behind this door, for so long or until the browser is closed."""
    # As set_cookie does it, but for the date that only browsers older than Max-Age need: this is the hot path.
    response.cookies[name] = value
    attributes: dict[str, Any] = {
        "max-age": "" if seconds is None else seconds,
        "path": door.cookie_path,
        "secure": settings.CSRF_COOKIE_SECURE,
        "httponly": True,
        "samesite": "Lax",
    }
    response.cookies[name].update(attributes)


def nowhere(request: HttpRequest, door: Door, reason: str) -> HttpResponse:
    """Return the page of what is not here: a "group", "token", "server", "credit", "result" or "lesson"."""
    context = {"definition": door.definition, "reason": reason, "front": door.front.address()}
    return render(request, "answering/nowhere.html", context, status=404)


def _survey(code: str, arrived: float = math.inf) -> Survey | None:
    if not _CODE_LETTERS.issuperset(code.upper()):
        return None
    try:
        return survey_by_code(code, arrived=arrived)
    except Survey.DoesNotExist:
        return None


def form_not_checked(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Say that a form did not come from a page of ours. It is refused before any page has chosen its language.

    `reason` is Django's, whose check of pages for those who sign in needs a cookie.
    """
    return _in_visitors_language(request, "403_csrf.html", 403, {"needs_cookie": bool(reason)})


def _in_visitors_language(
    request: HttpRequest, template: str, status: int, context: dict[str, Any] | None = None
) -> HttpResponse:
    language = visitors_language(request, settings.RESPONDENTS_LANGUAGES)
    with translation.override(language):
        response = render(request, template, context, status=status)
    response["Content-Language"] = language
    response["Cache-Control"] = _NEVER
    patch_vary_headers(response, ("Accept-Language", "Cookie"))
    return response


@cached(1024)
def _address(name: str, code: str, group: str) -> str:
    return reverse(name, kwargs={"code": code} | ({"group": group} if group else {}))


# The front door: what this is, and a field for a join code.


_LONGEST_CODE = 12


@require_safe
def landing(request: HttpRequest) -> HttpResponse:
    if request.get_full_path() != reverse("landing"):
        return render(request, "answering/landing.html", _pictured())
    return _front_door(request.LANGUAGE_CODE).fill_in(request)


@cached(8)
def _front_door(language: str) -> CompressedPage:
    """Return the page in this language, which is the same for everybody."""
    asked = {
        "LANGUAGE_CODE": language,
        "languages": settings.RESPONDENTS_LANGUAGES,
        "get_full_path": reverse("landing"),
    }
    return CompressedPage(render_to_string("answering/landing.html", _pictured() | {"request": asked}))


@require_safe
@never_cache
def join(request: HttpRequest) -> HttpResponse:
    """Go to the survey behind a code, however it was typed; an unknown code comes back with its reason."""
    typed = request.GET.get("code", "")
    code = "".join(typed.split()).replace("-", "").upper()
    if not code:
        return _again(request, _("Enter the code you were given."))
    if len(code) > _LONGEST_CODE or not set(code) <= set(CODE_ALPHABET):
        return _again(request, _("Enter 4 to 12 letters and digits. Codes never contain 0, O, 1, I or L."))
    survey = _survey(code)
    if survey is None:
        return _again(request, _("No survey has this code. Check the code you were given."))
    if survey.is_draft:
        return _again(request, _("This survey has not opened yet"))
    # A class that is taught reads the same code on the wall; its lesson leads to the questions.
    return redirect("lesson" if lesson_given(survey) else "answer", code=survey.code)


def _again(request: HttpRequest, error: str) -> HttpResponse:
    typed = request.GET.get("code", "")[:_LONGEST_CODE]
    return render(request, "answering/landing.html", _pictured() | {"error": error, "typed": typed}, status=404)


def _pictured() -> dict[str, object]:
    noise, settled = noise_and_signal()
    by_invitation = settings.SIGN_UP != "open"
    return {"example": EXAMPLE, "noise": noise, "settled": settled, "accounts_by_invitation": by_invitation}
