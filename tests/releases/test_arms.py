"""Releases of what random arms were asked: told when results tell it, each question with its own n."""

import re
from fractions import Fraction
from typing import Any

import pytest
from django.test import Client

from surveys.common.selectors import definition_of
from surveys.common.words import design_words
from surveys.course.services import close_survey
from surveys.drafts.services.groups import add_group
from surveys.models import Mechanism, Survey
from surveys.releases.refusals import Why
from surveys.releases.selectors.reading import reading_of
from surveys.responses.selectors.snapshot import Snapshot
from tests.answering.test_plain_arm import TWO, questions
from tests.factories import fill, make_admin, make_budget, make_open, yes_no
from tests.pages import words_of
from tests.releases.people import in_order
from tests.releases.refused import refused_every_way, refusing, why_not
from tests.releases.setting import HALF, check, make_release, published_release, ready_survey, same_as, spent
from tests.releases.steps import STEP_1, look, text_of
from tests.releases.test_verifier import VERIFIER

pytestmark = pytest.mark.django_db
COUNTS = {"1-00": 30, "0-10": 35, "0-20": 15, "-101": 20, "-011": 25, "-121": 15}
FEW = {"1-00": 50, "0-10": 47, "-101": 1, "-111": 2}


def closed_survey(counts: dict[str, int]) -> Survey:
    return close_survey(survey=ready_survey(counts, *questions(), arms=TWO))


@pytest.fixture
def survey() -> Survey:
    return closed_survey(COUNTS)


@pytest.mark.parametrize(("closed", "counts"), [(0, COUNTS), (0, FEW), (1, FEW)])
def test_how_many_an_arm_holds_is_shown_once_the_survey_is_closed_and_no_arm_is_small(
    closed: bool, counts: dict[str, int], staff: Client
) -> None:
    survey = closed_survey(counts) if closed else ready_survey(counts, *questions(), arms=TWO)
    of_one, of_other, of_all = in_order(survey)
    assert refused_every_way(survey, of_one, staff)
    assert refused_every_way(survey, of_other, staff)
    with refusing(Why.UNSUITABLE_QUESTION, match=re.escape(why_not(survey, of_one))):
        make_release(survey, questions=[of_one, of_all], mechanism=Mechanism.JOINT_TABLE, options={"outcome": "1"})
    page = text_of(staff.get(STEP_1, {"survey": survey.pk}))
    assert re.search(rf"{re.escape(survey.questions[of_all - 1].text)} \([^)]*\b{sum(counts.values())}\b", page)
    assert make_release(survey, questions=[of_all]).parts.get().n == sum(counts.values())


def test_a_closed_survey_of_few_shows_no_arm_either(staff: Client) -> None:
    survey = closed_survey({"1-00": 4, "-101": 3})
    assert refused_every_way(survey, in_order(survey)[0], staff)


def test_a_release_that_forgets_the_rule_would_be_noticed(monkeypatch: pytest.MonkeyPatch, staff: Client) -> None:
    monkeypatch.setattr(Snapshot, "shows_number_of", lambda *_: True)
    survey = closed_survey(FEW)
    page = text_of(staff.get(STEP_1, {"survey": survey.pk}))
    assert re.search(rf"{re.escape(survey.questions[0].text)} · With coins \([^)]*\b97\b", page)
    release = published_release(survey)
    assert release.parts.get().n == 97
    monkeypatch.undo()
    # What was released before there was the rule is read as ever, and the same request again is known.
    assert re.search(r"\b97\b", text_of(Client().get(f"/r/{release.pk}/")))
    assert VERIFIER.faults_of(Client().get(f"/r/{release.pk}.json").json())[1] == []
    assert same_as(
        release, survey=survey, questions=in_order(survey)[:1], mechanism=Mechanism.LAPLACE_HISTOGRAM, epsilon=HALF
    )
    assert release.pk in staff.get("/admin/surveys/release/").content.decode()


def test_a_group_with_a_small_arm_is_shown_apart_no_more_than_in_results() -> None:
    survey = make_open(yes_no(), yes_no("And?"), yes_no("Only some?", arms=[1], leave_out="no"), arms=TWO)
    few, many = add_group(survey=survey, name="Few"), add_group(survey=survey, name="Many")
    fill(survey, {"0000": 15, "1110": 15, "01-1": 4}, group=few)
    fill(survey, {"0000": 30, "1110": 30, "01-1": 30}, group=many)
    fill(survey, {"0000": 30, "1110": 30, "01-1": 30})
    make_budget(survey)
    survey = close_survey(survey=survey)
    about: dict[str, Any] = {
        "survey": survey,
        "questions": in_order(survey)[:2],
        "mechanism": Mechanism.JOINT_TABLE,
        "options": {"outcome": "1", "groups": "1"},
        "epsilon": HALF,
    }
    groups = check(**about).plans[0].groups
    assert groups is not None
    assert groups.names == ("Many", "Other groups")
    assert make_release(**about).parts.get().parameters["groups"]["names"] == ["Many", "Other groups"]


def test_questions_of_two_arms_are_counted_each_with_its_own_people_and_charged_together(survey: Survey) -> None:
    both = in_order(survey)[:2]
    release = make_release(survey, questions=both, epsilon=HALF)
    reading = reading_of(release)
    assert [part.plan.n for part in reading.parts] == [80, 60]
    assert spent(survey) == 500_000
    # One response changes one count by one, in whichever arm it was, and each part pays its half.
    mechanisms = [part.plan.mechanism for part in reading.parts]
    assert [(each.sensitivity.value, each.loss.epsilon) for each in mechanisms] == [(1, Fraction(1, 4))] * 2
    # Who was asked directly has no chance but the release's own.
    assert reading.truth_so_far.epsilon == HALF


def test_whoever_releases_and_whoever_reads_can_tell_questions_with_one_text_apart(
    survey: Survey, client: Client
) -> None:
    both = in_order(survey)[:2]
    client.force_login(make_admin())
    pages = [words_of(look(client, survey, questions=both).content.decode())]
    release = published_release(survey, questions=both)
    pages.append(words_of(Client().get(f"/r/{release.pk}/").content.decode()))
    definition = definition_of(survey)
    asked = [part.plan.question for part in reading_of(release).parts]
    assert [definition.arm_names(question) for question in asked] == ["With coins", "Asked directly"]
    for question in asked:
        words = f"{definition.arm_names(question)} · {design_words(question.design.name)}"
        assert [words in page for page in pages] == [True, True]
    alone = published_release(ready_survey())
    assert not re.search(r"\barms?\b", words_of(Client().get(f"/r/{alone.pk}/").content.decode()))


def test_questions_that_no_arm_asks_together_cannot_be_counted_together(survey: Survey) -> None:
    both = in_order(survey)[:2]
    with refusing(Why.TOO_FEW_ANSWERS):
        make_release(survey, questions=both, mechanism=Mechanism.JOINT_TABLE, options={"outcome": "1"})
    assert spent(survey) == 0
