import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from itertools import combinations, permutations, product

import pytest
import scipy.optimize
from hypothesis import given
from hypothesis import strategies as st

from surveys.privacy.accounting.design_central import design_then_central
from surveys.privacy.accounting.local_central import (
    local_then_central,
    local_then_central_delta,
    local_then_central_k_ary,
)
from surveys.privacy.decimals import decimal, many_digits, upper
from surveys.privacy.designs import Design, forced_response, from_matrix, k_ary, kuk, triangular, warner
from surveys.privacy.loss import PrivacyLoss

epsilons = st.floats(min_value=0, max_value=2000)
DESIGNS = [
    forced_response(),
    warner("4/5"),
    k_ary(3, "1/2"),
    k_ary(4, "1/3", ["1/2", "1/4", "1/8", "1/8"]),
    kuk("0.7", "0.2", 2),
    from_matrix([["1/2", "1/6"], ["1/4", "1/6"], ["1/4", "2/3"]]),
]


def worst_delta(design: Design, central: PrivacyLoss, f: float) -> float:
    """The δ at f of the worst release, as a linear programme over the probabilities w of an event, one a report.

    A release is private if w_i ≤ e^b·w_j + δ and the same holds for the opposite event.
    """
    grow, delta = math.exp(central.epsilon), float(central.delta)
    rows, limits = [], []
    for i, j in product(range(design.m), repeat=2):
        if i != j:
            rows.append([(code == i) - grow * (code == j) for code in range(design.m)])
            rows.append([grow * (code == j) - (code == i) for code in range(design.m)])
            limits += [delta, grow - 1 + delta]
    worst = 0.0
    for x, y in permutations(range(design.k), 2):
        gain = [float(row[x]) - math.exp(f) * float(row[y]) for row in design.matrix]
        solved = scipy.optimize.linprog([-entry for entry in gain], A_ub=rows, b_ub=limits, bounds=(0, 1))
        worst = max(worst, -solved.fun)
    return worst


@pytest.mark.parametrize(("central", "truth"), [(0.5, 0.2462), (1, 0.4706), (2, 0.8020), (Fraction(1, 2), 0.2462)])
def test_fair_coins_then_a_release_protect_the_truth_better_than_either(central: float, truth: float) -> None:
    assert local_then_central(math.log(3), central) == pytest.approx(truth, abs=5e-5)


@pytest.mark.parametrize(("local", "central"), [(0.3, 0.2), (1.1, 1.0), (2.0, 5.0), (1e-9, 1e-7)])
def test_it_is_the_product_of_hyperbolic_tangents(local: float, central: float) -> None:
    product_of_tangents = math.tanh(local / 2) * math.tanh(central / 2)
    assert math.tanh(local_then_central(local, central) / 2) == pytest.approx(product_of_tangents, rel=1e-12, abs=0)


def test_infinite_or_huge_local_epsilon_leaves_the_central_one() -> None:
    for large in (math.inf, 1e300):
        assert local_then_central(large, 0.7) == 0.7
        assert local_then_central(0.7, large) == 0.7
        assert local_then_central(large, large) == large
        assert local_then_central(large, Fraction(1, 3)) >= Fraction(1, 3)


def test_tiny_epsilons_multiply() -> None:
    assert local_then_central(1e-150, 1e-150) == pytest.approx(5e-301, rel=1e-12, abs=0)
    assert local_then_central(0, 1) == local_then_central(1, 0) == 0


@given(epsilons, epsilons, st.integers(2, 36))
def test_it_is_never_above_either_and_smaller_for_more_answers(local: float, central: float, k: int) -> None:
    binary = local_then_central(local, central)
    many = local_then_central_k_ary(local, central, k)
    assert 0 <= many <= min(local, central)
    assert many <= binary
    assert many == local_then_central_k_ary(central, local, k)


@given(epsilons, epsilons, st.floats(1, 2), st.integers(2, 36))
def test_it_rises_with_both_epsilons(local: float, central: float, factor: float, k: int) -> None:
    epsilon = local_then_central_k_ary(local, central, k)
    assert epsilon <= local_then_central_k_ary(local * factor, central, k)
    assert epsilon <= local_then_central_k_ary(local, central * factor, k)


@given(st.integers(2, 10**6), st.integers(2, 10**6))
def test_it_is_never_below_the_truth_by_rounding(x: int, y: int) -> None:
    # For the odds x and y, e^f is the fraction (1 + xy)/(x + y).
    with many_digits():
        local, central = upper(Decimal(x).ln()), upper(Decimal(y).ln())
        epsilon = Decimal(local_then_central(local, central)).exp()
        assert epsilon >= decimal(Fraction(1 + x * y, x + y)) * (1 - Decimal("1e-50"))


@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_formula_is_what_the_worst_release_attains(k: int) -> None:
    # A release is any table over reports whose rows differ by a factor of at most e^c; its extremes suffice.
    design, central = k_ary(k, "1/2"), 0.8
    worst = 0.0
    for pattern in product([1.0, math.exp(central)], repeat=k):
        likelihoods = [sum(float(design.matrix[j][truth]) * pattern[j] for j in range(k)) for truth in range(k)]
        worst = max(worst, math.log(max(likelihoods) / min(likelihoods)))
    assert local_then_central_k_ary(design.epsilon, central, k) == pytest.approx(worst, rel=1e-12, abs=0)


def test_the_delta_is_the_formula() -> None:
    a, b, delta = math.log(3), 0.5, 1e-6
    p, f = 0.75, local_then_central(a, b)
    assert local_then_central_delta(a, b, delta) == pytest.approx((p - math.exp(f) * (1 - p)) * delta, rel=1e-12, abs=0)


@given(epsilons, epsilons, st.floats(0, 1), st.integers(2, 36))
def test_the_delta_is_never_above_the_central_one(local: float, central: float, delta: float, k: int) -> None:
    bound = local_then_central_delta(local, central, delta, k)
    assert 0 <= bound <= delta
    assert bound <= local_then_central_delta(local * 1.5, central, delta, k)


@given(st.floats(0, 20), st.floats(0, 20), st.integers(2, 36))
def test_the_delta_belongs_to_the_epsilon(local: float, central: float, k: int) -> None:
    p = math.exp(local) / (math.exp(local) + k - 1)
    f = local_then_central_k_ary(local, central, k)
    difference = p - math.exp(f) * (1 - p) / (k - 1)
    assert local_then_central_delta(local, central, 0.5, k) == pytest.approx(0.5 * difference, rel=1e-6, abs=1e-13)


def test_the_delta_at_the_ends() -> None:
    for large in (math.inf, 1e300):
        assert local_then_central_delta(large, 1, 0.1) == 0.1
        assert 0 < local_then_central_delta(1, large, 0.1) < 1e-300
    assert local_then_central_delta(0, 1, 0.1) == 0
    assert local_then_central_delta(math.inf, 1, Fraction(1, 3)) >= Fraction(1, 3)
    assert local_then_central_delta(1, 1, 0) == 0


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
@pytest.mark.parametrize("central", [PrivacyLoss(1, "1/20"), PrivacyLoss("1/2", "1/1000"), PrivacyLoss(3, "1/5")])
def test_a_designs_own_loss_is_what_the_worst_release_attains(design: Design, central: PrivacyLoss) -> None:
    loss = design_then_central(design, central)
    f, delta = float(loss.epsilon), float(loss.delta)
    assert worst_delta(design, central, f) == pytest.approx(delta, abs=1e-9)
    pure = PrivacyLoss(central.epsilon)
    assert worst_delta(design, pure, f) == pytest.approx(0, abs=1e-12)
    assert worst_delta(design, pure, f * 0.999) > 1e-6


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_a_designs_own_loss_is_never_above_the_general_bound(design: Design) -> None:
    central = PrivacyLoss("0.8", "1/100")
    loss = design_then_central(design, central)
    assert float(loss.epsilon) <= local_then_central(design.epsilon, central.epsilon) * (1 + 1e-15)
    # At an equal f the general δ' holds too: the worst release does no more at the general f.
    general = local_then_central(design.epsilon, central.epsilon)
    allowed = local_then_central_delta(design.epsilon, central.epsilon, central.delta)
    assert worst_delta(design, central, general) <= allowed + 1e-12


@pytest.mark.parametrize("k", [2, 3, 6])
def test_k_ary_designs_attain_their_formula(k: int) -> None:
    design, central = k_ary(k, "2/5"), PrivacyLoss("0.7", "1/100")
    loss = design_then_central(design, central)
    assert float(loss.epsilon) == pytest.approx(local_then_central_k_ary(design.epsilon, central.epsilon, k), rel=1e-14)
    assert float(loss.delta) == pytest.approx(
        local_then_central_delta(design.epsilon, central.epsilon, central.delta, k), rel=1e-14
    )


def test_a_design_that_proves_an_answer_leaves_what_the_release_protects() -> None:
    # Triangular: Pr(report 0) is 1 − p or 0, so e^f = 1 + (e^b − 1)(1 − p) at the least.
    loss = design_then_central(triangular("1/3"), PrivacyLoss(1, "1/10"))
    assert float(loss.epsilon) == pytest.approx(math.log1p((math.e - 1) * 2 / 3), rel=1e-14, abs=0)
    assert float(loss.delta) == pytest.approx(0.1 * 2 / 3, rel=1e-14, abs=0)


def test_a_release_without_protection_leaves_what_the_reports_protect() -> None:
    huge = PrivacyLoss(10**9 + 1, "1/3")
    loss = design_then_central(forced_response(), huge)
    assert float(loss.epsilon) == pytest.approx(math.log(3), rel=1e-15, abs=0)
    assert math.exp(loss.epsilon) >= 3
    assert loss.delta == Fraction(1, 3)
    assert design_then_central(triangular("1/3"), huge) == huge
    assert float(design_then_central(forced_response(), PrivacyLoss(10**9)).epsilon) == pytest.approx(math.log(3))


def test_directly_asked_the_release_alone_protects() -> None:
    central = PrivacyLoss("1/3", "1/7")
    assert design_then_central(warner(1), central) == central
    assert design_then_central(forced_response(), PrivacyLoss(0)) == PrivacyLoss(0)


@pytest.mark.parametrize("wrong", [-1, math.nan])
def test_impossible_numbers_are_refused_by_name(wrong: float) -> None:
    with pytest.raises(ValueError, match=r"^local_epsilon"):
        local_then_central(wrong, 1)
    with pytest.raises(ValueError, match=r"^central_epsilon"):
        local_then_central(1, wrong)
    with pytest.raises(ValueError, match=r"^local_epsilon"):
        local_then_central_delta(wrong, 1, 0.1)
    with pytest.raises(ValueError, match=r"^central_epsilon"):
        local_then_central_delta(1, wrong, 0.1)
    with pytest.raises(ValueError, match=r"^central_delta"):
        local_then_central_delta(1, 1, wrong)


def test_one_answer_is_no_question() -> None:
    with pytest.raises(ValueError, match=r"^k .*2.*got 1"):
        local_then_central_k_ary(1, 1, 1)
    with pytest.raises(ValueError, match=r"^k "):
        local_then_central_delta(1, 1, 0.1, 2.5)


def exactly(design: Design, central: PrivacyLoss) -> tuple[Decimal, Decimal]:
    """e^f − 1 and δ' of the definition, over all sets of reports, in 2000 digits."""
    with localcontext(Context(prec=2000)):
        gain = decimal(central.epsilon).exp() - 1
        pairs = [
            [decimal(sum((row[truth] for row in rows), Fraction(0))) for truth in (x, y)]
            for x, y in permutations(range(design.k), 2)
            for size in range(design.m + 1)
            for rows in combinations(design.matrix, size)
        ]
        most = max(gain * (s - t) / (1 + gain * t) for s, t in pairs)
        return most, max(s - t - most * t for s, t in pairs) * decimal(central.delta)


@pytest.mark.slow
@pytest.mark.uncounted
@pytest.mark.parametrize("b", [0, Fraction(1, 10**40), 1, 40, 140, 700, 2000])
@pytest.mark.parametrize(
    "design",
    [
        warner("3/4"),
        warner(Fraction(1, 2) + Fraction(1, 10**80)),
        k_ary(3, Fraction(1, 10**70)),
        triangular("1/3"),
        kuk("1/3", Fraction(1, 3) + Fraction(1, 10**65), 2),
    ],
    ids=["3/4", "hardly a half", "hardly the truth", "triangular", "almost equal decks"],
)
def test_nothing_of_a_designs_own_loss_cancels(design: Design, b: int | Fraction) -> None:
    loss = design_then_central(design, PrivacyLoss(b, 1))
    odds_less_1, delta = exactly(design, PrivacyLoss(b, 1))
    with localcontext(Context(prec=2000)):
        epsilon = (1 + odds_less_1).ln()
        assert epsilon <= decimal(loss.epsilon) <= epsilon * (1 + Decimal("1e-15"))
        # Beyond the floats' range the smallest of them is a bound.
        assert delta <= decimal(loss.delta) <= max(delta * (1 + Decimal("1e-15")), Decimal("5e-324"))


def test_a_huge_epsilon_of_a_release_leaves_a_trace_of_delta() -> None:
    assert float(design_then_central(warner("3/4"), PrivacyLoss(140, 1)).delta) == pytest.approx(
        3.16e-61, rel=1e-3, abs=0
    )


def test_numbers_beyond_all_floats_bound_from_above() -> None:
    assert local_then_central(math.inf, Fraction(10**400)) == math.inf
    assert local_then_central(0.7, Fraction(10**400)) == 0.7
