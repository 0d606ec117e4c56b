"""Surveys with known truths, answered through the randomizer: how often their results pages are right."""

import math
import secrets
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from scipy.special import gammaln

from surveys.answering.services.simulating import simulate
from surveys.course.services import close_survey
from surveys.estimation.prevalence import estimate_prevalence
from surveys.models import Survey
from surveys.privacy.designs import Design
from surveys.questionnaire.question import Question
from tests.factories import crosswise, make_open, make_user, one_of, unrelated, warner, yes_no

pytestmark = pytest.mark.django_db

SURVEYS = 500
LEVEL = 0.95
# A correct page fails one of these tests once in a million runs.
FALSE_ALARM = 1e-6
SIGMAS = 4.9
DRAFTS: tuple[Question, ...] = (
    yes_no(leave_out="no"),
    yes_no(leave_out="no", parameters={"truth": [2, 3], "yes": [1, 3]}),
    warner(leave_out="no"),
    crosswise(leave_out="no"),
    unrelated(leave_out="no"),
    one_of(),
)
SIZES = (30, 45, 80)
SHARES = tuple(Fraction(hundredths, 100) for hundredths in (0, 2, 10, 30, 50, 80, 100))


@dataclass(frozen=True, slots=True)
class Outcome:
    """One survey's interval for one answer, and how often an interval of its kind holds the true share."""

    expected: float
    covered: bool
    covered_uncorrected: bool  # whether the share of the reports themselves, with its own interval, would hold it


@pytest.mark.slow
@pytest.mark.uncounted
@pytest.mark.parametrize("surveys", [SURVEYS])
def test_the_intervals_on_results_pages_hold_the_truth_as_often_as_they_say(surveys: int) -> None:
    owner = make_user()
    outcomes = [_outcome(owner, DRAFTS[number % len(DRAFTS)]) for number in range(surveys)]
    expected = np.array([outcome.expected for outcome in outcomes])
    spread = math.sqrt(float((expected * (1 - expected)).sum()))
    assert float(expected.mean()) >= LEVEL - 0.01
    covered, chances = sum(outcome.covered for outcome in outcomes), _chances_of_sums(expected)
    assert min(chances[: covered + 1].sum(), chances[covered:].sum()) >= FALSE_ALARM / 2
    # The test could fail: reports that are taken for truths miss far more often.
    assert sum(outcome.covered_uncorrected for outcome in outcomes) < expected.sum() - 2 * SIGMAS * spread


def _chances_of_sums(chances: np.ndarray) -> np.ndarray:
    """Return how probable it is that 0, 1, 2, … of these come true."""
    return reduce(np.convolve, [[1 - chance, chance] for chance in chances])


def _outcome(owner: User, draft: Question) -> Outcome:
    survey = make_open(draft, owner=owner)
    n, share = secrets.choice(SIZES), secrets.choice(SHARES)
    _answer(survey, n, share)
    close_survey(survey=survey)
    client = Client()
    client.force_login(owner)
    results = client.get(reverse("survey-figures", args=[survey.code])).context["results"]
    (item,) = results.items
    assert item.n == n
    option = item.options[1]
    low, high = _interval(option.count, n, None)
    return Outcome(
        expected=_coverage(n, share, item.item.design),
        covered=option.low <= share <= option.high,
        covered_uncorrected=low <= share <= high,
    )


def _answer(survey: Survey, n: int, share: Fraction) -> None:
    """Send n people's answers, each of whom has answer 1 with this probability, and answer 0 otherwise."""
    ones = sum(secrets.randbelow(share.denominator) < share.numerator for _ in range(n))
    k = len(survey.questions[0].labels)
    shares = [Fraction(n - ones, n), Fraction(ones, n), *[Fraction(0)] * (k - 2)]
    list(simulate(survey=survey, respondents=n, shares=[shares]))


@lru_cache
def _coverage(n: int, share: Fraction, design: Design) -> float:
    """Return the exact probability that the interval for answer 1 holds its share, over all counts of its report."""
    line = design.matrix[1]
    rate = float(line[1] * share + line[0] * (1 - share))
    counts = np.arange(n + 1)
    log_ways = gammaln(n + 1) - gammaln(counts + 1) - gammaln(n - counts + 1)
    probabilities = np.exp(log_ways + counts * math.log(rate) + (n - counts) * math.log1p(-rate))
    held = [low <= share <= high for low, high in (_interval(int(count), n, design) for count in counts)]
    return float(probabilities[held].sum())


def _interval(count: int, n: int, design: Design | None) -> tuple[float, float]:
    """Return the core's Wilson interval for answer 1; without a design, as if the reports were the truths."""
    certain = Design(name="direct", matrix=((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))))
    design = design or certain
    rest = [n - count, *[0] * (design.m - 2)]
    interval = estimate_prevalence([rest[0], count, *rest[1:]], design).interval(LEVEL, "wilson")
    return float(interval.low[1]), float(interval.high[1])
