"""Results of questions that are sent as they are: shares as observed, no talk of chance, a way to compare by."""

import json
import math

import pytest
from django.urls import reverse

from surveys.course.services import close_survey
from surveys.estimation import estimate_prevalence
from surveys.models import Survey
from surveys.privacy.designs import direct
from tests.factories import fill, make_open, plain, scale, yes_no
from tests.pages import owner_of, page_of, presentation_of, text_of, words_of

pytestmark = pytest.mark.django_db
COUNTS = {"00": 30, "10": 20, "01": 15, "11": 25, "02": 2, "12": 3}


@pytest.fixture
def survey() -> Survey:
    survey = make_open(yes_no(), plain(), server_mode_allowed=True)
    fill(survey, COUNTS)
    return close_survey(survey=survey)


def _page(survey: Survey, name: str, query: str = "", *numbers: int) -> str:
    response = owner_of(survey).get(reverse(name, args=[survey.code, *numbers]) + query)
    assert response.status_code == 200
    return words_of(text_of(response))


def test_the_estimate_is_the_observed_share_with_the_interval_of_any_share(survey: Survey) -> None:
    estimate = estimate_prevalence([50, 45], direct())
    interval = estimate.interval(0.95, "wilson")
    page = _page(survey, "survey-results-question", "", 2)
    low, high = (math.floor(100 * interval.low[0]), math.ceil(100 * interval.high[0]))
    assert f"95% confidence interval: {low} to {high}" in page
    assert "Second year or Later" in page
    assert estimate.point.tolist() == estimate.observed.tolist()


@pytest.mark.parametrize(
    "words", ["Was the procedure followed?", "How chance was added", "one person", "direct question"]
)
def test_nothing_is_said_of_chance(survey: Survey, words: str) -> None:
    assert words not in _page(survey, "survey-results-question", "", 2)
    assert words in _page(survey, "survey-results-question", "", 1)


def test_answers_are_compared_where_there_are_no_groups(survey: Survey) -> None:
    page = _page(survey, "survey-results-groups")
    assert "By the answers to: Which year are you in?" in page
    # Of 50 in the first year 20 reported Yes, of 45 others 28: (20/50 − 1/4)/(1/2) = 30% and 74%.
    assert "First year 30 5 to 58 n = 50" in page
    assert "Second year or Later 74 45 to 100 n = 45" in page


def test_other_tabs_take_it_as_any_question(survey: Survey) -> None:
    assert "Which year are you in?" in _page(survey, "survey-results-relate", "?a=1&b=2")
    regression = _page(survey, "survey-results-regression", "?outcome=1&predictor=2")
    assert "Second year or Later" in regression
    assert "No chance is added here" in _page(survey, "survey-results-plan", "?item=2")
    bayes = text_of(owner_of(survey).get(reverse("survey-results-bayes", args=[survey.code])))
    assert "Which year are you in?" not in bayes
    methods = _page(survey, "survey-results-methods")
    assert "It is the identity: each report is the answer itself" in methods
    assert "Sent as it is: there is no chance to take away." in presentation_of(survey, "?question=2")


def test_files_tell_the_answers_that_few_share_together(survey: Survey) -> None:
    client = owner_of(survey)
    response = client.get(reverse("survey-export-json", args=[survey.code]))
    told = json.loads(b"".join(response.streaming_content))  # type: ignore[attr-defined]
    item = told["items"][1]
    assert (item["design"], item["kind"], item["epsilon"]) == ("plain", "one_of", None)
    assert item["truths"] == item["reports"] == ["First year", "Second year or Later"]
    assert item["numerators"] == [[1, 0], [0, 1]]
    rows = {(tuple(row["reports"]), row["mode"]): row["count"] for row in told["responses"]}
    assert rows == {
        ((0, 0), "(withheld)"): 30,
        ((1, 0), "(withheld)"): 20,
        ((0, 1), "(withheld)"): 17,
        ((1, 1), "(withheld)"): 28,
    }
    assert "are combined with others" in words_of(page_of("survey-export-codebook", survey))


def test_a_scale_whose_points_are_told_together_has_no_mean() -> None:
    survey = make_open(yes_no(), scale(design="plain", parameters={}))
    fill(survey, {"00": 20, "01": 15, "12": 12, "13": 3, "14": 2})
    page = _page(close_survey(survey=survey), "survey-results-question", "", 2)
    assert "4 or 5 (Always)" in page or "5 (Always)" in page
    assert "points as numbers" not in page


def test_the_ethics_packet_names_it(survey: Survey) -> None:
    packet = words_of(page_of("survey-ethics", survey))
    assert "1 question is not protected: question 2 is sent as it is." in packet
    assert "Sent as it is. This answer is not protected." in packet
