"""What pages of results and slides say of a survey with random arms: whose numbers they are."""

import random
import re
from collections import Counter

import pytest
from django.test import Client

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.models import Survey
from surveys.numbers.words import nats
from tests.answering.test_plain_arm import TWO, questions
from tests.factories import fill, make_admin, make_budget, make_open, yes_no
from tests.pages import page_of, words_of
from tests.releases.steps import STEP_1

pytestmark = pytest.mark.django_db


@pytest.fixture
def survey() -> Survey:
    survey = make_open(*questions(), arms=TWO)
    fill(survey, {"1-00": 30, "0-10": 35, "0-20": 15, "-101": 20, "-011": 25, "-121": 15})
    return close_survey(survey=survey)


def test_the_overview_names_the_arms_of_questions_with_one_text_and_adds_no_arms_up(survey: Survey) -> None:
    words = words_of(page_of("survey-results", survey))
    assert "Did you pay for a paper? (With coins)" in words
    assert "Did you pay for a paper? (Asked directly)" in words
    assert "Which year are you in? (" not in words
    assert f"ε of the arm that costs most: {nats(definition_of(survey).in_arm(1).epsilon)}" in words


def test_a_questions_page_says_in_which_arms_it_is_asked_and_compares_in_three_columns(survey: Survey) -> None:
    page = page_of("survey-results-question", survey, number=1)
    words = words_of(page)
    assert "Asked in the arms: With coins" in words
    table = page.partition('aria-labelledby="arms"')[2].partition("</table>")[0]
    assert table.count('scope="col"') == 3
    assert "Asked directly · No chance: sent as it is" in words_of(table)
    assert words.count("A higher estimate is no proof of a better one") == 1


def test_slides_name_the_arm_and_say_of_nobody_that_they_are_still_to_come() -> None:
    survey = make_open(yes_no("First?", arms=[1]), yes_no("Second?", arms=[2]), arms=TWO)
    fill(survey, {"1-0": 30, "0-0": 30, "-11": 20})
    words = words_of(page_of("survey-present", survey))
    assert "With coins · Question 1 of 2" in words
    assert "60 people counted so far." in words
    assert "20 people counted so far." in words
    assert "follow in batches" not in words


def test_the_release_form_tells_questions_with_one_text_apart(survey: Survey, client: Client) -> None:
    make_budget(survey)
    client.force_login(make_admin())
    words = words_of(client.get(STEP_1, {"survey": survey.pk}).content.decode())
    assert "Did you pay for a paper? · With coins (Yes or no, 80 answers)" in words
    assert "Did you pay for a paper? · Asked directly (Yes or no, 60 answers)" in words


def test_a_simulated_difference_is_inside_the_interval_that_the_page_prints() -> None:
    """Of 300 with coins 30 of 100 mean Yes, of 300 asked directly 10 of 100 say so; the seed is fixed."""
    draw = random.Random(59)  # noqa: S311 - answers of nobody
    coins = Counter(f"{int(draw.random() < 0.25 + 0.3 / 2)}-00" for _person in range(300))
    directly = Counter(f"-{int(draw.random() < 0.1)}01" for _person in range(300))
    survey = make_open(*questions(), arms=TWO)
    fill(survey, coins + directly)
    words = words_of(page_of("survey-results-question", close_survey(survey=survey), number=1))
    found = re.search(r"Asked by question 1, (\d+) more of 100 than by question 2 \(between (\d+) and (\d+)\)", words)
    assert found
    low, high = (int(limit) for limit in found.groups()[1:])
    assert low <= 20 <= high
    assert high - low < 30
