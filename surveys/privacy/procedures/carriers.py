"""Who can carry a design out.

The matrix is the same; what differs is who must be trusted: a device, coins or a die of one's own, or nothing at all
where innocuous facts stand for chance, which only the respondent knows and which have nothing to do with the question.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from surveys.privacy.designs import Design
from surveys.privacy.own_chance import OwnChance, own_chance
from surveys.privacy.procedures.labels import NO_YES, require_labels
from surveys.privacy.procedures.sentences import Step
from surveys.privacy.procedures.steps import steps_by_chance, steps_in_the_head


class Carrier(StrEnum):
    """Who or what carries a design out."""

    DEVICE = "device"
    OWN_CHANCE = "own_chance"
    IN_THE_HEAD = "in_the_head"


@dataclass(frozen=True, slots=True)
class Procedure:
    """One way to carry a design out: what happens in order, and what to throw where people throw themselves."""

    carrier: Carrier
    steps: tuple[Step, ...]
    throws: OwnChance | None = None


def procedures(design: Design, labels: Sequence[str] = NO_YES) -> tuple[Procedure, ...]:
    """Return every way in which this design can be carried out.

    Parameters
    ----------
    design : Design
        The design in use.
    labels : sequence of str
        What the true answers are called, in the order of their codes.

    Returns
    -------
    tuple of Procedure
        A device always can. Coins or a die can where `own_chance` finds instructions, and a head where the design
        asks an innocuous question.
    """
    require_labels(design, labels)
    steps = steps_by_chance(design, labels)
    ways = [Procedure(Carrier.DEVICE, steps)]
    throws = own_chance(design)
    if throws:
        ways.append(Procedure(Carrier.OWN_CHANCE, steps, throws))
    silent = steps_in_the_head(design, labels)
    if silent:
        ways.append(Procedure(Carrier.IN_THE_HEAD, silent))
    return tuple(ways)
