"""What asks for the same in several arms, as a question's page says it."""

from django.utils.translation import gettext as _

from surveys.results.adherence.figures import MirroredArms
from surveys.results.adherence.words import mirrored_words
from surveys.results.question.figures import ArmComparison
from surveys.results.question.words.differences import difference_words, together_words
from surveys.results.words.shares import HIGHER_IS_NO_PROOF


def arm_words(compared: ArmComparison, mirrored: MirroredArms | None = None) -> list[str]:
    """Say what the ways of asking differ by, and what they say together."""
    told = [difference_words(pair) for pair in compared.differences]
    if mirrored:
        told.append(mirrored_words(mirrored))
    together = compared.together
    if together and (mirrored is None or len(mirrored.questions) < len(compared.answers)):
        told.append(together_words(together))
    told.append(
        _(
            "Where ways of asking differ, one was not answered as it should be, or not the same people answered, or "
            "their words ask for different things."
        )
    )
    told.append(str(HIGHER_IS_NO_PROOF))
    return told
