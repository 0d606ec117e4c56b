import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.estimation.planning.power import power
from surveys.estimation.planning.size import sample_size
from surveys.estimation.planning.two_groups import unrelated_unknown_plan
from surveys.privacy.designs import Design, forced_response, from_matrix, k_ary, kuk, warner
from tests.golden import cases

COINS, DIRECT = forced_response(), warner(1)
DICE = forced_response("2/3", "1/2")
ONE_SIDED, TWO_SIDED = "one-sided", "two-sided"


def asked(inputs: dict) -> dict:
    """The arguments of ours that say what a reference case says."""
    p = Fraction(inputs["p"]).limit_denominator(1000)
    designs: dict[str, Design] = {
        "mirrored": warner(p),
        "disguised": kuk(p, 1 - p),
        "forced-known": forced_response(p, "1/2"),
    }
    question = {
        "design": designs[inputs["design"]],
        "alternative": inputs["alternative"].replace(".", "-"),
        "significance": inputs["sig.level"],
    }
    if inputs["type"] == "one.sample":
        return question | {"prevalence": inputs["presp"], "null_prevalence": inputs["presp.null"]}
    return question | {"prevalence": inputs["prespT"], "other_prevalence": inputs["prespC"]}


@pytest.mark.parametrize(
    "case", cases("power", "pow_doc_forced", "pow_mirror", "pow_disguised"), ids=lambda case: case["id"]
)
def test_power_is_that_of_rr(case: dict) -> None:
    assert power(n=case["inputs"]["n"], **asked(case["inputs"])) == pytest.approx(case["outputs"]["power"], rel=1e-10)


@pytest.mark.parametrize("case", cases("power", "n_"), ids=lambda case: case["id"])
def test_the_sample_size_reaches_the_power_where_that_of_rr_stays_below(case: dict) -> None:
    question, outputs = asked(case["inputs"]), case["outputs"]
    n = sample_size(power=case["inputs"]["power"], **question)
    assert n == outputs["smallest_n_with_power_ge_target"]
    assert type(n) is int
    assert power(n=n, **question) >= case["inputs"]["power"] > power(n=n - 1, **question)
    assert power(n=outputs["n"], **question) == pytest.approx(outputs["actual_power_at_returned_n"], rel=1e-10)
    assert outputs["actual_power_at_returned_n"] < case["inputs"]["power"]


def test_the_documented_example_of_rr_needs_57_responses_and_not_55() -> None:
    # rr takes the first n whose power is within a hundredth of the target.
    question = {"design": DICE, "prevalence": 0.2, "alternative": ONE_SIDED}
    powers = [power(n=n, **question) for n in range(1, 100)]
    assert next(n for n, chance in enumerate(powers, start=1) if abs(chance - 0.8) < 0.01) == 55
    assert sample_size(power=0.8, **question) == 57
    assert powers[54] < 0.8 <= powers[56]


@pytest.mark.parametrize(("theirs", "ours"), [(659, 676)])
def test_the_exact_test_confirms_that_the_smaller_size_underpowers(theirs: int, ours: int) -> None:
    question = {"design": warner("3/4"), "prevalence": 0.2, "null_prevalence": 0.1, "method": "exact"}
    assert power(n=theirs, **question) == pytest.approx(0.771999810624535, rel=1e-10)
    # The exact test itself wastes a little of its level, so that it wants more still.
    assert power(n=theirs, **question) < power(n=ours, **question) < 0.8 < power(n=713, **question)


def test_the_power_of_rr_for_an_unknown_innocuous_rate_takes_it_for_known() -> None:
    case = cases("power", "pow_unrel_unknown")[0]
    p, q, n = case["inputs"]["p"], case["inputs"]["q"], case["inputs"]["n"]

    def information(prevalence: float) -> tuple[float, float, float]:
        """Fisher's information of one respondent on the prevalence, on both, and on the innocuous rate."""
        total = [0.0, 0.0, 0.0]
        for chance in (p, 1 - p):
            reported = chance * prevalence + (1 - chance) * q
            weight = 0.5 / (reported * (1 - reported))
            slopes = chance, 1 - chance
            total[0] += weight * slopes[0] ** 2
            total[1] += weight * slopes[0] * slopes[1]
            total[2] += weight * slopes[1] ** 2
        return total[0], total[1], total[2]

    def reject(null_variance: float, variance: float) -> float:
        def normal(x: float) -> float:
            return math.erfc(-x / math.sqrt(2)) / 2

        limit = 1.9599639845400545 * math.sqrt(null_variance / n)
        scatter = math.sqrt(variance / n)
        return normal((0.1 - limit) / scatter) + normal((-0.1 - limit) / scatter)

    known, unknown = [], []
    for prevalence in (0.1, 0.2):
        of_share, both, other = information(prevalence)
        known.append(1 / of_share)
        unknown.append(1 / (of_share - both**2 / other))
    assert reject(*known) == pytest.approx(case["outputs"]["power"], rel=1e-10)
    plan = unrelated_unknown_plan("0.7", "0.3", "0.4")
    planned = power(n=n, design=plan, prevalence=0.2, null_prevalence=0.1)
    assert planned == pytest.approx(reject(*unknown), rel=1e-10)
    assert planned < case["outputs"]["power"] - 0.28


def test_two_groups_with_the_whole_sample_in_one_of_them_are_no_plan() -> None:
    for share in (0, 1):
        with pytest.raises(ValueError, match=r"^first_share .*0.*1"):
            unrelated_unknown_plan("0.7", "0.3", "0.4", share)
    with pytest.raises(ValueError, match=r"^p1 and p2"):
        unrelated_unknown_plan("1/2", "0.5", "0.4")
    with pytest.raises(ValueError, match=r"^innocuous"):
        unrelated_unknown_plan("0.7", "0.3", 0.4)


@pytest.mark.parametrize("first_share", [Fraction(1, 4), Fraction(1, 2), Fraction(2, 3)])
def test_the_plan_for_two_groups_has_the_variance_of_all_outcomes(first_share: Fraction) -> None:
    p1, p2, innocuous, prevalence, n = Fraction(4, 5), Fraction(1, 5), Fraction(1, 3), Fraction(1, 4), 12
    sizes = int(n * first_share), n - int(n * first_share)
    rates = [p * prevalence + (1 - p) * innocuous for p in (p1, p2)]
    mean = square = Fraction(0)
    for x in range(sizes[0] + 1):
        for y in range(sizes[1] + 1):
            chance = Fraction(1)
            for count, size, rate in zip((x, y), sizes, rates, strict=True):
                chance *= math.comb(size, count) * rate**count * (1 - rate) ** (size - count)
            estimate = (Fraction(x, sizes[0]) * (1 - p2) - Fraction(y, sizes[1]) * (1 - p1)) / (p1 - p2)
            mean, square = mean + chance * estimate, square + chance * estimate**2
    assert mean == prevalence
    planned = unrelated_unknown_plan(p1, p2, innocuous, first_share).moments(float(prevalence))[0]
    assert planned / n == pytest.approx(float(square - mean**2), rel=1e-12)


QUESTIONS = st.fixed_dictionaries(
    {
        "design": st.sampled_from(
            [COINS, DIRECT, DICE, kuk("0.8", "0.3", 3), unrelated_unknown_plan("0.7", "0.3", "0.4")]
        ),
        "prevalence": st.sampled_from([0.02, 0.2, 0.5, 0.9, 1.0]),
        "alternative": st.sampled_from([ONE_SIDED, TWO_SIDED]),
        "significance": st.sampled_from([0.001, 0.05, 0.3]),
    }
)


@given(QUESTIONS, st.sampled_from([0.0, 0.1, 0.7]), st.floats(0.01, 0.99))
def test_the_sample_size_is_the_smallest_that_reaches_the_power(question: dict, null: float, target: float) -> None:
    n = sample_size(power=target, null_prevalence=null, **question)
    assert power(n=n, null_prevalence=null, **question) >= target
    assert not can_do_with_fewer(n, target, null_prevalence=null, **question)


def can_do_with_fewer(n: int, target: float, **question: object) -> bool:
    """Whether one response less has the power, by an approximation that holds with so few."""
    try:
        return n > 1 and power(n=n - 1, **question) >= target
    except ValueError:
        return False


@given(QUESTIONS, st.sampled_from([0.0, 0.1, 0.7]), st.floats(0.01, 0.99))
def test_the_sample_size_of_two_groups_is_the_smallest_too(question: dict, other: float, target: float) -> None:
    n = sample_size(power=target, other_prevalence=other, **question)
    assert power(n=n, other_prevalence=other, **question) >= target
    assert not can_do_with_fewer(n, target, other_prevalence=other, **question)


@given(st.floats(0.05, 0.95), st.integers(7, 10**6), st.sampled_from([0.01, 0.05, 0.5]))
def test_without_a_difference_power_is_the_level(prevalence: float, n: int, level: float) -> None:
    for alternative in (ONE_SIDED, TWO_SIDED):
        chance = power(
            n=n,
            design=COINS,
            prevalence=prevalence,
            null_prevalence=prevalence,
            significance=level,
            alternative=alternative,
        )
        assert chance == pytest.approx(level, rel=1e-9)


@pytest.mark.parametrize("n", [3, 40, 700])
def test_power_is_the_formula(n: int) -> None:
    # λ0 = .35 and λ1 = .45 under fair coins, slope 1/2; z = 1.6448536269514722.
    null, scatter = math.sqrt(0.35 * 0.65) / 0.5, math.sqrt(0.45 * 0.55) / 0.5
    argument = (0.2 * math.sqrt(n) - 1.6448536269514722 * null) / scatter
    chance = power(n=n, design=COINS, prevalence=0.4, null_prevalence=0.2, alternative=ONE_SIDED)
    assert chance == pytest.approx(math.erfc(-argument / math.sqrt(2)) / 2, rel=1e-12)


def test_a_share_below_the_null_is_looked_for_below_it() -> None:
    below = power(n=100, design=COINS, prevalence=0.2, null_prevalence=0.5, alternative=ONE_SIDED)
    above = power(n=100, design=COINS, prevalence=0.8, null_prevalence=0.5, alternative=ONE_SIDED)
    assert below == pytest.approx(above, rel=1e-12)
    assert below > 0.5


def test_the_null_of_one_share_is_that_nobody_has_it() -> None:
    assert power(n=50, design=COINS, prevalence=0.3) == power(n=50, design=COINS, prevalence=0.3, null_prevalence=0)


def test_the_null_of_two_groups_is_the_second_ones_share_unless_it_is_given() -> None:
    question = {"n": 300, "design": COINS, "prevalence": 0.4, "other_prevalence": 0.2}
    assert power(**question) == power(null_prevalence=0.2, **question)
    assert power(**question) > power(null_prevalence=0.5, **question)


def test_what_has_no_scatter_is_certain_or_hopeless() -> None:
    # Asked directly where everybody says Yes: the estimate is 1, the limit is .5 + z·√.25/√n.
    question = {"design": DIRECT, "prevalence": 1.0, "null_prevalence": 0.5}
    assert power(n=3, **question) == 0
    assert power(n=4, **question) == 1
    assert sample_size(power=0.8, **question) == 4
    assert power(n=10, design=DIRECT, prevalence=0.0, null_prevalence=0.0) == 0


def test_an_option_of_several_is_planned_like_its_own_question() -> None:
    # Four answers, the coin half: λ = π/2 + 1/8.
    scatter = [math.sqrt(rate * (1 - rate)) / 0.5 for rate in (0.175, 0.225)]
    argument = (0.1 * math.sqrt(500) - 1.6448536269514722 * scatter[0]) / scatter[1]
    chance = power(n=500, design=k_ary(4, "1/2"), option=3, prevalence=0.2, null_prevalence=0.1, alternative=ONE_SIDED)
    assert chance == pytest.approx(math.erfc(-argument / math.sqrt(2)) / 2, rel=1e-12)


def test_a_difference_that_no_survey_can_show_is_refused() -> None:
    for close in (0.2, 0.2 + 1e-12):
        with pytest.raises(ValueError, match=r"^prevalence .*null hypothesis"):
            sample_size(power=0.8, design=COINS, prevalence=close, null_prevalence=0.2)


def test_a_small_difference_needs_many_responses() -> None:
    n = sample_size(power=0.8, design=COINS, prevalence=0.2 + 1e-6, null_prevalence=0.2)
    # (z_α + z_β)²·λ(1 − λ)/(c²·d²) with z = 1.959964 and .841621.
    assert n == pytest.approx((1.959964 + 0.841621) ** 2 * 0.35 * 0.65 / 0.25 / 1e-12, rel=1e-5)


QUESTION = {"design": COINS, "prevalence": 0.3}


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"n": 0}, "^n .*1"),
        ({"n": math.nan}, "^n .*1"),
        ({"prevalence": 1.5}, "^prevalence"),
        ({"null_prevalence": -0.1}, "^prevalence"),
        ({"other_prevalence": math.nan}, "^prevalence"),
        ({"significance": 0}, "^significance"),
        ({"significance": 1}, "^significance"),
        ({"significance": math.nan}, "^significance"),
        ({"alternative": "greater"}, "^alternative .*got 'greater'"),
        ({"method": "t"}, "^method .*got 't'"),
        ({"option": 2}, "^option .*0.*1"),
        ({"option": -1}, "^option .*0.*1"),
        ({"method": "exact", "other_prevalence": 0.1}, "^method"),
        ({"method": "exact", "design": unrelated_unknown_plan(1, 0, 0)}, "^method"),
        (
            {"method": "exact", "design": from_matrix([["1/2", "1/6"], ["1/4", "1/6"], ["1/4", "2/3"]])},
            "one prevalence",
        ),
    ],
)
def test_impossible_plans_are_refused_by_name(wrong: dict, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        power(**{"n": 30, **QUESTION, **wrong})


@pytest.mark.parametrize("wrong", [0, 1, math.nan, -0.5])
def test_a_power_is_strictly_between_0_and_1(wrong: float) -> None:
    with pytest.raises(ValueError, match=r"^power"):
        sample_size(power=wrong, **QUESTION)


@pytest.mark.parametrize("given_both", [{}, {"power": 0.8, "half_width": 0.1}])
def test_a_size_is_for_a_half_width_or_for_a_power(given_both: dict) -> None:
    with pytest.raises(ValueError, match=r"^exactly .*power"):
        sample_size(**QUESTION, **given_both)


@pytest.mark.parametrize("n", [10**400, 10.5, math.inf, True, None, "10"])
def test_a_power_is_of_a_whole_number_of_responses(n: object) -> None:
    with pytest.raises(ValueError, match=r"^n .*1"):
        power(n=n, **QUESTION)


@pytest.mark.parametrize("significance", [None, "0.05", True])
def test_a_significance_is_a_number(significance: object) -> None:
    with pytest.raises(ValueError, match=r"^significance"):
        power(n=30, significance=significance, **QUESTION)


@pytest.mark.parametrize("wrong", ["0.8", True])
def test_a_power_wanted_is_a_number(wrong: object) -> None:
    with pytest.raises(ValueError, match=r"^power"):
        sample_size(power=wrong, **QUESTION)
