"""What differs between random arms is shown where it is about enough people: by arm, by group and in files."""

import numpy as np
import pytest

from surveys.course.services import close_survey
from surveys.drafts.services.groups import add_group
from surveys.exporting.selectors import WITHHELD, ExportRows, rows_of
from surveys.models import Survey
from surveys.responses import told as rule
from surveys.responses.selectors.tally import MISSING
from surveys.responses.told import separable_groups
from tests.factories import fill, make_open, plain, yes_no
from tests.pages import page_of
from tests.responses.recoded import recoded, shares

pytestmark = pytest.mark.django_db
TWO = [{"name": "A", "weight": 1}, {"name": "B", "weight": 1}]


def _rows(survey: Survey) -> ExportRows:
    definition, snapshot = recoded(survey)
    return rows_of(snapshot, definition)


def test_who_is_not_asked_gives_no_answer_that_is_merged_with_others() -> None:
    survey = make_open(yes_no(), plain(arms=[1]), arms=TWO)
    fill(survey, {"000": 25, "110": 20, "020": 5, "0-1": 15})
    survey = close_survey(survey=survey)
    assert shares(survey, 1) == {"First year": 25, "Second year or Later": 25, "": 15}


def test_where_skipping_would_have_to_be_merged_with_an_answer_nothing_is_shown() -> None:
    survey = make_open(yes_no(), plain(arms=[1], leave_out="visibly"), arms=TWO)
    fill(survey, {"000": 25, "110": 20, "0-0": 5, "0-1": 15})
    survey = close_survey(survey=survey)
    assert shares(survey, 1) == {"": 65}


def _with_an_arm_of_few() -> Survey:
    survey = make_open(yes_no(), plain(), yes_no("Only some?", arms=[1]), arms=TWO)
    fill(survey, {"0000": 30, "1110": 24, "02-1": 6})
    return close_survey(survey=survey)


def test_an_arm_of_few_is_shown_neither_by_name_nor_by_what_it_is_not_asked() -> None:
    survey = _with_an_arm_of_few()
    rows = _rows(survey)
    assert set(rows.patterns[:, -1].tolist()) | set(rows.patterns[:, 2].tolist()) == {MISSING}
    # What all are asked is shown as if there were no arms.
    assert shares(survey, 1) == {"First year": 30, "Second year or Later": 30}
    page = page_of("survey-results-question", survey, number=3)
    assert "fewer than 10 people" in page


def test_in_an_arm_the_answers_to_each_question_are_enough_or_none() -> None:
    survey = make_open(yes_no(leave_out="visibly"), yes_no("Only some?", arms=[1]), arms=TWO)
    fill(survey, {"000": 20, "110": 20, "0-1": 6, "--1": 20})
    survey = close_survey(survey=survey)
    assert shares(survey, 1) == {"": 66}


def test_a_group_in_which_an_arm_is_of_few_is_not_shown() -> None:
    survey = make_open(yes_no(), yes_no("Only some?", arms=[1], leave_out="no"), arms=TWO)
    few, many = add_group(survey=survey, name="Few"), add_group(survey=survey, name="Many")
    fill(survey, {"000": 15, "110": 15, "0-1": 4}, group=few)
    fill(survey, {"000": 30, "110": 30, "0-1": 30}, group=many)
    fill(survey, {"000": 30, "110": 30, "0-1": 30})
    survey = close_survey(survey=survey)
    definition, snapshot = recoded(survey)
    assert separable_groups(snapshot, definition) == {many.pk}
    rows = rows_of(snapshot, definition)
    for group in np.unique(rows.groups):
        for arm in (0, 1):
            here = (rows.groups == group) & (rows.patterns[:, -1] == arm)
            assert rows.counts[here].sum() == 0 or rows.counts[here].sum() >= 10
    assert set(rows.modes.tolist()) == {WITHHELD}


def test_a_rule_that_forgets_the_arms_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule, "arms_apart", lambda _snapshot, _definition: True)
    rows = _rows(_with_an_arm_of_few())
    assert int(rows.counts[rows.patterns[:, -1] == 1].sum()) == 6
