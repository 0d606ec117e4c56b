"""The walk of a respondent, of an instructor and of a reader in the engines of Firefox and Safari."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from surveys.models import Response
from tests.browser.firefox import Firefox, wait_until
from tests.browser.profiles import BY_DEVICE, NUMBERS, SHOWN, holds, written
from tests.browser.webkit import WebKit
from tests.factories import fill, make_open, number_mean, yes_no
from tests.programs import FIREFOX, WEBKIT, XVFB
from tests.releases.setting import published_release, ready_survey

pytestmark = [pytest.mark.other_browsers, pytest.mark.slow]

Browser = Firefox | WebKit
_CHECKED = "return document.querySelectorAll('[aria-checked=true]').length"
_SOURCE = "return document.documentElement.outerHTML"
_HEADING = "return document.querySelector('h1, h2').checkVisibility()"
_FITS = "return document.documentElement.scrollWidth <= innerWidth"


@pytest.fixture(params=["firefox", "webkit"])
def browser_of(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Browser]:
    """Start one of the browsers, with its profile below `tmp_path`."""
    for program in (FIREFOX,) if request.param == "firefox" else (WEBKIT, XVFB):
        if program.find() is None:
            pytest.skip(program.how_to_install)
    return lambda: Firefox(tmp_path / "profile") if request.param == "firefox" else WebKit(tmp_path)


@pytest.fixture
def other(browser_of: Callable[[], Browser]) -> Iterator[Browser]:
    with browser_of() as started:
        yield started


def _shown(other: Browser) -> str:
    return str(other.run(f"return document.querySelector({SHOWN!r}).innerText"))


def _path(other: Browser) -> str:
    return str(other.run("return location.pathname"))


def test_a_respondent_goes_there_and_back_and_leaves_no_truth_behind(other: Browser, site: str, tmp_path: Path) -> None:
    survey = make_open(yes_no("Ever?"), number_mean("How much?", details=NUMBERS))
    address = f"{site}/s/{survey.code}/"
    other.open(address)
    wait_until(lambda: bool(other.run("return !document.getElementById('begin').hidden")), "Start survey")
    other.click("#begin")
    other.click(f"{SHOWN}[role=radio]")
    other.back()
    wait_until(lambda: "Start survey" in _shown(other), "Back leads to the promise")
    assert other.run(_CHECKED) == 0
    other.click("#begin")
    other.click(f"{SHOWN}[role=radio]")
    other.click(f"{SHOWN}[data-flip]")
    wait_until(lambda: "How much?" in _shown(other), "the second question")
    other.write(f"{SHOWN}[data-limits]", BY_DEVICE)
    other.click(f"{SHOWN}[data-flip]")
    wait_until(lambda: bool(other.run("return !document.getElementById('review').hidden")), "the review")
    assert BY_DEVICE not in other.run(_SOURCE)
    other.click("#sending [type=submit]")
    wait_until(lambda: _path(other).endswith("/receipt/"), "the receipt")
    assert Response.objects.filter(survey=survey).count() == 1
    other.back()
    other.open(address)
    assert other.run("return !document.getElementById('begin')")
    assert [name for name, data in written(tmp_path) if holds(data, BY_DEVICE)] == []


def test_a_reload_forgets_what_was_flipped(other: Browser, site: str) -> None:
    survey = make_open(yes_no("Ever?"))
    other.open(f"{site}/s/{survey.code}/")
    other.click("#begin")
    other.click(f"{SHOWN}[role=radio]")
    other.reload()
    wait_until(lambda: "Start survey" in _shown(other), "the promise")
    assert other.run(_CHECKED) == 0


def test_an_instructor_reads_the_figure(other: Browser, site: str, teacher: User) -> None:
    survey = make_open(yes_no("Ever?"), owner=teacher)
    fill(survey, {"1": 60, "0": 40})
    client = Client()
    client.force_login(teacher)
    other.open(site)
    other.remember("sessionid", client.cookies["sessionid"].value)
    for page in ("survey-list", "survey-detail", "survey-results", "survey-present"):
        arguments = [] if page == "survey-list" else [survey.code]
        other.open(f"{site}{reverse(page, args=arguments)}")
        assert _path(other) == reverse(page, args=arguments)
        assert other.run(_HEADING)
        assert other.run(_FITS)


def test_everybody_reads_a_release(other: Browser, site: str) -> None:
    release = published_release(ready_survey({"0": 40, "1": 60}))
    other.open(f"{site}/r/{release.pk}/")
    assert other.run(_HEADING)
    assert other.run(_FITS)
