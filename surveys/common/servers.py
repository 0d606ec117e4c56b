"""Other servers that this one asks: within limits of time and size, safely, and what they have signed.

Nothing of this is stored. Documents and keys are kept in this process for ten minutes.
"""

import json
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPException
from ipaddress import ip_address
from typing import Any, cast
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler, Request

from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet
from joserfc.jws import JWSRegistry

from surveys.common.caches import register

# Signatures that only the issuer can make: with the secret ones, whoever knows its public key could sign.
_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519")
_SECONDS_FOR_A_STEP, _SECONDS_FOR_ALL, _LARGEST = 5, 10, 256 * 1024
_KEPT_SECONDS, _FAILED_SECONDS = 600, 10
# How far two clocks may differ.
LEEWAY = 60


class NotReached(Exception):  # noqa: N818 - reads as a sentence where it is raised
    """Another server was not asked, or did not answer as it should; the message says nothing of a person."""


class NotProven(Exception):  # noqa: N818
    """A token does not hold; the message says nothing of a person."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered, whatever its status."""

    status: int
    headers: Message
    body: bytes

    def json(self) -> dict[str, Any]:
        """Return the object that it is; empty where it is none."""
        try:
            held = json.loads(self.body)
        except (ValueError, RecursionError):
            return {}
        return held if isinstance(held, dict) else {}


def open_address(
    address: str, *, form: Mapping[str, str] | None = None, body: bytes | None = None, **headers: str
) -> Answer:
    """Ask another server, within limits of time and size, and follow no redirect; `Content_Type` names a header.

    The proxy and the certificates are those that the machine's environment names.

    Raises
    ------
    NotReached
        The address is not safe, nobody answers in time, or the answer is too long.
    """
    if not is_safe(address):
        raise NotReached(f"{urlsplit(address).netloc} is not asked without https")
    opener = OpenerDirector()
    # What is without https stays on the machine.
    proxies: dict[str, str] | None = None if address.startswith("https:") else {}
    for handler in (ProxyHandler(proxies), HTTPHandler(), HTTPSHandler()):
        opener.add_handler(handler)
    sent = urlencode(form).encode() if form is not None else body
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    until = time.monotonic() + _SECONDS_FOR_ALL
    received = b""
    try:
        asked = Request(address, sent, named)  # noqa: S310 - looked at
        with cast("Any", opener.open(asked, timeout=_SECONDS_FOR_A_STEP)) as response:
            while piece := response.read1(_LARGEST):
                received += piece
                if len(received) > _LARGEST or time.monotonic() > until:
                    raise NotReached("an answer was too long or too slow")
            return Answer(response.status, response.headers, received)
    except (OSError, HTTPException, ValueError) as error:
        raise NotReached(f"{urlsplit(address).netloc} was not reached: {type(error).__name__}") from None


def is_safe(address: object) -> bool:
    """Whether only the server that is meant can read what is sent to this address."""
    if not isinstance(address, str):
        return False
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return bool(parts.hostname) and (parts.scheme == "https" or (parts.scheme, parts.hostname) == ("http", "127.0.0.1"))


def is_public(address: str) -> bool:
    """Whether an address is of the internet and not of the machine or a network of its own."""
    parts = urlsplit(address)
    try:
        found = socket.getaddrinfo(parts.hostname, parts.port or 443, type=socket.SOCK_STREAM)
    except (OSError, ValueError):
        return False
    return all(ip_address(each[4][0]).is_global for each in found)


_kept: dict[str, tuple[float, dict[str, Any]]] = {}
register(_kept.clear)


def document(address: str, *, anew: bool = False) -> dict[str, Any]:
    """Return a JSON document, which is kept for ten minutes; after a failure nobody asks again for ten seconds.

    Raises NotReached.
    """
    until, held = _kept.get(address, (0.0, {}))
    if anew or time.monotonic() >= until:
        held = {}
        try:
            answer = open_address(address)
            held = answer.json() if answer.status == 200 else {}
        finally:
            seconds = _KEPT_SECONDS if held else _FAILED_SECONDS
            _kept[address] = (time.monotonic() + seconds, held)
    if not held:
        raise NotReached(f"{urlsplit(address).netloc} gave no document at {urlsplit(address).path}")
    return held


def token_claims(token: str, *, keys_address: str, issuer: str, client: str, nonce: str) -> dict[str, Any]:
    """Return what an ID token says, if its issuer signed it for this client, this browser and this moment.

    Raises
    ------
    NotProven
        It does not hold.
    NotReached
        The issuer's keys cannot be read.
    """
    required = jwt.JWTClaimsRegistry(
        leeway=LEEWAY,
        iss={"essential": True, "value": issuer},
        sub={"essential": True},
        aud={"essential": True, "value": client},
        exp={"essential": True},
        iat={"essential": True},
        nonce={"essential": True, "value": nonce},
    )
    try:
        try:
            claims = _signed(token, document(keys_address))
        except InvalidKeyIdError:
            # The keys were changed since they were read; what has no key now has none.
            claims = _signed(token, document(keys_address, anew=True))
        required.validate(claims)
    except (JoseError, ValueError, TypeError, KeyError) as error:
        raise NotProven(f"the token does not hold: {type(error).__name__}{_claim_of(error)}") from None
    # Issued for several, it has to say that it was this server who asked.
    if claims.get("azp", client if claims["aud"] in (client, [client]) else None) != client:
        raise NotProven("the token was issued to another client")
    return claims


def has_keys(answer: Answer) -> bool:
    """Whether a server answered with keys that signatures can be checked with."""
    try:
        return answer.status == 200 and bool(KeySet.import_key_set(cast("Any", answer.json())).keys)
    except (JoseError, ValueError, TypeError, KeyError):
        return False


def _signed(token: str, keys: dict[str, Any]) -> dict[str, Any]:
    registry = JWSRegistry(algorithms=_ALGORITHMS, strict_check_header=False)
    return jwt.decode(token, KeySet.import_key_set(cast("Any", keys)), registry=registry).claims


def _claim_of(error: Exception) -> str:
    return f" ({error.claim})" if hasattr(error, "claim") else ""
