"""Whom a question is asked, in the editor: boxes for the answers to earlier questions that are sent as they are."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from surveys.common.forms import number_in
from surveys.editor.forms.question import BOX
from surveys.editor.forms.rows import QuestionRow, staying
from surveys.questionnaire import designs
from surveys.questionnaire.branches import Condition


@dataclass(frozen=True, slots=True)
class AnswerBox:
    """One answer to tick: how it is typed, "2.1" for the first answer to question 2, and what it is called."""

    typed: str
    label: str
    ticked: bool


@dataclass(frozen=True, slots=True)
class DecidingQuestion:
    """An earlier question by whose answers it can be decided who is asked."""

    number: int
    text: str
    boxes: tuple[AnswerBox, ...]


def deciding_questions(row: QuestionRow, rows: Sequence[QuestionRow]) -> tuple[DecidingQuestion, ...]:
    """Return the earlier questions that can decide whom a question is asked, of all that stay.

    What is ticked of others is among them, to be unticked: else it would be lost without a word.
    """
    ticked = set(filter(None, row.typed["asked_if"].split(", ")))
    deciding = []
    for number, earlier in enumerate(rows[: rows.index(row)], start=1):
        question = earlier.question
        design = designs.find(earlier.typed["design"])
        if question and design and not design.protects and not earlier.typed["asked_if"]:
            labels = enumerate(question.labels, start=1)
            boxes = tuple(AnswerBox(f"{number}.{code}", label, f"{number}.{code}" in ticked) for code, label in labels)
            deciding.append(DecidingQuestion(number, earlier.typed["text"], boxes))
    offered = {box.typed for each in deciding for box in each.boxes}
    lost = tuple(
        AnswerBox(typed, _("Question %(number)s, answer %(answer)s") % _parts(typed), ticked=True)
        for typed in sorted(ticked - offered)
    )
    return (*deciding, DecidingQuestion(0, "", lost)) if lost else tuple(deciding)


def condition_of(row: QuestionRow, rows: Sequence[QuestionRow]) -> Condition | None:
    """Return whom a question is asked, as far as that can be read of what is typed; None is everybody."""
    ticked = row.typed["asked_if"].split(", ")
    named = [tuple(map(int, box.split("."))) for box in ticked if re.fullmatch(BOX, box)]
    number = named[0][0] if named else 0
    deciding = rows[number - 1].question if 0 < number <= len(rows) else None
    if deciding is None:
        return None
    labels = deciding.labels
    codes = tuple(sorted({code - 1 for other, code in named if other == number and code <= len(labels)}))
    return (
        Condition(number, 0, codes, tuple(labels[code] for code in codes), len(labels) - len(codes)) if codes else None
    )


def _parts(typed: str) -> dict[str, str]:
    number, _point, answer = typed.partition(".")
    return {"number": number, "answer": answer}


class Branches:
    """Which question decides whom which other one is asked, kept while rows move, come and go."""

    def __init__(self, rows: Sequence[QuestionRow]) -> None:
        stay = staying(list(rows))
        self._deciding: list[tuple[QuestionRow, QuestionRow]] = []
        for row in rows:
            if number := number_in(_parts(row.typed["asked_if"])["number"], most=len(stay)):
                self._deciding.append((row, stay[number - 1]))

    def follow(self, rows: Sequence[QuestionRow]) -> str:
        """Name the deciding questions by their numbers of now; return what is lost where one comes no longer before."""
        stay, freed = staying(list(rows)), []
        for row, deciding in self._deciding:
            if row not in rows:
                continue
            if deciding in stay and rows.index(deciding) < rows.index(row):
                row.retype("asked_if", _renumbered(row.typed["asked_if"].split(", "), stay.index(deciding) + 1))
            else:
                row.retype("asked_if", "")
                freed += [stay.index(row) + 1] if row in stay else []
        words = _(
            "Everyone is now asked question %(number)s, because the question it depended on no longer comes before it."
        )
        return " ".join(words % {"number": number} for number in freed)


def _renumbered(ticked: Iterable[str], number: int) -> str:
    return ", ".join(f"{number}.{_parts(each)['answer']}" for each in ticked)
