"""What looks tell of a question that only some are asked: nothing of who they are where they are few, nor before."""

import pytest
from django.test import Client
from django.urls import reverse

from surveys.course.services import close_survey
from surveys.drafts.services.groups import add_group
from surveys.models import Group, Survey
from surveys.responses import told as rule
from tests.factories import fill, make_admin, make_budget, make_open, make_user, plain, yes_no
from tests.questionnaire.test_branches import after
from tests.security.test_looks import Class
from tests.security.test_plain_looks import EVERY_PAGE, live

pytestmark = [pytest.mark.django_db, pytest.mark.uncounted]


@pytest.fixture
def room() -> Class:
    owner = make_user("owner")
    questions = (yes_no(), plain(), yes_no("Did you help?", **after(2, 2)))
    survey = make_open(*questions, owner=owner, minimum_n=5, code="WATCHED5")
    groups = {name: add_group(survey=survey, name=name) for name in ("7a", "7b")}
    make_budget(survey)
    lookers = {"owner": Client(), "admin": Client()}
    for who, user in (("owner", owner), ("admin", make_admin())):
        lookers[who].force_login(user)
    return Class(survey, groups, lookers)


def _closed(survey: Survey, groups: dict[str, Group], *rare: str) -> None:
    """Fill two groups; in one of them three are of the year that alone is asked the last question."""
    fill(survey, {"00-": 6, "10-": 5, "01-": 7, "11-": 5, **dict.fromkeys(rare, 1)}, group=groups["7a"])
    fill(survey, {"00-": 5, "10-": 5, "020": 6, "121": 5}, group=groups["7b"])
    close_survey(survey=survey)


def _one(survey: Survey, groups: dict[str, Group]) -> None:
    _closed(survey, groups, "020", "021", "121")


def _other(survey: Survey, groups: dict[str, Group]) -> None:
    _closed(survey, groups, "120", "02-", "021")


@EVERY_PAGE
def test_what_only_a_few_were_asked_is_on_no_page_and_in_no_file(room: Class, pages: tuple[str, ...]) -> None:
    assert room.differences(_one, _other, pages, every_choice=False) == []


@EVERY_PAGE
def test_while_more_may_come_no_look_tells_who_was_asked(room: Class, pages: tuple[str, ...]) -> None:
    assert room.differences(live("00-", "121"), live("021", "11-"), pages, every_choice=False) == []


@pytest.mark.parametrize("found", ["survey-results", "survey-export-json", "survey-export-figures-csv"])
def test_a_column_that_were_told_wherever_it_was_asked_would_be_found(
    room: Class, monkeypatch: pytest.MonkeyPatch, found: str
) -> None:
    monkeypatch.setattr(rule, "_recoded_condition", lambda condition, classes: condition)
    assert ("owner", reverse(found, args=[room.survey.code])) in room.differences(_one, _other, [found])
