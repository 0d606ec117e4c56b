"""Where no interval can be shown: in which words the results say why."""

from html import unescape

import pytest
from django.urls import reverse

from surveys.models import Survey
from surveys.services.surveys import QuestionDraft
from tests.factories import PROTECTED, crosswise, fill, make_open, number_mean
from tests.instructor.editing import owner_of, text_of

pytestmark = pytest.mark.django_db


def _page(survey: Survey, query: str = "") -> str:
    return unescape(text_of(owner_of(survey).get(reverse("survey-figures", args=[survey.code]) + query)))


def test_a_report_that_nobody_need_have_sent_is_told_of_everybodys_true_answer() -> None:
    # Under crosswise with 1/4, “the same” comes from 25% where everybody has the answer.
    survey = make_open(crosswise(leave_out="no"), minimum_n=5)
    fill(survey, {"0": 19, "1": 1})
    page = _page(survey)
    assert "fewer than the 25% that chance gives if everybody’s true answer is “Yes”" in page
    assert "true of" not in page


@pytest.mark.parametrize("draft", [number_mean(leave_out="no"), number_mean(**PROTECTED)])
def test_walds_interval_outside_the_range_is_not_blamed_on_the_reports(draft: QuestionDraft) -> None:
    # Chance alone gives five equal reports of five with .237, even where everybody's number is the lowest.
    survey = make_open(draft, minimum_n=5)
    fill(survey, {"0": 5})
    page = _page(survey, "?method=wald")
    assert "No interval: Wald’s lies outside what is possible, 0 to 12 hours. Choose Wilson’s instead." in page
    assert "fits the reports" not in page
    assert "Between 0.00 and" in _page(survey, "?method=wilson")


def test_where_no_mean_fits_the_reports_the_page_says_so_of_other_intervals() -> None:
    survey = make_open(number_mean(leave_out="no"))
    fill(survey, {"0": 19, "1": 1})
    assert "No interval: no mean from 0 to 12 hours fits the reports." in _page(survey)
