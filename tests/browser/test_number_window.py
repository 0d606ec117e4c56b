"""A number through a window on a phone: reported there, told as made by chance, and readable for everybody."""

import os

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect

from surveys.common.selectors import definition_of
from surveys.models import Response, Survey
from tests.browser.audit import Looks, Setting, faults
from tests.browser.conftest import SignedIn
from tests.browser.walk import begin, fix_draws, flip, seen, write
from tests.factories import fill, make_draft, make_open, number_window

SETTINGS = (Setting(390), Setting(390, dark=True), Setting(1280), Setting(1280, dark=True))


def _survey(owner: User | None = None) -> Survey:
    return make_open(number_window(), owner=owner, server_mode_allowed=True)


def _look(page: Page, name: str) -> None:
    if folder := os.environ.get("LOOK"):
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)


def test_what_leaves_the_phone_is_a_code_and_every_step_says_that_chance_made_it(page: Page, looks: Looks) -> None:
    survey = _survey()
    found: dict[str, list[str]] = {}

    def audit(step: str) -> None:
        for setting, rules in looks.at(page, SETTINGS):
            _look(page, f"{step}-{setting}".replace(" ", "-"))
            if complaints := faults(page, rules):
                found[f"{step} {setting}"] = complaints

    page.goto(f"/s/{survey.code}/own-coin/")
    audit("own-coin")
    page.goto(f"/s/{survey.code}/server/")
    audit("server")
    # 7.5 of 0 to 12 is the sixth of nine values. Every draw is 0: the first report that it can have.
    fix_draws(page, 0)
    page.goto(f"/s/{survey.code}/")
    audit("promise")
    begin(page, survey)
    audit("question")
    write(page, "7.5")
    flip(page)
    column = definition_of(survey).items[0].design.columns[5]
    report = next(code for code, weight in enumerate(column) if weight)
    label = definition_of(survey).items[0].sent_labels[report]
    expect(page.locator("#review")).to_contain_text(label)
    expect(page.locator("#payload")).to_contain_text(f"reports: {report}")
    audit("review")
    assert "7.5" not in page.locator("#payload").text_content()  # type: ignore[operator]
    seen(page, f"Send {label}").click()
    page.wait_for_url("**/receipt/")
    page.get_by_text("This is what arrived").click()
    expect(page.get_by_text(label)).to_be_visible()
    audit("receipt")
    assert list(Response.objects.values_list("reports", flat=True)) == [str(report)]
    assert found == {}


@pytest.mark.slow
def test_the_instructor_s_pages_are_readable_for_everybody(
    signed_in: SignedIn, teacher: User, every_look: Looks
) -> None:
    survey, draft = _survey(teacher), make_draft(number_window(), owner=teacher)
    fill(survey, {code: 10 + place for place, code in enumerate("0123456789ab")})
    page = signed_in(reduced_motion="reduce").new_page()
    found = {}
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
            _look(page, f"{address.strip('/').replace('/', '-')}-{setting}".replace(" ", "-"))
            if complaints := faults(page, rules):
                found[f"{address} {setting}"] = complaints
    assert found == {}
