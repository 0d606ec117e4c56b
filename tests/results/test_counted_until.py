"""Where housekeeping stands still and answers wait, overview and projector say up to when answers are counted."""

import datetime as dt
import re

import pytest
from django.urls import reverse
from django.utils import timezone

from surveys.course.services import close_survey
from surveys.models import LastRun, Survey
from tests.factories import fill, make_open, send
from tests.pages import owner_of, page_of

pytestmark = pytest.mark.django_db

MARK = "data-counted-until"
PAGES = ("survey-results", "survey-figures", "survey-present", "survey-present-live")


def _waiting(*, last: dt.timedelta | None, waiting: int = 1) -> Survey:
    """Return an open survey of which so many wait, where housekeeping last ran so long ago."""
    survey = make_open(time_zone="Europe/Berlin")
    fill(survey, {"1": 20})
    for _ in range(waiting):
        send(survey, "1")
    if last is not None:
        LastRun.objects.create(job="folds", at=timezone.now() - last)
    return survey


@pytest.mark.parametrize("name", PAGES)
def test_pages_say_up_to_when_answers_are_counted(name: str) -> None:
    survey = _waiting(last=None)
    LastRun.objects.create(job="folds", at=dt.datetime(2026, 1, 15, 13, 5, tzinfo=dt.UTC))
    [notice] = re.findall(rf"{MARK}>(.*?)</p>", page_of(name, survey))
    assert "15 January 2026, 14:05 (Europe/Berlin)" in notice


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(
    ("seconds", "waiting", "closed"), [(50, 1, False), (90, 0, False), (90, 1, True)], ids=["runs", "all", "closed"]
)
def test_where_it_runs_or_nothing_waits_they_say_nothing(name: str, seconds: int, waiting: int, closed: bool) -> None:
    survey = _waiting(last=dt.timedelta(seconds=seconds), waiting=waiting)
    if closed:
        survey = close_survey(survey=survey)
    assert MARK not in page_of(name, survey)


def test_where_it_never_ran_nothing_is_counted_since_the_survey_was_made() -> None:
    survey = _waiting(last=None)
    assert MARK not in page_of("survey-results", survey)
    Survey.objects.filter(pk=survey.pk).update(created_at=timezone.now() - dt.timedelta(minutes=2))
    assert MARK in page_of("survey-results", survey)


@pytest.mark.parametrize("name", ["survey-figures", "survey-present-live"])
def test_a_page_that_is_open_learns_that_it_stands_still_and_that_it_goes_on(name: str) -> None:
    survey = _waiting(last=dt.timedelta(0))
    client, address = owner_of(survey), reverse(name, args=[survey.code])
    etag = client.get(address)["ETag"]
    for ago, status in ((0, 304), (90, 200), (0, 304)):
        LastRun.objects.update(at=timezone.now() - dt.timedelta(seconds=ago))
        assert client.get(address, headers={"if-none-match": etag}).status_code == status
