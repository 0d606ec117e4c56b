"""What looks tell of answers that are sent as they are: nothing that a few people gave, alone or together."""

import pytest
from django.test import Client
from django.urls import reverse

from surveys.course.services import close_survey
from surveys.drafts.services.groups import add_group
from surveys.models import Group, Survey
from surveys.results import report
from tests.factories import fill, make_admin, make_budget, make_open, make_user, plain, yes_no
from tests.security.test_looks import Class, World

pytestmark = [pytest.mark.django_db, pytest.mark.uncounted]
SOME = (
    "survey-results",
    "survey-results-groups",
    "survey-results-relate",
    "survey-results-weights",
    "survey-export-json",
    "survey-export-figures-csv",
    "survey-present",
)
EVERY_PAGE = pytest.mark.parametrize("pages", [SOME, pytest.param((), marks=pytest.mark.slow)], ids=["some", "all"])


@pytest.fixture
def room() -> Class:
    owner = make_user("owner")
    questions = (yes_no(), plain(leave_out="visibly"), plain(("North", "South"), "Where do you live?"))
    survey = make_open(*questions, owner=owner, minimum_n=5, code="WATCHED3")
    groups = {name: add_group(survey=survey, name=name) for name in ("7a", "7b")}
    make_budget(survey)
    lookers = {"owner": Client(), "admin": Client()}
    for who, user in (("owner", owner), ("admin", make_admin())):
        lookers[who].force_login(user)
    return Class(survey, groups, lookers)


def _closed(survey: Survey, groups: dict[str, Group], *rare: str) -> None:
    """Fill two groups; in one of them few are in a later year or skip it, and few live in the south."""
    fill(survey, {"000": 4, "100": 2, "010": 6, "110": 4}, group=groups["7a"])
    for reports in rare:
        fill(survey, {reports: 1}, group=groups["7a"])
    fill(survey, {"000": 5, "100": 3, "010": 4, "110": 4}, group=groups["7b"])
    close_survey(survey=survey)


def _one(survey: Survey, groups: dict[str, Group]) -> None:
    _closed(survey, groups, "020", "001", "121", "1-0")


def _other(survey: Survey, groups: dict[str, Group]) -> None:
    _closed(survey, groups, "0-1", "120", "001", "1-0")


def live(*reports: str) -> World:
    """Return a world of an open survey: in one group nine people sent each of these."""
    return lambda survey, groups: fill(survey, dict.fromkeys(reports, 9), group=groups["7a"])


@EVERY_PAGE
def test_who_gave_an_answer_that_few_gave_is_on_no_page_and_in_no_file(room: Class, pages: tuple[str, ...]) -> None:
    assert room.differences(_one, _other, pages, every_choice=False) == []


@EVERY_PAGE
def test_while_more_may_come_no_look_tells_any_of_these_answers(room: Class, pages: tuple[str, ...]) -> None:
    assert room.differences(live("000", "110"), live("021", "1-1"), pages, every_choice=False) == []


@pytest.mark.parametrize(
    "found", ["survey-results", "survey-results-relate", "survey-export-json", "survey-export-figures-csv"]
)
def test_a_page_that_tells_answers_as_they_are_stored_would_be_found(
    room: Class, monkeypatch: pytest.MonkeyPatch, found: str
) -> None:
    monkeypatch.setattr(report, "recode", lambda definition, snapshot: (definition, snapshot))
    assert ("owner", reverse(found, args=[room.survey.code])) in room.differences(_one, _other, [found])
