"""Planning with a question that only some are asked: for those who are asked, as many as gave the answer here."""

import re

import pytest
from django.urls import reverse

from surveys.course.services import close_survey
from surveys.estimation import expected_half_width
from surveys.models import Survey
from surveys.privacy.designs import forced_response
from tests.factories import fill, make_open, plain, yes_no
from tests.models.test_branches import after
from tests.pages import holds, owner_of, said_on, text_of

pytestmark = pytest.mark.django_db
# Of 200 who were asked the year 80 are in the last one, and 20 of them skipped.
COUNTS = {"00-": 70, "11-": 50, "200": 24, "211": 36, "20-": 20}
ASKED = "Only for those who answer “Later” to question 1. The numbers of people below are of those who are asked."


def _survey() -> Survey:
    survey = make_open(plain(), yes_no("Copied?", leave_out="no"), yes_no("Helped?", **after(1, 2)))
    fill(survey, COUNTS)
    return close_survey(survey=survey)


def _said(survey: Survey, **query: object) -> str:
    response = owner_of(survey).get(reverse("survey-results-plan", args=[survey.code]), query)
    assert response.status_code == 200
    return said_on(text_of(response))


def _expected(words: str) -> tuple[str, str]:
    found = re.search(r"With ([\d,]+) people expect ±([\d.]+) points", words)
    assert found
    return found[1], found[2]


def test_people_are_those_who_are_asked_and_as_many_as_here() -> None:
    words = _said(_survey(), item=3, n=1000, share=30)
    assert f"{ASKED} Of 1,000 respondents that is about 400, if as many give these answers as here." in words
    assert "People in all" in words
    people, points = _expected(words)
    assert people == "400"
    assert holds(points, 100 * expected_half_width(n=400, design=forced_response(), prevalence=0.3))
    # The twin: planned for everybody it would be far more precise.
    assert not holds(points, 100 * expected_half_width(n=1000, design=forced_response(), prevalence=0.3))


def test_as_many_as_now_are_those_who_answered_it() -> None:
    words = _said(_survey(), item=3)
    assert ASKED in words
    assert "respondents that is about" not in words
    assert _expected(words)[0] == "60"


def test_what_everybody_is_asked_is_planned_for_everybody() -> None:
    words = _said(_survey(), item=2, n=1000)
    assert "Only for those who answer" not in words
    assert "People in all" not in words
    assert _expected(words)[0] == "1,000"


def test_in_arms_the_part_of_the_arm_counts_that_the_answer_leads_to_it() -> None:
    survey = make_open(
        plain(),
        yes_no("Copied?", leave_out="no"),
        yes_no("Helped?", arms=[1], **after(1, 2)),
        yes_no("Lent?", arms=[2], leave_out="no"),
        arms=[{"name": "One", "weight": 1}, {"name": "Two", "weight": 3}],
    )
    fill(survey, {"00--0": 60, "200-0": 15, "211-0": 20, "20--0": 5, "10-11": 70, "20-01": 30})
    close_survey(survey=survey)
    words = _said(survey, item=3, n=1000)
    # A quarter is in this arm, and of the hundred who were in it forty are in the last year.
    assert "Of 1,000 respondents that is about 100, if as many give these answers as here." in words
    assert "Of 1,000 respondents that is about 250" not in words
    assert "only these respondents are asked this question" in words
    assert _expected(words)[0] == "100"
