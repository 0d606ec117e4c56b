import math
from fractions import Fraction
from typing import ClassVar

import pytest

from surveys.privacy.designs import Design, k_ary
from surveys.privacy.loss import ConcentratedLoss
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from surveys.privacy.mechanisms.price import BestPrice
from tests.privacy.mechanisms.choices import ADD, REPLACE, ChoiceConformance, direct, truths_of
from tests.privacy.mechanisms.distinguishing import log_ratios
from tests.privacy.mechanisms.evidence import evidence_of
from tests.privacy.mechanisms.neighbours import DataSet

PRICES = (Fraction(1), Fraction(3), Fraction(301, 100), Fraction(302, 100))
BIDS = [3, 0, 1, 0]
"""1, 1, 1 and 3.01, each in the band that begins there."""

COIN = k_ary(3, "1/2", ["1/2", "1/4", "1/4"])


def best_price(
    design: Design = COIN, relation: object = REPLACE, prices: object = (1, 2, 5), epsilon: object = Fraction(2)
) -> BestPrice:
    return BestPrice(epsilon=epsilon, relation=relation, design=design, prices=prices)


def auction(epsilon: object = Fraction(1)) -> BestPrice:
    return best_price(direct(4), prices=PRICES, epsilon=epsilon)


class TestBestPrice(ChoiceConformance):
    # One replaced response moves all revenues in the same direction: never more than half.
    attained_of: ClassVar = {REPLACE: 0.4, ADD: 0.4}

    def mechanisms(self) -> list[BestPrice]:
        return [
            best_price(k_ary(4, "2/3"), prices=("0", "1/2", "3/4")),
            best_price(relation=ADD),
            best_price(direct(2), prices=(1, 2)),
        ]

    def audited(self, mechanism: BestPrice) -> float:
        # Of three prices the worst two data sets differ in one that is so rare that draws cannot show it.
        return 0.05 if len(mechanism.prices) == 2 else 0.0

    def statistic(self, mechanism: BestPrice, data: DataSet) -> list[Fraction]:
        buyers = truths_of(mechanism.design, data.counts)[: len(mechanism.prices)]
        return [price * sum(buyers[band:]) for band, price in enumerate(mechanism.prices)]

    def outputs(self, mechanism: BestPrice) -> tuple[Fraction, ...]:
        return mechanism.prices

    def raw_sensitivity(self, mechanism: BestPrice) -> Fraction:
        return max(mechanism.prices)

    def test_no_two_data_sets_of_the_same_size_spend_more_than_half(self) -> None:
        def spends(mechanism: BestPrice) -> float:
            return max(log_ratios(pair.p, pair.q).max() for pair in evidence_of(self, mechanism).pairs)

        assert spends(best_price()) <= 1 < spends(best_price(epsilon=Fraction(4)))


def test_revenues_of_the_auction() -> None:
    assert auction().scores(BIDS) == (4, 3, Fraction("3.01"), 0)


def test_the_sensitivity_of_truths_is_the_highest_price() -> None:
    assert auction().sensitivity.value == PRICES[-1]
    # Of a price of 0 nobody notices anything; whoever is added or removed pays the highest price at most.
    assert best_price(direct(3), ADD, (0, 1, 7)).sensitivity.value == 7


def test_the_sensitivity_behind_a_coin_is_1_over_t_times_it() -> None:
    assert best_price(k_ary(3, "1/4"), prices=(1, 2, 5)).sensitivity.value == 20


def test_where_everybody_pays_the_lowest_price_its_revenue_does_not_change() -> None:
    # All n buy at the lowest edge; at the edge 2 one response makes a difference of 2, not of 3.
    assert best_price(direct(2), prices=(3, 4)).sensitivity.value == 4
    assert best_price(direct(2), ADD, prices=(3, 4)).sensitivity.value == 4
    assert best_price(direct(3), prices=(3, 4)).sensitivity.value == 4


def revenue(price: Fraction, bids: list[Fraction]) -> Fraction:
    return price * sum(bid >= price for bid in bids)


def test_noise_on_the_best_price_ruins_it_and_a_choice_does_not() -> None:
    # A hundred times the bids of the auction, where the best price is 1.00 and earns 400.
    bids = [Fraction(1)] * 300 + [Fraction(301, 100)] * 100
    assert [revenue(price, bids) for price in PRICES] == [400, 300, 301, 0]
    # Prices in cents. One cent is far less than the sensitivity of the best price, and still too much.
    noise = DiscreteLaplace(Fraction(1), 1)
    with_noise = sum(noise.probability(x) * revenue(Fraction(100 + x, 100), bids) for x in range(-90, 400))
    too_high = noise.survival(0) / 2
    assert revenue(Fraction(101, 100), bids) == 101
    assert with_noise < 400 - 298 * too_high
    mechanism = auction()
    chances = [mechanism.probability(price, [300, 0, 100, 0]) for price in PRICES]
    chosen = sum(p * revenue(price, bids) for p, price in zip(chances, PRICES, strict=True))
    assert with_noise < 330
    assert chosen > 399.99


def test_people_who_do_not_say_buy_nothing() -> None:
    mechanism = best_price(direct(4), prices=(1, 2, 3))
    assert mechanism.scores([5, 4, 3, 100]) == (12, 14, 9)
    assert {mechanism.release([5, 4, 3, 100]) for _ in range(40)} <= {1, 2, 3}


def test_the_output_is_a_price_and_anything_else_has_no_probability() -> None:
    assert auction(Fraction(1000)).release(BIDS) == 1
    assert auction().probability(Fraction(2), BIDS) == 0


def test_the_error_bound_is_revenue() -> None:
    assert auction(Fraction(1, 2)).error_bound(4, 0.95).at_most == pytest.approx(
        2 * 3.02 / 0.5 * math.log(4 / 0.05), rel=1e-12
    )
    with pytest.raises(ValueError, match=r"^n .*0"):
        auction().error_bound(-1, 0.95)


def test_as_concentrated_privacy_it_costs_a_quarter_of_any_output_of_that_epsilon() -> None:
    assert auction(Fraction(1, 2)).concentrated == ConcentratedLoss(Fraction(1, 32))


@pytest.mark.parametrize("prices", [(), (1,), (-1, 2, 3), (1, 1, 2), (2, 1), ("0.5", "1", "0.75")])
def test_prices_increase_from_0(prices: tuple[object, ...]) -> None:
    with pytest.raises(ValueError, match=r"^prices .*0"):
        best_price(prices=prices)


@pytest.mark.parametrize("price", [1.0, math.nan, True, None, "a lot"])
def test_prices_are_exact(price: object) -> None:
    with pytest.raises(ValueError, match=r"^prices .*Fraction"):
        best_price(prices=(price, 2))


def test_there_are_no_more_prices_than_answers() -> None:
    with pytest.raises(ValueError, match=r"^prices .*3.*got 4"):
        best_price(prices=PRICES)
