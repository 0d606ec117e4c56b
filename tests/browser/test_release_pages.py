"""Release pages in a real browser: accessible in every look, nothing scrolls sideways, and a page to print."""

from fractions import Fraction

import pytest
from playwright.sync_api import Page

from surveys.models import Mechanism, Release
from surveys.releases.selectors.doors import index_key
from surveys.releases.selectors.reading import reading_of
from tests.browser.audit import AXE_ON_LOOKS, Looks, Setting, look_as, measured, missing_rings, violations
from tests.privacy.chance import seeded
from tests.releases.every_release import HOSTILE, every_release, survey_of_every_kind
from tests.releases.people import in_order, joined_survey
from tests.releases.setting import published_release

WIDTHS = (320, 390, 600, 768, 834, 1280)
SETTINGS = (Setting(390, dark=True), Setting(390, forced=True), Setting(1280))


def _one_of_each_family() -> list[Release]:
    survey = survey_of_every_kind(n=60, seed=6, note=HOSTILE)
    releases, seen = [], set[str]()
    for release in every_release(survey):
        families = {part.finding.family for part in reading_of(release).parts}
        if not families <= seen:
            seen |= families
            releases.append(release)
    return releases


@pytest.mark.slow
def test_the_pages_of_every_family_are_accessible_and_fit_in_both_directions(page: Page, every_look: Looks) -> None:
    releases = _one_of_each_family()
    addresses = [
        f"/r/of/{index_key(releases[0].survey)}/",
        *(f"/r/{release.pk}/{end}" for release in releases for end in ("", "embed/")),
    ]
    wrong = []
    for address in addresses:
        page.goto(address)
        for _, rules in every_look.at(page, (Setting(390),)):
            wrong += [f"{address}: {fault}" for fault in violations(page, rules)]
        for direction in ("ltr", "rtl"):
            page.evaluate("direction => { document.documentElement.dir = direction; }", direction)
            for width in WIDTHS:
                look_as(page, Setting(width))
                wrong += [f"{address} {direction} {width}: {fault}" for fault in measured(page)]
    wrong += missing_rings(page)
    assert wrong == []


def test_colours_and_targets_are_as_good_in_every_look(page: Page, looks: Looks) -> None:
    # Between them they have all that a release page is drawn with.
    drawn = {Mechanism.LAPLACE_HISTOGRAM, Mechanism.BOUNDS}
    releases = every_release(survey_of_every_kind(n=60, seed=7), only=drawn)
    wrong = []
    for release in list(releases)[1:4:2]:
        for end in ("", "embed/"):
            page.goto(f"/r/{release.pk}/{end}")
            wrong += [f"{release.mechanism} {end} {fault}" for fault in looks.faults(page, SETTINGS, AXE_ON_LOOKS)]
    assert wrong == []


_CLOSEST = """() => Math.min(...[...document.querySelectorAll(".axis-row svg")].flatMap((axis) => {
  const marks = [...axis.querySelectorAll("text")].map((text) => text.getBoundingClientRect());
  const boxes = marks.filter((box) => box.width);
  return boxes.slice(1).map((box, place) => box.left - boxes[place].right);
}))"""


def test_the_marks_of_a_model_s_axis_are_apart_at_every_width(page: Page) -> None:
    survey = joined_survey(1000)
    asked = {"questions": in_order(survey), "mechanism": Mechanism.JOINT_TABLE, "options": {"outcome": "1"}}
    release = published_release(survey, epsilon=Fraction(2), randbelow=seeded(3), **asked)
    page.goto(f"/r/{release.pk}/")
    gaps = {}
    for width in (320, 390, 600, 768, 834, 960, 1200, 1280):
        look_as(page, Setting(width))
        gaps[width] = page.evaluate(_CLOSEST)
    assert {width: gap for width, gap in gaps.items() if gap < 4} == {}


_COUNT_PALE = """() => [...document.querySelectorAll("main *")]
  .filter((element) => element.checkVisibility() && !element.closest("svg"))
  .map((element) => getComputedStyle(element).color.match(/[0-9.]+/g).map(Number))
  .filter(([red, green, blue]) => Math.max(red, green, blue) > 130).length"""


def test_on_paper_a_release_is_black_on_white_with_every_table(page: Page) -> None:
    survey = survey_of_every_kind(n=60, seed=8)
    release = next(every_release(survey, only={Mechanism.TOP}))
    page.set_viewport_size({"width": 700, "height": 1000})
    page.goto(f"/r/{release.pk}/")
    for scheme in ("light", "dark"):
        page.emulate_media(media="print", color_scheme=scheme)
        assert page.locator(".site-header").is_hidden()
        assert page.locator(".privacy-label").is_visible()
        assert all(table.is_visible() for table in page.locator("main table").all())
        assert page.evaluate(_COUNT_PALE) == 0
