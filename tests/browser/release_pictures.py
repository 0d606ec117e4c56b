"""Takes a picture of every page of releases, as everybody and as the admin sees them, and as paper does.

The file's name keeps it out of the ordinary test run; it is a test only to have the database and the server.
"""

import os
from fractions import Fraction
from pathlib import Path

from django.test import Client
from playwright.sync_api import Page

from surveys.models import Survey
from surveys.releases.selectors.doors import index_key
from tests.browser.audit import Setting, look_as
from tests.browser.conftest import NewContext
from tests.factories import make_admin
from tests.releases.every_release import every_release, survey_of_every_kind

SETTINGS = (Setting(390), Setting(390, dark=True), Setting(1280), Setting(1280, dark=True))
TWO_QUESTIONS = ("How often?", "Have you ever cheated in an exam?")


def test_every_page_of_releases_has_a_picture(new_context: NewContext, site: str) -> None:
    client = Client()
    client.force_login(make_admin())
    context = new_context(reduced_motion="reduce")
    context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": site}])
    page = context.new_page()
    survey = survey_of_every_kind(title="What we would not say aloud")
    releases = list(every_release(survey, epsilon=Fraction(3, 10)))
    wanted = os.environ.get("TESTS_PICTURES", "public admin steps").split()
    if "public" in wanted:
        _public(page, survey, [f"{n:02}-{release.mechanism}" for n, release in enumerate(releases, 1)], releases)
    if "admin" in wanted:
        _admin(page, survey, {f"{release.mechanism}": release.pk for release in releases})
    if "steps" in wanted:
        _steps(page, survey)


def _public(page: Page, survey: Survey, names: list[str], releases: list) -> None:
    for name, release in zip(names, releases, strict=True):
        _open(page, f"/r/{release.pk}/")
        _take(page, f"public-{name}")
    _open(page, f"/r/of/{index_key(survey)}/")
    _take(page, "public-index")
    _open(page, f"/r/{releases[1].pk}/")
    page.set_viewport_size({"width": 700, "height": 1000})
    page.emulate_media(media="print", color_scheme="dark")
    page.screenshot(path=_directory("paper") / "public-counts.png", full_page=True)
    page.emulate_media(media="screen")


def _admin(page: Page, survey: Survey, releases: dict[str, str]) -> None:
    addresses = {
        "list": "release/",
        "budgets": "budget/",
        "budget": f"budget/{survey.budget.pk}/change/",
        "new-budget": "budget/add/",
        "ledger": "ledgerentry/",
        **{f"detail-{name}": f"release/{pk}/change/" for name, pk in releases.items()},
    }
    for name, address in addresses.items():
        _open(page, f"/admin/surveys/{address}")
        _take(page, f"admin-{name}")


def _steps(page: Page, survey: Survey) -> None:
    _open(page, f"/admin/surveys/release/add/?survey={survey.pk}")
    for text in TWO_QUESTIONS:
        page.locator("label.option", has_text=text).first.click()
    _take(page, "step-1")
    page.get_by_role("button", name="Next: mechanism and ε").click()
    _take(page, "step-2")
    page.get_by_label("Noisy counts (discrete Laplace)").check()
    page.get_by_label("Reason:").fill("For the yearly report.")
    _take(page, "step-2-chosen")
    page.locator("details:has(#id_epsilon) > summary").click()
    page.locator("#id_epsilon").fill("9")
    page.get_by_role("button", name="Show cost and error").click()
    _take(page, "step-2-refused")
    page.locator("#id_epsilon").fill("0.5")
    page.get_by_role("button", name="Show cost and error").click()
    _take(page, "step-3")
    page.get_by_label("Type the value of ε to confirm").fill("0.5")
    with page.context.expect_page():
        page.get_by_role("button", name="Draw once").click(modifiers=["Control"])
    page.wait_for_timeout(2_000)
    page.get_by_role("button", name="Draw once").click()
    _take(page, "step-3-again")


def _open(page: Page, address: str) -> None:
    response = page.goto(address)
    assert response is not None
    assert response.status == 200, f"{address} is no page to take a picture of"


def _take(page: Page, name: str) -> None:
    for setting in SETTINGS:
        look_as(page, setting)
        page.screenshot(path=_directory(str(setting)) / f"{name}.png", full_page=True)


def _directory(name: str) -> Path:
    return Path(os.environ["TESTS_SCREENSHOTS"]) / name
