import numpy as np
import pytest

from surveys.estimation.prevalence import estimate_prevalence
from surveys.estimation.scales import estimate_scale
from surveys.privacy.designs import k_ary

FIVE = k_ary(5, "1/2")
COUNTS = [80, 70, 60, 90, 100]


def test_the_mean_takes_the_points_as_numbers() -> None:
    scale, shares = estimate_scale(COUNTS, FIVE, 5), estimate_prevalence(COUNTS, FIVE)
    assert scale.mean.point == pytest.approx(np.arange(1, 6) @ shares.point)
    assert (scale.mean.low, scale.mean.high, scale.stated) == (1, 5, False)


@pytest.mark.parametrize("boxes", [1, 2, 3, 4])
def test_the_share_at_the_top_is_that_of_the_last_points(boxes: int) -> None:
    scale, shares = estimate_scale(COUNTS, FIVE, 5), estimate_prevalence(COUNTS, FIVE)
    assert scale.top(boxes).point == pytest.approx(shares.point[-boxes:].sum())
    assert scale.top(boxes).interval().method == "wilson"


def test_where_not_saying_is_an_answer_all_is_among_those_who_say() -> None:
    shares = np.array([0.1, 0.2, 0.3, 0.1, 0.1, 0.2])
    design = k_ary(6, "1/2")
    counts = np.rint(np.array(design.matrix, dtype=float) @ shares * 1_200_000).astype(int)
    scale = estimate_scale(counts, design, 5)
    assert scale.stated
    assert scale.mean.point == pytest.approx(np.arange(1, 6) @ shares[:5] / 0.8, abs=1e-4)
    assert scale.top(2).point == pytest.approx(0.2 / 0.8, abs=1e-4)
    assert scale.top(2).interval().method == "likelihood_ratio"


@pytest.mark.parametrize("boxes", [0, 5, -1, 1.0, True])
def test_there_are_as_many_boxes_as_points_but_one(boxes: int) -> None:
    with pytest.raises(ValueError, match="boxes must be"):
        estimate_scale(COUNTS, FIVE, 5).top(boxes)


@pytest.mark.parametrize("points", [3, 6])
def test_the_design_is_for_the_points_or_one_answer_more(points: int) -> None:
    with pytest.raises(ValueError, match=rf"^design .* {points} .* 5"):
        estimate_scale(COUNTS, FIVE, points)


def test_a_scale_has_two_points_at_least() -> None:
    with pytest.raises(ValueError, match="points must be"):
        estimate_scale([5, 5], k_ary(2, "1/2"), 1)
