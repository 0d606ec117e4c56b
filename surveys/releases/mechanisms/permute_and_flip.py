"""The most common answer by permute-and-flip."""

from django.utils.translation import gettext_lazy

from surveys.models import Mechanism
from surveys.privacy.mechanisms.most_common import FlippedMostCommon
from surveys.releases.families.choices import MostCommonAnswerOffer


class PermuteAndFlipOffer(MostCommonAnswerOffer):
    """The most common true answer, which errs no more often than the exponential mechanism."""

    name = Mechanism.PERMUTE_AND_FLIP
    kind = FlippedMostCommon
    selection = "permute_and_flip"
    sentence = gettext_lazy(
        "Publishes the same at the same ε and errs no more often: an answer that was passed over is not tried "
        "again. Its tighter totals are larger."
    )
    explanation = gettext_lazy(
        "It scores every answer by how many people seem to have it, and looks at the answers in a random "
        "order. The first whose coin says so is drawn; the higher the score, the likelier the coin says so, "
        "and that of the best always does. It errs no more often than the exponential mechanism at the same "
        "ε."
    )
    references = (
        (
            "McKenna & Sheldon (2020)",
            "Permute-and-flip: a new mechanism for differentially private selection, NeurIPS.",
        ),
    )


OFFER = PermuteAndFlipOffer()
