"""What the linter says of questions that ask for the same in different arms."""

import pytest

from surveys.linting.findings import Level, LintFinding
from surveys.linting.selectors import findings_of
from surveys.questionnaire.question import Question
from tests.factories import crosswise, make_draft, number_mean, one_of, several_of, two_lists, yes_no

pytestmark = pytest.mark.django_db
TWO = [{"name": "One", "weight": 1}, {"name": "Other", "weight": 1}]
FIRST, SECOND = {"arms": [1], "quantity": 1}, {"arms": [2], "quantity": 1}


def _finding(*drafts: Question) -> LintFinding | None:
    findings = {finding.rule: finding for finding in findings_of(make_draft(*drafts, arms=TWO))}
    return findings.get("compared_with_nothing")


@pytest.mark.parametrize(
    "drafts",
    [
        (one_of(**FIRST), one_of(("Never", "Once", "Twice"), **SECOND)),
        (one_of(**FIRST), yes_no(**SECOND)),
        (several_of(**FIRST), several_of(**SECOND)),
        (number_mean(**FIRST), number_mean(**SECOND)),
    ],
    ids=["other answers", "another kind", "several options", "means"],
)
def test_what_no_page_compares_is_warned_of_before_anybody_answers(drafts: tuple[Question, ...]) -> None:
    finding = _finding(*drafts)
    assert finding
    assert (finding.level, finding.numbers) == (Level.WARNING, (1, 2))


@pytest.mark.parametrize(
    "drafts",
    [
        (yes_no(**FIRST), crosswise("By the fact?", **SECOND)),
        (one_of(**FIRST), one_of(text="In other words?", **SECOND)),
        (one_of(arms=[1]), yes_no(arms=[2])),
        (*two_lists(), yes_no("Cheated?", quantity=1, design="plain", parameters={})),
    ],
    ids=["another design", "other words", "other things", "lists"],
)
def test_what_is_compared_or_asks_for_something_else_is_left_alone(drafts: tuple[Question, ...]) -> None:
    assert _finding(*drafts) is None
