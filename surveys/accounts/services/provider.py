"""The provider of sign-ins, asked by OpenID Connect: what it says of itself, and who has signed in with it.

Nothing of this is stored: what the provider says of a person ends with the request.
"""

import re
import secrets
import time
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import Any
from urllib.parse import quote_plus, urlencode, urlsplit

from django.conf import settings
from django.utils.crypto import constant_time_compare
from joserfc.util import urlsafe_b64encode

from surveys.common.servers import LEEWAY, Answer, NotProven, NotReached, document, is_safe, open_address, token_claims

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

    def __str__(self) -> str:
        return self.detail


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


@contextmanager
def _asked() -> Iterator[None]:
    """Refuse the sign-in where the provider does not answer, or its token does not hold."""
    try:
        yield
    except NotReached as failure:
        raise Refused(NotSignedIn.AWAY, str(failure)) from None
    except NotProven as failure:
        raise Refused(NotSignedIn.UNPROVEN, str(failure)) from None


def discovery_address() -> str:
    return f"{settings.OIDC_ISSUER.rstrip('/')}/.well-known/openid-configuration"


@_asked()
def metadata() -> dict[str, Any]:
    """Return what the provider says of itself, which has to be the one that is meant; raises Refused."""
    found = document(discovery_address())
    if found.get("issuer") != settings.OIDC_ISSUER:
        raise Refused(NotSignedIn.AWAY, f"it calls itself {found.get('issuer')!r}, not {settings.OIDC_ISSUER!r}")
    for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
        if not is_safe(found.get(name)):
            raise Refused(NotSignedIn.AWAY, f"its {name} is missing or without https")
    return found


def listed(known: Mapping[str, Any], name: str) -> list[Any]:
    """Return what the provider says that it supports; nothing where it says nothing."""
    values = known.get(name)
    return values if isinstance(values, list) else []


@_asked()
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


@_asked()
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
    claims = token_claims(
        token,
        keys_address=known["jwks_uri"],
        issuer=settings.OIDC_ISSUER,
        client=settings.OIDC_CLIENT_ID,
        nonce=attempt.nonce,
    )
    if attempt.again and not _was_asked(claims.get("auth_time"), attempt.since):
        raise Refused(NotSignedIn.UNPROVEN, "the provider did not ask the person again")
    return claims


def _was_asked(moment: object, since: int) -> bool:
    return isinstance(moment, int | float) and moment >= since - LEEWAY


def _error_in(answer: Answer) -> str:
    """Return the code of an error, in which nothing of a person stands."""
    return f"{answer.status} {_shortened(answer.json().get('error', ''))}".rstrip()


def _shortened(code: object) -> str:
    return code if isinstance(code, str) and _CODE_OF_AN_ERROR.fullmatch(code) else ""


@_asked()
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
    if not is_safe(address):
        return ""
    return f"{address}{'&' if urlsplit(str(address)).query else '?'}{urlencode({'client_id': settings.OIDC_CLIENT_ID})}"
