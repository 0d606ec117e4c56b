"""Scrambling in the editor: numbers from 0 on, its dial, consent where a report proves, others at the same ε."""

from dataclasses import asdict
from fractions import Fraction
from html import unescape

import pytest
from django.core.exceptions import ValidationError

from surveys.course.services import open_survey
from surveys.documents.services.parsing import DocumentRefused
from surveys.documents.services.reading import read_document
from surveys.drafts.selectors import document_of
from surveys.editor.figures import Dial, compare_designs, dial_of, steps_of
from surveys.editor.forms.question import QuestionForm, truth_at, typed_of
from surveys.estimation import expected_mean_half_width
from surveys.models import Question, kinds
from surveys.models.designs import DesignName
from surveys.privacy.designs import family_of
from tests.editor.form import NEW, posted, question
from tests.factories import make_draft, number_mean, number_window, scrambled_number
from tests.pages import page_of, signed_in

pytestmark = pytest.mark.django_db
TYPED = {"kind": "number_mean", "low": "0", "high": "40", "step": "1", "unit": "hours", "design": "scrambled_number"}
FROM_ONE = {"low": [1, 1], "high": [13, 1], "step": [1, 2], "unit": "hours"}
MUST_BE_0 = "Scrambling multiplies numbers, so the smallest must be 0."


def _dial(**changes: object) -> Dial:
    return dial_of(Question(**asdict(scrambled_number(**changes))), class_size=30)


def test_it_suits_a_number_for_its_mean_and_nothing_else() -> None:
    name = DesignName.SCRAMBLED_NUMBER
    assert [kind.name for kind in kinds.every() if name in kinds.suitable_designs(kind.name)] == ["number_mean"]
    assert name not in kinds.suitable_designs("number_mean", "protected")


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ({"truth": "1/2", "multiplied": "", "factors": ""}, {"truth": [1, 2], "grid": 5, "factors": 2}),
        ({"truth": "0.7", "multiplied": "4", "factors": "3"}, {"truth": [7, 10], "grid": 4, "factors": 3}),
        ({"truth": "1", "accepts_infinite": "on"}, {"truth": [1, 1], "grid": 5, "factors": 2}),
    ],
)
def test_what_is_typed_is_stored_and_typed_again(typed: dict[str, str], stored: dict[str, object]) -> None:
    form = QuestionForm(question(**TYPED, **typed))
    assert form.is_valid(), form.errors
    assert form.question is not None
    assert form.question.parameters == stored
    again = typed_of(form.question)
    assert (again["multiplied"], again["factors"]) == (str(stored["grid"]), str(stored["factors"]))
    assert Fraction(again["truth"]) == Fraction(typed["truth"])
    assert again["accepts_infinite"] == typed.get("accepts_infinite", "")


@pytest.mark.parametrize(
    ("typed", "field", "words"),
    [
        ({"low": "1"}, "low", MUST_BE_0),
        ({"low": "-40"}, "low", MUST_BE_0),
        ({"multiplied": "1"}, "multiplied", "Write a whole number from 2 to 36."),
        ({"factors": "1"}, "factors", "Write a whole number from 2 to 36."),
        ({"factors": "37"}, "factors", "Write a whole number from 2 to 36."),
        ({"multiplied": "10", "factors": "9"}, "factors", "That makes 37 different products; there may be 36 at most."),
        ({"truth": "1"}, "accepts_infinite", "a report can prove the answer"),
        ({"truth": "999/1000"}, "truth", "all but gives the answer away"),
        ({"leave_out": "protected"}, "leave_out", "cannot protect"),
    ],
)
def test_what_makes_no_such_question_is_said_at_its_field(typed: dict[str, str], field: str, words: str) -> None:
    form = QuestionForm(question(**(TYPED | typed)))
    assert not form.is_valid()
    assert words in " ".join(form.errors[field])


def test_no_number_that_begins_elsewhere_is_stored_opened_or_read_from_a_document() -> None:
    with pytest.raises(ValidationError, match="the smallest must be 0"):
        make_draft(scrambled_number(details=FROM_ONE))
    draft = make_draft(scrambled_number())
    document = document_of(draft)
    assert read_document(document).questions[0].details == scrambled_number().details
    document["questions"][0]["details"] = FROM_ONE
    with pytest.raises(DocumentRefused) as refused:
        read_document(document)
    assert {problem.place: problem.words for problem in refused.value.problems} == {
        "questions[0].details.low": MUST_BE_0
    }
    draft.questions.update(details=FROM_ONE)
    with pytest.raises(ValidationError, match="the smallest must be 0"):
        open_survey(survey=draft, typed=draft.code)


def test_the_dial_turns_it_and_says_what_the_core_says() -> None:
    dial = _dial()
    turns = steps_of(dial.item)
    assert len(turns) > 15
    for turn in turns:
        assert dict(turn.item.design.exact_parameters) == {"truth": turn.probability, "grid": 5, "factors": 2}
    assert [turn.item.design.epsilon for turn in turns] == sorted(turn.item.design.epsilon for turn in turns)
    assert dial.half_width == expected_mean_half_width(n=30, design=dial.item.design, low=0, high=1)


@pytest.mark.parametrize("asked", [scrambled_number, number_window, number_mean])
def test_at_one_epsilon_all_designs_for_a_mean_stand_beside_each_other(asked) -> None:  # noqa: ANN001
    dial = dial_of(Question(**asdict(asked())), class_size=30)
    found = compare_designs(dial.question, n=30, share=Fraction(3, 10))
    assert found is not None
    by_name = {row.name: row for row in found.rows}
    assert by_name.keys() >= {"forced_response", "warner", "k_ary", "number_window", "scrambled_number"}
    expected = by_name["scrambled_number"].expected
    assert expected is not None
    assert (expected.design.k, expected.design.m) == (5, 7)
    assert 0.999 * dial.epsilon <= expected.design.epsilon <= dial.epsilon
    design = family_of("scrambled_number").at_epsilon(dial.epsilon, 5, close=Fraction(9999, 10_000))
    assert by_name["scrambled_number"].half_width == expected_mean_half_width(n=30, design=design, low=0, high=1)


def test_numbers_that_begin_elsewhere_have_no_scrambling_beside_them() -> None:
    dial = dial_of(Question(**asdict(number_mean(details=FROM_ONE))), class_size=30)
    found = compare_designs(dial.question, n=30, share=Fraction(3, 10))
    assert found is not None
    assert "scrambled_number" not in {row.name for row in found.rows}
    assert "number_window" in {row.name for row in found.rows}


def test_without_other_chance_nothing_is_compared() -> None:
    dial = _dial(parameters={"truth": [1, 1], "grid": 5, "factors": 2}, accepts_infinite=True)
    assert dial.proves
    assert compare_designs(dial.question, n=30, share=Fraction(3, 10)) is None


def test_its_coin_is_found_for_a_wished_epsilon() -> None:
    found = Fraction(truth_at(question(**TYPED), "1"))
    design = family_of("scrambled_number").design(5, {"truth": found, "grid": 5, "factors": 2})
    assert 0.99 <= design.epsilon <= 1


def test_it_is_written_saved_and_read_again_in_the_editor() -> None:
    client = signed_in()
    client.post(NEW, posted(question(**TYPED, truth="3/5", multiplied="6", factors="3")))
    stored = Question.objects.get()
    assert stored.parameters == {"truth": [3, 5], "grid": 6, "factors": 3}
    page = unescape(page_of("survey-edit", stored.survey))
    assert "With probability 3/5 the phone multiplies the rounded number by a whole number from 1 to 3" in page
    assert "one of the two nearest of 6 values" in page
    assert "If it rounds to 0 hours" in page
    assert "near" not in page.split('id="q1-dial"')[-1].split("Other designs")[0].replace("nearest", "").replace(
        "nearer", ""
    )


def test_the_editor_says_what_is_proved_where_the_author_accepts_it() -> None:
    draft = scrambled_number(parameters={"truth": [1, 1], "grid": 5, "factors": 2}, accepts_infinite=True)
    page = unescape(page_of("survey-edit", make_draft(draft)))
    assert "ε is infinite" in page
    assert "The phone multiplies the rounded number by a whole number from 1 to 2" in page
    assert "The report “0 hours” proves that a number from “3 hours” to “12 hours” is not the true answer." in page
