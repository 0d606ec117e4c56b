"""Three models, of which one is best."""

from collections.abc import Callable
from math import exp

from tests.learn.case import Case, Fault, Numbers, Page


def _chances(epsilon: float, n: int, half: int = 2) -> list[float]:
    weights = [exp(-epsilon * short * n / half) for short in (0, 0.02, 0.1)]
    return [weight / sum(weights) for weight in weights]


def one_person_changes_the_odds_by_e_to_the_epsilon_at_most(numbers_of: Callable[..., Numbers]) -> None:
    for epsilon in ("0.1", "1", "5"):
        for people in ("50", "100", "500", "2000"):
            assert numbers_of(epsilon=epsilon, people=people)["spent"] <= float(epsilon) + 1e-9


def without_the_2_it_spends_nearly_twice_as_much(numbers_of: Callable[..., Numbers]) -> None:
    assert numbers_of(exponent="slide")["spent"] > 1.98
    assert numbers_of(exponent="slide", people="500")["spent"] > 1.99999


def more_people_and_more_epsilon_choose_the_best_more_often(numbers_of: Callable[..., Numbers]) -> None:
    rising = [numbers_of(epsilon=epsilon)["best"] for epsilon in ("0.1", "1", "2", "5")]
    assert rising == sorted(rising)
    rising = [numbers_of(people=people)["best"] for people in ("50", "100", "500", "2000")]
    assert rising == sorted(rising)


PAGE = Page(
    cases=[
        # The published .7275, .2676 and .0049.
        Case({}, {"chances": _chances(1, 100), "given_up": 0.02 * _chances(1, 100)[1] + 0.1 * _chances(1, 100)[2]}),
        Case({"exponent": "slide", "people": "50"}, {"chances": _chances(1, 50, 1)}),
        Case({"epsilon": "5", "people": "2000"}, {"chances": _chances(5, 2000)}),
    ],
    printed="best",
    claims={
        one_person_changes_the_odds_by_e_to_the_epsilon_at_most: Fault(asked={"exponent": "slide"}),
        without_the_2_it_spends_nearly_twice_as_much: Fault(asked={"exponent": "proved"}),
        more_people_and_more_epsilon_choose_the_best_more_often: Fault(
            wrong={"best": lambda found, _asked: found["chances"][-1]}
        ),
    },
)
