"""All that anybody but the respondent could see of an answer, so that two answers can be compared byte by byte."""

import json
import logging
from typing import Any

from django.db import connection
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request

# Chromium says this of every page: it was built without some of the features that the header turns off.
_OF_THE_BUILD = "Permissions-Policy header: Unrecognized feature"

_STATE_OF_THE_PAGE = """async () => {
  const files = [];
  for await (const name of (await navigator.storage.getDirectory()).keys()) files.push(name);
  return {
    dom: document.documentElement.outerHTML,
    controls: [...document.querySelectorAll("input, select, textarea")]
      .map((i) => [i.name, i.value, i.checked, i.disabled, i.form?.id ?? null]),
    focus: document.activeElement.outerHTML.slice(0, 200),
    selection: String(getSelection()),
    url: location.href,
    history: [history.length, history.state, historyKept],
    window: [name, document.title, document.referrer, document.cookie, document.designMode],
    local: { ...localStorage },
    session: { ...sessionStorage },
    databases: await indexedDB.databases(),
    files,
    caches: self.caches ? await caches.keys() : [],
    workers: (await navigator.serviceWorker.getRegistrations()).length,
    marks: [...performance.getEntriesByType("mark"), ...performance.getEntriesByType("measure")].map((e) => e.name),
  };
}"""

_ON_A_VIOLATION = """addEventListener("securitypolicyviolation", (event) =>
  console.error(`violates ${event.violatedDirective}`));"""
# A step back in the history keeps its state too, though the page has gone on.
_KEEP_THE_HISTORY = """globalThis.historyKept = [];
  for (const name of ["pushState", "replaceState"]) {
    const real = History.prototype[name];
    History.prototype[name] = function (...given) {
      historyKept.push([name, ...given]);
      return real.apply(this, given);
    };
  }"""


class Evidence:
    """What one profile of a browser, the network, the server's logs and the database show, under names."""

    def __init__(self, context: BrowserContext, site: str, *, only: tuple[str, ...] = ("",)) -> None:
        """Observe this profile; `only` names the states that are worth keeping by how they begin."""
        self._context, self._site, self._only = context, site, only
        self._requests: list[Request] = []
        self._sockets: list[str] = []
        self._logs = Logs()
        self.console: list[str] = []
        self.states: dict[str, str] = {}
        context.add_init_script(_ON_A_VIOLATION)
        context.add_init_script(_KEEP_THE_HISTORY)
        context.on("request", self._note)
        context.on("console", self._hear)
        context.on("weberror", lambda error: self.console.append(str(error.error)))
        context.on("page", lambda page: page.on("websocket", lambda socket: self._sockets.append(socket.url)))

    def _note(self, request: Request) -> None:
        self._requests.append(request)

    def _hear(self, message: ConsoleMessage) -> None:
        if _OF_THE_BUILD not in message.text:
            self.console.append(message.text)

    @property
    def addresses(self) -> list[str]:
        """What was asked for, in order."""
        return [request.url for request in self._requests]

    @property
    def elsewhere(self) -> list[str]:
        """What other sites were asked."""
        return [url for url in [*self.addresses, *self._sockets] if not url.startswith(self._site)]

    @property
    def posted(self) -> list[str]:
        return [request.post_data or "" for request in self._requests if request.method == "POST"]

    def _is_a_file(self, request: Request) -> bool:
        return request.method == "GET" and request.url.startswith(f"{self._site}/static/") and "?" not in request.url

    def look(self, page: Page, name: str) -> None:
        """Keep the page as it stands."""
        if not name.startswith(self._only):
            return
        self.states[name] = json.dumps(page.evaluate(_STATE_OF_THE_PAGE), sort_keys=True)

    def snapshot(self, *, bodies: bool = True) -> dict[str, str]:
        """Return everything; the bodies of requests may be left out where it is true answers that are posted."""
        # In which order files of one page are asked for, and which of them anew, is the affair of the browser's cache.
        files = {request.url for request in self._requests if self._is_a_file(request)}
        others = [_seen(request, body=bodies) for request in self._requests if not self._is_a_file(request)]
        requests = sorted(files), sorted(others, key=json.dumps)
        return self.states | {
            "requests": json.dumps(requests, indent=1),
            "sockets": repr(self._sockets),
            "cookies": json.dumps(_cookies(self._context), indent=1),
            "console": "\n".join(self.console),
            "database": repr(rows()),
            "logs": "\n".join(self._logs.taken()),
        }


def differences(one: dict[str, str], other: dict[str, str]) -> list[str]:
    """Return the names of what differs, each with its first difference."""
    lines = []
    for name in sorted(one.keys() | other.keys()):
        first, second = one.get(name, ""), other.get(name, "")
        if (name in one) != (name in other) or first != second:
            place = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), 0)
            around = slice(max(0, place - 60), place + 60)
            lines.append(f"{name}: {first[around]!r} / {second[around]!r}")
    return lines


class Logs(logging.Handler):
    """Everything that is logged in this process from now on, the server's threads included.

    Not what asyncio says of the browser's driver, which may clear away an earlier test's pages meanwhile.
    """

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self._messages: list[str] = []
        for logger in (logging.getLogger(), logging.getLogger("django")):
            logger.addHandler(self)

    def filter(self, record: logging.LogRecord) -> bool:
        return not (record.name == "asyncio" and "playwright" in record.getMessage())

    def emit(self, record: logging.LogRecord) -> None:
        self._messages.append(f"{record.name} {record.getMessage()} {record.exc_info}")

    def taken(self) -> list[str]:
        for logger in (logging.getLogger(), logging.getLogger("django")):
            logger.removeHandler(self)
        return self._messages


def _seen(request: Request, *, body: bool) -> dict[str, Any]:
    headers = dict(sorted(request.all_headers().items()))
    if not body:
        headers.pop("content-length", None)
    return {
        "method": request.method,
        "url": request.url,
        "headers": headers,
        "body": request.post_data if body else None,
    }


def rows() -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table."""
    rows = {}
    with connection.cursor() as cursor:
        for table in sorted(connection.introspection.table_names(cursor)):
            # To ask Django for the columns takes longer than all else: it reads each table's SQL.
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)} ORDER BY 1")  # noqa: S608 - names come from the database
            rows[table] = [
                tuple(bytes(cell) if isinstance(cell, memoryview) else cell for cell in row) for row in cursor
            ]
    return rows


def _cookies(context: BrowserContext) -> list[dict[str, Any]]:
    return sorted(
        ({key: value for key, value in cookie.items() if key != "expires"} for cookie in context.cookies()),
        key=lambda cookie: (str(cookie["name"]), str(cookie["path"])),
    )
