"""What a design adds to a question's page, and to the overview."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from surveys.charts import Chart, IntervalRow

# A row of a chart, and the cells of its table.
Line = tuple[IntervalRow, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Section:
    """What is added to a question's page; a template reads `context` as `section`."""

    context: Mapping[str, Any] = field(default_factory=dict)
    above: str = ""  # the template of what stands above the question's own result
    below: str = ""  # below it
    fold: str = ""  # among what is folded at the foot of the page
    origin: Sequence[str] = ()  # sentences about where the figure comes from
    kept: Sequence[tuple[str, str]] = ()  # fields of the address that other forms of the page keep
    outcome: str = ""  # the key by which the regression explains the question, where it is not the item's own
    notices: Sequence[str] = ()
    charts: Sequence[Chart] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """What is added to the overview."""

    rows: Sequence[Line] = ()  # of shares
    replaces: frozenset[int] = frozenset()  # the numbers of questions that have no row of their own then
    notes: Sequence[str] = ()
