"""One Chromium for all browser tests that a process runs, a fresh profile for each."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

from tests.browser.audit import Looks
from tests.browser.fonts import write_fontconfig
from tests.factories import make_user
from tests.programs import CHROMIUM, CHROMIUM_ARGUMENTS, HEADLESS_SHELL
from tests.property_profile import ALL_EXAMPLES
from tests.server import ROOT, Server, environment, serving

PHONE = {"width": 390, "height": 844}
# How long a browser is waited for; a busy machine needs it, and a test that passes does not wait for its end.
PATIENCE_MS = 60_000
expect.set_options(timeout=PATIENCE_MS)
Launching = dict[str, Any]
NewContext = Callable[..., BrowserContext]
SignedIn = Callable[..., BrowserContext]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/browser/" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    # Playwright keeps an event loop in this thread, which Django would take for asynchronous code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with sync_playwright() as running:
        yield running
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture(scope="session")
def launching(tmp_path_factory: pytest.TempPathFactory) -> Launching:
    """How a Chromium is started: with the fonts of the tests, whatever else the machine has."""
    if CHROMIUM.find() is None:
        pytest.skip(CHROMIUM.how_to_install)
    return {
        "executable_path": CHROMIUM.find(),
        "args": [*CHROMIUM_ARGUMENTS],
        # Playwright turns the back-forward cache off; real phones have it and a restored choice would come from there.
        "ignore_default_args": ["--disable-back-forward-cache"],
        "env": os.environ | {"FONTCONFIG_FILE": write_fontconfig(tmp_path_factory.mktemp("fonts"))},
    }


@pytest.fixture(scope="session")
def headless_shell(playwright: Playwright, launching: Launching) -> Iterator[Browser]:
    executable = HEADLESS_SHELL.find() or CHROMIUM.find()
    with playwright.chromium.launch(**launching | {"executable_path": executable}) as chromium:
        yield chromium


@pytest.fixture(scope="module")
def whole_chromium(playwright: Playwright, launching: Launching) -> Iterator[Browser]:
    with playwright.chromium.launch(**launching) as chromium:
        yield chromium


@pytest.fixture
def browser(request: pytest.FixtureRequest) -> Browser:
    marked = request.node.get_closest_marker("whole_chromium")
    chosen: Browser = request.getfixturevalue("whole_chromium" if marked else "headless_shell")
    return chosen


@pytest.fixture
def site(transactional_db: None, live_server: LiveServer) -> str:
    """The address of the running application, its database committed and empty."""
    return str(live_server.url)


@pytest.fixture
def new_context(browser: Browser, site: str) -> Iterator[NewContext]:
    """Makes browser profiles that end with the test."""
    contexts = []

    def make(**options: Any) -> BrowserContext:
        context = browser.new_context(**({"viewport": PHONE, "base_url": site} | options))
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        return context

    yield make
    for context in contexts:
        context.close()


@pytest.fixture
def page(new_context: NewContext) -> Page:
    """A page in a profile of its own, as wide as a phone."""
    return new_context().new_page()


@pytest.fixture
def teacher(site: str) -> User:
    """An instructor of their own for each test."""
    return make_user()


@pytest.fixture
def signed_in(new_context: NewContext, teacher: User, site: str) -> SignedIn:
    """Makes profiles in which the teacher is signed in."""

    def make(**options: Any) -> BrowserContext:
        client = Client()
        client.force_login(teacher)
        context = new_context(**options)
        context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": site}])
        return context

    return make


@pytest.fixture
def looks() -> Looks:
    """How the pages of a test that is not slow are looked at: `make test` takes turns, `make test-all` has it all."""
    return Looks(at_every_page=ALL_EXAMPLES in os.environ)


@pytest.fixture
def every_look() -> Looks:
    """How pages are looked at where every setting is wanted: in slow tests, and where there are few."""
    return Looks(at_every_page=True)


# In one process: to start one takes longer than most of this.
_MAKE_READY = """
import django; django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
call_command("collectstatic", interactive=False, verbosity=0)
from tests.browser.standing import open_surveys
print(*open_surveys())
"""


@dataclass(frozen=True)
class Standing:
    """The application as it is deployed: its server, and the directory that holds all that it keeps."""

    server: Server
    directory: Path
    tokens: tuple[str, ...]


@pytest.fixture(scope="session")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standing]:
    """A real server in processes of its own, with the surveys of tests/browser/standing.py."""
    directory = tmp_path_factory.mktemp("standing") / "data"
    settings = environment(directory) | {"DJANGO_SETTINGS_MODULE": "surveys.settings"}
    made = subprocess.run(
        [sys.executable, "-c", _MAKE_READY], cwd=ROOT, env=settings, check=True, stdout=subprocess.PIPE, text=True
    )
    with serving("serve", directory=directory) as server:
        yield Standing(server, directory, tuple(made.stdout.split()))
