"""The OpenAPI document says what programs get: every address is tried with what it declares, and with what it does not.

A fixed seed and a few examples an address; the throttling of wrong tokens is set aside, as all of them are tried.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.test import RequestFactory
from hypothesis import HealthCheck
from hypothesis import settings as examples

from surveys.exporting.views import api_document
from surveys.models import Release, Survey
from surveys.wsgi import application
from tests.releases.setting import published_release, ready_survey
from tests.tokens.programs import READ, closed_survey, token_of

schemathesis = pytest.importorskip("schemathesis", reason="what programs get is tried by schemathesis")
checks = pytest.importorskip("schemathesis.specs.openapi.checks")

pytestmark = [pytest.mark.django_db, pytest.mark.oracle, pytest.mark.uncounted]

_SCHEMAS = (Path(settings.BASE_DIR) / "static/schemas").as_uri()
_WRITTEN = api_document(RequestFactory().get("/")).content.decode()
_CONFIG = {"generation": {"deterministic": True, "database": "none", "max-examples": 3, "mode": "all"}}
CHECKS = [
    schemathesis.checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
    checks.unsupported_method,
    checks.ignored_auth,
]


def _loaded(written: str) -> Any:  # noqa: ANN401 - schemathesis may not be installed
    """Return the document for schemathesis, which reads the published schemas from their files."""
    document = json.loads(written.replace("/static/schemas", _SCHEMAS))
    loaded = schemathesis.openapi.from_dict(document, config=schemathesis.config.SchemathesisConfig.from_dict(_CONFIG))
    loaded.app = application
    return loaded


api = _loaded(_WRITTEN)


@pytest.fixture
def survey(monkeypatch: pytest.MonkeyPatch) -> Iterator[Survey]:
    """A survey to read, in a database that requests from outside Django's own client leave open."""
    monkeypatch.setattr("surveys.tokens.services.TRIES_A_WINDOW", 30_000)
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield closed_survey()
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def token(survey: Survey) -> str:
    return token_of(survey)


@pytest.fixture
def release(survey: Survey) -> Release:
    return published_release(ready_survey())


def _answer(case: schemathesis.Case, survey: Survey, token: str, release: Release | None = None) -> None:
    """Call an address for a survey that there is: codes that are made up are of nobody."""
    if case.path_parameters:
        case.path_parameters = {"id": release.pk} if release and "id" in case.path_parameters else {"code": survey.code}
    headers = {"Authorization": f"Bearer {token}", "Accept-Encoding": "identity"}
    response = case.call(headers=headers)
    case.validate_response(response, checks=CHECKS, headers=headers)
    if response.request.method == "GET" and response.request.headers.get("Authorization") == headers["Authorization"]:
        assert response.status_code == 200


@api.parametrize()
@examples(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_every_address_answers_as_described(
    case: schemathesis.Case, survey: Survey, token: str, release: Release
) -> None:
    _answer(case, survey, token, release)


def test_the_document_is_valid_and_has_what_a_token_opens() -> None:
    api.validate()
    operations = {operation.ok().definition.raw["operationId"] for operation in api.get_all_operations()}
    assert operations == {*READ, "release-json"}


@pytest.mark.parametrize(
    ("said", "instead"),
    [
        ('"application/json"', '"application/xml"'),
        ("#/$defs/figures", "#/$defs/responses"),
        ('"200"', '"202"'),
    ],
)
def test_a_document_that_says_something_else_would_be_found(
    survey: Survey, token: str, said: str, instead: str
) -> None:
    assert said in _WRITTEN
    operation = _loaded(_WRITTEN.replace(said, instead))["/surveys/{code}/export/figures.json"]["GET"]
    with pytest.raises(schemathesis.core.failures.FailureGroup):
        _answer(operation.Case(path_parameters={"code": survey.code}), survey, token)
