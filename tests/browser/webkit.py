"""WebKitGTK, the engine of Safari, driven over WebDriver, on a screen that nobody sees."""

import json
import os
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Self

from tests.programs import WEBKIT, XVFB
from tests.server import free_port

_PATIENCE = 60.0
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class WebKit:
    """One run of the browser, with a profile that ends with it."""

    def __init__(self, home: Path) -> None:
        """Start a screen, the driver and the browser."""
        self._screen = subprocess.Popen(
            [str(XVFB.find()), "-displayfd", "1", "-screen", "0", "1400x1000x24", "-nolisten", "tcp"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._screen.stdout is not None
        with self._screen.stdout as screen:
            display = screen.readline().decode().strip()
        port = free_port()
        self._at = f"http://127.0.0.1:{port}"
        self._driver = subprocess.Popen(
            ["WebKitWebDriver", f"--port={port}"],
            # Without namespaces of the kernel, which a container has not, WebKit's own sandbox cannot start.
            env=os.environ
            | {
                "HOME": str(home),
                "DISPLAY": f":{display}",
                "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1",
                "NO_PROXY": "127.0.0.1",
            },
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wanted = {"webkitgtk:browserOptions": {"binary": str(WEBKIT.find()), "args": ["--automation"]}}
        self._session = ""
        self._session = self._started({"capabilities": {"alwaysMatch": wanted}})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._do("DELETE", "")
        finally:
            for process in (self._driver, self._screen):
                process.terminate()
                process.wait(_PATIENCE)

    def _started(self, capabilities: dict[str, Any]) -> str:
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                return f"/{self._do('POST', '', capabilities)['sessionId']}"
            except urllib.error.URLError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def _do(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:  # noqa: ANN401 - JSON
        request = urllib.request.Request(  # noqa: S310 - of our own machine
            f"{self._at}/session{self._session}{path}",
            method=method,
            data=None if method != "POST" else json.dumps(body or {}).encode(),
            headers={"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=_PATIENCE) as answer:  # noqa: S310 - of our own machine
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.read().decode()[:500]}") from None

    def open(self, address: str) -> None:
        self._do("POST", "/url", {"url": address})

    def back(self) -> None:
        self._do("POST", "/back")

    def reload(self) -> None:
        self._do("POST", "/refresh")

    def remember(self, name: str, value: str) -> None:
        """Take a cookie for the site of the page that is open."""
        self._do("POST", "/cookie", {"cookie": {"name": name, "value": value, "path": "/"}})

    def run(self, script: str) -> Any:  # noqa: ANN401 - whatever the script returns
        """Run the body of a function in the page and return what it returns."""
        return self._do("POST", "/execute/sync", {"script": script, "args": []})

    def click(self, selector: str) -> None:
        self._do("POST", f"/element/{self._element(selector)}/click")

    def write(self, selector: str, text: str) -> None:
        self._do("POST", f"/element/{self._element(selector)}/value", {"text": text})

    def _element(self, selector: str) -> str:
        return str(self._do("POST", "/element", {"using": "css selector", "value": selector})[_ELEMENT])
