"""Dates are typed on the clocks of the survey's own time zone."""

import datetime as dt
import re

import pytest
from django.test import Client
from django.utils import translation

from surveys.common.forms import ZoneSelect
from surveys.models import Survey
from surveys.models.survey import time_zones
from tests.editor.form import NEW, closed, posted
from tests.factories import make_draft
from tests.pages import page_of, signed_in, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def teacher() -> Client:
    return signed_in()


@pytest.mark.parametrize(
    ("zone", "typed", "moment"),
    [
        ("Europe/Berlin", "2030-01-02T10:00", "2030-01-02T09:00+00:00"),
        ("Europe/Berlin", "2030-07-02T10:00", "2030-07-02T08:00+00:00"),
        ("Asia/Kolkata", "2030-01-02T10:00", "2030-01-02T04:30+00:00"),
        ("America/New_York", "2030-01-02T10:00", "2030-01-02T15:00+00:00"),
        ("UTC", "2030-01-02T10:00", "2030-01-02T10:00+00:00"),
    ],
)
def test_a_time_is_stored_as_the_moment_that_the_zones_clocks_mean_and_comes_back(
    teacher: Client, zone: str, typed: str, moment: str
) -> None:
    data = posted(closed(), time_zone=zone, opens_at=typed)
    location = teacher.post(NEW, data)["Location"]
    survey = Survey.objects.get()
    assert survey.opens_at == dt.datetime.fromisoformat(moment)
    page = text_of(teacher.get(f"{location}edit/"))
    assert f'value="{typed}"' in page
    assert f'<option value="{zone}" selected>' in page
    # And as it is shown, it is saved again.
    assert teacher.post(f"{location}edit/", data | {"title": "Again"}).status_code == 302
    survey.refresh_from_db()
    assert (survey.title, survey.opens_at) == ("Again", dt.datetime.fromisoformat(moment))


@pytest.mark.parametrize("typed", ["2030-03-31T02:30", "2030-10-27T02:30"])
def test_an_hour_that_the_clocks_leave_out_or_go_through_twice_is_named(teacher: Client, typed: str) -> None:
    response = teacher.post(NEW, posted(closed(), time_zone="Europe/Berlin", closes_at=typed))
    assert response.status_code == 422
    [message] = response.context["editor"].survey.errors["closes_at"]
    assert all(words in message for words in ("02:30", typed[:10], "Europe/Berlin"))
    assert f'value="{typed}"' in text_of(response)
    assert teacher.post(NEW, posted(closed(), time_zone="UTC", closes_at=typed)).status_code == 302


def test_what_was_typed_for_another_zone_stays_as_typed_while_the_numbers_are_updated(teacher: Client) -> None:
    data = posted(closed(), time_zone="Asia/Tokyo", opens_at="2030-01-02T10:00", closes_at="nonsense", action="refresh")
    page = text_of(teacher.post(NEW, data))
    assert '<option value="Asia/Tokyo" selected>' in page
    assert 'value="2030-01-02T10:00"' in page
    assert 'value="nonsense"' in page


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", "../../etc/passwd", "Europe", "\x00", "<b>"])
def test_a_zone_that_is_none_is_refused_by_name_and_nothing_else_breaks(teacher: Client, zone: str) -> None:
    response = teacher.post(NEW, posted(closed(), time_zone=zone, opens_at="2030-01-02T10:00"))
    assert (response.status_code, list(response.context["editor"].survey.errors)) == (422, ["time_zone"])
    assert b"<b>" not in response.content


def test_a_survey_that_closes_before_it_opens_is_refused_in_any_zone(teacher: Client) -> None:
    dates = {"opens_at": "2030-01-02T10:00", "closes_at": "2030-01-02T09:00", "time_zone": "Asia/Tokyo"}
    response = teacher.post(NEW, posted(closed(), **dates))
    assert (response.status_code, list(response.context["editor"].survey.errors)) == (422, ["closes_at"])


def test_all_zones_are_offered_once_the_often_used_first_in_the_language_of_the_page() -> None:
    written = ZoneSelect().render("time_zone", "Europe/Berlin")
    names = re.findall(r'<option value="([^"]+)"', written)
    assert names[0] == "UTC"
    assert len(names) == len(set(names)) > 300
    assert set(names) <= time_zones()
    assert written.count(" selected") == 1
    assert names.index("Europe/Berlin") < names.index("Africa/Abidjan")
    assert "Often used" in written
    with translation.override("de"):
        assert "time_zone" in ZoneSelect().render("time_zone", "nowhere")


def test_a_stored_time_is_shown_on_the_clocks_of_its_survey() -> None:
    survey = make_draft(time_zone="Asia/Kolkata", opens_at=dt.datetime(2030, 1, 2, 4, 30, tzinfo=dt.UTC))
    page = page_of("survey-edit", survey)
    assert 'value="2030-01-02T10:00"' in page
