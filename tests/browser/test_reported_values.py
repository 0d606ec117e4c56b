"""A number whose report stands for a value: made on the phone or tapped, told as what it is, readable for everybody."""

import os
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect

from surveys.common.selectors import definition_of
from surveys.course.services import record_exact_figures
from surveys.models import Response, Survey
from surveys.questionnaire.question import Question
from surveys.questionnaire.reports import CODES
from tests.browser.audit import Looks, Setting, faults
from tests.browser.conftest import SignedIn
from tests.browser.walk import begin, choose, fix_draws, flip, seen, take, to_taps, write
from tests.factories import fill, make_draft, make_open, number_window, scrambled_number, unrelated_number

SETTINGS = (Setting(390), Setting(390, dark=True), Setting(1280), Setting(1280, dark=True))


Make = Callable[[], Question]


def _survey(make: Make, owner: User | None = None) -> Survey:
    return make_open(make(), owner=owner, server_mode_allowed=True)


def _look(page: Page, name: str) -> None:
    if folder := os.environ.get("LOOK"):
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)


def _auditor(page: Page, looks: Looks, make: Make, wrong: dict[str, list[str]]) -> Callable[[str], None]:
    def audit(step: str) -> None:
        for setting, rules in looks.at(page, SETTINGS):
            _look(page, f"{make.__name__}-{step}-{setting}".replace(" ", "-"))
            if complaints := faults(page, rules):
                wrong[f"{step} {setting}"] = complaints

    return audit


@pytest.mark.parametrize("make", [number_window, scrambled_number])
def test_what_leaves_the_phone_is_a_code_and_every_step_says_that_chance_made_it(
    page: Page, looks: Looks, make: Make
) -> None:
    survey = _survey(make)
    wrong: dict[str, list[str]] = {}
    audit = _auditor(page, looks, make, wrong)
    page.goto(f"/s/{survey.code}/own-coin/")
    audit("own-coin")
    page.goto(f"/s/{survey.code}/server/")
    audit("server")
    # Every draw is 0: a number is rounded upwards, to its own value of the grid, and sends the first report of that.
    fix_draws(page, 0)
    page.goto(f"/s/{survey.code}/")
    audit("promise")
    begin(page, survey)
    audit("question")
    write(page, "9")
    flip(page)
    item = definition_of(survey).items[0]
    report = next(code for code, weight in enumerate(item.design.columns[item.labels.index("9 hours")]) if weight)
    label = item.sent_labels[report]
    expect(page.locator("#review")).to_contain_text(label)
    expect(page.locator("#payload")).to_contain_text(f"reports: {report}")
    audit("review")
    assert "9 hours" not in page.locator("#payload").text_content()  # type: ignore[operator]
    seen(page, f"Send {label}").click()
    page.wait_for_url("**/receipt/")
    page.locator("details:has(.reports) > summary").click()
    expect(page.get_by_text(label)).to_be_visible()
    audit("receipt")
    assert list(Response.objects.values_list("reports", flat=True)) == [str(report)]
    assert wrong == {}


def test_what_is_tapped_of_two_numbers_is_all_that_leaves_the_phone(page: Page, looks: Looks) -> None:
    survey = _survey(unrelated_number)
    wrong: dict[str, list[str]] = {}
    audit = _auditor(page, looks, unrelated_number, wrong)
    page.goto(f"/s/{survey.code}/own-coin/")
    audit("own-coin")
    page.goto(f"/s/{survey.code}/server/")
    audit("server")
    page.goto(f"/s/{survey.code}/")
    audit("promise")
    begin(page, survey)
    audit("fact")
    to_taps(page)
    audit("question")
    # Neither number is asked for by itself: nothing on the page could hold the true one beside the one that is told.
    assert page.locator("main input:visible").count() == 0
    choose(page, "7")
    take(page)
    expect(page.locator("#payload")).to_contain_text("reports: 7")
    audit("review")
    seen(page, "Send 7").click()
    page.wait_for_url("**/receipt/")
    audit("receipt")
    assert list(Response.objects.values_list("mode", "reports")) == [("device", "7")]
    assert wrong == {}


@pytest.mark.slow
@pytest.mark.parametrize("make", [number_window, scrambled_number, unrelated_number])
def test_the_instructor_s_pages_are_readable_for_everybody(
    signed_in: SignedIn, teacher: User, every_look: Looks, make: Make
) -> None:
    survey, draft = _survey(make, teacher), make_draft(make(), owner=teacher)
    fill(survey, {CODES[code]: 10 + code for code in range(definition_of(survey).items[0].design.m)})
    record_exact_figures(survey=survey)
    page = signed_in(reduced_motion="reduce").new_page()
    wrong = {}
    addresses = [
        reverse("survey-edit", args=[draft.code]),
        reverse("survey-results", args=[survey.code]),
        reverse("survey-results-question", args=[survey.code, 1]),
        *(
            reverse(f"survey-{name}", args=[survey.code])
            for name in ("results-plan", "results-methods", "results-bayes", "export-codebook", "present", "detail")
        ),
    ]
    for address in addresses:
        page.goto(address)
        for details in page.locator("details").all():
            details.evaluate("element => { element.open = true; }")
        for setting, rules in every_look.at(page, SETTINGS):
            place = address.replace(survey.code, "").replace(draft.code, "").replace("/", "-")
            _look(page, f"{make.__name__}{place}{setting}".replace(" ", "-"))
            if complaints := faults(page, rules):
                wrong[f"{address} {setting}"] = complaints
    assert wrong == {}
