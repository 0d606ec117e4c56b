"""What is said of a report once chance has fallen follows from the matrix and the report alone."""

import re
from fractions import Fraction

import pytest

from surveys.answering.selectors import Answered, answered_of
from surveys.answering.words.designs import proofs, quote_answer
from surveys.answering.words.grids import area
from surveys.answering.words.sent import report_words
from surveys.course.services import close_survey
from surveys.questionnaire.question import Question
from tests.answering.parts import define
from tests.factories import (
    PROTECTED,
    crosswise,
    fill,
    make_open,
    number_mean,
    one_of,
    several_of,
    triangular,
    warner,
    yes_no,
)

_FORCED_NO = {"parameters": {"truth": [1, 2], "yes": [0, 1]}, "accepts_infinite": True}


@pytest.mark.parametrize(
    ("draft", "report", "numbers", "factor", "proven"),
    [
        (yes_no(), 1, ["25", "100"], "3", ""),
        (yes_no(), 0, ["25", "100"], "3", ""),
        (yes_no(parameters={"truth": [1, 2], "yes": [1, 5]}), 1, ["10", "100"], "6", ""),
        (one_of(), 2, ["16.7", "100"], "4", ""),
        (number_mean(), 1, ["25", "100", "12", "0"], "3", ""),
        (number_mean(**PROTECTED), 2, ["16.7", "100"], "4", ""),
        # These are strong evidence, and those after them proofs: no bound is named.
        (several_of(), 1, ["25", "100"], "", ""),
        (warner(parameters={"p": [99, 100]}), 1, ["1", "100"], "", ""),
        (yes_no(**_FORCED_NO), 1, ["0", "100"], "", "Yes"),
        (yes_no(**_FORCED_NO), 0, ["50", "100"], "", ""),
        (crosswise(), 1, ["100", "25", "100", "75"], "3", ""),
        (triangular(), 0, ["100", "0", "100", "75"], "", "No"),
        (triangular(), 1, ["100", "100", "100", "25"], "", ""),
    ],
)
def test_a_report_says_how_often_others_send_it_and_what_it_proves(
    draft: Question, report: int, numbers: list[str], factor: str, proven: str
) -> None:
    (question,) = define(draft).questions
    words = report_words(question)
    follows = words["follows"][report]
    assert re.findall(r"\d+(?:\.\d+)?", " ".join(words["often"][report])) == numbers
    assert re.findall(r"\d+", follows) == ([factor] if factor else [])
    truths = {proof.report: proof.truth for proof in proofs(question.first)}
    assert truths.get(quote_answer(question.first.report_labels[report], question.first), "") == proven
    assert follows.endswith(f"{proven}.") or not proven


def test_a_report_lights_as_many_phones_as_send_it_with_another_answer() -> None:
    (question,) = define(yes_no(parameters={"truth": [1, 2], "yes": [1, 5]})).questions
    no, yes = report_words(question)["lit"]
    assert no == {"chance": "ring", "rest": "empty", "path": "M0 0H200V20H0Z"}  # who sends No is a ring
    assert yes == {"chance": "lit", "rest": "other", "path": "M0 0H100V10H0Z"}
    (tapped,) = define(crosswise()).questions
    assert report_words(tapped)["lit"] == []


def test_of_several_questions_the_review_says_once_that_one_answer_proves_nothing() -> None:
    first, strong, proving = define(yes_no(), several_of(), triangular()).questions
    assert report_words(first, alone=False)["follows"] == ["", ""]
    for question in (strong, proving):
        assert report_words(question, alone=False)["follows"] == report_words(question)["follows"] != ["", ""]


@pytest.mark.parametrize(
    ("start", "stop", "path"),
    [
        (0, 0, ""),
        (0, 25, "M0 0H100V20H0ZM0 20H50V30H0Z"),
        (25, 40, "M50 20H100V30H50ZM0 30H100V40H0Z"),
        (23, 26, "M30 20H60V30H30Z"),
        (Fraction(50, 3), 20, "M66.6667 10H100V20H66.6667Z"),
    ],
)
def test_an_area_covers_dots_row_after_row(start: Fraction | int, stop: Fraction | int, path: str) -> None:
    assert area(Fraction(start), Fraction(stop), 10) == path


@pytest.mark.django_db
def test_those_who_answered_are_counted_in_full_batches_until_the_survey_is_closed() -> None:
    survey = make_open(yes_no(), minimum_n=10)
    assert answered_of(survey) == Answered(0, exact=False)
    fill(survey, {"0": 12, "1": 7})
    assert answered_of(survey) == Answered(10, exact=False)
    assert answered_of(close_survey(survey=survey)) == Answered(19, exact=True)


@pytest.mark.parametrize(("n", "columns", "height"), [(1, 20, 10), (400, 20, 200), (401, 25, 170), (10_000, 100, 1000)])
def test_a_crowd_has_a_dot_for_each_who_answered(n: int, columns: int, height: int) -> None:
    crowd = Answered(n, exact=True)
    assert (crowd.columns, crowd.height) == (columns, height)
    assert crowd.path.count("Z") == 2


def test_a_crowd_too_large_to_be_seen_has_no_picture() -> None:
    assert Answered(10_001, exact=True).columns == 0
