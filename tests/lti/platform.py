"""A course platform on 127.0.0.1, written from the specifications, which does what a test tells it.

LTI 1.3, Deep Linking 2.0, Assignment and Grade Services 2.0, Dynamic Registration 1.0.
"""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from django.http import HttpResponse
from django.test import Client
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet, RSAKey

from surveys.lti.services.keys import store_platform
from surveys.models import CoursePlatform

LOGIN, LAUNCH, KEYS, DEEP_LINK = "/lti/login/", "/lti/launch/", "/lti/keys/", "/lti/deep-link/"
HERE = "http://testserver"
CLIENT, DEPLOYMENT, STUDENT = "client-7", "deployment-1", "student-1"
LTI, DL = "https://purl.imsglobal.org/spec/lti/claim/", "https://purl.imsglobal.org/spec/lti-dl/claim/"
AGS = "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint"
SCORE = "https://purl.imsglobal.org/spec/lti-ags/scope/score"
TOOL = "https://purl.imsglobal.org/spec/lti-tool-configuration"
# What a platform sends with every launch, and nobody here may keep.
PERSONAL = {
    "name": "Zebulon Quist",
    "given_name": "Zebulon",
    "email": "zebulon@example.org",
    "picture": "https://pictures.example.org/zebulon.png",
    f"{LTI}roles": ["http://purl.imsglobal.org/vocab/lis/v2/membership#Learner"],
    f"{LTI}context": {"id": "course-4711", "label": "XYLO101", "title": "Xylography for beginners"},
}


def new_key(name: str = "first") -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": name, "use": "sig", "alg": "RS256"})


@dataclass
class Platform:
    """What it says of itself and of people; each part can be another one than it should."""

    address: str
    key: RSAKey = field(default_factory=new_key)
    # Instead of its keys, its configuration, its answer to a registration.
    published: dict[str, Any] | None = None
    configuration: dict[str, Any] = field(default_factory=dict)
    registration: dict[str, Any] | None = None
    token_answer: dict[str, Any] | None = None
    status: int = 200
    score_status: dict[str, int] = field(default_factory=dict)
    body: bytes | None = None
    seconds_ahead: int = 0
    asked: list[str] = field(default_factory=list)
    registered: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    # Of each score: its line item, the student, and the whole of it.
    scores: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    configured_with: str = ""
    # In a browser: the claims of the message that its login page sends, and the tokens that it was sent back.
    says: dict[str, Any] = field(default_factory=dict)
    returned: list[str] = field(default_factory=list)
    nonces: set[str] = field(default_factory=set)
    tool_keys: dict[str, Any] = field(default_factory=dict)

    @property
    def line_item(self) -> str:
        return f"{self.address}/items/5?type_id=1"

    def row(self, **changes: Any) -> CoursePlatform:
        """Register it."""
        described = {
            "name": "Moodle",
            "issuer": self.address,
            "client_id": CLIENT,
            "deployment_ids": f"another\n{DEPLOYMENT}",
            "login_address": f"{self.address}/login",
            "token_address": f"{self.address}/token",
            "keys_address": f"{self.address}/keys",
        }
        row = CoursePlatform(**(described | changes))
        store_platform(row)
        return row

    def login(self, **changes: str | None) -> dict[str, str]:
        """Return what it begins a launch with."""
        asked = {
            "iss": self.address,
            "client_id": CLIENT,
            "lti_deployment_id": DEPLOYMENT,
            "target_link_uri": HERE + LAUNCH,
            "login_hint": "hint & more",
            "lti_message_hint": "message=1",
            **changes,
        }
        return {name: value for name, value in asked.items() if value is not None}

    def claims(self, location: str, **changes: Any) -> dict[str, Any]:
        """Return what a message says, to where it sends a browser; None leaves a claim out."""
        now, query = int(time.time()), dict(parse_qsl(urlsplit(location).query))
        says = {
            "iss": self.address,
            "aud": CLIENT,
            "sub": STUDENT,
            "exp": now + 3600,
            "iat": now,
            "nonce": query["nonce"],
            f"{LTI}deployment_id": DEPLOYMENT,
            f"{LTI}version": "1.3.0",
            f"{LTI}message_type": "LtiResourceLinkRequest",
            f"{LTI}target_link_uri": HERE + LAUNCH,
            f"{LTI}resource_link": {"id": "link-1", "title": "Credit"},
            AGS: {"scope": [SCORE], "lineitem": self.line_item},
            **PERSONAL,
            **changes,
        }
        return {name: value for name, value in says.items() if value is not None}

    def message(self, location: str, *, header: dict[str, Any] | None = None, **changes: Any) -> dict[str, str]:
        """Return the form that the browser posts back."""
        query = dict(parse_qsl(urlsplit(location).query))
        token = jwt.encode(
            {"alg": "RS256", "kid": self.key.kid, **(header or {})}, self.claims(location, **changes), self.key
        )
        return {"id_token": token, "state": query["state"]}

    # What it answers.

    def config(self) -> dict[str, Any]:
        return {
            "issuer": self.address,
            "authorization_endpoint": f"{self.address}/login",
            "token_endpoint": f"{self.address}/token",
            "jwks_uri": f"{self.address}/keys",
            "registration_endpoint": f"{self.address}/register",
            "scopes_supported": ["openid", SCORE],
            **self.configuration,
        }

    def keys(self) -> dict[str, Any]:
        return self.published or dict(KeySet([self.key]).as_dict(private=False))

    def grant(self, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        """Give leave to send scores to a tool that shows who it is, once with each assertion."""
        if self.token_answer is not None:
            return 200, self.token_answer
        keys = KeySet.import_key_set(self.tool_keys)  # type: ignore[arg-type]
        try:
            said = jwt.decode(form["client_assertion"], keys, algorithms=["RS256"]).claims
        except (JoseError, ValueError):
            return 401, {"error": "invalid_client"}
        good = (
            form["grant_type"] == "client_credentials"
            and form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
            and (said["iss"], said["sub"], said["aud"]) == (CLIENT, CLIENT, f"{self.address}/token")
            and said["exp"] > time.time()
            and said["jti"] not in self.nonces
            and form["scope"] == SCORE
        )
        self.nonces.add(said["jti"])
        return (200, {"access_token": "leave", "token_type": "Bearer"}) if good else (400, {"error": "invalid_client"})

    def take(self, path: str, sent: dict[str, Any], headers: Message) -> tuple[int, dict[str, Any]]:
        """Take a score at a line item, which may have a query."""
        right = headers["Authorization"] == "Bearer leave"
        if not right or headers["Content-Type"] != "application/vnd.ims.lis.v1.score+json":
            return 401, {}
        status = self.score_status.get(sent["userId"], 200)
        if status == 200:
            self.scores.append((path, sent["userId"], sent))
        return status, {}

    def page(self, location: str) -> str:
        """Return a page of its own: one that sends a message on, as soon as it is there, or one with a frame."""
        query = dict(parse_qsl(urlsplit(location).query))
        if "redirect_uri" not in query:
            return f"<iframe src='{escape(query.get('frame', 'about:blank'))}' width=800 height=600></iframe>"
        fields = "".join(
            f"<input name={name} value='{escape(value)}'>"
            for name, value in self.message(location, **self.says).items()
        )
        form = f"<form method=post action='{escape(query['redirect_uri'])}'>{fields}</form>"
        return f"{form}<script>document.forms[0].submit()</script>"

    def register(self, sent: dict[str, Any], headers: Message) -> tuple[int, dict[str, Any]]:
        self.registered.append((headers.get("Authorization", ""), sent))
        tool = {**sent[TOOL], "deployment_id": DEPLOYMENT}
        return 200, {**sent, "client_id": CLIENT, TOOL: tool} if self.registration is None else self.registration


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if urlsplit(self.path).path == "/login":
            self._send(200, self._platform.page(self.path).encode(), "text/html")
            return
        pages = {"/config": self._platform.config, "/keys": self._platform.keys}
        if self.path == "/config":
            self._platform.configured_with = self.headers.get("Authorization", "")
        self._answer(200, pages[self._note()]())

    def do_POST(self) -> None:
        path, raw = self._note(), self.rfile.read(int(self.headers["Content-Length"])).decode()
        if path == "/token":
            self._answer(*self._platform.grant(dict(parse_qsl(raw))))
        elif path == "/return":
            self._platform.returned.append(dict(parse_qsl(raw))["JWT"])
            self._answer(200, {})
        elif path == "/register":
            self._answer(*self._platform.register(json.loads(raw), self.headers))
        else:
            self._answer(*self._platform.take(self.path, json.loads(raw), self.headers))

    @property
    def _platform(self) -> Platform:
        return self.server.platform  # type: ignore[attr-defined,no-any-return]

    def _note(self) -> str:
        path = urlsplit(self.path).path
        self._platform.asked.append(path)
        return path

    def _answer(self, status: int, said: dict[str, Any]) -> None:
        body = json.dumps(said).encode() if self._platform.body is None else self._platform.body
        self._send(status, body, "application/json")

    def _send(self, status: int, body: bytes, content_type: str) -> None:
        self.send_response(status if self._platform.status == 200 else self._platform.status)
        self.send_header("Content-Type", content_type)
        self.send_header("Location", f"{self._platform.address}/elsewhere")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def date_time_string(self, timestamp: float | None = None) -> str:
        """Return what its clock shows."""
        return super().date_time_string(time.time() + self._platform.seconds_ahead)

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""


@contextmanager
def running() -> Iterator[Platform]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    platform = Platform(f"http://127.0.0.1:{server.server_address[1]}")
    server.platform = platform  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield platform
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def platform() -> Iterator[Platform]:
    """A platform that nobody has registered yet."""
    with running() as started:
        yield started


def begin(client: Client, platform: Platform, **changes: str | None) -> str:
    """Begin a launch, and return where the browser is sent."""
    response = client.get(f"{LOGIN}?{urlencode(platform.login(**changes))}")
    assert response.status_code == 302, response.content
    return str(response["Location"])


def launch(client: Client, platform: Platform, **changes: Any) -> HttpResponse:
    """Launch as a browser does."""
    return client.post(LAUNCH, platform.message(begin(client, platform), **changes))


def deep_linking(platform: Platform, **changes: Any) -> dict[str, Any]:
    """Return the claims of a message that asks for a link."""
    return {
        f"{LTI}message_type": "LtiDeepLinkingRequest",
        f"{LTI}resource_link": None,
        f"{DL}deep_linking_settings": {
            "deep_link_return_url": f"{platform.address}/return;now?course=4",
            "accept_types": ["link", "ltiResourceLink"],
            "accept_presentation_document_targets": ["iframe", "window"],
            "data": "opaque: 42",
            **changes,
        },
    }
