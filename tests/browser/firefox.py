"""A Firefox with one lasting profile, driven over Marionette, and what it has written into that profile."""

import contextlib
import json
import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self, cast

from tests.browser.profiles import written
from tests.programs import FIREFOX

_PATIENCE = 60.0
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
_MAGIC = b"mozLz40\0"
# Writes its session every second or two instead of every fifteen, restores it after a crash, and asks nobody anything.
_PREFERENCES: dict[str, str | int | bool] = {
    "marionette.port": 0,
    "remote.prefs.recommended": False,
    "browser.sessionstore.interval": 1_000,
    "browser.sessionstore.interval.idle": 1_000,
    "browser.sessionstore.restore_on_demand": False,
    "browser.sessionstore.max_resumed_crashes": 10,
    "toolkit.startup.max_resumed_crashes": -1,
    "browser.startup.page": 3,
    "browser.startup.homepage_override.mstone": "ignore",
    "browser.aboutwelcome.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.tabs.warnOnClose": False,
    "browser.warnOnQuit": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
    "app.update.disabledForTesting": True,
    "termsofuse.bypassNotification": True,
    # Nothing answers at this port; only 127.0.0.1 itself is asked directly.
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
}


class Firefox:
    """One run of the browser on a profile, which outlives it."""

    def __init__(self, profile: Path) -> None:
        """Start it; a session that was not ended in order is restored."""
        profile.mkdir(exist_ok=True)
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in _PREFERENCES.items()]
        (profile / "user.js").write_text("\n".join(lines))
        self._port = profile / "MarionetteActivePort"
        self._port.unlink(missing_ok=True)
        self._process = subprocess.Popen(
            [str(FIREFOX.find()), "-marionette", "-headless", "-no-remote", "-profile", str(profile)],
            env=os.environ | {"HOME": str(profile.parent)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._sent = 0
        self._buffer = b""
        self._socket = self._connected()
        self._message()
        self._do("WebDriver:NewSession")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self.kill()

    def _connected(self) -> socket.socket:
        deadline = time.monotonic() + 2 * _PATIENCE
        while time.monotonic() < deadline and self._process.poll() is None:
            with contextlib.suppress(OSError, ValueError):
                return socket.create_connection(("127.0.0.1", int(self._port.read_text())), timeout=_PATIENCE)
            time.sleep(0.1)
        self._process.kill()
        raise RuntimeError("Firefox did not start")

    def _message(self) -> Any:  # noqa: ANN401 - JSON
        """Read one message: its length, a colon, JSON."""
        while b":" not in self._buffer or len(self._buffer.partition(b":")[2]) < int(self._buffer.partition(b":")[0]):
            if not (chunk := self._socket.recv(65_536)):
                raise ConnectionError("Firefox has gone")
            self._buffer += chunk
        length, _, rest = self._buffer.partition(b":")
        self._buffer = rest[int(length) :]
        return json.loads(rest[: int(length)])

    def _do(self, command: str, **parameters: Any) -> Any:  # noqa: ANN401 - JSON
        self._sent += 1
        message = json.dumps([0, self._sent, command, parameters]).encode()
        self._socket.sendall(b"%d:%b" % (len(message), message))
        _, _, error, result = self._message()
        if error:
            raise RuntimeError(f"{command}: {error['error']}: {error['message']}")
        return result

    def open_tab(self, address: str) -> str:
        """Open an address in a tab of its own and return the tab's handle."""
        handle = str(self._do("WebDriver:NewWindow", type="tab", focus=True)["handle"])
        self.switch_to(handle)
        self._do("WebDriver:Navigate", url=address)
        return handle

    def open(self, address: str) -> None:
        self._do("WebDriver:Navigate", url=address)

    def back(self) -> None:
        self._do("WebDriver:Back")

    def reload(self) -> None:
        self._do("WebDriver:Refresh")

    def remember(self, name: str, value: str) -> None:
        """Take a cookie for the site of the page that is open."""
        self._do("WebDriver:AddCookie", cookie={"name": name, "value": value})

    def tabs(self) -> list[str]:
        return cast("list[str]", self._do("WebDriver:GetWindowHandles"))

    def switch_to(self, handle: str) -> None:
        self._do("WebDriver:SwitchToWindow", handle=handle, focus=True)

    def close_tab(self) -> None:
        self._do("WebDriver:CloseWindow")

    def run(self, script: str) -> Any:  # noqa: ANN401 - whatever the script returns
        """Run the body of a function in the page and return what it returns."""
        return self._do("WebDriver:ExecuteScript", script=script, args=[], newSandbox=True)["value"]

    def click(self, selector: str) -> None:
        self._do("WebDriver:ElementClick", id=self._element(selector))

    def write(self, selector: str, text: str) -> None:
        self._do("WebDriver:ElementSendKeys", id=self._element(selector), text=text)

    def _element(self, selector: str) -> str:
        return str(self._do("WebDriver:FindElement", using="css selector", value=selector)["value"][_ELEMENT])

    def quit(self) -> None:
        """End it as people do."""
        self._do("Marionette:Quit", flags=["eAttemptQuit"])
        self._end()

    def kill(self) -> None:
        """End it as a crash or an empty battery does."""
        self._process.kill()
        self._end()

    def _end(self) -> None:
        self._process.wait(_PATIENCE)
        self._socket.close()


def unpacked(profile: Path, pattern: str = "*") -> Iterator[tuple[str, bytes]]:
    """Return the files of a profile by name, those that Firefox packs unpacked."""
    for name, data in written(profile, pattern):
        yield name, _unpacked(data[len(_MAGIC) + 4 :]) if data.startswith(_MAGIC) else data


def remembered_fields(profile: Path) -> dict[str, dict[str, Any]]:
    """Return what the session files hold of fields, by the address of their page: open tabs, closed ones, old ones."""
    pages: dict[str, dict[str, Any]] = {}
    for pattern in ("sessionstore*lz4", "sessionstore-backups/*lz4*"):
        for _, data in unpacked(profile, pattern):
            _collect(json.loads(data), pages)
    return pages


def _collect(value: object, pages: dict[str, dict[str, Any]]) -> None:
    if isinstance(value, dict):
        kept = value.get("formdata")
        if isinstance(kept, dict):
            fields = {**kept.get("id", {}), **kept.get("xpath", {})}
            pages.setdefault(kept.get("url", ""), {}).update(fields)
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            _collect(each, pages)


def wait_until(true: Callable[[], bool], what: str) -> None:
    """Look again and again, for a while."""
    deadline = time.monotonic() + _PATIENCE
    while not true():
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(0.1)


def _unpacked(block: bytes) -> bytes:
    """Undo LZ4's block format: literals, then a copy of what came before, again and again."""
    out, place = bytearray(), 0
    while place < len(block):
        token = block[place]
        length, place = _length(token >> 4, block, place + 1)
        out += block[place : place + length]
        place += length
        if place >= len(block):
            break  # the last sequence has literals only
        offset = int.from_bytes(block[place : place + 2], "little")
        length, place = _length(token & 15, block, place + 2)
        for _ in range(length + 4):
            out.append(out[-offset])
    return bytes(out)


def _length(length: int, block: bytes, place: int) -> tuple[int, int]:
    if length == 15:
        while block[place] == 255:
            length, place = length + 255, place + 1
        length, place = length + block[place], place + 1
    return length, place
