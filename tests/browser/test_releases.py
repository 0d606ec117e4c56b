"""The admin makes and publishes a release in a real browser, meets refusals, and reads the ledger; in every look."""

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest
from playwright.sync_api import ConsoleMessage, Page, expect
from pytest_django.fixtures import Settings

from surveys.models import Mechanism, Release, Survey
from surveys.questionnaire.question import Question
from surveys.releases.mechanisms import PLANS
from tests.browser.audit import Looks, Setting, look_as, violations
from tests.browser.conftest import NewContext
from tests.factories import PASSWORD, make_admin, number_bands, number_mean, numbers_of, one_of, yes_no
from tests.releases.setting import make_release, published_release, ready_survey, spent

STEP_1 = "/admin/surveys/release/add/"
SETTINGS = (Setting(390), Setting(1280, dark=True))
OPTIONS: dict[str, dict[str, Any]] = {
    Mechanism.ONE_COUNT: {"answer": 1},
    Mechanism.TOP: {"how_many": 2},
    Mechanism.QUANTILE: {"share": "1/2"},
    Mechanism.STABLE_MEDIAN: {"bound": "1000"},
    Mechanism.JOINT_TABLE: {"outcome": "2"},
    Mechanism.FIGURES_BY_GROUP: {"outcome": "2"},
    Mechanism.BEST_PREDICTOR: {"outcome": "2"},
}
TOGETHER: dict[str, Callable[[Question, Question, Question], list[Question]]] = {
    Mechanism.MEAN: lambda _bands, mean, _yes: [mean],
    Mechanism.JOINT_TABLE: lambda bands, mean, _yes: [bands, mean],
    Mechanism.FIGURES_BY_GROUP: lambda bands, mean, _yes: [bands, mean],
    Mechanism.BEST_PREDICTOR: lambda bands, mean, yes: [bands, mean, yes],
}


@pytest.fixture
def page(new_context: NewContext) -> Page:
    """A page without animations: a colour on its way to another is none that anybody reads."""
    return new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce").new_page()


@pytest.fixture
def refused_by_policy(page: Page) -> Iterator[list[str]]:
    """Every message of the browser about the content security policy, or of a script that failed."""
    messages: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text:
            messages.append(f"{page.url}: {message.text}")

    page.on("console", note)
    page.on("pageerror", lambda error: messages.append(f"{page.url}: {error}"))
    yield messages
    page.remove_listener("console", note)


def _survey() -> Survey:
    return ready_survey({"00": 61, "11": 39, "12": 40}, yes_no(), one_of(), delta=Fraction(1, 10**6))


def _sign_in(page: Page) -> None:
    admin = make_admin()
    page.goto("/admin/")
    page.get_by_label("Username").fill(admin.username)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()


def _choose_both_questions(page: Page) -> None:
    page.goto(STEP_1)
    page.get_by_label("Survey").select_option(index=1)
    page.get_by_role("button", name="Show questions").click()
    page.get_by_label(yes_no().text).check()
    page.get_by_label(one_of().text).check()
    page.get_by_role("button", name="Next: mechanism and ε").click()
    # Its script hides rows, and what moves under a press is not pressed.
    page.wait_for_load_state()


def _show_the_cost(page: Page, epsilon: str) -> None:
    page.locator(f"[name=mechanism][value={Mechanism.LAPLACE_HISTOGRAM}]").check()
    exact = page.locator("details:has(#id_epsilon)")
    if exact.get_attribute("open") is None:
        exact.locator("> summary").click()
    page.locator("#id_epsilon").fill(epsilon)
    page.get_by_label("Reason:").fill("For the yearly report.")
    page.locator("form:has(#id_epsilon) [type=submit]").last.click()


def _is_fit_to_be_seen(page: Page, refused_by_policy: list[str], looks: Looks) -> None:
    assert refused_by_policy == []
    for setting, rules in looks.at(page, SETTINGS):
        assert (page.url, str(setting), violations(page, rules)) == (page.url, str(setting), [])
        assert page.evaluate("document.documentElement.scrollWidth") <= setting.width
    look_as(page, SETTINGS[0])
    # The audit's own styles are refused as well; what the page does comes before it.
    refused_by_policy.clear()


def test_a_release_of_two_questions_from_step_1_to_its_public_page(
    page: Page, refused_by_policy: list[str], looks: Looks
) -> None:
    survey = _survey()
    _sign_in(page)
    _choose_both_questions(page)
    expect(page.get_by_role("heading", level=1)).to_contain_text("step 2 of 3")
    _is_fit_to_be_seen(page, refused_by_policy, looks)
    _show_the_cost(page, "0.5")
    expect(page.get_by_role("heading", level=1)).to_contain_text("step 3 of 3")
    expect(page.get_by_text("0.25 for this question")).to_have_count(2)
    _is_fit_to_be_seen(page, refused_by_policy, looks)
    page.locator("#id_confirmation").fill("0.05")
    page.get_by_role("button", name="charge ε 0.5").click()
    expect(page.locator("[data-field=confirmation]")).to_contain_text("0.05")
    assert (spent(survey), Release.objects.count()) == (0, 0)
    page.locator("#id_confirmation").fill("0.5")
    page.get_by_role("button", name="charge ε 0.5").click()
    expect(page.get_by_role("button", name="Publish")).to_be_visible()
    assert spent(survey) == 500_000
    _is_fit_to_be_seen(page, refused_by_policy, looks)
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("button", name="Withdraw release (charge stays)")).to_be_visible()
    assert Release.objects.get().published
    page.get_by_role("link", name="Public page").click()
    expect(page).to_have_url(re.compile(f"/r/{Release.objects.get().pk}/$"))
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert refused_by_policy == []


@pytest.mark.slow
def test_a_refused_release_says_why_beside_the_field_and_charges_nothing(
    page: Page, refused_by_policy: list[str], every_look: Looks
) -> None:
    survey = _survey()
    _sign_in(page)
    _choose_both_questions(page)
    _show_the_cost(page, "1.5")
    expect(page.get_by_role("alert")).to_contain_text("Nothing was charged")
    expect(page.locator("[data-field=epsilon]")).to_contain_text("ε = 1 remaining")
    page.get_by_role("alert").get_by_role("link").click()
    expect(page).to_have_url(re.compile("#id_epsilon$"))
    expect(page).to_have_title(re.compile("^Error:"))
    _is_fit_to_be_seen(page, refused_by_policy, every_look)
    assert (spent(survey), Release.objects.count()) == (0, 0)
    assert refused_by_policy == []


@pytest.mark.slow
def test_one_proposes_and_somebody_else_approves(
    page: Page, new_context: NewContext, refused_by_policy: list[str], every_look: Looks, settings: Settings
) -> None:
    settings.RELEASES_NEED_APPROVAL = True
    survey = _survey()
    other = new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce").new_page()
    _sign_in(page)
    _sign_in(other)
    _choose_both_questions(page)
    _show_the_cost(page, "0.5")
    _is_fit_to_be_seen(page, refused_by_policy, every_look)
    page.get_by_role("button", name="Propose this release").click()
    expect(page.get_by_role("button", name="Withdraw proposal")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("Draw once"))).to_have_count(0)
    _is_fit_to_be_seen(page, refused_by_policy, every_look)
    other.goto("/admin/")
    other.get_by_role("link", name="Review proposal").first.click()
    # On a phone what it costs stands before the terms, and these before the button.
    tops = [
        other.locator(place).bounding_box() for place in (".costs", "#what", "form.card", "summary:has-text('Decline')")
    ]
    assert [box["y"] for box in tops if box] == sorted(box["y"] for box in tops if box)
    _is_fit_to_be_seen(other, refused_by_policy, every_look)
    other.locator("summary:has-text('Decline')").click()
    other.get_by_role("button", name="Decline", exact=True).click()
    expect(other.locator(".errorlist")).to_be_visible()
    _is_fit_to_be_seen(other, refused_by_policy, every_look)
    assert (spent(survey), Release.objects.count()) == (0, 0)
    other.locator("#id_confirmation").fill("0.5")
    other.get_by_role("button", name="charge ε 0.5").click()
    expect(other.get_by_role("button", name="Publish")).to_be_visible()
    page.get_by_role("button", name="Withdraw proposal").click()
    expect(page.get_by_role("alert")).to_be_visible()
    _is_fit_to_be_seen(page, refused_by_policy, every_look)
    assert (spent(survey), Release.objects.count()) == (500_000, 1)


@pytest.mark.slow
def test_only_what_the_mechanism_reads_is_shown_and_sent(page: Page, refused_by_policy: list[str]) -> None:
    _survey()
    _sign_in(page)
    _choose_both_questions(page)
    delta, how_many = page.locator("[data-field=delta]"), page.locator("[data-field=how_many]")
    # What is not the usual way is folded away.
    gaussian = f"[name=mechanism][value={Mechanism.GAUSSIAN_HISTOGRAM}]"
    page.locator(f"details:has({gaussian}) > summary").first.click()
    page.locator(gaussian).check()
    expect(delta).to_be_visible()
    expect(how_many).to_be_hidden()
    page.locator("#id_delta").fill("0.000001")
    page.locator(f"[name=mechanism][value={Mechanism.TOP}]").check()
    expect(delta).to_be_hidden()
    expect(how_many).to_be_visible()
    page.locator("#id_how_many").fill("1")
    page.locator("details:has(#id_wanted) > summary").click()
    units = page.locator("#id_unit option:not([hidden])")
    expect(units).to_have_count(2)
    page.locator("#id_wanted").fill("90")
    page.get_by_label("Reason:").fill("For the yearly report.")
    page.locator("form:has(#id_epsilon) [type=submit]").last.click()
    # A δ that was typed for another mechanism would have been refused.
    expect(page.get_by_role("heading", level=1)).to_contain_text("step 3 of 3")
    assert refused_by_policy == []


@pytest.mark.slow
def test_the_picture_follows_the_slider_and_what_is_typed(page: Page, refused_by_policy: list[str]) -> None:
    survey = _survey()
    _sign_in(page)
    _choose_both_questions(page)
    slider, epsilon, cost = page.get_by_label("Privacy cost"), page.locator("#id_epsilon"), page.locator(".costs")
    expect(cost).to_contain_text("0.5 of 1 remaining")
    expect(slider).to_be_visible()
    slider.press("ArrowLeft")
    expect(epsilon).to_have_value("0.4")
    expect(cost).to_contain_text("0.6 of 1 remaining")
    expect(slider).to_have_attribute("aria-valuetext", "ε 0.4")
    before = page.locator(".bars").first.inner_text()
    page.locator("details:has(#id_epsilon) > summary").click()
    epsilon.fill("0.05")
    expect(cost).to_contain_text("0.95 of 1 remaining")
    expect(page.locator(".bars").first).not_to_have_text(before)
    expect(page.get_by_role("heading", level=2).first).to_contain_text("ε 0.05")
    epsilon.fill("2")
    expect(cost).to_contain_text("at most ε 1")
    assert (spent(survey), Release.objects.count()) == (0, 0)
    assert refused_by_policy == []


def test_without_scripts_all_fields_are_there_and_the_steps_work(new_context: NewContext) -> None:
    survey = _survey()
    page = new_context(java_script_enabled=False).new_page()
    _sign_in(page)
    _choose_both_questions(page)
    expect(page.locator("[data-field=delta]")).to_be_visible()
    expect(page.locator("[data-field=how_many]")).to_be_visible()
    _show_the_cost(page, "0.25")
    page.locator("#id_confirmation").fill("0.25")
    page.get_by_role("button", name="Draw once").click()
    expect(page.get_by_role("button", name="Publish")).to_be_visible()
    assert spent(survey) == 250_000


def test_a_draw_confirmed_again_from_the_kept_page_is_named_and_not_charged(page: Page) -> None:
    survey = _survey()
    _sign_in(page)
    _choose_both_questions(page)
    _show_the_cost(page, "0.25")
    page.locator("#id_confirmation").fill("0.25")
    with page.context.expect_page() as opened:
        page.get_by_role("button", name="Draw once").click(modifiers=["Control"])
    expect(opened.value.get_by_role("button", name="Publish")).to_be_visible()
    page.get_by_role("button", name="Draw once").click()
    expect(page.get_by_role("button", name="Draw once")).to_have_count(0)
    expect(page.get_by_text(str(Release.objects.get().pk)).first).to_be_visible()
    assert (spent(survey), Release.objects.count()) == (250_000, 1)


@pytest.mark.slow
def test_the_pages_of_budgets_ledger_and_releases_are_fit_to_be_seen(
    page: Page, refused_by_policy: list[str], every_look: Looks
) -> None:
    survey = _survey()
    make_release(survey, reason="A reason that is long enough to need more than one line on a phone: " * 3)
    _sign_in(page)
    budget = f"budget/{survey.budget.pk}/change/"
    report = f"budget/{survey.budget.pk}/report/"
    of_surveys = ("release/", "release/add/", "budget/", "budget/add/", budget, report, "ledgerentry/", "survey/")
    addresses = [
        "",
        *(f"surveys/{address}" for address in of_surveys),
        "auth/user/",
        "auth/user/add/",
        "auth/group/add/",
    ]
    for address in addresses:
        page.goto(f"/admin/{address}")
        expect(page.locator("#content")).to_be_visible()
        _is_fit_to_be_seen(page, refused_by_policy, every_look)
    page.goto(f"/admin/surveys/{budget}")
    expect(page.locator(".figure [role=img]")).to_be_visible()
    page.locator(".figure summary").click()
    expect(page.get_by_role("row", name="2", exact=False).first).to_be_visible()
    assert refused_by_policy == []


# One of each family is looked at in `make test`: test_release_pages.py.
@pytest.mark.slow
def test_the_public_page_of_every_mechanism_is_fit_to_be_seen(
    page: Page, refused_by_policy: list[str], every_look: Looks
) -> None:
    delta = Fraction(1, 10**6)
    counts = {"000": 150, "111": 100, "210": 50}
    survey = ready_survey(counts, number_bands(), number_mean(), yes_no(), epsilon=10, delta=10 * delta)
    bands, mean, yes = numbers_of(survey)
    for mechanism in Mechanism.values:
        release = published_release(
            survey,
            mechanism=mechanism,
            questions=TOGETHER.get(mechanism, lambda bands, *_others: [bands])(bands, mean, yes),
            delta=delta if PLANS[mechanism].uses_delta and not PLANS[mechanism].needs_no_delta else Fraction(0),
            options=OPTIONS.get(mechanism, {}),
        )
        page.goto(f"/r/{release.pk}/")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert refused_by_policy == []
        assert (mechanism, every_look.faults(page, SETTINGS)) == (mechanism, [])
        refused_by_policy.clear()
