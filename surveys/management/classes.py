"""The simulated classes of the demo: what they are asked, and the true shares of their answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from surveys.questionnaire.question import Question

_FAIR_COINS: dict[str, Any] = {"design": "forced_response", "parameters": {"truth": [1, 2], "yes": [1, 2]}}
_SPINNER: dict[str, Any] = {"design": "k_ary", "parameters": {"truth": [1, 2]}}
# A survey of many questions gives away less with each.
_THIRDS: dict[str, Any] = {"design": "forced_response", "parameters": {"truth": [1, 3], "yes": [1, 2]}}
_THIRDS_SPINNER: dict[str, Any] = {"design": "k_ary", "parameters": {"truth": [1, 3]}}
_BIRTHDAY = {
    "innocuous": "Is your mother’s birthday in January, February or March?",
    "innocuous_source": "Birthdays are spread about evenly over the twelve months",
}
_AUNT = {
    "innocuous": "Is your oldest aunt’s birthday in the first half of the year, January to June?",
    "innocuous_source": "Birthdays are spread about evenly over the twelve months",
}


@dataclass(frozen=True, slots=True)
class Class:
    """A survey with simulated respondents; `shares` are the true ones, one list an item; `groups` are equally large.

    Answers go together where there are several `kinds` of respondents: how many in each group, and their shares.
    """

    code: str
    title: str
    introduction: str
    n: int
    questions: tuple[Question, ...]
    shares: Sequence[Sequence[Fraction]]
    groups: tuple[str, ...] = ()
    kinds: tuple[tuple[int, Sequence[Sequence[Fraction]]], ...] = ()
    closed: bool = False


def _question(kind: str, text: str, **fields: Any) -> Question:
    return Question(**({"kind": kind, "text": text, "options": [], "leave_out": "visibly"} | fields))


def _of(*hundredths: int) -> list[Fraction]:
    return [Fraction(share, 100) for share in hundredths]


EXAMS = Class(
    code="EXAMS",
    title="Exams, honestly",
    introduction="We want to know how common this is.",
    n=400,
    questions=(
        _question("yes_no", "Have you ever copied from somebody else in an exam at this school?", **_FAIR_COINS),
    ),
    shares=[_of(70, 30)],
)
STUDY = Class(
    code="STUDY",
    title="Studying at night",
    introduction=EXAMS.introduction,
    n=2000,
    questions=(
        _question(
            "one_of",
            "Which of these did you last use to get through a night of studying?",
            options=[
                "Nothing",
                "Coffee or energy drinks",
                "Caffeine tablets",
                "Somebody else’s prescription",
                "Something illegal",
            ],
            leave_out="no",
            **_SPINNER,
        ),
    ),
    shares=[_of(40, 25, 18, 12, 5)],
)
EVERY = Class(
    code="EVERY",
    title="Every kind of question",
    introduction="Each kind of question. Some need no device.",
    n=800,
    questions=(
        _question("yes_no", "Have you ever handed in work that somebody else wrote?", **_THIRDS),
        _question(
            "yes_no",
            "Have you ever lied to a teacher about why you were late?",
            design="warner",
            parameters={"p": [2, 3]},
            leave_out="no",
        ),
        _question(
            "one_of",
            "How often did you use AI for homework although it was not allowed?",
            options=["Never", "Once or twice", "Often"],
            leave_out="protected",
            **_SPINNER,
        ),
        _question(
            "several_of",
            "Which of these have you had with you in an exam?",
            options=["A crib sheet", "A second phone", "Notes on your skin"],
            **_THIRDS,
        ),
        _question(
            "scale",
            "How afraid are you of failing this year?",
            details={"points": 5, "low_end": "not at all", "high_end": "very much"},
            leave_out="no",
            **_THIRDS_SPINNER,
        ),
        _question(
            "number_mean",
            "How many days did you miss school last year without being ill?",
            details={"low": [0, 1], "high": [20, 1], "step": [1, 1], "unit": "days"},
            **_THIRDS,
        ),
        _question(
            "number_bands",
            "How much money did you last bet online?",
            details={"edges": [[0, 1], [1, 1], [20, 1], [100, 1], [1000, 1]], "unit": "€"},
            leave_out="no",
            **_THIRDS_SPINNER,
        ),
        _question(
            "yes_no",
            "Have you ever taken something from a shop without paying?",
            design="crosswise",
            parameters={"p": [1, 4]},
            details=_BIRTHDAY,
        ),
        _question(
            "yes_no",
            "Have you ever bought a medicine that was prescribed to somebody else?",
            design="unrelated_question",
            parameters={"p": [7, 10], "q": [1, 2]},
            details=_AUNT
            | {
                "selector": "Is the last digit of your oldest friend’s phone number 3 to 9?",
                "selector_source": "Last digits are spread evenly, and seven of ten are 3 to 9",
            },
            leave_out="no",
        ),
        _question("yes_no", "Have you ever travelled without a ticket?", **_THIRDS),
    ),
    shares=[
        _of(80, 20),
        _of(40, 60),
        _of(30, 35, 25, 10),
        _of(75, 25),
        _of(90, 10),
        _of(85, 15),
        _of(10, 20, 30, 25, 15),
        _of(80, 20),
        _of(55, 25, 15, 5),
        _of(75, 25),
        _of(90, 10),
        _of(60, 40),
    ],
    groups=("Morning class", "Evening class"),
)
SLEEP = Class(
    code="NAPS",
    title="Short nights",
    introduction="We want to know what goes with short nights.",
    n=2000,
    questions=(
        _question(
            "yes_no",
            "Have you copied homework from somebody else this term?",
            **_FAIR_COINS | {"leave_out": "no"},
        ),
        _question(
            "yes_no",
            "Do you sleep fewer than six hours on most school nights this term?",
            **_FAIR_COINS | {"leave_out": "no"},
        ),
        _question("yes_no", "Do you work for money beside school this term?", **_FAIR_COINS | {"leave_out": "no"}),
    ),
    shares=[_of(55, 45), _of(60, 40), _of(50, 50)],
    groups=("Morning class", "Evening class"),
    kinds=((400, [_of(25, 75), _of(0, 100), _of(50, 50)]), (600, [_of(75, 25), _of(100, 0), _of(50, 50)])),
    closed=True,
)
CLASSES = (EXAMS, STUDY, EVERY, SLEEP)
