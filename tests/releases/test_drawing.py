"""What is drawn: the noise and the choice that the terms promise, and intervals that cover the truth.

Every gate has a false-alarm rate of 1e-6, the generators are seeded, and each has a twin whose fault must be caught.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import stats

from surveys.estimation import estimate_released_histogram
from surveys.models import LeaveOut, Mechanism
from surveys.models.definition import Item
from surveys.privacy.designs import Design, forced_response, k_ary
from surveys.privacy.mechanisms import DiscreteLaplace
from surveys.selectors.release_terms import Terms
from surveys.services import releasing

FALSE_ALARM = 1e-6
RELEASES, N = 400, 300
TRUTHS = {2: (0.7, 0.3), 4: (0.5, 0.3, 0.15, 0.05)}


def _seeded(seed: int) -> tuple[np.random.Generator, Callable[[int], int]]:
    generator = np.random.default_rng(seed)
    return generator, lambda bound: int(generator.integers(bound))


def _terms(design: Design, mechanism: Mechanism, epsilon: Fraction, n: int = N) -> Terms:
    item = Item(
        number=0,
        question_id=1,
        question_number=1,
        kind="one_of",
        text="?",
        labels=tuple("ABCDEFG"[: design.k]),
        leave_out=LeaveOut.NO,
        design=design,
    )
    return Terms(item=item, mechanism=mechanism, epsilon=epsilon, n=n)


def _covered(design: Design, believed: Callable[[Terms], DiscreteLaplace]) -> list[int]:
    """Return for each answer how many of the releases have an interval that covers its true share."""
    generator, randbelow = _seeded(20240501 + design.k)
    terms = _terms(design, Mechanism.LAPLACE_HISTOGRAM, Fraction(1, 5))
    truth = np.array(TRUTHS[design.k])
    shares = np.array(design.matrix, dtype=float) @ truth
    covered = np.zeros(design.k, dtype=int)
    for _ in range(RELEASES):
        counts = [int(count) for count in generator.multinomial(N, shares)]
        noisy = releasing.draw(terms, counts, randbelow)["noisy_counts"]
        interval = estimate_released_histogram(noisy, N, design, believed(terms)).interval(0.95)
        covered += (interval.low <= truth) & (truth <= interval.high)
    return [int(number) for number in covered]


FEWEST = int(stats.binom.ppf(FALSE_ALARM, RELEASES, 0.95))


@pytest.mark.parametrize("design", [forced_response(), k_ary(4)], ids=["two answers", "four answers"])
def test_intervals_of_releases_cover_the_truth_as_often_as_they_say(design: Design) -> None:
    assert min(_covered(design, lambda terms: terms.laplace)) >= FEWEST


def test_intervals_that_forget_the_noise_are_caught() -> None:
    assert max(_covered(forced_response(), lambda _: DiscreteLaplace(Fraction(100), 2))) < FEWEST


def _p_value_of_choices(epsilon_drawn: Fraction, epsilon_said: Fraction) -> float:
    _, randbelow = _seeded(7)
    counts, draws = [120, 110, 90, 80], 6_000
    drawn = _terms(k_ary(4), Mechanism.MOST_COMMON, epsilon_drawn)
    said = _terms(k_ary(4), Mechanism.MOST_COMMON, epsilon_said)
    seen = np.bincount([releasing.draw(drawn, counts, randbelow)["index"] for _ in range(draws)], minlength=4)
    utilities = releasing.most_common_utilities(counts, said.item.design)
    expected = draws * np.array(said.exponential.probabilities(utilities))
    return float(stats.chisquare(seen, expected).pvalue)


def test_answers_are_chosen_as_often_as_the_exponential_mechanism_says() -> None:
    assert _p_value_of_choices(Fraction(1, 10), Fraction(1, 10)) > FALSE_ALARM


def test_a_choice_that_forgets_the_factor_2_is_caught() -> None:
    assert _p_value_of_choices(Fraction(2, 10), Fraction(1, 10)) < FALSE_ALARM


def _p_value_of_noise(sensitivity_said: int) -> float:
    _, randbelow = _seeded(11)
    terms = _terms(k_ary(3), Mechanism.LAPLACE_HISTOGRAM, Fraction(1))
    draws = 5_000
    noise = [releasing.draw(terms, [0, 0, 0], randbelow)["noisy_counts"][0] for _ in range(draws)]
    said = DiscreteLaplace(Fraction(1), sensitivity_said)
    inside = range(-8, 9)
    expected = [draws * said.probability(x) for x in inside]
    seen = [noise.count(x) for x in inside]
    return float(stats.chisquare([*seen, draws - sum(seen)], [*expected, draws - sum(expected)]).pvalue)


def test_the_noise_of_a_histogram_has_scale_two_over_epsilon() -> None:
    assert _p_value_of_noise(2) > FALSE_ALARM


def test_noise_for_a_sensitivity_of_one_would_be_caught() -> None:
    assert _p_value_of_noise(1) < FALSE_ALARM


def test_the_sensitivity_charged_is_the_largest_change_that_one_replaced_answer_makes() -> None:
    histograms = {answers: [answers.count(code) for code in range(3)] for answers in product(range(3), repeat=4)}
    terms = _terms(k_ary(3), Mechanism.LAPLACE_HISTOGRAM, Fraction(1), n=4)
    largest = max(
        sum(abs(a - b) for a, b in zip(histograms[one], histograms[other], strict=True))
        for one in histograms
        for other in histograms
        if sum(a != b for a, b in zip(one, other, strict=True)) == 1
    )
    assert largest == terms.sensitivity


def test_two_answers_are_one_noisy_count_and_the_rest() -> None:
    terms = _terms(forced_response(), Mechanism.LAPLACE_HISTOGRAM, Fraction(1, 10))
    released = [releasing.draw(terms, [200, 100])["noisy_counts"] for _ in range(50)]
    assert {sum(counts) for counts in released} == {N}
    assert len({yes for _no, yes in released}) > 1
    assert terms.sensitivity == 1


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1)])
def test_the_bound_shown_beforehand_holds_at_least_as_often_as_it_says(epsilon: Fraction) -> None:
    _, randbelow = _seeded(13)
    terms, draws = _terms(k_ary(4), Mechanism.LAPLACE_HISTOGRAM, epsilon), 1_500
    inverse = np.array(terms.item.design.inverse, dtype=float)
    inside = 0
    for _ in range(draws):
        noise = np.array(releasing.draw(terms, [0] * 4, randbelow)["noisy_counts"])
        if np.abs(noise).max() <= terms.accuracy.answers:
            inside += 1
            assert np.abs(100 * inverse @ noise / N).max() <= terms.accuracy.points * (1 + 1e-12)
    assert inside >= stats.binom.ppf(FALSE_ALARM, draws, 0.95)
