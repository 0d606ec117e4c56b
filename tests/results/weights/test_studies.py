"""How often the limits of weighted estimates hold the truth, over 2,000 studies each."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from surveys.results.figures.questions import FigureOptions
from surveys.results.figures.weights import GroupCategories, KnownShares, WeightingPlan, weighted_results
from tests.factories import plain, yes_no
from tests.results.studied import Codes, Studied, held_as_said, holds

pytestmark = [pytest.mark.django_db, pytest.mark.studies]
WANTED = FigureOptions()


def _weighted(studied: Studied, plan: WeightingPlan, sent: Sequence[Codes], groups: Codes | None = None) -> Any:  # noqa: ANN401
    definition, snapshot = studied.told(sent, groups=groups)
    [question] = weighted_results(definition, snapshot, plan).questions
    [item] = question.items
    return item.answers[-1]


def _known(studied: Studied, shares: tuple[float, ...]) -> KnownShares:
    item = studied.stored.questions[1].first
    return KnownShares(item, item.title, item.labels, shares)


# Arts are 60 of 100 and came as 35 of 100; of them 50 of 100 have it, of the others 10.


def test_what_is_weighted_to_a_known_share() -> None:
    studied = Studied.of(yes_no(leave_out="no"), plain(("Arts", "Science"), "What do you study?"))
    plan = WeightingPlan((_known(studied, (0.6, 0.4)),), "none", None, GroupCategories((), ()), WANTED)
    truth = 0.6 * 0.5 + 0.4 * 0.1

    def study() -> Sequence[bool]:
        science = studied.have(0.65, 600)
        answer = _weighted(studied, plan, [studied.sent(1, studied.have(np.where(science, 0.1, 0.5), 600)), science])
        unweighted.append(holds(answer.unweighted, truth))
        return [holds(answer.weighted, truth)]

    unweighted: list[bool] = []
    held_as_said(study)
    assert np.mean(unweighted) < 0.9


def test_what_groups_as_clusters_tell() -> None:
    studied = Studied.of(yes_no(leave_out="no"), plain(("Arts", "Science"), "What do you study?"))
    keys = np.arange(1, 31)
    groups = GroupCategories(tuple(keys.tolist()), tuple(map(str, keys)))
    plan, alone = (WeightingPlan((), role, None, groups, WANTED) for role in ("clusters", "none"))

    def study() -> Sequence[bool]:
        # 30 classes of 30, drawn of many: in each another share has it, 30 of 100 in all.
        shares = studied.generator.beta(1.5, 3.5, len(keys))
        of = np.repeat(keys, 30)
        sent = [studied.sent(1, studied.have(np.repeat(shares, 30), 900)), studied.have(0.5, 900)]
        apart.append(holds(_weighted(studied, alone, sent, of).weighted, 0.3))
        return [holds(_weighted(studied, plan, sent, of).weighted, 0.3)]

    apart: list[bool] = []
    held_as_said(study)
    assert np.mean(apart) < 0.93


def test_what_groups_as_strata_of_known_size_tell() -> None:
    studied = Studied.of(yes_no(leave_out="no"), plain(("Arts", "Science"), "What do you study?"))
    groups = GroupCategories((1, 2, 3), ("North", "South", "West"))
    sizes, have, came = np.array([0.6, 0.3, 0.1]), np.array([0.1, 0.4, 0.7]), np.array([150, 200, 250])
    known = KnownShares(None, "Groups", groups.labels, tuple(sizes.tolist()))
    plan, alone = (WeightingPlan(shares, "strata", None, groups, WANTED) for shares in ((known,), ()))
    truth = float(sizes @ have)
    of = np.repeat([1, 2, 3], came)

    def study() -> Sequence[bool]:
        sent = [studied.sent(1, studied.have(np.repeat(have, came), len(of))), studied.have(0.5, len(of))]
        as_they_came.append(holds(_weighted(studied, alone, sent, of).weighted, truth))
        return [holds(_weighted(studied, plan, sent, of).weighted, truth)]

    as_they_came: list[bool] = []
    held_as_said(study)
    assert np.mean(as_they_came) < 0.5
