"""Which data sets a central guarantee calls neighbours, and what a single change can do to a statistic.

Sensitivity depends on the relation, so nothing here has a default.
"""

from enum import Enum


class NeighbouringRelation(Enum):
    """How two neighbouring data sets differ."""

    REPLACE_ONE = "replace one response"
    """The number of responses is public, and one response is another: what a survey that shows n needs."""

    ADD_OR_REMOVE_ONE = "add or remove one response"
    """One response is there or is not: for statistics that also protect how many there are."""


def count_sensitivity(relation: NeighbouringRelation) -> int:
    """Return how much one change moves a single count: 1 under either relation."""
    return {NeighbouringRelation.REPLACE_ONE: 1, NeighbouringRelation.ADD_OR_REMOVE_ONE: 1}[relation]


def histogram_sensitivity(relation: NeighbouringRelation) -> int:
    """Return the L1 sensitivity of a histogram: a replaced response leaves one count and enters another."""
    return {NeighbouringRelation.REPLACE_ONE: 2, NeighbouringRelation.ADD_OR_REMOVE_ONE: 1}[relation]
