"""Scores: what a platform is sent, what is returned of it, and what is said of failures."""

import datetime as dt
import logging
import secrets
from typing import Any

import pytest
from django.test import Client

from surveys.common import servers
from surveys.lti.services import scores as services
from surveys.lti.services.scores import send_scores
from surveys.models import CoursePlatform, ToolKey, WaitingScore
from tests.factories import make_open
from tests.lti.platform import KEYS, Platform, platform

__all__ = ["platform"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def row(client: Client, platform: Platform) -> CoursePlatform:
    """A registered platform that knows the tool's keys."""
    row = platform.row()
    platform.tool_keys = client.get(KEYS).json()
    return row


def _waiting(row: CoursePlatform, *students: str, line_item: str = "") -> list[WaitingScore]:
    survey = make_open()
    return [
        WaitingScore.objects.create(
            survey=survey,
            platform=row,
            line_item=line_item or f"{row.issuer}/items/5?type_id=1",
            subject=student,
            key=secrets.token_bytes(16),
        )
        for student in students
    ]


def test_scores_are_sent_in_their_order_as_of_one_moment(platform: Platform, row: CoursePlatform) -> None:
    waiting = _waiting(row, "zoe", "ada", "bob")
    assert send_scores(platform=row, scores=waiting) == waiting
    assert [(place, student) for place, student, _ in platform.scores] == [
        ("/items/5/scores?type_id=1", student) for student in ("zoe", "ada", "bob")
    ]
    (moment,) = {sent.pop("timestamp") for *_, sent in platform.scores}
    assert abs(dt.datetime.fromisoformat(moment) - dt.datetime.now(dt.UTC)) < dt.timedelta(minutes=10)
    assert [sent for *_, sent in platform.scores] == [
        {
            "userId": student,
            "scoreGiven": 1,
            "scoreMaximum": 1,
            "activityProgress": "Completed",
            "gradingProgress": "FullyGraded",
        }
        for student in ("zoe", "ada", "bob")
    ]
    assert platform.asked.count("/token") == 1


def test_the_same_key_shows_who_asks_each_night(platform: Platform, row: CoursePlatform) -> None:
    for _ in range(2):
        assert send_scores(platform=row, scores=_waiting(row, "ada"))
    assert ToolKey.objects.count() == 1
    assert len(platform.nonces) == 2


def test_with_another_key_there_is_no_leave(platform: Platform, row: CoursePlatform) -> None:
    ToolKey.objects.all().delete()
    assert send_scores(platform=row, scores=_waiting(row, "ada")) == []
    assert platform.asked == ["/token"]


def test_what_is_refused_is_not_returned_and_nobody_is_named_in_the_log(
    platform: Platform, row: CoursePlatform, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    platform.score_status = {"ada": 404, "bob": 404, "eve": 422}
    waiting = _waiting(row, "ada", "zoe", "bob", "eve")
    assert send_scores(platform=row, scores=waiting) == [waiting[1]]
    assert "Moodle refused scores: 2 with 404, 1 with 422" in caplog.text
    for named in ("ada", "zoe", "bob", "eve", "items", "leave"):
        assert named not in caplog.text


@pytest.mark.parametrize(
    "answer", [{}, {"access_token": 7}, {"access_token": ""}, {"access_token": "a\nb"}, {"access_token": "ä"}]
)
def test_without_leave_nothing_is_sent(platform: Platform, row: CoursePlatform, answer: dict[str, Any]) -> None:
    platform.token_answer = answer
    assert send_scores(platform=row, scores=_waiting(row, "ada")) == []
    assert platform.scores == []


@pytest.mark.parametrize("status", [302, 307, 401, 500])
def test_no_redirect_is_followed_and_no_error_is_raised(platform: Platform, row: CoursePlatform, status: int) -> None:
    platform.status = status
    assert send_scores(platform=row, scores=_waiting(row, "ada", "bob")) == []
    assert "/elsewhere" not in platform.asked


def test_a_platform_that_does_not_answer_is_asked_once(
    platform: Platform, row: CoursePlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = _waiting(row, "ada", "bob", "zoe")
    asked: list[str] = []

    def away_after_one(address: str, **what: Any) -> servers.Answer:
        asked.append(address)
        if len(asked) > 2:
            raise servers.NotReached("away")
        return servers.open_address(address, **what)

    monkeypatch.setattr(services, "open_address", away_after_one)
    assert send_scores(platform=row, scores=waiting) == waiting[:1]
    assert len(asked) == 3


@pytest.mark.parametrize("line_item", ["http://grades.example.org/1", "file:///etc/passwd"])
def test_a_score_goes_only_where_nobody_else_can_read_it(
    platform: Platform, row: CoursePlatform, line_item: str
) -> None:
    assert send_scores(platform=row, scores=_waiting(row, "ada", line_item=line_item)) == []
    assert platform.scores == []


@pytest.mark.parametrize("body", [b"x" * 300_000, b"[" * 100_000])
def test_huge_answers_are_given_up(platform: Platform, row: CoursePlatform, body: bytes) -> None:
    platform.body = body
    assert send_scores(platform=row, scores=_waiting(row, "ada")) == []
