"""Why floats betray."""

from collections.abc import Callable
from math import exp, sqrt

import numpy as np

from surveys.learn.page import SeededChance
from surveys.learn.pages.floats import add_textbook_noise, can_come_from
from tests.learn.case import Case, Fault, Numbers, Page


def what_comes_from_a_count_is_found_to_come_from_it(_numbers_of: Callable[..., Numbers]) -> None:
    drawn = SeededChance(3).generator.random(20_000)
    for count in (0, 1):
        for scale in (1, 2, 10):
            assert can_come_from(add_textbook_noise(drawn, count, scale), count, scale).all()


def noise_in_floats_betrays_four_of_five_counts(numbers_of: Callable[..., Numbers]) -> None:
    for truth in ("0", "1"):
        draws = numbers_of(truth=truth, times="200")["draws"]
        # 80,000 numbers: five standard errors are .007, and which last bit a logarithm has is the computer's.
        assert abs(sum(draws) / 200 - 0.8) < 0.02


def last_digits_alone_betray_a_quarter(numbers_of: Callable[..., Numbers]) -> None:
    numbers = [numbers_of(seed=str(seed)) for seed in range(1, 26)]
    # Below ½ in size, half of all numbers are no multiple of 2⁻⁵³, below ¼ three quarters, and so on.
    finer = sum((exp(-(2.0 ** -(k + 1))) - exp(-(2.0**-k))) * (1 - 2.0**-k) for k in range(1, 60))
    assert 0.26 < finer < 0.28
    # Five standard errors of 10,000 numbers.
    assert abs(sum(drawn["by_last_digits"] for drawn in numbers) / 25 - finer) < 5 * sqrt(finer * (1 - finer) / 10_000)
    assert all(drawn["by_last_digits"] <= drawn["share"] for drawn in numbers)


def whole_numbers_betray_nothing(numbers_of: Callable[..., Numbers]) -> None:
    for truth, scale in (("0", "1"), ("1", "10")):
        for seed in ("1", "2", "3"):
            assert not any(numbers_of(noise="whole", truth=truth, scale=scale, seed=seed)["betrayed"])


PAGE = Page(
    cases=[Case({"noise": "whole"}, {"share": 0, "by_last_digits": 0})],
    printed="share",
    # Five standard errors of a share of 400.
    near=5 * sqrt(0.8 * 0.2 * (1 / 400 + 1 / 20_000)) + 0.01,
    claims={
        what_comes_from_a_count_is_found_to_come_from_it: Fault(code={"_NEAR": np.array([0])}),
        noise_in_floats_betrays_four_of_five_counts: Fault(code={"_PARTS": 2**40}),
        last_digits_alone_betray_a_quarter: Fault(asked={"truth": "1"}),
        whole_numbers_betray_nothing: Fault(asked={"noise": "floats"}),
    },
)
