"""Releases of what random arms were asked: each question has its own n, and one response counts once."""

from fractions import Fraction

import pytest

from surveys.models import Mechanism, Survey
from surveys.releases.selectors.reading import reading_of
from surveys.releases.services.refusals import TooFewAnswers
from tests.answering.test_plain_arm import TWO, questions
from tests.releases.setting import HALF, make_release, ready_survey, spent

pytestmark = pytest.mark.django_db
COUNTS = {"1-00": 30, "0-10": 35, "0-20": 15, "-101": 20, "-011": 25, "-121": 15}


@pytest.fixture
def survey() -> Survey:
    return ready_survey(COUNTS, *questions(), arms=TWO)


def test_questions_of_two_arms_are_counted_each_with_its_own_people_and_charged_together(survey: Survey) -> None:
    both = list(survey.questions.order_by("position"))[:2]
    release = make_release(survey, questions=both, epsilon=HALF)
    reading = reading_of(release)
    assert [part.terms.n for part in reading.parts] == [80, 60]
    assert spent(survey) == 500_000
    # One response changes one count by one, in whichever arm it was, and each part pays its half.
    mechanisms = [part.terms.mechanism for part in reading.parts]
    assert [(each.sensitivity.value, each.loss.epsilon) for each in mechanisms] == [(1, Fraction(1, 4))] * 2
    # Who was asked directly has no chance but the release's own.
    assert reading.truth_so_far.epsilon == HALF


def test_questions_that_no_arm_asks_together_cannot_be_counted_together(survey: Survey) -> None:
    both = list(survey.questions.order_by("position"))[:2]
    with pytest.raises(TooFewAnswers):
        make_release(survey, questions=both, mechanism=Mechanism.JOINT_TABLE, options={"outcome": "1"})
    assert spent(survey) == 0
