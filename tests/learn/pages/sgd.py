"""A network of two layers, from noisy steps."""

from collections.abc import Callable
from math import sqrt

from surveys.learn.learners.stochastic import StochasticGradient
from surveys.learn.pages.sgd import BY_LOSSES, DELTA, STEPS
from surveys.privacy.accounting.gaussian import analytic_gaussian_sigma
from tests.learn.case import Case, Fault, Numbers, Page


def batches_protect_and_the_losses_promise_more_than_divergences(numbers_of: Callable[..., Numbers]) -> None:
    spent = [numbers_of(batch=batch) for batch in ("0.05", "0.2", "1")]
    for by in ("epsilon", "epsilon_by_losses"):
        assert [numbers[by] for numbers in spent] == sorted(numbers[by] for numbers in spent)
    assert all(numbers["epsilon_by_losses"] < numbers["epsilon"] for numbers in spent)


def with_everybody_in_each_step_it_is_one_normal_variable(numbers_of: Callable[..., Numbers]) -> None:
    """T steps together are noise of σ/√T on what moves by 1, of which ε is known exactly (Balle & Wang 2018)."""
    for noise in BY_LOSSES["1"]:
        epsilon = numbers_of(batch="1", noise=noise)["epsilon_by_losses"]
        assert analytic_gaussian_sigma(epsilon, DELTA) <= float(noise) / sqrt(STEPS) * (1 + 1e-3)
        assert analytic_gaussian_sigma(epsilon * 0.999, DELTA) >= float(noise) / sqrt(STEPS) * (1 - 1e-3)


def noise_hardly_matters_until_it_does(numbers_of: Callable[..., Numbers]) -> None:
    """A network that says what is usual for each pair tells 95 of 100 right; a coin, 50."""
    plain, little = numbers_of()["plain_right"], numbers_of(noise="2", batch="1")["right"]
    assert plain > 0.9
    assert little > plain - 0.05
    assert numbers_of(noise="16", batch="0.05", clip="4")["right"] < 0.75
    assert numbers_of(clip="0.1")["right"] < 0.8


PAGE = Page(
    cases=[
        Case({}, {"epsilon": StochasticGradient(rate=0.2, sigma=4, steps=100).epsilon(delta=1e-5)}),
        Case({"batch": "1", "noise": "16"}, {"epsilon_by_losses": BY_LOSSES["1"]["16"]}),
    ],
    printed="epsilon",
    claims={
        batches_protect_and_the_losses_promise_more_than_divergences: Fault(
            wrong={"epsilon_by_losses": lambda found, _asked: found["epsilon"]}
        ),
        with_everybody_in_each_step_it_is_one_normal_variable: Fault(
            wrong={"epsilon_by_losses": lambda found, _asked: found["epsilon"]}
        ),
        noise_hardly_matters_until_it_does: Fault(asked={"noise": "16", "batch": "0.05", "clip": "4"}),
    },
)
