"""The admin's pages of proposals: proposed at step 3, looked at by somebody else, approved, declined or withdrawn."""

import json
import re
from fractions import Fraction

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from surveys.course.services import close_survey, purge_survey
from surveys.models import Membership, Proposal, Release, Survey
from surveys.releases.admin.steps import detail_address
from surveys.releases.forms.confirmation import NOT_SHOWN, show
from surveys.releases.ledger.services import set_budget
from surveys.releases.refusals import ReleaseRefused, Why
from surveys.releases.selectors.doors import index_key
from surveys.releases.services import releasing
from surveys.releases.services.proposals import decided, request_of
from surveys.releases.words.picture import picture_title
from surveys.releases.words.release import accuracy_says
from tests.factories import fill, make_admin, make_user, number_bands
from tests.releases.setting import make_release, ready_survey, spent, staff_with
from tests.releases.steps import (
    LIST,
    REASON,
    STEP_3,
    confirm,
    drawn,
    look,
    nothing_happened,
    refused_with,
    signed_in,
    text_of,
)

pytestmark = pytest.mark.django_db

PROPOSE = f"{LIST}add/propose/"
PROPOSALS = "/admin/surveys/proposal/"


@pytest.fixture(autouse=True)
def two_people(settings: Settings) -> None:
    settings.RELEASES_NEED_APPROVAL = True


@pytest.fixture
def survey() -> Survey:
    return ready_survey(title="Exams")


@pytest.fixture
def other() -> Client:
    """Somebody else on the staff, who may publish releases and no more."""
    client = Client()
    client.force_login(staff_with("change_release", "view_release", username="noor"))
    return client


def _propose(client: Client, survey: Survey, **changes: str) -> Proposal:
    signed = signed_in(look(client, survey, **changes))
    response = client.post(PROPOSE, {"terms": signed}, follow=True)
    proposal = Proposal.objects.latest("pk")
    assert (response.redirect_chain, response.context["proposal"]) == ([(_page(proposal), 302)], proposal)
    return proposal


def _page(proposal: Proposal, what: str = "change") -> str:
    return f"{PROPOSALS}{proposal.pk}/{what}/"


def _is_refused(response: HttpResponse) -> bool:
    """Whether what was sent was refused, for one reason that is named."""
    return len(response.context["problems"]) == 1


def _approve(client: Client, proposal: Proposal, epsilon: str = "0.5") -> HttpResponse:
    signed = signed_in(client.get(_page(proposal)))
    return client.post(_page(proposal, "approve"), {"terms": signed, "confirmation": epsilon}, follow=True)


def test_step_3_proposes_instead_of_drawing(staff: Client, survey: Survey) -> None:
    page = look(staff, survey)
    assert (page.context["step"], page.context["two_people"]) == (3, True)
    assert f'action="{PROPOSE}"' in page.content.decode()
    assert STEP_3 not in page.content.decode()
    assert 'name="confirmation"' not in page.content.decode()
    proposal = _propose(staff, survey)
    assert (proposal.reason, proposal.epsilon, proposal.answered) == (REASON, Fraction(1, 2), [100])
    assert nothing_happened(survey)


def test_without_the_setting_step_3_is_as_it_was(staff: Client, survey: Survey, settings: Settings) -> None:
    settings.RELEASES_NEED_APPROVAL = False
    page = look(staff, survey).content.decode()
    assert f'action="{STEP_3}"' in page
    assert PROPOSE not in page
    assert PROPOSALS not in staff.get("/admin/").content.decode()


@pytest.mark.parametrize("epsilon", ["0.5", "0.4", ""])
def test_terms_that_are_sent_to_the_old_address_draw_nothing(staff: Client, survey: Survey, epsilon: str) -> None:
    signed = signed_in(look(staff, survey))
    for _ in range(2):
        assert refused_with(confirm(staff, signed, epsilon), ReleaseRefused(Why.NEEDS_APPROVAL)) is (epsilon == "0.5")
    assert nothing_happened(survey)


def test_terms_shown_before_the_setting_changed_draw_nothing(staff: Client, survey: Survey, settings: Settings) -> None:
    settings.RELEASES_NEED_APPROVAL = False
    signed = signed_in(look(staff, survey))
    settings.RELEASES_NEED_APPROVAL = True
    assert refused_with(confirm(staff, signed), ReleaseRefused(Why.NEEDS_APPROVAL))
    assert nothing_happened(survey)


def test_sent_twice_it_is_one_proposal(staff: Client, survey: Survey) -> None:
    signed = signed_in(look(staff, survey))
    addresses = {staff.post(PROPOSE, {"terms": signed})["Location"] for _ in range(2)}
    assert addresses == {_page(Proposal.objects.get())}


def test_of_terms_that_cannot_be_nothing_is_proposed(staff: Client, survey: Survey) -> None:
    signed = signed_in(look(staff, survey))
    stranger = Client()
    stranger.force_login(make_admin())
    assert refused_with(staff.post(PROPOSE, {"terms": signed + "x"}), NOT_SHOWN)
    assert stranger.post(PROPOSE, {"terms": signed}).context["problems"]
    assert staff.get(PROPOSE)["Location"] == f"{LIST}add/"
    set_budget(survey=survey, total_epsilon=Fraction(1, 4), reason="Less.", user=make_admin())
    assert refused_with(
        staff.post(PROPOSE, {"terms": signed}), ReleaseRefused(Why.BUDGET_TOO_SMALL, left=Fraction(1, 4))
    )
    assert not Proposal.objects.exists()


def test_somebody_else_sees_error_cost_and_budget_as_they_are_now_and_approves(
    staff: Client, admin: User, other: Client, survey: Survey
) -> None:
    proposal = _propose(staff, survey, epsilon="0.5")
    page = other.get(_page(proposal))
    picture, cost = page.context["picture"], page.context["cost"]
    assert (picture.left, cost.ledger.remaining.epsilon, cost.after.epsilon) == (Fraction(1, 2), 1, Fraction(1, 2))
    [part] = cost.parts
    assert part.plan.accuracy().at_most == 6
    shown = [admin.username, picture_title(picture, proposal.mechanism), accuracy_says(part.plan, 0.95), REASON]
    assert [words for words in shown if words not in text_of(page)] == []
    assert nothing_happened(survey)
    page = _approve(other, proposal)
    release = Release.objects.get()
    assert (drawn(page), page.context["reading"].release) == (True, release)
    assert {admin.username, "noor"} <= set(re.findall(r"\w+", text_of(page)))
    assert spent(survey) == 500_000
    page = other.get(_page(proposal))
    assert (page.context["proposal"].state, page.context["release_address"]) == ("approved", detail_address(release.pk))
    assert release.pk in text_of(page)


def test_the_approver_sees_the_options_of_the_mechanism(staff: Client, other: Client) -> None:
    survey = ready_survey({"0": 60, "2": 60}, number_bands())
    proposal = _propose(staff, survey, mechanism="quantile", share="0.25")
    page = other.get(_page(proposal))
    [part] = page.context["cost"].parts
    assert (part.plan.options, part.plan.loss.epsilon) == ({"share": "1/4"}, Fraction(1, 2))
    assert part.plan.options_words in text_of(page)


def test_another_number_than_the_epsilon_approves_nothing(staff: Client, other: Client, survey: Survey) -> None:
    proposal = _propose(staff, survey)
    for typed in ("0.4", "", "x"):
        response = _approve(other, proposal, typed)
        assert list(response.context["form"].errors) == ["confirmation"]
    assert (Proposal.objects.get().is_open, nothing_happened(survey)) == (True, True)


def test_whoever_proposes_sees_no_button_and_is_refused_all_the_same(
    staff: Client, admin: User, survey: Survey
) -> None:
    proposal = _propose(staff, survey)
    page = staff.get(_page(proposal)).content.decode()
    assert "/approve/" not in page
    assert "/decline/" not in page
    assert "/withdraw/" in page
    # In another tab, with the terms as step 3 signed them for the same person and the same request.
    signed = signed_in(look(staff, survey))
    sent = {"terms": show(request_of(proposal), admin).sign(), "confirmation": "0.5"}
    assert refused_with(staff.post(_page(proposal, "approve"), sent), ReleaseRefused(Why.OWN_PROPOSAL))
    assert _is_refused(staff.post(_page(proposal, "approve"), sent | {"terms": signed}))
    assert refused_with(staff.post(_page(proposal, "decline"), {"reason": "No."}), ReleaseRefused(Why.OWN_PROPOSAL))
    assert (Proposal.objects.get().is_open, nothing_happened(survey)) == (True, True)


def test_an_approval_sent_twice_or_by_two_is_charged_once(staff: Client, other: Client, survey: Survey) -> None:
    proposal = _propose(staff, survey)
    third = Client()
    third.force_login(make_admin())
    signed = {client: signed_in(client.get(_page(proposal))) for client in (other, third)}
    pages = [
        client.post(_page(proposal, "approve"), {"terms": signed[client], "confirmation": "0.5"}, follow=True)
        for client in (other, other, third)
    ]
    assert drawn(pages[0])
    why = decided(Proposal.objects.get())
    assert [refused_with(page, why) for page in pages[1:]] == [True, True]
    assert (Release.objects.count(), spent(survey)) == (1, 500_000)


def test_terms_signed_for_one_proposal_approve_no_other(staff: Client, other: Client) -> None:
    one, two = (_propose(staff, ready_survey()) for _ in range(2))
    signed = signed_in(other.get(_page(one)))
    assert _is_refused(other.post(_page(two, "approve"), {"terms": signed, "confirmation": "0.5"}))
    assert not Release.objects.exists()


def test_it_is_declined_with_a_reason_that_its_author_reads(staff: Client, other: Client, survey: Survey) -> None:
    proposal = _propose(staff, survey)
    why = "Wait for more answers."
    assert list(other.post(_page(proposal, "decline"), {"reason": ""}).context["declines"].errors) == ["reason"]
    page = other.post(_page(proposal, "decline"), {"reason": why}, follow=True)
    assert page.context["proposal"].state == "declined"
    assert why in text_of(staff.get(_page(proposal)))
    assert nothing_happened(survey)


def test_whoever_proposed_withdraws_it_and_nobody_else(staff: Client, other: Client, survey: Survey) -> None:
    proposal = _propose(staff, survey)
    assert refused_with(other.post(_page(proposal, "withdraw")), ReleaseRefused(Why.MAY_NOT_DECIDE))
    staff.post(_page(proposal, "withdraw"))
    assert "/approve/" not in other.get(_page(proposal)).content.decode()
    assert (Proposal.objects.get().state, nothing_happened(survey)) == ("withdrawn", True)


def test_terms_that_are_no_longer_possible_are_refused_before_and_after(
    staff: Client, other: Client, survey: Survey
) -> None:
    proposal = _propose(staff, survey)
    signed = signed_in(other.get(_page(proposal)))
    fill(survey, {"0": 5})
    page = other.get(_page(proposal))
    why = ReleaseRefused(Why.ANSWERS_HAVE_CHANGED, question=survey.questions[0].text, then=100, now=105)
    assert (page.context["problem"], str(why) in text_of(page)) == (str(why), True)
    assert "/approve/" not in page.content.decode()
    assert "/decline/" in page.content.decode()
    assert refused_with(other.post(_page(proposal, "approve"), {"terms": signed, "confirmation": "0.5"}), why)
    purge_survey(survey=close_survey(survey=survey))
    assert other.get(_page(proposal)).context["problem"] == str(ReleaseRefused(Why.PURGED))
    assert nothing_happened(survey)


def test_the_budget_is_the_one_that_was_shown(staff: Client, other: Client) -> None:
    survey = ready_survey(epsilon=4)
    one, two = _propose(staff, survey), _propose(staff, survey)
    signed = signed_in(other.get(_page(two)))
    _approve(other, one)
    page = other.post(_page(two, "approve"), {"terms": signed, "confirmation": "0.5"})
    assert refused_with(page, ReleaseRefused(Why.LEDGER_HAS_GONE_ON))
    assert drawn(_approve(other, two))


def test_the_first_page_says_what_waits_for_whom(staff: Client, admin: User, other: Client, survey: Survey) -> None:
    proposal = _propose(staff, survey)
    page = other.get("/admin/")
    [waiting] = page.context["todos"]
    assert (waiting.survey, waiting.address) == (survey, _page(proposal))
    assert [words for words in (admin.username, "0.5") if words not in waiting.what] == []
    assert waiting.what in text_of(page)
    assert _page(proposal) in page.content.decode()
    assert _page(proposal) not in staff.get("/admin/").content.decode()
    _approve(other, proposal)
    assert _page(proposal) not in other.get("/admin/").content.decode()


def test_owners_propose_and_find_their_own_surveys_proposals_only(client: Client, other: Client) -> None:
    survey, foreign = ready_survey(title="My own"), ready_survey(title="Of others")
    client.force_login(survey.owner)
    proposal = _propose(client, survey)
    admin = make_admin()
    staff = Client()
    staff.force_login(admin)
    hidden = _propose(staff, foreign)
    text = text_of(client.get(PROPOSALS))
    assert "My own" in text
    assert "Of others" not in text
    assert client.get(_page(hidden)).status_code == 404
    for what in ("approve", "decline"):
        assert client.post(_page(hidden, what)).status_code == 403
    assert client.post(_page(hidden, "withdraw")).status_code == 404
    assert drawn(_approve(other, proposal))


def test_who_may_propose_but_not_look_at_releases_sees_their_own_proposals_and_no_release(
    staff: Client, other: Client, client: Client
) -> None:
    survey = ready_survey(epsilon=4)
    foreign = _propose(staff, survey)
    makes = Client()
    makes.force_login(staff_with("add_release"))
    proposal = _propose(makes, survey)
    _approve(other, proposal)
    release = Release.objects.get()
    assert makes.get(_page(foreign)).status_code == 404
    page = makes.get(_page(proposal))
    assert page.context["proposal"].state == "approved"
    assert release.pk not in page.content.decode()
    assert release.pk in other.get(_page(proposal)).content.decode()
    assert text_of(makes.get(PROPOSALS)).count("1 proposal") == 1


def test_a_releaser_whose_role_is_gone_finds_no_proposal_of_the_survey(client: Client, survey: Survey) -> None:
    user = make_user()
    rows = [Membership.objects.create(survey=each, user=user, role="releaser") for each in (survey, ready_survey())]
    client.force_login(user)
    proposal = _propose(client, survey)
    rows[0].delete()
    assert client.get(_page(proposal)).status_code == 404
    assert client.post(_page(proposal, "withdraw")).status_code == 404


def test_a_published_release_says_that_two_people_agreed_only_where_they_did(
    staff: Client, other: Client, settings: Settings, client: Client
) -> None:
    survey = ready_survey(epsilon=4)
    _approve(other, _propose(staff, survey))
    settings.RELEASES_NEED_APPROVAL = False
    alone = make_release(survey)
    both = Release.objects.get(proposal__isnull=False)
    for release in (both, alone):
        releasing.publish(release=release, user=release.created_by)
    listed = json.loads(client.get(reverse("release-index-json", args=[index_key(survey)])).content)["releases"]
    agreed = {entry["id"]: entry.get("two_people_agreed") for entry in listed}
    assert agreed == {both.pk: True, alone.pk: None}
    for release in (both, alone):
        page = client.get(reverse("release", args=[release.pk])).content.decode()
        assert ('data-says="two-people"' in page) is (release == both)
        for user in User.objects.all():
            assert not re.search(rf"\b{user.username}\b", page)
