"""Roles in a real browser: asked, accepted, refused, changed; every page readable for everybody."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from playwright.sync_api import ConsoleMessage, Page, expect

from surveys.models import Membership, Survey
from surveys.people.services import invite_person, offer_survey
from tests.browser.audit import Looks, Setting
from tests.browser.conftest import NewContext
from tests.factories import make_draft, make_user

SETTINGS = (Setting(390), Setting(320), Setting(390, dark=True), Setting(1280, forced=True))


@pytest.fixture
def survey(site: str) -> Survey:
    return make_draft(owner=make_user("olga"), title="Averylongtitlewithoutanyspaces" * 5)


def _page(new_context: NewContext, user: User, site: str, complaints: list[str]) -> Page:
    client = Client()
    client.force_login(user)
    context = new_context()
    context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": site}])
    page = context.new_page()

    def note(message: ConsoleMessage) -> None:
        # That a page is refused is what is looked at here.
        refused = "with a status of 4" in message.text
        if "Content Security Policy" in message.text or (message.type == "error" and not refused):
            complaints.append(message.text)

    page.on("console", note)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return page


# In one direction, tests/browser/test_every_page.py audits them in `make test` too.
@pytest.mark.slow
def test_axe_finds_nothing_on_the_pages_of_people(
    new_context: NewContext, site: str, survey: Survey, every_look: Looks
) -> None:
    complaints: list[str] = []
    bert = make_user("bert_with_a_name_that_does_not_end_before_the_page_does")
    for role in ("editor", "analyst"):
        Membership.objects.create(survey=survey, user=bert, role=role, invited_by=survey.owner)
    make_user("ada")
    invite_person(survey=survey, by=survey.owner, to="ada", roles=["editor", "releaser"])
    invite_person(survey=survey, by=survey.owner, to="a" * 60 + "@example.org", roles=["analyst"])
    offer_survey(survey=survey, by=survey.owner, to=bert, stays=True)
    owner, member, asked = (
        _page(new_context, User.objects.get(username=name), site, complaints)
        for name in ("olga", bert.get_username(), "ada")
    )
    code = survey.code
    visits = (
        (owner, reverse("survey-people", args=[code])),
        (owner, reverse("survey-transfer", args=[code])),
        (member, reverse("survey-leave", args=[code])),
        (member, reverse("survey-people", args=[code])),
        (member, reverse("invited-as-owner", args=[code])),
        (asked, reverse("invited")),
        (asked, reverse("invited-by-name", args=[code])),
        (asked, reverse("invited-by-link", args=["A" * 32])),
    )
    wrong = {}
    for page, address in visits:
        page.goto(address)
        for details in page.locator("details").all():
            details.evaluate("element => { element.open = true; }")
        wrong[address] = every_look.faults_both_ways(page, SETTINGS)
    # And with something wrong, which the summary leads to.
    owner.goto(reverse("survey-people", args=[code]))
    owner.locator("#id_to").fill("olga")
    owner.get_by_role("group", name="Roles").last.get_by_label("Editor").check()
    owner.get_by_role("button", name="Invite someone").click()
    owner.locator("#problems a").click()
    expect(owner.locator("#id_to")).to_be_focused()
    wrong["refused"] = every_look.faults_both_ways(owner, SETTINGS)
    owner.get_by_role("group", name="Roles").last.get_by_label("Editor").uncheck()
    owner.get_by_role("button", name="Invite someone").click()
    owner.locator("#problems a").click()
    expect(owner.get_by_role("group", name="Roles").last.get_by_label("Editor")).to_be_focused()
    assert {where: problems for where, problems in wrong.items() if problems} == {}
    assert complaints == []


def test_an_owner_asks_by_keyboard_and_the_person_says_yes(new_context: NewContext, site: str, survey: Survey) -> None:
    complaints: list[str] = []
    ada = make_user("ada")
    owner = _page(new_context, survey.owner, site, complaints)
    owner.goto(reverse("survey-people", args=[survey.code]))
    owner.locator("#id_to").focus()
    owner.keyboard.type("ada")
    owner.keyboard.press("Tab")
    owner.keyboard.press("Tab")
    owner.keyboard.press("Space")
    owner.keyboard.press("Enter")
    expect(owner.get_by_role("status").first).to_contain_text("“ada”")
    asked = _page(new_context, ada, site, complaints)
    asked.goto(reverse("survey-list"))
    asked.locator(f"a[href='{reverse('invited-by-name', args=[survey.code])}']").click()
    asked.get_by_role("button", name="Join team").click()
    expect(asked.get_by_role("heading", level=1)).to_have_text(survey.title)
    assert list(Membership.objects.values_list("user", "role")) == [(ada.pk, "analyst")]
    refused = asked.goto(reverse("survey-edit", args=[survey.code]))
    assert refused is not None
    assert refused.status == 403
    owner.reload()
    owner.get_by_text("Change roles or remove member").click()
    owner.get_by_role("button", name="Remove ada").click()
    expect(owner.get_by_role("status").first).to_contain_text("ada")
    assert not Membership.objects.exists()
    answered = asked.goto(reverse("survey-detail", args=[survey.code]))
    assert answered is not None
    assert answered.status == 404
    assert complaints == []
