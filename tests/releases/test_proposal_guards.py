"""Proposals change as the rules allow, also against raw SQL and on both databases."""

from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, transaction

from surveys.course.services import close_survey, seal_survey
from surveys.models import Proposal, Survey
from surveys.releases.services import proposals
from tests.factories import make_admin, make_draft
from tests.releases.setting import HALF, first, make_release, propose, ready_survey

pytestmark = pytest.mark.django_db

# What passes. Whoever made the release, on these terms and for this reason, approves what somebody else proposed.
_UPDATE = "UPDATE surveys_proposal SET state = {}, decided_by_name = 'x', decided_by_id = {}, {} WHERE id = {{open}}"
THEN = "decided_at = (SELECT created_at FROM surveys_release WHERE id = '{release}')"
APPROVE = _UPDATE.format("'approved'", "{approver}", f"{THEN}, release_id = '{{release}}'")
DECLINE = _UPDATE.format("'declined'", "{approver}", f"{THEN}, why_declined = 'No.'")
WITHDRAW = _UPDATE.format("'withdrawn'", "proposed_by_id", THEN)
_INSERT = (
    "INSERT INTO surveys_proposal (survey_id, questions, answered, content_hash, mechanism, micro_epsilon, pico_delta,"
    " options, reason, request_key, proposed_by_id, proposed_by_name, proposed_at, state, decided_by_name,"
    " why_declined) SELECT {survey}, questions, answered, content_hash, mechanism, {epsilon}, 0, options, {reason},"
    " {key}, proposed_by_id, {name}, proposed_at, {state}, '', '' FROM surveys_proposal WHERE id = {{open}}"
)


def _insert(**changes: str) -> str:
    usual = {"survey": "survey_id", "epsilon": "1", "reason": "'x'", "key": "'{key}'", "name": "'x'"}
    return _INSERT.format(**usual | {"state": "'open'"} | changes)


def _set(columns: str) -> str:
    return f"UPDATE surveys_proposal SET {columns} WHERE id = {{open}}"  # noqa: S608 - of this file


PASSES = [APPROVE, DECLINE, WITHDRAW, _insert()]
REFUSED = [
    # Decided by whoever proposed it, by nobody, by somebody without a name, at no time; withdrawn by somebody else.
    APPROVE.replace("{approver}", "proposed_by_id"),
    DECLINE.replace("{approver}", "proposed_by_id"),
    APPROVE.replace("{approver}", "NULL"),
    DECLINE.replace("{approver}", "NULL"),
    DECLINE.replace("decided_by_name = 'x'", "decided_by_name = ''"),
    DECLINE.replace(THEN, "decided_at = NULL"),
    WITHDRAW.replace("decided_by_id = proposed_by_id", "decided_by_id = {approver}"),
    # Approved without a release, by another than whoever made it, with one of another request, at another time.
    APPROVE.replace("release_id = '{release}'", "release_id = NULL"),
    APPROVE.replace("{approver}", "{third}"),
    APPROVE.replace("release_id = '{release}'", "release_id = '{other_release}'"),
    APPROVE.replace(THEN, "decided_at = '2020-01-01 00:00:00'"),
    # In two states at once.
    APPROVE.replace("decided_by_name = 'x'", "decided_by_name = 'x', why_declined = 'No.'"),
    DECLINE.replace("why_declined = 'No.'", "why_declined = ''"),
    DECLINE.replace("why_declined = 'No.'", "why_declined = 'No.', release_id = '{release}'"),
    _set("why_declined = 'No.'"),
    # Other terms, with a decision or without one.
    DECLINE.replace("decided_by_name = 'x'", "decided_by_name = 'x', micro_epsilon = 1"),
    _set("micro_epsilon = 1"),
    _set("pico_delta = 1"),
    _set("mechanism = 'most_common'"),
    _set("questions = '[]'"),
    _set("answered = '[1]'"),
    _set("options = '[1]'"),
    _set("content_hash = 'x'"),
    _set("reason = 'Another.'"),
    _set("proposed_by_id = {third}"),
    _set("proposed_by_name = 'Another'"),
    _set("proposed_at = '2020-01-01 00:00:00'"),
    _set("survey_id = {elsewhere}"),
    _set("request_key = '{key}'"),
    _set("id = id + 1000"),
    # Decided is decided; nothing is deleted.
    "UPDATE surveys_proposal SET state = 'open', decided_by_id = NULL, decided_by_name = '', decided_at = NULL,"
    " why_declined = '' WHERE id = {declined}",
    "UPDATE surveys_proposal SET why_declined = 'Because.' WHERE id = {declined}",
    "DELETE FROM surveys_proposal WHERE id = {open}",
    "DELETE FROM surveys_proposal WHERE id = {declined}",
    # A second one of one request; one that is decided from the beginning; one of a survey that releases nothing.
    _insert(key="request_key"),
    _insert(state="'declined'"),
    _insert(survey="{draft}"),
    _insert(survey="{sealed}"),
    _insert(epsilon="0"),
    _insert(reason="''"),
    _insert(name="''"),
]
REFUSED_ON_SQLITE = [
    "INSERT OR REPLACE INTO surveys_proposal SELECT * FROM surveys_proposal WHERE id = {open}",
    "UPDATE OR REPLACE surveys_proposal SET id = {declined} WHERE id = {open}",
    "UPDATE OR REPLACE surveys_proposal SET state = 'open' WHERE id = {declined}",
    _insert(epsilon="0.5"),
]
REFUSED_ON_POSTGRESQL = ["TRUNCATE surveys_proposal CASCADE"]


def _refusal(statement: str, values: dict[str, Any], *, undo: bool = False) -> str:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement.format(**values))
            transaction.set_rollback(undo)
    except DatabaseError as error:
        return str(error)
    return ""


def _propose(survey: Survey, user: User) -> Proposal:
    return propose(
        user=user,
        survey=survey,
        questions=[first(survey)],
        mechanism="laplace_histogram",
        epsilon=HALF,
        reason="For the tests.",
        request_key=uuid4(),
    )


@pytest.fixture
def values() -> dict[str, Any]:
    """Return the keys of a proposal beside the release that its request made, and of what is not its."""
    proposer, approver = make_admin(), make_admin()
    survey, elsewhere, sealed = ready_survey(epsilon=4), ready_survey(), ready_survey()
    declined, waiting = _propose(survey, proposer), _propose(survey, proposer)
    proposals.decline(proposal=declined, user=approver, reason="Not yet.")
    other = make_release(survey, user=approver)
    release = make_release(survey, user=approver, request_key=waiting.request_key)
    seal_survey(survey=close_survey(survey=sealed))
    connection.check_constraints()  # pending checks would refuse TRUNCATE before the guard does
    return {
        "open": waiting.pk,
        "declined": declined.pk,
        "release": release.pk,
        "other_release": other.pk,
        "approver": approver.pk,
        "third": make_admin().pk,
        "elsewhere": elsewhere.pk,
        "draft": make_draft().pk,
        "sealed": sealed.pk,
        "key": "00000000000000000000000000000001",
    }


def test_the_statements_that_the_others_are_made_of_pass(values: dict[str, Any]) -> None:
    """The planted twin: what is refused below is refused for what differs, not because it is wrong SQL."""
    assert {statement: _refusal(statement, values, undo=True) for statement in PASSES} == dict.fromkeys(PASSES, "")


def test_raw_sql_changes_no_terms_and_lets_nobody_approve_alone_or_twice(values: dict[str, Any]) -> None:
    before = list(Proposal.objects.values())
    more = REFUSED_ON_SQLITE if connection.vendor == "sqlite" else REFUSED_ON_POSTGRESQL
    refusals = {statement: _refusal(statement, values) for statement in REFUSED + more}
    wrong = ("syntax", "no such column", "does not exist", "datatype")
    assert {
        statement: words for statement, words in refusals.items() if not words or any(w in words for w in wrong)
    } == {}
    assert list(Proposal.objects.values()) == before
