"""The certified provider `oidc-provider` on 127.0.0.1, and a browser without a screen that signs in at it."""

import json
import re
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

import pytest

from tests.programs import OIDC_MODULES, OIDC_PROVIDER

HOME = "https://survey.example.org"
SECRET = "a secret of the tests alone"
_SCRIPT = Path(__file__).parent / "oidc_provider" / "provider.js"


@dataclass(frozen=True)
class Certified:
    """Two issuers; the second takes pushed requests alone."""

    plain: str
    pushed: str


@pytest.fixture(scope="module")
def certified() -> Iterator[Certified]:
    node = OIDC_PROVIDER.find()
    if node is None:
        pytest.skip(OIDC_PROVIDER.how_to_install)
    process = subprocess.Popen(
        [node, _SCRIPT, OIDC_MODULES, HOME], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdout is not None
        yield Certified(*json.loads(process.stdout.readline()))
    finally:
        process.terminate()
        process.communicate()


class _StopAtHome(urllib.request.HTTPRedirectHandler):
    """Follows redirects up to the one that leads back to us."""

    def redirect_request(self, *arguments: object) -> urllib.request.Request | None:  # type: ignore[override]
        leads_home = str(arguments[-1]).startswith(HOME)
        return None if leads_home else super().redirect_request(*arguments)  # type: ignore[arg-type]


class Visitor:
    """Somebody with a browser, who fills in the provider's pages."""

    def __init__(self) -> None:
        self._opener = urllib.request.build_opener(_StopAtHome(), urllib.request.HTTPCookieProcessor(CookieJar()))

    def sign_in(self, location: str, name: str) -> dict[str, str]:
        """Give a name, agree, and return what the browser is sent back with."""
        return self._go_on(location, {"login": name, "password": "any"})

    def decline(self, location: str) -> dict[str, str]:
        address, page = self._open(location)
        abort = re.search(r'href="([^"]+/abort)"', page)
        assert abort, page
        return self._brought(self._open(urljoin(address, abort[1]))[0])

    def _go_on(self, location: str, fields: dict[str, str]) -> dict[str, str]:
        address, page = self._open(location)
        for _page in range(3):
            if address.startswith(HOME):
                return self._brought(address)
            form = re.search(r'action="([^"]+)".*name="prompt" value="(\w+)"', page, re.DOTALL)
            assert form, page
            sent = {"prompt": form[2], **(fields if form[2] == "login" else {})}
            address, page = self._open(urljoin(address, form[1]), sent)
        return self._brought(address)

    def _open(self, address: str, form: dict[str, str] | None = None) -> tuple[str, str]:
        try:
            with self._opener.open(address, urlencode(form).encode() if form else None, timeout=20) as answer:
                return answer.url, answer.read().decode()
        except urllib.error.HTTPError as stopped:
            if location := stopped.headers.get("Location"):
                return location, ""
            raise

    @staticmethod
    def _brought(address: str) -> dict[str, str]:
        assert address.startswith(f"{HOME}/provider/back/"), address
        return dict(parse_qsl(urlsplit(address).query))

    def read(self, address: str) -> str:
        return self._open(address)[1]
