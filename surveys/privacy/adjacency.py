"""Which data sets a central guarantee calls neighbours, and what a single change can do to a statistic.

Sensitivity depends on the relation, which has no default anywhere.
"""

from enum import Enum

from surveys.privacy.rationals import show_value, whole_number


class NeighbouringRelation(Enum):
    """How two neighbouring data sets differ."""

    REPLACE_ONE = "replace one response"
    """The number of responses is public, and one response is another: what a survey that shows n needs."""

    ADD_OR_REMOVE_ONE = "add or remove one response"
    """One response is there or is not: for statistics that also protect how many there are."""


class Counted(Enum):
    """What one response adds to the counts."""

    CODES = "one to one of them"
    BITS = "one to any of them, or to none"


def require_member(kind: type[Enum], value: object, name: str) -> None:
    """Refuse what is no member of an enumeration, with a ValueError that names the argument."""
    if value not in tuple(kind):
        raise ValueError(f"{name} must be a {kind.__name__}, got {show_value(value)}")


def count_sensitivity(relation: NeighbouringRelation) -> int:
    """Return how much one change moves a single count: 1 under either relation."""
    require_member(NeighbouringRelation, relation, "relation")
    return 1


def histogram_sensitivity(relation: NeighbouringRelation, counted: Counted = Counted.CODES, length: object = 2) -> int:
    """Return how many counts of a histogram one change moves at most: its L1 and its squared L2 sensitivity.

    They are the same, as no count moves by more than 1. Of codes, a replaced response leaves one count and enters
    another, and one more enters one. Of bits, the response without any can be replaced by the one with all of them,
    and one with all of them can be added.

    Parameters
    ----------
    relation : NeighbouringRelation
        Which data sets are neighbours.
    counted : Counted
        What one response adds to the counts.
    length : int
        How many counts there are: at least 1 bit, at least 2 codes.
    """
    require_member(NeighbouringRelation, relation, "relation")
    require_member(Counted, counted, "counted")
    counts = whole_number(length, "length", 1 if counted is Counted.BITS else 2)
    if counted is Counted.BITS:
        return counts
    return 2 if relation is NeighbouringRelation.REPLACE_ONE else 1
