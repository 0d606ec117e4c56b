"""What the linter says of questions that are answered in the head."""

from collections.abc import Callable

import pytest

from surveys.linting.findings import Level, LintFinding
from surveys.linting.selectors import findings_of
from surveys.questionnaire.question import Question
from tests.factories import crosswise, make_draft, mangat, triangular, unrelated, warner, yes_no

pytestmark = pytest.mark.django_db
TWO = [{"name": "First", "weight": 1}, {"name": "Turned", "weight": 1}]
TURNED = {"innocuous": "Was your mother born in April to December?", "innocuous_source": "Births by month: 3 of 4."}
FATHER = {"innocuous": "Was your father born in January?", "innocuous_source": "Births by month: 1 of 12."}


def _findings(*questions: Question, arms: object = ()) -> dict[str, LintFinding]:
    return {finding.rule: finding for finding in findings_of(make_draft(*questions, arms=list(arms)))}  # type: ignore[call-overload]


@pytest.mark.parametrize("draft", [crosswise(), triangular()])
def test_a_question_about_two_answers_wants_something_that_tells_who_follows(draft: Question) -> None:
    finding = _findings(yes_no(), draft)["nothing_tells_who_follows"]
    assert (finding.level, finding.numbers) == (Level.HINT, (2,))
    assert all(year in finding.source for year in ("(2018)", "(2023)"))


@pytest.mark.parametrize(
    ("drafts", "arms"),
    [
        (
            (
                crosswise(arms=[1], quantity=1),
                crosswise(arms=[2], quantity=1, parameters={"p": [3, 4]}, details=TURNED),
            ),
            TWO,
        ),
        ((crosswise(), triangular(), unrelated(leave_out="no")), ()),
        ((crosswise(arms=[1]), crosswise("Anchor?", details=FATHER), unrelated(leave_out="no"), yes_no(arms=[2])), TWO),
        ((yes_no(), unrelated(leave_out="no")), ()),
    ],
    ids=["a turned arm", "three questions", "two of them that all are asked", "another design"],
)
def test_the_hint_is_gone_where_something_tells(drafts: tuple[Question, ...], arms: object) -> None:
    assert "nothing_tells_who_follows" not in _findings(*drafts, arms=arms)


@pytest.mark.parametrize(
    ("drafts", "arms", "numbers"),
    [
        ((crosswise(), crosswise("Have you been to the moon?", details=FATHER)), (), (1, 2)),
        ((crosswise(), unrelated(leave_out="no")), (), (1,)),
        # No one of these people is asked all three.
        ((crosswise(), triangular(arms=[1]), unrelated(arms=[2], leave_out="no")), TWO, (1, 2)),
    ],
    ids=["two alike", "another design", "one in each arm"],
)
def test_a_mere_pair_tells_only_by_an_anchor(
    drafts: tuple[Question, ...], arms: object, numbers: tuple[int, ...]
) -> None:
    findings = _findings(*drafts, arms=arms)
    assert "nothing_tells_who_follows" not in findings
    assert findings["only_an_anchor_tells_who_follows"].numbers == numbers


@pytest.mark.parametrize(
    ("ask", "first", "second"),
    [
        (yes_no, {"truth": [1, 2], "yes": [1, 2]}, {"truth": [1, 2], "yes": [1, 4]}),
        (mangat, {"p": [3, 4]}, {"p": [1, 2]}),
    ],
)
def test_two_arms_about_who_follows_chance_want_own_throws(
    ask: Callable[..., Question], first: object, second: object
) -> None:
    apart = ask(arms=[1], quantity=1, parameters=first), ask(arms=[2], quantity=1, parameters=second)
    finding = _findings(*apart, arms=TWO)["only_of_own_throws"]
    assert (finding.level, finding.numbers) == (Level.WARNING, (1, 2))
    alike = ask(arms=[1], quantity=1, parameters=first), ask(arms=[2], quantity=1, parameters=first)
    assert "only_of_own_throws" not in _findings(*alike, arms=TWO)


def test_two_arms_of_other_designs_need_no_own_throws() -> None:
    drafts = warner(arms=[1], quantity=1), warner(arms=[2], quantity=1, parameters={"p": [2, 3]})
    assert "only_of_own_throws" not in _findings(*drafts, arms=TWO)
    drafts = (
        unrelated(arms=[1], quantity=1, leave_out="no"),
        unrelated(arms=[2], quantity=1, leave_out="no", parameters={"p": [3, 10], "q": [1, 4]}),
    )
    assert "only_of_own_throws" not in _findings(*drafts, arms=TWO)


def test_another_arm_with_the_same_share_or_other_people_tells_nothing() -> None:
    aunt = {"innocuous": "Was your aunt born in spring?", "innocuous_source": "Births by month."}
    same = crosswise(arms=[1], quantity=1), crosswise(arms=[2], quantity=1, details=aunt)
    assert _findings(*same, arms=TWO)["nothing_tells_who_follows"].numbers == (1, 2)
    apart = crosswise(arms=[1]), crosswise("Other?", arms=[2], details=aunt)
    assert _findings(*apart, arms=TWO)["nothing_tells_who_follows"].numbers == (1, 2)


def test_one_fact_with_two_shares_is_a_problem() -> None:
    drafts = crosswise(arms=[1], quantity=1), crosswise(arms=[2], quantity=1, parameters={"p": [3, 4]})
    finding = _findings(*drafts, arms=TWO)["one_fact_two_shares"]
    assert (finding.level, finding.numbers) == (Level.PROBLEM, (1, 2))
    turned = crosswise(arms=[2], quantity=1, parameters={"p": [3, 4]}, details=TURNED)
    assert "one_fact_two_shares" not in _findings(drafts[0], turned, arms=TWO)
    assert "one_fact_two_shares" not in _findings(drafts[0], crosswise(arms=[2], quantity=1), arms=TWO)
