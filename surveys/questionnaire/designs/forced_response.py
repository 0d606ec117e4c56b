"""Two coins."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from surveys.privacy.designs import Design
from surveys.privacy.designs.two_answer import FORCED_RESPONSE
from surveys.questionnaire.designs.chance import Chance, Stored

FAIR = [1, 2]


class ForcedResponse(Chance):
    """The first coin says "the truth" or "what the second coin says"."""

    name = "forced_response"
    label = _("Two coins (forced response)")
    matrices = FORCED_RESPONSE
    citation = "Boruch 1971"
    references = (
        ("Boruch (1971)", "Assuring confidentiality of responses in social research, The American Sociologist 6."),
    )
    usual_parameters = {"truth": [1, 2], "yes": [1, 2]}  # noqa: RUF012
    typed_in = {"truth": "truth", "yes": "chance"}  # noqa: RUF012
    sentence = _(
        "With probability %(truth)s the phone sends the true answer. Otherwise a second coin answers %(label)s "
        "with probability %(yes)s."
    )
    chance_stands_apart = True
    two_arms = "cheating_detection"

    def stored(self, typed: Mapping[str, Any], answers: int) -> dict[str, Any]:
        """Return the parameters as they are stored; a second coin that is not typed is fair."""
        truth, chance = self._share(typed, "truth"), typed["chance"]
        if len(chance) > 1:
            raise ValidationError({"chance": gettext("Enter only one probability, that of Yes.")})
        return {"truth": truth, "yes": list((chance[0] if chance else Fraction(*FAIR)).as_integer_ratio())}

    def end_weights(self, design: Design) -> tuple[Fraction, Fraction]:
        """Return how often the truth, and how often a forced Yes, is reported: cheaters say neither."""
        return design.slope, design.offset

    def shares(self, stored: Stored) -> dict[str, Sequence[Sequence[int]]]:
        """Return the shares to write into each field: none for a fair second coin."""
        return {"truth": [stored["truth"]], "chance": [] if stored["yes"] == FAIR else [stored["yes"]]}
