"""The sizes of random arms in words."""

from django.utils.translation import gettext as _

from surveys.numbers.words import p_words
from surveys.results.figures.arms import ArmSizes
from surveys.results.figures.overview import NamedPart
from surveys.results.words.shares import parts


def arm_sizes_words(found: ArmSizes) -> str:
    """Say how many responded in each arm, what they were dealt by, and where chance alone hardly does that."""
    told = {
        "sizes": parts([NamedPart(arm.name, size) for arm, size in zip(found.arms, found.sizes, strict=True)]),
        "weights": ":".join(str(arm.weight) for arm in found.arms),
        "p": p_words(found.p_value),
    }
    words = _("Responses by arm: %(sizes)s; arms were drawn %(weights)s.") % told
    if not found.uneven:
        return words
    warning = _(
        "Chance alone would set them as far from that with %(p)s: people may have left one arm more often, and then "
        "those in the arms are not alike."
    )
    return f"{words} {warning % told}"
