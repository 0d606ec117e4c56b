"""An independent tool's library reads what our platform of the tests sends, and what this tool answers."""

from urllib.parse import parse_qsl, urlsplit

import pytest
from django.test import Client, RequestFactory
from joserfc.jwk import RSAKey

from tests.lti.platform import (
    CLIENT,
    DEPLOYMENT,
    LAUNCH,
    STUDENT,
    Platform,
    begin,
    deep_linking,
    platform,
)

__all__ = ["platform"]

pytestmark = [pytest.mark.django_db, pytest.mark.oracle]
_REASON = "compares with PyLTI1p3next: `make test` installs it"


def _tool(platform: Platform) -> object:
    """Return how the library knows the platform."""
    from pylti1p3.tool_config import ToolConfDict

    key = RSAKey.generate_key(2048)
    tool = ToolConfDict(
        {
            platform.address: [
                {
                    "default": True,
                    "client_id": CLIENT,
                    "auth_login_url": f"{platform.address}/login",
                    "auth_token_url": f"{platform.address}/token",
                    "key_set": platform.keys(),
                    "deployment_ids": [DEPLOYMENT],
                }
            ]
        }
    )
    tool.set_private_key(platform.address, key.as_pem(private=True).decode(), client_id=CLIENT)
    return tool


@pytest.mark.parametrize("kind", ["resource", "deep link"])
def test_another_tool_takes_what_our_platform_sends(platform: Platform, kind: str, client: Client) -> None:
    """So what our tests launch with is a launch as others understand it."""
    django = pytest.importorskip("pylti1p3.contrib.django", reason=_REASON)
    platform.row()
    location = begin(client, platform)
    query = dict(parse_qsl(urlsplit(location).query))
    form = platform.message(location, **(deep_linking(platform) if kind == "deep link" else {}))
    request = RequestFactory().post(LAUNCH, form)
    request.session = {}  # type: ignore[assignment]
    message = django.DjangoMessageLaunch(request, _tool(platform))
    message._session_service.save_nonce(query["nonce"])
    message._cookie_service.get_cookie = lambda _name: query["state"]
    message.validate()
    said = message.get_launch_data()
    assert said["sub"] == STUDENT
    assert (message.is_resource_launch(), message.is_deep_link_launch()) == (kind == "resource", kind == "deep link")
