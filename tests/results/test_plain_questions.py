"""Results of questions that are sent as they are: shares as observed, nothing of chance, a way to compare by."""

import json
import math
import re

import pytest
from django.template.loader import render_to_string
from django.urls import reverse

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.estimation.prevalence import estimate_prevalence
from surveys.models import Survey
from surveys.presenting.selectors import SlideStep, reveals_of
from surveys.privacy.designs import direct
from surveys.results.report import Report
from tests.factories import fill, make_open, plain, scale, yes_no
from tests.pages import owner_of, page_of, words_of
from tests.results.drawn import numbers_in
from tests.results.seen import context_of

pytestmark = pytest.mark.django_db
YEAR, FIRST, LATER = "Which year are you in?", "First year", "Second year or Later"
COUNTS = {"00": 30, "10": 20, "01": 15, "11": 25, "02": 2, "12": 3}


@pytest.fixture
def survey() -> Survey:
    survey = make_open(yes_no(), plain(), server_mode_allowed=True)
    fill(survey, COUNTS)
    return close_survey(survey=survey)


def test_the_estimate_is_the_observed_share_with_the_interval_of_any_share(survey: Survey) -> None:
    estimate = estimate_prevalence([50, 45], direct())
    interval = estimate.interval(0.95, "wilson")
    context = context_of("survey-results-question", survey, number=2)
    low, high = (math.floor(100 * interval.low[0]), math.ceil(100 * interval.high[0]))
    assert numbers_in(context["finding"].sure) == ["95", str(low), str(high), "2"]
    assert context["result"].first.item.labels == (FIRST, LATER)
    assert estimate.point.tolist() == estimate.observed.tolist()
    page = words_of(page_of("survey-results-question", survey, number=2))
    assert context["finding"].sure in page
    assert LATER in page


def test_of_chance_its_page_has_neither_the_check_of_the_procedure_nor_what_one_report_reveals(survey: Survey) -> None:
    protected, plainly = (context_of("survey-results-question", survey, number=number) for number in (1, 2))
    pages = [page_of("survey-results-question", survey, number=number) for number in (1, 2)]
    for mark in (
        f"<caption>{protected['misfit'].caption}</caption>",
        reverse("survey-results-bayes", args=[survey.code]) + "?method=wilson&amp;level=.95&amp;item=",
        'id="repeated"',
        'class="raw"',
        "(randomized)",
    ):
        assert [mark in page for page in pages] == [True, False], mark
    assert [context.get("scatter") is not None for context in (protected, plainly)] == [True, False]
    assert len({re.findall(r"<summary>([^<]+) <span", page)[-1] for page in pages}) == 2  # what the matrix is called


def test_answers_are_compared_where_there_are_no_groups(survey: Survey) -> None:
    assert context_of("survey-results-groups", survey)["chosen"].by.title == YEAR
    page = words_of(page_of("survey-results-groups", survey))
    # Of 50 in the first year 20 reported Yes, of 45 others 28: (20/50 − 1/4)/(1/2) = 30% and 74%.
    assert f"{FIRST} 5 to 58 n = 50" in page
    assert f"{LATER} 45 to 100 n = 45" in page


def test_other_tabs_take_it_as_any_question(survey: Survey) -> None:
    assert YEAR in page_of("survey-results-relate", survey, "?a=1&b=2")
    assert LATER in page_of("survey-results-regression", survey, "?outcome=1&predictor=2")
    assert YEAR not in page_of("survey-results-bayes", survey)


def test_nothing_is_computed_of_a_chance_that_there_is_not(survey: Survey) -> None:
    # What its chance costs on the plan, its ε among the formulas, and the steps that take its chance away on slides.
    prices = []
    for item in (1, 2):
        page = page_of("survey-results-plan", survey, f"?item={item}")
        prices.append(numbers_in(page.split('data-says="price">')[1].split("</p>")[0]))
    assert [bool(numbers) for numbers in prices] == [True, False]
    assert page_of("survey-results-methods", survey).count('data-formula="epsilon"') == 1
    protected, plainly = (set(reveal.steps) for reveal in reveals_of(Report(survey)))
    assert SlideStep.STRETCH in protected
    assert not plainly & {SlideStep.CHANCE, SlideStep.STRETCH}


def test_in_files_the_answers_that_few_share_are_one(survey: Survey) -> None:
    client = owner_of(survey)
    response = client.get(reverse("survey-export-json", args=[survey.code]))
    content = json.loads(b"".join(response.streaming_content))  # type: ignore[attr-defined]
    item = content["items"][1]
    assert (item["design"], item["kind"], item["epsilon"]) == ("plain", "one_of", None)
    assert item["truths"] == item["reports"] == [FIRST, LATER]
    assert item["numerators"] == [[1, 0], [0, 1]]
    rows = {(tuple(row["reports"]), row["mode"]): row["count"] for row in content["responses"]}
    assert rows == {
        ((0, 0), "(withheld)"): 30,
        ((1, 0), "(withheld)"): 20,
        ((0, 1), "(withheld)"): 17,
        ((1, 1), "(withheld)"): 28,
    }


def test_a_scale_of_which_points_are_one_has_no_mean() -> None:
    survey = make_open(yes_no(), scale(design="plain", parameters={}))
    fill(survey, {"00": 20, "01": 15, "12": 12, "13": 3, "14": 2})
    result = context_of("survey-results-question", close_survey(survey=survey), number=2)["result"]
    assert result.first.scale is None
    assert result.first.item.labels[-1] == "3, 4 or 5 (Always)"


@pytest.mark.parametrize("name", ["survey-ethics", "survey-export-codebook"])
def test_the_ethics_packet_and_the_codebook_name_it(survey: Survey, name: str) -> None:
    unprotected = {"unprotected": definition_of(survey).unprotected}
    assert words_of(render_to_string("common/_unprotected.html", unprotected)) in words_of(page_of(name, survey))
