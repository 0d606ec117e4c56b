"""Between which neighbours a table with groups keeps its ε: those that tell the same groups apart, and no others."""

import json
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.test import Client

from surveys.common.selectors import definition_of
from surveys.models import Group, Mechanism
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.histogram import NoisyHistogram
from surveys.releases.families.plan import GroupsApart
from surveys.releases.refusals import ReleaseRefused
from surveys.releases.selectors.doors import look_in
from surveys.releases.selectors.groups import separate_groups
from surveys.releases.services.releasing import counts_of
from surveys.responses.selectors.tally import Tally
from tests.releases.mechanisms.test_joint_groups import ALIKE, APART, OTHERWISE, grouped_survey
from tests.releases.people import in_order
from tests.releases.setting import check, published_release
from tests.releases.steps import look, text_of
from tests.releases.test_verifier import VERIFIER

pytestmark = pytest.mark.django_db

SAME_GROUPS = "The privacy limit compares only sets of reports for which the same groups are shown."
MINIMUM = 2
PEOPLE = 4
EPSILON = Fraction(1)

Response = tuple[str, int]
"""Two reports, and the key of a group."""


def _neighbours(responses: tuple[Response, ...], possible: list[Response]) -> Iterator[tuple[Response, ...]]:
    """Yield what the same responses are with one of them replaced."""
    for place in range(len(responses)):
        if place and responses[place] == responses[place - 1]:
            continue
        for other in possible:
            if other != responses[place]:
                yield tuple(sorted((*responses[:place], other, *responses[place + 1 :])))


def test_moving_one_response_costs_epsilon_where_the_same_groups_are_shown_and_everything_where_not() -> None:
    survey = grouped_survey(("Ann", ALIKE), ("Ben", ALIKE))
    ann, ben = Group.objects.order_by("name").values_list("pk", flat=True)
    # Smaller than a survey may have it, so that all sets of responses can be walked.
    definition = replace(definition_of(survey), minimum_n=MINIMUM)
    [part] = check(
        survey=survey, questions=in_order(survey), mechanism="joint_table", epsilon=EPSILON, options=APART
    ).plans
    possible = list(product(("00", "11"), (ann, ben, 0)))

    @cache
    def table(responses: tuple[Response, ...]) -> tuple[tuple[str, ...], tuple[int, ...]] | None:
        """Return which groups are shown, and the counts that noise is added to; None for a refusal."""
        counted = Counter(responses)
        tally = Tally(
            patterns=np.array([[int(code) for code in reports] for reports, _group in counted], dtype=np.uint8),
            counts=np.array(list(counted.values()), dtype=np.int64),
            groups=np.array([group for _reports, group in counted], dtype=np.int64),
            modes=("browser",) * len(counted),
        )
        try:
            plan = separate_groups(survey, part, look_in(survey, definition, tally))
        except ReleaseRefused:
            return None
        assert plan.groups is not None
        return plan.groups.names, tuple(counts_of(plan, tally))

    @cache
    def drawn(cells: int) -> NoisyHistogram:
        """Return what draws so many cells: four patterns of reports in each group."""
        groups = GroupsApart("Group", ("A", "B", "C")[: cells // 4], (1, 2, 0)[: cells // 4])
        plan: Any = replace(part, groups=groups, loss=PrivacyLoss(EPSILON, Fraction(0)), n=0)
        return plan.mechanism.histogram

    def loss(one: tuple[int, ...], other: tuple[int, ...]) -> float:
        """Return by how much one output's two probabilities differ at most, by the mechanism's own law."""
        mechanism = drawn(len(one))
        return math.log(mechanism.probability(one, one) / mechanism.probability(one, other))

    kept, broken, same_group = [], 0, 0
    for responses in combinations_with_replacement(possible, PEOPLE):
        one = table(responses)
        for neighbour in _neighbours(responses, possible):
            other = table(neighbour)
            moved = Counter(group for _, group in responses) != Counter(group for _, group in neighbour)
            if (one and one[0]) != (other and other[0]):
                # What is shown tells the two apart with certainty: no ε bounds that.
                assert moved
                broken += 1
            elif one and other:
                same_group += not moved
                kept.append(loss(one[1], other[1]))
    # The relation without its condition would be false: of these pairs no ε holds.
    assert broken > 100
    # With it, ε holds everywhere, and somewhere it is reached; where no group changes it needs no condition.
    assert same_group > 100
    assert max(kept) == pytest.approx(float(EPSILON), rel=1e-9)
    assert len(kept) > 150


def test_page_label_json_terms_and_command_say_between_which_neighbours(
    staff: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    survey = grouped_survey(("Ann", ALIKE), ("Ben", OTHERWISE))
    keys = in_order(survey)
    asked = ["--mechanism=joint_table", "--question=1", "--question=2", "--epsilon=1", "--outcome=1", "--dry-run"]
    asked += ["--user=nobody", "--reason=For a test."]
    for options, times in ((APART, 1), ({"outcome": "1"}, 0)):
        terms = look(staff, survey, questions=keys, mechanism=Mechanism.JOINT_TABLE, epsilon="1", **options)
        assert text_of(terms).count(SAME_GROUPS) == times
        release = published_release(
            survey, questions=in_order(survey), mechanism=Mechanism.JOINT_TABLE, options=options, epsilon=EPSILON
        )
        # On the label, and where the relation is explained.
        assert text_of(staff.get(f"/r/{release.pk}/")).count(SAME_GROUPS) == 2 * times
        assert text_of(staff.get(f"/admin/surveys/release/{release.pk}/change/")).count(SAME_GROUPS) == times
        document = json.loads(staff.get(f"/r/{release.pk}.json").content)
        assert document["neighbours_share"] == ["groups_apart"] * times
        assert VERIFIER.faults_of(document)[1] == []
        document["neighbours_share"] = ["groups_apart"] * (1 - times)
        assert VERIFIER.faults_of(document)[1] != []
    make = ["--groups=1", *asked]
    make[make.index("--user=nobody")] = f"--user={release.created_by.get_username()}"
    call_command("release", survey.code, *make)
    assert SAME_GROUPS in capsys.readouterr().out
