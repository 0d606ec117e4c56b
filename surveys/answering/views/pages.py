"""Pages of a frozen survey, rendered and compressed once a process: a request fills in its nonce and its CSRF token.

Compressing a page anew for every visitor costs more than all the rest of answering. So the parts that never change are
deflated once, each ending in a full flush, which lets a few literal bytes (the nonce, the token) stand between them in
one valid gzip stream. The page repeats nothing of the request, so its compressed length gives nothing away.
"""

import re
import secrets
import struct
import zlib
from dataclasses import dataclass, field
from functools import lru_cache

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.cache import patch_vary_headers

from surveys.answering.forms import IncompleteAnswers, Submission, parse_reports, parse_truths
from surveys.answering.services import collecting, perturbing
from surveys.answering.services.collecting import new_nonce
from surveys.answering.views.doors import Door, asked_by_script, nowhere, respondent_page
from surveys.answering.views.history import name_what_is_missing, reason_page
from surveys.answering.views.receipt import has_answered, receipt_for, receipt_page, remember_receipt
from surveys.answering.views.refusals import AlreadyAnsweredError, refusal_page, stopping_page
from surveys.drafts.selectors import OtherVersions
from surveys.models import Group, Mode
from surveys.models.definition import Definition

# Nobody can write these into a survey's text: they are new in every process.
_NONCE = secrets.token_hex(16)
_CSRF = secrets.token_hex(16)
_PLACES = re.compile(f"({_NONCE}|{_CSRF})")
_ACCEPTS_GZIP = re.compile(r"\bgzip\b")
# RFC 1952: magic, deflate, no name, no time, best compression, unknown system. RFC 1951: an empty last block.
_GZIP_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
_LAST_BLOCK = b"\x03\x00"


@dataclass(frozen=True, slots=True)
class _Page:
    """What a rendered page depends on; two are the same when template, survey, version and group are.

    Nothing in it depends on the address, which single-use links have in endless number: its links are relative.
    """

    template: str
    survey_id: int
    version: str  # the language is part of it
    group_id: int
    group_name: str  # it may change while the survey is open
    others: OtherVersions | None  # other versions may be opened meanwhile
    definition: Definition = field(compare=False)
    group: Group | None = field(compare=False)


def render_page(request: HttpRequest, template: str, door: Door) -> HttpResponse:
    """Return the page with a nonce and a CSRF token of its own."""
    survey, group = door.survey, door.group
    group_id, group_name = (group.pk, group.name) if group else (0, "")
    parts = _parts(
        _Page(template, survey.pk, survey.content_hash, group_id, group_name, door.others, door.definition, group)
    )
    values = {_NONCE: new_nonce().encode(), _CSRF: get_token(request).encode()}
    if _ACCEPTS_GZIP.search(request.META.get("HTTP_ACCEPT_ENCODING", "")):
        response = HttpResponse(_gzip(parts, values))
        response["Content-Encoding"] = "gzip"
    else:
        response = HttpResponse(b"".join(plain if name is None else values[name] for name, plain, _ in parts))
    patch_vary_headers(response, ("Accept-Encoding",))
    return response


@lru_cache(maxsize=256)
def _parts(page: _Page) -> tuple[tuple[str | None, bytes, bytes], ...]:
    """Return the page in order: parts that never change, plain and deflated, and the names of what is filled in."""
    context = {
        "definition": page.definition,
        "group": page.group,
        "others": page.others,
        "nonce": _NONCE,
        "csrf": _CSRF,
        # The way back to the door, from the door itself and from the pages behind it.
        "door": "./" if page.template == "answering/answer.html" else "../",
    }
    with translation.override(page.definition.language):
        html = render_to_string(page.template, context)
    return tuple(
        (text, b"", b"") if text in {_NONCE, _CSRF} else (None, text.encode(), _deflated(text.encode()))
        for text in _PLACES.split(html)
    )


def _deflated(plain: bytes) -> bytes:
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return deflate.compress(plain) + deflate.flush(zlib.Z_FULL_FLUSH)


def _gzip(parts: tuple[tuple[str | None, bytes, bytes], ...], values: dict[str, bytes]) -> bytes:
    stream = [_GZIP_HEAD]
    checksum = length = 0
    for name, plain, deflated in parts:
        value = plain if name is None else values[name]
        stream.append(deflated if name is None else _stored_block(value))
        checksum = zlib.crc32(value, checksum)
        length += len(value)
    return b"".join((*stream, _LAST_BLOCK, struct.pack("<II", checksum, length)))


def _stored_block(value: bytes) -> bytes:
    """Return a block of bytes as they are: type 0, length, and its complement."""
    return struct.pack("<BHH", 0, len(value), len(value) ^ 0xFFFF) + value


# What respondents meet: the promise and the questions, real coins, the server's coins, the receipt.


@respondent_page("answer", "GET", "HEAD", "POST")
def answer(request: HttpRequest, door: Door) -> HttpResponse:
    """Show promise and questions; take the reports that the device or real coins made.

    A POST is a form: csrfmiddlewaretoken and nonce as the page has them, mode "device" with reports (a character an
    item, "-" for a question left out), or mode "own_coin" with a field item-KEY for each item. Browsers are sent
    to the receipt (303). A script that sends "Accept: application/json" reads

        200 {"receipt": address}            stored, or received before: go there
        400 {"error": words}                what no page of ours sends
        403, 404, 410 {"error": words}      not now, not with this link, not any more
        409 {"error": words, "receipt": address}    this page or browser has sent something else, which was kept

    403 is also what a lost CSRF cookie gets, as a page. Anything else, 5xx above all, is not from here: nothing is
    known to be stored, and the same body may be sent again, with the same nonce, for it is stored once.
    """
    if request.method != "POST":
        return stopping_page(request, door) or _never_kept(render_page(request, "answering/answer.html", door))
    form = "answering/own_coin.html"
    try:
        submission = parse_reports(request.POST, door.definition)
        reports = _stored(request, door, submission)
    except collecting.AlteredResend as refusal:
        return remember_receipt(refusal_page(request, door, refusal), door, request.POST["mode"], refusal.first)
    except collecting.SubmissionRefused as refusal:
        return refusal_page(request, door, refusal, form=form)
    return receipt_for(request, door, submission.mode, reports)


@respondent_page("own-coin", "GET", "HEAD")
def own_coin(request: HttpRequest, door: Door) -> HttpResponse:
    """Show the form for real coins, which needs no script."""
    return stopping_page(request, door) or _never_kept(render_page(request, "answering/own_coin.html", door))


@respondent_page("server-coin", "GET", "HEAD", "POST")
def server_coin(request: HttpRequest, door: Door) -> HttpResponse:
    """Let the server add chance, where the author offers it: the true answers end with this request.

    Whatever becomes of a POST, its answer is a redirect: see history.py.
    """
    page, definition = "answering/server_coin.html", door.definition
    if not definition.server_mode_allowed:
        return nowhere(request, door, "server")
    if request.method != "POST":
        return reason_page(request, door, page) or _never_kept(render_page(request, page, door))
    try:
        nonce, truths = parse_truths(request.POST, definition)
        submission = Submission(Mode.SERVER, nonce, perturbing.perturb(definition=definition, truths=truths))
        reports = _stored(request, door, submission)
    except collecting.AlteredResend as refusal:
        # Sent twice: chance fell differently the second time, and the first was kept. Show its receipt, or people
        # who are told nothing arrived answer again.
        return receipt_for(request, door, Mode.SERVER, refusal.first)
    except IncompleteAnswers as refusal:
        return refusal_page(request, door, refusal) if asked_by_script(request) else name_what_is_missing(door, refusal)
    except collecting.SubmissionRefused as refusal:
        return refusal_page(request, door, refusal)
    return receipt_for(request, door, Mode.SERVER, reports)


@respondent_page("receipt", "GET", "HEAD")
def receipt(request: HttpRequest, door: Door) -> HttpResponse:
    """Show what was received, once."""
    return receipt_page(request, door)


def _stored(request: HttpRequest, door: Door, submission: Submission) -> str:
    """Store the submission and return the reports that are known to be stored: "" where they have been folded."""
    mode, reports = submission.mode, submission.reports
    if has_answered(request):
        # The same page with the same reports is a resend; another answer is not taken.
        outcome = collecting.find_resend(survey=door.survey, nonce=submission.nonce, reports=reports)
        if outcome is None:
            raise AlreadyAnsweredError
        return "" if outcome is collecting.Outcome.KEPT else reports
    outcome = collecting.collect(
        survey=door.survey,
        definition=door.definition,
        mode=mode,
        nonce=submission.nonce,
        reports=reports,
        group=door.group,
        token=door.token,
    )
    return "" if outcome is collecting.Outcome.KEPT else reports


def _never_kept(response: HttpResponse) -> HttpResponse:
    """Keep a page with a form out of Chromium's back-forward cache, which brings it back filled in spite of no-store.

    That cache takes 200 only, so this is 203: the one way that needs no script on the page. The page of the questions
    has such a form for browsers without scripts.
    """
    response.status_code = 203
    return response
