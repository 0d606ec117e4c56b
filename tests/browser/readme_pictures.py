"""Takes the pictures of README.md from the demo.

`TESTS_FONT=Noto TESTS_SCREENSHOTS=docs/pictures .venv/bin/python -m pytest tests/browser/readme_pictures.py`

The file's name keeps it out of the ordinary test run; it is a test only to have the database and the server.
"""

import io
import os
from pathlib import Path

from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from playwright.sync_api import BrowserContext, Page

from surveys.models import Mechanism, Release
from tests.browser.conftest import PHONE, NewContext
from tests.factories import make_draft, yes_no


def _phone(new_context: NewContext, directory: Path) -> None:
    page = new_context(device_scale_factor=2, reduced_motion="reduce", viewport=PHONE).new_page()
    page.goto(reverse("answer", args=["EXAMS"]))
    page.screenshot(path=directory / "promise.png")
    page.locator("#begin").click()
    page.get_by_role("radio", name="Yes").check()
    page.locator("[data-flip]:visible").click()
    page.screenshot(path=directory / "flip.png")
    page.locator("#sending [type=submit]").click()
    page.wait_for_url("**/receipt/")
    page.screenshot(path=directory / "receipt.png")


def _signed_in(new_context: NewContext, site: str, name: str) -> BrowserContext:
    client = Client()
    client.force_login(User.objects.get(username=name))
    context = new_context(device_scale_factor=1.5, reduced_motion="reduce", viewport={"width": 1200, "height": 760})
    context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": site}])
    return context


def _taken(page: Page, address: str, path: Path) -> None:
    page.goto(address)
    page.screenshot(path=path)


def test_readme_has_its_pictures(new_context: NewContext, site: str) -> None:
    directory = Path(os.environ["TESTS_SCREENSHOTS"])
    directory.mkdir(parents=True, exist_ok=True)
    call_command("demo", "--no-serve", stdout=io.StringIO(), stderr=io.StringIO())
    _phone(new_context, directory)
    page = _signed_in(new_context, site, "instructor").new_page()
    _taken(page, reverse("survey-results", args=["EXAMS"]), directory / "results.png")
    draft = make_draft(yes_no("Have you ever used AI in an exam?"), owner=User.objects.get(username="instructor"))
    page.goto(reverse("survey-edit", args=[draft.code]))
    page.frame_locator(".phone iframe:not(.coming)").get_by_text("Have you ever").wait_for()
    page.screenshot(path=directory / "editor.png")
    _taken(page, reverse("survey-detail", args=["EXAMS"]), directory / "survey.png")
    release = Release.objects.get(mechanism=Mechanism.LAPLACE_HISTOGRAM)
    _taken(page, reverse("release", args=[release.pk]), directory / "release.png")
    _taken(_signed_in(new_context, site, "admin").new_page(), reverse("admin:index"), directory / "admin.png")
