"""Answers every question of a survey as a respondent would, on the page of any mode."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from playwright.sync_api import Page

from surveys.answering.services.perturbing import Tapped, Truth
from surveys.numbers.words import readable
from surveys.questionnaire.asked_question import AskedQuestion, Item
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.question import Question
from surveys.questionnaire.reports import CODES, LEFT_OUT
from tests.factories import PROTECTED, every_kind, number_bands, number_mean, scale, several_of

# The last number below 4, 6, 8, 10, 12 and 24: with it the last report is sent, as the first is with 0.
FIRST, LAST = 0, 239
_WARNER = {"design": "warner", "parameters": {"p": [3, 4]}, "leave_out": "no"}
# One round trip for a whole step; that pointers and keys reach the controls is shown elsewhere.
_PRESS = """(selectors) => {
  while (document.querySelector("[data-lead]:not([hidden])") && !selectors.includes("[data-leave-out]")) {
    document.querySelector("[data-lead]:not([hidden]) [data-next]").click();
  }
  for (const selector of selectors) {
    const control = document.querySelector(`[data-step]:not([hidden]) ${selector}`);
    if (!control.checkVisibility()) throw new Error(`${selector} is not to be seen`);
    control.click();
  }
}"""
# The same for a plain form.
_TICK = """(fields) => {
  for (const [name, value] of Object.entries(fields)) {
    const controls = [...document.querySelectorAll(`[name="${name}"]`)].filter((each) => each.checkVisibility());
    const control = controls.find((each) => each.type === "text" || each.value === value);
    if (control.type === "text") control.value = value;
    else if (!control.checked) control.click();
  }
}"""
Look = Callable[[Page, str], None]


def every_way() -> list[Question]:
    """Every kind with every sort of design that it knows, and with every way of leaving it out.

    But for a device that never changes a Yes: with it no draw makes equal reports of both true answers.
    """
    return [
        *(draft for draft in every_kind() if draft.design != "mangat"),
        scale("How often, or not saying?", **PROTECTED),
        number_bands("How much, or not saying?", **PROTECTED),
        several_of(text="Which, asked the other way round?", **_WARNER),
        number_mean("How many, asked the other way round?", **_WARNER),
    ]


def truths_of(definition: Definition, variant: int, *, tapped: int = 0) -> list[Truth]:
    """Return a true answer for each item, others for each variant; what is tapped is a report and stays the same."""
    return [
        # Of options of which one is true another is chosen each time.
        int(variant % len(question.items) == place) if question.answers.one_true else _truth(item, variant, tapped)
        for question in definition.questions
        for place, item in enumerate(question.items)
    ]


def _truth(item: Item, variant: int, tapped: int) -> Truth:
    if item.tapped:
        return Tapped(CODES[tapped])
    if item.range is None:
        return variant % item.design.k
    numbers: list[Truth] = [item.range.low, item.range.low + 15 * item.range.step, item.range.high]
    return [*numbers, *range(2, item.design.k)][variant % (item.design.k + 1)]


def answer_all(
    page: Page, definition: Definition, truths: Sequence[Truth], look: Look, *, hesitating: bool = False
) -> None:
    """Answer all questions up to the review, each with one flip; what is tapped at once, or after another tap."""
    for question in definition.questions:
        if hesitating and question.tapped:
            enter(page, question, [other_than(truth) for truth in truths])
        enter(page, question, truths, "[data-flip]")
        look(page, f"flip {question.number:02}")


def other_than(truth: Truth) -> Truth:
    """Return another tap than this one; whatever else it is, the same."""
    return Tapped(CODES[truth.report == CODES[0]]) if isinstance(truth, Tapped) else truth


def leave_all_out(page: Page, definition: Definition, truths: Sequence[Truth], look: Look) -> None:
    """Choose an answer to each question and then leave the question out all the same."""
    for question in definition.questions:
        enter(page, question, truths, "[data-leave-out]")
        look(page, f"after {question.number:02}")


def enter(page: Page, question: AskedQuestion, truths: Sequence[Truth], *then: str) -> None:
    """Put true answers, or taps, into the controls of the step that is shown, and press what comes then."""
    pressed = []
    for item in question.items:
        truth = truths[item.number]
        if question.answers.one_true:
            pressed += [f"[data-option='{item.option}']"] if truth else []
        elif isinstance(truth, Fraction):
            page.locator(f"#number-{item.key}").fill(readable(truth))
        elif isinstance(truth, Tapped):
            pressed.append(answer_to(item, truth.report))
        else:
            pressed.append(answer_to(item, truth))
    page.evaluate(_PRESS, [*pressed, *then])


def answer_to(item: Item, code: int | str | None) -> str:
    """Select the answer with this code on the step that is shown."""
    group = f"[aria-labelledby=option-{item.key}] " if item.option else ""
    return f"{group}[aria-checked][value='{code}']"


def fill_in(page: Page, definition: Definition, truths: Sequence[Truth]) -> None:
    """Put true answers into the plain form of the server."""
    page.evaluate(_TICK, server_fields(definition, truths))


def server_fields(definition: Definition, truths: Sequence[Truth]) -> dict[str, str]:
    """Return the fields in which the plain form of the server sends true answers."""
    fields = {}
    for item in definition.items:
        truth = truths[item.number]
        if item.answers.one_true:
            place = item.number - definition.questions[item.question_number - 1].first.number
            fields |= {f"answer-{item.question_number}": CODES[place]} if truth else {}
        elif isinstance(truth, Fraction):
            fields[f"answer-{item.key}"] = readable(truth)
        elif item.range and not isinstance(truth, Tapped):
            fields[f"leave-{item.question_number}"] = "1"
        else:
            fields[f"answer-{item.key}"] = truth.report if isinstance(truth, Tapped) else CODES[truth or 0]
    return fields


def tap(page: Page, definition: Definition, reports: str, *, hesitating: bool = False) -> dict[str, str]:
    """Tap these reports in the plain form for real coins, after others or at once; return what this should send."""
    if hesitating:
        tap(page, definition, "".join("0" if report != "0" else "1" for report in reports))
    fields = {}
    for item in definition.items:
        report = reports[item.number]
        name, value = f"item-{item.key}", report
        if report == LEFT_OUT and item.answers.by_option:
            name, value = f"leave-{item.question_number}", "1"
        fields[name] = value
    page.evaluate(_TICK, fields)
    return fields
