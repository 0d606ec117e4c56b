"""Pages rendered and compressed once a process: a request fills in its nonce and its CSRF token.

Compressing a page anew for every visitor costs more than all the rest of answering. So the parts that never change are
deflated once, each ending in a full flush, which lets a few literal bytes (the nonce, the token) stand between them in
one valid gzip stream. The page repeats nothing of the request, so its compressed length gives nothing away.
"""

import re
import secrets
import struct
import zlib
from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import CSRF_ALLOWED_CHARS, CSRF_SECRET_LENGTH
from django.utils.cache import patch_vary_headers

from surveys.answering.services.collecting import new_nonce

# What a template is given in their place. Nobody can write these into a survey's text: they are new in every process.
NONCE = secrets.token_hex(16)
CSRF = secrets.token_hex(16)
_PLACES = re.compile(f"({NONCE}|{CSRF})")
_ACCEPTS_GZIP = re.compile(r"\bgzip\b")
# RFC 1952: magic, deflate, no name, no time, best compression, unknown system. RFC 1951: an empty last block.
_GZIP_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
_LAST_BLOCK = b"\x03\x00"
_PLACE_OF_LETTER = {letter: place for place, letter in enumerate(CSRF_ALLOWED_CHARS)}
# Each letter is of as many bytes as any other; the few bytes that are left over are drawn anew.
_LETTER_OF_BYTE = "".join(CSRF_ALLOWED_CHARS[byte % len(CSRF_ALLOWED_CHARS)] for byte in range(256)).encode()
_LEFT_OVER = bytes(range(256 - 256 % len(CSRF_ALLOWED_CHARS), 256))


class CompressedPage:
    """In order, the parts that never change, plain and deflated, and the names of what is filled in."""

    def __init__(self, html: str) -> None:
        self._parts = tuple(
            (text, b"", b"") if text in {NONCE, CSRF} else (None, text.encode(), _deflated(text.encode()))
            for text in _PLACES.split(html)
        )

    def fill_in(self, request: HttpRequest) -> HttpResponse:
        """Return the page with a nonce and a CSRF token of its own."""
        values = {NONCE: new_nonce().encode(), CSRF: _csrf_token(request).encode()}
        if _ACCEPTS_GZIP.search(request.META.get("HTTP_ACCEPT_ENCODING", "")):
            response = HttpResponse(self._gzip(values))
            response["Content-Encoding"] = "gzip"
        else:
            response = HttpResponse(b"".join(plain if name is None else values[name] for name, plain, _ in self._parts))
        patch_vary_headers(response, ("Accept-Encoding",))
        return response

    def _gzip(self, values: Mapping[str, bytes]) -> bytes:
        stream = [_GZIP_HEAD]
        checksum = length = 0
        for name, plain, deflated in self._parts:
            value = plain if name is None else values[name]
            stream.append(deflated if name is None else _stored_block(value))
            checksum = zlib.crc32(value, checksum)
            length += len(value)
        return b"".join((*stream, _LAST_BLOCK, struct.pack("<II", checksum, length)))


def _csrf_token(request: HttpRequest) -> str:
    """Return what Django's `get_token` returns: it draws letter by letter, which was a fifth of what a page cost."""
    if "CSRF_COOKIE" not in request.META:
        request.META["CSRF_COOKIE"] = _letters()
    request.META["CSRF_COOKIE_NEEDS_UPDATE"] = True
    mask = _letters()
    pairs = zip(request.META["CSRF_COOKIE"], mask, strict=True)
    places = (_PLACE_OF_LETTER[secret] + _PLACE_OF_LETTER[other] for secret, other in pairs)
    return mask + "".join(CSRF_ALLOWED_CHARS[place % len(CSRF_ALLOWED_CHARS)] for place in places)


def _letters() -> str:
    drawn = b""
    while len(drawn) < CSRF_SECRET_LENGTH:
        drawn += secrets.token_bytes(2 * CSRF_SECRET_LENGTH).translate(_LETTER_OF_BYTE, _LEFT_OVER)
    return drawn[:CSRF_SECRET_LENGTH].decode()


def _deflated(plain: bytes) -> bytes:
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return deflate.compress(plain) + deflate.flush(zlib.Z_FULL_FLUSH)


def _stored_block(value: bytes) -> bytes:
    """Return a block of bytes as they are: type 0, length, and its complement."""
    return struct.pack("<BHH", 0, len(value), len(value) ^ 0xFFFF) + value
