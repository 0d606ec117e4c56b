"""Planning with a question that only some are asked: for those who are asked, as many as gave the answer here."""

import re

import pytest

from surveys.course.services import close_survey
from surveys.estimation.planning.precision import expected_half_width
from surveys.models import Survey
from surveys.privacy.designs import forced_response
from tests.factories import fill, make_open, plain, yes_no
from tests.questionnaire.test_branches import after
from tests.results.seen import page_and_context

pytestmark = pytest.mark.django_db
# Of 200 who were asked the year 80 are in the last one, and 20 of them skipped.
COUNTS = {"00-": 70, "11-": 50, "200": 24, "211": 36, "20-": 20}


def _survey() -> Survey:
    survey = make_open(plain(), yes_no("Copied?", leave_out="no"), yes_no("Helped?", **after(1, 2)))
    fill(survey, COUNTS)
    return close_survey(survey=survey)


def _planned(survey: Survey, query: str) -> tuple[int, float, list[str]]:
    """Return for how many it is planned, the half-width, and the numbers that the page has of who is asked."""
    page, context = page_and_context("survey-results-plan", survey, f"?{query}")
    asked = page.partition('data-says="branch"')[2].partition("</p>")[0]
    of_all = "People in all arms" if context["arm_names"] else "People in total"
    assert (of_all in page) == bool(asked) == bool(context["asked_if"])
    assert context["planned"] == context["precision"].n
    return context["planned"], context["precision"].half_width, re.findall(r"[\d,]*\d", asked)


def test_people_are_those_who_are_asked_and_as_many_as_here() -> None:
    people, half_width, numbers = _planned(_survey(), "item=3&n=1000&share=30")
    assert (people, numbers) == (400, ["1", "1,000", "400"])
    assert half_width == pytest.approx(expected_half_width(n=400, design=forced_response(), prevalence=0.3))


def test_as_many_as_now_are_those_who_answered_it() -> None:
    people, _half_width, numbers = _planned(_survey(), "item=3")
    assert (people, numbers) == (60, ["1"])


def test_what_everybody_is_asked_is_planned_for_everybody() -> None:
    people, _half_width, numbers = _planned(_survey(), "item=2&n=1000")
    assert (people, numbers) == (1000, [])


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
    people, _half_width, numbers = _planned(survey, "item=3&n=1000")
    # A quarter is in this arm, and of the hundred who were in it forty are in the last year.
    assert (people, numbers) == (100, ["1", "1,000", "100"])
