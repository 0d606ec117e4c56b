"""What respondents meet: the promise and the questions, real coins, the server's coins, the receipt."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, cast

from csp.decorators import csp_update
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from surveys import selectors
from surveys.forms.submission import Submission, parse_reports, parse_truths
from surveys.models import Mode, Survey
from surveys.models.definition import Definition
from surveys.models.survey import CODE_ALPHABET
from surveys.services import collecting
from surveys.views.rendered import rendered

DONE_COOKIE = "deniable_done"
RECEIPT_COOKIE = "deniable_receipt"
_NEVER = "max-age=0, no-cache, no-store, must-revalidate, private"
_CODE_LETTERS = frozenset(CODE_ALPHABET)
_DONE_SECONDS = 30 * 24 * 3600
_RECEIPT_SECONDS = 600
# 403: it may open again; 410: it will not.
_STATUS = {"paused": 403, "not_yet": 403, "closed": 410, "sealed": 410, "over": 410, "full": 410}

_SurveyView = Callable[[HttpRequest, Survey], HttpResponse]
_View = Callable[[HttpRequest, str], HttpResponse]
# The library's annotation allows no view that takes anything from its address.
_no_markup_from_text = cast(
    "Callable[[_View], _View]",
    csp_update({"require-trusted-types-for": ["'script'"], "trusted-types": ["'none'"]}),
)


def _respondent_page(name: str, *methods: str) -> Callable[[_SurveyView], _View]:
    """Find the survey, keep the page out of every cache, and let no script turn text into markup."""

    def decorate(view: _SurveyView) -> _View:
        @require_http_methods(methods)
        @_no_markup_from_text
        @wraps(view)
        def page(request: HttpRequest, code: str) -> HttpResponse:
            survey = _survey(code)
            if code != survey.code and request.method != "POST":
                # Cookies belong to one spelling of the address.
                return redirect(name, code=survey.code)
            response = view(request, survey)
            response["Cache-Control"] = _NEVER
            return response

        return page

    return decorate


@_respondent_page("answer", "GET", "HEAD", "POST")
def answer(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Show promise and questions; take the reports that the device or real coins made."""
    definition = selectors.definition_of(survey)
    if request.method != "POST":
        return _not_now(request, survey, definition) or rendered(request, "respondent/answer.html", survey, definition)
    try:
        submission = parse_reports(request.POST, definition)
        _store(request, survey, definition, submission)
    except collecting.AlteredResend as refusal:
        response = _refused(request, definition, refusal, page="respondent/own_coin.html")
        return _remembered(response, survey.code, refusal.first)
    except collecting.SubmissionRefused as refusal:
        return _refused(request, definition, refusal, page="respondent/own_coin.html")
    return _receipt_for(request, survey, submission.reports)


@_respondent_page("own-coin", "GET", "HEAD")
def own_coin(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Show the form for real coins, which needs no script."""
    definition = selectors.definition_of(survey)
    return _not_now(request, survey, definition) or rendered(request, "respondent/own_coin.html", survey, definition)


@_respondent_page("server-coin", "GET", "HEAD", "POST")
def server_coin(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Let the server add chance, where the author offers it: the true answers end with this request."""
    definition = selectors.definition_of(survey)
    if not definition.server_mode_allowed:
        raise Http404
    page = "respondent/server_coin.html"
    if request.method != "POST":
        return _not_now(request, survey, definition) or _never_kept(rendered(request, page, survey, definition))
    try:
        nonce, truths = parse_truths(request.POST, definition)
        submission = Submission(Mode.SERVER, nonce, collecting.perturb(definition=definition, truths=truths))
        _store(request, survey, definition, submission)
    except collecting.AlteredResend as refusal:
        # Sent twice: chance fell differently the second time, and the first was kept. Show its receipt, or people
        # who are told nothing arrived answer again.
        return _receipt_for(request, survey, refusal.first)
    except collecting.SubmissionRefused as refusal:
        return _refused(request, definition, refusal, page=page)
    return _receipt_for(request, survey, submission.reports)


@_respondent_page("receipt", "GET", "HEAD")
def receipt(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Show what was received, while this browser still remembers it."""
    definition = selectors.definition_of(survey)
    reports = request.COOKIES.get(RECEIPT_COOKIE, "")
    received = [] if definition.misfit(reports) else list(zip(definition.items, reports, strict=True))
    lines = [(item, item.words(report)) for item, report in received]
    done = DONE_COOKIE in request.COOKIES
    return render(request, "respondent/receipt.html", {"definition": definition, "lines": lines, "done": done})


def _survey(code: str) -> Survey:
    if not _CODE_LETTERS.issuperset(code.upper()):
        raise Http404
    try:
        survey = selectors.survey_by_code(code)
    except Survey.DoesNotExist:
        raise Http404 from None
    if survey.is_draft:
        raise Http404
    return survey


def _not_now(request: HttpRequest, survey: Survey, definition: Definition) -> HttpResponse | None:
    """Return the page that stands in the place of the questions, if one does."""
    if DONE_COOKIE in request.COOKIES:
        return render(request, "respondent/already.html", {"definition": definition})
    reason = survey.why_not_collecting(timezone.now())
    if not reason and survey.response_cap is not None and selectors.response_count(survey) >= survey.response_cap:
        reason = "full"
    return _closed_page(request, definition, reason) if reason else None


def _store(request: HttpRequest, survey: Survey, definition: Definition, submission: Submission) -> None:
    if DONE_COOKIE in request.COOKIES:
        # This browser has an answer here already. The same reports are a resend; others are not taken.
        if request.COOKIES.get(RECEIPT_COOKIE) != submission.reports:
            raise collecting.AlteredResend
        return
    collecting.collect(
        survey=survey,
        definition=definition,
        mode=submission.mode,
        nonce=submission.nonce,
        reports=submission.reports,
    )


def _receipt_for(request: HttpRequest, survey: Survey, reports: str) -> HttpResponse:
    """Send the browser to its receipt; what it carries there is what the server has anyway."""
    address = _address("receipt", survey.code)
    response: HttpResponse
    response = JsonResponse({"receipt": address}) if _by_script(request) else HttpResponseRedirect(address, status=303)
    return _remembered(response, survey.code, reports)


def _remembered(response: HttpResponse, code: str, reports: str) -> HttpResponse:
    """Let the browser know that it has answered, and for some minutes what; without reports only what it knows."""
    kept = ((DONE_COOKIE, "1", _DONE_SECONDS), (RECEIPT_COOKIE, reports, _RECEIPT_SECONDS)) if reports else ()
    for name, value, seconds in kept:
        # As set_cookie does it, but for the date that only browsers older than Max-Age need: this is the hot path.
        response.cookies[name] = value
        attributes: dict[str, Any] = {
            "max-age": seconds,
            "path": _address("answer", code),
            "secure": settings.CSRF_COOKIE_SECURE,
            "httponly": True,
            "samesite": "Lax",
        }
        response.cookies[name].update(attributes)
    return response


def _refused(
    request: HttpRequest, definition: Definition, refusal: collecting.SubmissionRefused, *, page: str
) -> HttpResponse:
    """Say why nothing was stored: to the script in a word, to people on a page that they can act on."""
    status = 400
    if isinstance(refusal, collecting.NotCollecting):
        status = _STATUS[refusal.reason]
    elif isinstance(refusal, collecting.SurveyFull):
        status = _STATUS["full"]
    elif isinstance(refusal, collecting.AlteredResend):
        status = 409
    if _by_script(request):
        return JsonResponse({"error": str(refusal)}, status=status)
    if isinstance(refusal, collecting.NotCollecting):
        return _closed_page(request, definition, refusal.reason)
    if isinstance(refusal, collecting.SurveyFull):
        return _closed_page(request, definition, "full")
    if isinstance(refusal, collecting.InvalidSubmission) and refusal.field.startswith(("item-", "answer-")):
        # Tapped reports may stand in the form again; true answers never do.
        given = {} if page == "respondent/server_coin.html" else request.POST.dict()
        context = {
            "definition": definition,
            "refusal": refusal,
            "refused": int(refusal.field.rpartition("-")[2]),
            "given": given,
            "nonce": collecting.new_nonce(),
        }
        return render(request, page, context, status=400)
    return render(request, "respondent/refused.html", {"definition": definition, "refusal": refusal}, status=status)


def _closed_page(request: HttpRequest, definition: Definition, reason: str) -> HttpResponse:
    return render(
        request, "respondent/closed.html", {"definition": definition, "reason": reason}, status=_STATUS[reason]
    )


def _never_kept(response: HttpResponse) -> HttpResponse:
    """Keep the page out of Chromium's back-forward cache, which brings chosen controls back in spite of no-store.

    That cache takes 200 only, so this is 203: the one way that needs no script on the page.
    """
    response.status_code = 203
    return response


@lru_cache(maxsize=1024)
def _address(name: str, code: str) -> str:
    return reverse(name, args=[code])


def _by_script(request: HttpRequest) -> bool:
    return bool(request.META.get("HTTP_ACCEPT") == "application/json")
