"""What respondents meet: the promise and the questions, real coins, the server's coins, the receipt."""

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import translation

from surveys.answering.forms import IncompleteAnswers, Submission, parse_decline, parse_reports, parse_truths
from surveys.answering.services import collecting, perturbing
from surveys.answering.views.arms import AlteredArm, dealt_page, door_of_form, signature_of
from surveys.answering.views.compressed import NONCE, SIGNATURE, CompressedPage, as_long_as, pad_alike
from surveys.answering.views.doors import Door, nowhere, respondent_page
from surveys.answering.views.history import form_with_problems, name_what_is_missing, reason_page
from surveys.answering.views.receipt import has_answered, receipt_for, receipt_page, remember_receipt
from surveys.answering.views.refusals import AlreadyAnsweredError, refusal_page, stopping_page
from surveys.common.caches import cached
from surveys.common.selectors import asked_by_script
from surveys.common.words import on_its_clocks
from surveys.drafts.selectors import OtherVersions
from surveys.models import Group, Mode, Survey
from surveys.questionnaire.definition import Definition


@dataclass(frozen=True, slots=True)
class _Page:
    """What a rendered page depends on; two are the same when template, survey, version and group are.

    Nothing in it depends on the address, which single-use links have in endless number: its links are relative.
    """

    template: str
    survey_id: int
    version: str
    language: str
    group_id: int
    group_name: str  # it may change while the survey is open
    others: OtherVersions | None  # other versions may be opened meanwhile
    purge_on: dt.date | None  # it may be brought forward
    closes_at: dt.datetime | None  # it may be changed
    survey: Survey = field(compare=False)
    definition: Definition = field(compare=False)
    group: Group | None = field(compare=False)


def render_page(request: HttpRequest, template: str, door: Door) -> HttpResponse:
    """Return the page with a nonce of its own."""
    arm = door.definition.arm
    return _pages(template, door)[arm.number if arm else 0].fill_in(request)


def _pages(template: str, door: Door) -> Mapping[int, CompressedPage]:
    """Return the pages of all arms by their numbers, or the one page where there are none."""
    survey, group, definition = door.survey, door.group, door.definition.all_arms
    group_id, group_name = (group.pk, group.name) if group else (0, "")
    page = _Page(
        template,
        survey.pk,
        survey.content_hash,
        definition.language,
        group_id,
        group_name,
        door.others,
        definition.purge_on,
        survey.closes_at,
        survey,
        definition,
        group,
    )
    return _compressed(page)


@cached(256)
def _compressed(page: _Page) -> Mapping[int, CompressedPage]:
    pages = {met.arm.number if met.arm else 0: _rendered(page, met) for met in page.definition.each_arm}
    if page.definition.arms:
        pad_alike(pages.values())
    return pages


def _rendered(page: _Page, definition: Definition) -> CompressedPage:
    context: dict[str, object] = {
        "definition": definition,
        "group": page.group,
        "others": page.others,
        "nonce": NONCE,
        "signature": SIGNATURE,
        # The way back to the door, from the door itself and from the pages behind it.
        "door": "./" if page.template == "answering/answer.html" else "../",
    }
    with translation.override(definition.language):
        context["closes"] = on_its_clocks(page.closes_at, page.survey) if page.closes_at else ""
        return CompressedPage(render_to_string(page.template, context), partial(signature_of, definition))


def _lengthened(request: HttpRequest, door: Door, response: HttpResponse) -> HttpResponse:
    """Return what an arm is answered besides its questions as long as the page of these is: else it names the arm."""
    if not door.definition.all_arms.arms or asked_by_script(request):
        return response
    page, *_ = _pages("answering/answer.html", door).values()
    return as_long_as(page, request, response)


@respondent_page("answer", "GET", "HEAD", "POST")
def answer(request: HttpRequest, door: Door) -> HttpResponse:
    """Show promise and questions; take the reports that the device or real coins made.

    A POST is a form: nonce as the page has it, mode "device" with reports (a character an
    item, "-" for a skipped question), or mode "own_coin" with a field item-KEY for each item; where there are arms,
    arm and padding as the page has them. Browsers are sent to the receipt (303). A script that sends
    "Accept: application/json" reads

        200 {"receipt": address}            stored, or received before: go there
        200 {"receipt": address, "signature": …}    where it sent "blinded" as well, on a survey that gives credit
        400 {"error": words}                what no page of ours sends
        403, 404, 410 {"error": words}      not now, not with this link, not any more
        409 {"error": words, "receipt": address}    this page or browser has sent something else, which was kept

    403 is also what a form from another site gets, as a page. Anything else, 5xx above all, is not from here: nothing
    is known to be stored, and the same body may be sent again, with the same nonce, for it is stored once.
    """
    if request.method != "POST":
        return stopping_page(request, door) or dealt_page(request, door, _form_page("answering/answer.html"))
    form = "answering/own_coin.html"
    try:
        door = door_of_form(request, door) if door.definition.arms else door
        submission = parse_reports(request.POST, door.definition)
        reports = _stored(request, door, submission)
    except collecting.AlteredResend as refusal:
        page = _lengthened(request, door, refusal_page(request, door, refusal))
        return remember_receipt(page, door, request.POST["mode"], refusal.first)
    except AlteredArm as refusal:
        known = form if refusal.door.definition.arm else ""
        return _lengthened(request, door, refusal_page(request, refusal.door, refusal, form=known))
    except collecting.SubmissionRefused as refusal:
        return _lengthened(request, door, refusal_page(request, door, refusal, form=form))
    return receipt_for(request, door, submission.mode, reports, submission.blinded)


@respondent_page("declined", "POST")
def declined(request: HttpRequest, door: Door) -> HttpResponse:
    """Give somebody who declines the same receipt as somebody who answers, where a survey gives credit.

    A form of nonce and blinded, answered as answers are.
    """
    if not door.definition.credit_key:
        return nowhere(request, door, "credit")
    try:
        nonce, blinded = parse_decline(request.POST, door.definition)
        _note_decline(request, door, nonce, blinded)
    except collecting.SubmissionRefused as refusal:
        return refusal_page(request, door, refusal)
    return receipt_for(request, door, "", "", blinded)


@respondent_page("own-coin", "GET", "HEAD")
def own_coin(request: HttpRequest, door: Door) -> HttpResponse:
    """Show the form for real coins, which needs no script."""
    return stopping_page(request, door) or dealt_page(request, door, _form_page("answering/own_coin.html"))


@respondent_page("server-coin", "GET", "HEAD", "POST")
def server_coin(request: HttpRequest, door: Door) -> HttpResponse:
    """Let the server randomize, where the survey owner offers it: the true answers end with this request.

    Whatever becomes of a POST, its answer is a redirect: see history.py.
    """
    page = "answering/server_coin.html"
    if not door.definition.server_mode_allowed:
        return nowhere(request, door, "server")
    if request.method != "POST":

        def form(asked: HttpRequest, mine: Door) -> HttpResponse:
            again = form_with_problems(asked, mine, page)
            return _lengthened(asked, mine, again) if again else _form_page(page)(asked, mine)

        return reason_page(request, door) or dealt_page(request, door, form)
    try:
        door = door_of_form(request, door) if door.definition.arms else door
        nonce, truths = parse_truths(request.POST, door.definition)
        submission = Submission(Mode.SERVER, nonce, perturbing.perturb(definition=door.definition, truths=truths))
        reports = _stored(request, door, submission)
    except collecting.AlteredResend as refusal:
        # Sent twice: the coins fell differently the second time, and the first report was kept. Show its receipt, or
        # people who read that nothing arrived would answer again.
        return receipt_for(request, door, Mode.SERVER, refusal.first)
    except IncompleteAnswers as refusal:
        missing = not isinstance(refusal, AlteredArm) and not asked_by_script(request)
        return name_what_is_missing(door, refusal) if missing else refusal_page(request, door, refusal)
    except collecting.SubmissionRefused as refusal:
        return refusal_page(request, door, refusal)
    return receipt_for(request, door, Mode.SERVER, reports)


@respondent_page("receipt", "GET", "HEAD")
def receipt(request: HttpRequest, door: Door) -> HttpResponse:
    """Show what was received, once."""
    return _lengthened(request, door, receipt_page(request, door))


def _stored(request: HttpRequest, door: Door, submission: Submission) -> str:
    """Store the submission and return the reports that are known to be stored: "" where they have been folded."""
    if problem := door.definition.misfit(submission.reports):
        raise collecting.InvalidSubmission("reports", problem)
    mode, reports = submission.mode, door.definition.stored(submission.reports)
    if has_answered(request):
        # The same page with the same reports is a resend; another answer is not taken.
        outcome = collecting.find_resend(
            survey=door.survey, nonce=submission.nonce, reports=reports, blinded=submission.blinded
        )
        if outcome is None:
            raise AlreadyAnsweredError(door.definition)
        return "" if outcome is collecting.Outcome.KEPT else reports
    outcome = collecting.collect(
        survey=door.survey,
        definition=door.definition.all_arms,
        mode=mode,
        nonce=submission.nonce,
        reports=reports,
        group=door.group,
        token=door.token,
        blinded=submission.blinded,
    )
    return "" if outcome is collecting.Outcome.KEPT else reports


def _note_decline(request: HttpRequest, door: Door, nonce: str, blinded: str) -> None:
    if has_answered(request):
        if not collecting.has_declined(survey=door.survey, nonce=nonce, blinded=blinded):
            raise AlreadyAnsweredError(door.definition)
        return
    collecting.decline(
        survey=door.survey, definition=door.definition.all_arms, nonce=nonce, blinded=blinded, token=door.token
    )


def _form_page(template: str) -> Callable[[HttpRequest, Door], HttpResponse]:
    return lambda request, door: _never_kept(render_page(request, template, door))


def _never_kept(response: HttpResponse) -> HttpResponse:
    """Keep a page with a form out of Chromium's back-forward cache, which brings it back filled in spite of no-store.

    That cache takes 200 only, so this is 203: the one way that needs no script on the page. The page of the questions
    has such a form for browsers without scripts.
    """
    response.status_code = 203
    return response
