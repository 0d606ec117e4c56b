"""Into which parts the responses of a closed survey may be told apart: decided once, and stored with the survey.

Whoever keeps two files of one survey can join them by the reports, which are as good as a fingerprint. Were groups or
plain answers parted differently in the two, the pieces that both leave would hold fewer people than either allows. So
nothing that parts the responses is told while more may come, and when the survey closes it is decided once for good.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from surveys.responses.selectors.tally import MISSING

CODES = 256


@dataclass(frozen=True, slots=True)
class AnswerClasses:
    """Which answers to one question are told together; the last code stands for leaving it out.

    Attributes
    ----------
    members : tuple of tuples of int
        The codes of each class, in their order; the class of leaving out alone is none.
    left_out_in : int or None
        The class that leaving out is told together with.
    """

    members: tuple[tuple[int, ...], ...]
    left_out_in: int | None = None

    @property
    def told(self) -> bool:
        """Whether anything can be told of the question."""
        return len(self.members) > 1

    @property
    def table(self) -> npt.NDArray[np.uint8]:
        """What each stored code counts as."""
        table = np.full(CODES, MISSING, dtype=np.uint8)
        if self.told:
            for place, codes in enumerate(self.members):
                table[list(codes)] = place
            if self.left_out_in is not None:
                table[MISSING] = self.left_out_in
        return table


@dataclass(frozen=True, slots=True)
class Partition:
    """What a survey's pages and files tell apart.

    Attributes
    ----------
    groups : frozenset of int
        Primary keys of the groups told apart; 0 is no group.
    arms : bool
        Whether random arms are told apart.
    classes : mapping from int to AnswerClasses
        The answers to each plain question that are told apart, by the number of its item.
    """

    groups: frozenset[int] = frozenset()
    arms: bool = False
    classes: Mapping[int, AnswerClasses] = field(default_factory=dict)

    @classmethod
    def of_document(cls, document: Mapping[str, Any]) -> "Partition":
        """Return a partition as it is stored."""
        classes = {
            int(item): AnswerClasses(tuple(map(tuple, members)), left_out_in)
            for item, (members, left_out_in) in document["classes"].items()
        }
        return cls(frozenset(document["groups"]), document["arms"], classes)

    @property
    def document(self) -> dict[str, Any]:
        """What is stored of it."""
        classes = {str(item): [found.members, found.left_out_in] for item, found in self.classes.items()}
        return {"groups": sorted(self.groups), "arms": self.arms, "classes": classes}
