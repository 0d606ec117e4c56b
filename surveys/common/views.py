"""Who may see a page of /surveys/, the pages of errors, what load balancers ask, and pages sent only when changed."""

import secrets
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import wraps
from http import HTTPStatus
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.cache import get_conditional_response
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from surveys.common.readiness import readiness
from surveys.common.selectors import asked_by_script, bearer_of, survey_for, visitors_language
from surveys.common.services import database_is_away
from surveys.logs import REFERENCE, REFERENCE_HEADER
from surveys.models import Right, Survey
from surveys.models.membership import RIGHTS_OF
from surveys.models.survey import CODE_ALPHABET

PROBLEM = "application/problem+json"
P = ParamSpec("P")
R = TypeVar("R", bound=HttpResponseBase)
_View = Callable[Concatenate[HttpRequest, P], HttpResponse]
_SurveyView = Callable[Concatenate[HttpRequest, Survey, P], R]


def instructor_page(*methods: str) -> Callable[[_View[P]], _View[P]]:
    """Ask for a sign-in, then for one of these methods, and keep the page out of every cache."""

    def decorate(view: _View[P]) -> _View[P]:
        allowed = require_http_methods(methods)(view)

        @never_cache
        @wraps(view)
        def page(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            if not request.user.is_authenticated:
                return _sign_in(request, methods, instead=reverse("survey-list"))
            return allowed(request, *args, **kwargs)

        return cast("_View[P]", page)

    return decorate


class SurveyRequest(HttpRequest):
    """A request for a page of a survey: also what the visitor may do with it."""

    rights: frozenset[Right]


def survey_page(
    *methods: str, right: Right | frozenset[Right] = Right.OWN, rehearsals: bool = False
) -> Callable[[_SurveyView[P, R]], Callable[..., HttpResponseBase]]:
    """Hand the view the survey if the visitor has this right to it (of several: all), and put theirs onto the request.

    Strangers find no survey behind the code (404); members whose roles do not cover the page are refused (403).
    `rehearsals`: whether the page is also there for copies to rehearse with.
    """
    wanted = frozenset({right}) if isinstance(right, Right) else right

    def decorate(view: _SurveyView[P, R]) -> Callable[..., HttpResponseBase]:
        # Whose survey it is comes before the method: a stranger learns nothing from a 405.
        checked = require_http_methods(methods)(view)

        @never_cache
        @wraps(view)
        def page(request: HttpRequest, code: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return _sign_in(request, methods, instead=reverse("survey-detail", args=[code]))
            survey, rights = _survey_and_rights(request, code)
            if survey.is_rehearsal and not rehearsals:
                raise Http404
            if missing := wanted - rights:
                return refuse_role(request, survey, *missing)
            cast("SurveyRequest", request).rights = rights
            return checked(request, survey, *args, **kwargs)

        return page

    return decorate


def _sign_in(request: HttpRequest, methods: Iterable[str], *, instead: str) -> HttpResponse:
    """Ask for a sign-in, and then for this address with GET: where it takes only POST, for another page instead."""
    return redirect_to_login(request.get_full_path() if "GET" in methods else instead)


def refuse_role(request: HttpRequest, survey: Survey, *needed: Right) -> HttpResponse:
    """Refuse a member of the team, naming the roles that the page needs: those with one of these rights."""
    roles = [role for role, rights in RIGHTS_OF.items() if rights.intersection(needed)]
    return render(request, "common/no_right.html", {"survey": survey, "roles": roles}, status=403)


def surveys_chosen(request: HttpRequest, codes: Iterable[str], *, right: Right) -> list[Survey]:
    """Return those of the surveys behind these codes that the visitor has this right to, and nothing of the others."""
    chosen = []
    for code in codes:
        with suppress(Http404):
            survey, rights = _survey_and_rights(request, code)
            if right in rights and not survey.is_rehearsal:
                chosen.append(survey)
    return chosen


def _survey_and_rights(request: HttpRequest, code: str) -> tuple[Survey, frozenset[Right]]:
    if not set(code.upper()) <= set(CODE_ALPHABET):
        raise Http404
    try:
        return survey_for(user=request.user, code=code)
    except Survey.DoesNotExist:
        raise Http404 from None


def problem(status: int, detail: str = "", **headers: str) -> HttpResponse:
    """Refuse a program's request, by problem details (RFC 9457)."""
    described = {"title": HTTPStatus(status).phrase, "status": status} | ({"detail": detail} if detail else {})
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return JsonResponse(described, status=status, content_type=PROBLEM, headers=named)


# The pages of requests that no page answers.
#
# Django's own look for a CSRF token before they are written, so a body that cannot be read made an error of a missing
# address. These read nothing of the request's body: what they say does not depend on it.


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "400.html", status=400)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "403.html", status=403)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "404.html", status=404)


_RETRY_SECONDS = 30


def server_error(request: HttpRequest) -> HttpResponse:
    """Say that something went wrong (500) or the database is away (503); what may be broken is not asked.

    Django calls it while it handles the error. The respondents' script sends again after every 5xx.
    """
    away = database_is_away(sys.exception())
    status = 503 if away else 500
    reference = request.META[REFERENCE] = secrets.token_hex(3)
    language = visitors_language(request, getattr(request, "languages", settings.RESPONDENTS_LANGUAGES))
    response: HttpResponse
    with translation.override(language):
        if bearer_of(request) is not None:
            response = problem(status, f"Reference: {reference}")
        elif asked_by_script(request):
            response = JsonResponse({"error": gettext("It’s not your fault. Try again in a minute.")}, status=status)
        else:
            page = render_to_string("500.html", {"status": status, "reference": reference})
            response = HttpResponse(page, status=status)
    response["Content-Language"] = language
    response[REFERENCE_HEADER] = reference
    if away:
        response["Retry-After"] = str(_RETRY_SECONDS)
    return response


# For load balancers and service managers.


@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """Say that the database can be written too, so that answers sent now are kept; and when they were last counted."""
    problem, housekeeping = readiness()
    text = f"{problem or 'ok'}\nhousekeeping: {housekeeping}\n"
    return HttpResponse(text, content_type="text/plain", status=503 if problem else 200)


def etag_of(kind: str, *parts: object) -> str:
    """Return the entity tag of what a page shows; keyed: nobody is to make one for figures that they have not seen."""
    return f'"{salted_hmac(kind, "|".join(map(str, parts)), algorithm="sha256").hexdigest()[:32]}"'


def render_what_changed(
    request: HttpRequest, etag: str, template: str, context: Callable[[], dict[str, Any]]
) -> HttpResponse:
    """Render a template, or answer 304 where the visitor has it: then its context is not computed."""
    response = get_conditional_response(request, etag=etag)
    if response is None:
        response = render(request, template, context())
    response["ETag"] = etag
    return response
