"""Surveys to fold, and what is looked at when they are."""

import pytest
from django.db.models import Count, Sum
from django.db.models.functions import Coalesce

from surveys.drafts.services.groups import add_group
from surveys.models import CellCount, FoldedPart, PatternCount, Survey
from surveys.responses.selectors import snapshot as snapshots
from surveys.responses.services import cells, steps
from tests.factories import make_open, one_of, send, yes_no


@pytest.fixture
def survey() -> Survey:
    """A survey with reports of every sort: groups, modes, missing answers, equal ones."""
    survey = make_open(yes_no(), one_of(), server_mode_allowed=True, minimum_n=5)
    group = add_group(survey=survey, name="Monday")
    for reports in ("10", "12", "-1", "10", "01", "10"):
        send(survey, reports)
        send(survey, reports, group=group)
    send(survey, "10", mode="own_coin")
    send(survey, "10", mode="server")
    return survey


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fold goes by steps of seven."""
    for name in ("FIRST", "FEWEST", "MOST"):
        monkeypatch.setattr(steps, name, 7)


def keep_cells(monkeypatch: pytest.MonkeyPatch, *, above: int = 0, possible: int = 0) -> None:
    """Let surveys with more patterns than this keep cells, of which so many are said to be possible."""
    for module in (cells, snapshots):
        monkeypatch.setattr(module, "MOST_PATTERNS", above)
    monkeypatch.setattr(cells, "possible_cells", lambda _reports, _groups: possible)


def stored_cells() -> list[tuple[object, ...]]:
    columns = ("group_id", "first", "second", "codes", "count")
    return list(CellCount.objects.order_by(Coalesce("group_id", 0), *columns[1:]).values_list(*columns))


def is_in_order() -> bool:
    """Whether patterns and parts stand in an order that no fold tells of."""
    in_order = Coalesce("group_id", 0), "mode", "reports"
    patterns, parts = PatternCount.objects.all(), FoldedPart.objects.all()
    return list(patterns.order_by("pk")) == list(patterns.order_by(*in_order)) and list(parts.order_by("pk")) == list(
        parts.order_by(*in_order[:2])
    )


def sums_are_kept() -> bool:
    """Whether what is kept of each group and mode beside its patterns is their sum and their number."""
    sums = PatternCount.objects.values_list("group", "mode").annotate(total=Sum("count"), patterns=Count("pk"))
    return set(sums) == set(FoldedPart.objects.values_list("group", "mode", "count", "patterns"))
