"""Who may see a page of /surveys/: whoever signed in, and of surveys only their own."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from surveys import selectors
from surveys.models import Survey
from surveys.models.survey import CODE_ALPHABET

P = ParamSpec("P")
R = TypeVar("R", bound=HttpResponseBase)
_View = Callable[Concatenate[HttpRequest, P], HttpResponse]
_SurveyView = Callable[Concatenate[HttpRequest, Survey, P], R]


def instructor_page(*methods: str) -> Callable[[_View[P]], _View[P]]:
    """Ask for a sign-in, then for one of these methods, and keep the page out of every cache."""

    def decorate(view: _View[P]) -> _View[P]:
        return never_cache(login_required(require_http_methods(methods)(view)))

    return decorate


def survey_page(*methods: str) -> Callable[[_SurveyView[P, R]], Callable[..., R]]:
    """Hand the view the owner's survey; to everybody else there is none behind this code."""

    def decorate(view: _SurveyView[P, R]) -> Callable[..., R]:
        # Whose survey it is comes before the method: a stranger learns nothing from a 405.
        checked = require_http_methods(methods)(view)

        @never_cache
        @login_required
        @wraps(view)
        def page(request: HttpRequest, code: str, *args: P.args, **kwargs: P.kwargs) -> R:
            return checked(request, _own_survey(request, code), *args, **kwargs)

        return page

    return decorate


def _own_survey(request: HttpRequest, code: str) -> Survey:
    if not set(code.upper()) <= set(CODE_ALPHABET):
        raise Http404
    try:
        return selectors.survey_for_owner(user=request.user, code=code)
    except Survey.DoesNotExist:
        raise Http404 from None
