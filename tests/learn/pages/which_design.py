"""All ways of adding chance at one ε."""

from collections.abc import Callable
from math import exp, sqrt
from statistics import NormalDist

from tests.learn.case import Case, Fault, Numbers, Page

_Z = NormalDist().inv_cdf(0.975)


def _half_width(p: float, q: float, share: float) -> float:
    reported = q + share * (p - q)
    return _Z * sqrt(reported * (1 - reported) / 100) / (p - q)


def _by_closed_forms(k: int, epsilon: float, share: float) -> dict[str, float]:
    """Wang, Blocki, Li & Jha (2017) for many answers; two cards by the variance of Kuk (1990)."""
    e, one = exp(epsilon), exp(epsilon / 2)
    # Asked for each of more than two answers, a question of two has half of ε.
    two = e if k == 2 else one
    pair = _half_width(two / (1 + two), 1 / (1 + two), share)
    truth = (two - 1) / (two + 3)
    red = sqrt(two) / (1 + sqrt(two))
    cards = red * share + (1 - red) * (1 - share)
    variance = cards * (1 - cards) / (2 * (2 * red - 1) ** 2) + share * (1 - share) / 2
    return {
        "warner": pair,
        "forced_response": pair,
        "crosswise": pair,
        "unrelated_question": _half_width(truth + (1 - truth) / 4, (1 - truth) / 4, share),
        "k_ary": _half_width(e / (e + k - 1), 1 / (e + k - 1), share),
        "optimized_unary": _half_width(1 / 2, 1 / (e + 1), share),
        "symmetric_unary": _half_width(one / (one + 1), 1 / (one + 1), share),
        "kuk": _Z * sqrt(variance / 100),
        "direct": _Z * sqrt(share * (1 - share) / 100),
    }


def four_ways_are_one_where_there_are_two_answers(numbers_of: Callable[..., Numbers]) -> None:
    for epsilon in ("0.1", "1", "5"):
        widths = numbers_of(epsilon=epsilon)["half_widths"]
        one = min(widths[name] for name in widths if name != "direct")
        same = {name for name, width in widths.items() if abs(width - one) < 1e-9}
        assert same == {"crosswise", "forced_response", "k_ary", "warner"}


def one_bit_an_answer_is_better_from_3e_to_the_epsilon_and_2_answers_on(numbers_of: Callable[..., Numbers]) -> None:
    for answers in ("2", "4", "16"):
        for epsilon in ("0.5", "1", "1.3", "2", "3"):
            widths = numbers_of(answers=answers, epsilon=epsilon, share="1")["half_widths"]
            few = int(answers) < 3 * exp(float(epsilon)) + 2
            assert (widths["k_ary"] < widths["optimized_unary"]) is few


PAGE = Page(
    cases=[
        Case(
            {"answers": str(k), "epsilon": str(epsilon), "share": str(of_100)},
            {"half_widths": _by_closed_forms(k, epsilon, of_100 / 100)},
        )
        for k, epsilon, of_100 in ((2, 1.0, 30), (4, 0.5, 5), (16, 3.0, 50))
    ],
    printed="k_ary",
    claims={
        four_ways_are_one_where_there_are_two_answers: Fault(asked={"answers": "4"}),
        one_bit_an_answer_is_better_from_3e_to_the_epsilon_and_2_answers_on: Fault(asked={"answers": "2"}),
    },
)
