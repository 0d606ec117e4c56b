"""What a regression concludes follows the likelihood-ratio tests beside it, and each sentence about it is held once."""

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.drafts.services.groups import add_group
from surveys.estimation.regression.testing import LikelihoodRatioTest
from surveys.models import Survey
from surveys.results.figures.regression.terms import Block, Regression, Term
from surveys.results.pages import regression as words
from tests.factories import fill, make_open, yes_no
from tests.pages import number, rows_under
from tests.results.regression.test_regression import core_fit
from tests.results.seen import page_and_context, says


def _two_by_two(survey: Survey, table: Sequence[Sequence[int]]) -> None:
    """Fill in a table of reports: the first answer down, the second across."""
    fill(survey, {f"{a}{b}": count for a, row in enumerate(table) for b, count in enumerate(row)})


def _regressed(survey: Survey, query: str) -> tuple[str, Regression]:
    """Return a page and the regression on it, of which it says each term."""
    page, context = page_and_context("survey-results-regression", survey, query)
    regression: Regression = context["found"]
    for block in regression.blocks:
        for term in block.terms:
            assert says(page, words.term_sentence(regression, block, term, context["answer"])[1:])
    return page, regression


@pytest.mark.django_db
def test_an_association_that_wald_cannot_measure_is_concluded_by_its_profile() -> None:
    # Far out the likelihood is flat and the standard error huge: Wald's interval would hold 1.
    survey = make_open(yes_no(leave_out="no"), yes_no("Before?", leave_out="no"))
    _two_by_two(survey, [[183, 93], [111, 113]])
    _page, regression = _regressed(survey, "?outcome=2&option=1&predictor=1")
    items = definition_of(survey).items
    fit, _n, _dropped = core_fit(survey, items[1], 1, [items[0]])
    assert fit.interval().low[1] < 0 < fit.interval().high[1]
    profile, [block] = fit.profile_interval(1), regression.blocks
    [term] = block.terms
    assert regression.concludes(block, term)
    assert term.low == pytest.approx(profile.low)
    assert 4.5 < math.exp(profile.low) < 4.8
    assert profile.high > math.log(1000)
    # Where only Wald's interval is shown, the test speaks.
    page, regression = _regressed(survey, "?outcome=2&option=1&predictor=1&se=sandwich")
    [block] = regression.blocks
    assert (regression.profiled, regression.only_tested(block, block.terms[0])) == (False, True)
    assert "Coefficients, with individual 95% Wald intervals" in page


@pytest.mark.slow
@pytest.mark.uncounted
@pytest.mark.django_db
def test_one_of_many_groups_is_concluded_about_only_if_all_their_odds_are_not_the_same() -> None:
    survey = make_open(yes_no(leave_out="no"))
    for name, yes in zip("ABCDEF", (80, 103, 84, 86, 90, 88), strict=True):
        fill(survey, {"1": yes, "0": 200 - yes}, group=add_group(survey=survey, name=name))
    survey = close_survey(survey=survey)
    page, regression = _regressed(survey, "?outcome=1&option=1&groups=1")
    [block] = regression.blocks
    [test, _all] = rows_under(page, "Likelihood-ratio tests")
    assert 0.05 < number(test[3]) < 0.5
    assert len(block.terms) == 5
    assert block.terms[0].excludes_zero
    assert not any(regression.concludes(block, term) for term in block.terms)
    assert not regression.by_answers


def test_a_limit_next_to_no_association_shows_its_side() -> None:
    term = Term("", 1.0, 1.0, math.log(1.0031), math.log(3.501))
    assert words.low_odds(term) == "1.003"
    assert words.high_odds(term) == "3.51"
    below = Term("", -1.0, 1.0, -math.inf, math.log(0.9968))
    assert words.low_odds(below) == "less than 0.001"
    assert words.high_odds(below) == "0.997"
    assert words.signed_high(-0.00021) == "−0.0002"
    assert words.signed_low(0.0) == "0.000"


@pytest.mark.django_db
def test_that_a_likelihood_was_penalized_is_said() -> None:
    nearly = {"parameters": {"truth": [98, 100], "yes": [1, 2]}, "leave_out": "no"}
    survey = make_open(yes_no(**nearly), yes_no("Before?", **nearly))
    _two_by_two(survey, [[100, 0], [0, 100]])
    page, regression = _regressed(survey, "?outcome=2&option=1&predictor=1")
    assert regression.penalized
    assert says(
        page,
        "Maximum likelihood gives no usable odds ratios here, because these reports fit best with some probabilities "
        "at or near 0 or 1. The odds ratios shown come from a penalized likelihood (Firth 1993).",
    )


CLEAR = Term("Yes", math.log(3), 0.2, math.log(2), math.log(4.5))
UNCLEAR = Term("Yes", math.log(1.5), 0.4, math.log(0.5), math.log(4.5))
BEYOND = Term("Yes", math.log(2000), 9.0, math.log(4.65), math.inf)
QUESTION: Any = SimpleNamespace(key="1")


def _sentence(term: Term, p: float, *, groups: bool = False, other: str = "") -> str:
    """Say of a term with a test of this p what is known; `other` is what else the model has."""
    block = Block(None if groups else QUESTION, "No", (term,), LikelihoodRatioTest(4.0, 1, p))
    another = Block(None if other == "group" else QUESTION, "", (), None)
    third = (another,) if other == "all" else ()
    regression = Regression(100, 0, blocks=(block, *((another,) if other else ()), *third))
    return words.term_sentence(regression, block, term, "Before")


@pytest.mark.parametrize(
    ("made_of", "sentence"),
    [
        (
            (CLEAR, 0.01, False),
            "people whose true answer to question 1 is “Yes” have odds of “Before” that are about 3.00 times (2.00 to "
            "4.50) those of people with “No”.",
        ),
        (
            (CLEAR, 0.01, True),
            "the group “Yes” has odds of “Before” that are about 3.00 times (2.00 to 4.50) those of the group “No”.",
        ),
        (
            (UNCLEAR, 0.01, False),
            "people whose true answer to question 1 is “Yes” differ from people with “No” in their odds of “Before” "
            "(likelihood-ratio test, p = 0.010), but the size of the difference is not determined.",
        ),
        (
            (UNCLEAR, 0.01, True),
            "the group “Yes” differs from the group “No” in its odds of “Before” (likelihood-ratio test, p = 0.010), "
            "but the size of the difference is not determined.",
        ),
        (
            (CLEAR, 0.2, False),
            "people whose true answer to question 1 is “Yes”: no conclusion. By the interval alone, their odds of "
            "“Before” would be about 3.00 times (2.00 to 4.50) those of people with “No”, but the test of the question "
            "gives p = 0.200.",
        ),
        (
            (CLEAR, 0.2, True),
            "the group “Yes”: no conclusion. By the interval alone, its odds of “Before” would be about 3.00 times "
            "(2.00 to 4.50) those of the group “No”, but the test of the groups gives p = 0.200.",
        ),
        (
            (UNCLEAR, 0.2, False),
            "people whose true answer to question 1 is “Yes”: no conclusion. Their odds of “Before” could be about "
            "1.50 times (0.50 to 4.50) those of people with “No”.",
        ),
        (
            (UNCLEAR, 0.2, True),
            "the group “Yes”: no conclusion. Its odds of “Before” could be about 1.50 times (0.50 to 4.50) those of "
            "the group “No”.",
        ),
    ],
)
def test_what_is_known_of_a_term_is_said(made_of: tuple[Term, float, bool], sentence: str) -> None:
    term, p, groups = made_of
    assert " ".join(_sentence(term, p, groups=groups).split()) == sentence


def test_a_limit_out_of_sight_is_none() -> None:
    assert "at least 4.65 times those of people with “No”" in _sentence(BEYOND, 0.01)


@pytest.mark.parametrize(
    ("other", "groups", "held"),
    [
        ("group", False, "Holding the group fixed:"),
        ("answer", True, "Holding the answer to the other question fixed:"),
        ("all", False, "Holding all other predictors fixed:"),
    ],
)
def test_what_is_held_fixed_is_said(other: str, groups: bool, held: str) -> None:
    alone = _sentence(CLEAR, 0.01, groups=groups)
    assert _sentence(CLEAR, 0.01, groups=groups, other=other) == f"{held} {alone}"
