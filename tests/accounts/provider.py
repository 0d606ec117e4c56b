"""A provider of sign-ins on 127.0.0.1 that does what a test tells it, also what no honest one would."""

import json
import threading
import time
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import pytest
from django.http.response import HttpResponseBase
from django.test import Client
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet
from pytest_django import Settings

CLIENT, SECRET = "deniable", "a secret: with + and %"
START, BACK = "/provider/", "/provider/back/"


@dataclass
class Provider:
    """What it says of itself and of people; each part can be another one than it should."""

    address: str
    key: ECKey = field(
        default_factory=lambda: ECKey.generate_key("P-256", {"kid": "first", "use": "sig", "alg": "ES256"})
    )
    metadata: dict[str, Any] = field(default_factory=dict)
    published: dict[str, Any] | None = None
    userinfo: dict[str, Any] | None = None
    token: str | None = None
    subject: str = ""
    header: dict[str, Any] = field(default_factory=dict)
    codes: dict[str, dict[str, Any]] = field(default_factory=dict)
    pushed: dict[str, dict[str, str]] = field(default_factory=dict)
    # Addresses in the order they were asked for.
    asked: list[str] = field(default_factory=list)
    forms: list[dict[str, str]] = field(default_factory=list)
    status: int = 200
    # Of its clock before ours.
    seconds_ahead: int = 0
    body: bytes | None = None

    def document(self) -> dict[str, Any]:
        return {
            "issuer": self.address,
            "authorization_endpoint": f"{self.address}/authorize",
            "token_endpoint": f"{self.address}/token",
            "jwks_uri": f"{self.address}/keys",
            "userinfo_endpoint": f"{self.address}/userinfo",
            "end_session_endpoint": f"{self.address}/end",
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
            **self.metadata,
        }

    def keys(self) -> dict[str, Any]:
        return self.published or dict(KeySet([self.key]).as_dict(private=False))

    def said_when_asked(self) -> dict[str, Any]:
        return {"sub": self.subject} if self.userinfo is None else self.userinfo

    def asked_for(self, location: str) -> dict[str, str]:
        """Return what a browser that is sent there asks for."""
        query = dict(parse_qsl(urlsplit(location).query))
        return self.pushed[query["request_uri"]] | query if "request_uri" in query else query

    def grant(self, location: str, **claims: Any) -> dict[str, str]:
        """Let somebody sign in there; return what the browser brings back."""
        asked = self.asked_for(location)
        now = int(time.time())
        code = f"code-{len(self.codes)}"
        says = {
            "iss": self.address,
            "sub": "person-1",
            "aud": CLIENT,
            "exp": now + 300,
            "iat": now,
            "nonce": asked["nonce"],
            **claims,
        }
        self.codes[code] = {
            "challenge": asked["code_challenge"],
            "redirect_uri": asked["redirect_uri"],
            "claims": {name: value for name, value in says.items() if value is not None},
        }
        return {"code": code, "state": asked["state"], "iss": self.address}

    def exchange(self, form: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        """Answer at the token endpoint as an honest provider does."""
        granted = self.codes.pop(form.get("code", ""), None)
        shown = b64decode(authorization.removeprefix("Basic ")).decode()
        if shown != "deniable:a+secret%3A+with+%2B+and+%25":
            return 401, {"error": "invalid_client"}
        challenge = urlsafe_b64encode(sha256(form.get("code_verifier", "").encode()).digest()).decode().rstrip("=")
        if granted is None or (granted["challenge"], granted["redirect_uri"]) != (challenge, form["redirect_uri"]):
            return 400, {"error": "invalid_grant"}
        self.subject = granted["claims"].get("sub", "")
        token = self.token or jwt.encode(
            {"alg": "ES256", "kid": self.key.kid, **self.header}, granted["claims"], self.key
        )
        return 200, {"id_token": token, "access_token": "access", "token_type": "Bearer"}


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        path = self._note()
        pages = {
            "/.well-known/openid-configuration": self._provider.document,
            "/keys": self._provider.keys,
            "/userinfo": self._provider.said_when_asked,
            "/authorize": dict,
        }
        self._answer(200, pages[path]())

    def do_POST(self) -> None:
        path = self._note()
        form = dict(parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
        self._provider.forms.append(form)
        if path == "/pushed":
            name = f"urn:example:{len(self._provider.pushed)}"
            self._provider.pushed[name] = form
            self._answer(201, {"request_uri": name, "expires_in": 60})
        else:
            self._answer(*self._provider.exchange(form, self.headers.get("Authorization", "")))

    @property
    def _provider(self) -> Provider:
        return self.server.provider  # type: ignore[attr-defined,no-any-return]

    def _note(self) -> str:
        path = urlsplit(self.path).path
        self._provider.asked.append(path)
        return path

    def _answer(self, status: int, said: dict[str, Any]) -> None:
        body = json.dumps(said).encode() if self._provider.body is None else self._provider.body
        self.send_response(status if self._provider.status == 200 else self._provider.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def date_time_string(self, timestamp: float | None = None) -> str:
        """Return what its clock shows."""
        return super().date_time_string(time.time() + self._provider.seconds_ahead)

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""


@contextmanager
def running() -> Iterator[Provider]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    provider = Provider(f"http://127.0.0.1:{server.server_address[1]}")
    server.provider = provider  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def provider(settings: Settings) -> Iterator[Provider]:
    """A provider that the settings name."""
    with running() as started:
        settings.OIDC_ISSUER, settings.OIDC_NAME = started.address, "the university"
        settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = CLIENT, SECRET
        yield started


def go_there(client: Client, start: str = START) -> str:
    """Begin, and return where the browser is sent."""
    response = client.get(start)
    assert response.status_code == 302, response.content
    return str(response["Location"])


def come_back(client: Client, brought: dict[str, str]) -> HttpResponseBase:
    return client.get(f"{BACK}?{urlencode(brought)}")  # type: ignore[return-value]


def there_and_back(client: Client, provider: Provider, start: str = START, **claims: Any) -> HttpResponseBase:
    """Sign in at the provider as a browser does."""
    return come_back(client, provider.grant(go_there(client, start), **claims))


def query_of(location: str) -> dict[str, list[str]]:
    return parse_qs(urlsplit(location).query)
