"""Rehearsing: simulated people answer a copy of a survey, each of them once."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from surveys.answering.services import simulating
from surveys.answering.services.perturbing import Truth
from surveys.common.selectors import definition_of
from surveys.common.totals import response_count
from surveys.drafts.services.copies import discard_of
from surveys.drafts.services.groups import add_group
from surveys.drafts.services.surveys import NotAllowedNow
from surveys.models import Rehearsal, Response, State, Survey
from surveys.models.simulated import People
from surveys.questionnaire.asked_question import Item
from surveys.rehearsing import services
from surveys.rehearsing.selectors import comparison_of
from surveys.rehearsing.services import start, step
from surveys.responses.selectors.tally import tally_of
from tests.at_once import at_once
from tests.factories import every_kind, make_draft, make_open, number_mean, one_of, plain, rewrite, yes_no
from tests.questionnaire.test_branches import after
from tests.rehearsing.rehearsals import falling, finished, rehearse, rows_of

pytestmark = pytest.mark.django_db

# Ninety of a hundred reports are the truth, so that a fault of the way there is not lost in chance.
CLEAR = {"truth": [9, 10], "yes": [1, 2]}


# The copy


def test_the_copy_asks_what_the_survey_asks_and_is_open() -> None:
    survey = make_draft(*every_kind(), title="Exams", introduction="Be frank.", minimum_n=12, server_mode_allowed=True)
    add_group(survey=survey, name="North")
    copy = rehearse(survey).survey
    one, other = definition_of(copy), definition_of(survey)
    assert one.content["questions"] == other.content["questions"]
    assert (one.title, one.introduction, one.minimum_n, one.server_mode_allowed) == ("Exams", "Be frank.", 12, True)
    assert [(group.slug, group.name) for group in copy.groups.all()] == [("north", "North")]
    assert (copy.state, copy.rehearsal_of, copy.owner) == (State.OPEN, survey, survey.owner)
    assert copy.code != survey.code


def test_a_draft_that_is_not_yet_translated_is_rehearsed_in_its_own_language() -> None:
    survey = make_draft(yes_no("First?"), yes_no("Second?"), translations={"de": {"First?": "Erstens?"}})
    assert definition_of(rehearse(survey).survey).document.other_languages == ()


def test_a_survey_that_nobody_could_answer_now_is_rehearsed_all_the_same() -> None:
    later = timezone.now() + dt.timedelta(days=1)
    survey = make_open(by_invitation=True, response_cap=3, opens_at=later)
    rehearsal = finished(rehearse(survey))
    assert response_count(rehearsal.survey) == 40


@pytest.mark.parametrize("respondents", [9, 10_001, 0, -5])
def test_too_few_and_too_many_people_are_refused_by_name(respondents: int) -> None:
    with pytest.raises(ValidationError) as refused:
        rehearse(make_draft(), respondents=respondents)
    assert "10 to 10,000" in str(refused.value.message_dict["respondents"])
    assert not Survey.objects.filter(rehearsal_of__isnull=False).exists()


def test_a_survey_without_questions_leaves_no_half_of_a_copy() -> None:
    survey = make_draft()
    rewrite(survey, 0, questions=())
    with pytest.raises(ValidationError, match="one question"):
        start(survey=survey, user=survey.owner, respondents=20, shares=[])
    assert Survey.objects.get() == survey


def test_shares_for_other_questions_than_the_survey_asks_leave_no_half_of_a_copy() -> None:
    survey = make_draft(yes_no(), one_of())
    shares = [falling(question) for question in definition_of(survey).questions]
    for wrong in (shares[:1], shares[::-1]):
        with pytest.raises(NotAllowedNow, match="changed"):
            start(survey=survey, user=survey.owner, respondents=20, shares=wrong)
    assert Survey.objects.get() == survey


def test_a_copy_is_not_rehearsed_itself() -> None:
    with pytest.raises(NotAllowedNow):
        rehearse(rehearse(make_draft()).survey)


# Who is in it


def test_everybody_answers_once_and_the_copy_is_closed_with_all_of_them_counted() -> None:
    rehearsal = finished(rehearse(make_draft(yes_no(), one_of()), respondents=1001))
    copy = rehearsal.survey
    assert (rehearsal.sent, copy.state) == (1001, State.CLOSED)
    assert (tally_of(copy, items=2).n, Response.objects.count()) == (1001, 0)
    assert all(people.leaving + people.answering == 0 for people in rehearsal.people_left)


def test_groups_get_equally_many_people() -> None:
    survey = make_open()
    for name in ("North", "South", "West"):
        add_group(survey=survey, name=name)
    sizes = tally_of(finished(rehearse(survey, respondents=500)).survey, items=1).n_by_group()
    assert sorted(sizes.values()) == [166, 167, 167]
    assert 0 not in sizes


def _mistaken(respondents: int) -> list[str]:
    """Rehearse every kind and say which figures are further from the truth than chance ever takes them."""
    clear = [yes_no(parameters=CLEAR), *every_kind()[1:]]
    comparison = comparison_of(finished(rehearse(make_draft(*clear), respondents=respondents)))
    figures = [
        (figure.truth, figure.estimate.moment, figure.estimate.standard_error)
        for _result, true in comparison.questions
        for figure in true
    ]
    assert len(figures) == 44
    # 44 two-sided tests at 6 standard errors: false alarms below 1e-7.
    return [
        f"{truth} {estimate}"
        for truth, estimate, error in figures
        if estimate is None or error is None or abs(truth - estimate) > 6 * error
    ]


def test_estimates_are_near_what_is_true_for_every_kind_of_question() -> None:
    assert not _mistaken(4000)


def test_people_who_answer_something_else_than_what_is_true_are_far_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: the first two answers are exchanged on the way."""

    def exchanged(item: Item, codes: list[int]) -> Sequence[Truth]:
        return answers(item, [{0: 1, 1: 0}.get(code, code) for code in codes])

    answers = simulating._answers
    monkeypatch.setattr(simulating, "_answers", exchanged)
    assert len(_mistaken(2000)) > 18


def test_how_many_intervals_hold_the_truth_is_counted() -> None:
    survey = make_draft(yes_no(parameters=CLEAR), number_mean(parameters=CLEAR))
    comparison = comparison_of(finished(rehearse(survey, respondents=200)))
    figures = [figure for _result, true in comparison.questions for figure in true]
    assert (comparison.claimed, comparison.holding) == (2, sum(figure.holds for figure in figures))
    # Of the truths that were chosen, those that whole people make.
    assert [figure.truth for figure in figures] == [60 / 180, 4.0]


def test_below_the_minimum_nothing_is_compared() -> None:
    comparison = comparison_of(finished(rehearse(make_draft(minimum_n=30), respondents=20)))
    assert (comparison.enough, comparison.n, comparison.questions, comparison.claimed) == (False, 20, (), 0)


# Nobody answers twice


def _race(rehearsal: Rehearsal) -> int:
    """Let four requests move one rehearsal on from the same place, and return how many people have answered."""
    for stale in [Rehearsal.objects.select_related("survey").get(pk=rehearsal.pk) for _ in range(4)]:
        services._send_some(stale)
    return response_count(rehearsal.survey)


def test_of_steps_that_begin_at_the_same_place_one_counts() -> None:
    rehearsal = rehearse(make_draft(), respondents=1000)
    assert _race(rehearsal) == services._AT_ONCE
    assert Rehearsal.objects.get(pk=rehearsal.pk).sent == services._AT_ONCE


def test_without_the_claim_they_would_all_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "_claimed", lambda *_: True)
    assert _race(rehearse(make_draft(), respondents=1000)) == 4 * services._AT_ONCE


@pytest.mark.usefixtures("transactional_db")
def test_four_browsers_that_step_at_once_let_everybody_in_once() -> None:
    rehearsal = rehearse(make_draft(), respondents=1500)
    steps = at_once(*[lambda: step(rehearsal=rehearsal, seconds=30)] * 4)
    assert not [one for one in steps if isinstance(one, Exception)]
    assert tally_of(finished(rehearsal).survey, items=1).n == 1500


@pytest.mark.usefixtures("transactional_db")
def test_discarding_while_others_step_leaves_nothing() -> None:
    survey = make_draft()
    rehearsal = rehearse(survey, respondents=10_000)
    _stepped, discarded = at_once(
        lambda: step(rehearsal=rehearsal, seconds=30), lambda: discard_of(user=survey.owner, survey=survey)
    )
    assert discarded == 1
    assert step(rehearsal=rehearsal) is None
    assert not any(rows_of(rehearsal.survey).values())


@pytest.mark.usefixtures("transactional_db")
def test_somebody_who_starts_twice_at_once_has_one_copy() -> None:
    survey = make_draft()
    copies = at_once(*[lambda: rehearse(survey)] * 3)
    assert not [copy for copy in copies if isinstance(copy, Exception)]
    assert Survey.objects.filter(rehearsal_of=survey).count() == 1


def test_what_is_discarded_between_draw_and_claim_is_not_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    rehearsal = rehearse(make_draft())

    def draw(**kwargs: Any) -> tuple[list[str], list[People]]:
        drawn = drawing(**kwargs)
        discard_of(user=rehearsal.survey.owner)
        return drawn

    drawing = simulating.draw
    monkeypatch.setattr(simulating, "draw", draw)
    assert step(rehearsal=rehearsal) is None
    assert not Response.objects.exists()


def test_a_step_gets_somewhere_however_slow_the_machine_is() -> None:
    rehearsal = rehearse(make_draft(), respondents=1000)
    moved = [step(rehearsal=rehearsal, seconds=0) for _ in range(7)]
    assert [one and one.sent for one in moved] == [200, 400, 600, 800, 1000, 1000, 1000]
    assert [bool(one and one.is_complete) for one in moved] == [False] * 5 + [True] * 2


def test_who_is_not_asked_in_a_rehearsal_is_in_no_figure() -> None:
    survey = make_draft(plain(), yes_no("Did you help?", leave_out="no", **after(1, 1, 2)))
    rehearsal = finished(rehearse(survey, respondents=120))
    definition = definition_of(rehearsal.survey)
    sent = [(row.reports, row.count) for row in rehearsal.survey.pattern_counts.all()]
    assert {definition.misfit(reports) for reports, _count in sent} == {""}
    assert [result.n for result, _figures in comparison_of(rehearsal).questions] == [120, 60]
