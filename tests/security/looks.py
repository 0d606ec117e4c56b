"""Everything that somebody can look at, as a text each: to hold two looks against each other.

A look follows the pages' own links and forms, so what is added later is looked at too.
"""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from html import unescape
from io import BytesIO
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit
from zipfile import ZipFile

from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import reverse

from surveys.models import Survey

# What chance puts into a page each time it is made.
_DRAWN = re.compile(
    r'name="csrfmiddlewaretoken" value="\w+"|name="nonce" value="[\w-]+"|nonce-[\w-]+|data-nonce="[^"]*"'
)
_SHUFFLED = re.compile(r"(responses|labels)[^/]*\.csv$")
_PAGES = (
    "survey-detail", "survey-results", "survey-figures", "survey-results-groups", "survey-results-relate",
    "survey-results-regression", "survey-results-weights", "survey-results-bayes", "survey-results-plan",
    "survey-results-methods", "survey-export", "survey-export-codebook", "survey-ethics", "survey-document",
    "survey-present", "survey-present-live", "survey-groups", "survey-share", "survey-poster", "survey-preview",
    "survey-versions", "survey-people", "survey-rehearse", "survey-pause", "survey-close", "survey-schedule",
    "survey-next-version", "survey-seal", "survey-purge", "survey-archive", "survey-invitations", "answer",
    "own-coin", "receipt",
)  # fmt: skip
_OF_THE_SITE = ("/surveys/", "/surveys/?archived", "/surveys/?q=exams", "/healthz", "/readyz", "/")
_OF_THE_ADMIN = (
    "/admin/", "/admin/surveys/survey/", "/admin/surveys/survey/?q=exams", "/admin/surveys/survey/?o=1.2.3",
    "/admin/surveys/survey/?responses__reports__startswith=1", "/admin/surveys/survey/?pattern_counts__mode=own_coin",
    "/admin/surveys/budget/", "/admin/surveys/budget/?survey__responses__reports__startswith=1",
    "/admin/surveys/release/", "/admin/surveys/release/?survey__responses__mode=own_coin",
    "/admin/surveys/release/add/",
)  # fmt: skip


class Look:
    """What one visitor sees of a survey at one moment, by address.

    Of what a form lets one choose it takes every choice, or one of each name: all of them read the same counts.
    """

    def __init__(
        self,
        client: Client,
        survey: Survey,
        *,
        staff: bool = False,
        pages: Sequence[str] = (),
        every_choice: bool = True,
    ) -> None:
        self._client, self._every_choice = client, every_choice
        self._figures = tuple(reverse(name, args=[survey.code]) for name in ("survey-results", "survey-export"))
        self.texts: dict[str, str] = {}
        starts = [reverse(name, args=[survey.code]) for name in pages or _PAGES]
        beside = () if pages else (*_OF_THE_SITE, *(_OF_THE_ADMIN if staff else ()))
        self._onward = not pages
        self._queue = deque([*beside, *starts])
        while self._queue:
            self._open(self._queue.popleft())

    def _open(self, address: str) -> None:
        address = _in_order(address)
        if address in self.texts:
            return
        response = self._client.get(address)
        body = _body(response, address)
        self.texts[address] = f"{response.status_code} {_headers(response)}\n{body}"
        if self._onward and "html" in response.headers.get("Content-Type", ""):
            onward = _onward(body, address, every_choice=self._every_choice)
            self._queue.extend(to for to in onward if to.startswith(self._figures))

    def differs_from(self, other: "Look") -> list[str]:
        """Return the addresses at which two looks differ."""
        return sorted(
            address
            for address in self.texts.keys() | other.texts.keys()
            if self.texts.get(address) != other.texts.get(address)
        )


def _body(response: HttpResponseBase, address: str) -> str:
    content = bytes(b"".join(response) if response.streaming else response.content)  # type: ignore[attr-defined, call-overload]
    if response.headers.get("Content-Type") != "application/zip":
        return _settled(urlsplit(address).path, content.decode())
    with ZipFile(BytesIO(content)) as files:
        return "\n".join(f"{name}\n{_settled(name, files.read(name).decode())}" for name in files.namelist())


def _headers(response: HttpResponseBase) -> list[tuple[str, str]]:
    names = {"ETag", "Last-Modified", "Content-Length", "Content-Disposition", "Location"}
    return sorted((name, value) for name, value in response.items() if name in names)


def _settled(name: str, body: str) -> str:
    if _SHUFFLED.search(name):
        head, *rows = body.splitlines()
        return "\n".join([head, *sorted(rows)])
    return _DRAWN.sub("", body)


def _in_order(address: str) -> str:
    """Return an address whose query has one order, and says nothing twice."""
    parts = urlsplit(address)
    query = urlencode(sorted(dict(parse_qsl(parts.query, keep_blank_values=True)).items()))
    return parts.path + (f"?{query}" if query else "")


def _onward(html: str, address: str, *, every_choice: bool = True) -> Iterator[str]:
    """Return where a page's links lead, to charts as files too, and its GET forms with one choice changed at a time."""
    here = urlsplit(address)
    if here.query:
        # Links and forms carry choices along: all combinations of them would have no end.
        return
    for href in re.findall(r'<a\b[^>]*\bhref="([^"#]*)', html):
        to = urlsplit(urljoin(address, unescape(href)))
        yield to.path + (f"?{to.query}" if "chart=" in to.query else "")
    for tag, body in re.findall(r"<form\b([^>]*)>(.*?)</form>", html, re.DOTALL):
        if 'method="get"' in tag:
            yield from (f"{here.path}?{urlencode(fields)}" for fields in _choices(body, every_choice))


def _choices(form: str, every_choice: bool) -> Iterator[dict[str, str]]:
    fields: dict[str, str] = {}
    choices: list[tuple[str, str]] = []
    for tag in re.findall(r"<input\b[^>]*>", form):
        name, value = _attribute(tag, "name"), _attribute(tag, "value")
        if re.search(r'type="(radio|checkbox)"', tag):
            choices.append((name, value))
            if " checked" in tag:
                fields[name] = value
        elif name:
            fields[name] = value
    for name, options in re.findall(r'<select\b[^>]*name="([^"]*)"[^>]*>(.*?)</select>', form, re.DOTALL):
        values = re.findall(r'<option value="([^"]*)"( selected)?', options)
        fields[name] = next((value for value, chosen in values if chosen), values[0][0] if values else "")
        others = [(name, value) for value, chosen in values if not chosen]
        # Levels and methods are ways to write the same counts: one other of each is enough.
        choices += others[-1:] if name in {"level", "method", "adjustment", "errors", "se"} else others
    if not every_choice:
        choices = list(dict(choices).items())
    yield from ({**fields, name: unescape(value)} for name, value in choices)


def _attribute(tag: str, name: str) -> str:
    match = re.search(rf'\b{name}="([^"]*)"', tag)
    return unescape(match[1]) if match else ""
