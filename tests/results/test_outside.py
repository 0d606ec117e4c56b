"""Where no interval can be shown, and where one must not be a single number."""

import re
from html import unescape

import pytest

from surveys.estimation.claims import METHODS
from surveys.questionnaire.question import Question
from surveys.results.sections.forged import forged_words
from surveys.results.words import mean_words, outside_words, units_of
from tests.factories import PROTECTED, crosswise, fill, make_open, number_mean, scale, triangular, yes_no
from tests.pages import page_of
from tests.results.drawn import drawn_rows, numbers_in, page_and_context
from tests.results.seen import context_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("draft", "counts", "nobody", "edge"),
    [
        # One Yes of twenty: chance alone gives five, too few to raise the alarm, but no share is in the interval.
        (yes_no(leave_out="no"), {"0": 19, "1": 1}, True, "25%"),
        (yes_no(leave_out="no"), {"0": 1, "1": 19}, False, "75%"),
        # Under crosswise with 1/4, “the same” comes from 75% where nobody has the answer, from 25% where everybody has.
        (crosswise(leave_out="no"), {"0": 1, "1": 19}, True, "75%"),
        (crosswise(leave_out="no"), {"0": 19, "1": 1}, False, "25%"),
    ],
)
def test_where_no_share_fits_the_reports_none_is_claimed(
    draft: Question, counts: dict[str, int], nobody: bool, edge: str
) -> None:
    survey = make_open(draft)
    fill(survey, counts)
    page, context = page_and_context("survey-figures", survey)
    option = context["result"].first.options[1]
    assert (option.claimed, option.moment < 0) == (False, nobody)
    assert not context["result"].odd
    words = outside_words(option)
    assert words in page
    assert context["drawn"][0].row.detail == words
    assert numbers_in(words) == [f"{5 * counts['1']}", "100", edge.removesuffix("%")]
    assert drawn_rows(page) == [("Yes", "–")]


@pytest.mark.parametrize("draft", [number_mean(leave_out="no"), number_mean(**PROTECTED)])
def test_equal_reports_that_chance_alone_can_give_have_an_interval(draft: Question) -> None:
    # Chance alone gives five equal reports of five with .237, even where everybody's number is the lowest.
    survey = make_open(draft, minimum_n=5)
    fill(survey, {"0": 5})
    context = context_of("survey-figures", survey)
    mean = context["result"].first.mean
    assert (mean.claimed, context["drawn"][0].low) == (True, "0.00")
    assert mean.high > 0


# All say “Yes to at least one”, which everybody with the truth Yes does, and others by chance.
TRIANGULAR = triangular(leave_out="no"), {"1": 40}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("name", "draft", "reports"),
    [
        ("survey-figures", *TRIANGULAR),
        ("survey-results-methods", *TRIANGULAR),
        ("survey-results-question", *TRIANGULAR),
        ("survey-figures", number_mean(leave_out="no", parameters={"truth": [19, 20], "yes": [1, 2]}), {"1": 40}),
        ("survey-figures", scale(leave_out="no", parameters={"truth": [97, 100]}), {"4": 12}),
    ],
)
def test_reports_that_do_not_vary_leave_nothing_certain(
    name: str, draft: Question, reports: dict[str, int], method: str
) -> None:
    survey = make_open(draft)
    fill(survey, reports)
    page = unescape(page_of(name, survey, f"?method={method}", number=1 if name.endswith("question") else None))
    assert not re.search(r"(?<![\d.])([\d.]+) (?:and|to) \1(?![\d.])", page)
    assert not re.search(r"data-low=\"([\d.]+)\" data-high=\"\1\"", page)


@pytest.mark.parametrize(
    ("draft", "reports", "limit"),
    [
        (yes_no(leave_out="no"), {"0": 83, "1": 17}, ["0", "100"]),
        (yes_no(leave_out="no"), {"0": 17, "1": 83}, ["100", "100"]),
        (number_mean(leave_out="no"), {"0": 83, "1": 17}, ["0.00"]),
    ],
)
def test_forged_reports_may_leave_the_estimate_where_it_was(
    draft: Question, reports: dict[str, int], limit: list[str]
) -> None:
    survey = make_open(draft)
    fill(survey, reports)
    page, context = page_and_context("survey-figures", survey, "?level=.999")
    [words] = forged_words(context["result"])
    assert numbers_in(words) == ["1", "100", *limit]
    assert words in page


def test_where_no_mean_fits_the_reports_none_is_claimed_either() -> None:
    survey = make_open(number_mean(leave_out="no"))
    fill(survey, {"0": 19, "1": 1})
    page, context = page_and_context("survey-figures", survey)
    mean = context["result"].first.mean
    assert (mean.claimed, mean.outside) == (False, True)
    words = mean_words(mean, units_of(mean))
    assert words == context["drawn"][0].row.detail
    assert words in page
    assert numbers_in(words) == ["0", "12"]
