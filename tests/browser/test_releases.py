"""The admin makes and publishes a release in a real browser; the public page is accessible in every look."""

from collections.abc import Iterator
from fractions import Fraction

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import ConsoleMessage, Page, expect

from surveys.models import Mechanism, Release
from tests.browser.conftest import NewContext
from tests.factories import PASSWORD, make_admin, one_of
from tests.releases.setting import make_release, published_release, ready_survey, spent

AXE = {
    "runOnly": {
        "type": "tag",
        "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    }
}


@pytest.fixture
def violations(page: Page) -> Iterator[list[str]]:
    """Every message of the browser about the content security policy."""
    found: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text:
            found.append(f"{page.url}: {message.text}")

    page.on("console", note)
    yield found
    page.remove_listener("console", note)


def _sign_in(page: Page) -> None:
    admin = make_admin()
    page.goto("/admin/")
    page.get_by_label("Username").fill(admin.username)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()


def test_a_release_from_its_terms_to_its_public_page(page: Page, violations: list[str]) -> None:
    survey = ready_survey()
    _sign_in(page)
    page.goto("/admin/surveys/release/add/")
    page.get_by_label("Question").select_option(label="Have you ever cheated in an exam?")
    page.get_by_label("ε").fill("0.25")
    page.get_by_role("button", name="Show the cost and the error").click()
    expect(page.get_by_role("row", name="Budget")).to_contain_text("ε = 1 left now, 0.75 afterwards")
    assert spent(survey) == 0
    page.get_by_role("button", name="Draw once and charge 0.25").click()
    expect(page.get_by_text("is drawn and charged")).to_be_visible()
    assert spent(survey) == 250_000
    page.get_by_role("button", name="Publish").click()
    page.get_by_role("link", name="Public page").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Have you ever cheated in an exam?")
    assert page.url.endswith(f"/r/{Release.objects.get().pk}/")
    assert violations == []


def test_a_refused_release_says_why_beside_the_field_and_charges_nothing(page: Page, violations: list[str]) -> None:
    survey = ready_survey()
    _sign_in(page)
    page.goto("/admin/surveys/release/add/")
    page.get_by_label("Question").select_option(label="Have you ever cheated in an exam?")
    page.get_by_label("ε").fill("1.5")
    page.get_by_role("button", name="Show the cost and the error").click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing was charged")
    expect(page.locator(".form-row", has=page.get_by_label("ε"))).to_contain_text("ε = 1 left")
    assert (spent(survey), Release.objects.count()) == (0, 0)
    assert violations == []


def test_a_draw_confirmed_again_from_the_kept_page_is_named_and_not_charged(page: Page) -> None:
    survey = ready_survey()
    _sign_in(page)
    page.goto("/admin/surveys/release/add/")
    page.get_by_label("Question").select_option(label="Have you ever cheated in an exam?")
    page.get_by_label("ε").fill("0.25")
    page.get_by_role("button", name="Show the cost and the error").click()
    with page.context.expect_page() as opened:
        page.get_by_role("button", name="Draw once").click(modifiers=["Control"])
    expect(opened.value.get_by_text("is drawn and charged")).to_be_visible()
    page.get_by_role("button", name="Draw once").click()
    expect(page.get_by_text("has already made release")).to_be_visible()
    assert (spent(survey), Release.objects.count()) == (250_000, 1)


def test_the_admin_pages_of_budgets_and_releases_apply_no_inline_style(page: Page, violations: list[str]) -> None:
    survey = ready_survey()
    make_release(survey)
    _sign_in(page)
    for address in ("release/", "budget/", "budget/add/", f"budget/{survey.budget.pk}/change/", "survey/"):
        page.goto(f"/admin/surveys/{address}")
        expect(page.locator("#content")).to_be_visible()
    assert violations == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_public_page_is_accessible(new_context: NewContext, width: int, scheme: str) -> None:
    survey = ready_survey({"0": 150, "1": 100, "2": 50}, one_of())
    pages = [
        published_release(survey, mechanism=mechanism, epsilon=Fraction(1, 2)).pk for mechanism in Mechanism.values
    ]
    page = new_context(viewport={"width": width, "height": 800}, color_scheme=scheme).new_page()
    for release_id in pages:
        page.goto(f"/r/{release_id}/")
        found = Axe().run(page, options=AXE).response["violations"]
        assert [(rule["id"], rule["nodes"][0]["html"]) for rule in found] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
