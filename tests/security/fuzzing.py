"""Requests that are nearly right: bodies grown from the pages' own forms, sent by whoever is signed in, with tokens.

The addresses come from the URL configuration and the fields from the pages' own forms, so what is added later is tried
too. A seed makes every run the same; the form that each POST starts from is one that the page itself would send.
"""

import gzip
import itertools
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from html import unescape
from string import ascii_letters
from urllib.parse import quote, urlencode, urljoin

from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.test import Client
from django.urls import URLPattern, URLResolver
from django.urls.resolvers import RoutePattern

from tests.security.addresses.dump import changed, dump
from tests.security.whole import broken, states

SEED = 20_261_126
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW")
NASTY = (
    "", " ", "0", "-0", "-1", "1", "2", "9" * 40, "1e400", "-1e400", "1e-400", "NaN", "nan", "inf", "-Infinity",
    "0x10", "1/0", "0/0", "1/3", "½", "٣", "७", "1_000", "1,000", "7.5", "+7", "−7", "None", "null", "true", "on",
    "[]", "{}", '["a", 1]', '{"a": {"b": []}}', "'", '"', "' OR 1=1 --", "%00", "\x00", "\x01\x02",
    "\r\nSet-Cookie: a=b", "\u202e", "\ud7ff", "\ue000", "\U0001f4a9" * 30, "e\u0301" * 40, "ſtraße", "İ", "🏳️‍🌈",
    "<script>alert(1)</script>", "{{ 7*7 }}", "{% x %}", "../../etc/passwd", "..%2f..", "//evil.example/",
    "https://evil.example", "javascript:alert(1)", "a" * 300, "A" * 5_000, "x\n" * 200, "2026-13-45",
    "2026-02-30T25:61", "0001-01-01T00:00", "9999-12-31T23:59", "2026-03-29T02:30", "1" * 150, "-" * 150, "0" * 29,
    "2147483647", "2147483648", "9223372036854775807", "9223372036854775808", "device", "own_coin", "server", "save",
    "add", "refresh", "question-0", "__proto__", "id", "pk", "csrfmiddlewaretoken", "[" * 2_000, '{"a":' * 2_000,
)  # fmt: skip
BODIES = (
    ("application/json", b'{"reports": "1", "mode": ["device"]}'), ("application/json", b"\xff\xfe{"),
    ("text/plain", b"reports=1"), ("multipart/form-data", b"--x\r\n"), ("multipart/form-data; boundary=x", b"--x--"),
    ("multipart/form-data; boundary=x", b'--x\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n1--x--'),
    ("application/x-www-form-urlencoded; charset=nosuch", b"mode=device&reports=%ff%fe%00"),
    ("application/x-www-form-urlencoded", b"&=&&a=b&=c&" + b"x=1&" * 300),
    ("application/x-www-form-urlencoded", b"reports=" + b"1" * 300_000), ("", b"\x00" * 64),
)  # fmt: skip
HEADERS = (
    {}, {}, {}, {}, {"Accept": "application/json"}, {"Accept-Encoding": "gzip, br;q=NaN"},
    {"Accept-Language": "de;q=x,\x01,zz-" + "y" * 50}, {"Accept": "*/*;q=\x7f", "Referer": "http://[::1"},
    {"If-None-Match": 'W/"' + "x" * 200, "If-Modified-Since": "yesterday"},
    {"X-Forwarded-Proto": "https", "X-Forwarded-For": "'; --"}, {"Origin": "null"}, {"Range": "bytes=9-1"},
)  # fmt: skip
COOKIES = {"deniable_done": "\x01", "deniable_receipt": "device.1%00", "language": "zz", "django_language": "x" * 99}
# Whoever signs in, is refused or is shown a page may leave these; behind a refusal nothing else may change.
_TRACES = {"django_session", "surveys_tries", "surveys_signin", "surveys_knownbrowser", "otp_totp_totpdevice"}
_AT_HOME = {"admin": "superuser", "surveys": "owner", "account": "owner", "password": "owner", "invited": "stranger"}
_MOST_FORMS = 12

Fields = dict[str, str]
Body = dict[str, object]


@dataclass(frozen=True)
class Setting:
    """Who sends requests, what addresses may name, and what fields of a name may hold."""

    clients: dict[str, Client]
    values: dict[str, tuple[str, ...]]
    typed: dict[str, tuple[str, ...]]
    reports: dict[str, str]  # by the survey's code
    files: tuple[tuple[str, bytes], ...]


@dataclass(frozen=True)
class Failure:
    """A request that found something, exactly as it was sent."""

    what: str
    visitor: str
    method: str
    address: str
    body: object


def routes(patterns: list[URLPattern | URLResolver], before: str = "") -> Iterator[str]:
    """Return every address as its route, the admin site's too."""
    for pattern in patterns:
        if not isinstance(pattern.pattern, RoutePattern):
            continue  # the admin site's last resort, for addresses that are none
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, route)
        else:
            yield route


def addresses(route: str, setting: Setting, draw: random.Random) -> Iterator[str]:
    """Return addresses of a route without end: right parts mostly, nasty ones in between."""
    names = re.findall(r"<(?:\w+:)?(\w+)>", route)
    right = [setting.values.get(name, ("1",)) for name in names]
    yield from (_address(route, parts) for parts in itertools.islice(itertools.product(*right), 6))
    while True:
        yield _address(route, tuple(draw.choice(NASTY if draw.random() < 0.1 else values) or "x" for values in right))


def _address(route: str, parts: tuple[str, ...]) -> str:
    for part in parts:
        route = re.sub(r"<[^>]+>", lambda _match, part=part: quote(part, safe=""), route, count=1)
    return f"/{route}"


@dataclass(frozen=True)
class Form:
    """A form of a page: where it goes, what it would send, and what else could be chosen in it."""

    address: str
    fields: Fields
    choices: dict[str, tuple[str, ...]]
    files: tuple[str, ...]


def forms_of(html: str, address: str, method: str = "post") -> list[Form]:
    """Return the forms of a page that it would send with this method."""
    forms = re.findall(r"<form\b([^>]*)>(.*?)</form>", html, re.DOTALL)
    return [_form(urljoin(address, _attribute(tag, "action")), body) for tag, body in forms if method in tag.lower()]


def _form(address: str, html: str) -> Form:
    fields: Fields = {}
    choices: dict[str, list[str]] = {}
    files: list[str] = []
    for tag in re.findall(r"<(?:input|button)\b[^>]*>", html):
        name, value = _attribute(tag, "name"), _attribute(tag, "value")
        if name and 'type="file"' in tag:
            files.append(name)
        elif name and re.search(r'type="(radio|checkbox|submit)"', tag):
            choices.setdefault(name, []).append(value or "on")
            if name not in fields or " checked" in tag:
                fields[name] = value or "on"
        elif name:
            fields[name] = value
    for tag, body in re.findall(r"<textarea\b([^>]*)>(.*?)</textarea>", html, re.DOTALL):
        fields[_attribute(tag, "name")] = unescape(body).removeprefix("\n")
    for tag, options in re.findall(r"<select\b([^>]*)>(.*?)</select>", html, re.DOTALL):
        values = [unescape(value) for value in re.findall(r'<option\b[^>]*value="([^"]*)"', options)]
        chosen = re.findall(r'value="([^"]*)" selected', options)
        fields[_attribute(tag, "name")] = unescape(chosen[0]) if chosen else values[0] if values else ""
        choices[_attribute(tag, "name")] = values
    fields.pop("", None)
    return Form(address, fields, {name: tuple(values) for name, values in choices.items()}, tuple(files))


def _attribute(tag: str, name: str) -> str:
    match = re.search(rf'\b{name}="([^"]*)"', tag)
    return unescape(match[1]) if match else ""


def grown(value: str, draw: random.Random) -> str:
    """Return a value that is nearly the one given: of its type, at its limits, or a little too much."""
    if re.fullmatch(r"-?\d{1,18}", value):
        n = int(value)
        return draw.choice((str(n + 1), str(n - 1), str(-n), f" {n} ", f"{n}.0", f"{n}{n}", f"0{n}", str(n + 2**31)))
    if re.fullmatch(r"-?\d*[./,]\d+", value):
        return draw.choice(
            (value + "0" * 40, value[::-1], f"-{value}", value + "/3", value.replace(".", ","), "0" + value)
        )
    if re.match(r"\d{4}-\d\d-\d\d", value):
        return draw.choice(("9999" + value[4:], "0001" + value[4:], value + ":00Z", value[:10], value[:5] + "02-29"))
    if value[:1] in {"{", "["}:
        try:
            return json.dumps(_grown_json(json.loads(value), draw))
        except ValueError:
            return value[: draw.randrange(len(value))]
    return draw.choice((value + draw.choice(NASTY), value * 40, value.swapcase(), value[::-1], f"{value}\n{value}"))


def _grown_json(value: object, draw: random.Random) -> object:
    """Return a document with one thing in it that is something else."""
    if isinstance(value, dict) and value and draw.random() < 0.9:
        name = draw.choice(sorted(value))
        return {**value, name: _grown_json(value[name], draw)} if draw.random() < 0.9 else {**value, name + "x": 1}
    if isinstance(value, list) and value and draw.random() < 0.9:
        place = draw.randrange(len(value))
        return [*value[:place], _grown_json(value[place], draw), *value[place : len(value) * draw.choice((1, 1, 2))]]
    others: tuple[object, ...] = (
        None, True, 0, -1, 2**63, 10**40, 1e308, 0.5, "", [], {}, [[]], [value] * 3, {"a": value}, draw.choice(NASTY),
    )  # fmt: skip
    return grown(str(value), draw) if isinstance(value, str) and draw.random() < 0.5 else draw.choice(others)


class Fuzzer:
    """Sends requests, looks at what they leave in the database, takes that back, and keeps what failed."""

    def __init__(self, setting: Setting, seed: int = SEED) -> None:
        self.setting = setting
        self.draw = random.Random(seed)  # noqa: S311 - the same requests at every run
        self.forms: dict[tuple[str, str, str], list[Form]] = {}
        self.sent = self.stored = 0
        self.failures: list[Failure] = []
        self.statuses: Counter[int] = Counter()
        for client in setting.clients.values():
            # The token's cookie comes with the first page that has a form.
            client.get("/sign-in/")
            client.get("/account/")
        self.cookies = {visitor: deepcopy(client.cookies) for visitor, client in setting.clients.items()}
        self.states = states()

    def request(self, route: str, address: str, method: str) -> None:
        """Send one request: a POST mostly as one of the page's forms, with something wrong about it."""
        home = _AT_HOME.get(route.partition("/")[0], "anonymous")
        visitor = home if self.draw.random() < 0.7 else self.draw.choice(sorted(self.setting.clients))
        if method == "POST" and self.draw.random() < 0.9:
            form = self.draw.choice(self._forms(route, address, visitor, "post"))
            if route.startswith("s/") and self.draw.random() < 0.5:
                form = self._reports(address)
            body = {"csrfmiddlewaretoken": self._token(visitor), **self._filled(form)}
            self._send(visitor, form.address if self.draw.random() < 0.95 else address, method, body)
        elif method == "GET":
            if self.draw.random() < 0.5:
                form = self.draw.choice(self._forms(route, address, visitor, "get"))
                address += f"?{urlencode(self._filled(form), doseq=True)}"
            self._send(visitor, address, method, {})
        else:
            self._send(visitor, address, method, *reversed(self.draw.choice(BODIES)))

    def _token(self, visitor: str) -> str:
        cookie = self.setting.clients[visitor].cookies.get(settings.CSRF_COOKIE_NAME)
        return cookie.value if cookie else ""

    def _reports(self, address: str) -> Form:
        """Return what the script of the respondents' page sends, with a nonce that no page has."""
        nonce = "".join(self.draw.choices(ascii_letters, k=22))
        # The pages behind the survey's own are reached by forms.
        address = re.sub(r"(own-coin|server|receipt)/$", "", address)
        return Form(address, {"nonce": nonce, "mode": "device", "reports": ""}, {"mode": ("device", "own_coin")}, ())

    def _forms(self, route: str, address: str, visitor: str, method: str) -> list[Form]:
        """Return the forms that this visitor has seen on pages of this route."""
        kept = self.forms.setdefault((visitor, route, method), [])
        if not kept or self.draw.random() < 0.2:
            response = self.setting.clients[visitor].get(address)
            if response.status_code in {200, 203} and "html" in response["Content-Type"]:
                self._keep(kept, forms_of(response.content.decode(), address, method))
        return kept or [Form(address, {"action": "save"}, {}, ())]

    def _filled(self, form: Form) -> Body:
        """Return what the form would send, with some fields filled in otherwise, grown, nasty, missing or doubled."""
        draw, fields = self.draw, dict[str, object](form.fields)
        for name, value in form.fields.items():
            if name == "reports":
                code = next((code for code in self.setting.reports if f"/{code}" in form.address), "")
                fields[name] = self.setting.reports.get(code, "1")
            elif name in self.setting.typed and draw.random() < 0.8:
                fields[name] = draw.choice(self.setting.typed[name])
            elif name in form.choices and draw.random() < 0.5:
                fields[name] = draw.choice(form.choices[name]) if form.choices[name] else value
        for name in draw.sample(form.files, draw.randrange(len(form.files) + 1)):
            title, content = draw.choice(self.setting.files)
            fields[name] = SimpleUploadedFile(title, self._damaged(content))
        self._spoil(fields)
        return fields

    def _spoil(self, fields: Body) -> None:
        draw = self.draw
        names = [name for name in sorted(fields) if name != "csrfmiddlewaretoken" or draw.random() < 0.02]
        for name in draw.sample(names, min(len(names), draw.choice((0, 1, 1, 1, 2, 3, 8)))):
            value, fate = fields[name], draw.random()
            if fate < 0.45 and isinstance(value, str):
                fields[name] = grown(value, draw)
            elif fate < 0.8:
                fields[name] = draw.choice(NASTY)
            elif fate < 0.88:
                del fields[name]
            elif fate < 0.96:
                fields[name] = [value, draw.choice(NASTY)]
            else:
                fields[name] = SimpleUploadedFile("x", b"\x00\xff")
        if draw.random() < 0.05:
            fields[draw.choice(NASTY) or "x"] = draw.choice(NASTY)

    def _damaged(self, content: bytes) -> bytes:
        fate = self.draw.random()
        if fate < 0.2:
            return content
        if fate < 0.7 and content[:1] == b"{":
            return json.dumps(_grown_json(json.loads(content), self.draw)).encode()
        place = self.draw.randrange(len(content))
        return content[:place] + (b"" if fate < 0.85 else bytes([self.draw.randrange(256)]) + content[place + 1 :])

    def _send(self, visitor: str, address: str, method: str, body: object, content_type: str | None = None) -> None:
        client, headers = self.setting.clients[visitor], dict(self.draw.choice(HEADERS))
        if self.draw.random() < 0.1:
            address += "?" + "&".join(
                f"{quote(self.draw.choice(NASTY)[:500])}={quote(self.draw.choice(NASTY)[:500])}" for _ in "ab"
            )
        if self.draw.random() < 0.05:
            client.cookies.load({self.draw.choice(sorted(COOKIES)): self.draw.choice(sorted(COOKIES.values()))})
        if content_type is not None:
            headers["X-CSRFToken"] = self._token(visitor)
        what, after = [], None
        # Whatever it changes is taken back: the next request meets the same survey.
        atomic = transaction.atomic()
        # As Django's own tests do: what insists on a transaction of its own may be tried within this one.
        atomic._from_testcase = True  # type: ignore[attr-defined]
        with atomic:
            before = _writes()
            if content_type is None and method == "POST":
                response = client.post(address, body, headers=headers)
            else:
                raw = body if isinstance(body, bytes) else b""
                response = client.generic(method, address, raw, content_type=content_type or "", headers=headers)
            content = b"".join(response) if response.streaming else response.content  # type: ignore[attr-defined, call-overload]
            if response.headers.get("Content-Encoding") == "gzip":
                content = gzip.decompress(content)
            if response.status_code >= 500:
                what.append(f"{response.status_code}: {getattr(response, 'exc_info', None)}")
            if b"Traceback (most recent" in content:
                what.append("a traceback")
            if _writes() != before:
                self.stored += 1
                what += broken(self.states)
                after = dump() if 400 <= response.status_code < 500 else None
            transaction.set_rollback(True)
        if after is not None and (tables := set(changed(dump(), after)) - _TRACES):
            what.append(f"{response.status_code}, but changed {sorted(tables)}")
        client.cookies = deepcopy(self.cookies[visitor])
        if method == "POST" and response.status_code == 200 and "html" in response.headers.get("Content-Type", ""):
            # The next steps of something: only a form leads to them.
            for form in forms_of(bytes(content).decode(), address):
                at = form.address.lstrip("/").partition("?")[0]
                self._keep(self.forms.setdefault((visitor, at, "post"), []), [form])
        self.sent += 1
        self.statuses[response.status_code] += 1
        self.failures += [Failure(each, visitor, method, address, body) for each in what]

    def _keep(self, kept: list[Form], forms: list[Form]) -> None:
        """Keep these forms, in the place of others where there are many."""
        for form in forms:
            if len(kept) < _MOST_FORMS:
                kept.append(form)
            else:
                kept[self.draw.randrange(_MOST_FORMS)] = form


def _writes() -> int:
    """Return how many rows this connection has changed, those taken back included; SQLite counts them."""
    connection.ensure_connection()
    return int(connection.connection.total_changes)


def run(fuzzer: Fuzzer, all_routes: list[str], requests: int) -> None:
    """Go round all addresses, with every method, until so many requests are sent; most are POST and GET."""
    sources = {route: addresses(route, fuzzer.setting, fuzzer.draw) for route in all_routes}
    while True:
        for route in all_routes:
            if fuzzer.sent >= requests:
                return
            method = fuzzer.draw.choice((*METHODS, *["GET"] * 8, *["POST"] * 30))
            fuzzer.request(route, next(sources[route]), method)
