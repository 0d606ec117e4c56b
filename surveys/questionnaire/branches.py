"""Questions that only some are asked: those who gave certain answers to an earlier question that is sent as it is.

Whether such a question has a report then follows from a report that reveals its answer anyway. Were the earlier answer
protected, that a later one is missing would tell it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from django.utils.translation import gettext

from surveys.questionnaire.question import Question


@dataclass(frozen=True, slots=True)
class Condition:
    """Whom a question is asked: those whose report to an item is one of these codes."""

    question_number: int  # as people count, from 1
    item: int  # its place in the reports
    codes: tuple[int, ...]
    answers: tuple[str, ...]  # what these codes are called, whatever is merged later
    others: int = 0  # how many answers do not lead to it

    def asked_of(self, n: int) -> int:
        """Return how many of `n` people to plan for: nobody knows how common answers will be, so all count alike."""
        return max(1, round(Fraction(n * len(self.answers), len(self.answers) + self.others)))


class BranchesUsed:
    """Whom the questions of a survey are asked, one question after the other."""

    def __init__(self, *, random_order: bool) -> None:
        self._random_order = random_order
        self._before: list[Question] = []

    def add(self, question: Question) -> str:
        """Take the next question, and return why it cannot be asked of those only, or ""."""
        self._before.append(question)
        return self._fault(question) if question.asked_if else ""

    def _fault(self, question: Question) -> str:
        asked_if = question.asked_if
        if not _is_condition(asked_if):
            return gettext(
                "A question’s condition must be an object with a question number and a list of answers "
                "to that question."
            )
        number, codes = asked_if["question"], asked_if["answers"]
        if not 1 <= number < len(self._before):
            return gettext(
                "Only an earlier question can decide who is asked this question. Choose an earlier question."
            )
        earlier = self._before[number - 1]
        if earlier.chance.protects:
            words = gettext(
                "Question %(number)s is protected. Its true answers would be revealed if it decided who is "
                "asked this question. Choose an unprotected question."
            )
        elif earlier.asked_if:
            words = gettext("Only some people are asked question %(number)s. Choose a question that everyone is asked.")
        elif not _are_some(codes, len(earlier.labels)):
            words = gettext("Choose some answers to question %(number)s, but not all. List each answer once, in order.")
        elif earlier.arms and not (question.arms and set(question.arms) <= set(earlier.arms)):
            words = gettext(
                "Question %(number)s is missing from some arms that include this question. Choose a "
                "question asked in all these arms."
            )
        else:
            return self._fault_of_target(question)
        return words % {"number": number}

    def _fault_of_target(self, question: Question) -> str:
        if not question.chance.protects:
            return gettext(
                "Ask every unprotected question of everyone, because people are easier to recognize in a smaller group."
            )
        if question.quantity:
            return gettext("A question compared between arms must be asked of everyone in these arms.")
        if self._random_order:
            return gettext(
                "If the order is random, ask every question of everyone. The question that decides who is "
                "asked might otherwise come too late."
            )
        return ""


def _is_condition(asked_if: object) -> bool:
    return (
        isinstance(asked_if, Mapping)
        and asked_if.keys() == {"question", "answers"}
        and type(asked_if["question"]) is int
        and isinstance(asked_if["answers"], tuple)
        and all(type(code) is int and code >= 0 for code in asked_if["answers"])
    )


def _are_some(codes: tuple[int, ...], answers: int) -> bool:
    """Whether these are codes of some of so many answers, each once and in order."""
    return codes == tuple(sorted(set(codes))) and 0 < len(codes) < answers and codes[-1] < answers
