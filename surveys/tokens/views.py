"""The page of a survey's access tokens, and the door that they open."""

from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from surveys.accounts.forms import seconds_left
from surveys.accounts.services.sign_in import TooManyTries
from surveys.common.forms import blame, problems_of
from surveys.common.selectors import bearer_of
from surveys.common.views import problem, survey_page
from surveys.drafts.services.surveys import NotAllowedNow
from surveys.models import Right, State, Survey
from surveys.models.access_token import valid_tokens
from surveys.tokens.forms import TokenForm
from surveys.tokens.services import MOST_TOKENS, make_token, revoke_token, use_token

_View = Callable[..., HttpResponseBase]
_CHALLENGE = 'Bearer realm="Deniable"'


def open_to_programs(page: _View) -> _View:
    """Let a token stand for a sign-in before a `survey_page`: of its maker, for its survey alone.

    What is refused to a program is refused in JSON; so is a request without a sign-in, unless a browser asks for a
    page.
    """

    @never_cache
    @wraps(page)
    def answer(request: HttpRequest, code: str, **arguments: Any) -> HttpResponseBase:
        if bearer_of(request) is not None:
            response = _by_token(page, request, code, **arguments)
        elif not request.user.is_authenticated and "text/html" not in request.headers.get("Accept", ""):
            response = problem(401, "Send an access token of this survey.", WWW_Authenticate=_CHALLENGE)
        else:
            response = page(request, code, **arguments)
        patch_vary_headers(response, ["Authorization"])
        return response

    return answer


def _by_token(
    page: Callable[..., HttpResponseBase], request: HttpRequest, code: str, **arguments: Any
) -> HttpResponseBase:
    try:
        token = use_token(token=bearer_of(request) or "", code=code)
    except TooManyTries as closed:
        return problem(429, "Too many wrong tokens.", Retry_After=str(seconds_left(closed)))
    if token is None:
        return problem(
            401,
            "This token is wrong, expired or revoked.",
            WWW_Authenticate=f'{_CHALLENGE}, error="invalid_token"',
        )
    # To a program every other survey is what it is to a stranger.
    if token.survey.code != code.upper():
        return problem(404)
    request.user = token.maker
    try:
        return page(request, code, **arguments)
    except Http404:
        return problem(404)


@survey_page("GET", "HEAD", "POST", right=Right.ANALYSE)
def survey_tokens(request: HttpRequest, survey: Survey) -> HttpResponse:
    """List a survey's tokens; make one, which is shown this once, or revoke one."""
    if request.method != "POST":
        return _page(request, survey, TokenForm())
    if "revoke" in request.POST:
        revoke_token(survey=survey, key=request.POST["revoke"])
        messages.success(request, _("The token has been revoked."))
        return redirect("survey-tokens", code=survey.code)
    form = TokenForm(request.POST)
    if form.is_valid():
        try:
            token = make_token(survey=survey, maker=cast("User", request.user), **form.cleaned_data)
        except ValidationError as refused:
            blame(form, refused)
        except NotAllowedNow as refused:
            messages.warning(request, str(refused))
            return redirect("survey-list")
        else:
            return _page(request, survey, TokenForm(), token=token)
    return _page(request, survey, form, status=422)


def _page(request: HttpRequest, survey: Survey, form: TokenForm, *, token: str = "", status: int = 200) -> HttpResponse:
    tokens = valid_tokens(timezone.localdate()).filter(survey=survey).select_related("maker")
    context = {
        "survey": survey,
        "tokens": tokens,
        "form": form,
        "problems": problems_of(form, first_field="label") if form.is_bound else None,
        "token": token,
        "figures": request.build_absolute_uri(reverse("survey-export-figures-csv", args=[survey.code])),
        "may_make": survey.state != State.PURGED and len(tokens) < MOST_TOKENS,
        "most": MOST_TOKENS,
    }
    return render(request, "tokens/tokens.html", context, status=status)
