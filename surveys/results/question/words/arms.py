"""What asks for the same in several arms, as a question's page says it."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.models.asked_question import AskedQuestion
from surveys.numbers.words import spans
from surveys.results.adherence.figures import MirroredArms
from surveys.results.adherence.words import mirrored_words
from surveys.results.question.figures import ArmComparison
from surveys.results.question.words.differences import difference_words, together_words
from surveys.results.words.shares import HIGHER_IS_NO_PROOF


def arm_words(compared: ArmComparison, mirrored: MirroredArms | None = None) -> list[str]:
    """Say what the ways of asking differ by, and what they say together."""
    told = [difference_words(pair) for pair in compared.differences]
    if len(told) > 1:
        told.append(_("Each p is of its comparison by itself."))
    if mirrored:
        told.append(mirrored_words(mirrored))
    together = compared.together
    if together and (mirrored is None or len(mirrored.questions) < len(compared.answers)):
        told.append(together_words(together))
    only_here = _(
        "The answers to question %(number)s are told here only: of all who were asked, beside no other answer."
    )
    told += [only_here % {"number": question.number} for question in compared.only_here]
    told.append(
        _(
            "Where ways of asking differ, one was not answered as it should be, or not the same people answered, or "
            "their words ask for different things."
        )
    )
    told.append(str(HIGHER_IS_NO_PROOF))
    return told


def uncompared_words(others: Sequence[AskedQuestion], minimum_n: int) -> str:
    """Say why a question is compared with no other that asks for the same."""
    return ngettext(
        "Question %(numbers)s asks for the same and is not compared: fewer than %(minimum)s people answered it or, "
        "without chance, gave one of its answers.",
        "Questions %(numbers)s ask for the same and are not compared: fewer than %(minimum)s people answered each or, "
        "without chance, gave one of its answers.",
        len(others),
    ) % {"numbers": spans([question.number for question in others]), "minimum": minimum_n}
