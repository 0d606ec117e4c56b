"""What every choice by the exponential mechanism must do, beside what every mechanism must."""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

import pytest

from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.designs import Design, k_ary
from surveys.privacy.mechanisms.choice import ScoredMechanism
from tests.privacy.mechanisms.conformance import MechanismConformance
from tests.privacy.mechanisms.every_n import nearly_fair
from tests.privacy.mechanisms.evidence import evidence_of
from tests.privacy.mechanisms.neighbours import DataSet
from tests.privacy.mechanisms.planted import Lying, Planted

REPLACE, ADD = NeighbouringRelation.REPLACE_ONE, NeighbouringRelation.ADD_OR_REMOVE_ONE
OTHER = {REPLACE: ADD, ADD: REPLACE}


def direct(k: int) -> Design:
    """Reports that are the truth: the identity matrix."""
    return k_ary(k, 1)


def truths_of(design: Design, counts: Sequence[int]) -> list[Fraction]:
    """The debiased counts of a k-ary design t·I + (1−t)·f·1ᵀ by its own formula, (N_j − (1−t)·f_j·n)/t."""
    parameters = dict(design.exact_parameters)
    t, n = parameters["truth"], sum(counts)
    shares = parameters.get("weights", (Fraction(1, design.k),) * design.k)
    return [(count - (1 - t) * f * n) / t for count, f in zip(counts, shares, strict=True)]


class ChoiceConformance(MechanismConformance):
    """Subclasses give ``statistic``, the scores by an independent formula, and ``raw_sensitivity``."""

    attained_of: ClassVar = {REPLACE: 0.5, ADD: 0.25}
    """The least share of ε that two neighbours of up to `largest_n` responses spend; more is with more responses."""

    audited_of: ClassVar = {REPLACE: 0.1, ADD: 0.0}
    """The least share that draws show: of one response more or less they are too few to show any."""

    def raw_sensitivity(self, mechanism: ScoredMechanism) -> Fraction:
        """What a textbook says for reports that are the truth."""
        raise NotImplementedError

    def length(self, mechanism: ScoredMechanism) -> int:
        return mechanism.design.m

    def outputs(self, mechanism: ScoredMechanism) -> Sequence[object]:
        return range(len(mechanism.scores([0] * self.length(mechanism))))

    def error(self, mechanism: ScoredMechanism, output: object, data: DataSet) -> Fraction:
        scores = self.statistic(mechanism, data)
        return max(scores) - scores[list(self.outputs(mechanism)).index(output)]

    def at(self, mechanism: ScoredMechanism, n: int) -> tuple[ScoredMechanism, DataSet]:
        return nearly_fair(*super().at(mechanism, n))

    def numbers(self, mechanism: ScoredMechanism, output: object, data: DataSet) -> tuple[()]:
        return ()

    def attained(self, mechanism: ScoredMechanism) -> float:
        return self.attained_of[mechanism.relation]

    def audited(self, mechanism: ScoredMechanism) -> float:
        return self.audited_of[mechanism.relation]

    def test_scores_are_those_of_the_formula(self, mechanism: ScoredMechanism) -> None:
        for data in evidence_of(self, mechanism).data:
            assert list(mechanism.scores(data.counts)) == list(self.statistic(mechanism, data)), data

    def largest_divergence(self, mechanism: ScoredMechanism, order: float) -> float:
        return max(
            math.log(sum(pair.q * (pair.p / pair.q) ** order)) / (order - 1)
            for pair in evidence_of(self, mechanism).pairs
        )

    @pytest.mark.uncounted
    @pytest.mark.parametrize("order", [1.01, 2, 8])
    def test_it_is_as_concentrated_as_it_says(self, mechanism: ScoredMechanism, order: float) -> None:
        pure = mechanism.epsilon**2 / 2
        rho = pure if mechanism.concentrated is None else mechanism.concentrated.rho
        assert self.largest_divergence(mechanism, order) <= order * float(rho)

    def planted(self, mechanism: ScoredMechanism) -> list[Planted]:
        double, declared = self.rescaled(mechanism, 2), mechanism.sensitivity
        other = mechanism.scored.sensitivity(OTHER[mechanism.relation]).value
        faults = {"the sensitivity of truths, not of debiased counts": self.raw_sensitivity(mechanism)}
        if other != declared.value:
            faults["the sensitivity of the other relation"] = other
        if self.attained(mechanism) > 0.5:
            without = Lying(mechanism, draws_as=double.release, probability_of=double.probability)
            no_factor_2 = Planted("no factor 2", without, "check_neighbours")
        else:
            no_factor_2 = Planted("no factor 2", Lying(mechanism, draws_as=double.release), "check_draws")
        return [
            *super().planted(mechanism),
            no_factor_2,
            *(
                Planted(fault, Lying(mechanism, stated_sensitivity=replace(declared, value=value)), "check_sensitivity")
                for fault, value in faults.items()
            ),
        ]
