"""Launches: the way to the platform and back, what its message has to prove, and what is kept of it.

Nothing of a launch is stored but that it was used. What goes on is in a signed cookie: the platform, what it calls
this student and the place for their score, and the survey. Names, emails, courses and roles are read by nobody here.
"""

import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, TypeVar
from urllib.parse import urlencode, urlsplit

from django.core import signing
from django.utils.crypto import constant_time_compare

from surveys.accounts.services.sign_in import is_first
from surveys.common.content_policy import origin_of
from surveys.common.servers import NotProven, NotReached, is_safe, token_claims
from surveys.credit.selectors import survey_with_credit
from surveys.lti.selectors import deployments_of, platform_named
from surveys.lti.services.keys import sign
from surveys.models import CoursePlatform, Survey
from surveys.models.credit import LONGEST_ADDRESS

LTI = "https://purl.imsglobal.org/spec/lti/claim/"
_DEEP_LINKING = "https://purl.imsglobal.org/spec/lti-dl/claim/"
_GRADES = "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint"
SCORE_SCOPE = "https://purl.imsglobal.org/spec/lti-ags/scope/score"
VERSION = "1.3.0"
RESOURCE, DEEP_LINK = "LtiResourceLinkRequest", "LtiDeepLinkingRequest"
# To sign in at the platform on the way; shorter than what `is_first` remembers.
LOGIN_SECONDS = 600
LAUNCH_SECONDS = 3600
_LOGIN_SALT = "deniable.lti-login"
# As the table of waiting scores has it.
_LONGEST_SUBJECT = 255
# Browsers keep no cookie that is longer, with its name and attributes.
_LONGEST_COOKIE = 3800


class NotLaunched(StrEnum):
    """Why a launch goes no further: a page has words for each."""

    AWAY = "away"
    STALE = "stale"
    UNKNOWN = "unknown"
    UNPROVEN = "unproven"
    NO_SUBJECT = "no-subject"
    NO_GRADES = "no-grades"
    NO_SURVEY = "no-survey"


class LaunchRefused(Exception):  # noqa: N818 - reads as a sentence where it is raised
    """The detail is for the operator, and says nothing of the person."""

    def __init__(self, why: NotLaunched, detail: str = "") -> None:
        super().__init__(why, detail)
        self.why, self.detail = why, detail


@dataclass(frozen=True, slots=True)
class Launch:
    """What is kept of a student's launch, in their browser and nowhere else."""

    platform: int
    subject: str
    line_item: str
    survey: str


@dataclass(frozen=True, slots=True)
class DeepLinking:
    """What is kept while an instructor chooses a survey for their course."""

    platform: int
    deployment: str
    return_address: str
    data: str | None


_Kept = TypeVar("_Kept", Launch, DeepLinking)


def kept(what: Launch | DeepLinking) -> str:
    """Return what the browser keeps for an hour."""
    cookie = signing.dumps(asdict(what), salt=_salt(type(what)), compress=True)
    if len(cookie) > _LONGEST_COOKIE:
        raise LaunchRefused(NotLaunched.UNPROVEN, "what the platform sent is too long to be kept")
    return cookie


def read_kept(kind: type[_Kept], cookie: str) -> _Kept | None:
    """Return what this server let the browser keep; nothing where it is another thing, too old or changed."""
    try:
        return kind(**signing.loads(cookie, salt=_salt(kind), max_age=LAUNCH_SECONDS))
    except signing.BadSignature:
        return None


def _salt(kind: type) -> str:
    return f"deniable.lti-{kind.__name__}"


# There and back.


def begin(*, asked: Mapping[str, str], launch_address: str) -> tuple[str, str]:
    """Return where a platform's login is answered, and what the browser keeps until it comes back.

    Raises
    ------
    LaunchRefused
        Nobody has registered the platform, or it wants to lead elsewhere.
    """
    platform = platform_named(asked.get("iss", ""), asked.get("client_id", ""))
    if platform is None:
        raise LaunchRefused(NotLaunched.UNKNOWN, "no platform is registered with this issuer and client ID")
    if asked.get("target_link_uri") != launch_address:
        raise LaunchRefused(NotLaunched.UNPROVEN, f"the target link URI of a login is not {launch_address}")
    state, nonce = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
    query = {
        "scope": "openid",
        "response_type": "id_token",
        "response_mode": "form_post",
        "prompt": "none",
        "client_id": platform.client_id,
        "redirect_uri": launch_address,
        "login_hint": asked.get("login_hint", ""),
        "state": state,
        "nonce": nonce,
        **({"lti_message_hint": asked["lti_message_hint"]} if "lti_message_hint" in asked else {}),
    }
    address = platform.login_address
    cookie = signing.dumps([platform.pk, state, nonce], salt=_LOGIN_SALT)
    return f"{address}{'&' if urlsplit(address).query else '?'}{urlencode(query)}", cookie


def finish(*, form: Mapping[str, str], cookie: str, launch_address: str) -> Launch | DeepLinking:
    """Return what a platform's message launches: once, and only in the browser that was sent there.

    Raises
    ------
    LaunchRefused
        The message does not prove what it should, or lacks what credit needs.
    """
    try:
        platform_id, state, nonce = signing.loads(cookie, salt=_LOGIN_SALT, max_age=LOGIN_SECONDS)
    except signing.BadSignature:
        raise LaunchRefused(NotLaunched.STALE) from None
    if not constant_time_compare(state, form.get("state", "")) or not is_first(what="lti", name=nonce):
        raise LaunchRefused(NotLaunched.STALE)
    platform = CoursePlatform.objects.filter(pk=platform_id).first()
    if platform is None:
        raise LaunchRefused(NotLaunched.UNKNOWN)
    if "error" in form:
        raise LaunchRefused(NotLaunched.STALE, f"{urlsplit(platform.issuer).netloc} answered a login with an error")
    claims = _proven(platform, form.get("id_token", ""), nonce)
    if claims.get(f"{LTI}deployment_id") not in deployments_of(platform):
        raise LaunchRefused(NotLaunched.UNKNOWN, "its deployment ID is not registered")
    if claims.get(f"{LTI}version") != VERSION or claims.get(f"{LTI}target_link_uri") != launch_address:
        raise LaunchRefused(NotLaunched.UNPROVEN, "its version or its target link URI is another one")
    message_type = claims.get(f"{LTI}message_type")
    if message_type == RESOURCE:
        return _resource(platform, claims)
    if message_type == DEEP_LINK:
        return _deep_linking(platform, claims)
    raise LaunchRefused(NotLaunched.UNPROVEN, "its message type is not known here")


def _proven(platform: CoursePlatform, token: str, nonce: str) -> dict[str, Any]:
    try:
        return token_claims(
            token,
            keys_address=platform.keys_address,
            issuer=platform.issuer,
            client=platform.client_id,
            nonce=nonce,
        )
    except NotReached as failure:
        raise LaunchRefused(NotLaunched.AWAY, str(failure)) from None
    except NotProven as failure:
        # Also of a launch that nobody has signed in to: it names no student.
        raise LaunchRefused(NotLaunched.UNPROVEN, str(failure)) from None


def _object(claims: Mapping[str, Any], name: str) -> dict[str, Any]:
    held = claims.get(name)
    return held if isinstance(held, dict) else {}


def _resource(platform: CoursePlatform, claims: dict[str, Any]) -> Launch:
    subject = claims["sub"]
    if not (isinstance(subject, str) and 0 < len(subject) <= _LONGEST_SUBJECT and subject.isprintable()):
        raise LaunchRefused(NotLaunched.NO_SUBJECT)
    if not _object(claims, f"{LTI}resource_link").get("id"):
        raise LaunchRefused(NotLaunched.UNPROVEN, "it names no resource link")
    survey = survey_with_credit(str(_object(claims, f"{LTI}custom").get("survey", "")))
    if survey is None:
        raise LaunchRefused(NotLaunched.NO_SURVEY)
    grades = _object(claims, _GRADES)
    line_item, scopes = grades.get("lineitem"), grades.get("scope")
    if not (isinstance(scopes, list) and SCORE_SCOPE in scopes and _is_asked(line_item)):
        raise LaunchRefused(NotLaunched.NO_GRADES)
    return Launch(platform.pk, subject, str(line_item), survey.code)


def _is_asked(address: object) -> bool:
    return is_safe(address) and len(str(address)) <= LONGEST_ADDRESS and str(address).isascii()


# Deep linking.


def _deep_linking(platform: CoursePlatform, claims: dict[str, Any]) -> DeepLinking:
    asked = _object(claims, f"{_DEEP_LINKING}deep_linking_settings")
    address, types, data = asked.get("deep_link_return_url"), asked.get("accept_types"), asked.get("data")
    if not (_is_named(address) and isinstance(types, list) and "ltiResourceLink" in types):
        raise LaunchRefused(NotLaunched.UNPROVEN, "it takes no link, or says no safe address to send it to")
    if not (data is None or isinstance(data, str)):
        raise LaunchRefused(NotLaunched.UNPROVEN, "its data are no text")
    return DeepLinking(platform.pk, str(claims[f"{LTI}deployment_id"]), str(address), data)


def _is_named(address: object) -> bool:
    """Whether it is safe, and the page's policy can name it as the only address for its form."""
    try:
        return is_safe(address) and bool(origin_of(str(address)))
    except ValueError:
        return False


def deep_link_response(*, platform: CoursePlatform, linking: DeepLinking, survey: Survey, launch_address: str) -> str:
    """Return the signed link to a survey for the instructor's course."""
    link = {
        "type": "ltiResourceLink",
        "title": survey.title,
        "url": launch_address,
        "custom": {"survey": survey.code},
        "lineItem": {"scoreMaximum": 1, "label": survey.title, "resourceId": survey.code},
        "window": {"targetName": "_blank"},
    }
    return sign(
        {
            "iss": platform.client_id,
            "aud": platform.issuer,
            "nonce": secrets.token_urlsafe(32),
            f"{LTI}deployment_id": linking.deployment,
            f"{LTI}message_type": "LtiDeepLinkingResponse",
            f"{LTI}version": VERSION,
            f"{_DEEP_LINKING}content_items": [link],
            **({} if linking.data is None else {f"{_DEEP_LINKING}data": linking.data}),
        }
    )
