"""The editor in a real browser: with the keyboard alone, without scripts, and with what follows the typing."""

import re
from functools import partial

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import ConsoleMessage, Locator, Page, expect

from surveys.models import Survey
from tests.browser.audit import (
    AXE,
    AXE_ON_LOOKS,
    Looks,
    Setting,
    complaints_of,
    faults,
    look_as,
    measured,
    missing_rings,
)
from tests.browser.conftest import SignedIn
from tests.factories import every_kind, make_draft, yes_no

WIDE = {"width": 1280, "height": 900}
EVERY_SETTING = Looks(at_every_page=True)


@pytest.fixture
def signed_in(signed_in: SignedIn) -> SignedIn:
    """As wide as a desk."""
    return partial(signed_in, viewport=WIDE)


def _question(page: Page) -> Locator:
    return page.get_by_label("Question", exact=True)


def _folded(page: Page, name: str) -> Locator:
    """A field of the survey that is folded away, unfolded."""
    field = page.locator(f"[name={name}]")
    if not field.is_visible():
        page.locator(".settings > summary").click()
    return field


def _unfold(page: Page) -> None:
    """Unfold the exact numbers, or fold them away."""
    page.locator("[data-exact] > summary").click()


def _of_question(page: Page, name: str) -> Locator:
    """A field of the question that is open."""
    return page.locator(f"[name$=-{name}]")


def _coin(page: Page) -> Locator:
    """The field of the coin, unfolded."""
    coin = _of_question(page, "truth")
    if not coin.is_visible():
        _unfold(page)
    return coin


def _rows(page: Page) -> list[str]:
    """The questions in their order, the open one by what is typed."""
    texts: list[str] = page.locator("#questions > li").evaluate_all(
        "rows => rows.map(row => row.querySelector('textarea')?.value ?? row.querySelector('.row-text').innerText)"
    )
    return texts


def _edit(survey: Survey) -> str:
    return reverse("survey-edit", args=[survey.code])


def _faults(page: Page, settings: tuple[Setting, ...], looks: Looks = EVERY_SETTING) -> dict[str, list[str]]:
    """Return what is wrong with the page as it stands and in some settings, at its end: there no bar lies over it."""
    to_the_end = "scrollTo(0, document.documentElement.scrollHeight)"
    # A click on a link returns before the new page is all there.
    page.wait_for_load_state()
    page.evaluate(to_the_end)
    wrong = {"as it stands": faults(page) if looks.at_every_page else measured(page)}
    for setting, rules in looks.at(page, settings, AXE_ON_LOOKS if looks.at_every_page else AXE):
        page.evaluate(to_the_end)
        wrong[str(setting)] = faults(page, rules)
    return {setting: texts for setting, texts in wrong.items() if texts}


def _saved(survey: Survey) -> list[str]:
    survey.refresh_from_db()
    return [question.text for question in survey.questions]


def test_control_z_after_remove_touches_nothing_but_questions(signed_in: SignedIn, teacher: User) -> None:
    page = signed_in().new_page()
    page.goto(reverse("survey-new"))
    keys, spoken, removed = page.keyboard, page.locator("#said"), page.locator(".removed")
    keys.type("Honesty")
    _question(page).focus()
    keys.type("First?")
    page.get_by_role("button", name="Add a question").click()
    page.get_by_role("button", name="Remove").last.click()
    # Nobody typed anything into it, so it does not come back.
    expect(spoken).to_contain_text("Empty question 2 removed")
    keys.press("Control+z")
    page.get_by_role("button", name="Remove").click()
    expect(removed).to_have_count(1)
    # Also when something else was clicked meanwhile.
    page.locator("main").click(position={"x": 1, "y": 1})
    keys.press("Control+z")
    expect(removed).to_have_count(0)
    assert _rows(page) == ["First?"]
    expect(page.get_by_label("Title")).to_have_value("Honesty")


def test_a_survey_is_written_with_the_keyboard_alone(signed_in: SignedIn, teacher: User, looks: Looks) -> None:
    page = signed_in(timezone_id="Europe/Berlin").new_page()
    complaints = complaints_of(page)
    page.goto(reverse("survey-new"))
    keys, spoken = page.keyboard, page.locator("#said")
    expect(page.get_by_label("Title")).to_be_focused()
    keys.type("Honesty")
    _question(page).focus()
    keys.type("First?")
    for text in ("Second?", "Third?"):
        page.get_by_role("button", name="Add a question").focus()
        keys.press("Enter")
        # The new question is open, and the reader stands in it.
        expect(_question(page)).to_have_value("")
        expect(_question(page)).to_be_focused()
        expect(_question(page)).to_be_in_viewport(ratio=1)
        keys.type(text)
    assert _rows(page) == ["First?", "Second?", "Third?"]
    keys.press("Alt+ArrowUp")
    expect(spoken).to_contain_text("question 2")
    expect(page.get_by_role("button", name="Move up", exact=True).nth(1)).to_be_focused()
    assert _rows(page) == ["First?", "Third?", "Second?"]
    keys.press("Alt+ArrowUp")
    expect(spoken).to_contain_text("question 1")
    # Up leads no further, so the button that leads back has the focus.
    expect(page.get_by_role("button", name="Move down", exact=True).first).to_be_focused()
    keys.press("Tab")
    keys.press("Enter")
    expect(spoken).to_contain_text("question 2")
    expect(_question(page)).to_have_value("Third?")
    keys.press("Control+a")
    keys.type("Fourth?")
    page.get_by_role("button", name="Remove").first.focus()
    keys.press("Enter")
    expect(spoken).to_contain_text("Question 1 removed")
    expect(page.get_by_role("button", name="Restore question")).to_be_focused()
    keys.press("Control+z")
    expect(page.get_by_role("button", name="Restore question")).to_have_count(0)
    expect(spoken).to_contain_text("Question 1 restored")
    expect(page.locator("#total")).to_contain_text("ε 6.94")
    assert _faults(page, (Setting(390, dark=True), Setting(320), Setting(1280, forced=True)), looks) == {}
    assert missing_rings(page) == []
    # Enter in a line of text saves.
    page.get_by_label("Title").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Honesty")
    survey = Survey.objects.get()
    assert _saved(survey) == ["Third?", "Fourth?", "First?", "Second?"]
    # Times are meant where their author is, unless something else is chosen.
    assert survey.time_zone == "Europe/Berlin"
    assert complaints == []


def test_without_scripts_everything_works_with_page_loads(signed_in: SignedIn, teacher: User) -> None:
    page = signed_in(java_script_enabled=False).new_page()
    page.goto(reverse("survey-new"))
    page.get_by_label("Title").fill("Honesty")
    _question(page).fill("First?")
    for text in ("Second?", "Third?"):
        page.get_by_role("button", name="Add a question").click()
        _question(page).fill(text)
    page.get_by_role("radio", name="One of several").check()
    _unfold(page)
    _of_question(page, "design").select_option("k_ary")
    page.locator("details:has(> .field [name$=-options]) > summary").click()
    page.get_by_label("Options", exact=True).fill("A\nB\nC")
    page.get_by_role("button", name="Update the numbers").click()
    expect(page.locator("[data-dial]")).to_contain_text("A")
    page.get_by_role("button", name="Move up", exact=True).last.click()
    page.get_by_role("button", name="Remove").first.click()
    expect(page.get_by_role("button", name="Restore question")).to_be_visible()
    page.locator("#preview > summary").click()
    page.get_by_role("button", name="Show preview").click()
    frame = page.frame_locator("iframe")
    expect(frame.get_by_text("Preview.")).to_be_visible()
    page.get_by_role("button", name="Duplicate").last.click()
    _question(page).fill("Fourth?")
    page.get_by_label("Title").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Honesty")
    survey = Survey.objects.get()
    assert _saved(survey) == ["Third?", "Second?", "Fourth?"]
    assert survey.questions[0].options == ("A", "B", "C")


@pytest.mark.slow
def test_two_tabs_never_overwrite_each_other_and_the_loser_comes_back_from_the_history(
    signed_in: SignedIn, teacher: User
) -> None:
    survey = make_draft(yes_no("Before?"), owner=teacher)
    context = signed_in()
    one, two = context.new_page(), context.new_page()
    for page in (one, two):
        page.goto(_edit(survey))
    _question(one).fill("By the first?")
    one.get_by_role("button", name="Save the draft").last.click()
    expect(one.get_by_text("Saved.", exact=True)).to_be_visible()
    _question(two).fill("By the second?")
    two.get_by_role("button", name="Save the draft").last.click()
    expect(two.locator("#problems")).to_be_focused()
    expect(two.locator("#problems")).to_contain_text("draft 2")
    expect(two.get_by_role("row", name="Question 1, Question")).to_contain_text("By the first?")
    assert _saved(survey) == ["By the first?"]
    assert _faults(two, (Setting(390, dark=True), Setting(320))) == {}
    look_as(two, Setting(1280))
    two.locator("[name=action][value^=over-]").click()
    expect(two.get_by_text("Saved.", exact=True)).to_be_visible()
    assert _saved(survey) == ["By the second?"]
    two.goto(reverse("survey-versions", args=[survey.code]))
    assert _faults(two, (Setting(320), Setting(1280, dark=True))) == {}
    two.get_by_role("link", name="Draft 2").click()
    expect(two.get_by_role("button", name="Restore this draft")).to_be_visible()
    assert _faults(two, (Setting(320), Setting(1280, dark=True))) == {}
    two.get_by_role("button", name="Restore this draft").click()
    expect(two.get_by_text("Draft 2 restored.")).to_be_visible()
    assert _saved(survey) == ["By the first?"]


@pytest.mark.slow
def test_whoever_leaves_with_something_unsaved_is_asked_and_nobody_else(signed_in: SignedIn, teacher: User) -> None:
    survey = make_draft(yes_no("First?"), yes_no("Second?"), owner=teacher)
    page = signed_in().new_page()
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    page.goto(_edit(survey))
    _question(page).click()
    page.goto(reverse("survey-list"))
    assert asked == []
    page.goto(_edit(survey))
    assert page.evaluate("scrollY") == 0
    # Changed and not typed: a move counts too.
    page.get_by_role("button", name="Move down", exact=True).first.click()
    expect(page.locator("#said")).to_contain_text("question 2")
    page.goto(reverse("survey-list"))
    assert asked == ["beforeunload"]
    page.goto(_edit(survey))
    _question(page).fill("")
    page.get_by_role("button", name="Save the draft").last.click()
    # Refused: what is typed is still unsaved, though the page is new.
    expect(page.locator("#problems")).to_be_focused()
    page.locator("#problems").click()
    page.goto(reverse("survey-list"))
    assert asked == ["beforeunload"] * 2
    page.goto(_edit(survey))
    _question(page).fill("Saved?")
    page.get_by_role("button", name="Save the draft").last.click()
    expect(page.get_by_text("Saved.", exact=True)).to_be_visible()
    assert asked == ["beforeunload"] * 2


def _is_of_the_policy(message: ConsoleMessage) -> bool:
    return "Content Security Policy" in message.text


def test_the_preview_follows_the_typing_keeps_the_focus_and_sends_nothing(
    signed_in: SignedIn, teacher: User, looks: Looks
) -> None:
    survey = make_draft(yes_no("First?"), yes_no("Second?"), owner=teacher)
    page = signed_in().new_page()
    complaints = complaints_of(page)
    page.goto(_edit(survey))
    frame = page.frame_locator(".phone iframe:not(.coming)")
    expect(frame.get_by_role("heading", name="First?")).to_be_visible()
    page.get_by_role("button", name="Edit").click()
    expect(frame.get_by_role("heading", name="Second?")).to_be_visible()
    _question(page).fill("Second, typed now?")
    expect(frame.get_by_role("heading", name="Second, typed now?")).to_be_visible()
    expect(_question(page)).to_be_focused()
    expect(frame.get_by_text("Question 2 of 2")).to_be_visible()
    sent: list[str] = []
    # The page around it may save itself meanwhile.
    page.on("request", lambda request: sent.append(request.url) if request.frame != page.main_frame else None)
    frame.get_by_role("button", name="Skip question", exact=True).locator("visible=true").click()
    expect(frame.get_by_role("button", name="Send response", exact=True)).to_be_disabled()
    # Back is a step of the preview, and none of the page around it.
    frame.get_by_role("button", name="Back").locator("visible=true").click()
    expect(frame.get_by_role("heading", name="Second, typed now?")).to_be_visible()
    assert page.url.endswith(_edit(survey))
    assert complaints == []
    inside = page.frames[-1]
    with page.expect_console_message(_is_of_the_policy):
        inside.evaluate("document.getElementById('sending').submit()")
    with page.expect_console_message(_is_of_the_policy):
        refused = inside.evaluate("fetch('/surveys/').then(() => 'answered', () => 'refused')")
    assert (refused, sent) == ("refused", [])
    # What cannot be asked is told in words.
    _coin(page).fill("abc")
    expect(frame.get_by_text("“abc”")).to_be_visible()
    assert _faults(page, (Setting(390),), looks) == {}


def test_the_numbers_follow_the_typing(signed_in: SignedIn, teacher: User) -> None:
    page = signed_in().new_page()
    complaints = complaints_of(page)
    page.goto(reverse("survey-new"))
    dial = page.locator("[data-dial]")
    expect(dial).to_contain_text("±25")
    # Beside the figures that follow from it, the number is typed too, and it is the survey's own.
    expected = dial.locator("[id$=-expected]")
    expected.fill("1000")
    expected.press("Enter")
    expect(dial).to_contain_text("±4.3")
    expect(_folded(page, "expected_n")).to_have_value("1000")
    _folded(page, "expected_share").fill("1")
    expect(dial).to_contain_text("±3.2")
    coin = _coin(page)
    coin.fill("3/4")
    expect(dial).to_contain_text("87.5")
    coin.fill("3/0")
    expect(dial).to_contain_text("“3/0”")
    expect(coin).to_be_focused()
    coin.fill("1/2")
    _of_question(page, "design").select_option("triangular")
    for name, typed in {"innocuous": "Born?", "innocuous_share": "1/4", "innocuous_source": "Statistics"}.items():
        _of_question(page, name).fill(typed)
    expect(dial).to_contain_text("or accept that a report can be proof")
    _of_question(page, "accepts_infinite").check()
    expect(page.locator("#total")).to_contain_text("Question 1")
    assert complaints == []


def test_what_the_server_does_not_answer_is_shown_and_nothing_typed_is_lost(signed_in: SignedIn, teacher: User) -> None:
    survey = make_draft(yes_no("First?"), yes_no("Second?"), owner=teacher)
    page = signed_in().new_page()
    page.goto(_edit(survey))
    _question(page).fill("Typed?")
    page.route("**/edit/", lambda route: route.abort())
    trouble = page.locator("#trouble")
    page.get_by_role("button", name="Add a question").click()
    expect(trouble).to_be_visible()
    page.unroute("**/edit/")
    # Signed out elsewhere: what answers then is no editor, and nobody is led away from what they typed.
    cookies = page.context.cookies()
    page.context.clear_cookies()
    page.get_by_role("button", name="Save the draft").last.click()
    expect(trouble).to_be_visible()
    expect(_question(page)).to_have_value("Typed?")
    # And in again: another token is in force now.
    page.context.add_cookies([cookie for cookie in cookies if cookie["name"] == "sessionid"])
    page.get_by_role("button", name="Save the draft").last.click()
    expect(page.get_by_text("Saved.", exact=True)).to_be_visible()
    assert _saved(survey) == ["Typed?", "Second?"]


@pytest.mark.slow
def test_a_question_is_dragged_to_another_place(signed_in: SignedIn, teacher: User) -> None:
    survey = make_draft(*(yes_no(f"{letter}?") for letter in "abcd"), owner=teacher)
    page = signed_in().new_page()
    page.goto(_edit(survey))
    # The rows that typing brought anew are as good as the first ones.
    _folded(page, "expected_share").fill("10")
    expect(page.locator("[data-dial]")).to_contain_text("10 of 100")
    handle, target = page.locator("[data-handle]").last, page.locator("#questions > li").nth(1)
    handle.scroll_into_view_if_needed()
    handle.hover()
    page.mouse.down()
    target.hover()
    page.mouse.up()
    expect(page.locator("#said")).to_contain_text("question 2")
    assert _rows(page) == ["a?", "d?", "b?", "c?"]


def test_a_refused_form_takes_the_reader_to_the_summary_and_from_there_to_the_field(
    signed_in: SignedIn, teacher: User, looks: Looks
) -> None:
    page = signed_in().new_page()
    page.goto(reverse("survey-new"))
    _question(page).fill("Kept?")
    coin = _coin(page)
    coin.fill("abc")
    coin.press("Enter")
    expect(page.locator("#problems")).to_be_focused()
    expect(page).to_have_title(re.compile("^Error: "))
    assert _faults(page, (Setting(390),), looks) == {}
    look_as(page, Setting(1280))
    page.locator("#problems").get_by_role("link", name="“abc”").click()
    expect(coin).to_be_focused()
    expect(_question(page)).to_have_value("Kept?")
    # What is put right is complained about no longer, and the rest still is.
    problems = page.locator("#problems li")
    expect(problems).to_have_text(["Enter a title.", re.compile("Question 1: ")])
    page.get_by_label("Title").fill("Honesty")
    expect(page.get_by_text("Enter a title.")).to_have_count(0)
    expect(problems).to_have_count(1)
    coin.fill("1/2")
    expect(page.locator("#problems")).to_have_count(0)


@pytest.mark.slow
def test_a_survey_of_every_kind_is_opened_question_by_question_and_saved_unchanged(
    signed_in: SignedIn, teacher: User
) -> None:
    survey = make_draft(*every_kind(), owner=teacher)
    before = survey.questions
    page = signed_in().new_page()
    complaints = complaints_of(page)
    page.goto(_edit(survey))
    for place, question in enumerate(before):
        page.locator(f"#open-{place + 1}").click() if place else None
        expect(_question(page)).to_have_value(question.text)
    page.get_by_label("Title").fill("Saved")
    page.get_by_role("button", name="Save the draft").last.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Saved")
    after = Survey.objects.get(pk=survey.pk).questions
    assert after == before
    assert complaints == []


@pytest.mark.slow
def test_a_draft_saves_itself_while_it_is_typed_and_two_tabs_do_not_overwrite_each_other(
    signed_in: SignedIn, teacher: User
) -> None:
    context = signed_in()
    page = context.new_page()
    complaints = complaints_of(page)
    page.goto(reverse("survey-new"))
    status, new = page.locator("#saved"), page.locator("form[data-new]")
    _question(page).fill("First?")
    expect(status).to_contain_text("Enter a title.")
    expect(new).to_have_count(1)
    page.get_by_label("Title").fill("Honesty")
    expect(new).to_have_count(0)
    survey = Survey.objects.get()
    assert _saved(survey) == ["First?"]
    expect(page).to_have_url(_edit(survey))
    # The page goes on as that of the survey: a question more, and nobody is asked on leaving.
    page.get_by_role("button", name="Add a question").click()
    _question(page).fill("Second?")
    expect(page.locator("[name=revision]")).not_to_have_value("1")
    other = context.new_page()
    other.goto(_edit(survey))
    assert _rows(other) == ["First?", "Second?"]
    _question(other).fill("First, elsewhere?")
    expect(other.locator("form[data-changed]")).to_have_count(0)
    expect(other.locator("[name=revision]")).not_to_have_value("1")
    _question(page).fill("Second, here?")
    expect(status).to_contain_text("this draft was saved elsewhere in the meantime")
    assert _saved(survey) == ["First, elsewhere?", "Second?"]
    page.get_by_role("button", name="Save the draft").last.click()
    expect(page.locator("#problems")).to_contain_text("in another window")
    assert survey.saved_versions.filter(automatic=False).count() == 0
    page.locator("[name=action][value^=over-]").click()
    expect(page.get_by_text("Saved.", exact=True)).to_be_visible()
    assert _saved(survey) == ["First?", "Second, here?"]
    assert survey.saved_versions.filter(automatic=False).count() == 2
    assert [text for text in complaints if "409" not in text] == []


def test_what_is_wrong_is_shown_at_its_field_while_it_is_typed(
    signed_in: SignedIn, teacher: User, looks: Looks
) -> None:
    page = signed_in().new_page()
    page.goto(reverse("survey-new"))
    _question(page).fill("How much?")
    page.get_by_role("radio", name="Scale").check()
    low = _of_question(page, "low_end")
    expect(low).to_have_value("Not at all")
    low.fill("")
    points = page.get_by_role("spinbutton", name="Points")
    # An empty field is complained about once it is left.
    expect(page.locator("[data-dial]")).to_contain_text("No numbers yet.")
    expect(page.locator(".errorlist")).to_have_count(0)
    points.focus()
    complaint = page.locator(".errorlist")
    expect(complaint).to_have_count(1)
    expect(low).to_have_attribute("aria-invalid", "true")
    assert complaint.get_attribute("id") == (low.get_attribute("aria-describedby") or "").split()[-1]
    assert _faults(page, (Setting(390),), looks) == {}
    look_as(page, Setting(1280))
    low.fill("Never")
    expect(page.locator(".errorlist")).to_have_count(0)
    points.fill("50")
    expect(complaint).to_contain_text("2 to 11")
    expect(page.locator("[data-dial]")).to_contain_text("No numbers yet.")
    expect(points).to_have_attribute("aria-invalid", "true")
    # What was folded opens for what is wrong in it.
    coin = _coin(page)
    points.fill("5")
    # The server's answer has come: it would replace what is clicked meanwhile.
    expect(page.locator("[data-dial]")).not_to_contain_text("No numbers yet.")
    expect(complaint).to_have_count(0)
    _unfold(page)
    expect(coin).to_be_hidden()
    page.evaluate("document.querySelector('[name$=-truth]').value = '0'")
    points.fill("6")
    expect(coin).to_be_visible()


@pytest.mark.slow
def test_one_button_makes_it_work_for_thirty(signed_in: SignedIn, teacher: User) -> None:
    survey = make_draft(*(yes_no(f"{letter}?") for letter in "abc"), owner=teacher)
    for scripts in (True, False):
        page = signed_in(java_script_enabled=scripts).new_page()
        page.goto(_edit(survey))
        remedy = page.locator("#remedy > .notice")
        for figure in ("2 questions", "5.7-fold", "3-fold", "ε 3.47"):
            expect(remedy).to_contain_text(figure)
        if scripts:
            assert _faults(page, (Setting(320), Setting(390, dark=True))) == {}
        page.locator("#total").get_by_role("link").click()
        expect(remedy.locator("#fit")).to_be_in_viewport(ratio=1)
        remedy.locator("#fit").click()
        expect(remedy).to_have_count(0)
        expect(page.locator("#total")).to_contain_text("ε 3.47")
