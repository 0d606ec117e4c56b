"""The ascent on likelihoods whose shape is known."""

from dataclasses import dataclass

import numpy as np
import pytest

from surveys.estimation.regression.scoring import Summit, ascend, clearly_positive
from surveys.estimation.regression.starts import judging_rows, maximum, starting_points, summits
from surveys.estimation.regression.testing import Heights
from tests.estimation.regression.data import Floats


@dataclass
class Place:
    """A function of one parameter, with its first two derivatives and a stand-in for the second."""

    log_likelihood: float
    slope: float
    bend: float
    stand_in: float = 1.0

    def score(self) -> Floats:
        return np.array([self.slope])

    def observed(self) -> Floats:
        return np.array([[self.bend]])

    def definite(self) -> Floats:
        return np.array([[self.stand_in]])


class Parabola:
    """−(x − 3)²/2."""

    unit = 1.0

    def __init__(self) -> None:
        self.visited: list[float] = []

    def at(self, parameters: Floats) -> Place:
        (x,) = parameters
        self.visited.append(float(x))
        return Place(-((x - 3) ** 2) / 2, 3 - x, 1.0)

    def movement(self, step: Floats) -> float:
        return float(np.abs(step).max())

    def step(self, _starts: list[Floats]) -> tuple[Floats, Floats]:
        """Infinity is at 50, and nothing new is beside nowhere."""
        return np.array([50.0]), np.array([0.0])


class Wave(Parabola):
    """cos x, with maxima at the multiples of 2π and bent upwards between."""

    def at(self, parameters: Floats) -> Place:
        (x,) = parameters
        self.visited.append(float(x))
        return Place(float(np.cos(x)), -float(np.sin(x)), float(np.cos(x)))


class Levelling(Parabola):
    """−exp(−x): it rises for ever, and Newton's steps are all 1."""

    def at(self, parameters: Floats) -> Place:
        (x,) = parameters
        self.visited.append(float(x))
        return Place(-float(np.exp(-x)), float(np.exp(-x)), float(np.exp(-x)))


class Cliff(Parabola):
    """Nothing but its start is anywhere."""

    def at(self, parameters: Floats) -> Place:
        (x,) = parameters
        self.visited.append(float(x))
        return Place(0.0 if x == 0 else np.nan, 1.0, 1.0)


def test_a_parabola_takes_one_step_of_newtons() -> None:
    model = Parabola()
    summit = ascend(model, np.array([1.0]))
    assert model.visited == [1.0, 3.0]
    assert summit.parameters.tolist() == [3.0]
    assert summit.converged
    assert not summit.at_infinity
    assert summit.ground.log_likelihood == 0


def test_no_step_is_longer_than_five_and_what_there_is() -> None:
    model = Parabola()
    ascend(model, np.array([-40.0]))
    assert model.visited == [-40.0, 3.0]
    model = Parabola()
    ascend(model, np.array([0.0]) - 20)
    assert model.visited == [-20.0, 3.0]
    far = Parabola()
    ascend(far, np.array([100.0]))
    assert far.visited == [100.0, 3.0]

    class Distant(Parabola):
        def at(self, parameters: Floats) -> Place:
            (x,) = parameters
            self.visited.append(float(x))
            return Place(-((x - 30) ** 2) / 2, 30 - x, 1.0)

    distant = Distant()
    ascend(distant, np.array([0.0]))
    assert distant.visited == [0.0, 5.0, 15.0, 30.0]


def test_where_the_likelihood_bends_upwards_the_stand_in_leads() -> None:
    model = Wave()
    summit = ascend(model, np.array([2.0]))
    # sin 2 downhill to the left; Newton would go right, to the minimum.
    assert model.visited[1] == pytest.approx(2 - np.sin(2))
    assert summit.parameters[0] == pytest.approx(0, abs=1e-10)
    assert summit.converged


def test_a_step_that_would_lower_the_likelihood_is_halved() -> None:
    class Steep(Wave):
        def at(self, parameters: Floats) -> Place:
            place = super().at(parameters)
            place.stand_in = 0.2
            return place

    model = Steep()
    ascend(model, np.array([2.5]))
    first = np.sin(2.5) / 0.2
    # The whole step would lead from cos 2.5 to cos(−0.49): higher, so it is taken; from 3 it would lead down.
    assert model.visited[1] == pytest.approx(2.5 - first)
    lower = Steep()
    ascend(lower, np.array([2.0]))
    step = np.sin(2.0) / 0.2
    assert np.cos(2 - step) < np.cos(2.0)
    assert lower.visited[1:3] == pytest.approx([2 - step, 2 - step / 2])


def test_a_place_without_slope_that_is_no_maximum_is_not_called_one() -> None:
    bottom = ascend(Wave(), np.array([np.pi]))
    assert not bottom.converged
    assert not bottom.at_infinity
    assert ascend(Wave(), np.array([0.0])).converged


def test_a_likelihood_that_levels_off_has_no_maximum() -> None:
    model = Levelling()
    summit = ascend(model, np.array([0.0]))
    assert summit.at_infinity
    assert summit.converged is False
    assert model.visited == pytest.approx(np.arange(20.0))
    assert np.exp(-summit.parameters[0]) <= 1e-8


def test_a_likelihood_flat_in_every_way_has_no_maximum() -> None:
    class Flat(Parabola):
        def at(self, parameters: Floats) -> Place:
            return Place(0.0, 0.0, 0.0, 0.0)

    summit = ascend(Flat(), np.array([1.0]))
    assert summit.at_infinity
    assert not summit.converged


def test_where_no_step_is_possible_the_ascent_ends() -> None:
    model = Cliff()
    summit = ascend(model, np.array([0.0]))
    assert summit.parameters.tolist() == [0.0]
    assert not summit.converged
    assert not summit.at_infinity
    assert model.visited[1:4] == [1.0, 0.5, 0.25]
    assert len(model.visited) < 100


def test_an_ascent_without_end_is_given_up() -> None:
    class Endless(Parabola):
        def at(self, parameters: Floats) -> Place:
            (x,) = parameters
            self.visited.append(float(x))
            return Place(float(x), 1.0, 1.0)

    model = Endless()
    summit = ascend(model, np.array([0.0]))
    assert not summit.converged
    assert not summit.at_infinity
    assert len(model.visited) == 201


def test_an_eigenvalue_is_positive_beyond_rounding() -> None:
    assert clearly_positive(np.array([1e-14, 1e-12, 1.0])).tolist() == [False, True, True]
    assert clearly_positive(np.array([-2.0, 1e-14, 1.0])).tolist() == [False, False, True]
    assert clearly_positive(np.array([0.0, 0.0])).tolist() == [False, False]


def test_the_highest_of_different_summits_comes_first() -> None:
    class Hills(Wave):
        def at(self, parameters: Floats) -> Place:
            place = super().at(parameters)
            (x,) = parameters
            return Place(place.log_likelihood - x / 100, place.slope - 0.01, place.bend)

    ranked = summits([ascend(Hills(), np.array([start])) for start in (6.0, 6.5, 0.1, -0.1, 12.5)])
    assert [round(float(place[0]) / (2 * np.pi), 2) for place in ranked.maxima] == [0, 1, 2]
    assert ranked.best.parameters.tolist() == ranked.maxima[0].tolist()
    assert ranked.infinity == []
    assert ranked.heights == Heights(ranked.best.ground.log_likelihood, ranked.best.ground.log_likelihood)


def test_summits_whose_heights_differ_by_less_than_a_millionth_of_them_are_one() -> None:
    class High(Wave):
        def at(self, parameters: Floats) -> Place:
            place = super().at(parameters)
            return Place(1e6 + place.log_likelihood - parameters[0] / 100, place.slope - 0.01, place.bend)

    assert len(summits([ascend(High(), np.array([start])) for start in (0.1, 6.2)]).maxima) == 1


def summit(height: float, *, converged: bool) -> Summit[Place]:
    return Summit(np.array([height]), Place(height, 0.0, 1.0), converged, at_infinity=not converged)


def test_a_finite_maximum_is_the_best_although_infinity_is_higher() -> None:
    ranked = summits([summit(-7.0, converged=False), summit(-9.0, converged=True), summit(-8.0, converged=True)])
    assert ranked.best.parameters.tolist() == [-8.0]
    assert ranked.heights == Heights(-8.0, -7.0)
    assert [place.tolist() for place in ranked.maxima] == [[-8.0], [-9.0]]
    assert [place.tolist() for place in ranked.infinity] == [[-7.0]]


def test_infinity_that_is_higher_by_rounding_only_is_not_higher() -> None:
    ranked = summits([summit(-8 + 7.9e-6, converged=False), summit(-8.0, converged=True)])
    assert ranked.heights == Heights(-8.0, -8.0)
    assert ranked.infinity == []
    assert summits([summit(-8 + 8.1e-6, converged=False), summit(-8.0, converged=True)]).bound == -8 + 8.1e-6


def test_without_a_finite_maximum_the_highest_place_is_best() -> None:
    ranked = summits([summit(-9.0, converged=False), summit(-8.0, converged=False)])
    assert ranked.best.parameters.tolist() == [-8.0]
    assert np.isnan(ranked.heights.maximum)
    assert ranked.heights.bound == -8
    assert ranked.maxima == []
    assert [place.tolist() for place in ranked.infinity] == [[-8.0]]


def test_what_a_step_gains_is_counted_in_what_a_row_weighs() -> None:
    class Heavy(Levelling):
        unit = 1e6

        def at(self, parameters: Floats) -> Place:
            place = super().at(parameters)
            return Place(1e6 * place.log_likelihood, 1e6 * place.slope, 1e6 * place.bend)

    model = Heavy()
    assert ascend(model, np.array([0.0])).at_infinity
    assert model.visited == pytest.approx(np.arange(20.0))


class Rows(Wave):
    """A wave with a maximum at 1 that many rows agree on."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.n, self.parts = n, []

    def at(self, parameters: Floats) -> Place:
        place = super().at(parameters - 1)
        self.visited[-1] = float(parameters[0])
        return place

    def of(self, rows: np.ndarray) -> "Rows":
        self.parts.append(Rows(rows.size))
        return self.parts[-1]


def test_few_rows_are_all_judged() -> None:
    model = Rows(2000)
    assert maximum(model, 1).best.converged
    assert model.parts == []
    assert 8.0 in model.visited


def test_of_many_rows_some_are_judged_and_all_start_from_their_summits() -> None:
    model = Rows(2001)
    summit = maximum(model, 1).best
    assert [part.n for part in model.parts] == [2000]
    assert 8.0 in model.parts[0].visited
    # All maxima are equally high, so the summits of the judged rows are one, and the whole visits nothing else.
    assert model.visited == [summit.parameters[0]]


def test_where_the_judged_rows_have_no_maximum_all_rows_start_from_nowhere() -> None:
    class Uneven(Rows):
        def of(self, rows: np.ndarray) -> Levelling:  # type: ignore[override]
            return Levelling()

    model = Uneven(3000)
    assert maximum(model, 1).best.converged
    assert model.visited[0] == 0.0


def test_the_starts_lie_on_both_sides_of_nowhere() -> None:
    class Plane(Parabola):
        def at(self, parameters: Floats) -> Place:
            place = Place(0.0, 0.0, 0.0)
            place.score = lambda: np.array([2.0, 0.0])  # type: ignore[method-assign]
            place.definite = lambda: np.diag([4.0, 1.0])  # type: ignore[method-assign]
            return place

    assert [start.tolist() for start in starting_points(Plane(), 2)] == [
        [0, 0],
        [0.5, 0],
        [8, 0],
        [-8, 0],
        [8, 0],
        [-8, 0],
        [0, 8],
        [0, -8],
    ]


def test_the_first_step_is_no_longer_than_the_farthest_start() -> None:
    class Plane(Parabola):
        def at(self, parameters: Floats) -> Place:
            return Place(0.0, 50.0, 0.0)

    assert [start.tolist() for start in starting_points(Plane(), 1)][:3] == [[0], [8], [8]]


def test_the_judged_rows_are_the_multiples_of_the_golden_ratio() -> None:
    assert judging_rows(9_000)[:5].tolist() == [0, 5562, 2124, 7686, 4249]


@pytest.mark.parametrize("n", [2001, 9_000, 1_000_000])
def test_the_judged_rows_are_spread_evenly(n: int) -> None:
    rows = judging_rows(n)
    assert rows.size == 2000
    assert rows.min() >= 0
    assert rows.max() < n
    assert np.diff(np.sort(rows)).max() <= n / 2000 * 2.7 + 1
    # Two columns in step with any short period are told apart.
    for period in (2, 3, 5, 7, 100):
        assert np.unique(rows % period).size == period
