"""What the promise must not claim: safety where reports are strong evidence, bounds that facts do not keep."""

import pytest
from django.template.loader import render_to_string

from surveys.drafts.services.surveys import QuestionDraft
from surveys.models.definition import Definition
from tests.answering.test_promise import define, promise, words
from tests.factories import (
    PROTECTED,
    crosswise,
    number_mean,
    one_of,
    several_of,
    triangular,
    unrelated,
    warner,
    yes_no,
)


def why(definition: Definition, number: int = 1) -> str:
    context = {"definition": definition, "question": definition.questions[number - 1]}
    return words(render_to_string("answering/_question_why.html", context))


_FOR_STRANGERS = (
    "This holds only for people who do not know these facts about you: to others a report can give your answer away."
)


def test_only_answers_are_said_to_prove_nothing_and_never_that_somebody_skipped() -> None:
    for draft in (yes_no(), crosswise(), one_of(**PROTECTED)):
        text = words(promise(define(draft)))
        assert "what arrives" not in text
        assert "An answer proves nothing about you: it changes anyone’s odds at most" in text
    hint = "That you skip is stored, and somebody may take it as a hint. The odds here are those of answers."
    assert hint in why(define(yes_no()))
    assert hint not in why(define(yes_no(leave_out="no")))
    assert "This question cannot be skipped." in why(define(yes_no(leave_out="no")))


def test_preferring_not_to_say_is_called_protected_only_where_chance_hides_it() -> None:
    hidden = "“Prefer not to say” is protected: chance hides it like every other answer."
    weights = {"parameters": {"truth": [1, 2], "weights": [[1, 2], [1, 2], [0, 1]]}, "accepts_infinite": True}
    assert hidden in why(define(yes_no(**PROTECTED)))
    assert hidden not in why(define(yes_no(**(PROTECTED | weights))))
    assert "with these chances it can be seen" in why(define(yes_no(**(PROTECTED | weights))))


def test_a_bound_that_a_fact_keeps_holds_only_for_people_who_do_not_know_it() -> None:
    for asked, times in (([crosswise()], 1), ([crosswise(), yes_no()], 1), ([unrelated(), triangular()], 1)):
        assert words(promise(define(*asked))).count(_FOR_STRANGERS) == times
    # No bound is told of what a fact protects here.
    for asked in ([yes_no()], [yes_no(), triangular()], [several_of(), number_mean()]):
        assert _FOR_STRANGERS not in words(promise(define(*asked)))
    assert _FOR_STRANGERS in why(define(crosswise()))
    assert _FOR_STRANGERS not in why(define(yes_no())) + why(define(triangular()))


@pytest.mark.parametrize("asked", [[crosswise()], [crosswise(), yes_no()], [triangular()], [triangular(), yes_no()]])
def test_nobody_is_told_that_only_they_know_their_mothers_birthday(asked: list[QuestionDraft]) -> None:
    text = words(promise(define(*asked)))
    assert "only you know" not in text
    assert "fact about you that nobody here should know" in text


@pytest.mark.parametrize(
    ("draft", "bound"),
    [
        (warner(parameters={"p": [399, 400]}), "one report changes those odds at most 399-fold"),
        (several_of(**PROTECTED), "All 3 reports together change them at most 64-fold"),
        (
            several_of(parameters={"truth": [99, 100], "yes": [1, 2]}),
            "the reports on all 3 options together may change them more than a millionfold",
        ),
    ],
)
def test_what_is_strong_evidence_is_not_called_safe(draft: QuestionDraft, bound: str) -> None:
    text = why(define(draft))
    assert text.startswith("How safe am I?")
    assert "no certain proof, but it can be strong evidence" in text
    assert bound in text
    assert "proves nothing" not in text


def test_what_changes_odds_little_is_called_safe() -> None:
    for draft in (yes_no(), warner(parameters={"p": [20, 21]}), crosswise()):
        text = why(define(draft))
        assert text.startswith("Why am I safe?")
        assert "So a report proves nothing." in text
        assert "strong evidence" not in text
    assert why(define(warner(parameters={"p": [21, 22]}))).startswith("How safe am I?")


@pytest.mark.parametrize("also", [[], [yes_no()], [crosswise()]])
def test_one_report_that_is_strong_evidence_changes_what_the_promise_begins_with(also: list[QuestionDraft]) -> None:
    weak = words(promise(define(warner(parameters={"p": [399, 400]}), *also)))
    assert "Chance hides some answers only a little here" in weak
    assert "answer can be strong evidence: it changes anyone’s odds about you at most 399‑fold" in weak
    assert "Nobody can be sure of your answer" not in weak
    assert "proves nothing about you" not in weak


def test_answers_that_prove_nothing_alone_are_called_strong_evidence_where_all_together_are() -> None:
    few, many = (words(promise(define(*asked))) for asked in ([yes_no()] * 2, [several_of(), yes_no()]))
    for text in (few, many):
        assert "No single answer gives you away" in text
        assert "One answer proves nothing about you: it changes anyone’s odds at most 3‑fold." in text
    assert "All 2 together: at most 9‑fold (ε ≤ 2.20 if you answer once)." in few
    assert "All 4 answers to the 2 questions together can be strong evidence: at most 81‑fold (ε ≤ 4.40" in many
