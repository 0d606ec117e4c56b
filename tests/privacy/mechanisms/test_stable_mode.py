import math
from collections.abc import Hashable, Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from surveys.privacy.adjacency import Counted, NeighbouringRelation
from surveys.privacy.designs import Design, forced_response, k_ary, warner
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.stable_mode import ReleasedMode, StableMode
from tests.privacy.mechanisms.choices import truths_of
from tests.privacy.mechanisms.conformance import MechanismConformance
from tests.privacy.mechanisms.every_n import undecided
from tests.privacy.mechanisms.neighbours import DataSet
from tests.privacy.mechanisms.ordered import COIN, LATE, TRUTHS, all_counts, replaced
from tests.privacy.mechanisms.planted import Lying, Planted

REPLACE, ADD = NeighbouringRelation.REPLACE_ONE, NeighbouringRelation.ADD_OR_REMOVE_ONE
BITS = Counted.BITS


def stable_mode(design: Design = TRUTHS, relation: object = REPLACE, **more: object) -> StableMode:
    given = {"epsilon": Fraction(1), "delta": Fraction(1, 5)} | more
    return StableMode(relation=relation, design=design, **given)


class Unsure(StableMode):
    """Compares without noise."""

    __slots__ = ()

    def probability(self, output: ReleasedMode, counts: Sequence[int]) -> float:
        mode, stability = self.mode_and_stability(counts)
        return float(output.answer == (mode if stability >= 1 else None))


class TestStableMode(MechanismConformance):
    largest_n = 5
    each_n = range(20, 201, 12)
    some_n = (1, 20, 50, 149, 151)
    telling_n = 20
    draws = 1_000

    def mechanisms(self) -> list[StableMode]:
        return [
            stable_mode(),
            stable_mode(relation=ADD, delta=Fraction(1, 4)),
            stable_mode(COIN, delta=Fraction(1, 10)),
            stable_mode(LATE, ADD, delta=Fraction(1, 4)),
            stable_mode(COIN, candidates=2),
        ]

    def length(self, mechanism: StableMode) -> int:
        return mechanism.scores.length

    def statistic(self, mechanism: StableMode, data: DataSet) -> list[int]:
        """γ by the gaps of the design's own formula, of which one change closes 2/t, or 1/t."""
        people = truths_of(mechanism.design, data.counts)[: mechanism.candidates]
        t = dict(mechanism.design.exact_parameters)["truth"]
        shares = dict(mechanism.design.exact_parameters).get("weights", (Fraction(1, 3),) * 3)
        mode = people.index(max(people))
        changes = []
        for other, number in enumerate(people):
            if other != mode:
                tilt = (1 - t) * (shares[other] - shares[mode])
                one = {REPLACE: Fraction(2), ADD: 1 + abs(tilt)}[mechanism.relation] / t
                gap = (people[mode] - number) / one
                changes.append(math.ceil(gap) if other < mode else math.floor(gap) + 1)
        return [min(changes) - 1]

    def outputs(self, mechanism: StableMode) -> list[Hashable]:
        return [ReleasedMode(None), *map(ReleasedMode, range(mechanism.candidates))]

    def error(self, mechanism: StableMode, output: ReleasedMode, data: DataSet) -> float:
        return math.inf if output.answer is None else 0.0

    def at(self, mechanism: StableMode, n: int) -> tuple[StableMode, DataSet]:
        return mechanism, undecided(mechanism, self.counted(mechanism), self.length(mechanism), n, ReleasedMode(None))

    def numbers(self, mechanism: StableMode, output: Hashable, data: DataSet) -> tuple[()]:
        return ()

    def attained(self, mechanism: StableMode) -> float:
        return 0.0  # so few responses hardly ever pass a test at so small a delta: see test_stability for many

    def planted(self, mechanism: StableMode) -> list[Planted]:
        fields = {name: getattr(mechanism, name) for name in mechanism.__dataclass_fields__}
        unsure = Lying(mechanism, probability_of=Unsure(**fields).probability)
        lenient = replace(mechanism, delta=Fraction(49, 100))
        low = Lying(mechanism, draws_as=lenient.release, probability_of=lenient.probability)
        return [
            *super().planted(mechanism),
            Planted("a comparison without noise", unsure, "check_neighbours"),
            Planted("a threshold too low", low, "check_neighbours"),
        ]


class TestStableOption(TestStableMode):
    """Several options may be ticked; each bit has its own coin."""

    largest_n = 3

    def mechanisms(self) -> list[StableMode]:
        return [
            stable_mode(forced_response("1/2", "1/5"), counted=BITS, candidates=3),
            stable_mode(warner("1/5"), ADD, counted=BITS, candidates=3, delta=Fraction(1, 4)),
        ]

    def statistic(self, mechanism: StableMode, data: DataSet) -> list[int]:
        """γ in ones alone: a replaced response closes a gap by 2, an added one by 1, whatever the coin."""
        sign = -1 if mechanism.design.name == "warner" else 1
        ones = [sign * count for count in data.counts]
        mode = ones.index(max(ones))
        one = {REPLACE: 2, ADD: 1}[mechanism.relation]
        changes = [
            math.ceil(Fraction(ones[mode] - number, one)) if other < mode else (ones[mode] - number) // one + 1
            for other, number in enumerate(ones)
            if other != mode
        ]
        return [min(changes) - 1]


@pytest.mark.parametrize("design", [TRUTHS, COIN, LATE])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_so_many_changes_certainly_leave_the_answer_and_for_truths_one_more_does_not(design: Design, n: int) -> None:
    mechanism, data = stable_mode(design), all_counts(3, n)
    modes = {}
    for one in data:
        people = truths_of(design, one)
        modes[one] = people.index(max(people))
    for one in data:
        mode, stability = mechanism.mode_and_stability(one)
        distances = [replaced(one, other) for other in data if modes[other] != modes[one]]
        assert mode == modes[one]
        assert stability < min(distances, default=math.inf)
        if design is TRUTHS:
            assert stability + 1 == min(distances)


def test_an_answer_far_ahead_is_published_and_one_barely_ahead_is_not() -> None:
    mechanism = stable_mode(COIN, delta=Fraction(1, 10**6))
    assert mechanism.release((400, 100, 100)) == ReleasedMode(0)
    assert mechanism.probability(ReleasedMode(None), (101, 100, 100)) >= 1 - 1e-6
    assert mechanism.probability(ReleasedMode(1), (400, 100, 100)) == 0
    assert mechanism.probability(0, (400, 100, 100)) == 0


def test_a_refusal_costs_as_much() -> None:
    assert stable_mode(delta=Fraction(1, 1000)).loss == PrivacyLoss(Fraction(1), Fraction(1, 1000))


def test_the_error_is_infinite_where_it_refuses_and_none_at_best() -> None:
    mechanism = stable_mode(delta=Fraction(1, 10**6))
    few, many = mechanism.error_bound(20, 0.95), mechanism.error_bound(200, 0.95)
    assert (few.at_most, few.at_best, many.at_most, many.at_best) == (math.inf, math.inf, math.inf, 0)


def test_a_protected_prefer_not_to_say_is_no_candidate() -> None:
    mechanism = stable_mode(TRUTHS, candidates=2)
    assert mechanism.mode_and_stability((5, 1, 90)) == (0, 2)


def test_the_number_of_responses_may_be_0() -> None:
    assert stable_mode().mode_and_stability((0, 0, 0)) == (0, 0)
    assert stable_mode().error_bound(0, 0.95).at_best == math.inf


@pytest.mark.parametrize("relation", ["replace one response", None, 1])
def test_a_relation_that_is_none_is_refused(relation: object) -> None:
    with pytest.raises(ValueError, match=r"^relation must be"):
        stable_mode(relation=relation)


@pytest.mark.parametrize("candidates", [1, 4, 2.0, True])
def test_candidates_that_are_not_answers_are_refused(candidates: object) -> None:
    with pytest.raises(ValueError, match=r"^candidates must be"):
        stable_mode(k_ary(3), candidates=candidates)
