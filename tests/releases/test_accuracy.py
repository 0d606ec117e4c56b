"""The bound shown beforehand holds at least as often as it says, and where it can be nearly exact it is."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate
from typing import Any, TypeAlias

import pytest
from scipy import stats

from surveys.models import Mechanism
from surveys.numbers.words import round_up, round_up_exactly, three_digits
from surveys.questionnaire.question import Question
from surveys.releases.families.finding import LEVELS
from surveys.releases.families.plan import Plan
from surveys.releases.mechanisms import PLANS
from surveys.releases.words.release import accuracy_says, reports_say
from tests.factories import PROTECTED, number_bands, number_mean, one_of, scale, several_of, yes_no
from tests.privacy.chance import FALSE_ALARM_RATE, seeded
from tests.releases.asked import ALONE, all_drafts, asked_as, terms_of

Output: TypeAlias = Any
"""Of whichever mechanism it is."""

DRAWS, LEVEL = 200, 0.9
FEWEST = int(stats.binom.ppf(FALSE_ALARM_RATE, DRAWS, LEVEL))


def _of_counts(terms: Plan, output: Output, counts: list[int]) -> float:
    return max(abs(noisy - count) for noisy, count in zip(output, counts, strict=True))


def _of_shares(terms: Plan, output: Output, counts: list[int]) -> float:
    """In percentage points, of the debiased shares."""
    errors = [noisy - count for noisy, count in zip(output, counts, strict=True)]
    rows = terms.design.inverse
    return max(abs(float(100 * sum(a * e for a, e in zip(row, errors, strict=True)) / terms.n)) for row in rows)


def _of_cumulated(terms: Plan, output: Output, counts: list[int]) -> float:
    true = list(accumulate(counts))[:-1]
    return max(
        abs(float(one) - other) for one, other in zip(terms.mechanism.cumulated(output, terms.n), true, strict=True)
    )


def _of_scores(terms: Plan, output: Output, counts: list[int]) -> float:
    scores = terms.mechanism.scores(counts)
    return float(max(scores) - scores[output])


def _of_places(terms: Plan, output: Output, counts: list[int]) -> float:
    left, worst = dict(enumerate(terms.mechanism.scores(counts))), Fraction(0)
    for code in output:
        worst = max(worst, max(left.values()) - left.pop(code))
    return float(worst)


def _of_price(terms: Plan, output: Output, counts: list[int]) -> float:
    return _of_scores(terms, terms.mechanism.prices.index(output), counts)


def _of_total(terms: Plan, output: Output, counts: list[int]) -> float:
    exact = sum(value * count for value, count in zip(terms.mechanism.values, counts, strict=True))
    return float(abs(output - exact))


def _of_value(terms: Plan, output: Output, counts: list[int]) -> float:
    """Against the same mechanism with hardly any noise."""
    sharp: Any = replace(terms, loss=type(terms.loss)(Fraction(10**9))).mechanism
    return float(abs(terms.mechanism.value(output) - sharp.value(sharp.release(counts, seeded(1)))))


Errors = Callable[[Plan, Any, list[int]], float]
TENTH = Fraction(1, 10)
CASES: list[tuple[str, Question, list[int], Errors]] = [
    ("laplace_histogram", yes_no(), [300, 700], _of_counts),
    ("laplace_histogram", one_of(), [300, 300, 400], _of_counts),
    ("gaussian_histogram", one_of(), [300, 300, 400], _of_counts),
    ("laplace_histogram", several_of(), [300, 700, 100], _of_counts),
    ("gaussian_histogram", several_of(), [300, 700, 100], _of_counts),
    ("tree_counts", scale(), [200, 210, 190, 205, 195], _of_cumulated),
    ("tree_counts", scale(points=11), [100] * 9 + [50, 50], _of_cumulated),
    ("bounds", number_bands(), [600, 200, 200], lambda terms, output, counts: _of_counts(terms, output[0], counts)),
    ("most_common", one_of(), [340, 330, 330], _of_scores),
    ("most_common", several_of(), [500, 480, 490], _of_scores),
    ("permute_and_flip", one_of(), [340, 330, 330], _of_scores),
    ("top", scale(), [200, 210, 190, 205, 195], _of_places),
    ("quantile", scale(), [200, 210, 190, 205, 195], _of_scores),
    ("best_price", number_bands(), [400, 300, 300], _of_price),
    ("total", number_mean(), [500, 500], _of_total),
    ("total", scale(**PROTECTED), [200, 200, 200, 200, 100, 100], _of_total),
    ("mean", number_mean(), [500, 500], _of_value),
    ("mean", scale(), [200, 210, 190, 205, 195], _of_value),
    ("variance", number_bands(), [400, 300, 300], _of_value),
]


def _drawn(terms: Plan, counts: list[int], error: Errors) -> list[float]:
    randbelow = seeded(2024)
    return [error(terms, terms.mechanism.release(counts, randbelow), counts) for _ in range(DRAWS)]


@pytest.mark.slow
@pytest.mark.parametrize(("mechanism", "draft", "counts", "error"), CASES)
def test_the_bound_holds_as_often_as_it_says(mechanism: str, draft: Question, counts: list[int], error: Errors) -> None:
    terms = terms_of(draft, mechanism, epsilon=TENTH)
    accuracy = terms.accuracy(LEVEL)
    assert sum(off <= accuracy.at_most for off in _drawn(terms, counts, error)) >= FEWEST


@pytest.mark.parametrize(("mechanism", "draft", "counts", "error"), CASES[:6])
def test_the_bound_of_noisy_counts_is_no_larger_than_it_must_be(
    mechanism: str, draft: Question, counts: list[int], error: Errors
) -> None:
    terms = terms_of(draft, mechanism, epsilon=TENTH)
    within = sum(off <= 0.9 * terms.accuracy(LEVEL).at_most for off in _drawn(terms, counts, error))
    assert within < stats.binom.ppf(1 - FALSE_ALARM_RATE, DRAWS, LEVEL)
    assert within < DRAWS


@pytest.mark.parametrize("draft", [yes_no(), one_of()])
@pytest.mark.parametrize("mechanism", ["laplace_histogram", "gaussian_histogram"])
def test_estimated_shares_are_off_by_no_more_points_than_it_says(mechanism: str, draft: Question) -> None:
    terms = terms_of(draft, mechanism, epsilon=TENTH)
    m = terms.question.design.m
    counts = [terms.n // m] * (m - 1) + [terms.n - terms.n // m * (m - 1)]
    assert sum(off <= terms.accuracy(LEVEL).points for off in _drawn(terms, counts, _of_shares)) >= FEWEST


def test_a_bound_of_a_tenth_is_caught() -> None:
    terms = terms_of(one_of(), "laplace_histogram", epsilon=TENTH)
    tenth = terms.accuracy(LEVEL).at_most / 10
    assert sum(off <= tenth for off in _drawn(terms, [300, 300, 400], _of_counts)) < FEWEST


def test_the_best_case_of_a_median_is_where_all_reports_are_alike() -> None:
    terms = terms_of(scale(), "smooth_median", epsilon=Fraction(1))
    accuracy = terms.accuracy(LEVEL)
    off = _drawn(terms, [0, 0, 1000, 0, 0], lambda _terms, output, _counts: float(abs(output.value - 3)))
    assert sum(each <= accuracy.at_best for each in off) >= FEWEST
    assert accuracy.depends_on_data
    assert accuracy.at_most == 4  # anything from the first point to the last


@pytest.mark.parametrize(("mechanism", "n", "is_published"), [("stable_mode", 1000, True), ("stable_mode", 10, False)])
def test_a_refusal_is_promised_away_only_where_all_reports_alike_are_published(
    mechanism: str, n: int, is_published: bool
) -> None:
    terms = terms_of(one_of(), mechanism, epsilon=Fraction(1, 2), n=n)
    accuracy = terms.accuracy(LEVEL)
    assert (accuracy.at_best, accuracy.at_most) == (0.0 if is_published else math.inf, math.inf)
    assert accuracy.is_uninformative is not is_published
    randbelow = seeded(7)
    published = sum(terms.mechanism.release([n, 0, 0], randbelow).answer is not None for _ in range(DRAWS))
    assert (published >= FEWEST) is is_published


@pytest.mark.parametrize("mechanism", ALONE)
def test_more_certainty_and_less_epsilon_never_make_a_bound_smaller(mechanism: str) -> None:
    bounds = [
        terms_of(number_bands(), mechanism, epsilon=epsilon).accuracy(level)
        for epsilon in (Fraction(1), Fraction(1, 2), Fraction(1, 100))
        for level in LEVELS
    ]
    for way in (bounds[:3], bounds[3:6], bounds[6:], bounds[0::3], bounds[1::3], bounds[2::3]):
        assert [bound.at_most for bound in way] == sorted(bound.at_most for bound in way)
        assert [bound.at_best for bound in way] == sorted(bound.at_best for bound in way)


@pytest.mark.parametrize("mechanism", ALONE)
def test_it_is_a_sentence_for_every_question_that_suits(mechanism: str) -> None:
    for draft in all_drafts():
        if PLANS[mechanism].unsuitable(asked_as(draft)[0]):
            continue
        for epsilon in (Fraction(1), Fraction(1, 1000)):
            terms = terms_of(draft, mechanism, epsilon=epsilon, n=200)
            for level, words in zip(LEVELS, ("90%", "95%", "99%"), strict=True):
                sentence = accuracy_says(terms, level)
                assert words in sentence
                assert "%(" not in sentence
                assert sentence.endswith(".")
            accuracy = terms.accuracy()
            if accuracy.at_best < math.inf:
                plain = PLANS[mechanism].accuracy_words(accuracy)
                # Where it may be uninformative, a sentence more says so.
                assert (accuracy_says(terms, 0.95).count(". ") > plain.count(". ")) is accuracy.is_uninformative
            chance = reports_say(terms, 0.95)
            assert not chance or ("±" in chance and "%(" not in chance)


def test_chance_in_the_reports_is_that_of_a_share_near_one_half() -> None:
    terms = terms_of(yes_no(), "laplace_histogram", n=100)
    # 1.96·√(1/4)/(1/2)/√100 = 0.196.
    assert terms.error_from_reports(0.95) == pytest.approx(19.6, abs=0.01)
    assert terms.unit_of_reports == "points"


def test_chance_in_the_reports_of_a_mean_is_that_of_half_of_the_people_at_either_end() -> None:
    terms = terms_of(number_mean(), "mean", n=100)
    # 12 hours · 0.196.
    assert terms.error_from_reports(0.95) == pytest.approx(2.352, abs=0.001)
    assert terms_of(number_mean(), "total", n=100).error_from_reports(0.95) == pytest.approx(235.2, abs=0.1)


@pytest.mark.parametrize(
    ("value", "written"),
    [(0.0, "0"), (0.01234, "0.0124"), (1.0, "1"), (12.01, "12.1"), (1234.0, "1,240"), (math.inf, "∞")],
)
def test_a_bound_is_written_upwards(value: float, written: str) -> None:
    assert three_digits(value) == written


def test_rounding_up_is_exact_and_never_down() -> None:
    assert round_up(math.inf, 3) == math.inf
    for value in (Fraction(1234), Fraction(1, 3), Fraction(1000), Fraction(999_999), Fraction(1)):
        rounded = round_up_exactly(value, 3)
        assert value <= rounded <= value * Fraction(101, 100)
    with pytest.raises(ValueError, match="0"):
        round_up_exactly(Fraction(0), 3)


def test_all_units_are_known() -> None:
    assert {offer.unit for offer in PLANS.values()} == {
        "answers",
        "people",
        "rank",
        "price",
        "total",
        "number",
        "square",
        "refusal",
    }
    assert set(PLANS) == set(Mechanism.values)
