import numpy as np
import pytest
from scipy import stats

from surveys.estimation.list_experiment.combined import combine_with_direct
from surveys.estimation.list_experiment.types import estimate_list
from surveys.privacy.designs import k_ary
from tests.golden import cases


def test_the_combined_estimate_and_both_placebo_tests_equal_the_r_package() -> None:
    (case,) = cases("list_experiments", "combined")
    ours, theirs = combine_with_direct(**case["inputs"]), case["outputs"]
    assert ours.point == pytest.approx(theirs["combined"], abs=1e-10)
    # The package takes the arms' shares among all for those among the direct No.
    assert ours.standard_error == pytest.approx(theirs["combined_se"], rel=0.005)
    for mine, name in (
        (ours.by_list, "list"),
        (ours.direct, "direct"),
        (ours.among_yes, "placebo_1"),
        (ours.effect_on_direct, "placebo_2"),
    ):
        assert mine.point == pytest.approx(theirs[name], abs=1e-10)
        assert mine.standard_error == pytest.approx(theirs[f"{name}_se"], abs=1e-10)
    for p_value, name in ((ours.false_yes_p_value, "placebo_1"), (ours.effect_on_direct_p_value, "placebo_2")):
        assert p_value == pytest.approx(theirs[f"{name}_p_normal"], abs=1e-3)


def test_it_is_the_direct_share_and_the_list_among_the_others() -> None:
    control, treatment = ([10, 20, 10], [1, 5, 4]), ([8, 18, 12, 2], [0, 3, 5, 3])
    ours, others = combine_with_direct(control, treatment), estimate_list(control[0], treatment[0])
    direct = (10 + 11) / 101
    assert ours.point == pytest.approx(direct + (1 - direct) * others.point)
    variance = (1 - others.point) ** 2 * direct * (1 - direct) / 100 + (1 - direct) ** 2 * others.standard_error**2
    assert ours.standard_error == pytest.approx(np.sqrt(variance))
    half = stats.norm.ppf(0.975) * ours.standard_error
    assert ours.interval().low == pytest.approx(ours.point - half)
    assert ours.interval().high == pytest.approx(ours.point + half)


def test_a_coin_is_taken_out_of_the_counts() -> None:
    designs = k_ary(3, "1/2"), k_ary(4, "1/2")
    given = ([10, 20, 10], [4, 5, 4]), ([8, 18, 12, 2], [2, 3, 5, 3])
    ours, others = (
        combine_with_direct(*given, designs=designs),
        estimate_list(given[0][0], given[1][0], designs=designs),
    )
    assert ours.among_no == others.difference


@pytest.mark.parametrize(
    ("control", "treatment", "message"),
    [
        ([5, 5], ([5, 5, 5], [5, 5, 5]), "^control .*number"),
        (([5, 5], [5, 5]), ([5, 5, 5],), "^treatment"),
        (7, ([5, 5, 5],), "^control .*pair"),
        (([5, 5], [0, 0]), ([5, 5, 5], [5, 5, 5]), "^control: Yes .*0.*1"),
        (([5, 5], [5, 5]), ([5, 5, 5], [5, 5]), "^treatment: Yes .*3"),
    ],
)
def test_what_are_no_lists_by_direct_answer_is_refused(control: object, treatment: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        combine_with_direct(control, treatment)  # type: ignore[arg-type]
