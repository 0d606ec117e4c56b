"""Ten thousand nasty requests over every address, method and form: none may end in an error of ours.

The addresses come from the URL configuration and the fields from the pages' own forms, so what is added later is tried
too. A seed makes every run the same; the form that each POST starts from is one that the page itself would send.
"""

import itertools
import random
import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from html import unescape
from urllib.parse import quote, urljoin

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.db import transaction
from django.http import HttpRequest
from django.test import Client, override_settings
from django.urls import URLPattern, URLResolver, get_resolver, path
from django.urls.resolvers import RoutePattern

from surveys.models import Membership, Role, Survey
from surveys.selectors.releases.index import index_key
from surveys.services.accounts.inviting import invite_instructor
from surveys.services.grouping import add_group
from surveys.services.inviting import invite, new_batch
from surveys.services.people import invite_person
from surveys.urls import urlpatterns as real
from tests.factories import every_kind, fill, make_admin, make_budget, make_draft, make_open, make_user, yes_no
from tests.releases.setting import published_release, ready_survey

REQUESTS = 10_000
SEED = 20_261_121
_AT_HOME = {"admin": "admin", "surveys": "owner"}
REPORTS = "1" * sum(len(draft.options) if draft.kind == "several_of" else 1 for draft in every_kind())
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW")
NASTY = (
    "", " ", "0", "-0", "-1", "1", "2", "9" * 40, "1e400", "-1e400", "1e-400", "NaN", "nan", "inf", "-Infinity",
    "0x10", "1/0", "0/0", "1/3", "½", "٣", "७", "1_000", "1,000", "7.5", "+7", "−7", "None", "null", "true", "on",
    "[]", "{}", '["a", 1]', '{"a": {"b": []}}', "'", '"', "' OR 1=1 --", "%00", "\x00", "\x01\x02",
    "\r\nSet-Cookie: a=b", "\u202e", "\ud7ff", "\ue000", "\U0001f4a9" * 30, "e\u0301" * 40, "ſtraße", "İ", "🏳️‍🌈",
    "<script>alert(1)</script>", "{{ 7*7 }}", "{% x %}", "../../etc/passwd", "..%2f..", "//evil.example/",
    "https://evil.example", "javascript:alert(1)", "a" * 300, "A" * 5_000, "x\n" * 200, "2026-13-45",
    "2026-02-30T25:61", "0001-01-01T00:00", "9999-12-31T23:59", "1" * 150, "-" * 150, "0" * 29, "device", "own_coin",
    "server", "save", "add", "refresh", "question-0", "__proto__", "id", "pk", "csrfmiddlewaretoken",
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
    {}, {}, {"Accept": "application/json"}, {"Accept-Encoding": "gzip, br;q=NaN"},
    {"Accept-Language": "de;q=x,\x01,zz-" + "y" * 50}, {"Accept": "*/*;q=\x7f", "Referer": "http://[::1"},
    {"If-None-Match": 'W/"' + "x" * 200, "If-Modified-Since": "yesterday"},
    {"X-Forwarded-Proto": "https", "X-Forwarded-For": "'; --"}, {"Origin": "null"}, {"Range": "bytes=9-1"},
    {"Cookie": "deniable_done=\x01; deniable_receipt=device.1%00; csrftoken=x; sessionid=../../x; language=zz"},
)  # fmt: skip


@dataclass(frozen=True)
class Setting:
    """What addresses may name, by the names of their converters."""

    clients: dict[str, Client]
    values: dict[str, tuple[str, ...]]


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
    """Return addresses of a route without end: right parts now and then, nasty ones in between."""
    names = re.findall(r"<(?:\w+:)?(\w+)>", route)
    right = [setting.values.get(name, ("1",)) for name in names]
    yield from (_address(route, parts) for parts in itertools.islice(itertools.product(*right), 6))
    while True:
        yield _address(route, tuple(draw.choice(NASTY if draw.random() < 0.3 else values) or "x" for values in right))


def _address(route: str, parts: tuple[str, ...]) -> str:
    for part in parts:
        route = re.sub(r"<[^>]+>", lambda _match, part=part: quote(part, safe=""), route, count=1)
    return f"/{route}"


def forms_of(html: str, address: str) -> list[tuple[str, dict[str, str]]]:
    """Return where each form of a page goes and the fields that it would send."""
    forms = re.findall(r"<form\b([^>]*)>(.*?)</form>", html, re.DOTALL)
    return [(urljoin(address, _attribute(tag, "action")), _fields(body)) for tag, body in forms]


def _fields(html: str) -> dict[str, str]:
    """Return fields with the values that they begin with; of radio buttons one is chosen, the last."""
    fields: dict[str, str] = {}
    for tag in re.findall(r"<(?:input|textarea|button)\b[^>]*>", html):
        if name := _attribute(tag, "name"):
            # What the script fills in: a report for each of the items.
            fields[name] = REPORTS if name == "reports" else _attribute(tag, "value") or "1"
    for tag, options in re.findall(r"<select\b([^>]*)>(.*?)</select>", html, re.DOTALL):
        chosen = re.findall(r'value="([^"]*)" selected', options) or re.findall(r'value="([^"]*)"', options)
        fields[_attribute(tag, "name")] = chosen[0] if chosen else ""
    return fields


def _attribute(tag: str, name: str) -> str:
    found = re.search(rf'\b{name}="([^"]*)"', tag)
    return unescape(found[1]) if found else ""


def mutated(form: dict[str, str], draw: random.Random) -> dict[str, str | list[str]]:
    """Return the form with some fields nasty, missing, doubled or made up."""
    fields: dict[str, str | list[str]] = dict(form)
    for name in draw.sample(sorted(form), min(len(form), draw.choice((0, 1, 1, 2, 5)))):
        fate = draw.random()
        if fate < 0.8:
            fields[name] = draw.choice(NASTY)
        elif fate < 0.9:
            del fields[name]
        else:
            fields[name] = [form[name], draw.choice(NASTY)]
    if draw.random() < 0.1:
        fields[draw.choice(NASTY) or "x"] = draw.choice(NASTY)
    return fields


class Fuzzer:
    """Sends requests and keeps what failed."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.draw = random.Random(SEED)  # noqa: S311 - the same requests at every run
        self.cookies = {visitor: deepcopy(client.cookies) for visitor, client in setting.clients.items()}
        self.forms: dict[tuple[str, str], list[tuple[str, dict[str, str]]]] = {}
        self.sent = 0
        self.failures: list[tuple[str, str, str, object]] = []
        self.statuses: dict[int, int] = {}

    def request(self, route: str, address: str, method: str) -> None:
        """Send one request: a POST mostly as one of the page's forms, with something wrong about it."""
        visitor = self.draw.choice((*self.setting.clients, _AT_HOME.get(route.partition("/")[0], "anonymous")))
        body: object = {}
        content_type = None
        if method == "POST" and self.draw.random() < 0.9:
            goes_to, form = self.draw.choice(self._forms(route, address, visitor))
            if self.draw.random() < 0.9:
                address = goes_to
            body = mutated(form, self.draw)
        elif method != "GET":
            content_type, body = self.draw.choice(BODIES)
        self._send(visitor, address, method, body, content_type)

    def _forms(self, route: str, address: str, visitor: str) -> list[tuple[str, dict[str, str]]]:
        """Return the forms of the first page of this route that opened."""
        if not self.forms.get((visitor, route)):
            response = self.setting.clients[visitor].get(address)
            shown = response.status_code in {200, 203} and "html" in response["Content-Type"]
            self.forms[visitor, route] = forms_of(response.content.decode(), address) if shown else []
        return self.forms[visitor, route] or [(address, {"action": "save"})]

    def _send(self, visitor: str, address: str, method: str, body: object, content_type: str | None) -> None:
        client, headers = self.setting.clients[visitor], self.draw.choice(HEADERS)
        if self.draw.random() < 0.1:
            address += "?" + "&".join(
                f"{quote(self.draw.choice(NASTY))}={quote(self.draw.choice(NASTY))}" for _ in "ab"
            )
        # Whatever it changes is taken back: the next request meets the same survey.
        with transaction.atomic():
            if content_type is None:
                response = client.generic(method, address, headers=headers) if method != "POST" else client.post(
                    address, body, headers=headers
                )  # fmt: skip
            else:
                response = client.generic(method, address, body, content_type=content_type, headers=headers)
            transaction.set_rollback(True)
        client.cookies = deepcopy(self.cookies[visitor])
        self.sent += 1
        self.statuses[response.status_code] = self.statuses.get(response.status_code, 0) + 1
        if response.status_code >= 500:
            self.failures.append((visitor, method, address, body))


def run(fuzzer: Fuzzer, all_routes: list[str], requests: int) -> None:
    """Go round all addresses, with every method, until so many requests are sent; most are GET and POST."""
    sources = {route: addresses(route, fuzzer.setting, fuzzer.draw) for route in all_routes}
    rounds = itertools.cycle((*METHODS, "POST", "GET", "POST", "POST", "POST"))
    while fuzzer.sent < requests:
        method = next(rounds)
        for route in all_routes:
            fuzzer.request(route, next(sources[route]), method)


def _surveys() -> tuple[Survey, Survey, Survey]:
    owner = make_user("owner")
    survey = make_open(*every_kind(), owner=owner, server_mode_allowed=True, code="FUZZED")
    invited = make_open(yes_no(), owner=owner, server_mode_allowed=True, by_invitation=True, code="FUZZBY")
    for one in (survey, invited):
        add_group(survey=one, name="North")
    fill(survey, {REPORTS: 12, "0" * len(REPORTS): 9})
    return survey, invited, make_draft(*every_kind(), owner=owner, code="DRAFT2")


def _take_part(member: User, *surveys: Survey) -> None:
    Membership.objects.bulk_create(
        Membership(survey=survey, user=member, role=role) for survey in surveys for role in Role
    )


@pytest.fixture
def setting(db: None) -> Setting:
    survey, invited, draft = _surveys()
    audited = ready_survey()
    release = published_release(audited)
    make_budget(survey)
    people = {"anonymous": None, "owner": survey.owner, "member": make_user("member"), "admin": make_admin()}
    _take_part(people["member"], survey, audited)
    invite_person(survey=draft, by=draft.owner, to="member", roles=["editor"])
    invite_person(survey=draft, by=draft.owner, to="somebody@example.org", roles=["analyst"])
    role_token = re.findall(r"/invited/link/([\w-]+)/", str(mail.outbox[-1].body))[0]
    sign_up_token = invite_instructor(email="new@example.org", mail=False).link.rstrip("/").rpartition("/")[2]
    clients = {visitor: Client(raise_request_exception=False) for visitor in people}
    for visitor, user in people.items():
        if user is not None:
            clients[visitor].force_login(user)
    values = {
        "code": (survey.code, invited.code, draft.code, audited.code),
        "group": ("north", "server"),
        "token": (*invite(survey=invited, number=3, batch=new_batch()).tokens, role_token, sign_up_token),
        "release_id": (str(release.pk),),
        "key": (index_key(audited),),
        "budget_id": (str(audited.budget.pk),),
        "object_id": (str(survey.pk), str(release.pk)),
        "app_label": ("surveys",),
    }
    return Setting(clients, values)


@pytest.mark.uncounted
def test_no_request_of_ten_thousand_ends_in_an_error_of_ours(setting: Setting) -> None:
    fuzzer = Fuzzer(setting)
    run(fuzzer, sorted(routes(get_resolver().url_patterns)), REQUESTS)
    assert fuzzer.failures == []
    assert fuzzer.sent >= REQUESTS
    # It came as far as pages, receipts and redirects, refusals of every kind, and what is not there.
    assert set(fuzzer.statuses) >= {200, 203, 302, 303, 400, 403, 404, 405}, fuzzer.statuses


def _fails_now_and_then(request: HttpRequest, code: str) -> None:
    if request.method == "POST" and request.POST.get("title") == "NaN":
        raise RuntimeError("broken on purpose")
    raise ValueError("broken on purpose") if code == "\x00" else LookupError


urlpatterns = [*real, path("planted/<str:code>/", _fails_now_and_then)]  # type: ignore[arg-type, list-item]


@override_settings(ROOT_URLCONF="tests.security.test_fuzz")
def test_a_view_that_fails_would_be_found(setting: Setting) -> None:
    fuzzer = Fuzzer(setting)
    run(fuzzer, [route for route in routes(get_resolver().url_patterns) if route.startswith("planted/")], 30)
    assert fuzzer.failures
    assert all(address.startswith("/planted/") for _, _, address, _ in fuzzer.failures)
