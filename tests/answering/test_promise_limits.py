"""What the promise must not claim: safety where reports are strong evidence, bounds that facts do not keep."""

import pytest
from django.template.loader import render_to_string

from surveys.answering.words.designs import strong_evidence
from surveys.answering.words.promise import certainty, odds_line
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.question import Question
from tests.answering.parts import define, part, plain_spaces
from tests.factories import PROTECTED, crosswise, number_mean, several_of, triangular, unrelated, warner, yes_no
from tests.pages import words_of

_WEAK = warner(parameters={"p": [399, 400]})
_NEARLY_TRUE = several_of(parameters={"truth": [99, 100], "yes": [1, 2]})


def promise(definition: Definition) -> str:
    return words_of(render_to_string("answering/_promise.html", {"definition": definition}))


def for_strangers() -> str:
    """Return what is said of a bound that holds only for people who do not know the fact."""
    return part("_label_epsilon", define(crosswise())).rpartition(").")[2].strip()


def test_a_bound_that_a_fact_keeps_holds_only_for_people_who_do_not_know_it() -> None:
    assert for_strangers()
    for asked in ([crosswise()], [crosswise(), yes_no()], [unrelated(), triangular()]):
        assert promise(define(*asked)).count(for_strangers()) == 1
    # No bound is given of what a fact protects here.
    for asked in ([yes_no()], [yes_no(), triangular()], [several_of(), number_mean()]):
        assert for_strangers() not in promise(define(*asked))
    assert for_strangers() in part("_question_why", define(crosswise()))
    for draft in (yes_no(), triangular()):
        assert for_strangers() not in part("_question_why", define(draft))


@pytest.mark.parametrize("asked", [[crosswise()], [crosswise(), yes_no()], [triangular()], [triangular(), yes_no()]])
def test_nobody_reads_that_only_they_know_their_mothers_birthday(asked: list[Question]) -> None:
    text = promise(define(*asked))
    assert "only you" not in text.lower()
    assert part("_label_chance", define(*asked), chance="head" if len(asked) == 1 else "both") in text


@pytest.mark.parametrize(
    ("draft", "strong"),
    [
        (_WEAK, True),
        (several_of(**PROTECTED), True),
        (_NEARLY_TRUE, True),
        (warner(parameters={"p": [21, 22]}), True),
        (warner(parameters={"p": [20, 21]}), False),
        (yes_no(), False),
        (crosswise(), False),
    ],
)
def test_what_is_strong_evidence_is_not_called_safe(draft: Question, strong: bool) -> None:
    safe, unsafe = (part("_question_why", define(each)) for each in (yes_no(leave_out="no"), _WEAK))
    definition = define(draft)
    assert strong_evidence(definition.losses) is strong
    why = part("_question_why", definition)
    # What it begins with: whether the reader is safe, or how far.
    assert why.startswith((unsafe if strong else safe).partition("?")[0])
    assert ("evidence" in why, "is no proof" in why) == (strong, not strong)


@pytest.mark.parametrize("also", [[], [yes_no()], [crosswise()]])
def test_one_report_that_is_strong_evidence_changes_what_the_promise_begins_with(also: list[Question]) -> None:
    definition = define(_WEAK, *also)
    assert (certainty(definition), certainty(define(yes_no(), *also))) == ("evidence", "")
    text = promise(definition)
    assert part("_headline", define(_WEAK)) in text
    assert plain_spaces(odds_line(definition)) in text
    assert "evidence" in odds_line(definition)
    assert "no proof" not in odds_line(definition)
    assert "no proof" in odds_line(define(yes_no(), *also))


def test_answers_that_prove_nothing_alone_are_called_strong_evidence_where_all_together_are() -> None:
    few, many = define(yes_no(), yes_no()), define(several_of(), yes_no())
    assert [certainty(each) for each in (few, many)] == ["", ""]
    assert [strong_evidence(each.losses) for each in (few, many)] == [False, True]
    assert ["evidence" in odds_line(each) for each in (few, many)] == [False, True]
    assert part("_headline", few) == part("_headline", many)
