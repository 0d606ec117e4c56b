"""Every page and step of a respondent, in every language and setting, as an auditor sees it."""

import pytest
from playwright.sync_api import ConsoleMessage, Page, Request
from pytest_django.fixtures import Settings

from tests.browser.audit import AXE_ON_LOOKS, Looks, Setting, faults, missing_rings, violations
from tests.browser.conftest import NewContext
from tests.browser.stops import stops
from tests.browser.tour import Tour
from tests.browser.walk import begin
from tests.factories import make_open, yes_no
from tests.i18n.pseudo import use_pseudo
from tests.programs import GETTEXT

# From right to left, and half as long again in a language of the tests, where the rest is in English.
SETTINGS = {
    "en": (Setting(390), Setting(320, dark=True), Setting(390, forced=True), Setting(1280)),
    "he": (Setting(320),),
    "eo": (Setting(390),),
}
DIRECTIONS = {"en": "ltr", "he": "rtl", "eo": "ltr"}
# Addresses that do not exist, refused forms, the network that fails on purpose, what this Chromium was built without.
EXPECTED = (
    "Failed to load resource: the server responded with a status of 4",
    "net::ERR_FAILED",
    "net::ERR_INTERNET_DISCONNECTED",
    "Permissions-Policy header: Unrecognized feature",
    # The audit is sometimes quicker to focus something than the page is.
    "Autofocus processing was blocked because a document already has a focused element.",
)


class Visitor:
    """Opens pages in a language and notes what they complain of and whom they ask."""

    def __init__(self, new_context: NewContext, language: str) -> None:
        self._new_context, self._language = new_context, language
        self.complaints: list[str] = []
        self.asked: list[str] = []

    def open_page(self) -> Page:
        page = self._new_context(locale=self._language, reduced_motion="reduce").new_page()
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", self._note_request)
        return page

    def _note(self, message: ConsoleMessage) -> None:
        if not any(expected in message.text for expected in EXPECTED):
            self.complaints.append(message.text)

    def _note_request(self, request: Request) -> None:
        self.asked.append(request.url)


@pytest.mark.skipif(GETTEXT.find() is None, reason=GETTEXT.how_to_install)
@pytest.mark.parametrize("language", DIRECTIONS)
def test_an_auditor_finds_nothing_on_any_step(
    new_context: NewContext, settings: Settings, site: str, language: str, looks: Looks
) -> None:
    use_pseudo(settings)
    visitor = Visitor(new_context, language)
    wrong: dict[str, list[str]] = {}
    # All scenes in each language; or every other scene, in the next language each time.
    turn = (0, 1) if looks.at_every_page else (2 * list(DIRECTIONS).index(language), 2 * len(DIRECTIONS))
    for step, page in stops(Tour(visitor.open_page, language, in_full=looks.at_every_page), *turn):
        problems = [*missing_rings(page), *looks.faults(page, SETTINGS[language])]
        spoken = page.locator("html").evaluate("(html) => [html.lang, html.dir]")
        if spoken != [language, DIRECTIONS[language]]:
            problems.append(f"it speaks {spoken}")
        if problems:
            wrong[step] = problems
    assert wrong == {}
    assert visitor.complaints == []
    assert [url for url in visitor.asked if not url.startswith(site)] == []


# Each fault: what is done to the front page, and the words in which the auditor has to notice it.
PLANTED = {
    "image-alt": "document.querySelector('main').append(document.createElement('img'))",
    "color-contrast": "document.querySelector('.lead').style.color = '#999'",
    "scrolls sideways": "document.querySelector('.hero').style.width = '400px'",
    "lower than 44 px": "document.querySelector('.button').style.cssText = 'min-height: 0; padding: 0'",
    "smaller than 24 px: <a": "document.querySelector('main').innerHTML = '<div><a href=\"/\">Alone</a></div>'",
    "words over words": "document.querySelectorAll('.axis text').forEach((text) => text.setAttribute('x', '50%'))",
    "text under 12 px": "document.querySelector('h3').style.fontSize = '11px'",
    "no title": "document.title = ' '",
    "its text sticks out": "document.querySelector('h2').style.cssText = 'inline-size: 40px; overflow-wrap: normal'",
    "no ring: <a": "document.querySelector('.wordmark').style.outline = 'none'",
}


@pytest.mark.slow
def test_the_auditor_would_notice(page: Page) -> None:
    noticed = {}
    for words, done in PLANTED.items():
        page.goto("/")
        page.evaluate(done)
        noticed[words] = any(words in fault for fault in [*missing_rings(page), *faults(page)])
    page.goto("/")
    assert [*missing_rings(page), *faults(page)] == []
    assert noticed == dict.fromkeys(PLANTED, True)


def test_the_rules_on_looks_alone_notice_colours(page: Page) -> None:
    page.goto("/")
    assert faults(page, AXE_ON_LOOKS) == []
    page.evaluate(PLANTED["color-contrast"])
    assert any("color-contrast" in fault for fault in faults(page, AXE_ON_LOOKS))


def test_a_step_that_is_read_without_the_hidden_ones_is_read_as_well_and_they_come_back(page: Page) -> None:
    begin(page, make_open(yes_no(), yes_no("B?")))
    steps = "[...document.querySelectorAll('[data-step]')].map((step) => [step.id, step.hidden])"
    before = page.evaluate(steps)
    assert (violations(page), violations(page)) == ([], [])
    page.evaluate("document.querySelector('[data-step]:not([hidden]) h1').style.color = '#ccc'")
    assert any("color-contrast" in fault for fault in violations(page))
    assert page.evaluate(steps) == before


def test_a_walk_meets_every_setting_by_axe_and_without(page: Page) -> None:
    page.goto("/")
    for fault in ("color-contrast", "lower than 44 px"):
        page.evaluate(PLANTED[fault])
    settings = (Setting(390), Setting(1280), Setting(320))

    def noticed(looks: Looks) -> list[tuple[int, bool, bool]]:
        """Return where the page was looked at, whether its colours were found, and whether its sizes."""
        looked = [
            (setting, "\n".join(faults(page, rules))) for setting, rules in looks.at(page, settings, AXE_ON_LOOKS)
        ]
        return [(setting.width, "color-contrast" in text, "lower than 44 px" in text) for setting, text in looked]

    in_turn, at_every = Looks(at_every_page=False), Looks(at_every_page=True)
    assert [noticed(in_turn) for _ in range(6)] == [
        [(width, by_axe, True)]
        for width, by_axe in ((390, True), (1280, False), (1280, True), (320, False), (320, True), (390, False))
    ]
    assert [noticed(at_every) for _ in range(2)] == [
        [(390, True, True), (1280, True, True), (320, False, True)],
        [(390, True, True), (1280, False, True), (320, True, True)],
    ]


@pytest.mark.slow
def test_a_script_written_into_a_page_would_be_noticed(new_context: NewContext) -> None:
    visitor = Visitor(new_context, "en")
    page = visitor.open_page()
    page.goto("/")
    page.evaluate("() => { const s = document.createElement('script'); s.textContent = '1'; document.head.append(s); }")
    assert any("Content Security Policy" in complaint for complaint in visitor.complaints)
