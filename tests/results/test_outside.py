"""Where no interval can be shown: in which words the results say why."""

import re
from html import unescape

import pytest
from django.urls import reverse

from surveys.drafts.services.surveys import QuestionDraft
from surveys.estimation.claims import METHODS
from surveys.models import Survey
from tests.factories import PROTECTED, crosswise, fill, make_open, number_mean, scale, triangular, yes_no
from tests.pages import owner_of, page_of, text_of

pytestmark = pytest.mark.django_db


def _page(survey: Survey, query: str = "") -> str:
    return unescape(page_of("survey-figures", survey, query))


def test_a_report_that_nobody_need_have_sent_is_told_of_everybodys_true_answer() -> None:
    # Under crosswise with 1/4, “the same” comes from 25% where everybody has the answer.
    survey = make_open(crosswise(leave_out="no"), minimum_n=5)
    fill(survey, {"0": 19, "1": 1})
    page = _page(survey)
    assert "fewer than the 25% that chance gives if everybody’s true answer is “Yes”" in page
    assert "true of" not in page


@pytest.mark.parametrize("draft", [number_mean(leave_out="no"), number_mean(**PROTECTED)])
def test_equal_reports_that_chance_alone_can_give_have_an_interval(draft: QuestionDraft) -> None:
    # Chance alone gives five equal reports of five with .237, even where everybody's number is the lowest.
    survey = make_open(draft, minimum_n=5)
    fill(survey, {"0": 5})
    page = _page(survey)
    assert "fits the reports" not in page
    assert "confidence interval: 0.00 to" in page


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["survey-figures", "survey-results-methods", "survey-results-question"])
def test_reports_that_do_not_vary_leave_nothing_certain(method: str, name: str) -> None:
    # All say “Yes to at least one”, which everybody with the truth Yes does, and others by chance.
    survey = make_open(triangular(leave_out="no"))
    fill(survey, {"1": 40})
    arguments = [survey.code, 1] if name.endswith("question") else [survey.code]
    page = unescape(text_of(owner_of(survey).get(reverse(name, args=arguments) + f"?method={method}")))
    assert "between 100 and 100" not in page
    assert "100.0 to 100.0%" not in page
    assert not re.search(r"data-low=\"1\.0+\" data-high=\"1\.0+\"|>1 to 1<", page)


@pytest.mark.parametrize("method", METHODS)
def test_a_mean_of_reports_that_do_not_vary_is_not_certain(method: str) -> None:
    survey = make_open(number_mean(leave_out="no", parameters={"truth": [19, 20], "yes": [1, 2]}))
    fill(survey, {"1": 40})
    page = _page(survey, f"?method={method}")
    assert "between 12.00 and 12.00" not in page


@pytest.mark.parametrize("method", METHODS)
def test_the_shares_of_a_scale_that_do_not_vary_are_not_certain(method: str) -> None:
    survey = make_open(scale(leave_out="no", parameters={"truth": [97, 100]}))
    fill(survey, {"4": 12})
    page = _page(survey, f"?method={method}")
    assert not re.search(r"(?<![\d.])([\d.]+) (?:and|to) \1(?![\d.])", page)


@pytest.mark.parametrize(("reports", "limit"), [({"0": 83, "1": 17}, "0%"), ({"0": 17, "1": 83}, "100%")])
def test_forged_reports_may_leave_the_estimate_where_it_was(reports: dict[str, int], limit: str) -> None:
    survey = make_open(yes_no(leave_out="no"))
    fill(survey, reports)
    assert f"If 1 of 100 reports was forged, the estimate would still be limited to {limit}." in _page(
        survey, "?level=.999"
    )


def test_forged_reports_may_leave_a_mean_where_it_was() -> None:
    survey = make_open(number_mean(leave_out="no"))
    fill(survey, {"0": 83, "1": 17})
    words = "If 1 of 100 reports was forged, the mean would still be limited to 0.00 hours."
    assert words in _page(survey, "?level=.999")


def test_where_no_mean_fits_the_reports_the_page_says_so_of_other_intervals() -> None:
    survey = make_open(number_mean(leave_out="no"))
    fill(survey, {"0": 19, "1": 1})
    assert "No interval: no mean from 0 to 12 hours fits the reports." in _page(survey)
