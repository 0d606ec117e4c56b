import json
import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.privacy.designs import Design, forced_response, from_matrix, k_ary, named, warner
from tests.golden import cases

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
proper = st.fractions(min_value=Fraction(1, 50), max_value=Fraction(49, 50), max_denominator=50)


def test_fair_coins_report_yes_for_three_of_four_yes_and_one_of_four_no() -> None:
    design = forced_response()
    assert design.matrix == ((3 * QUARTER, QUARTER), (QUARTER, 3 * QUARTER))
    assert design.epsilon == pytest.approx(math.log(3), rel=1e-15)
    assert (design.k, design.m, design.denominator) == (2, 2, 4)
    assert design.columns == ((3, 1), (1, 3))


def test_fair_coins_have_the_yes_rate_a_quarter_plus_half_the_prevalence() -> None:
    design = forced_response()
    assert (design.offset, design.slope) == (QUARTER, HALF)


def test_warner_at_three_quarters_is_as_private_as_fair_coins() -> None:
    assert warner("3/4").matrix == forced_response().matrix
    assert warner("3/4").epsilon == pytest.approx(math.log(3), rel=1e-15)


def test_warner_below_one_half_has_a_negative_slope() -> None:
    assert warner("1/4").slope == -HALF


def test_four_answers_kept_three_times_of_four_have_epsilon_ln_9() -> None:
    design = k_ary(4, "2/3")
    assert all(design.matrix[i][i] == Fraction(3, 4) for i in range(4))
    assert design.epsilon == pytest.approx(math.log(9), rel=1e-15)


def test_a_spinner_with_weights_favours_its_options() -> None:
    design = k_ary(3, HALF, [HALF, QUARTER, QUARTER])
    assert design.matrix == (
        (3 * QUARTER, QUARTER, QUARTER),
        (Fraction(1, 8), Fraction(5, 8), Fraction(1, 8)),
        (Fraction(1, 8), Fraction(1, 8), Fraction(5, 8)),
    )
    assert design.odds == (3, 5, 5)


@pytest.mark.parametrize(
    "design",
    [
        forced_response(1),
        forced_response(HALF, 0),
        forced_response(HALF, 1),
        warner(1),
        k_ary(3, 1),
        k_ary(2, HALF, [0, 1]),
    ],
)
def test_a_report_that_proves_an_answer_makes_epsilon_infinite(design: Design) -> None:
    assert design.epsilon == math.inf
    assert math.inf in design.odds


@pytest.mark.parametrize("make", [lambda: warner(HALF), lambda: forced_response(0), lambda: k_ary(3, 0)])
def test_a_design_that_tells_nothing_is_refused(make: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match="tell nothing"):
        make()


def test_epsilon_is_computed_without_overflow() -> None:
    tiny = Fraction(1, 10**400)
    assert warner(1 - tiny).epsilon == pytest.approx(400 * math.log(10))


def test_the_posterior_is_bayes_rule() -> None:
    design = forced_response()
    assert design.posterior([Fraction(9, 10), Fraction(1, 10)])[1] == (Fraction(3, 4), QUARTER)


def test_no_posterior_exceeds_what_epsilon_allows_and_two_answers_attain_it() -> None:
    prior = Fraction(1, 5)
    raised = 3 * prior / (1 - prior + 3 * prior)
    assert forced_response().posterior([1 - prior, prior])[1][1] == raised


def test_a_report_that_the_prior_excludes_has_no_posterior() -> None:
    assert forced_response(1).posterior([1, 0]) == ((1, 0), None)


@pytest.mark.parametrize("prior", [[1], [HALF, QUARTER], [HALF, HALF, 0]])
def test_a_prior_has_one_probability_a_truth_and_sums_to_1(prior: list[Fraction]) -> None:
    with pytest.raises(ValueError, match="prior must hold 2 probabilities that sum to 1"):
        forced_response().posterior(prior)


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([[1, 0]], "at least two reports"),
        ([[1], [0]], "two truths"),
        ([[1, 0], [0]], "rows of equal length"),
        ([], "at least two reports"),
        ([["1/2", "1/2"], ["1/2", "1/3"]], "column 1 of the design matrix sums to 5/6"),
        ([[1, "1/2"], [0, "1/2"], [0, 0]], "report 2 can never happen"),
        ([["1/2", "1/2"], ["1/2", "1/2"]], "tell nothing"),
        ([["3/2", 0], ["-1/2", 1]], "row 0 of the design matrix must be between 0 and 1"),
        ([[0.5, 0], [0.5, 1]], "row 0 of the design matrix must be a Fraction"),
    ],
)
def test_a_matrix_that_is_no_design_is_refused(rows: list[list[object]], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        from_matrix(rows)


def test_a_design_refuses_floats_even_without_a_constructor() -> None:
    with pytest.raises(ValueError, match="every entry of a design matrix must be a Fraction"):
        Design("mine", ((0.75, 0.25), (0.25, 0.75)))


def test_slope_and_offset_are_for_two_answers() -> None:
    with pytest.raises(ValueError, match="two truths and two reports, this design has 3 and 3"):
        _ = k_ary(3).slope
    with pytest.raises(ValueError, match="two truths and two reports, this design has 2 and 3"):
        _ = from_matrix([["1/2", "1/6"], ["1/4", "1/6"], ["1/4", "2/3"]]).offset


@given(st.integers(2, 6), proper, st.lists(st.integers(1, 9), min_size=6, max_size=6))
def test_the_inverse_is_exact(k: int, truth: Fraction, parts: list[int]) -> None:
    weights = [Fraction(part, sum(parts[:k])) for part in parts[:k]]
    design = k_ary(k, truth, weights)
    product = [
        [sum(a * b for a, b in zip(row, column, strict=True)) for column in zip(*design.matrix, strict=True)]
        for row in design.inverse
    ]
    assert product == [[int(i == j) for j in range(k)] for i in range(k)]


def test_the_inverse_exchanges_rows_where_a_pivot_is_zero() -> None:
    assert warner(0).inverse == ((0, 1), (1, 0))


def test_a_singular_matrix_has_no_inverse() -> None:
    rows = [["1/2", "1/2", "1/4"], ["1/4", "1/4", "1/2"], ["1/4", "1/4", "1/4"]]
    with pytest.raises(ValueError, match="singular"):
        _ = from_matrix(rows).inverse


def test_more_reports_than_truths_have_no_inverse() -> None:
    with pytest.raises(ValueError, match="not as many reports as truths"):
        _ = from_matrix([["1/2", "1/6"], ["1/4", "1/6"], ["1/4", "2/3"]]).inverse


@pytest.mark.parametrize("k", [1, 0, -3, True, 2.0, "3"])
def test_a_question_has_at_least_two_answers(k: object) -> None:
    with pytest.raises(ValueError, match="k must be an integer of at least 2"):
        k_ary(k)


@pytest.mark.parametrize("weights", [[1], [HALF, HALF, HALF], [HALF, QUARTER, 0]])
def test_the_spinner_has_one_weight_an_answer_and_they_sum_to_1(weights: list[Fraction]) -> None:
    with pytest.raises(ValueError, match="weights must hold 3 probabilities that sum to 1"):
        k_ary(3, HALF, weights)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: forced_response(2), "truth"),
        (lambda: forced_response(HALF, 2), "yes"),
        (lambda: warner(2), "p"),
        (lambda: k_ary(3, 2), "truth"),
        (lambda: k_ary(2, HALF, [2, -1]), "weights"),
        (lambda: forced_response().posterior([2, -1]), "prior"),
    ],
)
def test_a_number_that_is_no_probability_is_refused_by_name(make: Callable[[], object], name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name} must be between 0 and 1, got 2"):
        make()


@given(proper, proper)
def test_forced_response_follows_its_definition(truth: Fraction, yes: Fraction) -> None:
    design = forced_response(truth, yes)
    assert design.matrix[1] == ((1 - truth) * yes, truth + (1 - truth) * yes)


@pytest.mark.parametrize(
    "design",
    [
        forced_response("1/3", "1/5"),
        warner("5/7"),
        k_ary(5, "1/3"),
        k_ary(3, "1/3", ["1/2", "1/4", "1/4"]),
        from_matrix([["1/2", "1/6"], ["1/4", "1/6"], ["1/4", "2/3"]]),
    ],
    ids=lambda design: f"{design.name}-{design.m}",
)
def test_parameters_survive_json_and_rebuild_the_design(design: Design) -> None:
    stored = json.loads(json.dumps(design.parameters))
    assert named(design.name, design.k, stored) == design


def test_certainty_is_stored_as_one_of_one() -> None:
    assert named("warner", 2, {"p": [1, 1]}) == warner(1)


def test_fair_coins_are_stored_as_integer_pairs() -> None:
    assert forced_response().parameters == {"truth": [1, 2], "yes": [1, 2]}


@pytest.mark.parametrize(
    ("name", "k", "parameters", "complaint"),
    [
        ("mangat", 2, {}, "there is no design named 'mangat'"),
        ("warner", 2, [], "parameters must be a mapping"),
        ("warner", 2, {}, "the design warner needs the parameter 'p'"),
        ("warner", 2, {"p": [3, 4], "q": [1, 2]}, "the design warner has no parameter 'q'"),
        ("warner", 3, {"p": [3, 4]}, "the design warner is for 2 answers, k is 3"),
        ("warner", 2, {"p": 0.75}, "p must be an integer pair, got 0.75"),
        ("warner", 2, {"p": "3/4"}, "p must be an integer pair"),
        ("warner", 2, {"p": [3]}, r"p must hold integer pairs \[numerator, denominator > 0\], got \[3\]"),
        ("warner", 2, {"p": [3, 0]}, "p must hold integer pairs"),
        ("warner", 2, {"p": [3, -4]}, "p must hold integer pairs"),
        ("warner", 2, {"p": [True, 2]}, "p must hold integer pairs"),
        ("warner", 2, {"p": [0.75, 1]}, "p must hold integer pairs"),
        ("warner", 2, {"p": [5, 4]}, "p must be between 0 and 1"),
        ("forced_response", 2, {"truth": [1, 2]}, "needs the parameter 'yes'"),
        ("forced_response", 4, {"truth": [1, 2], "yes": [1, 2]}, "forced_response is for 2 answers, k is 4"),
        ("k_ary", 3, {"truth": [1, 2], "weights": [1, 3]}, "weights must be an integer pair"),
        ("k_ary", 3, {"truth": [1, 2], "weights": 1}, "weights must be a list of integer pairs, got 1"),
        ("k_ary", 3, {"truth": [0, 2]}, "tell nothing"),
    ],
)
def test_wrong_stored_parameters_are_refused_by_name(name: str, k: int, parameters: object, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        named(name, k, parameters)


@pytest.mark.parametrize("case", cases("ldp", "opendp_"), ids=lambda case: case["id"])
def test_epsilon_equals_that_of_opendp(case: dict) -> None:
    k = case["inputs"].get("k", 2)
    kept = Fraction(str(case["inputs"]["prob"]))
    # opendp keeps the truth with this probability; here the spinner can also stop at the truth.
    design = k_ary(k, (kept * k - 1) / (k - 1))
    assert design.matrix[0][0] == kept
    assert design.epsilon == pytest.approx(case["outputs"]["epsilon"], rel=1e-10)
