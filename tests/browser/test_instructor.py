"""The instructor's pages in a real browser: readable for everybody, current, and within the security policy."""

from collections.abc import Callable
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, ViewportSize, expect

from surveys import selectors
from surveys.models import Survey
from surveys.selectors import responses
from tests.browser.conftest import NewContext
from tests.browser.walk import leave_out, skip_practice
from tests.factories import every_kind, fill, make_draft, make_open, make_user, one_of, send, yes_no

WIDTHS: tuple[ViewportSize, ...] = ({"width": 390, "height": 844}, {"width": 1280, "height": 800})
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SignedIn = Callable[..., BrowserContext]


@pytest.fixture
def teacher(site: str) -> User:
    responses._tally.cache_clear()
    return make_user()


@pytest.fixture
def signed_in(new_context: NewContext, teacher: User, site: str) -> SignedIn:
    """Makes contexts that carry the teacher's session."""

    def make(**options: Any) -> BrowserContext:
        client = Client()
        client.force_login(teacher)
        context = new_context(**options)
        context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": site}])
        return context

    return make


def _complaints(page: Page) -> list[str]:
    """Collect errors and everything the security policy refuses, from now on."""
    found: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type == "error" or "Content Security Policy" in message.text:
            found.append(message.text)

    page.on("console", note)
    page.on("pageerror", lambda error: found.append(str(error)))
    return found


def _surveys(owner: User) -> dict[str, Survey]:
    questions = (yes_no(), one_of(("Never", "Once", "Often")))
    draft = make_draft(*questions, owner=owner)
    opened = make_open(*questions, owner=owner)
    fill(opened, {"10": 20, "01": 15, "-2": 3})
    every, answered = make_draft(*every_kind(), owner=owner), make_open(*every_kind(), owner=owner)
    items = len(selectors.definition_of(answered).items)
    fill(answered, {"0" * items: 20, "1" * items: 15})
    return {"draft": draft, "open": opened, "every": every, "answered": answered}


def _addresses(surveys: dict[str, Survey]) -> list[str]:
    names = {
        "draft": ("survey-edit", "survey-detail", "survey-preview", "survey-open", "survey-share"),
        "open": ("survey-detail", "survey-share", "survey-results", "survey-close"),
        "every": ("survey-edit",),
        "answered": ("survey-detail", "survey-results"),
    }
    pages = [reverse(name, args=[surveys[state].code]) for state, some in names.items() for name in some]
    return [reverse("survey-list"), reverse("survey-new"), *pages]


def _violations(page: Page) -> list[str]:
    results = Axe().run(page, options={"runOnly": RULES, "resultTypes": ["violations"]})
    found = [f"{rule['id']}: {rule['nodes'][0]['html']}" for rule in results.response["violations"]]
    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        found.append("it scrolls sideways")
    return found


def test_axe_finds_nothing_on_any_page_at_any_width_in_light_and_dark(signed_in: SignedIn, teacher: User) -> None:
    page = signed_in().new_page()
    complaints = _complaints(page)
    found = {}
    for address in _addresses(_surveys(teacher)):
        page.goto(address)
        for details in page.locator("details").all():
            details.evaluate("element => { element.open = true; }")
        for width in WIDTHS:
            page.set_viewport_size(width)
            for scheme in SCHEMES:
                page.emulate_media(color_scheme=scheme)
                found[address, width["width"], scheme] = _violations(page)
    assert {where: problems for where, problems in found.items() if problems} == {}
    assert complaints == []


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("document.querySelector('label[for=id_title]').remove()", "label"),
        ("document.querySelector('h1').style.width = '3000px'", "sideways"),
        ("document.querySelector('h1').style.color = '#ddd'", "color-contrast"),
    ],
)
def test_a_planted_fault_is_found(signed_in: SignedIn, fault: str, words: str) -> None:
    page = signed_in().new_page()
    page.goto(reverse("survey-new"))
    page.evaluate(fault)
    assert any(words in violation for violation in _violations(page))


def test_the_results_fit_the_narrowest_phone(signed_in: SignedIn, teacher: User) -> None:
    page = signed_in(viewport={"width": 320, "height": 640}).new_page()
    page.goto(reverse("survey-results", args=[_surveys(teacher)["open"].code]))
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    sizes = page.locator(".figure text, .figure p").evaluate_all(
        "elements => elements.map(e => parseFloat(getComputedStyle(e).fontSize) * (e.getScreenCTM?.().a ?? 1))"
    )
    assert min(sizes) >= 12


def test_signing_in_leads_to_the_list(page: Page, teacher: User) -> None:
    complaints = _complaints(page)
    page.goto(reverse("survey-list"))
    assert _violations(page) == []
    page.get_by_label("Username").fill(teacher.username)
    page.get_by_label("Password").fill("correct horse battery staple")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your surveys")
    assert complaints == []


def test_the_results_page_picks_a_new_batch_up_and_keeps_what_is_open_and_in_focus(
    signed_in: SignedIn, teacher: User
) -> None:
    survey = make_open(yes_no(), owner=teacher)
    fill(survey, {"0": 30, "1": 10})
    page = signed_in().new_page()
    complaints = _complaints(page)
    page.goto(reverse("survey-results", args=[survey.code]))
    page.get_by_text("As a table").click()
    with page.expect_response(lambda response: response.status == 304):
        pass
    # Ten of the twenty are left behind until more come.
    for _ in range(20):
        send(survey, "1")
    expect(page.locator("[data-n]")).to_have_attribute("data-n", "60")
    expect(page.locator("#said")).to_contain_text("60 answers")
    expect(page.get_by_text("50 of 60 answers are in these figures")).to_be_visible()
    expect(page.get_by_role("table")).to_be_visible()
    expect(page.locator("#figures summary")).to_be_focused()
    expect(page.get_by_role("cell", name="20", exact=True)).to_be_visible()
    with page.expect_response(lambda response: response.status == 304):
        pass
    assert complaints == []


def test_nothing_is_asked_while_the_page_is_hidden(signed_in: SignedIn, teacher: User) -> None:
    survey = make_open(yes_no(), owner=teacher)
    page = signed_in().new_page()
    page.add_init_script("Object.defineProperty(document, 'hidden', { get: () => true });")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(reverse("survey-results", args=[survey.code]))
    page.wait_for_timeout(3_500)
    assert [url for url in asked if "figures" in url] == []


def test_the_numbers_follow_the_typing(signed_in: SignedIn, teacher: User) -> None:
    page = signed_in().new_page()
    complaints = _complaints(page)
    page.goto(reverse("survey-new"))
    expect(page.locator("[data-dial]")).to_contain_text("±35 points")
    page.get_by_label("How many answers do you expect?").fill("1000")
    expect(page.locator("[data-dial]")).to_contain_text("±6.1 points")
    page.get_by_label("Coin", exact=True).fill("3/4")
    expect(page.locator("[data-dial]")).to_contain_text("87.5 of 100 phones send Yes")
    page.get_by_label("Coin", exact=True).fill("3/0")
    expect(page.locator("[data-dial]")).to_contain_text("“3/0” is not a probability")
    assert complaints == []


def test_questions_are_added_moved_removed_and_saved_in_their_order(signed_in: SignedIn, teacher: User) -> None:
    page = signed_in().new_page()
    complaints = _complaints(page)
    page.goto(reverse("survey-new"))
    page.get_by_label("Title").fill("Honesty")
    page.get_by_label("Question", exact=True).fill("First?")
    for text in ("Second?", "Third?"):
        page.get_by_role("button", name="Add a question").click()
        page.get_by_label("Question", exact=True).last.fill(text)
    page.get_by_label("Kind of answer").last.select_option("one_of")
    page.get_by_label("Options").last.fill("A\nB\nC")
    expect(page.get_by_label("How chance is added").last).to_have_value("k_ary")
    page.get_by_role("button", name="Move up").last.click()
    expect(page.locator("#said")).to_have_text("Moved: it is now question 2.")
    page.get_by_label("Remove this question").first.check()
    expect(page.get_by_label("Question", exact=True).first).not_to_be_visible()
    page.get_by_role("button", name="Save the draft").last.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Honesty")
    saved = Survey.objects.get().questions.values_list("text", flat=True)
    assert list(saved) == ["Third?", "Second?"]
    assert complaints == []


FIELDS = {
    "Options",
    "Points",
    "The lowest point means",
    "The highest point means",
    "Smallest number",
    "Largest number",
    "Step",
    "Limits of the bands",
    "Unit",
    "Coin",
    "Second coin or spinner",
    "Innocuous question",
    "Share of people whose answer to it is Yes",
    "Where this share is from",
    "Fact that decides which of the two is answered",
    "Share of people for whom the fact holds",
    "Where this second share is from",
    "I accept that a report can prove an answer",
}
_CHANCE = {"Coin", "Second coin or spinner"}
_INNOCUOUS = {"Innocuous question", "Share of people whose answer to it is Yes", "Where this share is from"}
_SELECTOR = {
    "Fact that decides which of the two is answered",
    "Share of people for whom the fact holds",
    "Where this second share is from",
}
SHOWN = [
    ("yes_no", "forced_response", _CHANCE),
    ("yes_no", "warner", {"Coin"}),
    ("yes_no", "k_ary", _CHANCE),
    ("yes_no", "unrelated_question", _INNOCUOUS | _SELECTOR),
    ("yes_no", "crosswise", _INNOCUOUS),
    ("yes_no", "triangular", _INNOCUOUS | {"I accept that a report can prove an answer"}),
    ("one_of", "k_ary", _CHANCE | {"Options"}),
    ("several_of", "warner", {"Coin", "Options"}),
    ("scale", "k_ary", _CHANCE | {"Points", "The lowest point means", "The highest point means"}),
    ("number_mean", "forced_response", _CHANCE | {"Smallest number", "Largest number", "Step", "Unit"}),
    ("number_bands", "k_ary", _CHANCE | {"Limits of the bands", "Unit"}),
]


def _visible(page: Page) -> set[str]:
    return {label for label in FIELDS if page.get_by_label(label, exact=True).is_visible()}


@pytest.mark.parametrize("scripts", [True, False])
def test_only_the_fields_that_matter_are_shown_and_without_scripts_all_are_there(
    signed_in: SignedIn, scripts: bool
) -> None:
    page = signed_in(java_script_enabled=scripts).new_page()
    page.goto(reverse("survey-new"))
    if not scripts:
        for summary in page.locator("[data-question] summary").all():
            if summary.locator("..").get_attribute("open") is None:
                summary.click()
        assert _visible(page) == FIELDS
        return
    for kind, design, fields in SHOWN:
        page.get_by_label("Kind of answer").select_option(kind)
        page.get_by_label("How chance is added").select_option(design)
        assert (kind, design, _visible(page)) == (kind, design, fields)


def test_designs_that_do_not_suit_are_not_offered_and_a_change_is_said(signed_in: SignedIn) -> None:
    page = signed_in().new_page()
    page.goto(reverse("survey-new"))
    design = page.get_by_label("How chance is added")
    offered = "options => options.filter(option => !option.disabled).map(option => option.value)"
    page.get_by_label("Kind of answer").select_option("scale")
    assert design.locator("option").evaluate_all(offered) == ["k_ary"]
    expect(design).to_have_value("k_ary")
    expect(page.locator("#said")).to_have_text("How chance is added is now: Coin, then spinner (k-ary).")
    page.get_by_label("Kind of answer").select_option("several_of")
    assert design.locator("option").evaluate_all(offered) == ["forced_response", "warner", "k_ary"]
    page.get_by_label("Leaving it out").select_option("protected")
    assert design.locator("option").evaluate_all(offered) == ["k_ary"]


def test_the_numbers_of_a_question_without_a_device_follow_the_typing(signed_in: SignedIn) -> None:
    page = signed_in().new_page()
    complaints = _complaints(page)
    page.goto(reverse("survey-new"))
    page.get_by_label("How chance is added").select_option("triangular")
    page.get_by_label("Innocuous question", exact=True).fill("Born in spring?")
    page.get_by_label("Share of people whose answer to it is Yes").fill("1/4")
    page.get_by_label("Where this share is from", exact=True).fill("Statistics")
    expect(page.locator("[data-dial]")).to_contain_text("or accept it")
    page.get_by_label("I accept that a report can prove an answer").check()
    expect(page.locator("[data-dial]")).to_contain_text("The report “No to both” proves that the true answer is No.")
    expect(page.locator("#total")).to_contain_text("The total ε is infinite")
    assert complaints == []


def test_a_refused_form_takes_the_reader_to_the_summary_and_from_there_to_the_field(
    signed_in: SignedIn, teacher: User
) -> None:
    page = signed_in().new_page()
    page.goto(reverse("survey-new"))
    page.get_by_label("Question", exact=True).fill("Kept?")
    page.get_by_label("Coin", exact=True).fill("abc")
    page.get_by_label("Coin", exact=True).press("Enter")
    expect(page.locator("#problems")).to_be_focused()
    expect(page).to_have_title("Error: New survey · Deniable")
    assert _violations(page) == []
    page.get_by_role("link", name="Question 1: Coin: “abc”").click()
    expect(page.get_by_label("Coin", exact=True)).to_be_focused()
    expect(page.get_by_label("Question", exact=True)).to_have_value("Kept?")


def test_from_a_preview_nothing_can_be_sent(signed_in: SignedIn, teacher: User) -> None:
    survey = make_open(yes_no(), owner=teacher)
    page = signed_in().new_page()
    complaints = _complaints(page)
    page.goto(reverse("survey-preview", args=[survey.code]))
    page.get_by_role("button", name="Begin").click()
    skip_practice(page)
    leave_out(page)
    expect(page.get_by_role("button", name="Send")).to_be_disabled()
    assert survey.responses.count() == 0
    assert complaints == []
