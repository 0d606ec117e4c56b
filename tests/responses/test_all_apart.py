"""Arms, groups, plain answers and branches at once: one rule, after which nothing shown is of too few."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.drafts.services.groups import add_group
from surveys.exporting.selectors import rows_of
from surveys.models import Survey
from surveys.responses import told as rule
from tests.factories import fill, make_open, plain, yes_no
from tests.questionnaire.test_branches import after
from tests.responses.recoded import recoded, smallest

pytestmark = pytest.mark.django_db
MINIMUM, SEEDS = 10, 12
ARMS = [{"name": "A", "weight": 1}, {"name": "B", "weight": 2}]
SKIPS = {"leave_out": "visibly"}


def _survey(seed: int) -> Survey:
    rng = np.random.default_rng(seed)
    survey = make_open(
        plain(("North", "South"), "Where do you live?", **SKIPS),
        yes_no("Asked after one of them?", **SKIPS, **after(1, int(rng.integers(2)))),
        plain(text="Which year?", arms=[1] if seed % 2 else [], **SKIPS),
        yes_no("Ever?", quantity=1, arms=[1], **SKIPS),
        yes_no("Ever, otherwise?", quantity=1, arms=[2], **SKIPS),
        arms=ARMS,
    )
    definition = definition_of(survey)
    codes = ["01-", "01-", "012-", "01-", "01-", "01"]
    patterns = [text for text in map("".join, product(*codes)) if not definition.misfit(text)]
    for name in ("One", "Two", ""):
        group = add_group(survey=survey, name=name) if name else None
        # In every fourth survey one arm is small.
        weights = rng.dirichlet(np.ones(len(patterns)) * rng.choice([0.05, 0.3, 2.0]))
        weights[[text.endswith("1") for text in patterns]] *= 0.02 if seed % 4 == 3 else 1
        weights /= weights.sum()
        counts = rng.multinomial(int(rng.choice([60, 400, 2_000])), weights)
        fill(survey, {p: int(n) for p, n in zip(patterns, counts, strict=True) if n}, group=group)
    return close_survey(survey=survey)


def _shown(survey: Survey) -> tuple[int, list[bool]]:
    """Return the smallest cell of all that has no chance, and whether groups, arms and a plain question are separate.

    Where nothing is shown separately, no cell is small.
    """
    definition, snapshot = recoded(survey)
    rows = rows_of(snapshot, definition)
    separate = [column.size > 1 for column in (np.unique(rows.groups), *map(np.unique, rows.patterns[:, [-1, 2]].T))]
    plain_items = [*(item.number for item in definition.items if not item.protects), len(definition.items)]
    return smallest(rows, definition, rows.groups, plain_items), separate


@pytest.mark.slow
@pytest.mark.uncounted
def test_no_combination_of_what_has_no_chance_is_shown_of_few() -> None:
    cells, separate = zip(*(_shown(_survey(seed)) for seed in range(SEEDS)), strict=True)
    assert min(cells) >= MINIMUM
    # Each is shown separately in some of these surveys, and in others not.
    assert all(0 < sum(column) < SEEDS for column in zip(*separate, strict=True))


@pytest.mark.slow
@pytest.mark.uncounted
@pytest.mark.parametrize("name", ["arms_apart", "separable_groups", "_class_of"])
def test_a_rule_that_forgets_arms_groups_or_what_stands_beside_them_is_caught(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    surveys = [_survey(seed) for seed in range(SEEDS)]
    apart = rule._class_of
    forgetting: dict[str, Callable[..., Any]] = {
        "arms_apart": lambda *_all: True,
        "separable_groups": lambda *_all: frozenset(),
        "_class_of": lambda answers, parts, *rest, **order: apart(answers, parts * 0, *rest, **order),
    }
    monkeypatch.setattr(rule, name, forgetting[name])
    # What was decided when they closed is forgotten too: it is decided anew, by the planted rule.
    monkeypatch.setattr(rule, "_decided", lambda _snapshot: None)
    assert min(_shown(survey)[0] for survey in surveys) < MINIMUM
