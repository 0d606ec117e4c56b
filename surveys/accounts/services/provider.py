"""The provider of sign-ins, asked by OpenID Connect: what it says of itself, and who has signed in with it.

Nothing of this is stored. What the provider says of itself and its keys are kept in this process for ten minutes; what
it says of a person ends with the request.
"""

import json
import re
import secrets
import time
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import Message
from enum import StrEnum
from hashlib import sha256
from http.client import HTTPException
from typing import Any, cast
from urllib.parse import quote_plus, urlencode, urlsplit
from urllib.request import HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler, Request

from django.conf import settings
from django.utils.crypto import constant_time_compare
from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet
from joserfc.jws import JWSRegistry
from joserfc.util import urlsafe_b64encode

from surveys.common.caches import register

# Signatures that only the provider can make: with the secret ones, whoever knows its public key could sign.
_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519")
_SECONDS_FOR_A_STEP, _SECONDS_FOR_ALL, _LARGEST = 5, 10, 256 * 1024
_KEPT_SECONDS, _FAILED_SECONDS = 600, 10
# How far two clocks may differ.
LEEWAY = 60
_CODE_OF_AN_ERROR = re.compile(r"[a-z_]{1,40}")


class NotSignedIn(StrEnum):
    """Why nobody was signed in: a page has words for each."""

    AWAY = "away"
    STALE = "stale"
    DECLINED = "declined"
    UNPROVEN = "unproven"
    NO_ACCOUNT = "no-account"
    SAME_ADDRESS = "same-address"
    TAKEN = "taken"
    ANOTHER = "another"


class Refused(Exception):  # noqa: N818 - reads as a sentence where it is raised
    """Nobody was signed in; the detail is for the operator, and says nothing of the person."""

    def __init__(self, why: NotSignedIn, detail: str = "") -> None:
        super().__init__(why, detail)
        self.why, self.detail = why, detail


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


@dataclass(frozen=True, slots=True)
class Attempt:
    """What a browser's session keeps of a sign-in that has begun, and nothing else does."""

    state: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    nonce: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))
    since: int = field(default_factory=lambda: int(time.time()))
    # Whether the provider is to ask the person again, whoever is signed in there.
    again: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Identity:
    """Who has shown the provider who they are."""

    subject: str
    claims: Mapping[str, Any]
    access_token: str

    @property
    def by_two_factors(self) -> bool:
        """Whether the provider says that it has done two-factor authentication, in a way that the operator accepts."""
        methods = self.claims.get("amr")
        said = [self.claims.get("acr"), *(methods if isinstance(methods, list) else ())]
        return any(value in settings.OIDC_SECOND_FACTOR for value in said)


def open_address(address: str, *, form: Mapping[str, str] | None = None, **headers: str) -> Answer:
    """Ask another server, within limits of time and size, and follow no redirect.

    The proxy and the certificates are those that the machine's environment names.

    Raises
    ------
    Refused
        The address is not safe, nobody answers in time, or the answer is too long.
    """
    if not _is_safe(address):
        raise Refused(NotSignedIn.AWAY, f"{urlsplit(address).netloc} is not asked without https")
    opener = OpenerDirector()
    # What is without https stays on the machine.
    proxies: dict[str, str] | None = None if address.startswith("https:") else {}
    for handler in (ProxyHandler(proxies), HTTPHandler(), HTTPSHandler()):
        opener.add_handler(handler)
    asked = Request(address, urlencode(form).encode() if form is not None else None, headers)  # noqa: S310 - looked at
    until = time.monotonic() + _SECONDS_FOR_ALL
    body = b""
    try:
        with cast("Any", opener.open(asked, timeout=_SECONDS_FOR_A_STEP)) as response:
            while piece := response.read1(_LARGEST):
                body += piece
                if len(body) > _LARGEST or time.monotonic() > until:
                    raise Refused(NotSignedIn.AWAY, "an answer was too long or too slow")
            return Answer(response.status, response.headers, body)
    except (OSError, HTTPException, ValueError) as error:
        raise Refused(NotSignedIn.AWAY, f"{urlsplit(address).netloc} was not reached: {type(error).__name__}") from None


def _is_safe(address: object) -> bool:
    """Whether only the server that is meant can read what is sent to this address."""
    if not isinstance(address, str):
        return False
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return bool(parts.hostname) and (parts.scheme == "https" or (parts.scheme, parts.hostname) == ("http", "127.0.0.1"))


_kept: dict[str, tuple[float, dict[str, Any]]] = {}
register(_kept.clear)


def _document(address: str, *, anew: bool = False) -> dict[str, Any]:
    """Return a JSON document, which is kept for ten minutes; after a failure nobody asks again for ten seconds."""
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
        raise Refused(NotSignedIn.AWAY, f"{urlsplit(address).netloc} gave no document at {urlsplit(address).path}")
    return held


def discovery_address() -> str:
    return f"{settings.OIDC_ISSUER.rstrip('/')}/.well-known/openid-configuration"


def metadata() -> dict[str, Any]:
    """Return what the provider says of itself, which has to be the one that is meant; raises Refused."""
    found = _document(discovery_address())
    if found.get("issuer") != settings.OIDC_ISSUER:
        raise Refused(NotSignedIn.AWAY, f"it calls itself {found.get('issuer')!r}, not {settings.OIDC_ISSUER!r}")
    for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
        if not _is_safe(found.get(name)):
            raise Refused(NotSignedIn.AWAY, f"its {name} is missing or without https")
    return found


def listed(known: Mapping[str, Any], name: str) -> list[Any]:
    """Return what the provider says that it supports; nothing where it says nothing."""
    values = known.get(name)
    return values if isinstance(values, list) else []


def begin(*, attempt: Attempt, redirect_uri: str) -> str:
    """Return where the browser is sent to sign in.

    Raises
    ------
    Refused
        The provider is away, or does not take the request.
    """
    known = metadata()
    challenge = urlsafe_b64encode(sha256(attempt.verifier.encode()).digest()).decode()
    accepted = [value for value in settings.OIDC_SECOND_FACTOR if value in listed(known, "acr_values_supported")]
    scopes = ["openid", *(["email"] if settings.OIDC_DOMAINS else []), *settings.OIDC_SCOPES]
    asked = {
        "response_type": "code",
        "client_id": settings.OIDC_CLIENT_ID,
        "redirect_uri": redirect_uri,
        "scope": " ".join(dict.fromkeys(scopes)),
        "state": attempt.state,
        "nonce": attempt.nonce,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
        **({"acr_values": " ".join(accepted)} if accepted else {}),
        **({"prompt": "login", "max_age": "0"} if attempt.again else {}),
    }
    if known.get("require_pushed_authorization_requests") is True:
        pushed = _post(known, str(known.get("pushed_authorization_request_endpoint", "")), asked)
        request_uri = pushed.json().get("request_uri")
        if pushed.status not in {200, 201} or not isinstance(request_uri, str):
            raise Refused(NotSignedIn.AWAY, f"it did not take the pushed request: {_error_in(pushed)}")
        asked = {"client_id": settings.OIDC_CLIENT_ID, "request_uri": request_uri}
    address: str = known["authorization_endpoint"]
    return f"{address}{'&' if urlsplit(address).query else '?'}{urlencode(asked)}"


def finish(*, attempt: Attempt, query: Mapping[str, str], redirect_uri: str) -> Identity:
    """Return who has signed in, by what the browser brought back; its state has been compared.

    Raises
    ------
    Refused
        The provider declined, or something does not prove what it should.
    """
    known = metadata()
    # Of two providers that answer at one address, the wrong one would be given the code of the other (RFC 9207).
    named = query.get("iss")
    if named != settings.OIDC_ISSUER and (
        named is not None or known.get("authorization_response_iss_parameter_supported") is True
    ):
        raise Refused(NotSignedIn.UNPROVEN, "another issuer answered, or none that names itself")
    if "error" in query:
        raise Refused(NotSignedIn.DECLINED, f"the provider said {_shortened(query['error'])}")
    form = {
        "grant_type": "authorization_code",
        "code": query.get("code", ""),
        "redirect_uri": redirect_uri,
        "code_verifier": attempt.verifier,
    }
    answer = _post(known, known["token_endpoint"], form)
    if answer.status != 200:
        raise Refused(NotSignedIn.UNPROVEN, f"the code was not taken: {_error_in(answer)}")
    tokens = answer.json()
    claims = _claims(known, str(tokens.get("id_token", "")), attempt)
    return Identity(claims["sub"], claims, str(tokens.get("access_token", "")))


def _post(known: Mapping[str, Any], address: str, form: Mapping[str, str]) -> Answer:
    """Send a form, with what shows who this server is: by the header, which every provider has to know, if it may."""
    name, secret = settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET
    methods = listed(known, "token_endpoint_auth_methods_supported") or ["client_secret_basic"]
    if not secret:
        return open_address(address, form={**form, "client_id": name}, Accept="application/json")
    if "client_secret_basic" not in methods and "client_secret_post" in methods:
        form = {**form, "client_id": name, "client_secret": secret}
        return open_address(address, form=form, Accept="application/json")
    credentials = b64encode(f"{quote_plus(name)}:{quote_plus(secret)}".encode()).decode()
    return open_address(address, form=form, Accept="application/json", Authorization=f"Basic {credentials}")


def _claims(known: Mapping[str, Any], token: str, attempt: Attempt) -> dict[str, Any]:
    """Return what a token says, if the provider signed it for this server, this browser and this moment."""
    client = settings.OIDC_CLIENT_ID
    required = jwt.JWTClaimsRegistry(
        leeway=LEEWAY,
        iss={"essential": True, "value": settings.OIDC_ISSUER},
        sub={"essential": True},
        aud={"essential": True, "value": client},
        exp={"essential": True},
        iat={"essential": True},
        nonce={"essential": True, "value": attempt.nonce},
    )
    try:
        try:
            claims = _signed(token, _document(known["jwks_uri"]))
        except InvalidKeyIdError:
            # The keys were changed since they were read; what has no key now has none.
            claims = _signed(token, _document(known["jwks_uri"], anew=True))
        required.validate(claims)
    except (JoseError, ValueError, TypeError, KeyError) as error:
        raise Refused(
            NotSignedIn.UNPROVEN, f"the token does not hold: {type(error).__name__}{_claim_of(error)}"
        ) from None
    # Issued for several, it has to say that it was this server who asked.
    if claims.get("azp", client if claims["aud"] in (client, [client]) else None) != client:
        raise Refused(NotSignedIn.UNPROVEN, "the token was issued to another client")
    if attempt.again and not _was_asked(claims.get("auth_time"), attempt.since):
        raise Refused(NotSignedIn.UNPROVEN, "the provider did not ask the person again")
    return claims


def _signed(token: str, keys: dict[str, Any]) -> dict[str, Any]:
    registry = JWSRegistry(algorithms=_ALGORITHMS, strict_check_header=False)
    return jwt.decode(token, KeySet.import_key_set(cast("Any", keys)), registry=registry).claims


def _was_asked(moment: object, since: int) -> bool:
    return isinstance(moment, int | float) and moment >= since - LEEWAY


def _claim_of(error: Exception) -> str:
    return f" ({error.claim})" if hasattr(error, "claim") else ""


def _error_in(answer: Answer) -> str:
    """Return the code of an error, in which nothing of a person stands."""
    return f"{answer.status} {_shortened(answer.json().get('error', ''))}".rstrip()


def _shortened(code: object) -> str:
    return code if isinstance(code, str) and _CODE_OF_AN_ERROR.fullmatch(code) else ""


def all_claims(identity: Identity) -> dict[str, Any]:
    """Return also what the provider says of the person only when it is asked; raises Refused."""
    address = metadata().get("userinfo_endpoint")
    if not address:
        return dict(identity.claims)
    answer = open_address(str(address), Accept="application/json", Authorization=f"Bearer {identity.access_token}")
    more = answer.json() if answer.status == 200 else {}
    if not constant_time_compare(str(more.get("sub", "")), identity.subject):
        raise Refused(NotSignedIn.UNPROVEN, "what it says of the person is another's")
    return {**more, **identity.claims}


def sign_out_address() -> str:
    """Return where somebody ends their session at the provider, or "" where it names no such address."""
    try:
        address = metadata().get("end_session_endpoint")
    except Refused:
        return ""
    if not _is_safe(address):
        return ""
    return f"{address}{'&' if urlsplit(str(address)).query else '?'}{urlencode({'client_id': settings.OIDC_CLIENT_ID})}"
