"""What goes around every page: the headers that no library sets for us, and the visitor's language."""

from collections.abc import Awaitable, Callable, Sequence
from time import perf_counter
from typing import cast

from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import get_callable
from django.utils import translation
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.deprecation import MiddlewareMixin

from surveys.answering.views.history import refusal_address
from surveys.common.content_policy import HEADER, policy_of
from surveys.common.selectors import asked_by_script, bearer_of, visitors_language
from surveys.common.views import problem
from surveys.logs import REFERENCE_HEADER
from surveys.metrics import services as metrics

GetResponse = Callable[[HttpRequest], HttpResponse]

_ONLY_READ = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
_OF_PLATFORMS = frozenset({"/lti/login/", "/lti/launch/"})

_FEATURES = (
    "accelerometer", "autoplay", "browsing-topics", "camera", "display-capture", "encrypted-media",
    "fullscreen", "gamepad", "geolocation", "gyroscope", "hid", "idle-detection", "local-fonts", "magnetometer",
    "microphone", "midi", "otp-credentials", "payment", "picture-in-picture", "publickey-credentials-get",
    "screen-wake-lock", "serial", "storage-access", "usb", "window-management", "xr-spatial-tracking",
)  # fmt: skip
PERMISSIONS_POLICY = ", ".join(f"{feature}=()" for feature in _FEATURES)
# Where a survey or a page of the lab is presented to a class it may fill the screen, and nothing else.
_PRESENTED = ("survey-present", "lab-page")
PRESENTING_POLICY = PERMISSIONS_POLICY.replace("fullscreen=()", "fullscreen=(self)")


def _is_part_of_a_page(response: HttpResponseBase) -> bool:
    """Return whether it is a style sheet, a script or a font: policies are of pages, and of workers, which are refused.

    Both policies would be four fifths of the head that a phone waits for.
    """
    return response.headers.get("Content-Type", "").startswith(("text/css", "text/javascript", "font/"))


def policies(get_response: GetResponse) -> GetResponse:
    """Say what a page may load, by the settings and its view's decorators, and turn the browser's features off."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if _is_part_of_a_page(response):
            return response
        response.headers.setdefault(HEADER, policy_of(response))
        match = request.resolver_match
        presenting = match is not None and match.view_name in _PRESENTED
        response.headers["Permissions-Policy"] = PRESENTING_POLICY if presenting else PERMISSIONS_POLICY
        return response

    return middleware


def tokens_stand_alone(get_response: GetResponse) -> GetResponse:
    """Let whoever shows a token read and never write, and be nobody by their cookies.

    So what a token opens does not depend on the browser that it is sent from, and it opens no page: those that ask for
    a sign-in find none.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        if bearer_of(request) is None:
            return get_response(request)
        if request.method not in {"GET", "HEAD"}:
            return problem(405, Allow="GET, HEAD", Cache_Control="no-store")
        request.COOKIES = {}
        return get_response(request)

    return middleware


def own_pages_only(get_response: GetResponse) -> GetResponse:
    """Refuse what the page of another site asks to be written: forms for strangers have no other check.

    Browsers say where a form comes from in headers that no page can set (decision 73 has which browsers do). What a
    course platform sends comes from its own pages: there a signed cookie of this browser stands in for that, which has
    to hold the very state that the form brings; and to begin a login writes nothing.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        # Django's test client sets it, unless it is set to check as Django does.
        unchecked = getattr(request, "_dont_enforce_csrf_checks", False)
        from_platform = request.method == "POST" and request.path_info in _OF_PLATFORMS
        if request.method in _ONLY_READ or unchecked or from_platform or _is_from_own_page(request):
            return get_response(request)
        refusal: HttpResponse = get_callable(settings.CSRF_FAILURE_VIEW)(request)
        return refusal

    return middleware


def _is_from_own_page(request: HttpRequest) -> bool:
    origin = request.META.get("HTTP_ORIGIN", "")
    if origin in settings.CSRF_TRUSTED_ORIGINS:
        return True
    # Where it is sent (over HTTPS, and on the machine itself) it holds whatever a proxy has done to our own address.
    if site := request.META.get("HTTP_SEC_FETCH_SITE", ""):
        return site in {"same-origin", "none"}
    return bool(origin == f"{request.scheme}://{request.get_host()}")


# Redirects after which a browser asks anew, without the body.
_LET_GO = {301, 302, 303}


def truths_leave_the_history(get_response: GetResponse) -> GetResponse:
    """Turn every answer to a form with true answers into a redirect, whichever view gave it.

    It stands outside of all that could answer in a view's place: the check of the form's cookie, the limits of a body,
    Django's handling of exceptions. A script reads its JSON as it is: what it sends is in no history.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if request.method != "POST" or response.status_code in _LET_GO or asked_by_script(request):
            return response
        address = refusal_address(request.path_info, response.status_code)
        return _redirect(address, response) if address else response

    return middleware


def _redirect(address: str, response: HttpResponse) -> HttpResponse:
    redirect = HttpResponseRedirect(address, status=303)
    redirect.cookies = response.cookies
    redirect["Cache-Control"] = "no-store"
    if REFERENCE_HEADER in response:
        redirect[REFERENCE_HEADER] = response[REFERENCE_HEADER]
    return redirect


def keep_cookies_private(get_response: GetResponse) -> GetResponse:
    """Keep whatever sets a cookie out of every cache: a shared one would hand it to the next visitor."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        held = response.get("Cache-Control", "")
        if response.cookies and not ("private" in held and "no-store" in held):
            patch_cache_control(response, private=True, no_store=True)
        return response

    return middleware


# Pages of a survey and of a release speak the survey's language to everybody: what a browser asks for changes no byte.
_OF_A_SURVEY = ("/s/", "/r/", "/credit/", "/oembed")
# Course platforms send people here who have no account.
_OF_NO_ACCOUNT = (*_OF_A_SURVEY, "/lti/")


class _PastSurveys(MiddlewareMixin):
    """Stands in front of a middleware: of who has signed in these pages can read nothing, and keep nothing of anybody.

    It also saves a tenth of what a respondent's page costs.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        past = request.path_info.startswith(_OF_NO_ACCOUNT)
        return self.get_response(request) if past else super().__call__(request)


class Sessions(_PastSurveys, SessionMiddleware):
    """Sessions, for all other pages."""


class Authentication(_PastSurveys, AuthenticationMiddleware):
    """Who has signed in, for all other pages."""


class Messages(_PastSurveys, MessageMiddleware):
    """Messages shown once, on all other pages."""


_RESPONDENTS_ROOMS = ("surveys.answering.", "surveys.lti.")


class SpokenTo(HttpRequest):
    languages: Sequence[tuple[str, str]]


class VisitorsLanguage:
    """Speak the language that the visitor chose, else the one their browser asks for.

    Respondents are spoken to in more languages than instructors. What no page answers may be a respondent's mistyped
    address, so the languages are theirs until an instructors' page is found.

    Django's own middleware would do it for every page, cost the sending of an answer its share, and leave a visitor's
    language behind on the thread for the next visitor.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Speak it on the way in, and stop speaking it on the way out."""
        if request.path_info.startswith(_OF_A_SURVEY):
            return self._get_response(request)
        with translation.override(None):
            _speak(request, settings.RESPONDENTS_LANGUAGES)
            response = self._get_response(request)
        response.headers.setdefault("Content-Language", request.LANGUAGE_CODE)
        patch_vary_headers(response, ("Accept-Language", "Cookie"))
        return response

    def process_view(self, request: HttpRequest, view: Callable[..., HttpResponse], *_arguments: object) -> None:
        """Speak to instructors in a language that all of their pages know."""
        if hasattr(request, "languages") and not view.__module__.startswith(_RESPONDENTS_ROOMS):
            _speak(request, settings.LANGUAGES)


def _speak(request: HttpRequest, languages: Sequence[tuple[str, str]]) -> None:
    cast("SpokenTo", request).languages = languages
    request.LANGUAGE_CODE = visitors_language(request, languages)
    translation.activate(request.LANGUAGE_CODE)


class RequestsMeasured:
    """Measure how long each answer takes: installed only where the operator wants to know."""

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response
        metrics.start()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        begun = perf_counter()
        response = self._get_response(request)
        match = request.resolver_match
        metrics.observe_request(
            view=(match.view_name if match is not None else "") or "none",
            status=response.status_code,
            seconds=perf_counter() - begun,
        )
        return response
