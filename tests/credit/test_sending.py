"""Scores are sent at night, all of a survey and in no order; what was sent is forgotten, all else is tried again."""

import logging
from collections.abc import Sequence

import pytest
from django.db import connection

from surveys.credit.services import sending
from surveys.credit.services.redeeming import Score, redeem
from surveys.credit.services.sending import MOST_TRIES, send_waiting_scores
from surveys.models import CoursePlatform, Erasure, SpentReceipt, Survey, WaitingScore
from tests.credit.receipts import closed_with_credit, make_platform, make_receipt

pytestmark = pytest.mark.django_db
ITEM = "https://moodle.example.org/items/1"


class Course:
    """A course system that takes the scores of some students, and remembers what it was sent."""

    def __init__(self, takes: set[str] | None = None) -> None:
        self.takes = takes
        self.sent: list[tuple[str, list[str]]] = []

    def __call__(self, *, platform: CoursePlatform, scores: Sequence[WaitingScore]) -> list[WaitingScore]:
        self.sent.append((platform.name, [score.subject for score in scores]))
        return [score for score in scores if self.takes is None or score.subject in self.takes]


@pytest.fixture
def survey() -> Survey:
    return closed_with_credit(minimum_n=5)


def _redeemed(survey: Survey, number: int, platform: CoursePlatform | None = None) -> None:
    platform = platform or make_platform()
    for place in range(number):
        redeem(survey=survey, receipt=make_receipt(survey), score=Score(platform, ITEM, f"student {place}"))


def _night(course: Course) -> list[tuple[int, int, int]]:
    return [(batch.sent, batch.left, batch.given_up) for batch in send_waiting_scores(send_scores=course)]


def _subjects() -> set[str]:
    return set(WaitingScore.objects.values_list("subject", flat=True))


def test_no_score_is_sent_until_enough_receipts_are_redeemed(survey: Survey) -> None:
    course = Course()
    _redeemed(survey, 4)
    assert (_night(course), course.sent, len(_subjects())) == ([], [], 4)
    redeem(survey=survey, receipt=make_receipt(survey))
    assert (_night(course), _subjects()) == ([(4, 0, 0)], set())
    assert [sorted(students) for _name, students in course.sent] == [[f"student {place}" for place in range(4)]]


def test_once_enough_are_redeemed_later_scores_go_the_next_night(survey: Survey) -> None:
    course = Course()
    _redeemed(survey, 5)
    _night(course)
    redeem(survey=survey, receipt=make_receipt(survey), score=Score(make_platform(), ITEM, "late"))
    assert (_night(course), _night(course), course.sent[1:]) == ([(1, 0, 0)], [], [("Moodle", ["late"])])


def test_each_platform_gets_its_own_scores_and_each_survey_waits_for_itself(survey: Survey) -> None:
    course, other = Course(), closed_with_credit(minimum_n=5)
    _redeemed(survey, 3)
    _redeemed(survey, 2, make_platform("Canvas"))
    _redeemed(other, 2)
    assert _night(course) == [(5, 0, 0)]
    assert {(name, len(students)) for name, students in course.sent} == {("Moodle", 3), ("Canvas", 2)}
    assert set(WaitingScore.objects.values_list("survey", flat=True)) == {other.pk}


def test_scores_are_sent_in_an_order_of_their_own(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixteen in the order in which they came, or by key, once in 16! = 2e13 nights."""
    course = Course(takes=set())
    _redeemed(survey, 16)
    by_key = list(WaitingScore.objects.order_by("key").values_list("subject", flat=True))
    came = [f"student {place}" for place in range(16)]
    _night(course)
    assert course.sent[0][1] not in (came, by_key)
    # The planted fault: nobody shuffles.
    monkeypatch.setattr(sending._CHANCE, "shuffle", lambda scores: None)
    _night(course)
    assert course.sent[1][1] == by_key


def test_what_the_course_did_not_take_is_tried_on_fourteen_nights_and_then_given_up(survey: Survey) -> None:
    course = Course(takes={"student 1"})
    _redeemed(survey, 5)
    nights = [_night(course) for _ in range(MOST_TRIES + 1)]
    assert nights == [[(1, 4, 0)], *[[(0, 4, 0)]] * (MOST_TRIES - 2), [(0, 0, 4)], []]
    assert WaitingScore.objects.count() == 0


def test_a_platform_that_fails_keeps_no_other_from_its_scores(survey: Survey, caplog: pytest.LogCaptureFixture) -> None:
    def fails(*, platform: CoursePlatform, scores: Sequence[WaitingScore]) -> list[WaitingScore]:
        if platform.name == "Canvas":
            raise RuntimeError(f"no answer for {scores[0].subject}")
        return list(scores)

    _redeemed(survey, 3)
    _redeemed(survey, 2, make_platform("Canvas"))
    with caplog.at_level(logging.DEBUG):
        (batch,) = send_waiting_scores(send_scores=fails)
    assert (batch.sent, batch.left) == (3, 2)
    assert set(WaitingScore.objects.values_list("platform__name", "tries")) == {("Canvas", 1)}
    assert "student" not in caplog.text


@pytest.mark.parametrize("after", [0, 3, 5])
def test_a_batch_that_is_killed_repeats_scores_and_loses_none(survey: Survey, after: int) -> None:
    """The process ends when so many scores are sent, and before it hears of it."""
    sent: list[str] = []

    def killed(*, platform: CoursePlatform, scores: Sequence[WaitingScore]) -> list[WaitingScore]:
        sent.extend(score.subject for score in scores[:after])
        raise KeyboardInterrupt

    _redeemed(survey, 5)
    with pytest.raises(KeyboardInterrupt):
        list(send_waiting_scores(send_scores=killed))
    assert len(_subjects()) == 5
    course = Course()
    assert _night(course) == [(5, 0, 0)]
    assert set(course.sent[0][1]) >= set(sent)


def test_somebody_who_redeems_while_scores_are_sent_is_not_lost(survey: Survey) -> None:
    def sends(*, platform: CoursePlatform, scores: Sequence[WaitingScore]) -> list[WaitingScore]:
        redeem(survey=survey, receipt=make_receipt(survey), score=Score(platform, ITEM, "meanwhile"))
        return list(scores)

    _redeemed(survey, 5)
    assert [(batch.sent, batch.left) for batch in send_waiting_scores(send_scores=sends)] == [(5, 1)]
    assert _subjects() == {"meanwhile"}


@pytest.mark.usefixtures("transactional_db")
def test_of_a_student_whose_score_was_sent_nothing_is_left_in_the_files(survey: Survey) -> None:
    """The receipts stay spent; the deletion is noted until the files have followed."""
    _redeemed(survey, 5)
    list(send_waiting_scores(send_scores=Course()))
    noted = {(each.survey, each.rewriting) for each in Erasure.objects.all()}
    assert (survey, connection.vendor == "postgresql") in noted
    assert SpentReceipt.objects.filter(survey=survey).count() == 5
