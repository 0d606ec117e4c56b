"""An unrelated number in the editor: its fact, its distribution, one number a step, others at the same ε."""

from dataclasses import asdict
from fractions import Fraction
from html import unescape

import pytest
from django.core.exceptions import ValidationError

from surveys.course.services import open_survey
from surveys.documents.services.parsing import DocumentRefused
from surveys.documents.services.reading import read_document
from surveys.drafts.selectors import document_of
from surveys.editor.figures import Dial, compare_designs, dial_of, facts_of, steps_of
from surveys.editor.forms.question import QuestionForm, truth_at, typed_of
from surveys.estimation import expected_mean_half_width
from surveys.models import Question, kinds
from surveys.models.designs import DesignName
from surveys.privacy.designs import family_of
from tests.editor.form import NEW, posted, question
from tests.factories import make_draft, number_mean, number_window, scrambled_number, unrelated_number
from tests.pages import page_of, signed_in

pytestmark = pytest.mark.django_db
TYPED = {
    "kind": "number_mean",
    "low": "0",
    "high": "3",
    "step": "1",
    "unit": "days",
    "design": "unrelated_number",
    "innocuous": "How many sisters has your grandmother?",
    "innocuous_source": "A census.",
    "selector": "Is the last digit of your oldest cousin’s phone number 5 to 9?",
    "selector_share": "1/2",
    "selector_source": "Last digits are spread evenly.",
}
TENS = {"low": [0, 1], "high": [9, 1], "step": [1, 1], "unit": ""}


def _dial(**changes: object) -> Dial:
    return dial_of(Question(**asdict(unrelated_number(**changes))), class_size=30)


def test_it_suits_a_number_for_its_mean_and_nothing_else() -> None:
    name = DesignName.UNRELATED_NUMBER
    assert [kind.name for kind in kinds.every() if name in kinds.suitable_designs(kind.name)] == ["number_mean"]
    assert name not in kinds.suitable_designs("number_mean", "protected")


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ({}, {"p": [1, 2], "grid": 4}),
        (
            {"innocuous_shares": "0.4, 0.3, 0.2, 0.1", "selector_share": "7/10"},
            {"p": [7, 10], "grid": 4, "weights": [[2, 5], [3, 10], [1, 5], [1, 10]]},
        ),
        ({"high": "9"}, {"p": [1, 2], "grid": 10}),
    ],
)
def test_what_is_typed_is_stored_and_typed_again(typed: dict[str, str], stored: dict[str, object]) -> None:
    form = QuestionForm(question(**(TYPED | typed)))
    assert form.is_valid(), form.errors
    assert form.question is not None
    assert form.question.parameters == stored
    again = typed_of(form.question)
    assert again["selector_share"] == str(Fraction((TYPED | typed)["selector_share"]))
    wanted = [str(Fraction(share)) for share in typed.get("innocuous_shares", "").split(", ") if share]
    assert again["innocuous_shares"] == ", ".join(wanted)


@pytest.mark.parametrize(
    ("typed", "field", "words"),
    [
        ({"high": "36"}, "step", "here 37; there may be 36 at most"),
        ({"innocuous_shares": "1/2, 1/2"}, "innocuous_shares", "Give one share for each of 4 answers, not 2"),
        ({"innocuous_shares": "1/2, 1/4, 1/8, 1/16"}, "innocuous_shares", "The shares must sum to 1"),
        ({"innocuous_shares": "1/2, 1/4, 1/4, 0"}, "innocuous_shares", "leaves nothing to chance"),
        ({"selector_share": ""}, "selector_share", "Write a probability, such as 1/2."),
        ({"selector": ""}, "selector", ""),
        ({"innocuous": ""}, "innocuous", ""),
        # No two arms would find a distribution that nobody knows.
        ({"innocuous_source": ""}, "innocuous_source", ""),
        ({"selector": TYPED["innocuous"]}, "selector", "Another fact must decide"),
        ({"leave_out": "protected"}, "leave_out", "cannot protect"),
    ],
)
def test_what_makes_no_such_question_is_said_at_its_field(typed: dict[str, str], field: str, words: str) -> None:
    form = QuestionForm(question(**(TYPED | typed)))
    assert not form.is_valid()
    assert words in " ".join(form.errors[field])


def test_other_numbers_than_the_innocuous_ones_are_refused_in_documents_and_at_opening() -> None:
    draft = make_draft(unrelated_number())
    document = document_of(draft)
    assert read_document(document).questions[0].parameters == {"p": [1, 2], "grid": 10}
    document["questions"][0]["parameters"]["grid"] = 9
    with pytest.raises(DocumentRefused) as refused:
        read_document(document)
    (problem,) = refused.value.problems
    assert problem.place == "questions[0].details.step"
    assert problem.words == "The innocuous number has 9 values, and this one 10: both must have the same."
    draft.questions.update(parameters={"p": [1, 2], "grid": 9})
    with pytest.raises(ValidationError, match="both must have the same"):
        open_survey(survey=draft, typed=draft.code)


def test_a_document_has_to_accept_that_a_number_proves_itself() -> None:
    weights = [[1, 9]] * 9 + [[0, 1]]
    drafted = unrelated_number(parameters={"p": [1, 2], "grid": 10, "weights": weights})
    with pytest.raises(ValidationError, match="ε is infinite"):
        make_draft(drafted)
    accepted = unrelated_number(parameters=drafted.parameters, accepts_infinite=True)
    page = unescape(page_of("survey-preview", make_draft(accepted)))
    assert "“9” proves that your true answer is “9 days”" in page


def test_no_device_turns_it_but_other_facts_stand_there() -> None:
    dial = _dial()
    assert steps_of(dial.item) == ()
    found = {setting.probability: setting.item.design for setting in facts_of(dial.item)}
    assert set(found) == {Fraction(tenth, 10) for tenth in range(1, 10)}
    assert found[Fraction(1, 2)] == dial.item.design
    assert dial.half_width == expected_mean_half_width(n=30, design=dial.item.design, low=0, high=1)
    with pytest.raises(ValidationError, match="a fact about people stands for chance"):
        truth_at(question(**TYPED), "1")


@pytest.mark.parametrize("asked", [unrelated_number, scrambled_number, number_window, number_mean])
def test_at_one_epsilon_all_designs_for_a_mean_stand_beside_each_other(asked) -> None:  # noqa: ANN001
    dial = dial_of(Question(**asdict(asked(**({} if asked is unrelated_number else {"details": TENS})))), class_size=30)
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
    design = family_of("unrelated_number").at_epsilon(dial.epsilon, 10, close=Fraction(9999, 10_000))
    width = expected_mean_half_width(n=30, design=design, low=0, high=1)
    assert by_name["unrelated_number"].half_width == pytest.approx(width, rel=1e-3)


def test_more_numbers_than_can_be_tapped_have_no_unrelated_one_beside_them() -> None:
    details = {"low": [0, 1], "high": [40, 1], "step": [1, 1], "unit": ""}
    dial = dial_of(Question(**asdict(number_mean(details=details))), class_size=30)
    found = compare_designs(dial.question, n=30, share=Fraction(3, 10))
    assert found is not None
    assert "unrelated_number" not in {row.name for row in found.rows}


def test_it_is_written_saved_and_read_again_in_the_editor() -> None:
    client = signed_in()
    client.post(NEW, posted(question(**TYPED, innocuous_shares="2/5, 3/10, 1/5, 1/10")))
    stored = Question.objects.get()
    assert stored.parameters["weights"] == [[2, 5], [3, 10], [1, 5], [1, 10]]
    page = unescape(page_of("survey-edit", stored.survey))
    assert "For 1/2 of people the fact holds: they tell this number." in page
    assert "Its answers from 0 to 3 have the shares 2/5, 3/10, 1/5, 1/10." in page
    assert "If it is 3 days, 55 tap “3”" in page
