"""All looks at a survey held against each other: no sum or difference of what they show is about too few people."""

import itertools

import numpy as np
import pytest

from surveys.common.selectors import definition_of
from surveys.common.totals import ResponseTotals
from surveys.course.services import close_survey
from surveys.drafts.services.groups import add_group
from surveys.models import Group, Survey
from surveys.responses import told as rule
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.responses.services import folding
from tests.factories import make_open, send, settle, yes_no

pytestmark = [pytest.mark.django_db, pytest.mark.uncounted]

MINIMUM = 5


def _pieces(seed: int) -> tuple[list[dict[tuple[int, int], int]], list[frozenset[int]]]:
    """Let people answer in four groups, look now and then, close; return what stood in each look and was told apart.

    A piece is what a group got between two looks: nothing that is shown tells its members apart.
    """
    chance = np.random.default_rng(seed)
    survey = make_open(yes_no(leave_out="no"), minimum_n=MINIMUM)
    rooms: list[Group | None] = [None, *(add_group(survey=survey, name=name) for name in ("North", "East", "South"))]
    weights = chance.dirichlet([0.7] * len(rooms))
    stood: list[dict[tuple[int, int], int]] = []
    separated: list[frozenset[int]] = []
    pieces: dict[tuple[int, int], int] = {}
    for number in range(70):
        send(survey, "01"[chance.integers(2)], group=rooms[chance.choice(len(rooms), p=weights)])
        if chance.random() < 0.2 or number == 69:
            if number == 69:
                survey = close_survey(survey=survey)
            else:
                settle(survey)
            seen = snapshot_of(survey, definition_of(survey))
            for group, n in seen.n_by_group.items():
                if new := n - sum(size for (key, _look), size in pieces.items() if key == group):
                    pieces[group, len(stood)] = new
            stood.append(dict(pieces))
            separated.append(rule.separable_groups(seen, definition_of(survey)) if seen.enough else frozenset())
    return stood, separated


def _by_subtraction(stood: list[dict[tuple[int, int], int]], separated: list[frozenset[int]]) -> list[tuple[int, ...]]:
    """Return the sizes of pieces, too few people together, that sums and differences of all looks single out."""
    sizes = stood[-1]
    places = {piece: place for place, piece in enumerate(sizes)}
    shown = []
    for pieces, apart in zip(stood, separated, strict=True):
        if sum(pieces.values()) >= MINIMUM:
            for part in ({key} for key in apart), [{key for key, _look in pieces} - apart]:
                shown += [[1.0 if piece in pieces and piece[0] in keys else 0.0 for piece in places] for keys in part]
    span = np.linalg.svd(np.array(shown))
    rank = int((span.S > 1e-9).sum())
    inside = span.Vh[:rank].T @ span.Vh[:rank]
    few = [piece for piece, size in sizes.items() if size < MINIMUM]
    small = []
    for number in range(1, len(few) + 1):
        for chosen in itertools.combinations(few, number):
            wanted = np.array([1.0 if piece in chosen else 0.0 for piece in places])
            if sum(sizes[piece] for piece in chosen) < MINIMUM and np.allclose(inside @ wanted, wanted):
                small.append(tuple(sizes[piece] for piece in chosen))
    return small


@pytest.mark.parametrize("seed", range(8))
def test_no_sum_or_difference_of_all_looks_is_about_fewer_than_the_minimum(seed: int) -> None:
    stood, separated = _pieces(seed)
    assert len(stood[-1]) > 3
    assert _by_subtraction(stood, separated) == []


def test_groups_told_apart_by_their_own_sizes_are_found_by_subtraction(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: what the groups that are told apart leave of the whole is not looked at."""
    monkeypatch.setattr(
        rule,
        "separable_parts",
        lambda sizes, least: frozenset(key for key, n in sizes[0].items() if n >= least),
    )
    assert any(_by_subtraction(*_pieces(seed)) for seed in range(8))


def test_a_batch_that_leaves_one_behind_is_found_by_subtraction(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: all but one of what waits is folded, and the close adds that one."""

    def all_but_one(_survey: Survey, standing: ResponseTotals) -> list[folding._Batch]:
        waiting = standing.waiting_by_group.items()
        return [folding._Batch(group or None, n - 1, 1) for group, n in waiting if n > 2 * MINIMUM]

    monkeypatch.setattr(folding, "_due", all_but_one)
    assert any(_by_subtraction(*_pieces(seed)) for seed in range(8))
