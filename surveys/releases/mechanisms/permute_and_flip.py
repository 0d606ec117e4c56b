"""The most common answer by permute-and-flip."""

from django.utils.translation import gettext_lazy

from surveys.models import Mechanism
from surveys.privacy.mechanisms.most_common import FlippedMostCommon
from surveys.releases.families.choices import MostCommonAnswerPlan


class PermuteAndFlipPlan(MostCommonAnswerPlan):
    """The most common true answer, which errs no more often than the exponential mechanism."""

    name = Mechanism.PERMUTE_AND_FLIP
    kind = FlippedMostCommon
    selection = "permute_and_flip"
    sentence = gettext_lazy(
        "Publishes the name of one answer. At the same ε, this mechanism errs no more often than the "
        "exponential mechanism, because a rejected answer is not tried again. Under tighter composition, "
        "however, its releases add up to a larger total."
    )
    explanation = gettext_lazy(
        "This mechanism scores each answer by how many people seem to have it. It goes through the answers in "
        "random order and accepts or rejects each at random. The higher the score, the more likely the answer "
        "is accepted. The best answer is never rejected. The first accepted answer is drawn. The mechanism "
        "errs no more often than the exponential mechanism at the same ε."
    )
    references = (
        (
            "McKenna & Sheldon (2020)",
            "Permute-and-flip: a new mechanism for differentially private selection, NeurIPS.",
        ),
    )


PLAN = PermuteAndFlipPlan
