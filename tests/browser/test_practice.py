"""The practice and its two checks: the survey's own chance on a harmless question, nothing kept, nothing in the way."""

import pytest
from playwright.sync_api import Page, Request, expect

from surveys.answering.words.practice import checks, practice
from surveys.common.selectors import definition_of
from surveys.models import Response, Survey
from surveys.questionnaire.question import Question
from tests.browser.walk import (
    CHOSEN,
    SENDS_NO,
    SENDS_THE_TRUTH,
    begin,
    choose,
    fix_draws,
    flip,
    go_on,
    seen,
    send,
    words,
)
from tests.factories import PROTECTED, crosswise, every_kind, make_open, one_of, triangular, unrelated, warner, yes_no

SLOW = pytest.mark.slow
FORCED_NO = {"parameters": {"truth": [1, 2], "yes": [0, 1]}, "accepts_infinite": True}
FORCED_YES = {"parameters": {"truth": [1, 2], "yes": [1, 1]}, "accepts_infinite": True}
RIGHT, NOT_QUITE = words("right"), words("notQuite")
# The two things to think about, in their order.
KNOW, COULD = 0, 1


def practise(page: Page, *questions: Question) -> None:
    page.goto(f"/s/{make_open(*questions).code}/")
    page.get_by_role("button", name="Practise first").click()
    expect(page.locator("#practice h1")).to_be_focused()


def think_of_somebody(page: Page, *questions: Question) -> None:
    """Begin the practice of a survey whose chance is all in people's heads."""
    page.goto(f"/s/{make_open(*questions).code}/")
    page.get_by_role("button", name="Practise first").click()
    expect(page.locator("#practice h1")).to_be_focused()


def check(page: Page, place: int, answer: str) -> str:
    """Answer one of the two checks; return what is said about it."""
    card = page.locator("#checks [data-check]").nth(place)
    card.get_by_role("radio", name=answer, exact=True).check()
    return card.get_by_role("status").inner_text()


def reach_the_checks(page: Page) -> None:
    choose(page, "Yes")
    flip(page)
    go_on(page)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("questions", "chances"),
    [
        ([one_of(), yes_no(parameters={"truth": [3, 5], "yes": [1, 2]})], "question 2"),
        pytest.param([crosswise(), warner()], "question 2", marks=SLOW),
        pytest.param([one_of()], "two fair coins", marks=SLOW),
        ([crosswise(), yes_no(**PROTECTED)], "two fair coins"),
    ],
)
def test_the_practice_has_the_chances_of_the_first_two_answers_or_two_fair_coins(
    page: Page, questions: list[Question], chances: str
) -> None:
    fix_draws(page, SENDS_THE_TRUTH)
    practise(page, *questions)
    expect(page.locator("#practice > .quiet")).to_contain_text(chances)
    choose(page, "No")
    flip(page)
    expect(page.locator(".sends:visible")).to_have_text(words("wouldSend", report="No"))
    expect(page.locator(".tells:visible strong")).to_have_count(1)


@pytest.mark.slow
def test_the_practice_may_be_done_again_and_shows_chance_at_work(page: Page) -> None:
    fix_draws(page, SENDS_NO)
    practise(page, yes_no())
    for _ in range(2):
        choose(page, "Yes")
        flip(page)
        expect(page.locator(".sends:visible")).to_have_text(words("wouldSend", report="No"))
        seen(page, "Practise again").click()
        expect(page.locator(CHOSEN)).to_have_count(0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "taps", "wrong"),
    [(crosswise(), 0, 1), (triangular(), 1, 0), (unrelated(leave_out="no"), 0, 1)],
    ids=["crosswise", "triangular", "unrelated"],
)
def test_where_chance_is_in_the_head_the_practice_is_about_somebody_made_up(
    page: Page, question: Question, taps: int, wrong: int
) -> None:
    think_of_somebody(page, question)
    verdict = page.locator("#practice").get_by_role("status")
    expect(verdict).to_be_hidden()
    page.locator(f"#practice [role=radio][value='{wrong}']").check()
    expect(verdict).to_contain_text(NOT_QUITE)
    tapped = page.locator(f"#practice [role=radio][value='{taps}']")
    tapped.check()
    expect(verdict).to_contain_text(RIGHT)
    expect(verdict).to_contain_text(f"“{tapped.inner_text()}”")
    go_on(page)
    expect(page.locator("#checks h1")).to_be_focused()
    page.go_back()
    expect(verdict).to_be_hidden()
    assert page.locator(CHOSEN).count() == 0


FACTS = ("innocuous", "innocuous_source", "selector", "selector_source")


@pytest.mark.parametrize(
    "questions",
    [pytest.param([crosswise()], marks=SLOW), [triangular()], [unrelated()], [yes_no(), crosswise()]],
    ids=["crosswise", "triangular", "unrelated", "mixed"],
)
def test_the_practice_asks_for_no_fact_that_protects_a_true_answer(page: Page, questions: list[Question]) -> None:
    page.goto(f"/s/{make_open(*questions).code}/")
    text = page.locator("#practice").inner_text() + (page.locator("#practice").text_content() or "")
    for question in questions:
        for fact in (getattr(question.chance, name) for name in FACTS if name in question.chance.details):
            assert fact in (page.locator("body").text_content() or "")
            assert fact not in text
    assert "born" not in text


def test_the_practice_about_somebody_promises_no_flip_and_no_change_before_sending(page: Page) -> None:
    think_of_somebody(page, crosswise())
    text = page.locator("#practice").text_content() or ""
    for untrue in ("one flip", "until you tap Send", "Your choice", "phone randomizes", "would send"):
        assert untrue not in text


@pytest.mark.slow
def test_the_checks_where_chance_is_in_the_head_name_whom_it_does_not_hide_from(page: Page) -> None:
    think_of_somebody(page, crosswise(), triangular())
    go_on(page)
    know, could = checks(practice(definition_of(Survey.objects.get())))
    assert check(page, KNOW, "No") == f"{RIGHT} {know.because}"
    # All but those who know the respondent's answers to the harmless questions.
    assert "harmless questions" in know.because
    assert check(page, COULD, "Yes") == f"{RIGHT} {could.because}"
    assert "about 75" in could.because


@pytest.mark.slow
def test_right_answers_are_confirmed_and_wrong_ones_explained(page: Page) -> None:
    practise(page, yes_no())
    reach_the_checks(page)
    expect(page.locator("#checks h1")).to_be_focused()
    know, could = checks(practice(definition_of(Survey.objects.get())))
    assert check(page, KNOW, "Yes") == f"{NOT_QUITE} {know.because}"
    assert check(page, KNOW, "No") == f"{RIGHT} {know.because}"
    assert check(page, COULD, "No") == f"{NOT_QUITE} {could.because}"
    assert check(page, COULD, "Yes") == f"{RIGHT} {could.because}"
    assert "about 25" in could.because


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "know", "could"),
    [
        (yes_no(**FORCED_YES), ("Yes", "proves"), ("Yes", "about 50")),
        (yes_no(**FORCED_NO), ("Yes", "proves"), ("No", "Yes")),
        (triangular(), ("Yes", "proves"), ("Yes", "about 25")),
    ],
    ids=["No proves", "Yes proves", "in the head"],
)
def test_where_reports_prove_something_the_right_answers_are_others(
    page: Page, question: Question, know: tuple[str, str], could: tuple[str, str]
) -> None:
    page.goto(f"/s/{make_open(question).code}/")
    page.get_by_role("button", name="Practise first").click()
    page.locator("[data-controls] [role=radio]:visible").first.check()
    if question.design != "triangular":
        flip(page)
    go_on(page)
    for place, (right, because) in ((KNOW, know), (COULD, could)):
        verdict = check(page, place, right)
        assert verdict.startswith(RIGHT)
        assert because in verdict


@pytest.mark.slow
def test_a_survey_whose_other_reports_prove_something_says_so_after_a_practice_that_does_not(page: Page) -> None:
    practise(page, yes_no(), triangular())
    reach_the_checks(page)
    # Above the question that it is about: below, it would gainsay the answer marked right.
    note = page.locator("#checks .notice.warn:has(~ [data-check])")
    expect(note).to_contain_text("question 2")


def test_the_practice_is_offered_and_can_be_skipped(page: Page) -> None:
    begin(page, make_open(yes_no("A?")))
    expect(page.get_by_role("heading", name="A?")).to_be_focused()
    practise(page, yes_no("B?"))
    seen(page, "Skip practice").click()
    expect(page.get_by_role("heading", name="B?")).to_be_focused()


@pytest.mark.slow
def test_a_practice_that_was_not_asked_for_stays_out_of_the_way_on_back(page: Page) -> None:
    begin(page, make_open(yes_no("A?")))
    page.go_back()
    expect(page.get_by_role("button", name="Start survey")).to_be_visible()
    page.go_forward()
    expect(page.get_by_role("heading", name="A?")).to_be_focused()


def test_nothing_of_the_practice_is_sent_or_kept(page: Page) -> None:
    asked: list[str] = []

    def note(request: Request) -> None:
        asked.append(request.post_data or request.url)

    practise(page, *every_kind()[:1])
    page.on("request", note)
    reach_the_checks(page)
    check(page, KNOW, "Yes")
    go_on(page)
    assert asked == []
    kept = "[localStorage.length, sessionStorage.length, history.state]"
    assert page.evaluate(kept) == [0, 0, 3]
    assert page.locator(CHOSEN).count() == 0
    assert set(page.locator(".sends").all_text_contents()) == {""}
    seen(page, "Skip question").click()
    send(page)
    assert [text.rpartition("reports=")[2] for text in asked if "reports=" in text] == ["-"]
    assert Response.objects.get().reports == "-"


@pytest.mark.slow
def test_back_and_forward_go_through_the_practice(page: Page) -> None:
    practise(page, yes_no("A?"))
    reach_the_checks(page)
    check(page, KNOW, "Yes")
    page.go_back()
    expect(page.locator("#practice h1")).to_be_focused()
    assert page.locator(CHOSEN).count() == 0
    page.go_forward()
    expect(page.locator("#checks h1")).to_be_focused()
    assert page.locator(CHOSEN).count() == 0
    assert page.locator("#checks").get_by_role("status").locator("visible=true").count() == 0
    page.reload()
    expect(page.get_by_role("button", name="Start survey")).to_be_visible()
