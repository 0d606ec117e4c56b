"""What a regression concludes follows the likelihood-ratio tests beside it, and its limits are rounded outwards."""

import math
import re
from collections.abc import Sequence

import pytest

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.drafts.services.groups import add_group
from surveys.models import Survey
from surveys.results.figures.regression import terms
from surveys.results.pages import regression as words
from tests.factories import fill, make_open, yes_no
from tests.pages import number, rows_under, said_on
from tests.results.regression.test_regression import core_fit, outwards_odds, regression_page

pytestmark = pytest.mark.django_db


def _two_by_two(survey: Survey, table: Sequence[Sequence[int]]) -> None:
    """Fill in a table of reports: the first answer down, the second across."""
    fill(survey, {f"{a}{b}": count for a, row in enumerate(table) for b, count in enumerate(row)})


def test_an_association_that_wald_cannot_measure_is_said() -> None:
    # Far out the likelihood is flat and the standard error huge: Wald's interval would hold 1.
    survey = make_open(yes_no(leave_out="no"), yes_no("Before?", leave_out="no"))
    _two_by_two(survey, [[183, 93], [111, 113]])
    page = regression_page(survey, "?outcome=2&option=1&predictor=1")
    items = definition_of(survey).items
    fit, _n, _dropped = core_fit(survey, items[1], 1, [items[0]])
    assert fit.interval().low[1] < 0 < fit.interval().high[1]
    told = re.search(r"“Yes” have (?:about \S+ times \()?(\S+) to no limit(?:\)| times) the odds of “Yes” that", page)
    assert told
    profile = fit.profile_interval(1)
    assert outwards_odds(told[1], profile.low, up=False)
    assert 4.5 < math.exp(profile.low) < 4.8
    assert profile.high > math.log(1000)
    assert "no conclusion" not in page


def test_where_only_wald_s_interval_is_shown_the_test_speaks() -> None:
    survey = make_open(yes_no(leave_out="no"), yes_no("Before?", leave_out="no"))
    _two_by_two(survey, [[183, 93], [111, 113]])
    page = regression_page(survey, "?outcome=2&option=1&predictor=1&se=sandwich")
    assert "intervals by Wald, each by itself" in page
    assert "“Yes” have other odds of “Yes” than those with “No”: likelihood ratio, p &lt; 0.001." in page
    assert "How many times the odds is not determined." in page
    assert "no conclusion" not in page


@pytest.mark.slow
@pytest.mark.uncounted
def test_one_of_many_groups_is_concluded_about_only_if_all_their_odds_are_not_the_same() -> None:
    survey = make_open(yes_no(leave_out="no"))
    for name, yes in zip("ABCDEF", (80, 103, 84, 86, 90, 88), strict=True):
        fill(survey, {"1": yes, "0": 200 - yes}, group=add_group(survey=survey, name=name))
    survey = close_survey(survey=survey)
    page = regression_page(survey, "?outcome=1&option=1&groups=1")
    [test, _whole] = rows_under(page, "Likelihood-ratio tests")
    assert 0.05 < number(test[3]) < 0.5
    sentences = [said_on(part.split("</li>")[0]) for part in page.split('<li data-says="term">')[1:]]
    assert len(sentences) == 5
    assert all("no conclusion" in sentence for sentence in sentences)
    assert re.search(
        r"“B”: no conclusion\. By itself it would have about \d\S* times \(1\.\d+ to \d\S*\) the odds of “Yes” that "
        rf"the group “A” has, but the likelihood-ratio test of the groups gives p = {re.escape(test[3])}\.",
        sentences[0],
    )
    assert "were randomized too" not in page


def test_a_limit_next_to_no_association_shows_its_side() -> None:
    term = terms.Term("", 1.0, 1.0, math.log(1.0031), math.log(3.501))
    assert words.low_odds(term) == "1.003"
    assert words.high_odds(term) == "3.51"
    below = terms.Term("", -1.0, 1.0, -math.inf, math.log(0.9968))
    assert words.low_odds(below) == "less than 0.001"
    assert words.high_odds(below) == "0.997"
    assert words.signed_high(-0.00021) == "−0.0002"
    assert words.signed_low(0.0) == "0.000"
