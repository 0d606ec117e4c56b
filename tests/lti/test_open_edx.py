"""Open edX's own classes as the platform: a launch, a score and a link for a course."""

import json
import re
import sys
from email.message import Message
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.http import HttpResponse
from django.test import Client
from joserfc.jwk import RSAKey
from pytest_django import Settings

from surveys.lti.services.scores import send_scores
from surveys.models import CoursePlatform, WaitingScore
from tests.credit.receipts import closed_with_credit, make_receipt
from tests.lti.platform import CLIENT, DEEP_LINK, DEPLOYMENT, HERE, KEYS, LAUNCH, LOGIN, SCORE, Platform, platform
from tests.pages import text_of

__all__ = ["platform"]

Consumer = Any  # the package has no types

pytestmark = [pytest.mark.django_db, pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]


def _part(name: str) -> ModuleType:
    """Import a part of the package without the rest, which needs an Open edX around it."""
    if "lti_consumer" not in sys.modules:
        found = find_spec("lti_consumer")
        if found is None:
            pytest.skip("runs Open edX’s classes: `make test` installs lti-consumer-xblock")
        package = sys.modules["lti_consumer"] = ModuleType("lti_consumer")
        package.__path__ = found.submodule_search_locations
    return import_module(f"lti_consumer.{name}")


@pytest.fixture
def consumer(client: Client, platform: Platform, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Consumer:
    """What Open edX launches with; its platform is registered here."""
    settings.PLATFORM_NAME = "Open edX"
    platform.row()
    module, held = _part("lti_1p3.consumer"), {}
    monkeypatch.setattr(module, "cache_lti_1p3_launch_data", lambda data: held.update(hint=data) or "hint")
    monkeypatch.setattr(module, "get_data_from_cache", held.get)
    consumer = module.LtiAdvantageConsumer(
        iss=platform.address,
        lti_oidc_url=HERE + LOGIN,
        lti_launch_url=HERE + LAUNCH,
        client_id=CLIENT,
        deployment_id=DEPLOYMENT,
        rsa_key=RSAKey.generate_key(2048).as_pem(private=True).decode(),
        rsa_key_id="edx-1",
        redirect_uris=[HERE + LAUNCH],
        tool_key=RSAKey.import_key(client.get(KEYS).json()["keys"][0]).as_pem(private=False).decode(),
    )
    platform.published = json.loads(json.dumps(consumer.get_public_keyset()))
    return consumer


def _launch(client: Client, consumer: Consumer, message_type: str = "LtiResourceLinkRequest") -> HttpResponse:
    data = _part("data").Lti1p3LaunchData(
        user_id="edx-user-1", user_role="student", config_id="1", resource_link_id="block-1", message_type=message_type
    )
    begun = client.get(consumer.prepare_preflight_url(data).removeprefix(HERE))
    answer = consumer.generate_launch_request(dict(parse_qsl(urlsplit(begun["Location"]).query)))
    return client.post(LAUNCH, answer)


def test_a_student_comes_from_open_edx_and_the_score_is_taken_there(
    client: Client, platform: Platform, consumer: Consumer
) -> None:
    survey = closed_with_credit()
    consumer.set_user_data("edx-user-1", "student", full_name="Ada", email_address="ada@example.org")
    consumer.set_resource_link_claim("block-1", title="Credit")
    consumer.set_launch_presentation_claim("window")
    consumer.set_custom_parameters({"survey": survey.code})
    consumer.enable_ags(lineitems_url=f"{platform.address}/items", lineitem_url=f"{platform.address}/items/5")
    address = _launch(client, consumer)["Location"]
    assert client.post(address, {"receipt": make_receipt(survey)}).status_code == 302
    taken = []

    def take(path: str, sent: dict[str, Any], headers: Message) -> tuple[int, dict[str, Any]]:
        allowed = consumer.check_token(headers["Authorization"].removeprefix("Bearer "), [SCORE])
        taken.append((path, sent["userId"], allowed))
        return 200 if allowed else 401, {}

    platform.grant = lambda form: (200, consumer.access_token(form))  # type: ignore[method-assign]
    platform.take = take  # type: ignore[method-assign]
    waiting = list(WaitingScore.objects.all())
    assert send_scores(platform=CoursePlatform.objects.get(), scores=waiting) == waiting
    assert taken == [("/items/5/scores", "edx-user-1", True)]


def test_open_edx_takes_the_link_to_a_survey(client: Client, platform: Platform, consumer: Consumer) -> None:
    survey = closed_with_credit()
    consumer.set_user_data("teacher-1", "instructor")
    consumer.enable_deep_linking(HERE + LAUNCH, f"{platform.address}/return?course=4")
    assert _launch(client, consumer, "LtiDeepLinkingRequest")["Location"] == DEEP_LINK
    (token,) = re.findall(r'name="JWT" value="([^"]+)"', text_of(client.post(DEEP_LINK, {"code": survey.code})))
    (link,) = consumer.check_and_decode_deep_linking_token(token)
    assert (link["type"], link["custom"]) == ("ltiResourceLink", {"survey": survey.code})


def test_what_another_key_signed_is_refused(client: Client, platform: Platform, consumer: Consumer) -> None:
    consumer.set_user_data("edx-user-1", "student")
    consumer.set_resource_link_claim("block-1")
    consumer.set_custom_parameters({"survey": closed_with_credit().code})
    platform.published = Platform(platform.address).keys()
    assert _launch(client, consumer).context["why"] == "unproven"
