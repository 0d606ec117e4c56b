"""Releases of answers that were sent as they are: only the release's own chance protects them, and it says so."""

import json
import re
from fractions import Fraction

import pytest
from django.test import Client

from surveys.course.services import close_survey
from surveys.models import Mechanism
from surveys.releases.ledger.selectors import truth_loss
from surveys.releases.selectors.reading import reading_of
from tests.factories import numbers_of, plain, yes_no
from tests.pages import words_of
from tests.releases.refused import refused_every_way
from tests.releases.setting import HALF, first, make_release, published_release, ready_survey
from tests.releases.steps import STEP_1, says, text_of

pytestmark = pytest.mark.django_db
COUNTS = {"00": 150, "10": 100, "01": 90, "11": 60, "02": 40, "12": 60}


def test_its_truth_costs_what_the_release_costs(client: Client) -> None:
    survey = ready_survey(COUNTS, yes_no(), plain())
    question = 2
    release = published_release(survey, questions=[question])
    page = client.get(f"/r/{release.pk}/").content.decode()
    assert says(page) & {"unprotected", "proof", "truth", "truths"} == {"unprotected"}
    document = json.loads(client.get(f"/r/{release.pk}.json").content)
    assert (document["truth"]["local_epsilon"], document["truth"]["epsilon"]) == (None, float(HALF))


def test_all_truths_of_a_response_include_it_whatever_was_released() -> None:
    survey = ready_survey(COUNTS, yes_no(), plain())
    reading = reading_of(published_release(survey, questions=[first(survey)]))
    assert reading.truth.epsilon < HALF
    assert reading.truth_so_far.epsilon == HALF
    assert truth_loss(reading.definition.epsilon_of_truths, reading.parts[0].plan.loss).epsilon == HALF


@pytest.mark.parametrize(("skipped", "closed"), [(30, False), (3, False), (3, True)])
def test_how_many_left_it_out_is_shown_no_sooner_than_in_results(skipped: int, closed: bool, staff: Client) -> None:
    survey = ready_survey(_skipped_by(skipped), yes_no(), plain(leave_out="visibly"))
    survey = close_survey(survey=survey) if closed else survey
    assert refused_every_way(survey, 2, staff)
    # That a protected question was left out is shown as ever.
    assert re.search(r"\([^)]*\b100\b", text_of(staff.get(STEP_1, {"survey": survey.pk})))


def test_how_many_left_it_out_is_shown_where_they_are_enough() -> None:
    survey = close_survey(survey=ready_survey(_skipped_by(30), yes_no(), plain(leave_out="visibly")))
    assert make_release(survey, questions=[2]).parts.get().n == 70


def _skipped_by(number: int) -> dict[str, int]:
    return {"00": 60 - number, "11": 40, "0-": number}


def test_it_can_be_a_predictor_of_a_protected_outcome(client: Client) -> None:
    survey = ready_survey(COUNTS, yes_no(), plain(), epsilon=2)
    release = published_release(
        survey,
        questions=numbers_of(survey),
        mechanism=Mechanism.JOINT_TABLE,
        options={"outcome": "1"},
        epsilon=Fraction(2),
    )
    page = client.get(f"/r/{release.pk}/").content.decode()
    assert ("Second year" in page, "unprotected" in says(page)) == (True, True)
    document = json.loads(client.get(f"/r/{release.pk}.json").content)
    assert document["truth"]["epsilon"] == 2.0


def test_it_can_go_most_with_a_protected_outcome(client: Client) -> None:
    # Reports are Yes of everybody who works and of nobody else; the third question goes with nothing.
    counts = {f"{works}{works}{other}": 250 for works in (0, 1) for other in (0, 1)}
    works = yes_no("Do you work beside?", design="plain", parameters={}, leave_out="no")
    survey = ready_survey(counts, yes_no(), works, yes_no("At night?"), epsilon=10)
    questions = numbers_of(survey)
    options = {"outcome": "1"}
    release = published_release(
        survey, questions=questions, mechanism=Mechanism.BEST_PREDICTOR, options=options, epsilon=Fraction(10)
    )
    # n times the covariances are 500 and 0, a step of the choice is at most 4: another is drawn once in 10²⁷¹.
    assert release.parts.get().output == {"index": 0, "label": works.text}
    assert works.text in words_of(client.get(f"/r/{release.pk}/").content.decode())
    document = json.loads(client.get(f"/r/{release.pk}.json").content)
    assert document["truth"]["epsilon"] == 10.0
