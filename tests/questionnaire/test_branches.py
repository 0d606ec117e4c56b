"""Questions that only some are asked: what may decide it, and which reports then fit."""

from itertools import product
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from surveys.common.selectors import definition_of
from surveys.documents.services.creating import duplicate
from surveys.documents.services.parsing import DocumentRefused
from surveys.documents.services.reading import read_document
from surveys.drafts.selectors import document_of
from surveys.drafts.services.surveys import QuestionRefused
from surveys.models import Survey
from surveys.questionnaire.question import Question
from tests.factories import crosswise, make_draft, make_open, make_user, one_of, plain, rewrite, several_of, yes_no

pytestmark = pytest.mark.django_db
TWO = [{"name": "One", "weight": 1}, {"name": "Other", "weight": 1}]


def after(number: int, *answers: int) -> dict[str, Any]:
    """Ask only those who gave these answers to a question."""
    return {"asked_if": {"question": number, "answers": [*answers]}}


REFUSED: list[tuple[list[Question], dict[str, Any], str]] = [
    ([yes_no(), yes_no("B?", **after(1, 1))], {}, "Its true answers would be revealed"),
    ([plain(), yes_no(**after(2, 0))], {}, "Only an earlier question"),
    ([yes_no(**after(1, 0)), plain()], {}, "Only an earlier question"),
    ([plain(), yes_no(**after(3, 0)), yes_no("C?")], {}, "Only an earlier question"),
    ([plain(), yes_no(**after(1))], {}, "Choose some answers to question 1"),
    ([plain(), yes_no(**after(1, 0, 1, 2))], {}, "Choose some answers"),
    ([plain(), yes_no(**after(1, 3))], {}, "Choose some answers"),
    ([plain(), yes_no(**after(1, 1, 0))], {}, "Choose some answers"),
    ([plain(), yes_no(**after(1, 1, 1))], {}, "Choose some answers"),
    ([plain(), yes_no(asked_if=[1])], {}, "must be an object"),
    ([plain(), yes_no(asked_if={"question": 1})], {}, "must be an object"),
    ([plain(), yes_no(asked_if={"question": True, "answers": [0]})], {}, "must be an object"),
    ([plain(), yes_no(asked_if={"question": 1, "answers": ["0"]})], {}, "must be an object"),
    ([plain(), plain(text="Subject?", **after(1, 0)), yes_no()], {}, "Ask every unprotected question of everyone"),
    ([plain(), yes_no(**after(1, 0))], {"random_order": True}, "If the order is random"),
    ([plain(arms=[1]), yes_no(**after(1, 0)), yes_no("C?")], {"arms": TWO}, "missing from some arms"),
    ([plain(arms=[1]), yes_no(arms=[2], **after(1, 0))], {"arms": TWO}, "missing from some arms"),
    (
        [plain(), yes_no(arms=[1], quantity=1, **after(1, 0)), yes_no("C?", arms=[2], quantity=1)],
        {"arms": TWO},
        "compared between arms",
    ),
]


@pytest.mark.parametrize(("questions", "fields", "words"), REFUSED)
def test_what_cannot_decide_who_is_asked_is_refused_on_the_page_and_in_a_document(
    questions: list[Question], fields: dict[str, Any], words: str
) -> None:
    with pytest.raises(QuestionRefused, match=words) as refused:
        make_draft(*questions, **fields)
    assert list(refused.value.message_dict) == ["asked_if"]
    place = f"questions[{refused.value.number - 1}].asked_if"
    everybody = [question.__class__(**_without(question)) for question in questions]
    assert not Survey.objects.exists()
    document = document_of(make_draft(*everybody, **fields))
    for entry, question in zip(document["questions"], questions, strict=True):
        if question.asked_if:
            entry["asked_if"] = question.asked_if
    with pytest.raises(DocumentRefused) as problems:
        read_document(document)
    (problem,) = problems.value.problems
    assert problem.place == place
    assert words in problem.words or not isinstance(questions[1].asked_if, dict)


def _without(question: Question) -> dict[str, Any]:
    fields = {name: getattr(question, name) for name in Question.__dataclass_fields__}
    return fields | {"asked_if": {}}


def test_of_all_texts_of_a_small_survey_exactly_those_fit_that_somebody_can_send() -> None:
    questions = [plain(leave_out="visibly"), yes_no(leave_out="no", **after(1, 0, 2)), yes_no("C?", **after(1, 1))]
    definition = definition_of(make_open(*questions))
    fitting = {text for text in map("".join, product("-0123", repeat=3)) if not definition.misfit(text)}
    asked_second = {f"{year}{report}-" for year in "02" for report in "01"}
    asked_third = {f"1-{report}" for report in "01-"}
    assert fitting == asked_second | asked_third | {"---"}


def test_a_report_too_many_and_one_too_few_name_their_question() -> None:
    definition = definition_of(make_open(plain(), yes_no(leave_out="no", **after(1, 0))))
    for reports in ("11", "0-"):
        assert definition.misfit(reports).startswith("Question 2")
    assert definition.misfit("1-") == definition.misfit("01") == ""


def test_in_an_arm_the_deciding_question_is_the_one_that_arm_has() -> None:
    questions = [several_of(arms=[2]), plain(), yes_no(arms=[1], **after(2, 1)), crosswise(arms=[2], **after(2, 0))]
    definition = definition_of(make_open(*questions, arms=TWO))
    assert definition.in_arm(1).questions[1].asked_if.item == 0  # type: ignore[union-attr]
    second = definition.in_arm(2).questions[2].asked_if
    assert second is not None
    assert (second.question_number, second.item) == (2, 3)
    for arm, reports, fits in (
        (1, "11", True),
        (1, "0-", True),
        (1, "01", False),
        (2, "01001", True),
        (2, "01011", False),
    ):
        assert (definition.misfit(definition.in_arm(arm).stored(reports)) == "") == fits


def test_epsilon_is_the_sum_over_all_questions() -> None:
    everybody = definition_of(make_draft(plain(), yes_no(), one_of()))
    some = definition_of(make_draft(plain(), yes_no(**after(1, 0)), one_of(**after(1, 1))))
    assert some.epsilon == everybody.epsilon


def test_it_is_part_of_what_is_frozen_where_it_is_set() -> None:
    survey = make_open(plain(), yes_no(**after(1, 0)))
    definition = definition_of(survey)
    first, second = definition.content["questions"]
    assert "asked_if" not in first
    assert second["asked_if"] == {"question": 1, "answers": [0]}
    assert definition.browser["questions"][1]["askedIf"] == {"question": 1, "codes": [0]}
    with pytest.raises(IntegrityError, match="frozen"), transaction.atomic():
        rewrite(survey, 2, asked_if={})


def test_it_comes_back_from_a_document() -> None:
    survey = make_draft(plain(), yes_no(**after(1, 0, 2)))
    document = document_of(survey)
    assert document["questions"][1]["asked_if"] == {"answers": [0, 2], "question": 1}
    copy = duplicate(survey=survey, owner=make_user())
    assert document_of(copy) == document
    assert [question.asked_if for question in copy.questions] == [{}, {"question": 1, "answers": (0, 2)}]


def test_a_draft_that_is_no_condition_at_all_stores_nothing() -> None:
    with pytest.raises(ValidationError):
        make_draft(plain(), yes_no(asked_if="1"))
    assert not Survey.objects.exists()


@pytest.mark.parametrize(("answers", "people"), [((1,), 100), ((0, 2), 200)])
def test_as_if_all_answers_were_equally_common_so_many_are_asked(answers: tuple[int, ...], people: int) -> None:
    condition = definition_of(make_draft(plain(), yes_no(**after(1, *answers)))).questions[1].asked_if
    assert condition
    assert condition.asked_of(300) == people
