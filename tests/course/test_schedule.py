"""Times and cap of an opened survey: typed on its own clocks, changed while it runs, wrong ones named by field."""

import datetime as dt
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone

from surveys.common.forms import MomentField, moment
from surveys.course.selectors import CourseStage, course_of
from surveys.course.services import reschedule
from surveys.models import Survey
from tests.factories import fill, make_draft, make_open
from tests.pages import owner_of, page_of, text_of

pytestmark = pytest.mark.django_db

BERLIN = ZoneInfo("Europe/Berlin")
LATER = dt.datetime(2999, 7, 1, 12, 0, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)


def _waiting(**fields: Any) -> Survey:
    """Return an opened survey whose opening time is to come."""
    return make_open(**({"time_zone": "Europe/Berlin", "opens_at": LATER, "closes_at": LATER + 48 * HOUR} | fields))


def _post(survey: Survey, **fields: str) -> HttpResponse:
    response = owner_of(survey).post(reverse("survey-schedule", args=[survey.code]), fields)
    assert isinstance(response, HttpResponse)
    return response


def _again(survey: Survey) -> Survey:
    return Survey.objects.get(pk=survey.pk)


def _stored(survey: Survey) -> tuple[dt.datetime | None, dt.datetime | None, int | None]:
    stored = _again(survey)
    return stored.opens_at, stored.closes_at, stored.response_cap


def test_times_are_typed_and_shown_on_the_surveys_own_clocks_and_stored_in_utc() -> None:
    survey = make_open(time_zone="Europe/Berlin")
    assert _post(survey, closes_at="2999-07-01T14:00", response_cap="80").status_code == 302
    assert _stored(survey) == (None, LATER, 80)
    page = page_of("survey-schedule", survey)
    assert 'value="2999-07-01T14:00"' in page
    assert "Europe/Berlin" in page
    for name in ("survey-detail", "survey-ethics"):
        assert "1 July 2999, 14:00 (Europe/Berlin)" in page_of(name, survey)


def test_an_empty_field_is_no_limit() -> None:
    survey = _waiting(response_cap=5)
    assert _post(survey, opens_at="", closes_at="", response_cap="").status_code == 302
    assert _stored(survey) == (None, None, None)
    assert survey.why_not_collecting(timezone.now()) == "not_yet"
    assert _again(survey).why_not_collecting(timezone.now()) == ""


WRONG: dict[str, tuple[dict[str, str], str]] = {
    "wrong way round": ({"opens_at": "2999-08-01T10:00"}, "closes_at"),
    "past opening": ({"opens_at": "2020-01-01T10:00"}, "opens_at"),
    "past closing": ({"opens_at": "", "closes_at": "2020-01-01T10:00"}, "closes_at"),
    "a gap of the clocks": ({"closes_at": "2999-03-31T02:30"}, "closes_at"),
    "an hour that comes twice": ({"closes_at": "2999-10-27T02:30"}, "closes_at"),
    "no date": ({"closes_at": "soon"}, "closes_at"),
    "no day": ({"closes_at": "2999-02-30T10:00"}, "closes_at"),
    "the end of time": ({"closes_at": "9999-12-31T23:59"}, "closes_at"),
    "the beginning of time": ({"opens_at": "0001-01-01T00:00"}, "opens_at"),
    "no number": ({"response_cap": "many"}, "response_cap"),
    "nobody": ({"response_cap": "0"}, "response_cap"),
    "more than there are": ({"response_cap": "99999999999"}, "response_cap"),
}


@pytest.mark.parametrize(("changes", "field"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_meant_is_named_beside_its_field_and_nothing_is_stored(
    changes: dict[str, str], field: str
) -> None:
    survey = _waiting()
    before = _stored(survey)
    response = _post(survey, **({"opens_at": "2999-07-01T14:00", "closes_at": "2999-07-03T14:00"} | changes))
    assert response.status_code == 422
    assert list(response.context["form"].errors) == [field]
    page = text_of(response)
    assert f'href="#id_{field}"' in page
    assert all(f'value="{typed}"' in page for typed in changes.values() if typed)
    assert _stored(survey) == before


def test_a_cap_below_what_came_in_is_refused_and_one_at_it_is_not() -> None:
    survey = make_open()
    fill(survey, {"1": 7})
    assert list(_post(survey, response_cap="6").context["form"].errors) == ["response_cap"]
    assert _post(survey, response_cap="7").status_code == 302
    assert course_of(_again(survey), now=timezone.now()).stage is CourseStage.FULL


def test_what_has_opened_cannot_be_made_to_open_later() -> None:
    survey = make_open()
    page = page_of("survey-schedule", survey)
    assert 'name="opens_at"' not in page
    assert _post(survey, opens_at="2999-07-01T14:00").status_code == 302
    assert _stored(survey)[0] is None
    with pytest.raises(ValidationError) as refused:
        reschedule(survey=survey, opens_at=LATER, closes_at=None, response_cap=None)
    assert list(refused.value.message_dict) == ["opens_at"]


def test_a_time_that_was_not_changed_stays_to_the_second_and_may_have_passed() -> None:
    gone = dt.datetime(2026, 1, 5, 10, 0, 17, tzinfo=dt.UTC)
    survey = make_open(closes_at=gone)
    assert _post(survey, closes_at="2026-01-05T10:00", response_cap="9").status_code == 302
    assert _stored(survey) == (None, gone, 9)


def test_the_times_of_a_draft_are_the_editors_business() -> None:
    survey = make_draft()
    response = owner_of(survey).get(reverse("survey-schedule", args=[survey.code]))
    assert response["Location"] == reverse("survey-edit", args=[survey.code])


@pytest.mark.parametrize(
    ("typed", "utc"),
    [
        ("2027-01-15 12:00", "2027-01-15 11:00"),
        ("2027-07-15 12:00", "2027-07-15 10:00"),
        ("2027-03-28 01:59", "2027-03-28 00:59"),
        ("2027-03-28 03:00", "2027-03-28 01:00"),
        ("2027-10-31 01:59", "2027-10-30 23:59"),
        ("2027-10-31 03:00", "2027-10-31 02:00"),
    ],
)
def test_around_the_changes_of_the_clocks_every_minute_that_there_is_once_is_taken(typed: str, utc: str) -> None:
    assert moment(dt.datetime.fromisoformat(typed), BERLIN) == dt.datetime.fromisoformat(f"{utc}+00:00")


@pytest.mark.parametrize(
    ("typed", "words"), [("2027-03-28 02:00", "02:00 does not"), ("2027-10-31 02:59", "02:59 occurs twice")]
)
def test_a_minute_that_there_is_never_or_twice_is_refused(typed: str, words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        moment(dt.datetime.fromisoformat(typed), BERLIN)


def test_a_time_with_its_own_offset_is_taken_as_it_is() -> None:
    assert MomentField().clean("2999-07-01T14:00+02:00") == LATER
