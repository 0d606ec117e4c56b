"""Releases of what random arms were asked: each question has its own n, and one response counts once."""

import re
from fractions import Fraction

import pytest
from django.test import Client

from surveys.models import Mechanism, Survey
from surveys.releases.selectors.reading import reading_of
from surveys.releases.services.refusals import TooFewAnswers
from tests.answering.test_plain_arm import TWO, questions
from tests.factories import make_admin
from tests.pages import words_of
from tests.releases.setting import HALF, make_release, published_release, ready_survey, spent
from tests.releases.steps import look

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


def test_whoever_releases_and_whoever_reads_can_tell_questions_with_one_text_apart(
    survey: Survey, client: Client
) -> None:
    both = list(survey.questions.order_by("position"))[:2]
    client.force_login(make_admin())
    asked = [question.pk for question in both]
    pages = [words_of(look(client, survey, questions=asked).content.decode())]
    release = published_release(survey, questions=both)
    pages.append(words_of(Client().get(f"/r/{release.pk}/").content.decode()))
    for words in pages:
        assert "Asked in the arms: With coins · Two coins (forced response)" in words
        assert "Asked in the arms: Asked directly · No chance: sent as it is" in words
    assert "Which random arm somebody was in, and so which questions were asked." in pages[1]
    alone = published_release(ready_survey())
    assert not re.search(r"\barms?\b", words_of(Client().get(f"/r/{alone.pk}/").content.decode()))


def test_questions_that_no_arm_asks_together_cannot_be_counted_together(survey: Survey) -> None:
    both = list(survey.questions.order_by("position"))[:2]
    with pytest.raises(TooFewAnswers):
        make_release(survey, questions=both, mechanism=Mechanism.JOINT_TABLE, options={"outcome": "1"})
    assert spent(survey) == 0
