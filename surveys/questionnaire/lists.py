"""The lists of statements of a survey: which two are compared, and which statement is the sensitive one."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from surveys.numbers.words import spans
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.texts import same_text


@dataclass(frozen=True, slots=True)
class ListPair:
    """Two lists of different arms; the second has one statement more."""

    control: AskedQuestion
    treatment: AskedQuestion
    direct: AskedQuestion | None = None  # asks everybody who is asked one of them for the sensitive statement alone

    @property
    def items(self) -> int:
        """The number of innocuous statements."""
        return len(self.control.options)

    @property
    def sensitive(self) -> str:
        """The statement that the first list does not have."""
        innocuous = set(map(same_text, self.control.options))
        return next(option for option in self.treatment.options if same_text(option) not in innocuous)


def pairs_of(definition: Definition) -> tuple[ListPair, ...]:
    """Return the lists that are compared; raises ValidationError where one cannot be."""
    lists = [question for question in definition.questions if question.answers.counts_options]
    of_quantity: dict[tuple[int, int], list[AskedQuestion]] = {}
    for question in lists:
        # What asks for nothing that another asks for stands alone.
        of_quantity.setdefault((question.quantity, question.quantity or -question.number), []).append(question)
    return tuple(_pair(each, definition) for each in of_quantity.values())


def pair_with(question: AskedQuestion, definition: Definition) -> ListPair | None:
    """Return the pair of lists that a question of an opened survey is part of; None where it is part of none."""
    if not question.answers.counts_options:
        return None
    return next(
        pair for pair in pairs_of(definition) if question.number in {pair.control.number, pair.treatment.number}
    )


def mirror_of(pair: ListPair, definition: Definition) -> ListPair | None:
    """Return other lists of the same people for the same statement: who has it in one is asked the other without it."""
    statement = same_text(pair.sensitive)
    return next(
        (
            other
            for other in pairs_of(definition)
            if (other.control.arms, other.treatment.arms) == (pair.treatment.arms, pair.control.arms)
            and same_text(other.sensitive) == statement
        ),
        None,
    )


def _pair(lists: Sequence[AskedQuestion], definition: Definition) -> ListPair:
    numbers = {"numbers": spans([question.number for question in lists])}
    if len(lists) < 2:
        raise ValidationError(
            gettext(
                "Question %(numbers)s is a list without a second list to compare it with. Ask another version "
                "of the list in a different arm, and add the sensitive statement there."
            )
            % numbers
        )
    if len(lists) > 2:
        raise ValidationError(
            gettext(
                "Questions %(numbers)s are lists about the same quantity, but only two such lists can be "
                "compared. Keep only two of them."
            )
            % numbers
        )
    control, treatment = sorted(lists, key=lambda question: len(question.options))
    without, statements = ({same_text(option) for option in question.options} for question in (control, treatment))
    if not (without < statements and len(statements) == len(without) + 1):
        raise ValidationError(
            gettext(
                "The lists in questions %(numbers)s must be the same except for the sensitive statement, which "
                "only one list has."
            )
            % numbers
        )
    return ListPair(control, treatment, _asked_directly(control, treatment, definition))


def _asked_directly(control: AskedQuestion, treatment: AskedQuestion, definition: Definition) -> AskedQuestion | None:
    arms = {*control.arms, *treatment.arms}
    return next(
        (
            question
            for question in definition.questions
            if question.quantity == control.quantity
            and question.answers.yes_or_no
            and not question.protects
            and (not question.arms or arms <= set(question.arms))
        ),
        None,
    )
