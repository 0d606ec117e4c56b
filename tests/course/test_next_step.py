"""A survey's page names the next sensible step, with one button before the others, for whoever may press it."""

import datetime as dt
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from surveys.common.selectors import definition_of
from surveys.course.selectors import CourseStage, course_of
from surveys.course.services import begin_next_version, close_survey, pause_survey, purge_survey, seal_survey
from surveys.drafts.services.surveys import create_survey
from surveys.linting.findings import Level
from surveys.linting.selectors import findings_of
from surveys.models import Role, Survey
from surveys.questionnaire.question import Question
from tests.course.states import STATES, member_of
from tests.factories import fill, make_draft, make_open, make_user, plain, store, yes_no
from tests.pages import owner_of, page_of, text_of, words_of

pytestmark = pytest.mark.django_db


def _answered(*questions: Question, n: int = 12, **fields: Any) -> Survey:
    survey = make_open(*questions, **fields)
    fill(survey, {"1" * len(definition_of(survey).columns): n})
    return survey


def _batch() -> Survey:
    survey = make_open(minimum_n=5)
    store(survey, {"1": 6})
    return survey


def _erased(survey: Survey) -> Survey:
    """Let the files have followed: they do once what a test does is committed."""
    survey.erasures.all().delete()
    return survey


def _renewed() -> Survey:
    survey = _erased(purge_survey(survey=close_survey(survey=_answered())))
    begin_next_version(survey=survey)
    return survey


# For each stage: a survey in it, where the first button leads, and the facts that the step's words state.
STEPS: dict[str, tuple[Callable[[], Survey], CourseStage, str, set[str]]] = {
    "empty": (lambda: create_survey(owner=make_user(), title="Empty"), CourseStage.EMPTY, "survey-edit", set()),
    "ready": (make_draft, CourseStage.READY, "survey-open", set()),
    "not yet": (
        lambda: make_open(opens_at=dt.datetime(2900, 3, 1, tzinfo=dt.UTC), time_zone="Asia/Tokyo"),
        CourseStage.WAITING,
        "survey-share",
        {"1 March 2900, 09:00 (Asia/Tokyo)"},
    ),
    "few": (lambda: _answered(n=3), CourseStage.FEW, "survey-share", {" 10 ", " 3."}),
    "few, by invitation": (
        lambda: make_open(by_invitation=True),
        CourseStage.FEW,
        "survey-invitations",
        {" 10 ", " 0."},
    ),
    "no batch": (_batch, CourseStage.BATCH, "survey-present", {" 10 ", "6 "}),
    "with plain questions": (
        lambda: _answered(yes_no(), plain()),
        CourseStage.UNSHOWN,
        "survey-present",
        {"12 "},
    ),
    "with arms": (
        lambda: _answered(yes_no(), arms=[{"name": "A", "weight": 1}, {"name": "B", "weight": 1}]),
        CourseStage.UNSHOWN,
        "survey-present",
        {"12 "},
    ),
    "enough": (_answered, CourseStage.ENOUGH, "survey-results", {"12 of 12 "}),
    "full": (lambda: _answered(response_cap=12), CourseStage.FULL, "survey-close", {" 12 "}),
    "over": (
        lambda: _answered(closes_at=dt.datetime(2026, 1, 5, tzinfo=dt.UTC), time_zone="Asia/Tokyo"),
        CourseStage.OVER,
        "survey-close",
        {"5 January 2026, 09:00 (Asia/Tokyo)"},
    ),
    "paused": (lambda: pause_survey(survey=_answered()), CourseStage.PAUSED, "survey-open", set()),
    "closed": (lambda: close_survey(survey=_answered()), CourseStage.CLOSED, "survey-results", {" 12 "}),
    "closed with few": (
        lambda: close_survey(survey=_answered(n=3)),
        CourseStage.CLOSED_WITHOUT,
        "survey-next-version",
        {" 10 ", " 3."},
    ),
    "sealed": (
        lambda: seal_survey(survey=close_survey(survey=_answered())),
        CourseStage.SEALED,
        "survey-results",
        set(),
    ),
    "sealed with few": (
        lambda: seal_survey(survey=close_survey(survey=_answered(n=3))),
        CourseStage.SEALED_WITHOUT,
        "survey-next-version",
        {" 10 ", " 3."},
    ),
    "purging": (
        lambda: purge_survey(survey=close_survey(survey=_answered())),
        CourseStage.PURGING,
        "survey-next-version",
        set(),
    ),
    "purged": (
        lambda: _erased(purge_survey(survey=close_survey(survey=_answered()))),
        CourseStage.PURGED,
        "survey-next-version",
        set(),
    ),
    "purged, with a next version": (_renewed, CourseStage.PURGED, "survey-detail", {" 2."}),
}


def _step(client: Client, survey: Survey) -> str:
    page = text_of(client.get(reverse("survey-detail", args=[survey.code])))
    return page.split('id="next-title"')[1].split("</section>")[0]


@pytest.mark.parametrize("name", STEPS)
def test_each_stage_has_its_facts_one_button_before_the_others_and_links_that_lead_somewhere(name: str) -> None:
    make, stage, leads_to, facts = STEPS[name]
    survey = make()
    assert course_of(survey, now=timezone.now()).stage is stage
    client = owner_of(survey)
    step = _step(client, survey)
    lead = words_of(step.split('class="lead"')[1].split("</p>")[0])
    assert {fact for fact in facts if fact not in lead} == set()
    assert len(re.findall(r'class="button" (?:href="|type="submit")', step)) == 1
    target = survey.next_versions.get() if leads_to == "survey-detail" else survey
    assert re.findall(r'(?:href|action)="([^"]*)"', step)[0] == reverse(leads_to, args=[target.code])
    for address in re.findall(r'href="([^"]+)"', step):
        assert client.get(address).status_code == 200, address


def test_every_stage_is_among_them() -> None:
    assert {stage for _make, stage, *_rest in STEPS.values()} == set(CourseStage)


@pytest.mark.parametrize(
    ("role", "allowed", "denied"),
    [
        (Role.EDITOR, {"survey-close", "survey-schedule", "survey-share"}, {"survey-results", "survey-purge"}),
        (Role.ANALYST, {"survey-results", "survey-export"}, {"survey-close", "survey-schedule", "survey-groups"}),
        (Role.RELEASER, {"survey-preview", "survey-leave"}, {"survey-results", "survey-close", "survey-people"}),
    ],
)
def test_a_member_is_shown_what_their_role_allows_and_nothing_else(
    role: Role, allowed: set[str], denied: set[str]
) -> None:
    survey = _answered()
    client = member_of(survey, role)
    page = text_of(client.get(reverse("survey-detail", args=[survey.code])))
    addresses = set(re.findall(r'(?:href|action)="(/[^"]*)"', page))
    assert {name for name in allowed | denied if reverse(name, args=[survey.code]) in addresses} == allowed
    assert f"Your role: {role.value}" in page


@pytest.mark.parametrize("role", [*Role, None], ids=lambda role: role or "owner")
def test_every_link_that_somebody_is_shown_is_theirs(role: Role | None) -> None:
    """Nobody is sent where they are refused; without answers, for pages of results take long."""
    for survey in (make_draft(), make_open(by_invitation=True), close_survey(survey=make_open())):
        client = member_of(survey, role) if role else owner_of(survey)
        page = text_of(client.get(reverse("survey-detail", args=[survey.code])))
        addresses = set(re.findall(r'href="(/surveys/[^"#]*)"', page))
        answers = {address: client.get(address).status_code for address in addresses}
        assert {address: status for address, status in answers.items() if status >= 400} == {}, survey.state


def test_whoever_can_only_look_has_a_note_instead_of_buttons() -> None:
    survey = make_draft()
    step = _step(member_of(survey, Role.ANALYST), survey)
    assert re.findall(r'href="([^"]*)"', step) == [reverse("survey-preview", args=[survey.code])]
    paused = pause_survey(survey=make_open())
    step = _step(member_of(paused, Role.RELEASER), paused)
    assert re.findall(r'href="|action="', step) == []
    assert '<p class="quiet">' in step


LINES = {
    "draft": ["Draft (now)", "Open", "Closed", "Sealed"],
    "open": ["Draft (done)", "Open (now)", "Closed", "Sealed"],
    "paused": ["Draft (done)", "Paused (now)", "Closed", "Sealed"],
    "sealed": ["Draft (done)", "Open (done)", "Closed (done)", "Sealed (now)"],
    "purged": ["Draft (done)", "Open (done)", "Closed (done)", "Purged (now)"],
}


@pytest.mark.parametrize("state", LINES)
def test_the_line_of_the_course_says_in_words_where_the_survey_is(state: str) -> None:
    survey = STATES[state]()
    page = page_of("survey-detail", survey)
    line = page.split('<ol class="course-line"')[1].split("</ol>")[0]
    stops = [" ".join(re.sub(r"<[^>]+>", " ", stop).split()) for stop in re.findall(r"<li.*?</li>", line)]
    assert stops == LINES[state]
    assert line.count('aria-current="step"') == 1


def test_the_whole_hash_of_what_is_frozen_can_be_copied() -> None:
    survey = make_open()
    assert f'<code class="whole-hash">{survey.content_hash}</code>' in page_of("survey-detail", survey)
    assert "whole-hash" not in page_of("survey-detail", make_draft())


def test_the_findings_of_the_linter_stand_before_the_button_that_opens() -> None:
    survey = make_draft()
    for name in ("survey-detail", "survey-open"):
        page = page_of(name, survey)
        assert "data-rule=" in page
    assert page.rindex("data-rule=") < page.index('<button class="button" type="submit">')
    assert "data-rule=" not in page_of("survey-detail", make_open())


def test_hints_are_folded_and_what_weighs_more_is_not() -> None:
    survey = make_draft()
    findings = findings_of(survey)
    hints = [finding for finding in findings if finding.level is Level.HINT]
    assert 0 < len(hints) < len(findings)
    page = page_of("survey-open", survey)
    before, folded = page.split("<details>")[0], page.split("<details>")[1].split("</section>")[0]
    assert before.count("data-rule=") == len(findings) - len(hints)
    assert folded.count("data-rule=") == len(hints)
    assert f"<summary>{len(hints)} hint" in folded
