"""The way on a device: promise, practice, every question in each of its states, review, sending, receipt."""

from collections.abc import Iterator

from playwright.sync_api import Page

from surveys.questionnaire.question import Question
from tests.browser.tour import (
    DOOR,
    Tour,
    choose_something,
    press_send,
    to_the_first_question,
    to_the_review,
)
from tests.factories import PROTECTED, crosswise, number_mean, several_of, triangular, yes_no


def promise(tour: Tour, page: Page) -> Iterator[str]:
    page.goto(f"/s/{tour.full_survey(server_mode_allowed=True).code}/")
    yield "promise"
    page.locator("#promise summary").click()
    yield "promise, privacy facts"
    page.locator("#begin").click()
    page.locator("#consent [href='#declined']").click()
    yield "consent, declined"
    page.goto(f"/s/{tour.survey(yes_no()).code}/")
    yield "promise of one question"
    page.goto(f"/s/{tour.survey(yes_no(parameters={'truth': [1, 2], 'yes': [1, 1]}, accepts_infinite=True)).code}/")
    yield "promise where a report proves"


def practice(tour: Tour, page: Page) -> Iterator[str]:
    page.goto(f"/s/{tour.survey(yes_no(), triangular()).code}/")
    page.locator("#practise").click()
    yield "practice"
    page.locator("[data-flip]:visible").click()
    yield "practice, nothing chosen"
    choose_something(page)
    yield "practice, chosen"
    page.locator("[data-flip]:visible").click()
    yield "practice, flipped"
    page.locator("[data-next]:visible").click()
    yield "checks"
    for value in ("yes", "no"):
        for check in page.locator(f"[data-check] [value={value}]").all():
            check.check()
        yield f"checks, both {value}"


def practice_in_the_head(tour: Tour, page: Page) -> Iterator[str]:
    page.goto(f"/s/{tour.survey(crosswise()).code}/")
    yield "promise, all in the head"
    page.locator("#practise").click()
    yield "practice in the head"
    choose_something(page)
    yield "practice in the head, chosen"
    page.locator("[data-next]:visible").click()
    yield "checks in the head"


def _states(page: Page, question: Question, name: str) -> Iterator[str]:
    while page.locator("[data-lead]:visible").count():
        yield f"{name}, {page.locator('[data-lead]:visible h1').inner_text()}"
        page.locator("[data-next]:visible").click()
    yield name
    page.locator("[data-flip]:visible").click()
    yield f"{name}, nothing chosen"
    if question.kind == "number_mean":
        page.locator("[data-limits]:visible").fill("13")
        page.locator("[data-flip]:visible").click()
        yield f"{name}, wrong number"
    if page.locator("[data-instead]:visible").count():
        page.locator("[data-instead]:visible").check()
        yield f"{name}, rather not"
        page.locator("[data-instead]:visible").uncheck()
    choose_something(page)
    for summary in page.locator("summary:visible").all():
        summary.click()
    yield f"{name}, chosen"
    page.locator("[data-flip]:visible").click()
    yield f"{name}, flipped"


def questions(tour: Tour, page: Page) -> Iterator[str]:
    survey = tour.full_survey()
    to_the_first_question(page, survey)
    alike: set[tuple[str, bool]] = set()
    for number, question in enumerate(survey.questions, start=1):
        name = f"question {number}, {question.kind} {question.design} {question.leave_out}"
        controls = question.kind, "innocuous" in question.details
        if tour.in_full or controls not in alike:
            yield from _states(page, question, name)
        else:
            choose_something(page)
            yield f"{name}, chosen"
            page.locator("[data-flip]:visible").click()
        alike.add(controls)
    page.go_back()
    yield "question answered, seen again"
    page.go_forward()
    yield "review"
    page.locator("#review summary").click()
    yield "review, letter for letter"
    press_send(page)
    page.wait_for_url("**/receipt/")
    yield "receipt"
    for summary in page.locator("summary").all():
        summary.click()
    yield "receipt, what arrived and how to leave no trace"
    page.goto(f"/s/{survey.code}/")
    yield "promise after answering"


def left_out(tour: Tour, page: Page) -> Iterator[str]:
    to_the_first_question(page, tour.survey(yes_no(), several_of(), number_mean(), crosswise()))
    while page.locator("[data-leave-out]:visible").count():
        page.locator("[data-leave-out]:visible").click()
    yield "review, all left out"
    page.go_back()
    yield "question left out, seen again"
    page.go_forward()
    press_send(page)
    page.wait_for_url("**/receipt/")
    yield "receipt, all left out"


def network(tour: Tour, page: Page) -> Iterator[str]:
    to_the_review(page, tour.survey(yes_no(), several_of(**PROTECTED)))
    page.context.set_offline(True)
    press_send(page)
    yield "offline"
    page.locator("#stop").click()
    yield "stopped"
    page.context.set_offline(False)
    page.route(DOOR, lambda route: route.abort())
    press_send(page)
    page.locator("#waiting").wait_for()
    yield "not sent"
    page.unroute(DOOR)
    page.route(DOOR, lambda _route: None)  # never answered
    press_send(page)
    yield "sending"


def second_tab(tour: Tour, page: Page) -> Iterator[str]:
    survey = tour.survey(yes_no(leave_out="visibly"))
    to_the_first_question(page, survey)
    page.locator("[data-leave-out]:visible").click()
    first = page.context.new_page()
    to_the_review(first, survey)
    press_send(first)
    first.wait_for_url("**/receipt/")
    first.close()
    press_send(page)
    page.locator("#to-receipt").wait_for()
    yield "refused, another answer came first"
    page.locator("#to-receipt").click()
    page.wait_for_url("**/receipt/")
    page.reload()
    yield "receipt, no longer shown"


SCENES = (promise, practice, practice_in_the_head, questions, left_out, network, second_tab)
