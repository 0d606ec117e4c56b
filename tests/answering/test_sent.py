"""What is said of a report once chance has fallen follows from the matrix and the report alone."""

from fractions import Fraction

import pytest

from surveys.answering.selectors import Answered, answered_of
from surveys.answering.words.grids import area
from surveys.answering.words.sent import told
from surveys.course.services import close_survey
from surveys.drafts.services.surveys import QuestionDraft
from tests.answering.test_promise import define
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

_NOTHING = "So it proves nothing about you: it changes anyone’s odds at most {}‑fold."
_FORCED_NO = {"parameters": {"truth": [1, 2], "yes": [0, 1]}, "accepts_infinite": True}


def said(draft: QuestionDraft) -> list[str]:
    """Return what is said of each report."""
    (question,) = define(draft).questions
    found = told(question)
    return [
        f"{' '.join(often).strip()} {follows}".strip()
        for often, follows in zip(found["often"], found["follows"], strict=True)
    ]


@pytest.mark.parametrize(
    ("draft", "report", "sentence"),
    [
        (yes_no(), 1, f"25 of 100 phones whose owner means No send Yes. {_NOTHING.format(3)}"),
        (yes_no(), 0, f"25 of 100 phones whose owner means Yes send No. {_NOTHING.format(3)}"),
        (
            yes_no(parameters={"truth": [1, 2], "yes": [1, 5]}),
            1,
            f"10 of 100 phones whose owner means No send Yes. {_NOTHING.format(6)}",
        ),
        (one_of(), 2, f"16.7 of 100 phones whose owner means something else send “Often”. {_NOTHING.format(4)}"),
        (number_mean(), 1, f"25 of 100 phones that rounded to “0 hours” send “12 hours”. {_NOTHING.format(3)}"),
        (
            number_mean(**PROTECTED),
            2,
            "16.7 of 100 phones whose owner means something else send “Prefer not to say”. " + _NOTHING.format(4),
        ),
        (
            several_of(),
            1,
            "25 of 100 phones whose owner means No send Yes. It is no proof, but it can be strong evidence.",
        ),
        (
            warner(parameters={"p": [99, 100]}),
            1,
            "1 of 100 phones whose owner means No send Yes. It is no proof, but it can be strong evidence.",
        ),
        (
            yes_no(**_FORCED_NO),
            1,
            "0 of 100 phones whose owner means No send Yes. It proves that your true answer is Yes.",
        ),
        (yes_no(**_FORCED_NO), 0, "50 of 100 phones whose owner means Yes send No."),
        (
            crosswise(),
            1,
            "Of 100 people who mean Yes, 25 tap this; of 100 who mean No, 75. "
            "It proves nothing about you to people who do not know that fact: it changes their odds at most 3‑fold.",
        ),
        (
            triangular(),
            0,
            "Of 100 people who mean Yes, 0 tap this; of 100 who mean No, 75. It proves that your true answer is No.",
        ),
        (triangular(), 1, "Of 100 people who mean Yes, 100 tap this; of 100 who mean No, 25."),
    ],
)
def test_a_report_says_how_often_others_send_it_and_what_it_proves(
    draft: QuestionDraft, report: int, sentence: str
) -> None:
    assert said(draft)[report] == sentence


def test_a_report_lights_as_many_phones_as_send_it_with_another_answer() -> None:
    (question,) = define(yes_no(parameters={"truth": [1, 2], "yes": [1, 5]})).questions
    no, yes = told(question)["lit"]
    assert no == {"chance": "ring", "rest": "empty", "path": "M0 0H200V20H0Z"}  # who sends No is a ring
    assert yes == {"chance": "lit", "rest": "other", "path": "M0 0H100V10H0Z"}
    (tapped,) = define(crosswise()).questions
    assert told(tapped)["lit"] == []


def test_of_several_questions_it_is_said_once_for_all_that_one_answer_proves_nothing() -> None:
    first, second, proving = define(yes_no(), several_of(), triangular()).questions
    assert told(first, alone=False)["follows"] == ["", ""]
    assert set(told(second, alone=False)["follows"]) == {"It is no proof, but it can be strong evidence."}
    assert told(proving, alone=False)["follows"][0] == "It proves that your true answer is No."


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
def test_those_who_answered_are_told_in_full_batches_until_the_survey_is_closed() -> None:
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
