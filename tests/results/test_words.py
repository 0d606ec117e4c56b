"""Sentences of results that claim or promise something, each held here and nowhere else."""

import datetime as dt
from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
from django.template.loader import render_to_string

from surveys.common.selectors import definition_of
from surveys.estimation.claims import FigureOptions
from surveys.models import Survey
from surveys.numbers.words import Units
from surveys.privacy.designs import forced_response
from surveys.questionnaire.question import Question
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.results.charts import question_notes
from surveys.results.figures.means import BandsResult
from surveys.results.figures.questions import Oddity, QuestionResult, results_of
from surveys.results.pages import QUESTION
from surveys.results.pages.overview import overview_charts
from surveys.results.report import Refusal, Report, ResultsOptions, coverage_words, simultaneous_words
from surveys.results.sections.arms import arm_sizes_words
from surveys.results.sections.forged import forged_words
from surveys.results.words import (
    HIGHER_IS_NO_PROOF,
    bounds_words,
    difference_words,
    finding_of,
    limited_to,
    mean_words,
    oddity,
    outside_words,
    share_title,
    together_words,
)
from tests.factories import PROTECTED, fill, make_open, number_bands, number_mean, number_window, one_of, scale, yes_no
from tests.pages import page_of, words_of

pytestmark = pytest.mark.django_db
Stub: Any = SimpleNamespace  # has what a sentence is made of, and nothing else
HOURS = Units(Fraction(0), Fraction(12), "hours")
OPTIONS = ResultsOptions("wilson", ".95", ())


def _outside(*, moment: float, observed: float, edge: float) -> str:
    return outside_words(Stub(moment=moment, observed=observed, edge=edge, report="Same", label="Yes"))


def _oddity(count: int, edge: float, *, too_few: bool, in_the_head: bool) -> str:
    item: Any = Stub(item=Stub(in_the_head=in_the_head), n=100)
    return oddity(Oddity("Yes", count, too_few=too_few, edge=edge), item)


def _title(estimate: float, low: float, high: float) -> str:
    return share_title(Stub(estimate=estimate, low=low, high=high), "Yes")


def _mean(method: str = "wilson", **fields: Any) -> str:
    mean = {"estimate": 3.0, "no_width": False, "outside": False, "low": 1, "high": 5} | fields
    return mean_words(Stub(method=method, **mean), HOURS)


def _result(draft: Question, counts: dict[str, int]) -> QuestionResult:
    survey = make_open(draft)
    fill(survey, counts)
    definition = definition_of(survey)
    [result] = results_of(definition, snapshot_of(survey, definition), FigureOptions()).questions
    return result


def _notes(draft: Question, counts: dict[str, int]) -> list[str]:
    return question_notes(_result(draft, counts), OPTIONS)


def _expectation(draft: Question, counts: dict[str, int]) -> str:
    survey = make_open(draft)
    fill(survey, counts)
    words = page_of("survey-results-plan", survey).split('data-says="expectation">')[1].split("</p>")[0]
    return ". ".join(words_of(words).split(". ")[-2:])


def _coverage(*, of_mean: bool) -> str:
    item: Any = Stub(grid=None, design=forced_response(), range=of_mean)
    return coverage_words(item, 10, "wald", 0.95)


def _difference(*, tested: bool) -> str:
    first, second = Stub(number=1), Stub(number=2)
    pair: Any = Stub(first=first, second=second, point=-0.2, interval=Stub(low=-0.3, high=-0.1), p_value=0.04)
    return difference_words(pair, tested=tested)


def _arm_sizes(p_value: float) -> str:
    arms = [Stub(name="A", weight=1), Stub(name="B", weight=1)]
    return arm_sizes_words(Stub(arms=arms, sizes=(80, 20), p_value=p_value, uneven=p_value < 0.01))


def _overview_note() -> str:
    survey = make_open(yes_no("Copied?", leave_out="no"), one_of(("Never", "Once", "Often")))
    fill(survey, {"00": 40, "11": 30, "12": 20})
    return str(overview_charts(Report(survey), [])[0].note)


def _rendered(template: str, **context: Any) -> str:
    return words_of(render_to_string(f"results/{template}.html", context))


def _counted_until() -> str:
    moment, survey = dt.datetime(2026, 1, 15, 13, 5, tzinfo=dt.UTC), Survey(time_zone="Europe/Berlin")
    return words_of(render_to_string("common/_counted_until.html", {"counted_until": moment, "survey": survey}))


def _refusal(refusal: Refusal, **context: Any) -> str:
    page = render_to_string("results/_refusal.html", context | {"refusal": refusal, "snapshot": Stub(minimum_n=10)})
    return words_of(page.partition("</h2>")[2])


def _not_shown(**question: Any) -> str:
    asked = Stub(**({"asked_if": None, "protects": False} | question))
    return _rendered("_untold", question=asked, snapshot=Stub(minimum_n=10))


def _alarm(items: int) -> str:
    return _rendered("_odd", result=Stub(items=[Stub(oddities=(), item=Stub(option=""))] * items))


SENTENCES: list[tuple[Callable[[], str], str]] = [
    # Why a share, or a mean, has no interval.
    (
        lambda: _outside(moment=-0.1, observed=0.05, edge=0.25),
        "No interval: 5 of 100 reports say “Same”, fewer than the 25 expected if nobody’s true answer is “Yes”",
    ),
    (
        lambda: _outside(moment=-0.1, observed=0.95, edge=0.75),
        "No interval: 95 of 100 reports say “Same”, more than the 75 expected if nobody’s true answer is “Yes”",
    ),
    (
        lambda: _outside(moment=1.1, observed=0.05, edge=0.25),
        "No interval: 5 of 100 reports say “Same”, fewer than the 25 expected if everybody’s true answer is “Yes”",
    ),
    (
        lambda: _outside(moment=1.1, observed=0.95, edge=0.75),
        "No interval: 95 of 100 reports say “Same”, more than the 75 expected if everybody’s true answer is “Yes”",
    ),
    (lambda: _mean(estimate=None), "No estimate, because all reports may come from people who prefer not to say."),
    (lambda: _mean(no_width=True), "No interval, because two equal limits would be misleading"),
    (
        lambda: _mean("wald", outside=True),
        "No interval, because the Wald interval lies outside the possible range, 0 to 12 hours.",
    ),
    (lambda: _mean(outside=True), "No interval, because no mean from 0 to 12 hours fits the reports."),
    # What respondents who follow the procedure cannot have sent.
    (
        lambda: _oddity(5, 0.25, too_few=True, in_the_head=True),
        "5 of 100 reports say “Yes”. Because of the innocuous question, about 25 of 100 or more would be expected, "
        "whatever the true answers are.",
    ),
    (
        lambda: _oddity(95, 0.75, too_few=False, in_the_head=True),
        "95 of 100 reports say “Yes”. Because of the innocuous question, about 75 of 100 or less would be expected, "
        "whatever the true answers are.",
    ),
    (
        lambda: _oddity(5, 0.25, too_few=True, in_the_head=False),
        "5 of 100 reports say “Yes”. Because of the randomization, about 25 of 100 or more would be expected, "
        "whatever the true answers are.",
    ),
    (
        lambda: _oddity(95, 0.75, too_few=False, in_the_head=False),
        "95 of 100 reports say “Yes”. Because of the randomization, about 75 of 100 or less would be expected, "
        "whatever the true answers are.",
    ),
    (lambda: _alarm(1), "Respondents probably did not follow the instructions. There is no reliable estimate."),
    (lambda: _alarm(2).partition(". ")[2], "Where this problem occurs, there is no reliable estimate."),
    # The estimate, as roughly as its interval allows, and how it follows from the reports.
    (lambda: _title(0.27, 0.17, 0.37), "About 1 in 4 would truthfully answer Yes"),
    (lambda: _title(0.49, 0.39, 0.59), "About half would truthfully answer Yes"),
    (lambda: _title(0.46, 0.36, 0.56), "About 46 of 100 would truthfully answer Yes"),
    (lambda: _title(0.03, 0.0, 0.09), "0 to 9 of 100 would truthfully answer Yes"),
    (lambda: _title(0.5, 0.29, 0.71), "These reports cannot show how many people would truthfully answer Yes"),
    (lambda: limited_to(Stub(limited=True, estimate=0.0, moment=-0.04)), "−4 before truncation at 0"),
    (lambda: limited_to(Stub(limited=True, estimate=1.0, moment=1.04)), "104 before truncation at 100"),
    (
        lambda: finding_of(_result(yes_no(leave_out="no"), {"1": 150, "0": 240}), 0.95).origin,
        "150 of 390 reports say “Yes”, which is 38.5 of 100. If “Yes” was nobody’s true answer, 25 of 100 would be "
        "expected. If it was everybody’s, 75 would be expected. 38.5 is 26.9% of the way from 25 to 75.",
    ),
    (
        lambda: finding_of(_result(yes_no(leave_out="no"), {"1": 23, "0": 77}), 0.95).origin.rpartition(". ")[2],
        "No share can be below 0 or above 100 of 100, so the estimates are adjusted to possible shares.",
    ),
    (
        lambda: bounds_words(BandsResult((Fraction(0), Fraction(3000)), "€", False, Stub(), (156, 1624), (), "")),
        "The mean assumes that all numbers lie at the midpoints of their bands. Their actual positions are unknown, "
        "so with these shares the mean could be anything from 156 to 1,624 €. The interval allows for this too. Its "
        "lower limit puts all numbers at the lower ends of their bands, and its upper limit puts them at the upper "
        "ends.",
    ),
    (
        lambda: _expectation(number_window(), {"3": 20, "5": 20, "8": 20}),
        "This assumes numbers spread evenly over the range. The closer together the numbers are, the shorter the "
        "interval.",
    ),
    (
        lambda: _notes(number_mean(**PROTECTED), {"2": 25, "1": 8, "0": 6})[-1],
        "The estimated number of people who gave an answer is too small, so no results are shown for them alone.",
    ),
    (
        lambda: _notes(scale(leave_out="no"), {"0": 20, "2": 20, "4": 20})[-1],
        "The mean treats the scale points as equally spaced numbers.",
    ),
    # By which method an interval is, and how often it holds.
    (
        lambda: _notes(number_mean(**PROTECTED), {"2": 70, "1": 22, "0": 22})[0],
        "There is no “Wilson (score)” interval for this mean, because the share of people who gave a number is "
        "itself estimated. “Likelihood ratio” is shown instead.",
    ),
    (
        lambda: _notes(number_bands(leave_out="no"), {"0": 60, "1": 40, "2": 30})[0],
        "“Wilson (score)” intervals are for single shares, not for this mean. “Likelihood ratio” is shown instead.",
    ),
    (
        lambda: _coverage(of_mean=False),
        "Suppose the true share is about 92.8 of 100. With 10 answers, intervals by this method then contain it in "
        "as few as 78.9 of 100 surveys, instead of the intended 95. Clopper–Pearson intervals never fall below "
        "their stated level.",
    ),
    (
        lambda: _coverage(of_mean=True),
        "With 10 answers, intervals by this method contain the true mean in as few as 78.9 of 100 surveys, instead of "
        "the intended 95. Clopper–Pearson intervals never fall below their stated level.",
    ),
    (
        lambda: simultaneous_words(3, FigureOptions()),
        "The intervals of these 3 shares hold simultaneously (Bonferroni).",
    ),
    (
        lambda: _rendered("_one_look", one_look=True),
        "The level holds for one look. Over ten looks, 95% becomes about 80%. After closing, the level "
        "holds again if the rule for closing was fixed before opening.",
    ),
    (
        lambda: _rendered(
            "_one_look", one_look=True, tab=QUESTION, options=Stub(wanted=FigureOptions("confidence_sequence"))
        ),
        "Each question’s interval holds however often you look. Comparisons and models hold for one look.",
    ),
    (lambda: _rendered("_followed"), "Estimates and intervals are valid if everyone followed the instructions."),
    (
        _overview_note,
        "If a question has several answers, the largest estimate is shown. Its interval allows for this choice "
        "(Bonferroni).",
    ),
    (
        _counted_until,
        "Counted up to 15 January 2026, 14:05 (Europe/Berlin). Later answers are stored but not counted yet, because "
        "counting has stopped. Tell this server’s administrators.",
    ),
    # What forged reports could have done.
    (
        lambda: forged_words(_result(yes_no(leave_out="no"), {"1": 40, "0": 60}))[0],
        "If 1 of 100 reports was forged, the estimate without forgery could be anything from 28 to 32 of 100.",
    ),
    (
        lambda: forged_words(_result(yes_no(leave_out="no"), {"1": 17, "0": 83}))[0],
        "If 1 of 100 reports was forged, the estimate without forgery would still be truncated to 0 of 100.",
    ),
    (
        lambda: forged_words(_result(one_of(), {"0": 40, "1": 40, "2": 40}))[0],
        "If 1 of 120 reports was forged, no share could have moved by more than 1.7 percentage points.",
    ),
    # Ways of asking held against each other.
    (
        lambda: str(HIGHER_IS_NO_PROOF),
        "A higher estimate is not necessarily better. People who tap at random, or always tap the same answer, can "
        "raise it (Höglinger and Jann, 2018, “More is not always better”, PLoS ONE 13).",
    ),
    (
        lambda: _difference(tested=True),
        "The estimate for question 2 is higher than for question 1 by 20 percentage points (between 10 and 30; test "
        "of no difference: p = 0.040).",
    ),
    (
        lambda: _difference(tested=False),
        "The estimate for question 2 is higher than for question 1 by 20 percentage points (between 10 and 30).",
    ),
    (
        lambda: together_words(Stub(low=0.1, high=0.3, fits=0.5)),
        "A common share for these arms would be between 10 and 30 of 100, which fits their reports (p = 0.500).",
    ),
    (
        lambda: together_words(Stub(low=0.1, high=0.3, fits=0.01)),
        "A common share for these arms would be between 10 and 30 of 100, which does not fit "
        "their reports (p = 0.010).",
    ),
    (
        lambda: _arm_sizes(0.001),
        "Responses by arm: A (80), B (20). Planned ratio: 1:1. With random assignment, the responses rarely differ "
        "this much from the planned ratio (p = 0.001). More people may have dropped out of one arm than out of "
        "another. If so, the arms are not comparable.",
    ),
    # Why nothing is shown.
    (
        lambda: _refusal(Refusal.TOO_FEW),
        "Results appear once 10 people have answered. Fewer could reveal too much about individuals and too little "
        "about the class.",
    ),
    (
        lambda: _refusal(Refusal.WITHHELD, definition=Stub(withheld_until_closed=True)),
        "In a survey with arms or unprotected questions, comparing two views of the results could expose individuals. "
        "So results are not shown until the survey is closed.",
    ),
    (
        lambda: _refusal(Refusal.WITHHELD, definition=Stub(withheld_until_closed=False)),
        "While a survey is open, only the totals of each question are shown. Comparing two views of the groups could "
        "expose individuals, so groups are not shown until the survey is closed.",
    ),
    (
        lambda: _refusal(Refusal.PURGED),
        "Purging this survey deleted its reports and all counts of them. This can’t be undone. The questions stay on "
        "the survey’s page, and releases stay as they are.",
    ),
    (
        lambda: _not_shown(asked_if=True),
        "Only some people get this question, depending on an unprotected answer. Its results are shown only if "
        "enough people got the question and enough did not.",
    ),
    (
        lambda: _not_shown(protects=True),
        "Only some arms get this question, and in one arm fewer than 10 people responded or answered one of the "
        "questions. So no results are shown for questions asked only in some arms.",
    ),
    (
        _not_shown,
        "This question is not protected. In some group, or in combination with other unprotected answers, one of "
        "its answers was given by fewer than 10 people. So none of its answers are shown.",
    ),
]


@pytest.mark.parametrize(("make", "sentence"), SENTENCES)
def test_a_sentence_that_claims_or_promises_something(make: Callable[[], str], sentence: str) -> None:
    assert " ".join(make().split()) == sentence
