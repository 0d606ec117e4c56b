"""A window in the editor: its fields, the dial that turns it, and one bit beside it at the same ε."""

from dataclasses import asdict
from fractions import Fraction

import pytest

from surveys.editor.figures import Dial, compare_designs, dial_of, steps_of
from surveys.editor.forms.question import QuestionForm, truth_at, typed_of
from surveys.estimation import expected_mean_half_width
from surveys.models import Question, designs, kinds
from surveys.models.designs import DesignName
from surveys.privacy.designs import family_of
from tests.editor.form import NEW, posted, question
from tests.factories import PROTECTED, make_draft, number_mean, number_window
from tests.pages import page_of, signed_in, text_of

pytestmark = pytest.mark.django_db
TYPED = {"kind": "number_mean", "low": "0", "high": "40", "step": "1", "unit": "hours", "design": "number_window"}


def _dial(**changes: object) -> Dial:
    return dial_of(Question(**asdict(number_window(**changes))), class_size=30)


def test_it_suits_a_number_for_its_mean_and_nothing_else() -> None:
    suiting = [kind.name for kind in kinds.every() if DesignName.NUMBER_WINDOW in kinds.suitable_designs(kind.name)]
    assert suiting == ["number_mean"]
    assert kinds.suitable_designs("number_mean")[0] == designs.USUAL.name
    assert DesignName.NUMBER_WINDOW not in kinds.suitable_designs("number_mean", "protected")


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ({"truth": "1/2"}, {"truth": [1, 2], "grid": 9, "window": 4}),
        ({"truth": "0.7", "grid": "5", "window": "2"}, {"truth": [7, 10], "grid": 5, "window": 2}),
        ({"truth": "1/2", "grid": "36", "window": "1"}, {"truth": [1, 2], "grid": 36, "window": 1}),
    ],
)
def test_what_is_typed_is_stored_and_typed_again(typed: dict[str, str], stored: dict[str, object]) -> None:
    form = QuestionForm(question(**TYPED, **typed))
    assert form.is_valid(), form.errors
    assert form.question is not None
    assert form.question.parameters == stored
    again = typed_of(form.question)
    assert {name: again[name] for name in ("grid", "window")} == {
        name: str(stored[name]) for name in ("grid", "window")
    }
    assert Fraction(again["truth"]) == Fraction(typed["truth"])


@pytest.mark.parametrize(
    ("typed", "field", "words"),
    [
        ({"grid": "1"}, "grid", "Write a whole number from 2 to 36."),
        ({"grid": "37"}, "grid", "Write a whole number from 2 to 36."),
        ({"window": "0"}, "window", "Write a whole number from 1 to 28."),
        ({"window": "29"}, "window", "Write a whole number from 1 to 28."),
        ({"grid": "x"}, "grid", "Enter a whole number."),
        ({"truth": "0"}, "truth", ""),
        ({"truth": "1"}, "truth", "leaves nothing to chance"),
        ({"truth": "999/1000"}, "truth", "all but gives the answer away"),
        ({"leave_out": "protected"}, "leave_out", "cannot protect"),
    ],
)
def test_what_makes_no_window_is_said_at_its_field(typed: dict[str, str], field: str, words: str) -> None:
    form = QuestionForm(question(**TYPED, **typed))
    assert not form.is_valid()
    assert words in " ".join(form.errors[field])


def test_the_dial_turns_it_and_says_what_the_core_says() -> None:
    dial = _dial()
    turns = steps_of(dial.item)
    assert len(turns) > 15
    for turn in turns:
        assert dict(turn.item.design.exact_parameters) == {"truth": turn.probability, "grid": 9, "window": 4}
    assert [turn.item.design.epsilon for turn in turns] == sorted(turn.item.design.epsilon for turn in turns)
    assert dial.half_width == expected_mean_half_width(n=30, design=dial.item.design, low=0, high=1)
    assert dial.telling is None or not dial.telling.dial.too_few


@pytest.mark.parametrize("changes", [{}, {"parameters": {"truth": [3, 5], "grid": 5, "window": 3}}])
def test_at_its_epsilon_one_bit_stands_beside_it(changes: dict[str, object]) -> None:
    dial = _dial(**changes)
    found = compare_designs(dial.question, n=30, share=Fraction(3, 10))
    assert found is not None
    by_name = {row.name: row for row in found.rows}
    assert by_name.keys() == {
        "forced_response",
        "warner",
        "k_ary",
        "number_window",
        "scrambled_number",
        "unrelated_number",
    }
    assert by_name["number_window"].is_chosen
    for name in ("forced_response", "warner", "k_ary"):
        design = family_of(name).at_epsilon(dial.item.design.epsilon, 2, close=Fraction(9999, 10_000))
        assert by_name[name].half_width == expected_mean_half_width(n=30, design=design, low=0, high=1)


def test_beside_one_bit_stands_the_usual_window_of_its_epsilon() -> None:
    dial = dial_of(Question(**asdict(number_mean(parameters={"truth": [4, 5], "yes": [1, 2]}))), class_size=30)
    found = compare_designs(dial.question, n=30, share=Fraction(3, 10))
    assert found is not None
    window = next(row for row in found.rows if row.name == "number_window")
    assert window.expected is not None
    assert (window.expected.design.k, window.expected.design.m) == (9, 12)
    assert 0.999 * dial.epsilon <= window.expected.design.epsilon <= dial.epsilon
    # ε = ln 9: one bit is less precise there.
    assert [row.name for row in found.most_precise] == ["number_window"]


def test_a_number_that_can_be_hidden_has_no_window_beside_it() -> None:
    dial = dial_of(Question(**asdict(number_mean(**PROTECTED))), class_size=30)
    found = compare_designs(dial.question, n=30, share=Fraction(3, 10))
    assert found is not None
    assert [row.name for row in found.rows] == ["k_ary"]


def test_its_coin_is_found_for_a_wished_epsilon() -> None:
    found = Fraction(truth_at(question(**TYPED, grid="9", window="4"), "1"))
    design = family_of("number_window").design(9, {"truth": found, "grid": 9, "window": 4})
    assert 0.99 <= design.epsilon <= 1


def test_it_is_written_saved_and_read_again_in_the_editor() -> None:
    client = signed_in()
    page = text_of(client.get(NEW))
    assert '<option value="number_window">A window around the number</option>' in page
    client.post(NEW, posted(question(**TYPED, truth="3/5", grid="7", window="3")))
    stored = Question.objects.get()
    assert stored.parameters == {"truth": [3, 5], "grid": 7, "window": 3}
    page = page_of("survey-edit", stored.survey)
    assert "With probability 3/5 the phone sends one of the 3 numbers around the true one" in page
    assert "one of the two nearest of 7 values" in page
    assert "if the numbers are spread evenly from end to end" in page


def test_the_phone_beside_it_shows_the_question() -> None:
    survey = make_draft(number_window())
    assert "How many hours did you sleep" in page_of("survey-preview", survey)
