"""Where the site asks for two people: one proposes, another approves; nobody alone draws or charges."""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from surveys.course.services import close_survey, purge_survey, seal_survey
from surveys.models import LedgerEntry, Proposal, Release, ReleasePart, Survey
from surveys.releases.ledger.services import set_budget
from surveys.releases.refusals import ReleaseRefused, Why
from surveys.releases.selectors.doors import may_approve, waiting_for
from surveys.releases.services import proposals, releasing
from tests.factories import fill, make_admin, make_budget, make_open, make_user, number_bands, one_of, yes_no
from tests.releases.refused import refusing
from tests.releases.setting import HALF, first, make_release, propose, ready_survey, spent, staff_with

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def two_people(settings: Settings) -> None:
    settings.RELEASES_NEED_APPROVAL = True


@pytest.fixture
def survey() -> Survey:
    return ready_survey()


def _propose(survey: Survey, **changes: Any) -> Proposal:
    fields: dict[str, Any] = {
        "user": survey.owner,
        "survey": survey,
        "questions": [first(survey)],
        "mechanism": "laplace_histogram",
        "epsilon": HALF,
        "reason": "For the board.",
        "request_key": uuid4(),
    }
    return propose(**fields | changes)


def _nothing_happened(survey: Survey) -> bool:
    lines = LedgerEntry.objects.filter(budget__survey=survey, kind="charge")
    return not (spent(survey) or lines.exists() or Release.objects.exists() or ReleasePart.objects.exists())


def test_one_person_alone_releases_nothing(survey: Survey) -> None:
    with refusing(Why.NEEDS_APPROVAL):
        make_release(survey)
    assert _nothing_happened(survey)


def test_without_the_setting_one_person_releases_as_before(survey: Survey, settings: Settings) -> None:
    settings.RELEASES_NEED_APPROVAL = False
    release = make_release(survey)
    assert not release.has_two_people
    assert spent(survey) == 500_000


def test_what_one_proposes_another_approves_and_both_are_on_record(survey: Survey) -> None:
    proposal, approver = _propose(survey), make_admin()
    assert _nothing_happened(survey)
    release = releasing.approve(proposal=proposal, user=approver)
    proposal.refresh_from_db()
    assert (proposal.state, proposal.release, proposal.request_key) == ("approved", release, release.request_key)
    assert (proposal.proposed_by, proposal.decided_by, release.created_by) == (survey.owner, approver, approver)
    assert (proposal.proposed_by_name, proposal.decided_by_name) == (survey.owner.username, approver.username)
    assert (release.entry.reason, release.entry.created_by_name) == ("For the board.", approver.username)
    assert (Release.objects.get().has_two_people, spent(survey)) == (True, 500_000)


def test_an_approval_is_dated_as_its_release_which_does_not_tell_how_long_the_draw_took(survey: Survey) -> None:
    proposal = _propose(survey)
    release = releasing.approve(proposal=proposal, user=make_admin())
    proposal.refresh_from_db()
    assert proposal.decided_at == release.created_at == release.entry.created_at


def test_what_is_approved_is_drawn_as_one_person_would_have_drawn_it(settings: Settings) -> None:
    """The same terms, reports and chance: the same release, part by part."""
    survey = ready_survey({"00": 60, "02": 60}, one_of(), number_bands(), epsilon=4)
    question = 2
    terms: dict[str, Any] = {
        "questions": [question],
        "mechanism": "quantile",
        "options": {"share": "1/3"},
        "epsilon": Fraction(1),
    }
    twice = releasing.approve(proposal=_propose(survey, **terms), user=make_admin(), randbelow=lambda _n: 0)
    settings.RELEASES_NEED_APPROVAL = False
    alone = make_release(survey, **terms, randbelow=lambda _n: 0)

    def drawn(release: Release) -> list[dict[str, Any]]:
        rows = release.parts.values("position", "question", "parameters", "output", "micro_epsilon", "pico_delta", "n")
        return list(rows)

    assert drawn(twice) == drawn(alone)
    assert (twice.mechanism, twice.micro_epsilon, twice.relation) == (
        alone.mechanism,
        alone.micro_epsilon,
        alone.relation,
    )


def test_proposing_reads_no_report(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    def counted(*_: object, **__: object) -> None:
        raise AssertionError

    for name in ("surveys.releases.services.releasing.fresh_figures_of", "surveys.responses.selectors.tally._count"):
        monkeypatch.setattr(name, counted)
    with CaptureQueriesContext(
        connection,
    ) as asked:
        _propose(survey)
    assert not [query["sql"] for query in asked if '"reports"' in query["sql"]]


def test_what_cannot_be_released_cannot_be_proposed(survey: Survey) -> None:
    for changes, refusal in (
        ({"epsilon": Fraction(2)}, Why.BUDGET_TOO_SMALL),
        ({"epsilon": Fraction(0)}, Why.INVALID_EPSILON),
        ({"reason": " "}, Why.NO_REASON),
    ):
        with refusing(refusal):
            _propose(survey, **changes)
    empty = make_open()
    make_budget(empty)
    with refusing(Why.TOO_FEW_ANSWERS):
        _propose(empty)
    assert not Proposal.objects.exists()


def test_the_same_request_is_the_same_proposal_and_no_other(survey: Survey) -> None:
    key = uuid4()
    once = _propose(survey, request_key=key)
    assert _propose(survey, request_key=key) == once
    for changes in ({"epsilon": Fraction(1, 4)}, {"user": make_admin()}, {"mechanism": "most_common"}):
        with refusing(Why.OTHER_PROPOSAL):
            _propose(survey, request_key=key, **changes)
    releasing.approve(proposal=once, user=make_admin())
    assert _propose(survey, request_key=key).state == "approved"
    assert (Proposal.objects.count(), spent(survey)) == (1, 500_000)


def test_a_request_that_has_made_its_release_proposes_nothing(survey: Survey, settings: Settings) -> None:
    settings.RELEASES_NEED_APPROVAL = False
    release = make_release(survey, epsilon=Fraction(1, 4))
    settings.RELEASES_NEED_APPROVAL = True
    with refusing(Why.DUPLICATE_REQUEST):
        _propose(survey, request_key=release.request_key)
    # Sent again after the setting has changed, it is said to be made, not to need somebody.
    with refusing(Why.DUPLICATE_REQUEST):
        make_release(survey, request_key=release.request_key)


def test_nobody_approves_or_declines_what_they_proposed_themselves(survey: Survey) -> None:
    admin = make_admin()
    proposal = _propose(survey, user=admin)
    with refusing(Why.OWN_PROPOSAL):
        releasing.approve(proposal=proposal, user=admin)
    with refusing(Why.OWN_PROPOSAL):
        proposals.decline(proposal=proposal, user=admin, reason="No.")
    assert _nothing_happened(survey)


@pytest.mark.parametrize(
    "make",
    [
        lambda survey: make_user(),
        lambda survey: survey.owner,
        lambda survey: staff_with("add_release", "view_release"),
        lambda survey: make_user(is_superuser=True),
        lambda survey: make_user(is_staff=True, is_superuser=True, is_active=False),
    ],
    ids=["anybody", "the owner", "no publisher", "no staff", "deactivated"],
)
def test_only_staff_who_may_publish_decide(survey: Survey, make: Callable[[Survey], User]) -> None:
    proposal = _propose(survey, user=make_admin())
    user = make(survey)
    assert (may_approve(user), list(waiting_for(user))) == (False, [])
    with refusing(Why.MAY_NOT_DECIDE):
        releasing.approve(proposal=proposal, user=user)
    with refusing(Why.MAY_NOT_DECIDE):
        proposals.decline(proposal=proposal, user=user, reason="No.")
    with refusing(Why.MAY_NOT_DECIDE):
        proposals.take_back(proposal=proposal, user=user)
    assert (Proposal.objects.get().state, _nothing_happened(survey)) == ("open", True)


def test_the_permission_to_publish_is_enough_to_approve(survey: Survey) -> None:
    assert releasing.approve(proposal=_propose(survey), user=staff_with("change_release")).has_two_people


def _approve(proposal: Proposal) -> None:
    releasing.approve(proposal=proposal, user=make_admin())


def _decline(proposal: Proposal) -> None:
    proposals.decline(proposal=proposal, user=make_admin(), reason="Not yet.")


def _take_back(proposal: Proposal) -> None:
    proposals.take_back(proposal=proposal, user=proposal.proposed_by)


@pytest.mark.parametrize("again", [_approve, _decline, _take_back])
@pytest.mark.parametrize("decide", [_approve, _decline, _take_back])
def test_a_proposal_is_decided_once(
    survey: Survey, decide: Callable[[Proposal], None], again: Callable[[Proposal], None]
) -> None:
    proposal = _propose(survey, epsilon=Fraction(1, 4))
    # As another tab still shows it.
    shown = Proposal.objects.get()
    decide(proposal)
    before = (Release.objects.count(), spent(survey), Proposal.objects.values().get())
    with refusing(Why.PROPOSAL_DECIDED, match=Proposal.objects.get().decided_by_name):
        again(shown)
    assert (Release.objects.count(), spent(survey), Proposal.objects.values().get()) == before


def test_declining_says_why_and_charges_nothing(survey: Survey) -> None:
    proposal = _propose(survey)
    with refusing(Why.NO_REASON):
        proposals.decline(proposal=proposal, user=make_admin("one"), reason=" ")
    proposals.decline(proposal=proposal, user=make_admin("two"), reason="Not  yet.")
    proposal.refresh_from_db()
    assert (proposal.state, proposal.why_declined) == ("declined", "Not yet.")
    assert _nothing_happened(survey)


def _spend_the_budget(survey: Survey) -> None:
    releasing.approve(proposal=_propose(survey, epsilon=Fraction(3, 4)), user=make_admin())


def _lower_the_budget(survey: Survey) -> None:
    set_budget(survey=survey, total_epsilon=Fraction(1, 4), reason="Less.", user=make_admin())


def _answer_more(survey: Survey) -> None:
    fill(survey, {"0": 5})


def _seal(survey: Survey) -> None:
    seal_survey(survey=close_survey(survey=survey))


def _purge(survey: Survey) -> None:
    purge_survey(survey=close_survey(survey=survey))


@pytest.mark.parametrize(
    ("happens", "refusal"),
    [
        (_spend_the_budget, ReleaseRefused(Why.BUDGET_TOO_SMALL, left=Fraction(1, 4))),
        (_lower_the_budget, ReleaseRefused(Why.BUDGET_TOO_SMALL, left=Fraction(1, 4))),
        (_answer_more, ReleaseRefused(Why.ANSWERS_HAVE_CHANGED, question=yes_no().text, then=100, now=105)),
        (_seal, ReleaseRefused(Why.SEALED)),
        (_purge, ReleaseRefused(Why.PURGED)),
    ],
)
def test_terms_that_are_no_longer_possible_are_refused_by_name(
    survey: Survey, happens: Callable[[Survey], None], refusal: ReleaseRefused
) -> None:
    proposal = _propose(survey)
    releasing.check_proposal(proposal)
    happens(survey)
    before = (Release.objects.count(), spent(survey))
    proposal = Proposal.objects.get(pk=proposal.pk)
    with refusing(refusal.code, match=re.escape(str(refusal))):
        releasing.check_proposal(proposal)
    with refusing(refusal.code, match=re.escape(str(refusal))):
        releasing.approve(proposal=proposal, user=make_admin())
    proposal.refresh_from_db()
    assert (Release.objects.count(), spent(survey), proposal.state) == (*before, "open")


def test_another_design_is_refused_by_name(survey: Survey) -> None:
    releasing.check_proposal(_propose(survey))
    changed, gone = _propose(survey), _propose(survey)
    changed.content_hash = "0" * 64
    gone.questions = [*gone.questions, 0]
    for proposal, why in ((changed, Why.DESIGN_HAS_CHANGED), (gone, Why.NO_SUCH_QUESTION)):
        with refusing(why):
            releasing.check_proposal(proposal)


def test_what_is_approved_is_what_is_stored_whatever_somebody_holds_in_memory(survey: Survey) -> None:
    proposal = _propose(survey, epsilon=Fraction(1, 4))
    proposal.micro_epsilon, proposal.mechanism, proposal.proposed_by = 1_000_000, "most_common", make_user()
    release = releasing.approve(proposal=proposal, user=make_admin())
    assert (release.micro_epsilon, release.mechanism, spent(survey)) == (250_000, "laplace_histogram", 250_000)


def test_terms_shown_beside_another_budget_are_not_approved(survey: Survey) -> None:
    proposal, lines = _propose(survey), survey.budget.entries
    set_budget(survey=survey, total_epsilon=Fraction(2), reason="More.", user=make_admin())
    with refusing(Why.LEDGER_HAS_GONE_ON):
        releasing.approve(proposal=proposal, user=make_admin(), lines=lines)
    assert _nothing_happened(survey)


def test_a_draw_that_fails_leaves_the_proposal_waiting(survey: Survey) -> None:
    proposal = _propose(survey)

    def broken(_n: int) -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        releasing.approve(proposal=proposal, user=make_admin(), randbelow=broken)
    proposal.refresh_from_db()
    assert (proposal.is_open, _nothing_happened(survey)) == (True, True)


def test_it_waits_for_others_who_may_decide_as_long_as_it_can_be_released() -> None:
    survey, gone = ready_survey({"0": 30, "1": 30}, yes_no()), ready_survey()
    admin, other = make_admin(), make_admin()
    proposal = _propose(survey, user=admin)
    _propose(gone)
    seal_survey(survey=close_survey(survey=gone))
    assert (list(waiting_for(admin)), list(waiting_for(other))) == ([], [proposal])
    _decline(proposal)
    assert list(waiting_for(other)) == []
