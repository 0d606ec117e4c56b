"""Registering a platform by a link (LTI Dynamic Registration 1.0): an admin makes it, and the platform opens it.

Where such a link leads this server to is up to whoever holds it. So it works once, asks public addresses only (the
local demo also its own machine), over https, and shows nothing of what they answer: a server inside the operator's
network is registered by hand. A name that leads elsewhere later meets a server without a certificate for it.
"""

import json
import secrets
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core import signing
from django.core.exceptions import ValidationError

from surveys.accounts.services.sign_in import is_first
from surveys.common.servers import Answer, NotReached, is_public, is_safe, open_address
from surveys.lti.selectors import ToolAddresses
from surveys.lti.services.keys import store_platform
from surveys.lti.services.launching import DEEP_LINK, RESOURCE, SCORE_SCOPE
from surveys.models import CoursePlatform

LINK_SECONDS = 3600
_SALT = "deniable.lti-register"
_TOOL = "https://purl.imsglobal.org/spec/lti-tool-configuration"
_NAME = "Deniable"


class NotRegistered(Exception):  # noqa: N818 - reads as a sentence where it is raised
    """A platform was not registered; the message is for the operator."""


class LinkExpired(NotRegistered):
    """The link was used, or is too old."""


def new_link() -> str:
    """Return what a link for registering one platform ends with."""
    return signing.dumps(secrets.token_urlsafe(16), salt=_SALT)


def register(*, link: str, configuration: str, token: str, tool: ToolAddresses) -> CoursePlatform:
    """Register a platform by what it says of itself, and this tool with it.

    Raises
    ------
    NotRegistered
        Nothing is stored; the link is spent, whatever happened, so that nobody tries addresses with it.
    """
    try:
        number = signing.loads(link, salt=_SALT, max_age=LINK_SECONDS)
    except signing.BadSignature:
        raise LinkExpired("a link was used that is none, or too old") from None
    if not is_first(what="lti-register", name=number, seconds=LINK_SECONDS):
        raise LinkExpired("a link was used again")
    try:
        return _register(configuration, token, tool)
    except NotReached as failure:
        raise NotRegistered(str(failure)) from None


def _register(configuration: str, token: str, tool: ToolAddresses) -> CoursePlatform:
    authorization = {"Authorization": f"Bearer {token}"} if token.isascii() and token.isprintable() and token else {}
    # Canvas wants the token here, too. Its issuer is another host: that of all schools.
    said = _asked(configuration, **authorization)
    known = said.json() if said.status == 200 else {}
    issuer = str(known.get("issuer", ""))
    addresses = [known.get(f"{name}_endpoint") for name in ("authorization", "token")] + [known.get("jwks_uri")]
    if not all(is_safe(each) for each in (issuer, *addresses)):
        raise NotRegistered("one of its addresses is missing or without https")
    for address in addresses[1:]:
        _require_public(str(address))
    answer = _asked(
        str(known.get("registration_endpoint", "")),
        body=json.dumps(_description(tool)).encode(),
        Content_Type="application/json",
        **authorization,
    )
    given = answer.json()
    client = given.get("client_id")
    if answer.status not in {200, 201} or not (isinstance(client, str) and client.isprintable()):
        raise NotRegistered(f"it did not take the registration ({answer.status})")
    held = given.get(_TOOL)
    deployment = held.get("deployment_id") if isinstance(held, dict) else None
    platform = CoursePlatform(
        # Not as it calls itself: as it was found.
        name=(urlsplit(configuration).hostname or "")[:80],
        issuer=issuer,
        client_id=client,
        # Some platforms make one only when the tool is added to a course: an admin adds it then.
        deployment_ids=str(deployment or ""),
        **dict(zip(("login_address", "token_address", "keys_address"), addresses, strict=True)),
    )
    try:
        platform.full_clean(exclude=["deployment_ids"])
    except ValidationError as refused:
        raise NotRegistered(f"what it says cannot be stored: {', '.join(refused.message_dict)}") from None
    store_platform(platform)
    return platform


def _asked(address: str, **what: Any) -> Answer:
    if not is_safe(address):
        raise NotRegistered("an address is missing or without https")
    _require_public(address)
    return open_address(address, Accept="application/json", **what)


def _require_public(address: str) -> None:
    if not (settings.LOCAL_DEMO or is_public(address)):
        raise NotRegistered(f"{urlsplit(address).netloc} is not public: register its platform by hand")


def _description(tool: ToolAddresses) -> dict[str, Any]:
    """Say what this tool is; of people it asks for nothing but the platform's name for each."""
    chooser = {"type": DEEP_LINK, "target_link_uri": tool.launch, "label": _NAME}
    # Canvas offers a tool for assignments where it asks for that place.
    messages = [{"type": RESOURCE}, chooser | {"placements": ["assignment_selection"]}]
    return {
        "application_type": "web",
        "response_types": ["id_token"],
        "grant_types": ["implicit", "client_credentials"],
        "initiate_login_uri": tool.login,
        "redirect_uris": [tool.launch],
        "client_name": _NAME,
        "jwks_uri": tool.keys,
        "token_endpoint_auth_method": "private_key_jwt",
        "scope": SCORE_SCOPE,
        _TOOL: {
            "domain": urlsplit(tool.launch).netloc,
            "target_link_uri": tool.launch,
            "claims": ["iss", "sub"],
            "messages": messages,
        },
    }
