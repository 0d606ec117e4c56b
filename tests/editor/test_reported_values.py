"""Numbers whose reports stand for values in the editor: fields, dials, what is refused, others at the same ε."""

from collections.abc import Callable
from fractions import Fraction
from html import unescape

import pytest
from django.core.exceptions import ValidationError

from surveys.answering.words.designs import of_grid, procedure, rounding
from surveys.course.services import open_survey
from surveys.documents.services.parsing import DocumentRefused
from surveys.documents.services.reading import read_document
from surveys.drafts.selectors import document_of
from surveys.editor.figures import DesignComparison, Dial, compare_designs, dial_of, facts_of, steps_of
from surveys.editor.forms.question import QuestionForm, truth_at, typed_of
from surveys.estimation.planning.precision import expected_mean_half_width
from surveys.models import Survey
from surveys.privacy.designs import family_of
from surveys.questionnaire import designs, kinds
from surveys.questionnaire.question import Question, frozen
from tests.editor.form import NEW, posted, question
from tests.factories import (
    PROTECTED,
    make_draft,
    number_mean,
    number_window,
    rewrite,
    scrambled_number,
    unrelated_number,
)
from tests.pages import page_of, signed_in, text_of

pytestmark = pytest.mark.django_db
Make = Callable[..., Question]
_NUMBER = {"kind": "number_mean", "low": "0", "high": "40", "step": "1", "unit": "hours"}
WINDOW = _NUMBER | {"design": "number_window"}
SCRAMBLED = _NUMBER | {"design": "scrambled_number"}
UNRELATED = _NUMBER | {
    "high": "3",
    "unit": "days",
    "design": "unrelated_number",
    "innocuous": "How many sisters has your grandmother?",
    "innocuous_source": "A census.",
    "selector": "Is the last digit of your oldest cousin’s phone number 5 to 9?",
    "selector_share": "1/2",
    "selector_source": "Last digits are spread evenly.",
}
FROM_ONE = {"low": [1, 1], "high": [13, 1], "step": [1, 2], "unit": "hours"}
TENS = {"low": [0, 1], "high": [9, 1], "step": [1, 1], "unit": ""}
TO_FORTY = TENS | {"high": [40, 1]}
ONLY_FACTORS = {"parameters": {"truth": [1, 1], "grid": 5, "factors": 2}, "accepts_infinite": True}
ALL_FOR_A_MEAN = {"forced_response", "warner", "k_ary", "number_window", "scrambled_number", "unrelated_number"}


def _dial(make: Make, **changes: object) -> Dial:
    return dial_of(make(**changes), class_size=30)


def _beside(dial: Dial) -> DesignComparison:
    comparison = compare_designs(dial.question, n=30, share=Fraction(3, 10))
    assert comparison is not None
    return comparison


@pytest.mark.parametrize("name", ["number_window", "scrambled_number", "unrelated_number"])
def test_it_suits_a_number_for_its_mean_and_nothing_else(name: str) -> None:
    suiting = [kind.name for kind in kinds.every() if name in kinds.suitable_designs(kind.name)]
    assert suiting == ["number_mean"]
    assert kinds.suitable_designs("number_mean")[0] == designs.USUAL.name
    assert name not in kinds.suitable_designs("number_mean", "protected")


@pytest.mark.parametrize(
    ("typed", "stored", "again"),
    [
        (
            WINDOW | {"truth": "1/2"},
            {"truth": [1, 2], "grid": 9, "window": 4},
            {"truth": "1/2", "grid": "9", "window": "4"},
        ),
        (
            WINDOW | {"truth": "0.7", "grid": "5", "window": "2"},
            {"truth": [7, 10], "grid": 5, "window": 2},
            {"truth": "7/10", "grid": "5", "window": "2"},
        ),
        (
            WINDOW | {"truth": "1/2", "grid": "36", "window": "1"},
            {"truth": [1, 2], "grid": 36, "window": 1},
            {"truth": "1/2", "grid": "36", "window": "1"},
        ),
        (
            SCRAMBLED | {"truth": "1/2", "multiplied": "", "factors": ""},
            {"truth": [1, 2], "grid": 5, "factors": 2},
            {"truth": "1/2", "multiplied": "5", "factors": "2", "accepts_infinite": ""},
        ),
        (
            SCRAMBLED | {"truth": "0.7", "multiplied": "4", "factors": "3"},
            {"truth": [7, 10], "grid": 4, "factors": 3},
            {"truth": "7/10", "multiplied": "4", "factors": "3", "accepts_infinite": ""},
        ),
        (
            SCRAMBLED | {"truth": "1", "accepts_infinite": "on"},
            {"truth": [1, 1], "grid": 5, "factors": 2},
            {"truth": "1", "multiplied": "5", "factors": "2", "accepts_infinite": "on"},
        ),
        (UNRELATED, {"p": [1, 2], "grid": 4}, {"selector_share": "1/2", "innocuous_shares": ""}),
        (
            UNRELATED | {"innocuous_shares": "0.4, 0.3, 0.2, 0.1", "selector_share": "7/10"},
            {"p": [7, 10], "grid": 4, "weights": [[2, 5], [3, 10], [1, 5], [1, 10]]},
            {"selector_share": "7/10", "innocuous_shares": "2/5, 3/10, 1/5, 1/10"},
        ),
        (UNRELATED | {"high": "9"}, {"p": [1, 2], "grid": 10}, {"selector_share": "1/2", "innocuous_shares": ""}),
    ],
)
def test_what_is_typed_is_stored_and_typed_again(
    typed: dict[str, str], stored: dict[str, object], again: dict[str, str]
) -> None:
    form = QuestionForm(question(**typed))
    assert form.is_valid(), form.errors
    assert form.question is not None
    assert form.question.parameters == frozen(stored)
    assert typed_of(form.question).items() >= again.items()


@pytest.mark.parametrize(
    ("base", "typed", "field", "number"),
    [
        (WINDOW, {"grid": "1"}, "grid", "36"),
        (WINDOW, {"grid": "37"}, "grid", "36"),
        (WINDOW, {"window": "0"}, "window", "28"),
        (WINDOW, {"window": "29"}, "window", "28"),
        (WINDOW, {"grid": "x"}, "grid", ""),
        (WINDOW, {"truth": "0"}, "truth", ""),
        (WINDOW, {"truth": "1"}, "truth", ""),
        (WINDOW, {"truth": "999/1000"}, "truth", ""),
        (WINDOW, {"leave_out": "protected"}, "leave_out", ""),
        (SCRAMBLED, {"low": "1"}, "low", "0"),
        (SCRAMBLED, {"low": "-40"}, "low", "0"),
        (SCRAMBLED, {"multiplied": "1"}, "multiplied", "36"),
        (SCRAMBLED, {"factors": "1"}, "factors", "36"),
        (SCRAMBLED, {"factors": "37"}, "factors", "36"),
        (
            SCRAMBLED,
            {"multiplied": "10", "factors": "9"},
            "factors",
            "37",
        ),
        (SCRAMBLED, {"truth": "1"}, "accepts_infinite", ""),
        (SCRAMBLED, {"truth": "999/1000"}, "truth", ""),
        (SCRAMBLED, {"leave_out": "protected"}, "leave_out", ""),
        (UNRELATED, {"high": "36"}, "step", "37"),
        (
            UNRELATED,
            {"innocuous_shares": "1/2, 1/2"},
            "innocuous_shares",
            "4",
        ),
        (UNRELATED, {"innocuous_shares": "1/2, 1/4, 1/8, 1/16"}, "innocuous_shares", "15/16"),
        (UNRELATED, {"innocuous_shares": "1/2, 1/4, 1/4, 0"}, "innocuous_shares", ""),
        (UNRELATED, {"selector_share": ""}, "selector_share", ""),
        (UNRELATED, {"selector": ""}, "selector", ""),
        (UNRELATED, {"innocuous": ""}, "innocuous", ""),
        # No two arms would find a distribution that nobody knows.
        (UNRELATED, {"innocuous_source": ""}, "innocuous_source", ""),
        (UNRELATED, {"selector": UNRELATED["innocuous"]}, "selector", ""),
        (UNRELATED, {"leave_out": "protected"}, "leave_out", ""),
    ],
)
def test_what_makes_no_such_question_is_named_at_its_field(
    base: dict[str, str], typed: dict[str, str], field: str, number: str
) -> None:
    form = QuestionForm(question(**(base | typed)))
    assert list(form.errors) == [field]
    assert number in " ".join(form.errors[field])


def test_a_document_without_its_number_of_values_names_the_one_that_is_missing() -> None:
    with pytest.raises(ValidationError, match="'grid'"):
        make_draft(unrelated_number(parameters={"p": [1, 2]}))


@pytest.mark.parametrize(
    ("make", "part", "value", "place", "number"),
    [
        (scrambled_number, "details", FROM_ONE, "low", "0"),
        (unrelated_number, "parameters", {"p": [1, 2], "grid": 9}, "step", "10"),
    ],
)
def test_numbers_that_it_does_not_take_are_refused_in_documents_and_at_opening(
    make: Make, part: str, value: dict[str, object], place: str, number: str
) -> None:
    with pytest.raises(ValidationError, match=rf"\b{number}\b"):
        make_draft(make(**{part: value}))
    draft = make_draft(make())
    document = document_of(draft)
    assert getattr(read_document(document).questions[0], part) == getattr(make(), part)
    document["questions"][0][part] = value
    with pytest.raises(DocumentRefused) as refused:
        read_document(document)
    [problem] = refused.value.problems
    assert problem.place == f"questions[0].details.{place}"
    assert number in problem.words
    rewrite(draft, **{part: value})
    with pytest.raises(ValidationError, match=rf"\b{number}\b"):
        open_survey(survey=draft, typed=draft.code)


def test_a_document_has_to_accept_that_a_number_proves_itself() -> None:
    weights = [[1, 9]] * 9 + [[0, 1]]
    drafted = unrelated_number(parameters={"p": [1, 2], "grid": 10, "weights": weights})
    with pytest.raises(ValidationError) as refused:
        make_draft(drafted)
    assert "parameters" in refused.value.message_dict
    accepted = make_draft(unrelated_number(parameters=drafted.parameters, accepts_infinite=True))
    assert _dial(lambda: drafted).proves
    assert 'class="proof"' in page_of("survey-preview", accepted)


@pytest.mark.parametrize(
    ("make", "fixed"), [(number_window, {"grid": 9, "window": 4}), (scrambled_number, {"grid": 5, "factors": 2})]
)
def test_the_dial_turns_it_and_says_what_the_core_says(make: Make, fixed: dict[str, int]) -> None:
    dial = _dial(make)
    turns = steps_of(dial.item)
    assert len(turns) > 15
    for turn in turns:
        assert dict(turn.item.design.exact_parameters) == {"truth": turn.probability} | fixed
    assert [turn.item.design.epsilon for turn in turns] == sorted(turn.item.design.epsilon for turn in turns)
    assert dial.half_width == expected_mean_half_width(n=30, design=dial.item.design, low=0, high=1)
    assert not any(turned.too_few for turned in dial.telling)


def test_no_device_turns_an_unrelated_number_but_other_facts_stand_there() -> None:
    dial = _dial(unrelated_number)
    assert steps_of(dial.item) == ()
    designs = {setting.probability: setting.item.design for setting in facts_of(dial.item)}
    assert set(designs) == {Fraction(tenth, 10) for tenth in range(1, 10)}
    assert designs[Fraction(1, 2)] == dial.item.design
    assert dial.half_width == expected_mean_half_width(n=30, design=dial.item.design, low=0, high=1)
    with pytest.raises(ValidationError, match="ε"):
        truth_at(question(**UNRELATED), "1")


@pytest.mark.parametrize(
    ("make", "changes"),
    [
        (number_mean, {}),
        (number_window, {}),
        (number_window, {"parameters": {"truth": [3, 5], "grid": 5, "window": 3}}),
        (scrambled_number, {}),
        (unrelated_number, {}),
        *((make, {"details": TENS}) for make in (number_mean, number_window, scrambled_number)),
    ],
)
def test_at_one_epsilon_all_designs_for_a_mean_stand_beside_each_other(make: Make, changes: dict[str, object]) -> None:
    dial = _dial(make, **changes)
    by_name = {row.name: row for row in _beside(dial).rows}
    assert by_name.keys() == ALL_FOR_A_MEAN
    assert by_name[dial.item.design.name].is_chosen
    expected = by_name["scrambled_number"].expected
    assert expected is not None
    assert (expected.design.k, expected.design.m) == (5, 7)
    assert 0.999 * dial.epsilon <= expected.design.epsilon <= dial.epsilon
    for name, k in (("forced_response", 2), ("warner", 2), ("k_ary", 2), ("scrambled_number", 5)):
        design = family_of(name).at_epsilon(dial.epsilon, k, close=Fraction(9999, 10_000))
        assert by_name[name].half_width == expected_mean_half_width(n=30, design=design, low=0, high=1), name
    numbers = 10 if make is unrelated_number or "details" in changes else 25
    design = family_of("unrelated_number").at_epsilon(dial.epsilon, numbers, close=Fraction(9999, 10_000))
    width = expected_mean_half_width(n=30, design=design, low=0, high=1)
    assert by_name["unrelated_number"].half_width == pytest.approx(width, rel=1e-3)


def test_beside_one_bit_stands_the_usual_window_of_its_epsilon() -> None:
    dial = _dial(number_mean, parameters={"truth": [4, 5], "yes": [1, 2]})
    comparison = _beside(dial)
    window = next(row for row in comparison.rows if row.name == "number_window")
    assert window.expected is not None
    assert (window.expected.design.k, window.expected.design.m) == (9, 12)
    assert 0.999 * dial.epsilon <= window.expected.design.epsilon <= dial.epsilon
    # ε = ln 9: one bit is less precise there.
    assert [row.name for row in comparison.most_precise] == ["number_window"]


@pytest.mark.parametrize(
    ("changes", "without"),
    [
        ({"details": FROM_ONE}, {"scrambled_number"}),
        ({"details": TO_FORTY}, {"unrelated_number"}),
        (PROTECTED, ALL_FOR_A_MEAN - {"k_ary"}),
    ],
)
def test_what_cannot_ask_for_these_numbers_does_not_stand_beside(changes: dict[str, object], without: set[str]) -> None:
    assert {row.name for row in _beside(_dial(number_mean, **changes)).rows} == ALL_FOR_A_MEAN - without


def test_without_other_chance_nothing_is_compared() -> None:
    dial = _dial(scrambled_number, **ONLY_FACTORS)
    assert dial.proves
    assert compare_designs(dial.question, n=30, share=Fraction(3, 10)) is None


@pytest.mark.parametrize(
    ("typed", "fixed"), [(WINDOW, {"grid": 9, "window": 4}), (SCRAMBLED, {"grid": 5, "factors": 2})]
)
def test_its_coin_is_found_for_a_wished_epsilon(typed: dict[str, str], fixed: dict[str, int]) -> None:
    truth = Fraction(truth_at(question(**typed), "1"))
    design = family_of(typed["design"]).design(fixed["grid"], {"truth": truth} | fixed)
    assert 0.99 <= design.epsilon <= 1


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        (WINDOW | {"truth": "3/5", "grid": "7", "window": "3"}, {"truth": [3, 5], "grid": 7, "window": 3}),
        (SCRAMBLED | {"truth": "3/5", "multiplied": "6", "factors": "3"}, {"truth": [3, 5], "grid": 6, "factors": 3}),
        (
            UNRELATED | {"innocuous_shares": "2/5, 3/10, 1/5, 1/10"},
            {"p": [1, 2], "grid": 4, "weights": [[2, 5], [3, 10], [1, 5], [1, 10]]},
        ),
    ],
)
def test_it_is_written_saved_and_read_again_in_the_editor(typed: dict[str, str], stored: dict[str, object]) -> None:
    client = signed_in()
    assert '<option value="number_window">' in text_of(client.get(NEW))
    client.post(NEW, posted(question(**typed)))
    survey = Survey.objects.get()
    (written,) = survey.questions
    assert written.parameters == frozen(stored)
    page, item = unescape(page_of("survey-edit", survey)), dial_of(written, class_size=30).item
    words = [rounding(item), procedure(item), of_grid(item, "shares"), of_grid(item, "dial_here")]
    assert [each for each in words if each not in page] == []
