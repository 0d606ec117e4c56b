"""Which true answer is most common, chosen from randomized reports by the exponential mechanism or permute-and-flip.

The score of an answer is its debiased count, in people. Under REPLACE_ONE its sensitivity is the largest range of a
row of the left inverse of the design matrix (1/t for a coin that asks for the truth with probability t), under
ADD_OR_REMOVE_ONE the largest absolute entry; 1 either way where reports are the truth.
"""

from dataclasses import dataclass

from surveys.privacy.adjacency import Counted, require_member
from surveys.privacy.designs.design import Design
from surveys.privacy.mechanisms.choice import ChoiceOfCode
from surveys.privacy.mechanisms.permute_and_flip import PermuteAndFlip
from surveys.privacy.mechanisms.scores import Scores, debiased_forms
from surveys.privacy.rationals import whole_number


@dataclass(frozen=True, slots=True, kw_only=True)
class MostCommon(ChoiceOfCode):
    """The answer that most people truly have; of several options, the one that most people truly tick.

    The output is a code. The error bound is in people: by how many the debiased count of the chosen answer falls
    short of the largest.

    Parameters
    ----------
    epsilon, relation, design
        As in `ScoredMechanism`; where bits are counted, `design` is that of every single one, and every response must
        have all of them.
    counted : Counted
        One of k codes, or any of several options.
    candidates : int, optional
        How many answers may be chosen, counted from the first: a protected "prefer not to say" is the last code, and
        is omitted by one less than the design has. All of them if not given; of bits, how many there are, and needed.

    Examples
    --------
    >>> from surveys.privacy import MostCommon, NeighbouringRelation, k_ary
    >>> relation = NeighbouringRelation.REPLACE_ONE
    >>> mechanism = MostCommon(epsilon=1, relation=relation, design=k_ary(4, "3/4"))
    >>> round(mechanism.probability(3, [20, 20, 20, 80]), 4)
    1.0
    """

    counted: Counted = Counted.CODES
    candidates: int | None = None

    def _scored(self) -> Scores:
        candidates = candidates_among(self.design, self.counted, self.candidates)
        object.__setattr__(self, "candidates", candidates)
        return count_scores(self.design, self.counted, candidates)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlippedMostCommon(MostCommon):
    """The same answer, chosen by permute-and-flip.

    Examples
    --------
    >>> from surveys.privacy import FlippedMostCommon, NeighbouringRelation, k_ary
    >>> relation = NeighbouringRelation.REPLACE_ONE
    >>> mechanism = FlippedMostCommon(epsilon=1, relation=relation, design=k_ary(4, "3/4"))
    >>> round(mechanism.probability(3, [20, 20, 20, 80]), 4)
    1.0
    """

    @property
    def selection(self) -> PermuteAndFlip:
        """How a candidate is chosen."""
        return PermuteAndFlip(self.epsilon, self.sensitivity.value)


def candidates_among(design: Design, counted: Counted, candidates: object) -> int:
    """Return how many answers may be chosen, at least 2, or raise a ValueError that names the argument."""
    require_member(Counted, counted, "counted")
    if counted is Counted.BITS:
        if not (design.k == 2 and design.m == 2):
            raise ValueError(f"design must be of one bit, two truths and two reports, got {design.k} and {design.m}")
        return whole_number(candidates, "candidates", 2)
    return design.k if candidates is None else whole_number(candidates, "candidates", 2, design.k)


def count_scores(design: Design, counted: Counted, candidates: int) -> Scores:
    """Return the debiased count of each of the first so many answers as its score."""
    return Scores(tuple((form,) for form in debiased_forms(design, counted, candidates)), counted)
