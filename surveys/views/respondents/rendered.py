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

from surveys.models import Group
from surveys.models.definition import Definition
from surveys.selectors.editions import OtherVersions
from surveys.services.collecting import new_nonce
from surveys.views.respondents.doors import Door

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


def rendered(request: HttpRequest, template: str, door: Door) -> HttpResponse:
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
        "door": "./" if page.template == "respondent/answer.html" else "../",
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
        stream.append(deflated if name is None else _stored(value))
        checksum = zlib.crc32(value, checksum)
        length += len(value)
    return b"".join((*stream, _LAST_BLOCK, struct.pack("<II", checksum, length)))


def _stored(value: bytes) -> bytes:
    """Return a block of bytes as they are: type 0, length, and its complement."""
    return struct.pack("<BHH", 0, len(value), len(value) ^ 0xFFFF) + value
