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


def test_only_answers_are_said_to_be_chance_and_never_that_somebody_left_out() -> None:
    for draft in (yes_no(), crosswise(), one_of(**PROTECTED)):
        text = words(promise(define(draft)))
        assert "whatever arrives" not in text
        assert "every answer that arrives could be chance" in text
    hint = "it is stored, and somebody may take it as a hint. The odds here are those of answers."
    assert hint in words(promise(define(yes_no())))
    assert hint not in words(promise(define(yes_no(leave_out="no"))))


def test_a_bound_that_a_fact_keeps_holds_only_for_people_who_do_not_know_it() -> None:
    # In the total; beside two questions also for each question that a fact protects.
    for asked, times in (([crosswise()], 1), ([crosswise(), yes_no()], 2), ([unrelated(), triangular()], 2)):
        assert words(promise(define(*asked))).count(_FOR_STRANGERS) == times
    # No bound is told of what a fact protects here.
    for asked in ([yes_no()], [yes_no(), triangular()], [several_of(), number_mean()]):
        assert _FOR_STRANGERS not in words(promise(define(*asked)))
    assert why(define(crosswise())).endswith(_FOR_STRANGERS)
    assert _FOR_STRANGERS not in why(define(yes_no())) + why(define(triangular()))


@pytest.mark.parametrize("asked", [[crosswise()], [crosswise(), yes_no()], [triangular()], [triangular(), yes_no()]])
def test_nobody_is_told_that_only_they_know_their_mothers_birthday(asked: list[QuestionDraft]) -> None:
    text = words(promise(define(*asked)))
    assert "only you know" not in text
    assert "a fact about you that nobody here should know stands for chance" in text


@pytest.mark.parametrize(
    ("draft", "bound"),
    [
        (warner(parameters={"p": [399, 400]}), "what you send here can change those odds up to 399-fold."),
        (several_of(**PROTECTED), "what you send here can change those odds up to 64-fold."),
        (
            several_of(parameters={"truth": [99, 100], "yes": [1, 2]}),
            "what you send here can change those odds more than a millionfold.",
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
    assert "No report is a certain proof, but reports can be strong evidence" in weak
    assert "Nobody receives your true answers" not in weak
    assert "could be chance" not in weak
    # Of several options each report changes its odds little.
    fine = words(promise(define(several_of(), *also)))
    assert "Nobody receives your true answers" in fine
    assert "strong evidence" not in fine
