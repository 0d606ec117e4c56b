"""Answers that are sent as they are: what is shown of them is never about a few people alone."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.drafts.services.groups import add_group
from surveys.models import Survey
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.question import Question
from surveys.responses import told as rule
from surveys.responses.selectors.snapshot import Snapshot, snapshot_of
from surveys.responses.selectors.tally import MISSING, Tally
from surveys.responses.told import recode
from tests.factories import fill, make_open, plain, two_lists, yes_no
from tests.questionnaire.test_branches import after
from tests.responses.recoded import recoded, shares, smallest

pytestmark = pytest.mark.django_db
MINIMUM = 10


def _closed(survey: Survey, counts: dict[str, int]) -> Survey:
    fill(survey, counts)
    return close_survey(survey=survey)


def test_answers_that_enough_people_share_are_shown_as_they_are() -> None:
    survey = _closed(make_open(yes_no(), plain()), {"00": 12, "11": 15, "02": 13})
    assert shares(survey, 1) == {"First year": 12, "Second year": 15, "Later": 13}
    assert recoded(survey)[0].questions == definition_of(survey).questions


AGES = ("18 to 24", "25 to 34", "35 to 44", "45 to 64", "65 and over")
SCALE: dict[str, Any] = {"kind": "scale", "details": {"points": 5, "low_end": "Never", "high_end": "Always"}}


@pytest.mark.parametrize(
    ("question", "counts", "shown"),
    [
        (
            plain(AGES),
            [4, 30, 40, 30, 7],
            {"18 to 24 or 25 to 34": 34, "35 to 44": 40, "45 to 64 or 65 and over": 37},
        ),
        (plain((), **SCALE), [4, 30, 40, 30, 7], {"1 (Never) or 2": 34, "3": 40, "4 or 5 (Always)": 37}),
        # The smaller of the next ones, and not the smallest of all.
        (plain((), **SCALE), [12, 40, 5, 30, 20], {"1 (Never)": 12, "2": 40, "3 or 4": 35, "5 (Always)": 20}),
        # What nobody answered comes along where it lies between.
        (plain((), **SCALE), [30, 5, 0, 20, 0], {"1 (Never)": 30, "2, 3 or 4": 25}),
        # Options that are shown in random order have none.
        (plain(AGES[:3], random_order=True), [12, 25, 3], {"18 to 24 or 35 to 44": 15, "25 to 34": 25}),
    ],
)
def test_too_few_are_merged_with_the_fewer_of_those_next_to_them(
    question: Question, counts: list[int], shown: dict[str, int]
) -> None:
    survey = _closed(make_open(yes_no(), question), {f"0{code}": n for code, n in enumerate(counts) if n})
    assert shares(survey, 1) == shown


def test_the_numbers_of_a_list_are_merged_with_the_next_in_whatever_order_its_statements_stand() -> None:
    lists = two_lists(design="plain", parameters={}, random_order=True)
    survey = make_open(*lists, yes_no(), arms=[{"name": "Short", "weight": 1}, {"name": "Long", "weight": 1}])
    counts = {f"{code}-00": n for code, n in enumerate([6, 14, 9, 1])} | {"-101": 15, "-201": 15}
    assert shares(_closed(survey, counts), 0) == {"0 or 1": 20, "2 or 3": 10, "": 30}


def test_leaving_out_is_an_answer_like_the_others() -> None:
    survey = _closed(make_open(yes_no(), plain(leave_out="visibly")), {"00": 12, "11": 25, "0-": 3})
    assert shares(survey, 1) == {"First year or skipped": 15, "Second year": 25}
    survey = _closed(make_open(yes_no(), plain(leave_out="visibly")), {"00": 12, "11": 25, "0-": 13})
    assert shares(survey, 1) == {"First year": 12, "Second year": 25, "": 13}


def test_of_answers_that_all_become_one_nothing_is_shown() -> None:
    survey = _closed(make_open(yes_no(), plain()), {"00": 12, "11": 5, "02": 3})
    assert shares(survey, 1) == {"": 20}


def test_what_few_answered_beside_a_combination_counts_too() -> None:
    questions = yes_no(leave_out="visibly"), plain()
    survey = _closed(make_open(*questions), {"00": 6, "-0": 6, "11": 25, "02": 14})
    assert shares(survey, 1) == {"First year or Second year": 37, "Later": 14}


def test_the_first_questions_keep_most() -> None:
    questions = yes_no(), plain(), plain(("North", "South"), "Where do you live?")
    counts = {f"0{one}{two}": 11 for one, two in product("012", "01")}
    survey = _closed(make_open(*questions), counts | {"021": 4})
    assert shares(survey, 1) == {"First year": 22, "Second year": 22, "Later": 15}
    assert shares(survey, 2) == {"": 59}


def test_where_only_pairs_are_kept_the_first_question_is_shown() -> None:
    questions = yes_no(), plain(), plain(("North", "South"), "Where do you live?")
    survey = _closed(make_open(*questions), {"000": 12, "111": 15, "121": 13})
    definition = definition_of(survey)
    snapshot = snapshot_of(survey, definition)
    changed, seen = recode(definition, replace(snapshot, keeps_responses=False))
    assert [question.first.labels for question in changed.questions] == [q.first.labels for q in definition.questions]
    assert seen.on(2).patterns.min() == MISSING
    assert seen.on(1).patterns.max() == 2


# Whatever came, every combination shown holds enough people, and as many or none of each question's answers.


def _groups_shown(rows: Tally, definition: Definition, snapshot: Snapshot) -> np.ndarray:
    """Return the group of each row; -1 for all that are not shown separately."""
    groups = rule.separable_groups(snapshot, definition)
    return np.where(np.isin(rows.groups, sorted(groups)), rows.groups, -1)


def _smallest(survey: Survey) -> int:
    definition, snapshot = recoded(survey)
    rows = snapshot.responses(items=len(definition.items))
    plain_items = [item.number for item in definition.items if not item.protects]
    return smallest(rows, definition, _groups_shown(rows, definition, snapshot), plain_items)


def _random_survey(seed: int) -> Survey:
    rng = np.random.default_rng(seed)
    questions = [
        yes_no(leave_out="visibly"),
        plain(leave_out="visibly"),
        plain(("North", "South", "East", "West"), "Where do you live?"),
    ]
    survey = make_open(*questions)
    for name in ("A", "B"):
        group = add_group(survey=survey, name=name)
        weights = rng.dirichlet(np.ones(48) * rng.choice([0.2, 1.0]))
        patterns = ["".join(codes) for codes in product("01-", "012-", "0123")]
        counts = rng.multinomial(int(rng.integers(20, 300)), weights)
        fill(survey, {p: int(n) for p, n in zip(patterns, counts, strict=True) if n}, group=group)
    return close_survey(survey=survey)


@pytest.mark.parametrize("seed", range(6))
def test_every_combination_that_is_shown_holds_enough(seed: int) -> None:
    assert _smallest(_random_survey(seed)) >= MINIMUM


@pytest.mark.parametrize("seed", range(6))
def test_no_answer_is_merged_with_another_across_one_that_is_shown_separately(seed: int) -> None:
    survey = _random_survey(seed)
    tables = recoded(survey)[1].recoded
    for number, answers in ((1, 3), (2, 4)):
        classes = tables[number][:answers].tolist()
        assert classes == sorted(classes)


def test_a_rule_that_looks_at_questions_one_by_one_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    apart = rule._class_of
    monkeypatch.setattr(
        rule, "_class_of", lambda answers, parts, *rest, **order: apart(answers, parts * 0, *rest, **order)
    )
    assert any(_smallest(_random_survey(seed)) < MINIMUM for seed in range(6))


def _branching_survey(seed: int) -> Survey:
    """Ask one question of some: by the answer to the first one, which may be left out."""
    rng = np.random.default_rng(seed)
    skips = {"leave_out": "visibly"} if seed % 2 else {}
    survey = make_open(plain(**skips), yes_no(**skips), yes_no("Asked?", **skips, **after(1, int(rng.integers(3)))))
    definition = definition_of(survey)
    patterns = [text for text in map("".join, product("012-", "01-", "01-")) if not definition.misfit(text)]
    for name in ("A", "B"):
        weights = rng.dirichlet(np.ones(len(patterns)) * rng.choice([0.3, 2.0]))
        counts = rng.multinomial(int(rng.integers(60, 300)), weights)
        group = add_group(survey=survey, name=name)
        fill(survey, {p: int(n) for p, n in zip(patterns, counts, strict=True) if n}, group=group)
    return close_survey(survey=survey)


def _mixed(survey: Survey) -> int:
    """Return in how many combinations shown some people were asked what is shown, and others were not."""
    definition, snapshot = recoded(survey)
    if not snapshot.shows(2):
        return 0
    stored = definition_of(survey)
    asked = np.isin(snapshot_of(survey, stored).responses(items=3).patterns[:, 0], stored.questions[2].asked_if.codes)  # type: ignore[union-attr]
    rows = snapshot.responses(items=3)
    groups = _groups_shown(rows, definition, snapshot)
    keys = list(zip(groups.tolist(), rows.patterns[:, 0].tolist(), strict=True))
    return sum(len({a for a, k in zip(asked.tolist(), keys, strict=True) if k == key}) > 1 for key in set(keys))


def test_what_only_some_are_asked_is_shown_of_enough_who_were_and_of_nobody_beside_them() -> None:
    surveys = [_branching_survey(seed) for seed in range(6)]
    assert min(map(_smallest, surveys)) >= MINIMUM
    assert not any(map(_mixed, surveys))
    assert {recoded(survey)[1].shows(2) for survey in surveys} == {True, False}


def test_showing_it_whoever_was_asked_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule, "_recoded_condition", lambda condition, _classes: condition)
    assert any(_mixed(_branching_survey(seed)) for seed in range(6))
