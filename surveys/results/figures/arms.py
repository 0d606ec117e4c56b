"""How many responded in each random arm, and whether chance alone deals them so."""

from dataclasses import dataclass

import numpy as np

from surveys.estimation.allocation import allocation_p_value
from surveys.models.arms import Arm
from surveys.models.definition import Definition
from surveys.responses.selectors.snapshot import Snapshot

_UNEVEN = 0.01


@dataclass(frozen=True, slots=True)
class ArmSizes:
    """The sizes of all arms beside the weights that they were dealt with."""

    arms: tuple[Arm, ...]
    sizes: tuple[int, ...]
    p_value: float  # of chance alone dealing them as far from their weights

    @property
    def uneven(self) -> bool:
        """Whether people probably left one arm more often than another."""
        return self.p_value < _UNEVEN


def arm_sizes(definition: Definition, snapshot: Snapshot) -> ArmSizes | None:
    """Return the sizes of the arms; None where there are none, or they may not be told."""
    column = len(definition.items)
    if not (definition.arms and snapshot.enough and snapshot.tells(column)):
        return None
    reports = snapshot.on(column)
    sizes = np.bincount(reports.patterns[:, 0], reports.counts, len(definition.arms)).astype(int).tolist()
    return ArmSizes(definition.arms, tuple(sizes), allocation_p_value(sizes, [arm.weight for arm in definition.arms]))
