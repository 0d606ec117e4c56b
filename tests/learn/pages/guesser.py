"""What a guesser can do."""

from collections.abc import Callable
from itertools import product
from math import exp, log

import pytest

from surveys.privacy.accounting.hypothesis_testing import best_advantage, posterior_bound, tradeoff
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from tests.learn.case import Case, Fault, Numbers, Page

DELTA = 0.05
NOISES = ("coins", "laplace", "gaussian", "any")
EPSILONS = ("0.1", "1.1", "4")


def no_test_errs_less_than_epsilon_and_delta_allow(numbers_of: Callable[..., Numbers]) -> None:
    for noise, epsilon in product(NOISES, EPSILONS):
        numbers = numbers_of(noise=noise, epsilon=epsilon)
        delta = DELTA if noise in {"gaussian", "any"} else 0.0
        # The coins are rounded towards more privacy, the tails of noise are right to eleven digits.
        assert numbers["advantage"] <= best_advantage(float(epsilon), delta) + 1e-10
        for fpr, fnr in numbers["corners"]:
            assert fnr >= tradeoff(fpr, float(epsilon), delta) - 1e-10


def whole_laplace_noise_on_a_count_is_as_telling_as_coins(numbers_of: Callable[..., Numbers]) -> None:
    for epsilon in EPSILONS:
        coins, laplace = (numbers_of(noise=noise, epsilon=epsilon)["corners"] for noise in ("coins", "laplace"))
        middle = min(map(tuple, laplace), key=sum)
        assert middle == pytest.approx(coins[1], abs=1e-8)


def gaussian_noise_tells_less_than_the_worst_with_its_delta(numbers_of: Callable[..., Numbers]) -> None:
    for epsilon in EPSILONS:
        gaussian, worst = (numbers_of(noise=noise, epsilon=epsilon) for noise in ("gaussian", "any"))
        assert gaussian["advantage"] < worst["advantage"]
        # Yet its odds move further than e^ε more often than δ says.
        assert gaussian["beyond"] > worst["beyond"] == DELTA


def a_posterior_is_within_epsilon_of_the_prior_in_log_odds(numbers_of: Callable[..., Numbers]) -> None:
    for epsilon, prior in product(EPSILONS, ("1", "50", "99")):
        numbers = numbers_of(epsilon=epsilon, prior=prior)
        least, before, most = (
            log(share / (1 - share)) for share in (numbers["least"], int(prior) / 100, numbers["most"])
        )
        assert most - before == pytest.approx(float(epsilon), abs=1e-9)
        assert most - least == pytest.approx(2 * float(epsilon), abs=1e-9)


PAGE = Page(
    cases=[
        Case({"noise": "any", "epsilon": "1"}, {"advantage": best_advantage(1, DELTA)}),
        # Who thought Yes unlikely is right more often without looking.
        Case({"epsilon": "1", "prior": "20"}, {"right": 0.8, "most": 0.2 * exp(1) / (0.8 + 0.2 * exp(1))}),
    ],
    printed="right",
    # The coins of the page are fractions that stay below ε.
    near=1e-8,
    claims={
        no_test_errs_less_than_epsilon_and_delta_allow: Fault(asked={"noise": "any"}),
        whole_laplace_noise_on_a_count_is_as_telling_as_coins: Fault(
            code={"DiscreteLaplace": lambda epsilon, _changed: DiscreteLaplace(epsilon, 2)}
        ),
        gaussian_noise_tells_less_than_the_worst_with_its_delta: Fault(asked={"noise": "any"}),
        a_posterior_is_within_epsilon_of_the_prior_in_log_odds: Fault(
            code={"posterior_bound": lambda prior, epsilon: posterior_bound(prior, 2 * epsilon)}
        ),
    },
)
