"""Presenting in a real browser, by keys alone; sharing and posters as they are used and printed."""

import json
import re
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import ConsoleMessage, Locator, Page, ViewportSize, expect

from surveys.course.services import close_survey, record_exact_figures
from surveys.drafts.services.groups import add_group
from surveys.models import ExactFigures, Survey
from surveys.numbers.words import interval_cell, tenths_of_100
from surveys.presenting.selectors import reveals_of
from surveys.presenting.words import present_words
from surveys.results.figures.questions import OptionResult
from surveys.results.report import Report
from tests.browser.audit import Setting, faults, look_as, measured
from tests.browser.conftest import SignedIn
from tests.factories import fill, make_draft, make_open, number_mean, one_of, send, settle, several_of, yes_no

PROJECTOR: ViewportSize = {"width": 1920, "height": 1080}
LAPTOP: ViewportSize = {"width": 1366, "height": 768}
# What is read ten metres away; axe asks for less of letters as large as these.
SMALLEST_PX = 28
CONTRAST = 7
MILLIMETRE = 96 / 25.4
_LOOK_AGAIN = "document.dispatchEvent(new Event('visibilitychange'))"
_HARD_TO_READ = """([least, contrast]) => {
  const rgb = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => [r, g, b].map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
  const behind = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = rgb(getComputedStyle(one).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const texts = [...document.querySelectorAll("main *")].filter((element) => element.checkVisibility()
    && !element.closest(".visually-hidden")
    && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()));
  const found = [];
  for (const element of texts) {
    const { color, fill, fontSize } = getComputedStyle(element);
    const lights = [rgb(element.matches("svg text") ? fill : color), behind(element)].map(luminance);
    const ratio = (Math.max(...lights) + 0.05) / (Math.min(...lights) + 0.05);
    if (parseFloat(fontSize) < least) found.push(`small: ${element.outerHTML.slice(0, 120)}`);
    if (!(ratio >= contrast)) found.push(`pale, ${ratio}: ${element.outerHTML.slice(0, 120)}`);
  }
  return found;
}"""
_TOO_TALL = """async () => {
  const box = document.getElementById("slides");
  const found = [];
  for (const { id } of document.querySelectorAll("[data-slide]:not(#lobby)")) {
    const shown = new Promise((resolve) => addEventListener("hashchange", resolve, { once: true }));
    location.hash = id;
    await shown;
    if (box.scrollHeight > box.clientHeight) found.push(id);
  }
  return found;
}"""
_FILLED_OR_LEFT = "(filled) => Boolean(document.fullscreenElement) === filled"
_FITS = "sheet => sheet.scrollHeight <= sheet.clientHeight + 1 && sheet.scrollWidth <= sheet.clientWidth + 1"
_SCROLLS = "() => { const box = document.getElementById('slides'); return box.scrollHeight > box.clientHeight + 1; }"


@pytest.fixture
def complaints() -> Iterator[list[str]]:
    """Errors and what the security policy refuses; there must be none at the end."""
    messages: list[str] = []
    yield messages
    assert messages == []


def _listen(page: Page, complaints: list[str]) -> Page:
    def note(message: ConsoleMessage) -> None:
        if message.type == "error" or "Content Security Policy" in message.text:
            complaints.append(message.text)

    page.on("console", note)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return page


def _shown(page: Page) -> str:
    slides = page.locator("[data-slide]:visible")
    expect(slides).to_have_count(1)
    return slides.get_attribute("id") or ""


def _press(page: Page, *keys: str) -> str:
    for key in keys:
        page.keyboard.press(key)
    return _shown(page)


def _show(survey: Survey, page: Page, slide: str = "") -> None:
    """Stand before a slide of a survey whose figures were shown before."""
    record_exact_figures(survey=survey)
    page.goto(reverse("survey-present", args=[survey.code]) + slide)


def _answer(survey: Survey, reports: str, times: int) -> None:
    for _ in range(times):
        send(survey, reports)


def _hard_to_read(page: Page) -> list[str]:
    texts: list[str] = page.evaluate(_HARD_TO_READ, [SMALLEST_PX, CONTRAST])
    return texts


def _held_by_the_table(redrawn: Locator) -> int:
    """Return how many of 200 drawn classes hold what was supposed, by the table that the server made."""
    expect(redrawn).to_have_attribute("data-intervals", re.compile(r"\d+"))
    table = json.loads(redrawn.get_attribute("data-again") or "")
    lines = redrawn.locator("[data-count]:not(span)")
    drawn = [int(number) for number in lines.evaluate_all("lines => lines.map((line) => line.dataset.count)")]
    assert len(drawn) == 200
    return sum(table["read"][number - table["first"]][3] for number in drawn)


# The walk.


def _range_of(option: OptionResult) -> str:
    return f"{interval_cell(option.low, option.high)} of 100"


def _count_by_batches(page: Page, survey: Survey) -> None:
    """Four answers move nothing, the fifth does."""
    answering, spoken = page.locator("#answering"), page.locator("#said")
    expect(answering).to_have_attribute("data-count", "0")
    _answer(survey, "10", 4)
    with page.expect_response(lambda answer: answer.status == 304):
        page.evaluate(_LOOK_AGAIN)
    expect(answering).to_have_attribute("data-count", "0")
    _answer(survey, "10", 1)
    page.evaluate(_LOOK_AGAIN)
    expect(answering).to_have_attribute("data-count", "5")
    expect(spoken).to_contain_text(answering.locator(".count").inner_text())
    for reports in ("02", "12"):
        _answer(survey, reports, 13)
    settle(survey)
    page.evaluate(_LOOK_AGAIN)
    expect(answering).to_have_attribute("data-count", "30")


def _ask_for_the_first_figures(page: Page, survey: Survey) -> None:
    """The presenter's remote: Page Down goes on, and once more asks for the figures, without leaving the page."""
    form = page.locator("#reveal-1-1 form")
    expect(form).to_be_attached()
    assert _press(page, "PageDown") == "reveal-1-1"
    expect(form).to_be_visible()
    assert page.locator("[data-step]").count() == 0
    survey.refresh_from_db()
    assert survey.exact_figures == ExactFigures.NOT_SHOWN
    page.evaluate("document.body.dataset.kept = ''")
    assert _press(page, "ArrowRight") == "reveal-1-1"
    expect(page.locator("#reveal-1-1[data-step=received]")).to_be_visible()
    assert page.locator("body").get_attribute("data-kept") == ""
    survey.refresh_from_db()
    assert survey.exact_figures == ExactFigures.SHOWN


def test_a_class_joins_answers_and_sees_chance_removed_by_keys_alone(
    signed_in: SignedIn, teacher: User, complaints: list[str]
) -> None:
    survey = make_open(yes_no(leave_out="no"), one_of(), owner=teacher, minimum_n=5)
    page = _listen(signed_in(viewport=LAPTOP, reduced_motion="reduce").new_page(), complaints)
    page.goto(reverse("survey-present", args=[survey.code]))
    assert _shown(page) == "lobby"
    expect(page.locator(".lobby .code")).to_have_text(survey.code)

    assert _press(page, "ArrowRight") == "answering"
    _count_by_batches(page, survey)
    reveal = next(reveals_of(Report(survey)))
    _ask_for_the_first_figures(page, survey)
    expect(page.locator("#reveal-1-1 .says").first).to_contain_text(tenths_of_100(reveal.rows[0].observed))
    spoken = page.locator("#said")
    expect(spoken).to_contain_text(tenths_of_100(reveal.rows[0].observed))
    # What arrives now does not change what is being shown.
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    _answer(survey, "12", 10)
    page.evaluate(_LOOK_AGAIN)
    assert _press(page, " ") == "reveal-1-4"
    # So few people tell a range and no single figure.
    expect(page.locator("#reveal-1-4 .figure")).to_have_text(_range_of(reveal.rows[0].option))
    expect(spoken).to_contain_text(_range_of(reveal.rows[0].option))

    # How that works is out of the way until somebody asks; at its end the same class 200 times over, every interval
    # one of the table's.
    assert _press(page, "l") == "reveal-1-2"
    assert _press(page, "ArrowRight", "Enter", "PageDown") == "reveal-1-5"
    redrawn = page.locator("#reveal-1-5 [data-again]")
    held = _held_by_the_table(redrawn)
    assert redrawn.get_attribute("data-intervals") == str(held)
    expect(redrawn.locator("[data-result]")).to_contain_text(f"{held} of 200")
    expect(spoken).to_contain_text(f"{held} of 200")
    assert [url for url in asked if "live" in url] == []

    # Drawn once more, all numbers are the new ones.
    assert _press(page, "PageUp", "PageDown") == "reveal-1-5"
    count = redrawn.locator(".bar-value")
    expect(redrawn.locator("[data-result]")).to_contain_text(f"{count.text_content()} of 200")

    # Anywhere by keys, the address says where, and a reload stays there.
    moves = (("n", "2-1"), ("N", "2-1"), ("ArrowRight", "2-4"), ("P", "1-1"), ("p", "1-1"), ("ArrowLeft n", "1-1"))
    assert [_press(page, *keys.split()) for keys, _ in moves] == [f"reveal-{there}" for _, there in moves]
    assert _press(page, "2") == "reveal-2-1"
    page.reload()
    assert _shown(page) == "reveal-2-1"
    last = page.locator("[data-slide]:not([data-lesson])").last.get_attribute("id")
    assert _press(page, "End") == _press(page, "PageDown") == last
    assert _press(page, "1", "L", "L") == "reveal-1-4"
    assert _press(page, "Home", "ArrowLeft") == "lobby"


def _behind(page: Page) -> bool:
    return bool(page.locator("#live").evaluate("(live) => 'behind' in live.dataset"))


def test_figures_come_when_answers_pause_or_somebody_goes_on_to_them(
    signed_in: SignedIn, teacher: User, complaints: list[str]
) -> None:
    survey = make_open(yes_no(leave_out="no"), owner=teacher)
    fill(survey, {"1": 20, "0": 20})
    page = _listen(signed_in(viewport=LAPTOP, reduced_motion="reduce").new_page(), complaints)
    # The clock stands still, so the page looks only when it is told to.
    page.clock.install(time=0)
    page.clock.pause_at(1)
    _show(survey, page, "#answering")
    answering, said = page.locator("#answering"), page.locator("#reveal-1-1 .says").first

    def batch_comes(of: int) -> str:
        _answer(survey, "1", 40)
        settle(survey)
        page.evaluate(_LOOK_AGAIN)
        expect(answering).to_have_attribute("data-count", str(of))
        assert _behind(page)
        return tenths_of_100(next(reveals_of(Report(survey))).rows[0].observed)

    # The count has changed, the figures that nobody sees have not; the presenter who goes on sees the new ones.
    reported = batch_comes(80)
    expect(said).not_to_contain_text(reported)
    page.keyboard.press("ArrowRight")
    expect(page.locator("#reveal-1-1")).to_be_visible()
    expect(said).to_contain_text(reported)
    assert not _behind(page)
    # Pressed twice before they are there, the presenter is on the first of them.
    assert _press(page, "ArrowLeft") == "answering"
    batch_comes(120)
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#reveal-1-1")).to_be_visible()
    # Once nothing new came they come by themselves.
    assert _press(page, "ArrowLeft") == "answering"
    reported = batch_comes(160)
    page.evaluate(_LOOK_AGAIN)
    expect(said).to_contain_text(reported)
    assert not _behind(page)
    assert _shown(page) == "answering"
    # Where the server cannot be reached, the presenter goes on to those that stand there.
    old = batch_comes(200)
    complaints_before = len(complaints)
    page.route("**/live/?figures", lambda route: route.abort())
    page.keyboard.press("ArrowRight")
    expect(page.locator("#reveal-1-1")).to_be_visible()
    expect(said).not_to_contain_text(old)
    del complaints[complaints_before:]


def test_keys_for_a_blank_screen_and_for_help_and_buttons_for_pointers(
    signed_in: SignedIn, teacher: User, complaints: list[str]
) -> None:
    survey = make_open(yes_no(leave_out="no"), owner=teacher)
    fill(survey, {"1": 20, "0": 30})
    page = _listen(signed_in(viewport=LAPTOP).new_page(), complaints)
    _show(survey, page, "#reveal-1-1")
    page.keyboard.press("b")
    expect(page.locator("main")).to_have_css("visibility", "hidden")
    expect(page.locator("#said")).to_have_text(present_words()["blank"])
    page.keyboard.press(".")
    expect(page.locator("#reveal-1-1")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    # Keys belong to the help while it is open.
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert _shown(page) == "reveal-1-1"
    # Letters and signs can be switched off; then a button leads to the switch.
    page.keyboard.press("?")
    page.locator("#letters").uncheck()
    page.keyboard.press("Escape")
    for key in ("?", "b"):
        page.keyboard.press(key)
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.locator("#reveal-1-1")).to_be_visible()
    page.get_by_role("button", name="Keys").click()
    page.locator("#letters").check()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_hidden()

    # A button keeps the focus, and Space presses it once.
    following = page.get_by_role("button", name="Next", exact=True)
    following.focus()
    page.keyboard.press(" ")
    assert _shown(page) == "reveal-1-4"
    expect(following).to_be_focused()
    # The result comes from what was reported, unless somebody wants no motion.
    moving = """() => document.getAnimations().filter(({ effect: { target } }) =>
      target.isConnected && !target.closest("[hidden]") && "moves" in target.dataset).length"""
    assert page.evaluate(moving) == 1
    page.emulate_media(reduced_motion="reduce")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(moving) == 0
    page.keyboard.press("ArrowRight")
    assert page.evaluate(moving) == 0


def test_four_questions_are_four_slides_of_two_steps(signed_in: SignedIn, teacher: User) -> None:
    survey = make_open(*(yes_no(f"Question {number}?", leave_out="no") for number in range(4)), owner=teacher)
    fill(survey, {"1010": 20, "0101": 30})
    page = signed_in(viewport=LAPTOP, reduced_motion="reduce").new_page()
    _show(survey, page, "#answering")
    seen = [_press(page, "ArrowRight") for _ in range(8)]
    assert seen == [f"reveal-{question}-{step}" for question in range(1, 5) for step in (1, 4)]
    assert _press(page, "ArrowRight") == seen[-1]


@pytest.mark.slow
def test_what_is_pressed_hides_while_nothing_moves_and_comes_back(signed_in: SignedIn, teacher: User) -> None:
    survey = make_open(yes_no(), owner=teacher)
    page = signed_in(viewport=LAPTOP, reduced_motion="reduce").new_page()
    page.clock.install()
    page.goto(reverse("survey-present", args=[survey.code]))
    tools = page.locator("#tools")
    for wake in (lambda: page.mouse.move(40, 40), lambda: page.keyboard.press("Shift")):
        expect(tools).to_have_css("opacity", "1")
        page.clock.run_for(4_000)
        expect(tools).to_have_css("opacity", "0")
        wake()
    expect(tools).to_have_css("opacity", "1")
    # Where the focus is among the buttons they stay.
    page.get_by_role("button", name="Next", exact=True).focus()
    page.clock.run_for(4_000)
    expect(tools).to_have_css("opacity", "1")


def test_the_presentation_may_fill_the_screen(signed_in: SignedIn, teacher: User) -> None:
    survey = make_open(yes_no(), owner=teacher)
    page = signed_in(viewport=LAPTOP).new_page()
    page.goto(reverse("survey-present", args=[survey.code]))
    page.get_by_role("button", name="Full screen").click()
    page.wait_for_function(_FILLED_OR_LEFT, arg=True)
    page.keyboard.press("f")
    page.wait_for_function(_FILLED_OR_LEFT, arg=False)
    # Nowhere else: the same request is refused there.
    page.goto(reverse("survey-share", args=[survey.code]))
    asked = "document.documentElement.requestFullscreen().then(() => 'filled', (error) => error.name)"
    page.get_by_role("heading", level=1).click()
    assert page.evaluate(asked) == "TypeError"


@pytest.mark.slow
def test_every_state_is_legible_at_ten_metres_and_on_a_phone(
    signed_in: SignedIn, teacher: User, complaints: list[str]
) -> None:
    survey = make_open(
        yes_no(leave_out="no"), several_of([f"Option {number}" for number in range(12)]), number_mean(), owner=teacher
    )
    fill(survey, {"1" + "01" * 6 + "1": 25, "0" + "10" * 6 + "0": 25})
    page = _listen(signed_in(viewport=PROJECTOR, reduced_motion="reduce").new_page(), complaints)
    _show(survey, page)
    wrong = {}
    for slide in ("lobby", "answering", "reveal-1-1", "reveal-1-2", "reveal-1-4", "reveal-1-5", "reveal-2-4"):
        page.evaluate("(hash) => { location.hash = hash; }", slide)
        expect(page.locator(f"#{slide}")).to_be_visible()
        page.set_viewport_size(PROJECTOR)
        wrong[slide, "projector"] = [
            *faults(page),
            *_hard_to_read(page),
            *(["it does not fit"] if page.evaluate(_SCROLLS) else []),
        ]
        page.emulate_media(color_scheme="dark")
        wrong[slide, "dark"] = _hard_to_read(page)
        for setting in (Setting(390), Setting(320, forced=True)):
            look_as(page, setting)
            wrong[slide, str(setting)] = measured(page)
        page.emulate_media(color_scheme="light", forced_colors="none")
    assert {where: problems for where, problems in wrong.items() if problems} == {}
    # Planted: what is smaller, or paler, than can be read is found.
    page.set_viewport_size(PROJECTOR)
    page.evaluate("document.querySelector('#reveal-2-4 .says').style.cssText = 'font-size: 27px; color: #666'")
    planted = [problem.partition(":")[0].partition(",")[0] for problem in _hard_to_read(page)]
    assert planted == ["small", "pale"]


def test_ways_of_asking_beside_one_another_are_legible_and_reached_by_keys(
    signed_in: SignedIn, teacher: User, complaints: list[str]
) -> None:
    plainly = {"design": "plain", "parameters": {}, "leave_out": "no"}
    survey = make_open(
        yes_no("Have you cheated in an exam?", arms=[1], quantity=1),
        yes_no("Have you cheated in an exam?", arms=[2], quantity=1, **plainly),
        one_of(),
        arms=[{"name": name, "weight": 1} for name in ("Two coins", "Asked directly")],
        owner=teacher,
    )
    fill(survey, {"1-00": 70, "0-00": 90, "-101": 30, "-001": 120})
    close_survey(survey=survey)
    page = _listen(signed_in(viewport=PROJECTOR, reduced_motion="reduce").new_page(), complaints)
    _show(survey, page, "#reveal-2-1")
    assert _press(page, "PageDown", "ArrowRight") == "reveal-2-3"
    slide = page.locator("#reveal-2-3")
    expect(slide.locator(".bar-name")).to_have_text(["1. Two coins", "2. Asked directly", ""])
    expect(page.locator("#said")).to_contain_text("higher than for question 2 by 18 percentage points")
    # The circle of each stands within its band, on one axis.
    circles, bands = slide.locator("circle.found"), slide.locator("rect.band")
    for place in range(2):
        circle, band = circles.nth(place).bounding_box(), bands.nth(place).bounding_box()
        assert circle is not None
        assert band is not None
        assert band["x"] < circle["x"] + circle["width"] / 2 < band["x"] + band["width"]
    wrong = {"projector": [*measured(page), *_hard_to_read(page), *(["scrolls"] if page.evaluate(_SCROLLS) else [])]}
    page.emulate_media(color_scheme="dark")
    wrong["dark"] = _hard_to_read(page)
    for setting in (Setting(390), Setting(320, forced=True)):
        look_as(page, setting)
        wrong[str(setting)] = measured(page)
    assert {where: problems for where, problems in wrong.items() if problems} == {}
    # From how the first result comes about L leads back to it, and not to what stands beside it.
    assert _press(page, "1", "L", "L", "N") == "reveal-2-1"
    assert _press(page, "ArrowLeft") == "reveal-1-4"


# In `make test` test_every_state_is_legible_at_ten_metres_and_on_a_phone measures what fits.
@pytest.mark.slow
def test_no_number_of_options_pushes_a_step_off_the_screen(
    signed_in: SignedIn, teacher: User, complaints: list[str]
) -> None:
    text = "How often have you copied a part of an assignment from somebody else this term without saying so?"
    options = [f"Option number {number}" for number in range(10)]
    survey = make_open(*(one_of(options[:count], text) for count in range(2, 11)), owner=teacher)
    fill(survey, {"".join(str(person % count) for count in range(2, 11)): 2 for person in range(30)})
    draft = make_draft(owner=teacher)
    page = _listen(signed_in(viewport=LAPTOP, reduced_motion="reduce").new_page(), complaints)
    for size in (LAPTOP, PROJECTOR):
        page.set_viewport_size(size)
        page.goto(reverse("survey-present", args=[draft.code]))
        expect(page.locator(".banner")).to_be_visible()
        assert not page.evaluate(_SCROLLS)
        _show(survey, page)
        assert (size, page.evaluate(_TOO_TALL)) == (size, [])
    # Planted: one line more than there is room for is found.
    page.evaluate("document.querySelector('#reveal-4-3 .formulas').style.blockSize = '60vh'")
    page.evaluate("location.hash = 'lobby'")
    assert page.evaluate(_TOO_TALL) == ["reveal-4-3"]


def test_on_a_phone_three_buttons_leave_room_for_the_code_and_the_count(signed_in: SignedIn, teacher: User) -> None:
    survey = make_open(yes_no("A?"), yes_no("B?"), owner=teacher)
    fill(survey, {"11": 20, "00": 30})
    page = signed_in(viewport={"width": 390, "height": 844}, reduced_motion="reduce").new_page()
    _show(survey, page)
    buttons = page.locator("#tools :is(button, a):visible")
    assert buttons.all_inner_texts() == ["Back", "Next", "More"]
    tools, count = page.locator("#tools").bounding_box(), page.locator(".arrived p").bounding_box()
    assert tools is not None
    assert count is not None
    assert count["y"] + count["height"] <= tools["y"]
    more = page.get_by_role("button", name="More")
    expect(more).to_have_attribute("aria-expanded", "false")
    more.click()
    expect(more).to_have_attribute("aria-expanded", "true")
    expect(page.get_by_role("button", name="Next question")).to_be_visible()
    expect(page.get_by_role("link", name="Leave presentation")).to_be_visible()
    page.set_viewport_size(LAPTOP)
    expect(more).to_be_hidden()
    expect(page.get_by_role("button", name="Next question")).to_be_visible()


def test_without_scripts_all_states_stand_below_each_other(signed_in: SignedIn, teacher: User) -> None:
    survey = make_open(yes_no(leave_out="no"), owner=teacher)
    fill(survey, {"1": 20, "0": 30})
    page = signed_in(java_script_enabled=False).new_page()
    page.goto(reverse("survey-present", args=[survey.code]))
    slides = page.locator("[data-slide]:visible")
    assert [slide.get_attribute("id") for slide in slides.all()] == ["lobby", "answering", "reveal-1-1"]
    page.locator("#reveal-1-1 button").click()
    page.locator("#reveal-1-5").wait_for()
    assert slides.count() == 7
    expect(page.get_by_role("main").get_by_role("link").first).to_be_visible()
    for hidden in ("#tools", "#keys"):
        expect(page.locator(hidden)).to_be_hidden()
    expect(page.locator("#reveal-1-5 [data-result]")).to_contain_text("of 200")


@pytest.mark.slow
def test_nothing_is_asked_while_the_presentation_is_hidden(signed_in: SignedIn, teacher: User) -> None:
    survey = make_open(yes_no(), owner=teacher)
    page = signed_in().new_page()
    page.add_init_script("Object.defineProperty(document, 'hidden', { get: () => true, configurable: true });")
    page.clock.install()
    page.goto(reverse("survey-present", args=[survey.code]))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.clock.run_for(30_000)
    assert [url for url in asked if "live" in url] == []


# Sharing.


@pytest.mark.slow
def test_a_link_is_copied_where_that_can_be_and_selected_where_not(
    signed_in: SignedIn, teacher: User, complaints: list[str]
) -> None:
    survey = make_open(yes_no(), owner=teacher)
    context = signed_in()
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = _listen(context.new_page(), complaints)
    page.goto(reverse("survey-share", args=[survey.code]))
    page.get_by_role("button", name="Copy").click()
    expect(page.locator(".copied")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()").endswith(f"/s/{survey.code}/")
    page.locator(".way summary").click()
    for setting in (Setting(390), Setting(1280, dark=True), Setting(320, forced=True)):
        look_as(page, setting)
        assert faults(page) == []

    # Over plain HTTP there is no clipboard.
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined });")
    page.reload()
    expect(page.get_by_role("button", name="Copy")).to_be_hidden()
    page.locator("[data-link]").focus()
    assert str(page.evaluate("getSelection().toString()")).endswith(f"/s/{survey.code}/")


def test_a_poster_is_one_page_and_its_code_is_six_centimetres_wide_whatever_the_texts_are(
    signed_in: SignedIn, teacher: User, complaints: list[str]
) -> None:
    long = make_open(
        yes_no(), owner=teacher, code="ABCDEFGHJKMN", title="How honest are we when nobody looks? " * 5 + "Yes or no?"
    )
    add_group(survey=long, name="North")
    add_group(
        survey=long,
        name="A section whose name is as long as a name can be, which is eighty letters in all",
        slug="w" * 40,
    )
    page = _listen(signed_in(viewport={"width": 1280, "height": 900}).new_page(), complaints)
    for asked, pages in (("", 1), ("?strips=on", 1), ("?group=groups&strips=on", 2)):
        page.goto(reverse("survey-poster", args=[long.code]) + asked)
        printed = page.pdf(prefer_css_page_size=True)
        assert (asked, len(re.findall(rb"/Type\s*/Page\b", printed))) == (asked, pages)
        assert re.search(rb"/MediaBox \[0 0 59[45][.\d]* 84[12][.\d]*\]", printed)
        page.emulate_media(media="print")
        for sheet in page.locator(".sheet").all():
            assert sheet.evaluate(_FITS)
            box = sheet.locator(".qr svg").bounding_box()
            modules = float((sheet.locator(".qr svg").get_attribute("viewBox") or "").split()[2])
            assert box is not None
            assert box["width"] * (modules - 8) / modules >= 60 * MILLIMETRE
        page.emulate_media(media="null")
    for setting in (Setting(390), Setting(1280, dark=True)):
        look_as(page, setting)
        assert faults(page) == []
