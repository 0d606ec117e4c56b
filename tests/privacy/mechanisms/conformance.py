"""What every central mechanism must do, tested by brute force: one suite that each mechanism's tests inherit.

A subclass ``class TestX(MechanismConformance)`` must define

``mechanisms()``
    A few mechanisms, with both neighbouring relations among them. Small data and few outputs keep it fast.
``statistic(mechanism, data)``
    The exact numbers that chance is added to, or that decide (utilities, a distance): an independent formula whose
    change over all neighbours is measured in the declared norm. ``data`` is a `DataSet`: ``data.counts``, ``data.n``.
``outputs(mechanism)``
    All outputs for data sets of up to ``largest_n`` responses. Of infinitely many, those of a range so wide that all
    others together have a probability of at most ``outside``. They are hashable.
``error(mechanism, output, data)``
    How far this output is from what it would be without chance, in the unit of ``error_bound``.

and may set

``m`` (3)
    How many counts there are; or override ``length(mechanism)``, for instance by ``mechanism.design.m``.
``smallest_n`` (0), ``largest_n`` (5)
    Which data sets are gone through.
``sensitivity_n`` (``largest_n``)
    Of how many responses the data sets are at most whose statistics are compared; set it where these can be larger.
``outside`` (1e-9)
    See ``outputs``.
``draws`` (2,000)
    How often each of two neighbours is released; 500 times in `make test`.
``sensitivity_is_attained`` (True)
    Whether two of these neighbours differ by exactly the declared sensitivity; if not, by at most that.
``attained(mechanism)`` (1.0)
    The share of ε (at the declared δ) that the worst two neighbours do spend; 0 where nothing is promised.
``audited(mechanism)`` (0.4 of ``attained``, with a δ 0.2 of it)
    The share of ε that an audit by so many draws must be able to show; 0 where nothing can be.
``each_n``, ``some_n``, ``telling_n`` (1), ``at(mechanism, n)``
    How many responses there are when it is looked whether there is any chance, and whether all of it is there and each
    draw has its own (`every_n.py`); from how many on faults of that kind show; and the mechanism and the data set for
    that, by default with counts as even as possible: an output much likelier than one half would show nothing.
``numbers(mechanism, output, data)``
    The numbers of an output that have noise of their own, up to constants: a tuple by default, if it is one.
``rescaled(mechanism, factor)``
    The mechanism with so many times its ε: what a wrong scale or a wrong sensitivity comes to.
``planted(mechanism)``
    Faults: each a `Planted` fault with the name of the check that must catch it. Extend it by
    ``return [*super().planted(mechanism), Planted(...)]``. By default a scale of a quarter, a loss of a quarter of
    what is spent (seen by the formula, and by draws alone), half the sensitivity, and naive float noise: as floats, and
    as Fractions with all their bits. They are planted in the first mechanism of each relation. `Lying` builds a
    mechanism that does not do as it says.

Each check is a method ``check_…(mechanism)`` that raises AssertionError: the tests call it with a mechanism that
should pass, and with those that should not. The draws are seeded: a test that passes passes always.
"""

import math
import os
from abc import abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import FrozenInstanceError, fields, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest

from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.mechanisms.mechanism import CentralMechanism, Counted, Norm
from tests.privacy.chance import FALSE_ALARM_RATE, seeded
from tests.privacy.mechanisms.distinguishing import (
    audited_epsilon,
    hockey_stick,
    log_ratios,
    p_value_of_draws,
    spent,
    telling_event,
)
from tests.privacy.mechanisms.every_n import (
    Lie,
    Numbers,
    bare,
    draws_of,
    even,
    p_value_at,
    p_value_of_no_chance,
    shared,
)
from tests.privacy.mechanisms.evidence import Mechanism, evidence_of
from tests.privacy.mechanisms.neighbours import DataSet, data_sets, neighbours
from tests.privacy.mechanisms.planted import Lying, Planted
from tests.property_profile import ALL_EXAMPLES

ROUNDING = 1e-9
"""What float formulas of probabilities may be off by, relatively."""

CHANGES = {
    Norm.ABSOLUTE: lambda changes: max(map(abs, changes)),
    Norm.L1: lambda changes: sum(map(abs, changes)),
    Norm.L2_SQUARED: lambda changes: sum(change * change for change in changes),
}


class MechanismConformance:
    """See the top of this file."""

    m = 3
    smallest_n = 0
    largest_n = 5
    sensitivity_n: int | None = None
    outside = 1e-9
    draws = 2_000
    sensitivity_is_attained = True
    each_n: ClassVar[Sequence[int]] = range(1, 201)
    some_n: ClassVar[Sequence[int]] = (1, 2, 5, 20, 149, 151, 1000)
    telling_n = 1

    @abstractmethod
    def mechanisms(self) -> Sequence[Mechanism]: ...

    @abstractmethod
    def statistic(self, mechanism: Mechanism, data: DataSet) -> Sequence[Fraction | int]: ...

    @abstractmethod
    def outputs(self, mechanism: Mechanism) -> Sequence[Hashable]: ...

    @abstractmethod
    def error(self, mechanism: Mechanism, output: Hashable, data: DataSet) -> float | Fraction: ...

    def length(self, mechanism: Mechanism) -> int:
        return self.m

    def counted(self, mechanism: Mechanism) -> Counted:
        return getattr(mechanism, "counted", Counted.CODES)

    def data_sets(self, mechanism: Mechanism, largest_n: int) -> list[DataSet]:
        return data_sets(self.counted(mechanism), self.length(mechanism), self.smallest_n, largest_n)

    def largest(self, mechanism: Mechanism) -> DataSet:
        """One of the largest data sets, where any would do."""
        return self.data_sets(mechanism, self.largest_n)[-1]

    def pairs(self, mechanism: Mechanism, data: Sequence[DataSet]) -> list[tuple[DataSet, DataSet]]:
        """All neighbours among these data sets."""
        among, counted = set(data), self.counted(mechanism)
        return [
            (one, other) for one in data for other in neighbours(one, counted, mechanism.relation) if other in among
        ]

    def at(self, mechanism: Mechanism, n: int) -> tuple[Mechanism, DataSet]:
        return mechanism, even(self.counted(mechanism), self.length(mechanism), n)

    def numbers(self, mechanism: Mechanism, output: Hashable, data: DataSet) -> Numbers:
        return output if isinstance(output, tuple) else ()

    def attained(self, mechanism: Mechanism) -> float:
        return 1.0

    def audited(self, mechanism: Mechanism) -> float:
        return (0.2 if mechanism.loss.delta else 0.4) * self.attained(mechanism)

    def rescaled(self, mechanism: Mechanism, factor: int) -> Mechanism:
        return replace(mechanism, epsilon=mechanism.epsilon * factor)

    def planted(self, mechanism: Mechanism) -> list[Planted]:
        other, declared = self.rescaled(mechanism, 4), mechanism.sensitivity
        drawn = Lying(mechanism, draws_as=other.release)
        faults = [
            Planted("a scale of a quarter", drawn, "check_draws"),
            Planted("naive float noise", Lying(mechanism, draws_as=self.naively(mechanism, float)), "check_outputs"),
            Planted(
                "its bits as Fractions", Lying(mechanism, draws_as=self.naively(mechanism, Fraction)), "check_outputs"
            ),
        ]
        if self.attained(mechanism) > 0.25:
            lying = Lying(mechanism, draws_as=other.release, probability_of=other.probability)
            faults.append(Planted("a loss of a quarter of what is spent", lying, "check_neighbours"))
        if 4 * self.audited(mechanism) > 1.5:
            faults.append(Planted("draws that spend four times as much", drawn, "check_audit"))
        if self.sensitivity_is_attained:
            half = replace(declared, value=declared.value / 2)
            faults.append(
                Planted("half the sensitivity", Lying(mechanism, stated_sensitivity=half), "check_sensitivity")
            )
        return faults

    def naively(
        self, mechanism: Mechanism, written: Callable[[float], float | Fraction]
    ) -> Callable[..., tuple[float | Fraction, ...]]:
        """Floats, from the inverse of the distribution function of Laplace, added to the statistic."""

        def release(counts: Sequence[int], randbelow: Callable[[int], int]) -> tuple[float | Fraction, ...]:
            noisy = []
            for number in self.statistic(mechanism, DataSet(tuple(counts), sum(counts))):
                uniform = (randbelow(2**53) + 0.5) / 2**53 - 0.5
                scale = float(mechanism.sensitivity.value / mechanism.loss.epsilon)
                noisy.append(written(float(number) - scale * math.copysign(math.log1p(-2 * abs(uniform)), uniform)))
            return tuple(noisy)

        return release

    # What the tests of a subclass are run with.

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        mechanisms = list(self.mechanisms())
        if "mechanism" in metafunc.fixturenames:
            metafunc.parametrize("mechanism", self._chosen(metafunc, mechanisms), ids=range(len(mechanisms)))
        if "fault" in metafunc.fixturenames:
            first = {mechanism.relation: mechanism for mechanism in reversed(mechanisms)}
            faults = [(relation, fault) for relation, one in first.items() for fault in self.planted(one)]
            ids = [f"{fault.fault}, {relation.value}" for relation, fault in faults]
            metafunc.parametrize("fault", [fault for _, fault in faults], ids=ids)

    def _chosen(self, metafunc: pytest.Metafunc, mechanisms: list[Mechanism]) -> list[Any]:
        """Enumerate and draw from one mechanism a relation, and only in `make test-all` from others."""
        if metafunc.definition.get_closest_marker("uncounted") is None:
            return mechanisms
        first = {mechanism.relation: mechanism for mechanism in reversed(mechanisms)}
        return [
            mechanism if first[mechanism.relation] is mechanism else pytest.param(mechanism, marks=pytest.mark.slow)
            for mechanism in mechanisms
        ]

    # The checks.

    def check_draws(self, mechanism: Mechanism) -> None:
        """Draws from the worst two neighbours follow the formula."""
        evidence = evidence_of(self, mechanism)
        both = evidence.drawn if ALL_EXAMPLES in os.environ else evidence.drawn_first
        for drawn, p in zip(both, evidence.worst[2:], strict=True):
            probabilities = dict(zip(evidence.outputs, p, strict=True))
            assert p_value_of_draws(drawn, probabilities) > FALSE_ALARM_RATE

    def check_outputs(self, mechanism: Mechanism) -> None:
        """Every drawn output is exact, and one that the formula knows: a float's last bits tell what it came from."""
        data = self.largest(mechanism)
        randbelow = seeded(20_284)
        for _ in range(20):
            drawn = mechanism.release(data.counts, randbelow)
            assert _is_exact(drawn), f"{drawn!r} holds a float"
            assert _has_probability(mechanism, drawn, data), f"{drawn!r} has no probability"

    def check_neighbours(self, mechanism: Mechanism) -> None:
        """No output is more than e^ε times likelier than from a neighbour, up to δ in all, and the worst pair is."""
        epsilon, delta = float(mechanism.loss.epsilon), float(mechanism.loss.delta)
        evidence = evidence_of(self, mechanism)
        for pair in evidence.pairs:
            if delta:
                excess = hockey_stick(pair.p, pair.q, epsilon)
                assert excess <= delta * (1 + 1e-6) + 1e-13, f"{pair[:2]} needs δ = {excess}"
            else:
                # Below 1e-290 a float has lost digits.
                ratio = log_ratios(pair.p, pair.q)[pair.p > 1e-290].max(initial=-math.inf)
                assert ratio <= epsilon + ROUNDING, f"{pair[:2]} spends {ratio}"
        attained = spent(evidence.worst.p, evidence.worst.q, delta)
        assert attained >= epsilon * self.attained(mechanism) - ROUNDING, (
            f"no two neighbours spend more than {attained}"
        )

    def check_sensitivity(self, mechanism: Mechanism) -> None:
        """By brute force it is the declared one."""
        declared, norm = mechanism.sensitivity, CHANGES[mechanism.sensitivity.norm]
        data = self.data_sets(mechanism, self.sensitivity_n or self.largest_n)
        statistics = {one: self.statistic(mechanism, one) for one in data}
        largest = max(
            norm([Fraction(x) - y for x, y in zip(statistics[one], statistics[other], strict=True)])
            for one, other in self.pairs(mechanism, data)
        )
        if self.sensitivity_is_attained:
            assert largest == declared.value
        else:
            assert largest <= declared.value

    def check_audit(self, mechanism: Mechanism) -> None:
        """What draws alone show of ε is not above it, and not far below where it is spent."""
        evidence = evidence_of(self, mechanism)
        epsilon, delta = float(mechanism.loss.epsilon), float(mechanism.loss.delta)
        event = telling_event(evidence.outputs, evidence.worst, delta, self.draws)
        hits, hits_of_other = (sum(output in event for output in drawn) for drawn in evidence.drawn)
        shown = audited_epsilon(hits, hits_of_other, self.draws, delta)
        assert shown <= epsilon
        if self.audited(mechanism):
            assert shown >= epsilon * self.audited(mechanism)

    def check_n(self, mechanism: Mechanism, n: int, lie: Lie | None = None) -> None:
        """With n responses no chance is left out, and no two draws of a release share theirs."""
        honest, data = self.at(mechanism, n)
        drawn_from = lie(honest, data) if lie else honest
        p_value = p_value_at(drawn_from, data, lambda output: self.numbers(honest, output, data))
        assert p_value > FALSE_ALARM_RATE / len(self.some_n), f"n = {n}: {p_value}"

    def check_any_chance(self, mechanism: Mechanism, n: int, lie: Lie | None = None) -> None:
        """With n responses outputs differ, where the formula says that they would have by now."""
        honest, data = self.at(mechanism, n)
        p_value = p_value_of_no_chance(lie(honest, data) if lie else honest, data)
        assert p_value > FALSE_ALARM_RATE / len(self.each_n), f"n = {n}: {p_value}"

    def is_caught(self, check: Callable[..., None], n: int, lie: Lie) -> bool:
        mechanism = self.mechanisms()[0]
        try:
            check(mechanism, n, lie)
        except AssertionError:
            return True
        return False

    def check_error_bound(self, mechanism: Mechanism) -> None:
        """At the stated confidence and at every data set, and it does not grow with less confidence."""
        evidence = evidence_of(self, mechanism)
        for data, p in zip(evidence.data, evidence.probabilities, strict=True):
            before = math.inf
            for level in (0.95, 0.5):
                bound = mechanism.error_bound(data.n, level)
                assert bound.confidence_level == level
                assert bound.at_best <= bound.at_most <= before
                before = bound.at_most
                within = [self.error(mechanism, output, data) <= bound.at_most for output in evidence.outputs]
                assert p[within].sum() >= level - ROUNDING, f"{data} at {level}"

    # The tests.

    def test_both_relations_are_tested(self) -> None:
        assert {mechanism.relation for mechanism in self.mechanisms()} == set(NeighbouringRelation)

    def test_it_says_what_it_costs_and_for_which_neighbours(self, mechanism: Mechanism) -> None:
        assert isinstance(mechanism, CentralMechanism)
        assert mechanism.loss.epsilon > 0
        assert mechanism.sensitivity.value > 0
        assert mechanism.sensitivity.relation is mechanism.relation

    def test_it_cannot_be_changed(self, mechanism: Mechanism) -> None:
        with pytest.raises(FrozenInstanceError):
            mechanism.relation = None
        assert replace(mechanism) == mechanism

    @pytest.mark.uncounted
    def test_the_probabilities_sum_to_1(self, mechanism: Mechanism) -> None:
        sums = evidence_of(self, mechanism).probabilities.sum(axis=1)
        assert sums.max() <= 1 + ROUNDING
        assert sums.min() >= 1 - self.outside - ROUNDING

    @pytest.mark.uncounted
    def test_draws_follow_the_formula(self, mechanism: Mechanism) -> None:
        self.check_draws(mechanism)

    def test_outputs_are_exact(self, mechanism: Mechanism) -> None:
        self.check_outputs(mechanism)

    @pytest.mark.uncounted
    def test_all_neighbours_are_as_hard_to_tell_apart_as_it_says(self, mechanism: Mechanism) -> None:
        self.check_neighbours(mechanism)

    @pytest.mark.uncounted
    def test_the_sensitivity_is_that_of_brute_force(self, mechanism: Mechanism) -> None:
        self.check_sensitivity(mechanism)

    @pytest.mark.slow
    @pytest.mark.uncounted
    def test_an_audit_of_draws_finds_no_larger_epsilon(self, mechanism: Mechanism) -> None:
        self.check_audit(mechanism)

    @pytest.mark.uncounted
    def test_there_is_chance_at_each_n(self, mechanism: Mechanism) -> None:
        for n in self.each_n:
            self.check_any_chance(mechanism, n)

    @pytest.mark.uncounted
    def test_all_its_chance_is_there_and_each_draw_has_its_own(self, mechanism: Mechanism) -> None:
        for n in self.some_n:
            self.check_n(mechanism, n)

    @pytest.mark.uncounted
    def test_chance_that_is_left_out_or_shared_is_caught(self) -> None:
        for n in [n for n in self.some_n if n >= self.telling_n][::3]:
            assert self.is_caught(self.check_any_chance, n, bare), f"no chance was not caught at {n}"
            assert self.is_caught(self.check_n, n, bare), f"no chance was not caught at {n}"
            if draws_of(*self.at(self.mechanisms()[0], n)) > 1:
                assert self.is_caught(self.check_n, n, shared), f"one noise for all was not caught at {n}"

    @pytest.mark.uncounted
    def test_the_error_bound_holds(self, mechanism: Mechanism) -> None:
        self.check_error_bound(mechanism)

    def test_all_its_chance_is_what_it_is_given(self, mechanism: Mechanism) -> None:
        data = self.largest(mechanism)
        one, again = seeded(20_285), seeded(20_285)
        for _ in range(10):
            assert mechanism.release(data.counts, one) == mechanism.release(data.counts, again)

    def test_the_default_source_of_chance_works(self, mechanism: Mechanism) -> None:
        data = self.largest(mechanism)
        assert mechanism.probability(mechanism.release(data.counts), data.counts) > 0

    def test_an_epsilon_that_protects_nobody_or_is_not_exact_is_refused(self) -> None:
        mechanism = self.mechanisms()[0]
        for epsilon in (0, -1, math.nan, math.inf, 0.5, True):
            with pytest.raises(ValueError, match="epsilon must be"):
                replace(mechanism, epsilon=epsilon)

    def test_what_is_no_relation_or_no_kind_of_counts_is_refused_by_name(self, mechanism: Mechanism) -> None:
        kinds = {"relation": NeighbouringRelation, "counted": Counted}
        for name in {field.name for field in fields(mechanism)} & set(kinds):
            for wrong in (None, "REPLACE_ONE", "CODES", kinds[name], next(iter(kinds[name])).value, *Norm):
                with pytest.raises(ValueError, match=f"{name} must be"):
                    replace(mechanism, **{name: wrong})

    def test_a_delta_that_is_no_exact_probability_below_1_is_refused(self) -> None:
        mechanism = self.mechanisms()[0]
        if "delta" in {field.name for field in fields(mechanism)}:
            for delta in (-1, 1, 2, math.nan, math.inf, 0.5, True):
                with pytest.raises(ValueError, match="delta must be"):
                    replace(mechanism, delta=delta)

    def test_counts_that_are_none_are_refused(self) -> None:
        mechanism = self.mechanisms()[0]
        data = self.largest(mechanism).counts
        output = mechanism.release(data, seeded(20_286))
        for counts in ([*data, 0], data[1:], *([wrong, *data[1:]] for wrong in (-1, True, 1.0, "1", None))):
            with pytest.raises(ValueError, match="counts"):
                mechanism.release(counts, seeded(1))
            with pytest.raises(ValueError, match="counts"):
                mechanism.probability(output, counts)

    def test_an_error_bound_needs_a_level_between_0_and_1(self) -> None:
        mechanism = self.mechanisms()[0]
        for level in (0, 1, -1, 2, math.nan):
            with pytest.raises(ValueError, match="confidence_level"):
                mechanism.error_bound(self.largest_n, level)

    @pytest.mark.slow
    def test_a_planted_fault_is_caught(self, fault: Planted) -> None:
        with pytest.raises(AssertionError):
            getattr(self, fault.caught_by)(fault.mechanism)


def _is_exact(output: object) -> bool:
    """Whether it is put together from integers, Fractions and names alone."""
    if isinstance(output, tuple):
        return all(_is_exact(part) for part in output)
    return not isinstance(output, float | np.floating | complex)


def _has_probability(mechanism: Mechanism, output: Hashable, data: DataSet) -> bool:
    """Whether the formula knows the output; it may refuse one that is off its grid or of another kind."""
    try:
        return mechanism.probability(output, data.counts) > 0
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return False
