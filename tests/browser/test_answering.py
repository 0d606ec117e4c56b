"""A respondent's way through the pages: the phone for every kind of question, real coins, and the server's coins."""

import re

import pytest
from playwright.sync_api import Page, Request, expect

from surveys.models import Response
from surveys.questionnaire.question import Question
from tests.browser.audit import Looks, Setting, look_as
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
    words,
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

_LOOKS = (Setting(390), Setting(390, dark=True), Setting(1280), Setting(1280, dark=True))


def stored() -> list[tuple[str, str]]:
    return list(Response.objects.values_list("mode", "reports"))


def test_from_the_promise_to_the_receipt(page: Page) -> None:
    fix_draws(page, SENDS_THE_TRUTH)
    survey = make_open(yes_no("A?"), one_of(["Never", "Once"], "B?"), yes_no("C?"), title="Exams")
    begin(page, survey)
    expect(page.locator(".step-head:visible")).to_contain_text(" 1 of 3")
    expect(page.get_by_role("heading", name="A?")).to_be_focused()
    choose(page, "Yes")
    flip(page)
    expect(page.get_by_role("heading", name="B?")).to_be_focused()
    sent = page.get_by_role("status").locator("visible=true")
    expect(sent.locator(".sends")).to_have_text(words("phoneSendsFor", number=1, report="Yes"))
    sent.locator("summary").click()
    expect(sent.locator(".tells strong")).to_have_text("25 of 100")
    answer(page, "Once")
    expect(sent.locator(".sends")).to_have_text(words("phoneSendsFor", number=2, report="Once"))
    leave_out(page)
    expect(page.locator("#review h1")).to_be_focused()
    expect(sent).to_have_count(0)
    assert page.locator("#reports li").all_text_contents() == ["A? Yes", "B? Once", "C? skipped"]
    expect(page.get_by_role("button", name="Send")).to_have_text(words("sendAnswers", 2))
    send(page)
    assert page.locator(".reports li").all_text_contents() == ["A? Yes", "B? Once", "C? skipped"]
    assert stored() == [("device", "11-")]
    # The next survey is open all the same.
    begin(page, make_open(yes_no("Another?")))
    expect(page.get_by_role("heading", name="Another?")).to_be_visible()


def test_an_answer_that_is_sent_as_it_is_is_marked_from_the_promise_to_the_receipt(page: Page, looks: Looks) -> None:
    survey = make_open(yes_no("Did you copy?"), plain(leave_out="visibly"))
    wrong: dict[str, list[str]] = {}

    def look(step: str) -> None:
        wrong[step] = looks.faults(page, _LOOKS)
        look_as(page, _LOOKS[0])

    page.goto(f"/s/{survey.code}/")
    band = page.locator(".unprotected").locator("visible=true")
    expect(band).to_contain_text("question 2")
    look("promise")
    begin(page, survey)
    expect(band).to_have_count(0)
    answer(page, "No")
    mark = band.inner_text()
    expect(page.get_by_role("radiogroup").locator("visible=true")).to_have_accessible_description(mark)
    look("question")
    choose(page, "Later")
    take(page)
    expect(page.locator("#reports li").last.locator(".unprotected")).to_have_text(mark)
    expect(page.locator("#reports li").first.locator(".unprotected")).to_have_count(0)
    look("review")
    page.go_back()
    seen(page, "Change answer").click()
    choose(page, "First year")
    take(page)
    send(page)
    page.locator("details:has(.reports) summary").click()
    expect(band).to_have_text(mark)
    look("receipt")
    assert stored()[0][1][1] == "0"
    assert {where: faults for where, faults in wrong.items() if faults} == {}


def test_a_question_left_out_can_still_be_answered(page: Page) -> None:
    fix_draws(page, SENDS_THE_TRUTH)
    begin(page, make_open(yes_no()))
    leave_out(page)
    expect(page.get_by_role("heading", name=words("youSkip"))).to_be_focused()
    page.get_by_role("button", name="Back").click()
    answer(page, "Yes")
    send(page)
    assert stored() == [("device", "1")]


def test_what_was_flipped_cannot_be_taken_back_but_left_without_sending(page: Page) -> None:
    asked: list[str] = []
    page.on("dialog", lambda dialog: asked.append(dialog.type))
    begin(page, make_open(yes_no()))
    answer(page, "Yes")
    expect(page.get_by_role("heading", name="Your phone will send")).to_be_visible()
    expect(page.get_by_role("button", name="Back")).to_have_count(0)
    page.get_by_role("link", name="Leave without sending").click()
    expect(page.locator("#code")).to_be_visible()
    assert (asked, stored()) == ([], [])


def test_nothing_is_drawn_before_the_choice_which_is_asked_for_and_nothing_twice(page: Page) -> None:
    page.add_init_script(
        "const real = crypto.getRandomValues.bind(crypto);"
        "crypto.getRandomValues = (words) => { window.draws = (window.draws ?? 0) + 1; return real(words); };"
    )
    begin(page, make_open(yes_no(design="warner", parameters={"p": [1, 4]})))
    flip(page)
    assert page.evaluate("window.draws") is None
    expect(page.get_by_role("alert").locator("visible=true")).to_have_text(words("nothingChosen"))
    expect(choice(page, "Yes")).to_be_focused()
    choose(page, "Yes")
    expect(page.locator(".choose-first:visible")).to_have_count(0)
    button = page.get_by_role("button", name="Flip the coins").element_handle()
    assert button is not None
    button.evaluate("(button) => { button.click(); button.click(); button.click(); }")
    assert page.evaluate("window.draws") == 1


def test_real_coins_work_without_scripts(new_context: NewContext) -> None:
    survey = make_open(yes_no("A?"), one_of(["Never", "Once", "Often"], "B?"))
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"/s/{survey.code}/")
    expect(page.get_by_role("button", name="Start survey")).to_be_hidden()
    page.get_by_role("group", name="A?").get_by_label("Skip (we see").check()
    page.get_by_role("group", name="B?").get_by_label("Often").check()
    page.get_by_role("button", name="Send").locator("visible=true").click()
    page.wait_for_url("**/receipt/")
    assert page.locator(".reports li").all_text_contents() == ["A? skipped", "B? Often"]
    assert stored() == [("own_coin", "-2")]


@pytest.mark.slow
def test_reduced_motion_stops_the_coins(new_context: NewContext) -> None:
    for motion, animation in (("reduce", "none"), ("no-preference", "shuffle")):
        page = new_context(reduced_motion=motion).new_page()
        begin(page, make_open(yes_no()))
        choose(page, "Yes")
        flip(page)
        coin = page.locator(".coins:visible use").first
        expect(coin).to_have_css("animation-name", animation)
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
    expect(page.get_by_role("button", name="Start survey")).to_be_visible()
    page.go_back()
    page.go_forward()
    # The reload forgot the first report, so the second question is out of reach.
    expect(page.get_by_role("heading", name="First?")).to_be_visible()


# The last number below 4, 6, 8, 10 and 24: with a spinner the last answer is reported to those whose true one it is.
LAST = 239
# What each kind and each way out is worth where chance passes the truth on: one character an item.
PASSED_ON: dict[int, dict[str, tuple[Question, str, str]]] = {
    SENDS_THE_TRUTH: {
        "yes or no": (yes_no(), "Yes", "1"),
        "the opposite": (warner(), "Yes", "1"),
        "bands": (number_bands(), "100 to below 1000 €", "1"),
    },
    LAST: {
        "not saying": (yes_no(**PROTECTED), "Prefer not to say", "2"),
        "one of": (one_of(), "Often", "2"),
        "one of, not saying": (one_of(**PROTECTED), "Prefer not to say", "3"),
        "a scale": (scale(), "5 (Always)", "4"),
        "a long scale, not saying": (scale(points=11, **PROTECTED), "Prefer not to say", "b"),
        "a number, not saying": (number_mean(**PROTECTED), "Prefer not to say", "2"),
    },
}


@pytest.mark.parametrize("word", PASSED_ON)
def test_a_device_answers_every_kind(page: Page, word: int) -> None:
    asked = PASSED_ON[word]
    fix_draws(page, word)
    begin(page, make_open(*(question for question, _label, _stored in asked.values())))
    for _question, label, _stored in asked.values():
        answer(page, label)
    send(page)
    ((mode, reports),) = stored()
    assert mode == "device"
    assert dict(zip(asked, reports, strict=True)) == {name: code for name, (_question, _label, code) in asked.items()}


def test_several_options_get_a_coin_each(page: Page) -> None:
    fix_draws(page, SENDS_THE_TRUTH)
    begin(page, make_open(several_of()))
    choose_each(page, {"Coffee": "Yes", "Tablets": "No", "Something illegal": "Yes"})
    flip(page)
    expect(page.get_by_role("heading", name="Your phone will send")).to_be_focused()
    # One for each of the two reports, whatever option it is of.
    expect(page.locator(".tells:visible strong")).to_have_text(["25 of 100", "25 of 100"])
    expect(page.get_by_role("button", name="Send")).to_have_text(words("sendAnswers", 3))
    assert page.locator("#review .reports li").all_inner_texts() == [
        "Coffee\nYes",
        "Tablets\nNo",
        "Something illegal\nYes",
    ]
    send(page)
    assert stored() == [("device", "101")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "report"),
    [
        (["Coffee", "Tablets", "Something illegal"], "Yes, No, No"),
        (["Coffee", "Tablets", "Tea", "Something illegal"], words("yesToSome", 1, all=4)),
    ],
)
def test_the_folded_line_says_what_is_sent_of_several_options(page: Page, options: list[str], report: str) -> None:
    fix_draws(page, SENDS_THE_TRUTH)
    begin(page, make_open(several_of(options), yes_no("B?")))
    choose_each(page, {option: "Yes" if option == "Coffee" else "No" for option in options})
    flip(page)
    expect(page.locator("#flipped .sends")).to_have_text(words("phoneSendsFor", number=1, report=report))
    answer(page, "Yes")
    expect(page.locator("#review")).to_be_visible()
    expect(page.locator("#flipped")).to_be_hidden()


def test_where_all_is_skipped_no_page_says_that_chance_hides_it(page: Page) -> None:
    begin(page, make_open(yes_no("A?"), yes_no("B?")))
    leave_out(page)
    leave_out(page)
    skipped = page.locator("#review [data-skipped]").inner_text()
    expect(page.locator("#review [data-answered]:visible")).to_have_count(0)
    assert "random" not in page.locator("#review").inner_text()
    send(page)
    page.locator("details:has(.reports) summary").click()
    expect(page.locator("details:has(.reports) p").first).to_have_text(skipped)
    assert "at random" not in page.locator("main").inner_text()


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
    expect(page.get_by_role("alert").locator("visible=true")).to_have_text(words("optionsMissing", 2))
    expect(page.get_by_role("radiogroup", name="Tablets").get_by_role("radio", name="Yes")).to_be_focused()
    choose_each(page, {"Tablets": "No"})
    flip(page)
    expect(page.get_by_role("alert").locator("visible=true")).to_have_text(words("optionsMissing", 1))
    choose_each(page, {"Something illegal": "No"})
    expect(page.locator(".choose-first:visible")).to_have_count(0)
    flip(page)
    expect(page.get_by_role("heading", name="Your phone will send")).to_be_focused()


def test_one_tap_prefers_not_to_say_for_all_options(page: Page) -> None:
    fix_draws(page, LAST)
    begin(page, make_open(several_of(**PROTECTED)))
    seen(page, "Prefer not to say (all options)").click()
    flip(page)
    send(page)
    assert stored() == [("device", "222")]


_RANGE = {"low": "0", "high": "12", "step": "0.5"}
NO_NUMBERS = {
    "": "numberMissing",
    "seven": "notANumber",
    "1.2.3": "notANumber",
    "-1": "outside",
    "−1": "outside",
    "12.5": "outside",
    "7.25": "notAStep",
    "1.000": "likeThousands",
    "0x7": "notANumber",
    "1e1": "notANumber",
}


def test_a_number_that_the_question_does_not_take_is_named(page: Page) -> None:
    begin(page, make_open(number_mean()))
    number = page.locator("[data-limits]")
    for typed, why in NO_NUMBERS.items():
        write(page, typed)
        flip(page)
        expect(page.get_by_role("alert").locator("visible=true")).to_have_text(words(why, **_RANGE))
        expect(number).to_be_focused()
        expect(number).to_have_attribute("aria-invalid", "true")
        assert page.title().startswith("Error: ")
        write(page, "7,5")
        expect(page.locator(".choose-first:visible")).to_have_count(0)
        assert not page.title().startswith("Error: ")
    flip(page)
    expect(page.get_by_role("heading", name="Your phone will send")).to_be_visible()


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("7,5", "12 hours"),
        *(pytest.param(other, "12 hours", marks=pytest.mark.slow) for other in ("7.5", " 7.50 ", "7,500000")),
        # One step less.
        ("7", "0 hours"),
    ],
)
def test_a_number_may_have_a_comma_or_a_point_and_is_rounded_by_the_draw(page: Page, typed: str, sent: str) -> None:
    """The word 14 is below 15 of 24 steps and rounds up; it is 2 below 4, which passes the end on."""
    fix_draws(page, 14)
    begin(page, make_open(number_mean()))
    write(page, typed)
    flip(page)
    expect(page.get_by_role("heading", name=words("phoneSends", report=sent))).to_be_visible()
    expect(page.locator(".tells:visible strong")).to_have_text("25 of 100")


def test_not_saying_a_number_takes_the_number_away(page: Page) -> None:
    begin(page, make_open(number_mean(**PROTECTED)))
    write(page, "7")
    choose(page, "Prefer not to say")
    expect(page.locator("[data-limits]")).to_be_disabled()
    expect(page.locator("[data-limits]")).to_have_value("")
    choice(page, "Prefer not to say").uncheck()
    expect(page.locator("[data-limits]")).to_be_enabled()


def test_a_fact_in_the_head_needs_no_flip_and_no_chance(page: Page) -> None:
    page.add_init_script("crypto.getRandomValues = () => { throw new Error('no chance is needed here'); };")
    taps = {"Different answers": crosswise(), "Yes to at least one": triangular(), "No": unrelated()}
    begin(page, make_open(*taps.values()))
    for tapped, question in taps.items():
        expect(page.get_by_role("button", name="Flip the coins")).to_have_count(0)
        texts = []
        while page.locator("[data-lead]:visible").count():
            texts.append(page.locator("[data-lead]:visible").inner_text())
            go_on(page)
        for summary in page.locator("summary:visible").all():
            summary.click()
        texts.append(page.locator("[data-question]:visible").inner_text())
        read = " ".join(texts)
        assert question.text in read
        assert question.details["innocuous"] in read
        assert re.search(r"\b\d+ of 100\b", read)
        assert question.details["innocuous_source"].rstrip(".") in read
        choose(page, tapped)
        take(page)
    expect(page.locator("#review h1")).to_be_focused()
    send(page)
    assert stored() == [("device", "010")]


def test_what_was_tapped_can_be_changed_until_it_is_sent(page: Page) -> None:
    begin(page, make_open(crosswise(), yes_no("Another?")))
    choose(page, "The same answer")
    take(page)
    page.go_back()
    seen(page, "Change answer").click()
    expect(page.locator(CHOSEN)).to_have_count(0)
    choose(page, "Different answers")
    take(page)
    leave_out(page)
    send(page)
    assert stored() == [("device", "0-")]


def test_no_control_takes_the_true_answer_where_it_stays_in_the_head(page: Page) -> None:
    begin(page, make_open(crosswise(leave_out="no")))
    controls = page.locator("input, [aria-checked]").locator("visible=true")
    assert controls.count() == 0
    to_taps(page)
    assert controls.all_inner_texts() == [
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
    page.locator("#review").wait_for()
