"""What is drawn on the terms of a release: the noise and the choice that they promise, for the ε that is charged.

Every gate has a false-alarm rate of 1e-6, the generators are seeded, and each has a twin whose fault must be caught.
"""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats

from surveys.models import Mechanism
from surveys.privacy.mechanisms.exponential import ExponentialMechanism
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from tests.factories import fill, make_budget, make_open, numbers_of, one_of, yes_no
from tests.privacy.chance import FALSE_ALARM_RATE, p_value_of_fit, seeded
from tests.releases.asked import terms_of
from tests.releases.setting import make_release


def _p_value_of_choices(epsilon_stated: Fraction) -> float:
    counts, draws, randbelow = [120, 110, 90], 3_000, seeded(7)
    terms = terms_of(one_of(), Mechanism.MOST_COMMON, epsilon=Fraction(1, 10))
    seen = np.bincount([terms.mechanism.release(counts, randbelow) for _ in range(draws)], minlength=3)
    # By hand: with the truth asked for half of the time a debiased count is 2·count − n/3, and moves by 2.
    scores = [2 * count - Fraction(320, 3) for count in counts]
    expected = draws * np.array(ExponentialMechanism(epsilon_stated, 2).probabilities(scores))
    return float(stats.chisquare(seen, expected).pvalue)


def test_answers_are_chosen_as_often_as_the_exponential_mechanism_says() -> None:
    assert _p_value_of_choices(Fraction(1, 10)) > FALSE_ALARM_RATE


def test_a_choice_that_forgets_the_factor_2_is_caught() -> None:
    assert _p_value_of_choices(Fraction(2, 10)) < FALSE_ALARM_RATE


def _noise(draft: Any, mechanism: str, draws: int = 3_000) -> list[int]:  # noqa: ANN401 - a draft
    terms, randbelow = terms_of(draft, mechanism), seeded(11)
    return [terms.mechanism.release([0] * terms.question.design.m, randbelow)[0] for _ in range(draws)]


def test_the_noise_of_a_histogram_has_scale_two_over_epsilon() -> None:
    noise = _noise(one_of(), "laplace_histogram")
    assert p_value_of_fit(noise, DiscreteLaplace(Fraction(1), 2).probability) > FALSE_ALARM_RATE
    assert p_value_of_fit(noise, DiscreteLaplace(Fraction(1), 1).probability) < FALSE_ALARM_RATE


def test_the_noise_of_one_count_has_half_the_scale() -> None:
    noise = _noise(one_of(), "one_count")
    assert p_value_of_fit(noise, DiscreteLaplace(Fraction(1), 1).probability) > FALSE_ALARM_RATE
    assert p_value_of_fit(noise, DiscreteLaplace(Fraction(1), 2).probability) < FALSE_ALARM_RATE


def test_the_sensitivity_charged_is_the_largest_change_that_one_replaced_answer_makes() -> None:
    histograms = {answers: [answers.count(code) for code in range(3)] for answers in product(range(3), repeat=4)}
    largest = max(
        sum(abs(a - b) for a, b in zip(histograms[one], histograms[other], strict=True))
        for one in histograms
        for other in histograms
        if sum(a != b for a, b in zip(one, other, strict=True)) == 1
    )
    assert largest == terms_of(one_of(), "laplace_histogram", n=4).mechanism.sensitivity.value


def test_two_answers_are_one_noisy_count_and_the_rest() -> None:
    mechanism = terms_of(yes_no(), "laplace_histogram", epsilon=Fraction(1, 10)).mechanism
    released = [mechanism.release([200, 100]) for _ in range(50)]
    assert {sum(counts) for counts in released} == {300}
    assert len({yes for _no, yes in released}) > 1
    assert mechanism.sensitivity.value == 1


@pytest.mark.django_db
def test_several_questions_share_epsilon_and_each_is_drawn_with_its_part() -> None:
    survey = make_open(yes_no(leave_out="no"), one_of(), one_of(text="Again?"))
    fill(survey, {"000": 50, "111": 50})
    make_budget(survey, 1)
    release = make_release(
        survey,
        questions=numbers_of(survey),
        mechanism="laplace_histogram",
        epsilon=Fraction(1),
        randbelow=seeded(1),
    )
    parts = list(release.parts.all())
    assert [part.parameters["epsilon"] for part in parts] == ["166667/500000", "333333/1000000", "333333/1000000"]
    assert sum(part.epsilon for part in parts) == 1
    # The same draws by hand, in the order of the questions.
    randbelow = seeded(1)
    for part, sensitivity, counts in zip(parts, (1, 2, 2), ([50], [50, 50, 0], [50, 50, 0]), strict=True):
        drawn = DiscreteLaplace(part.epsilon, sensitivity).add_noise(counts, randbelow)
        assert part.output["noisy_counts"][-len(counts) :] == list(drawn)
