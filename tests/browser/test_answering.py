"""A respondent's way through the pages: the phone for every kind of question, real coins, and the server's coins."""

import re

import pytest
from playwright.sync_api import Page, Request, expect

from surveys.drafts.services.surveys import QuestionDraft
from surveys.models import Response
from tests.browser.audit import AXE, AXE_ON_LOOKS, Setting, faults, look_as
from tests.browser.conftest import NewContext
from tests.browser.walk import (
    CHOSEN,
    SENDS_THE_TRUTH,
    answer,
    begin,
    choice,
    choose,
    choose_each,
    fix_draws,
    flip,
    go_on,
    leave_out,
    seen,
    send,
    take,
    to_taps,
    write,
)  # fmt: skip
from tests.factories import (
    PROTECTED,
    crosswise,
    every_kind,
    make_open,
    number_bands,
    number_mean,
    one_of,
    plain,
    scale,
    several_of,
    triangular,
    unrelated,
    warner,
    yes_no,
)  # fmt: skip

_AS_IT_IS = "Sent as it is. This answer is not protected."
_LOOKS = (Setting(390), Setting(390, dark=True), Setting(1280), Setting(1280, dark=True))


def stored() -> list[tuple[str, str]]:
    return list(Response.objects.values_list("mode", "reports"))


def test_from_the_promise_to_the_receipt(page: Page) -> None:
    fix_draws(page, SENDS_THE_TRUTH)
    survey = make_open(yes_no("A?"), one_of(["Never", "Once"], "B?"), yes_no("C?"), title="Exams")
    begin(page, survey)
    expect(page.get_by_text("Question 1 of 3")).to_be_visible()
    expect(page.get_by_role("heading", name="A?")).to_be_focused()
    choose(page, "Yes")
    flip(page)
    expect(page.get_by_role("heading", name="B?")).to_be_focused()
    told = page.get_by_role("status").locator("visible=true")
    expect(told.locator(".sends")).to_have_text("Question 1: it will send Yes")
    told.locator("summary").click()
    expect(told.locator(".tells")).to_have_text("25 of 100 phones whose owner means No send Yes.")
    answer(page, "Once")
    expect(told.locator(".sends")).to_have_text("Question 2: it will send Once")
    leave_out(page)
    expect(page.get_by_role("heading", name="This is what leaves your phone")).to_be_focused()
    expect(told).to_have_count(0)
    assert page.locator("#reports li").all_text_contents() == ["A? Yes", "B? Once", "C? skipped"]
    expect(page.get_by_role("button", name="Send")).to_have_text("Send 2 answers")
    send(page)
    expect(page.get_by_text("You are among the first to answer.")).to_be_visible()
    assert page.locator(".reports li").all_text_contents() == ["A? Yes", "B? Once", "C? skipped"]
    assert stored() == [("device", "11-")]


def test_an_answer_that_is_sent_as_it_is_is_marked_from_the_promise_to_the_receipt(page: Page) -> None:
    survey = make_open(yes_no("Did you copy?"), plain(leave_out="visibly"))
    wrong: dict[str, list[str]] = {}

    def look(step: str) -> None:
        for setting, rules in zip(_LOOKS, (AXE, *[AXE_ON_LOOKS] * 3), strict=True):
            look_as(page, setting)
            wrong[f"{step} {setting}"] = faults(page, rules)
        look_as(page, _LOOKS[0])

    page.goto(f"/s/{survey.code}/")
    band = page.locator(".unprotected").locator("visible=true")
    expect(band).to_have_text("1 question is not protected: question 2 is sent as it is.")
    look("promise")
    begin(page, survey)
    expect(band).to_have_count(0)
    answer(page, "No")
    expect(band).to_have_text("Sent as it is. This answer is not protected.")
    expect(page.get_by_role("radiogroup").locator("visible=true")).to_have_accessible_description(_AS_IT_IS)
    look("question")
    choose(page, "Later")
    take(page)
    expect(page.locator("#reports li").last.locator(".unprotected")).to_have_text(_AS_IT_IS)
    expect(page.locator("#reports li").first.locator(".unprotected")).to_have_count(0)
    look("review")
    page.go_back()
    seen(page, "Change this").click()
    choose(page, "First year")
    take(page)
    send(page)
    page.locator("summary", has_text="This is what arrived").click()
    expect(band).to_have_text(_AS_IT_IS)
    look("receipt")
    assert stored()[0][1][1] == "0"
    assert {where: found for where, found in wrong.items() if found} == {}


def test_a_question_left_out_can_still_be_answered(page: Page) -> None:
    fix_draws(page, SENDS_THE_TRUTH)
    begin(page, make_open(yes_no()))
    leave_out(page)
    expect(page.get_by_role("heading", name="You skip this question")).to_be_focused()
    page.get_by_role("button", name="Back").click()
    answer(page, "Yes")
    send(page)
    assert stored() == [("device", "1")]


def test_what_was_flipped_cannot_be_taken_back_but_left_without_sending(page: Page) -> None:
    asked: list[str] = []
    page.on("dialog", lambda dialog: asked.append(dialog.type))
    begin(page, make_open(yes_no()))
    answer(page, "Yes")
    expect(page.get_by_role("heading", name="It will send")).to_be_visible()
    expect(page.get_by_role("button", name="Back")).to_have_count(0)
    page.get_by_role("link", name="Leave without sending").click()
    page.wait_for_url("**/")
    expect(page.get_by_label("Join with a code")).to_be_visible()
    assert (asked, stored()) == ([], [])


def test_flipping_without_a_choice_says_what_to_do(page: Page) -> None:
    begin(page, make_open(yes_no()))
    flip(page)
    expect(page.get_by_role("alert").locator("visible=true")).to_contain_text("Choose your true answer first.")
    expect(choice(page, "Yes")).to_be_focused()
    choose(page, "Yes")
    expect(page.get_by_text("Choose your true answer first.")).to_be_hidden()


def test_nothing_is_drawn_before_the_choice_and_nothing_twice(page: Page) -> None:
    page.add_init_script(
        "let draws = 0; const real = crypto.getRandomValues.bind(crypto);"
        "crypto.getRandomValues = (words) => { window.draws = (window.draws ?? 0) + 1; return real(words); };"
    )
    begin(page, make_open(yes_no(design="warner", parameters={"p": [1, 4]})))
    flip(page)
    assert page.evaluate("window.draws") is None
    choose(page, "Yes")
    button = page.get_by_role("button", name="Flip the coins").element_handle()
    assert button is not None
    button.evaluate("(button) => { button.click(); button.click(); button.click(); }")
    assert page.evaluate("window.draws") == 1


def test_answering_one_survey_leaves_the_next_open(page: Page) -> None:
    begin(page, make_open(yes_no()))
    answer(page, "Yes")
    send(page)
    begin(page, make_open(yes_no("Another?")))
    expect(page.get_by_role("heading", name="Another?")).to_be_visible()


def test_real_coins_work_without_scripts(new_context: NewContext) -> None:
    survey = make_open(yes_no("A?"), one_of(["Never", "Once", "Often"], "B?"))
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"/s/{survey.code}/")
    expect(page.get_by_role("button", name="Begin")).to_be_hidden()
    page.get_by_role("group", name="A?").get_by_label("Skip (they see").check()
    page.get_by_role("group", name="B?").get_by_label("Often").check()
    page.get_by_role("button", name="Send").locator("visible=true").click()
    page.wait_for_url("**/receipt/")
    assert page.locator(".reports li").all_text_contents() == ["A? skipped", "B? Often"]
    assert stored() == [("own_coin", "-2")]


def test_real_coins_work_with_scripts_too_and_load_none(page: Page) -> None:
    survey = make_open(yes_no())
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.resource_type))
    page.goto(f"/s/{survey.code}/own-coin/")
    assert "script" not in loaded
    page.get_by_label("No", exact=True).check()
    page.get_by_role("button", name="Send").locator("visible=true").click()
    page.wait_for_url("**/receipt/")
    assert stored() == [("own_coin", "0")]


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_the_server_can_flip_where_the_author_offers_it(new_context: NewContext, *, scripts: bool) -> None:
    survey = make_open(yes_no(), server_mode_allowed=True)
    page = new_context(java_script_enabled=scripts).new_page()
    page.goto(f"/s/{survey.code}/server/")
    expect(page.get_by_role("heading", name="You trust this server for this moment")).to_be_visible()
    page.get_by_label("Yes").check()
    page.get_by_role("button", name="Let the server flip").click()
    page.wait_for_url("**/receipt/")
    ((mode, reports),) = stored()
    assert mode == "server"
    assert reports in {"0", "1"}


@pytest.mark.slow
def test_reduced_motion_stops_the_coins(new_context: NewContext) -> None:
    for motion, animation in (("reduce", "none"), ("no-preference", "shuffle")):
        page = new_context(reduced_motion=motion).new_page()
        begin(page, make_open(yes_no()))
        choose(page, "Yes")
        flip(page)
        coin = page.locator(".coins:visible use").first
        assert coin.evaluate("(coin) => getComputedStyle(coin).animationName") == animation
        assert page.locator(".coins:visible").count() == 1


def test_the_browsers_back_and_forward_go_through_the_steps_and_never_past_an_open_question(page: Page) -> None:
    survey = make_open(yes_no("First?"), yes_no("Second?"))
    begin(page, survey)
    answer(page, "Yes")
    expect(page.get_by_role("heading", name="Second?")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="First?")).to_be_visible()
    page.go_forward()
    expect(page.get_by_role("heading", name="Second?")).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Begin")).to_be_visible()
    page.go_back()
    page.go_forward()
    # The reload forgot the first report, so the second question is out of reach.
    expect(page.get_by_role("heading", name="First?")).to_be_visible()


# The last number below 4, 6, 8, 10 and 24: with a spinner the last answer is reported to those whose true one it is.
LAST = 239
# What each kind and each way out is worth where chance passes the truth on: one character an item.
ONE_QUESTION: dict[str, tuple[QuestionDraft, int, str, str]] = {
    "yes or no": (yes_no(), SENDS_THE_TRUTH, "Yes", "1"),
    "the opposite": (warner(), SENDS_THE_TRUTH, "Yes", "1"),
    "not saying": (yes_no(**PROTECTED), LAST, "Prefer not to say", "2"),
    "one of": (one_of(), LAST, "Often", "2"),
    "one of, not saying": (one_of(**PROTECTED), LAST, "Prefer not to say", "3"),
    "a scale": (scale(), LAST, "5 (Always)", "4"),
    "a long scale, not saying": (scale(points=11, **PROTECTED), LAST, "Prefer not to say", "b"),
    "a number, not saying": (number_mean(**PROTECTED), LAST, "Prefer not to say", "2"),
    "bands": (number_bands(), SENDS_THE_TRUTH, "100 to below 1000 €", "1"),
}


@pytest.mark.parametrize(("question", "word", "label", "stored_as"), ONE_QUESTION.values(), ids=ONE_QUESTION)
def test_a_device_answers_every_kind(
    page: Page, question: QuestionDraft, word: int, label: str, stored_as: str
) -> None:
    fix_draws(page, word)
    begin(page, make_open(question))
    answer(page, label)
    send(page)
    assert stored() == [("device", stored_as)]


def test_several_options_get_a_coin_each(page: Page) -> None:
    fix_draws(page, SENDS_THE_TRUTH)
    begin(page, make_open(several_of()))
    choose_each(page, {"Coffee": "Yes", "Tablets": "No", "Something illegal": "Yes"})
    flip(page)
    expect(page.get_by_role("heading", name="It will send")).to_be_focused()
    expect(page.locator(".tells:visible")).to_have_text(
        "25 of 100 phones whose owner means No send Yes. 25 of 100 phones whose owner means Yes send No. "
        "It is no proof, but it can be strong evidence."
    )
    expect(page.get_by_role("button", name="Send")).to_have_text("Send 3 answers")
    assert page.locator("#review .reports li").all_inner_texts() == [
        "Coffee\nYes",
        "Tablets\nNo",
        "Something illegal\nYes",
    ]
    send(page)
    assert stored() == [("device", "101")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["Coffee", "Tablets", "Something illegal"], "Question 1: it will send Yes, No, No"),
        (["Coffee", "Tablets", "Tea", "Something illegal"], "Question 1: it will send Yes to 1 of 4 options"),
    ],
)
def test_the_folded_line_says_what_is_sent_of_several_options(page: Page, options: list[str], said: str) -> None:
    fix_draws(page, SENDS_THE_TRUTH)
    begin(page, make_open(several_of(options), yes_no("B?")))
    choose_each(page, {option: "Yes" if option == "Coffee" else "No" for option in options})
    flip(page)
    expect(page.locator("#flipped .sends")).to_have_text(said)
    answer(page, "Yes")
    expect(page.get_by_role("heading", name="This is what leaves your phone")).to_be_visible()
    expect(page.locator("#flipped")).to_be_hidden()


def test_where_all_is_skipped_no_page_says_that_chance_hides_it(page: Page) -> None:
    begin(page, make_open(yes_no("A?"), yes_no("B?")))
    leave_out(page)
    leave_out(page)
    skipped = page.get_by_text("You skipped every question. They see that, not why.")
    expect(skipped.locator("visible=true")).to_have_count(1)
    assert "chance" not in page.locator("#review").inner_text()
    send(page)
    page.get_by_text("This is what arrived").click()
    expect(skipped.locator("visible=true")).to_have_count(1)
    assert "hance may" not in page.locator("main").inner_text()


def test_a_report_from_the_head_names_both_questions(page: Page) -> None:
    question = unrelated("Have you ever taken drugs?", leave_out="no")
    both = f"Have you ever taken drugs? Or: {question.details['innocuous']} Yes"
    begin(page, make_open(question, yes_no("B?")))
    seen(page, "I have my answer").click()
    choose(page, "Yes")
    take(page)
    leave_out(page)
    assert page.locator("#reports li").all_text_contents() == [both, "B? skipped"]
    send(page)
    assert page.locator(".reports li").all_text_contents() == [both, "B? skipped"]


def test_several_options_must_all_be_answered_before_the_flip(page: Page) -> None:
    begin(page, make_open(several_of()))
    choose_each(page, {"Coffee": "Yes"})
    flip(page)
    expect(page.get_by_role("alert").locator("visible=true")).to_have_text("2 options have no answer yet.")
    expect(page.get_by_role("radiogroup", name="Tablets").get_by_role("radio", name="Yes")).to_be_focused()
    choose_each(page, {"Tablets": "No"})
    flip(page)
    expect(page.get_by_role("alert").locator("visible=true")).to_have_text("1 option has no answer yet.")
    choose_each(page, {"Something illegal": "No"})
    expect(page.locator(".choose-first:visible")).to_have_count(0)
    flip(page)
    expect(page.get_by_role("heading", name="It will send")).to_be_focused()


def test_one_tap_prefers_not_to_say_for_all_options(page: Page) -> None:
    fix_draws(page, LAST)
    begin(page, make_open(several_of(**PROTECTED)))
    seen(page, "Prefer not to say, for all of them").click()
    flip(page)
    send(page)
    assert stored() == [("device", "222")]


def test_several_options_are_left_out_together(page: Page) -> None:
    begin(page, make_open(several_of()))
    leave_out(page)
    assert page.locator("#review .sends").text_content() == "You skip this question"
    send(page)
    assert stored() == [("device", "---")]


NO_NUMBERS = {
    "": "Write a number from 0 to 12 first.",
    "seven": "This is no number",
    "1.2.3": "This is no number",
    "-1": "The number must be from 0 to 12.",
    "−1": "The number must be from 0 to 12.",
    "12.5": "The number must be from 0 to 12.",
    "7.25": "The number must be 0 or some steps of 0.5 above it.",
    "1.000": "Write thousands without a comma or a point",
    "0x7": "This is no number",
    "1e1": "This is no number",
}


def test_a_number_that_the_question_does_not_take_is_named(page: Page) -> None:
    begin(page, make_open(number_mean()))
    for typed, said in NO_NUMBERS.items():
        write(page, typed)
        flip(page)
        expect(page.get_by_role("alert").locator("visible=true")).to_contain_text(said)
        expect(page.locator("[data-limits]")).to_be_focused()
        expect(page.locator("[data-limits]")).to_have_attribute("aria-invalid", "true")
        assert page.title().startswith("Error: ")
        write(page, "7,5")
        expect(page.locator(".choose-first:visible")).to_have_count(0)
        assert not page.title().startswith("Error: ")
    flip(page)
    expect(page.get_by_role("heading", name="It will send")).to_be_visible()


@pytest.mark.parametrize(
    "typed", ["7,5", *(pytest.param(other, marks=pytest.mark.slow) for other in ("7.5", " 7.50 ", "7,500000"))]
)
def test_a_number_may_have_a_comma_or_a_point(page: Page, typed: str) -> None:
    """The word 14 is below 15 of 24 steps and rounds up; it is 2 below 4, which passes the end on."""
    fix_draws(page, 14)
    begin(page, make_open(number_mean()))
    write(page, typed)
    flip(page)
    expect(page.get_by_role("heading", name="It will send 12 hours")).to_be_visible()


def test_one_step_less_rounds_down_on_the_same_draw(page: Page) -> None:
    fix_draws(page, 14)
    begin(page, make_open(number_mean()))
    write(page, "7")
    flip(page)
    expect(page.get_by_role("heading", name="It will send 0 hours")).to_be_visible()
    expect(page.locator(".tells:visible")).to_contain_text("25 of 100 phones that rounded to “12 hours” send “0 hours”")


def test_not_saying_a_number_takes_the_number_away(page: Page) -> None:
    begin(page, make_open(number_mean(**PROTECTED)))
    write(page, "7")
    choose(page, "Prefer not to say")
    expect(page.locator("[data-limits]")).to_be_disabled()
    expect(page.locator("[data-limits]")).to_have_value("")
    choice(page, "Prefer not to say").uncheck()
    expect(page.locator("[data-limits]")).to_be_enabled()


IN_THE_HEAD = {
    "crosswise": (crosswise(), "Different answers", "0"),
    "triangular": (triangular(), "Yes to at least one", "1"),
    "unrelated": (unrelated(), "No", "0"),
}


@pytest.mark.parametrize(("question", "tapped", "stored_as"), IN_THE_HEAD.values(), ids=IN_THE_HEAD)
def test_a_fact_in_the_head_needs_no_flip_and_no_chance(
    page: Page, question: QuestionDraft, tapped: str, stored_as: str
) -> None:
    page.add_init_script("crypto.getRandomValues = () => { throw new Error('no chance is needed here'); };")
    begin(page, make_open(question))
    expect(page.get_by_role("button", name="Flip the coins")).to_have_count(0)
    read = []
    while page.locator("[data-lead]:visible").count():
        read.append(page.locator("[data-lead]:visible").inner_text())
        go_on(page)
    read.append(page.locator("[data-question]:visible").inner_text())
    told = " ".join(read)
    for summary in page.locator("summary:visible").all():
        summary.click()
    assert question.text in told
    assert question.details["innocuous"] in told + page.locator("[data-question]:visible").inner_text()
    assert re.search(r"About \d+ of 100 say Yes\.", told)
    expect(page.get_by_text(question.details["innocuous_source"].rstrip(".")).locator("visible=true")).to_be_visible()
    choose(page, tapped)
    take(page)
    expect(page.get_by_role("heading", name=f"You will send {tapped}")).to_be_focused()
    send(page)
    assert stored() == [("device", stored_as)]


def test_what_was_tapped_can_be_changed_until_it_is_sent(page: Page) -> None:
    begin(page, make_open(crosswise(), yes_no("Another?")))
    choose(page, "The same answer")
    take(page)
    page.go_back()
    seen(page, "Change this").click()
    expect(page.locator(CHOSEN)).to_have_count(0)
    choose(page, "Different answers")
    take(page)
    leave_out(page)
    send(page)
    assert stored() == [("device", "0-")]


def test_no_control_takes_the_true_answer_where_it_stays_in_the_head(page: Page) -> None:
    begin(page, make_open(crosswise(leave_out="no")))
    assert page.locator("input:visible, [aria-checked]:visible").count() == 0
    to_taps(page)
    assert page.locator("input:visible, [aria-checked]:visible").all_inner_texts() == [
        "The same answer",
        "Different answers",
    ]


def test_nothing_is_asked_of_the_network_between_the_page_and_send(page: Page) -> None:
    asked: list[str] = []

    def note(request: Request) -> None:
        asked.append(request.url)

    begin(page, make_open(*every_kind()))
    page.on("request", note)
    answer_every_kind(page)
    assert asked == []
    with page.expect_request(lambda request: request.method == "POST") as posted:
        send(page)
    fields = [pair.split("=")[0] for pair in (posted.value.post_data or "").split("&")]
    assert fields == ["nonce", "mode", "reports"]
    ((mode, reports),) = stored()
    assert (mode, len(reports)) == ("device", 24)


def answer_every_kind(page: Page) -> None:
    """From the first question of `every_kind` to the review."""
    for _ in every_kind():
        options = page.locator("[role=radiogroup][data-option]:visible")
        if page.locator("[data-limits]:visible").count():
            write(page, "7.5")
        elif options.count():
            for option in options.all():
                option.get_by_role("radio", name="No", exact=True).check()
        else:
            to_taps(page)
            page.locator("[data-controls] [role=radio]:visible").first.check()
        page.locator("[data-flip]:visible").click()
    page.get_by_role("heading", name="This is what leaves your phone").wait_for()
