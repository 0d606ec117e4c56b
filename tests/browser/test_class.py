"""The whole job: a class of thirty answers in a browser, its instructor reads the results, an admin publishes one."""

import re
import secrets
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Page, Request, expect

from surveys.common.totals import response_count
from surveys.models import Release, Survey
from surveys.responses.selectors.tally import tally_of
from tests import factories
from tests.browser.conftest import NewContext
from tests.browser.walk import answer, begin, send
from tests.factories import PASSWORD, make_admin, make_user

CLASS = 30
DESKTOP = {"width": 1280, "height": 800}
QUESTION = "Have you ever copied in an exam?"


def _write_and_open_a_survey(page: Page) -> Survey:
    page.goto("/surveys/new/blank/")
    page.locator("#id_username").fill("instructor")
    page.locator("#id_password").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    page.get_by_label("Title").fill("Exams, honestly")
    page.locator("#questions [name$=-text]").first.fill(QUESTION)
    page.get_by_role("button", name="Save the draft").click()
    page.wait_for_url(re.compile(r"/surveys/[A-Z0-9]{6}/$"))
    page.get_by_role("link", name="Open survey…").click()
    page.get_by_role("button", name="Freeze and open survey").click()
    page.wait_for_url(re.compile(r"/surveys/[A-Z0-9]{6}/(?!open)"))
    return Survey.objects.get(title="Exams, honestly")


def _answer_as_a_class(
    new_context: NewContext, survey: Survey, desk: Page, phones: int
) -> tuple[list[dict[str, list[str]]], list[str]]:
    """Let so many students answer on phones of their own; return every form that left one, and what the others sent."""
    sent: list[dict[str, list[str]]] = []
    others: list[str] = []

    def keep(request: Request) -> None:
        if request.method == "POST":
            sent.append(parse_qs(request.post_data or "", strict_parsing=True))

    for student in range(CLASS):
        if student == CLASS // 2:
            desk.goto(f"/surveys/{survey.code}/results/")
        if student >= phones:
            others.append(secrets.choice("01"))
            factories.send(survey, others[-1])
            continue
        context = new_context()
        phone = context.new_page()
        phone.on("request", keep)
        begin(phone, survey)
        answer(phone, secrets.choice(("Yes", "No")))
        send(phone)
        expect(phone.get_by_role("main")).to_contain_text(QUESTION)
        context.close()
    return sent, others


def _ask_for_release(page: Page, survey: Survey, mechanism: str, epsilon: str) -> None:
    page.goto(f"/admin/surveys/release/add/?survey={survey.pk}")
    page.get_by_label(QUESTION).check()
    page.get_by_role("button", name="Next: mechanism and ε").click()
    # Its script hides rows, and what moves under a press is not pressed.
    page.wait_for_load_state()
    page.locator(f"[name=mechanism][value={mechanism}]").check()
    page.locator("details:has(#id_epsilon) > summary").click()
    page.locator("#id_epsilon").fill(epsilon)
    page.locator("#id_reason").fill("To show the class what it said.")
    page.get_by_role("button", name="Show cost and error").click()


def _set_a_budget(page: Page, survey: Survey) -> None:
    page.goto("/admin/surveys/budget/add/")
    page.locator("#id_username").fill("admin")
    page.locator("#id_password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.locator("#id_survey").select_option(str(survey.pk))
    page.locator("#id_total_epsilon").fill("1")
    page.locator("#id_reason").fill("As much as the class agreed to.")
    page.get_by_role("button", name="Save", exact=True).click()


@pytest.mark.parametrize("phones", [2, pytest.param(CLASS, marks=pytest.mark.slow)])
def test_a_class_answers_its_instructor_reads_and_an_admin_publishes(new_context: NewContext, phones: int) -> None:
    make_user("instructor")
    make_admin("admin")
    desk = new_context(viewport=DESKTOP).new_page()
    survey = _write_and_open_a_survey(desk)
    assert survey.state == "open"

    # What left the phones: one report a student, and nothing that could hold a truth.
    sent, others = _answer_as_a_class(new_context, survey, desk, phones)
    assert len(sent) == phones
    assert response_count(survey) == CLASS
    assert {tuple(sorted(fields)) for fields in sent} == {("mode", "nonce", "reports")}
    assert {fields["mode"][0] for fields in sent} == {"device"}
    assert {fields["reports"][0] for fields in sent} <= {"0", "1"}
    tally = tally_of(survey, items=1)
    yes = int(tally.counts[tally.patterns[:, 0] == 1].sum())
    assert yes == [*others, *(fields["reports"][0] for fields in sent)].count("1")

    # The open page finds new answers by itself, in batches: at least ten wait, and fewer than twenty.
    factories.settle(survey)
    in_figures = re.compile(rf"\b(1[1-9]|20) of {CLASS} people counted")
    expect(desk.locator("#figures")).to_contain_text(in_figures)

    # Once closed it counts them all, and takes out the three of twenty that chance alone makes say Yes.
    desk.goto(f"/surveys/{survey.code}/")
    desk.get_by_role("link", name="Close survey…").click()
    desk.get_by_role("button", name="Close survey").click()
    desk.wait_for_url(re.compile(r"/surveys/[A-Z0-9]{6}/(?!close)"))
    desk.goto(f"/surveys/{survey.code}/results/")
    expect(desk.locator("#figures [data-n]")).to_have_attribute("data-n", str(CLASS))
    estimate = min(max((yes / CLASS - 0.15) / 0.7, 0), 1)
    expect(desk.locator("#figures")).to_contain_text(f"{100 * estimate:.1f}%")

    admin = new_context(viewport=DESKTOP).new_page()
    _set_a_budget(admin, survey)
    for mechanism, epsilon in (("laplace_histogram", "0.5"), ("most_common", "0.25")):
        _ask_for_release(admin, survey, mechanism, epsilon)
        assert Release.objects.filter(mechanism=mechanism).count() == 0
        admin.locator("#id_confirmation").fill(epsilon)
        admin.get_by_role("button", name=f"charge ε {epsilon}").click()
        admin.get_by_role("button", name="Publish").click()
        admin.get_by_role("button", name="Withdraw release").wait_for()
    releases = list(Release.objects.order_by("created_at"))
    assert [(release.micro_epsilon, release.published) for release in releases] == [(500_000, True), (250_000, True)]
    survey.budget.refresh_from_db()
    assert survey.budget.spent_micro_epsilon == 750_000

    # A quarter is left, so three tenths are refused by name and nothing is charged.
    _ask_for_release(admin, survey, "laplace_histogram", "0.3")
    expect(admin.locator("#content .errorlist").first).to_contain_text("ε = 0.25 remaining")
    assert Release.objects.count() == 2

    reader = new_context().new_page()
    for release in releases:
        reader.goto(f"/r/{release.pk}/")
        expect(reader.get_by_role("main")).to_contain_text(QUESTION)
        assert reader.request.get(f"/r/{release.pk}.json").json()["parts"][0]["n"] == CLASS
