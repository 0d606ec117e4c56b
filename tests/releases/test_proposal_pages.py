"""The admin's pages of proposals: proposed at step 3, looked at by somebody else, approved, declined or withdrawn."""

import json
import re
from fractions import Fraction

import pytest
from django.contrib.auth.models import Permission, User
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from surveys.course.services import close_survey, purge_survey
from surveys.models import Membership, Proposal, Release, Survey
from surveys.releases.forms.confirmation import shown_proposal
from surveys.releases.ledger.services import set_budget
from surveys.releases.selectors.doors import index_key
from surveys.releases.services import releasing
from tests.factories import fill, make_admin, make_user, number_bands
from tests.releases.setting import make_release, ready_survey, spent
from tests.releases.steps import LIST, STEP_3, confirm, look, nothing_happened, signed_in, text_of

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
    user = make_user("noor", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=["change_release", "view_release"]))
    client = Client()
    client.force_login(user)
    return client


def _propose(client: Client, survey: Survey, **changes: str) -> Proposal:
    signed = signed_in(look(client, survey, **changes))
    response = client.post(PROPOSE, {"terms": signed}, follow=True)
    assert "Proposed. Nothing is drawn or charged until somebody else approves it." in text_of(response)
    return Proposal.objects.latest("pk")


def _page(proposal: Proposal, what: str = "change") -> str:
    return f"{PROPOSALS}{proposal.pk}/{what}/"


def _approve(client: Client, proposal: Proposal, epsilon: str = "0.5") -> HttpResponse:
    signed = signed_in(client.get(_page(proposal)))
    return client.post(_page(proposal, "approve"), {"terms": signed, "confirmation": epsilon}, follow=True)


def test_step_3_proposes_instead_of_drawing(staff: Client, survey: Survey) -> None:
    page = look(staff, survey)
    text = text_of(page)
    assert "step 3 of 3: look at the cost and the error, then propose" in text
    assert "Until then nothing is drawn or charged" in text
    assert f'action="{PROPOSE}"' in page.content.decode()
    assert STEP_3 not in page.content.decode()
    assert 'name="confirmation"' not in page.content.decode()
    proposal = _propose(staff, survey)
    assert (proposal.reason, proposal.epsilon, proposal.answered) == ("For the yearly report.", Fraction(1, 2), [100])
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
        text = text_of(confirm(staff, signed, epsilon))
        assert ("On this site a second person approves each release" in text) is (epsilon == "0.5")
    assert nothing_happened(survey)


def test_terms_shown_before_the_setting_changed_draw_nothing(staff: Client, survey: Survey, settings: Settings) -> None:
    settings.RELEASES_NEED_APPROVAL = False
    signed = signed_in(look(staff, survey))
    settings.RELEASES_NEED_APPROVAL = True
    assert "a second person approves each release" in text_of(confirm(staff, signed))
    assert nothing_happened(survey)


def test_sent_twice_it_is_one_proposal(staff: Client, survey: Survey) -> None:
    signed = signed_in(look(staff, survey))
    addresses = {staff.post(PROPOSE, {"terms": signed})["Location"] for _ in range(2)}
    assert addresses == {_page(Proposal.objects.get())}


def test_what_is_wrong_with_signed_terms_is_said_and_nothing_is_proposed(staff: Client, survey: Survey) -> None:
    signed = signed_in(look(staff, survey))
    stranger = Client()
    stranger.force_login(make_admin())
    assert "Begin again" in text_of(staff.post(PROPOSE, {"terms": signed + "x"}))
    assert "shown to somebody else" in text_of(stranger.post(PROPOSE, {"terms": signed}))
    assert staff.get(PROPOSE)["Location"] == f"{LIST}add/"
    set_budget(survey=survey, total_epsilon=Fraction(1, 4), reason="Less.", user=make_admin())
    assert "ε = 0.25 left" in text_of(staff.post(PROPOSE, {"terms": signed}))
    assert not Proposal.objects.exists()


def test_somebody_else_sees_error_cost_and_budget_as_they_are_now_and_approves(
    staff: Client, admin: User, other: Client, survey: Survey
) -> None:
    proposal = _propose(staff, survey, epsilon="0.5")
    before = text_of(other.get(_page(proposal)))
    assert f"{admin.username} proposes a release" in before
    assert "At ε 0.5 the noise stays smaller than the uncertainty there is" in before
    assert "0.5 of 1 left after it" in before
    assert "ε = 1 left now, ε = 0.5 afterwards" in before
    assert "With 95% certainty the noise moves no count by more than 6" in before
    assert "For the yearly report." in before
    assert "No answer was looked at." in before
    assert nothing_happened(survey)
    text = text_of(_approve(other, proposal))
    release = Release.objects.get()
    assert f"Release {release.pk} is drawn and charged." in text
    assert f"Proposed by {admin.username}," in text
    assert "Approved and made by noor," in text
    assert spent(survey) == 500_000
    after = text_of(other.get(_page(proposal)))
    assert f"{admin.username} proposed this release, and it was approved" in after
    assert release.pk in after


def test_the_approver_sees_what_the_mechanism_is_told(staff: Client, other: Client) -> None:
    survey = ready_survey({"0": 60, "2": 60}, number_bands())
    proposal = _propose(staff, survey, mechanism="quantile", share="0.25")
    text = text_of(other.get(_page(proposal)))
    assert "Told beforehand" in text
    assert "Draw once and charge 0.5" in other.get(_page(proposal)).content.decode()
    assert "What ε 0.5 costs" in text


def test_another_number_than_the_epsilon_approves_nothing(staff: Client, other: Client, survey: Survey) -> None:
    proposal = _propose(staff, survey)
    for typed in ("0.4", "", "x"):
        response = _approve(other, proposal, typed)
        assert "Nothing was charged" in text_of(response)
        assert response.context["form"].errors["confirmation"]
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
    own = shown_proposal(proposal, admin).sign()
    for terms, words in ((own, "somebody else has to approve it"), (signed, "These terms are another proposal’s.")):
        assert words in text_of(staff.post(_page(proposal, "approve"), {"terms": terms, "confirmation": "0.5"}))
    assert "somebody else" in text_of(staff.post(_page(proposal, "decline"), {"reason": "No."}))
    assert (Proposal.objects.get().is_open, nothing_happened(survey)) == (True, True)


def test_an_approval_sent_twice_or_by_two_is_charged_once(staff: Client, other: Client, survey: Survey) -> None:
    proposal = _propose(staff, survey)
    third = Client()
    third.force_login(make_admin())
    signed = {client: signed_in(client.get(_page(proposal))) for client in (other, third)}
    said = [
        text_of(client.post(_page(proposal, "approve"), {"terms": signed[client], "confirmation": "0.5"}, follow=True))
        for client in (other, other, third)
    ]
    assert "is drawn and charged" in said[0]
    for text in said[1:]:
        assert "No release was made" in text
        assert "noor has already approved this proposal" in text
    assert (Release.objects.count(), spent(survey)) == (1, 500_000)


def test_terms_signed_for_one_proposal_approve_no_other(staff: Client, other: Client) -> None:
    one, two = (_propose(staff, ready_survey()) for _ in range(2))
    signed = signed_in(other.get(_page(one)))
    text = text_of(other.post(_page(two, "approve"), {"terms": signed, "confirmation": "0.5"}))
    assert "These terms are another proposal’s." in text
    assert not Release.objects.exists()


def test_it_is_declined_with_a_reason_that_its_author_reads(staff: Client, other: Client, survey: Survey) -> None:
    proposal = _propose(staff, survey)
    assert "Say why" in text_of(other.post(_page(proposal, "decline"), {"reason": ""}))
    text = text_of(other.post(_page(proposal, "decline"), {"reason": "Wait for more answers."}, follow=True))
    assert "Declined. Nothing was drawn or charged." in text
    read = text_of(staff.get(_page(proposal)))
    assert "and it was declined" in read
    assert "Wait for more answers." in read
    assert nothing_happened(survey)


def test_whoever_proposed_withdraws_it_and_nobody_else(staff: Client, other: Client, survey: Survey) -> None:
    proposal = _propose(staff, survey)
    assert "You may not decide on this proposal." in text_of(other.post(_page(proposal, "withdraw")))
    text = text_of(staff.post(_page(proposal, "withdraw"), follow=True))
    assert "Withdrawn. Nothing was drawn or charged." in text
    assert "/approve/" not in other.get(_page(proposal)).content.decode()
    assert (Proposal.objects.get().state, nothing_happened(survey)) == ("withdrawn", True)


def test_terms_that_are_no_longer_possible_are_said_before_and_refused_after(
    staff: Client, other: Client, survey: Survey
) -> None:
    proposal = _propose(staff, survey)
    signed = signed_in(other.get(_page(proposal)))
    fill(survey, {"0": 5})
    page = other.get(_page(proposal))
    words = "when this was proposed, 100 answers were counted, and now 105 are. Propose it again."
    assert words in text_of(page)
    assert "cannot be approved as it stands" in text_of(page)
    assert "/approve/" not in page.content.decode()
    assert "/decline/" in page.content.decode()
    assert words in text_of(other.post(_page(proposal, "approve"), {"terms": signed, "confirmation": "0.5"}))
    purge_survey(survey=close_survey(survey=survey))
    assert "have been deleted" in text_of(other.get(_page(proposal)))
    assert nothing_happened(survey)


def test_the_budget_is_the_one_that_was_shown(staff: Client, other: Client) -> None:
    survey = ready_survey(epsilon=4)
    one, two = _propose(staff, survey), _propose(staff, survey)
    signed = signed_in(other.get(_page(two)))
    _approve(other, one)
    text = text_of(other.post(_page(two, "approve"), {"terms": signed, "confirmation": "0.5"}))
    assert "Since these terms were shown something was charged" in text
    assert "is drawn and charged" in text_of(_approve(other, two))


def test_the_first_page_says_what_waits_for_whom(staff: Client, admin: User, other: Client, survey: Survey) -> None:
    proposal = _propose(staff, survey)
    page = other.get("/admin/")
    assert f"Exams : {admin.username} proposes a release for ε 0.5." in text_of(page)
    assert _page(proposal) in page.content.decode()
    assert "proposes a release" not in text_of(staff.get("/admin/"))
    _approve(other, proposal)
    assert "proposes a release" not in text_of(other.get("/admin/"))


def test_owners_propose_and_find_their_own_surveys_proposals_only(client: Client, other: Client) -> None:
    own, foreign = ready_survey(title="My own"), ready_survey(title="Of others")
    client.force_login(own.owner)
    proposal = _propose(client, own)
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
    assert "is drawn and charged" in text_of(_approve(other, proposal))


def test_who_may_propose_but_not_look_at_releases_sees_their_own_proposals_and_no_release(
    staff: Client, other: Client, client: Client
) -> None:
    survey = ready_survey(epsilon=4)
    foreign = _propose(staff, survey)
    user = make_user(is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename="add_release"))
    makes = Client()
    makes.force_login(user)
    own = _propose(makes, survey)
    _approve(other, own)
    release = Release.objects.get()
    assert makes.get(_page(foreign)).status_code == 404
    page = makes.get(_page(own))
    assert "and it was approved" in text_of(page)
    assert release.pk not in page.content.decode()
    assert release.pk in other.get(_page(own)).content.decode()
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
    told = {entry["id"]: entry.get("two_people_agreed") for entry in listed}
    assert told == {both.pk: True, alone.pk: None}
    for release in (both, alone):
        page = client.get(reverse("release", args=[release.pk])).content.decode()
        assert ("One person proposed it, and another approved it." in page) is (release == both)
        for user in User.objects.all():
            assert not re.search(rf"\b{user.username}\b", page)
