"""What a platform sends people with: a login, a launch; what follows for students and instructors; registration.

Nobody here has an account or a session. `own_pages_only` lets a platform's two forms in, and no other stranger's.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Literal

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from surveys.accounts.services.mails import site_address
from surveys.common.content_policy import NO_MARKUP_FROM_TEXT, origin_of, source_of
from surveys.common.forms import form_page
from surveys.credit.selectors import survey_with_credit
from surveys.credit.services.redeeming import REDEEMABLE, ReceiptRefused, Score
from surveys.credit.services.redeeming import redeem as redeem_receipt
from surveys.lti.forms import CourseSurveyForm, RedeemForm
from surveys.lti.selectors import ToolAddresses, tool_addresses
from surveys.lti.services.keys import public_keys
from surveys.lti.services.launching import (
    LAUNCH_SECONDS,
    LOGIN_SECONDS,
    DeepLinking,
    Launch,
    LaunchRefused,
    NotLaunched,
    begin,
    deep_link_response,
    finish,
    kept,
    read_kept,
)
from surveys.lti.services.registering import LinkExpired, NotRegistered
from surveys.lti.services.registering import register as register_platform
from surveys.models import CoursePlatform

_View = Callable[..., HttpResponse]
_log = logging.getLogger(__name__)
_PATH = "/lti/"
_STATUS = {NotLaunched.AWAY: 503, NotLaunched.NO_SURVEY: 404}


def _launched_page(view: _View) -> _View:
    """Say why a launch goes no further; keep the page out of every cache, and let no text become markup."""

    @never_cache
    @wraps(view)
    def page(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            response = view(request, *args, **kwargs)
        except LaunchRefused as refused:
            if refused.detail:
                _log.warning("A launch was refused: %s", refused.detail)
            status = _STATUS.get(refused.why, 400)
            response = _framed(render(request, "lti/refused.html", {"why": refused.why.value}, status=status))
        vars(response).setdefault("policy_changes", NO_MARKUP_FROM_TEXT)
        return response

    return page


_ANYWHERE = {"frame-ancestors": ["*"], "form-action": ["'none'"], "connect-src": ["'none'"]}


def _framed(page: HttpResponse, changes: Mapping[str, Sequence[str]] = _ANYWHERE) -> HttpResponse:
    """Let a page be shown in a frame: anywhere only where there is nothing to do on it.

    Moodle and Canvas show what chooses or registers a tool in no other way, and a launch where an instructor wants it.
    """
    vars(page).update(xframe_options_exempt=True, policy_changes={**NO_MARKUP_FROM_TEXT, **changes})
    return page


def _addresses(request: HttpRequest) -> ToolAddresses:
    return tool_addresses(site_address(request))


def _keep(response: HttpResponse, name: str, value: str, seconds: int, *, from_others: bool) -> None:
    """Let the browser keep what this room alone reads; `from_others`: also in forms and frames of other sites."""
    secure = settings.SESSION_COOKIE_SECURE
    samesite: Literal["None", "Lax"] = "None" if from_others and secure else "Lax"
    response.set_cookie(name, value, seconds, path=_PATH, secure=secure, httponly=True, samesite=samesite)


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@_launched_page
def login(request: HttpRequest) -> HttpResponse:
    """Send the browser to the platform that sent it, which says who is there."""
    asked = request.POST if request.method == "POST" else request.GET
    address, cookie = begin(asked=asked.dict(), launch_address=_addresses(request).launch)
    response = HttpResponseRedirect(address)
    _keep(response, settings.LTI_LOGIN_COOKIE_NAME, cookie, LOGIN_SECONDS, from_others=True)
    return response


@csrf_exempt
@require_POST
@_launched_page
def launch(request: HttpRequest) -> HttpResponse:
    launched = finish(
        form=request.POST.dict(),
        cookie=request.COOKIES.get(settings.LTI_LOGIN_COOKIE_NAME, ""),
        launch_address=_addresses(request).launch,
    )
    response = redirect("lti-redeem", launched.survey) if isinstance(launched, Launch) else redirect("lti-deep-link")
    in_a_frame = isinstance(launched, DeepLinking)
    _keep(response, settings.LTI_COOKIE_NAME, kept(launched), LAUNCH_SECONDS, from_others=in_a_frame)
    response.delete_cookie(settings.LTI_LOGIN_COOKIE_NAME, _PATH)
    return response


@require_safe
@cache_control(public=True, max_age=600)
def keys(request: HttpRequest) -> HttpResponse:
    return JsonResponse(public_keys(), content_type="application/jwk-set+json")


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@_launched_page
def redeem(request: HttpRequest, code: str) -> HttpResponse:
    """Take a student's receipt; whose score it is says the launch in their browser, and no form.

    Nothing here leads to the questions: a platform knows who opened this, and when.
    """
    survey = survey_with_credit(code)
    if survey is None:
        raise Http404
    context = {"survey": survey, "redeemable": survey.state in REDEEMABLE, "redeemed": "redeemed" in request.GET}
    if context["redeemed"] and request.method != "POST":
        return render(request, "lti/redeem.html", context)
    launched = read_kept(Launch, request.COOKIES.get(settings.LTI_COOKIE_NAME, ""))
    platform = CoursePlatform.objects.filter(pk=launched.platform).first() if launched else None
    if launched is None or platform is None or launched.survey != survey.code:
        # In a frame of the course there is no launch either: the browser keeps none of one there.
        return _framed(render(request, "lti/open_in_course.html", context, status=403))
    form = RedeemForm(request.POST if request.method == "POST" else None, auto_id="%s")
    if form.is_valid():
        try:
            score = Score(platform, launched.line_item, launched.subject)
            redeem_receipt(survey=survey, receipt=form.cleaned_data["receipt"], score=score)
        except ReceiptRefused as refused:
            form.add_error("receipt", str(refused))
        else:
            response = HttpResponseRedirect("?redeemed")
            # The next student at this device is another one.
            response.delete_cookie(settings.LTI_COOKIE_NAME, _PATH)
            return response
    return form_page(request, "lti/redeem.html", form, first_field="receipt", **context)


# A link for a course.


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@_launched_page
def deep_link(request: HttpRequest) -> HttpResponse:
    """Let an instructor choose a survey, and send the link with the platform's own form address as the only one."""
    linking = read_kept(DeepLinking, request.COOKIES.get(settings.LTI_COOKIE_NAME, ""))
    platform = CoursePlatform.objects.filter(pk=linking.platform).first() if linking else None
    if linking is None or platform is None:
        raise LaunchRefused(NotLaunched.STALE)
    form = CourseSurveyForm(request.POST if request.method == "POST" else None)
    in_its_frame = {"frame-ancestors": [origin_of(linking.return_address)]}
    if not form.is_valid():
        page = form_page(request, "lti/deep_link.html", form, first_field="code", platform=platform)
        return _framed(page, in_its_frame)
    survey = form.cleaned_data["code"]
    token = deep_link_response(
        platform=platform, linking=linking, survey=survey, launch_address=_addresses(request).launch
    )
    context = {"survey": survey, "platform": platform, "address": linking.return_address, "token": token}
    page = render(request, "lti/deep_link_send.html", context)
    return _framed(page, in_its_frame | {"form-action": [source_of(linking.return_address)]})


# Registering a platform.


@require_safe
@_launched_page
def register(request: HttpRequest, token: str) -> HttpResponse:
    """Register the platform that opens an admin's link, which works once; what follows is a button that closes it."""
    status, context = 200, {"outcome": "registered"}
    try:
        platform = register_platform(
            link=token,
            configuration=request.GET.get("openid_configuration", ""),
            token=request.GET.get("registration_token", ""),
            tool=_addresses(request),
        )
        context |= {"name": platform.name, "deployments": platform.deployment_ids}
    except NotRegistered as refused:
        _log.warning("A platform was not registered: %s", refused)
        status, context = (410, {"outcome": "expired"}) if isinstance(refused, LinkExpired) else (400, {"outcome": ""})
    page = render(request, "lti/registered.html", context, status=status)
    # It says to the window that opened it that it can be closed.
    page["Cross-Origin-Opener-Policy"] = "unsafe-none"
    return _framed(page)
