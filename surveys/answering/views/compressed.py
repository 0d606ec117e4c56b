"""Pages rendered and compressed once a process: a request fills in its nonce.

Compressing a page anew for every visitor costs more than all the rest of answering. So the parts that never change are
deflated once, each ending in a full flush, which lets a few literal bytes (the nonce) stand between them in one valid
gzip stream. The page repeats nothing of the request, so its compressed length gives nothing away.

Where a survey has arms, the lengths of their pages would name the arm to anybody on the network: `pad_alike` and
`as_long_as` make them equal, plain by spaces at the end and compressed by the name of a file, which gzip allows.
"""

import re
import secrets
import struct
import zlib
from collections.abc import Callable, Collection, Mapping

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

from surveys.answering.services.collecting import new_nonce

# What a template is given in their place. Nobody can write these into a survey's text: they are new in every process.
NONCE = secrets.token_hex(16)
SIGNATURE = secrets.token_hex(16)
_LENGTHS = {NONCE: 22, SIGNATURE: 43}
_PLACES = re.compile(f"({'|'.join(_LENGTHS)})")
_ACCEPTS_GZIP = re.compile(r"\bgzip\b")
# RFC 1952: magic, deflate, no name or one, no time, best compression, unknown system. RFC 1951: an empty last block.
_GZIP_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
_GZIP_HEAD_WITH_NAME = b"\x1f\x8b\x08\x08\x00\x00\x00\x00\x02\xff"
_LAST_BLOCK = b"\x03\x00"
_CHECKS = struct.Struct("<II")


class CompressedPage:
    """In order, the parts that never change, plain and deflated, and the names of what is filled in."""

    def __init__(self, html: str, sign: Callable[[str], str] | None = None) -> None:
        """Compress a page; `sign` returns what stands in the places of a signature, for a nonce."""
        self._sign = sign
        self._head = _GZIP_HEAD
        self._parts = tuple(
            (text, b"", b"") if text in _LENGTHS else (None, text.encode(), _deflated(text.encode()))
            for text in _PLACES.split(html)
        )

    @property
    def plain_length(self) -> int:
        """How many bytes every visitor gets who takes them uncompressed."""
        return sum(len(plain) if name is None else _LENGTHS[name] for name, plain, _ in self._parts)

    @property
    def gzip_length(self) -> int:
        """How many bytes every visitor gets who takes them compressed."""
        parts = sum(
            len(deflated) if name is None else len(_stored_block(bytes(_LENGTHS[name])))
            for name, _, deflated in self._parts
        )
        return len(self._head) + parts + len(_LAST_BLOCK) + _CHECKS.size

    def add_spaces(self, count: int) -> None:
        """Make it longer by spaces at the end."""
        spaces = b" " * count
        self._parts += ((None, spaces, _deflated(spaces)),)

    def add_name(self, length: int) -> None:
        """Make its compressed form longer by a name of this length and the byte that ends it."""
        self._head = _head_with_name(length)

    def fill_in(self, request: HttpRequest) -> HttpResponse:
        """Return the page with a nonce of its own."""
        nonce = new_nonce()
        values = {NONCE: nonce.encode()}
        if self._sign:
            values[SIGNATURE] = self._sign(nonce).encode()
        if _accepts_gzip(request):
            return HttpResponse(self._gzip(values), headers={"Content-Encoding": "gzip", "Vary": "Accept-Encoding"})
        plain = b"".join(plain if name is None else values[name] for name, plain, _ in self._parts)
        return HttpResponse(plain, headers={"Vary": "Accept-Encoding"})

    def _gzip(self, values: Mapping[str, bytes]) -> bytes:
        stream = [self._head]
        checksum = length = 0
        for name, plain, deflated in self._parts:
            value = plain if name is None else values[name]
            stream.append(deflated if name is None else _stored_block(value))
            checksum = zlib.crc32(value, checksum)
            length += len(value)
        return b"".join((*stream, _LAST_BLOCK, _CHECKS.pack(checksum, length)))


def pad_alike(pages: Collection[CompressedPage]) -> None:
    """Make all of these pages as long as the longest, plain and compressed."""
    longest = max(page.plain_length for page in pages)
    for page in pages:
        page.add_spaces(longest - page.plain_length)
    longest = max(page.gzip_length for page in pages)
    for page in pages:
        page.add_name(longest - page.gzip_length)


def as_long_as(page: CompressedPage, request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Return a response that is as long as this page, plain and compressed, or as several of it."""
    plain = response.content + b" " * (-len(response.content) % page.plain_length)
    if _accepts_gzip(request):
        checks = _CHECKS.pack(zlib.crc32(plain), len(plain))
        rest = b"".join((_deflated(plain), _LAST_BLOCK, checks))
        head = _head_with_name(-len(rest + _head_with_name(0)) % page.gzip_length)
        response.content, response["Content-Encoding"] = head + rest, "gzip"
    else:
        response.content = plain
    patch_vary_headers(response, ("Accept-Encoding",))
    return response


def _accepts_gzip(request: HttpRequest) -> bool:
    return _ACCEPTS_GZIP.search(request.META.get("HTTP_ACCEPT_ENCODING", "")) is not None


def _head_with_name(length: int) -> bytes:
    return _GZIP_HEAD_WITH_NAME + b"a" * length + b"\0"


def _deflated(plain: bytes) -> bytes:
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return deflate.compress(plain) + deflate.flush(zlib.Z_FULL_FLUSH)


def _stored_block(value: bytes) -> bytes:
    """Return a block of bytes as they are: type 0, length, and its complement."""
    return struct.pack("<BHH", 0, len(value), len(value) ^ 0xFFFF) + value
