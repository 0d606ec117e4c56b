"""A rehearsal in a real browser: chosen, watched, read, left; with a script and without one."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, Route, expect

from surveys.common import totals
from surveys.models import Rehearsal, Survey
from surveys.rehearsing import services
from tests.browser.audit import Looks, Setting, complaints_of
from tests.browser.conftest import SignedIn
from tests.factories import PROTECTED, make_draft, number_mean, one_of, scale, several_of, yes_no

SETTINGS = (Setting(1280), Setting(1280, dark=True), Setting(320), Setting(390))


def _button(page: Page, name: str) -> None:
    page.get_by_role("button", name=name).click()


def test_a_rehearsal_is_chosen_watched_read_and_left(
    signed_in: SignedIn, teacher: User, site: str, monkeypatch: pytest.MonkeyPatch, looks: Looks
) -> None:
    # Two hundred people a step: the page has something to show.
    monkeypatch.setattr(services, "STEP_SECONDS", 0)
    kinds = (yes_no(), one_of(), several_of(), scale(), number_mean(**PROTECTED))
    survey = make_draft(*kinds, owner=teacher)
    page = signed_in().new_page()
    complaints = complaints_of(page)
    page.goto(reverse("survey-rehearse", args=[survey.code]))
    expect(page.get_by_role("button", name="Start rehearsal")).to_be_in_viewport(ratio=1)
    assert looks.faults(page, SETTINGS) == []
    # Enter starts; it does not fill anything in. What is wrong unfolds the answers.
    page.get_by_label("Simulated respondents").fill("9")
    page.get_by_label("Simulated respondents").press("Enter")
    expect(page.locator("#problems")).to_contain_text("10")
    page.get_by_label("Simulated respondents").fill("1400")
    page.get_by_role("group", name="Question 2").get_by_role("button", name="Equal shares").click()
    expect(page.get_by_role("group", name="Question 2").get_by_label("Never")).to_have_value("")
    expect(page.get_by_label("Simulated respondents")).to_have_value("1400")

    seen: list[str] = []
    page.expose_function("told", lambda value: seen.append(value))  # noqa: PLW0108 - a built-in method is not taken
    page.add_init_script(
        "addEventListener('DOMContentLoaded', () => { const bar = document.getElementById('progress');"
        " if (bar) new MutationObserver(() => told(String(bar.value))).observe(bar, { attributes: true }); });"
    )
    page.get_by_role("button", name="Start rehearsal").first.click()
    expect(page.locator("#holding")).to_be_visible()
    steps = [int(value) for value in seen]
    assert steps == sorted(steps)
    assert len({*steps} & {*range(400, 1401, 200)}) >= 3
    expect(page.locator("svg.pin")).to_have_count(15)
    assert looks.faults(page, SETTINGS) == []

    page.locator("main a.button[href$='/results/']").click()
    banner = page.get_by_role("region", name="Rehearsal")
    expect(banner).to_contain_text("1,400")
    assert looks.faults(page, SETTINGS) == []
    page.get_by_role("link", name="More", exact=True).click()
    page.get_by_role("link", name="Methods").click()
    expect(banner).to_be_visible()
    results = page.url
    _button(page, "Discard rehearsal")
    expect(page).to_have_url(f"{site}{reverse('survey-detail', args=[survey.code])}")
    assert [text for text in complaints if "422" not in text] == []
    assert Survey.objects.get() == survey
    answer = page.goto(results)
    assert answer is not None
    assert answer.status == 404


@pytest.mark.slow
def test_without_a_script_the_button_goes_on(
    signed_in: SignedIn, teacher: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "STEP_SECONDS", 0)
    survey = make_draft(yes_no(), one_of(), owner=teacher)
    page = signed_in(java_script_enabled=False).new_page()
    page.goto(reverse("survey-rehearse", args=[survey.code]))
    page.get_by_label("Simulated respondents").fill("500")
    page.get_by_role("button", name="Start rehearsal").first.click()
    for words in ("200 of 500", "400 of 500", "500 of 500"):
        expect(page.locator("#progress-words")).to_contain_text(words)
        # Loading the page anew lets nobody in.
        page.reload()
        expect(page.locator("#progress-words")).to_contain_text(words)
        _button(page, "Continue rehearsal")
    expect(page.locator("#holding")).to_be_visible()
    _button(page, "Rehearse again")
    expect(page.locator("#progress-words")).to_contain_text("200 of 500")


def test_where_the_server_does_not_answer_it_waits_for_somebody_to_go_on(
    signed_in: SignedIn, teacher: User, monkeypatch: pytest.MonkeyPatch, looks: Looks
) -> None:
    monkeypatch.setattr(services, "STEP_SECONDS", 0)
    survey = make_draft(owner=teacher)
    page = signed_in().new_page()
    steps = "**" + reverse("survey-rehearse-step", args=[survey.code])

    def refuse(route: Route) -> None:
        route.abort()

    page.route(steps, refuse)
    page.add_init_script("const wait = setTimeout; window.setTimeout = (call, time) => wait(call, time / 100);")
    page.goto(reverse("survey-rehearse", args=[survey.code]))
    page.get_by_label("Simulated respondents").fill("600")
    page.get_by_role("button", name="Start rehearsal").first.click()
    expect(page.locator("#failed")).to_be_visible()
    assert looks.faults(page, SETTINGS) == []
    assert Rehearsal.objects.get().sent == 200
    page.unroute(steps, refuse)
    _button(page, "Continue rehearsal")
    expect(page.locator("#holding")).to_be_visible()
    assert totals.response_count(Rehearsal.objects.get().survey) == 600
