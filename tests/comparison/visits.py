"""Sends every request of a plan and what the pages lead on to; an answer is a text, taken back in the database."""

import gzip
import hashlib
import io
import json
import re
from base64 import b64decode
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command, get_commands, load_command_class
from django.db import connection, transaction
from django.http import HttpResponse
from django.test import Client, TestCase
from django.urls import Resolver404, resolve

from tests.comparison.standing import start_over
from tests.i18n.catalogs import LOCALES, messages, source
from tests.i18n.extraction import ROOT
from tests.security.fuzzing import forms_of
from tests.security.looks import _DRAWN, _onward, forget

Answers = Iterator[tuple[str, bytes]]
LANGUAGES = ("en", "de", "es")
# Who follows links, makes choices and sends the forms of the pages they see.
_EXPLORERS = {"owner", "admin", "anonymous", "instructor", "careful"}
# Fields that hold what the page needs to know what is meant.
_NEEDED = {"csrfmiddlewaretoken", "revision", "questions", "document", "terms", "nonce", "mode", "action"}
# A session is renewed by whoever holds it, and counts of rows are no rows.
_OF_VISITS = {"surveys_signin", "sqlite_sequence"}
_WRITES = re.compile(r'\s*(?:INSERT (?:OR \w+ )?INTO|UPDATE|DELETE FROM) "?(\w+)', re.IGNORECASE)
# What chance puts into a form is no part of a request's name.
_DRAWN_FIELDS = {"csrfmiddlewaretoken": "", "nonce": "A" * 22}
_ELSEWHERE = ("/language/", "/sign-out/")


@dataclass(frozen=True)
class Request:
    """What somebody asks for, in which language; the fields are JSON, so that a request is its own name."""

    visitor: str
    language: str
    method: str
    address: str
    fields: str = "{}"

    @property
    def name(self) -> str:
        """Where its answer is kept."""
        said = re.sub(r"[^\w.]+", "-", f"{self.method} {self.address}")[:80].strip("-")
        digest = hashlib.sha256(repr(self).encode()).hexdigest()[:10]
        return f"{self.visitor}/{self.language}/{said}-{digest}.txt"

    @property
    def alike(self) -> str:
        """What this request has in common with those for other surveys, or other rows of a list."""
        if self.method == "GET" and "?" not in self.address:
            return self.address
        fields = json.loads(self.fields)
        action = re.sub(r"\d+", "", str(fields.get("action", "")))
        empty = not any(value for name, value in fields.items() if name not in _NEEDED)
        where = re.sub(r"/[A-Z0-9]{5,6}/|/\d+/|release/[\w-]{12}/", "/", self.address)
        shown = fields.get("terms", "") + fields.get("document", "")
        return f"{self.method} {where} {action} {empty} {shown}"


def parts(plan: Mapping[str, Any], only: str = "") -> list[tuple[str, str]]:
    """Return who visits in which language, the longest visit first."""
    visitors = sorted(plan["cookies"], key=lambda visitor: (visitor != "owner", visitor not in _EXPLORERS, visitor))
    return [(visitor, language) for language in LANGUAGES for visitor in visitors if only in {"", visitor}]


def beside(plan: Mapping[str, Any]) -> Answers:
    """Yield what no page shows: what commands say, and every message with its translations."""
    for words in plan["commands"]:
        start_over(repr(words))
        yield f"commands/{re.sub(r'[^A-Za-z0-9.]+', '-', ' '.join(words))[:200]}.txt", _said(words)
    for locale in LOCALES:
        told = sorted(repr((message.key, message.translations)) for message in messages(source(ROOT, locale)))
        yield f"messages/{locale}.txt", "\n".join(told).encode()


def database() -> bytes:
    """Return the schema and every row."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type, name")
        schema = [sql for (sql,) in cursor.fetchall()]
        tables = sorted(set(connection.introspection.table_names(cursor)) - _OF_VISITS)
    return "\n".join([*schema, *(row for table in tables for row in sorted(_rows(table)))]).encode()


def _rows(table: str) -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(f'SELECT * FROM "{table}"')  # noqa: S608 - the database's own names
        return {f"{table} {row!r}" for row in cursor.fetchall()}


class Written:
    """Which tables were written to, and what has become of their rows since they were as they are kept here."""

    def __init__(self) -> None:
        self._kept: dict[str, set[str]] = {}
        self.tables: set[str] = set()

    def __call__(self, execute: Callable[..., object], sql: str, *arguments: object) -> object:
        """Note the table that a statement writes to, before it does."""
        if (found := _WRITES.match(sql)) and (table := found[1]) not in _OF_VISITS:
            if table not in self._kept:
                self._kept[table] = _rows(table)
            self.tables.add(table)
        return execute(sql, *arguments)

    def changes(self) -> Iterator[str]:
        """Yield what is there no more, and what is new, and begin anew."""
        for table in sorted(self.tables):
            before, after = self._kept[table], _rows(table)
            yield from (f"- {row}" for row in sorted(before - after))
            yield from (f"+ {row}" for row in sorted(after - before))
        self.tables.clear()


def visit(plan: Mapping[str, Any], visitor: str, language: str) -> Answers:
    """Yield every answer that a visitor gets in a language, with its name."""
    rows = [*plan["everywhere"], *(plan["once"] if language == LANGUAGES[0] else ())]
    queue = deque(
        Request(visitor, language, how, to, json.dumps(fields)) for who, how, to, fields in rows if who == visitor
    )
    seen: set[Request] = set()
    alike: set[str] = set()
    client = Client(raise_request_exception=False, headers={"accept-language": language})
    written = Written()
    while queue:
        request = queue.popleft()
        if request in seen:
            continue
        seen.add(request)
        client.cookies.clear()
        client.cookies.load(plan["cookies"][visitor])
        answer, page = _answer(client, request, written)
        yield request.name, answer
        if visitor in _EXPLORERS and page:
            # The same choice, or the same button, on another survey's page tells nothing new.
            for following in _next(request, page):
                if following.alike not in alike:
                    alike.add(following.alike)
                    queue.append(following)


def _answer(client: Client, request: Request, written: Written) -> tuple[bytes, str]:
    """Return what was answered, mailed and changed, and the page if it is one; the changes are taken back."""
    start_over(repr(request))
    mail.outbox = []
    atomic = transaction.atomic()
    # As Django's own tests do: what insists on a transaction of its own may be tried within this one.
    atomic._from_testcase = True  # type: ignore[attr-defined]
    with atomic, connection.execute_wrapper(written):
        with TestCase.captureOnCommitCallbacks(execute=True):
            if request.method == "POST":
                response = client.post(request.address, _typed(request))
            else:
                response = client.get(request.address)
        told = [repr(request), _told(response)]
        if request.method == "POST" and response.get("Location", "").startswith("/"):
            told.append(_told(client.get(response["Location"])))
        if written.tables:
            told += written.changes()
            forget()
        transaction.set_rollback(True)
    told += [f"To: {mail_.to}\nSubject: {mail_.subject}\n\n{mail_.body}" for mail_ in mail.outbox]
    shown = "html" in response.get("Content-Type", "") and response.status_code in {200, 203, 409, 422}
    return "\n".join(told).encode("utf-8", "surrogateescape"), response.content.decode() if shown else ""


def _typed(request: Request) -> dict[str, Any]:
    """Return the fields as a browser sends them, files too."""
    return {
        name: SimpleUploadedFile(value["name"], b64decode(value["base64"])) if isinstance(value, dict) else value
        for name, value in json.loads(request.fields).items()
    }


def _told(response: HttpResponse) -> str:
    """Return the status, the headers, the cookies and the body, without what chance puts into a page each time."""
    content = b"".join(response) if response.streaming else response.content
    if response.get("Content-Encoding") == "gzip":
        content = gzip.decompress(content)
    headers = [f"{name}: {value}" for name, value in sorted(response.items())]
    headers += [re.sub(r"(csrftoken|sessionid)=\w+", r"\1=", str(cookie)) for cookie in response.cookies.values()]
    text = "\n".join([str(response.status_code), *headers, "", content.decode("utf-8", "surrogateescape")])
    return _DRAWN.sub("", text)


def _next(request: Request, page: str) -> Iterator[Request]:
    """Yield where a page leads: its links, its GET forms with one choice changed, its POST forms right and empty."""
    first = request.language == LANGUAGES[0]
    if request.method == "GET":
        for address in _onward(page, request.address):
            if _is_ours(address) and (first or "?" not in address):
                yield Request(request.visitor, request.language, "GET", address)
    for form in forms_of(page, request.address) if "?" not in request.address else ():
        fields = form.fields | {name: value for name, value in _DRAWN_FIELDS.items() if name in form.fields}
        if form.address in _ELSEWHERE or not _is_ours(form.address):
            continue
        if request.method == "GET":
            yield _sent(request, form.address, fields)
            yield _sent(
                request, form.address, {name: value if name in _NEEDED else "" for name, value in fields.items()}
            )
            for action in form.choices.get("action", ()) if first else ():
                yield _sent(request, form.address, fields | {"action": action})
        elif fields.keys() & {"terms", "document"}:
            # What one page has shown is confirmed on the next; further than that nobody goes.
            yield _sent(request, form.address, fields | {"confirmation": "0.5"})


def _sent(request: Request, address: str, fields: Mapping[str, str]) -> Request:
    return Request(request.visitor, request.language, "POST", address, json.dumps(dict(sorted(fields.items()))))


def _is_ours(address: str) -> bool:
    try:
        resolve(urlsplit(address).path)
    except Resolver404:
        return False
    return True


def _said(words: list[str]) -> bytes:
    """Return what a command says."""
    name, *arguments = words
    out = io.StringIO()
    command = load_command_class(get_commands()[name], name)
    parser = command.create_parser("manage.py", name)
    if arguments == ["--help"]:
        return parser.format_help().encode()
    try:
        call_command(command, *arguments, stdout=out, stderr=out)
    except (CommandError, SystemExit) as end:
        out.write(repr(end))
    return out.getvalue().encode()
