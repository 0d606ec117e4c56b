"""Every page of results and files, with a survey of every kind, as an auditor sees it; and charts as files."""

import re
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import ConsoleMessage, Page, Request, Route, expect
from pytest_django.fixtures import Settings

from surveys.charts.svg import to_svg
from surveys.models import Survey
from tests.browser.audit import Looks, Setting, faults, look_as, measured, missing_rings
from tests.browser.conftest import NewContext, SignedIn
from tests.browser.simulated import pages, simulated_survey
from tests.charts.samples import every_chart, parsed
from tests.i18n.pseudo import use_pseudo
from tests.programs import GETTEXT

AUDITED = (Setting(390), Setting(1280, dark=True))
MEASURED = (Setting(320), Setting(390, forced=True), Setting(600), Setting(768), Setting(834))
FROM_RIGHT_TO_LEFT = (Setting(320), Setting(1280))
_OPEN_ALL = "() => { for (const details of document.querySelectorAll('details')) details.open = true; }"
OpenPage = Callable[..., Page]


@pytest.fixture
def survey(teacher: User) -> Survey:
    return simulated_survey(teacher)


@pytest.fixture
def complaints(site: str) -> list[str]:
    """All that pages complain of: errors, what the policy refuses, and whom they ask besides us."""
    return []


@pytest.fixture
def open_page(signed_in: SignedIn, site: str, complaints: list[str]) -> OpenPage:
    """Opens pages in the teacher's session."""

    def note(message: ConsoleMessage) -> None:
        if message.type == "error" or "Content Security Policy" in message.text:
            complaints.append(message.text)

    def note_request(request: Request) -> None:
        if not request.url.startswith((site, "blob:")):
            complaints.append(f"asks {request.url}")

    def make(language: str = "en") -> Page:
        page = signed_in(locale=language, reduced_motion="reduce").new_page()
        page.on("console", note)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", note_request)
        return page

    return make


def _visit(page: Page, survey: Survey, first: Setting) -> Iterator[tuple[str, list[str]]]:
    """Open each page, with all that can be unfolded, and return its name and a list of what is wrong."""
    for name, address in pages(survey).items():
        look_as(page, first)
        answered = page.goto(address)
        assert answered is not None
        assert answered.status == 200, name
        page.evaluate(_OPEN_ALL)
        yield name, missing_rings(page)


@pytest.mark.slow
def test_an_auditor_finds_nothing_on_any_page_of_results(
    open_page: OpenPage, survey: Survey, complaints: list[str], every_look: Looks
) -> None:
    page = open_page()
    wrong = {}
    for name, problems in _visit(page, survey, AUDITED[0]):
        wrong[name] = [*problems, *every_look.faults(page, AUDITED)]
        for setting in MEASURED:
            look_as(page, setting)
            wrong[name] += [f"{setting}: {fault}" for fault in measured(page)]
    assert {name: problems for name, problems in wrong.items() if problems} == {}
    assert complaints == []


@pytest.mark.skipif(GETTEXT.find() is None, reason=GETTEXT.how_to_install)
# test_languages.py looks at pages from right to left in `make test` too.
@pytest.mark.slow
def test_every_page_of_results_fits_from_right_to_left(
    open_page: OpenPage, survey: Survey, settings: Settings, complaints: list[str]
) -> None:
    use_pseudo(settings)
    page = open_page("ar")
    wrong = {}
    for name, problems in _visit(page, survey, FROM_RIGHT_TO_LEFT[0]):
        for setting in FROM_RIGHT_TO_LEFT:
            look_as(page, setting)
            problems += [f"{setting}: {fault}" for fault in measured(page)]
        wrong[name] = problems
    assert {name: problems for name, problems in wrong.items() if problems} == {}
    assert complaints == []


FAULTS = {
    "scrolls sideways": "document.querySelector('.figure').style.minWidth = '500px'",
    "svg-img-alt": "document.querySelector('.figure svg[role=img]').removeAttribute('aria-label')",
    "color-contrast": "document.querySelector('.row-value').style.color = '#aaa'",
    "lower than 44 px": "document.querySelector('.tabs a').style.minHeight = '20px'",
}


@pytest.mark.parametrize("rule", FAULTS)
@pytest.mark.slow
def test_a_fault_planted_in_the_results_is_noticed(open_page: OpenPage, survey: Survey, rule: str) -> None:
    page = open_page()
    page.goto(reverse("survey-results-groups", args=[survey.code]))
    page.evaluate(FAULTS[rule])
    assert any(rule in problem for problem in faults(page))


def test_a_tab_is_current_without_colour_and_paper_has_the_tables_and_no_forms(
    open_page: OpenPage, survey: Survey
) -> None:
    page = open_page()
    page.goto(reverse("survey-results", args=[survey.code]))
    current = page.locator(".tabs [aria-current=page]")
    weight = "element => Number(getComputedStyle(element).fontWeight)"
    assert current.evaluate(weight) > page.locator(".tabs a:not([aria-current])").first.evaluate(weight)
    table = page.locator(".figure table").first
    expect(table).to_be_hidden()
    page.emulate_media(media="print")
    expect(table).to_be_visible()
    for hidden in ("main form", ".tabs", ".downloads", "summary"):
        expect(page.locator(hidden).first).to_be_hidden()


# Charts as files


@pytest.mark.slow
def test_a_chart_is_saved_as_a_picture_by_the_browser(
    open_page: OpenPage, survey: Survey, complaints: list[str], tmp_path: Path
) -> None:
    page = open_page()
    page.goto(reverse("survey-results", args=[survey.code]) + "?level=.90")
    tools = page.locator("[data-chart]").first
    with page.expect_download() as saved:
        tools.get_by_role("link", name="SVG").click()
    document = parsed(Path(saved.value.path()).read_text())
    with page.expect_download() as saved:
        tools.get_by_role("button", name="PNG").click()
    assert saved.value.suggested_filename.startswith(survey.code)
    picture = Path(saved.value.path()).read_bytes()
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", picture[16:24]) == tuple(
        2 * round(float(document.attrib[side])) for side in ("width", "height")
    )
    assert _colours(page, picture) > 20
    assert complaints == []


@pytest.mark.slow
def test_a_picture_that_cannot_be_made_is_reported(open_page: OpenPage, survey: Survey) -> None:
    page = open_page()
    page.goto(reverse("survey-results", args=[survey.code]))

    def fail(route: Route) -> None:
        route.fulfill(status=404, body="gone")

    page.route("**/*chart=*", fail)
    tools = page.locator("[data-chart]").first
    tools.get_by_role("button", name="PNG").click()
    expect(tools.get_by_role("status")).to_have_text(re.compile(r"\w"))


def test_without_scripts_there_is_no_button_for_a_picture(signed_in: SignedIn, survey: Survey) -> None:
    page = signed_in(java_script_enabled=False).new_page()
    page.goto(reverse("survey-results", args=[survey.code]))
    tools = page.locator("[data-chart]").first
    expect(tools.get_by_role("link", name="SVG")).to_be_visible()
    expect(tools.locator("button")).to_be_hidden()


def test_a_file_of_every_kind_opens_by_itself(new_context: NewContext, tmp_path: Path) -> None:
    page = new_context().new_page()
    for chart in every_chart():
        path = tmp_path / f"{chart.name}.svg"
        path.write_text(to_svg(chart))
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.localName") == "svg"
        assert page.evaluate("document.querySelector('title').textContent") == chart.title
        assert (chart.name, _texts_outside(page)) == (chart.name, [])


_OUTSIDE = """() => {
  const sheet = document.documentElement.getBoundingClientRect();
  return [...document.querySelectorAll("text")].filter((text) => {
    const box = text.getBoundingClientRect();
    return box.left < sheet.left || box.top < sheet.top || box.right > sheet.right || box.bottom > sheet.bottom;
  }).map((text) => text.textContent);
}"""


def _texts_outside(page: Page) -> list[str]:
    texts: list[str] = page.evaluate(_OUTSIDE)
    return texts


_COUNT_COLOURS = """async (bytes) => {
  const picture = await createImageBitmap(new Blob([new Uint8Array(bytes)], { type: "image/png" }));
  const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
  context.drawImage(picture, 0, 0);
  const { data } = context.getImageData(0, 0, picture.width, picture.height);
  return new Set(new Uint32Array(data.buffer)).size;
}"""


def _colours(page: Page, picture: bytes) -> int:
    """Return how many colours a picture has; a blank one has one."""
    number: int = page.evaluate(_COUNT_COLOURS, list(picture))
    return number
