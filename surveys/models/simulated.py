"""What is true of simulated people: shares that somebody chose, and the whole people that they come to."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from surveys.questionnaire.asked_question import AskedQuestion


@dataclass(frozen=True, slots=True)
class TrueShares:
    """What is to be true of a class, for one question.

    Attributes
    ----------
    answers : tuple of tuple of Fraction
        For each item, the share of each answer among respondents who answer: “prefer not to say” is none of them. Of a
        number, the shares of people at the values that it is rounded to, which have the mean that is meant.
    leaving : Fraction
        The share of respondents who skip the question, visibly or protected.
    """

    answers: tuple[tuple[Fraction, ...], ...]
    leaving: Fraction = Fraction(0)

    @property
    def stored(self) -> dict[str, Any]:
        """The same as JSON can hold it: every number as a pair of integers."""
        return {
            "answers": [[list(share.as_integer_ratio()) for share in item] for item in self.answers],
            "leaving": list(self.leaving.as_integer_ratio()),
        }

    @classmethod
    def read(cls, stored: dict[str, Any]) -> "TrueShares":
        return cls(
            tuple(tuple(Fraction(*share) for share in item) for item in stored["answers"]),
            Fraction(*stored["leaving"]),
        )


@dataclass(frozen=True, slots=True)
class People:
    """How many people leave a question out visibly, and for each item how many of the others have each answer."""

    answers: tuple[tuple[int, ...], ...]
    leaving: int = 0

    @property
    def answering(self) -> int:
        """How many of them do not leave the question out visibly."""
        return sum(self.answers[0])

    def share(self, item: int, code: int) -> float:
        """Return the share of an answer of an item among those who do not leave the question out visibly."""
        return self.answers[item][code] / self.answering

    @property
    def stored(self) -> dict[str, Any]:
        return {"answers": [list(item) for item in self.answers], "leaving": self.leaving}

    @classmethod
    def read(cls, stored: dict[str, Any]) -> "People":
        return cls(tuple(tuple(item) for item in stored["answers"]), stored["leaving"])


def people_of(question: AskedQuestion, shares: TrueShares, respondents: int) -> People:
    """Return so many people whose shares are these as exactly as whole numbers allow; raises ValueError."""
    leaving, protected = shares.leaving, question.protects_leaving_out
    if not 0 <= leaving <= 1 or (leaving and not protected and not question.can_be_left_out):
        raise ValueError(f"question {question.number}: cannot be left out by a share of {leaving}")
    if len(shares.answers) != len(question.items):
        raise ValueError(f"question {question.number}: shares must be given for {len(question.items)} items")
    absent = 0 if protected else apportion_people((leaving, 1 - leaving), respondents)[0]
    answers = [_of_all_answers(item, leaving if protected else None) for item in shares.answers]
    return People(apportion_answers(question, answers, respondents - absent), absent)


def apportion_answers(
    question: AskedQuestion, shares: Sequence[Sequence[Fraction]], respondents: int
) -> tuple[tuple[int, ...], ...]:
    """Return how many people have each answer of each item; raises ValueError unless shares add up to everybody.

    Where one option is true each person has one, so that the shares of all options add up to everybody as well.
    """
    checked = [check_shares(item, question.design.k, question.number) for item in shares]
    if not question.answers.one_true:
        return tuple(apportion_people(item, respondents) for item in checked)
    chosen = check_shares([yes for _no, yes in checked], len(checked), question.number)
    return tuple((respondents - yes, yes) for yes in apportion_people(chosen, respondents))


def spread_people(high: Fraction, cells: int) -> tuple[Fraction, ...]:
    """Return shares of people at the ends of so many equal parts of a range, whose mean is this far up the range.

    At the two ends alone where there is one part; else spread evenly, but for those whom the mean needs at one end.
    """
    apart = abs(2 * high - 1)
    shares = [(1 - apart) / (cells + 1)] * (cells + 1)
    shares[-1 if 2 * high > 1 else 0] += apart
    return tuple(shares)


def apportion_people(shares: Sequence[Fraction], respondents: int) -> tuple[int, ...]:
    """Return whole numbers that add up to everybody: the largest remainders are rounded up."""
    people = [int(share * respondents) for share in shares]
    by_remainder = sorted(range(len(shares)), key=lambda answer: people[answer] - shares[answer] * respondents)
    for answer in by_remainder[: respondents - sum(people)]:
        people[answer] += 1
    return tuple(people)


def check_shares(shares: Sequence[Fraction], k: int, question_number: int) -> tuple[Fraction, ...]:
    """Return the shares of all k true answers of an item; raises ValueError unless they are complete and sum to 1."""
    if len(shares) != k or any(share < 0 for share in shares) or sum(shares) != 1:
        raise ValueError(f"question {question_number}: shares must be {k} numbers of at least 0 that add up to 1")
    return tuple(shares)


def _of_all_answers(answers: Sequence[Fraction], protected: Fraction | None) -> tuple[Fraction, ...]:
    """Return the share of each true answer to draw from, “prefer not to say” among them where it is one."""
    return tuple(answers) if protected is None else (*(share * (1 - protected) for share in answers), protected)
