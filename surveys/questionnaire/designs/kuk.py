"""Two decks of cards."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from surveys.privacy.designs.kuk import KUK
from surveys.questionnaire.designs.chance import Chance


class Kuk(Chance):
    """The truth decides from which deck a card is drawn, and the card is what is reported."""

    name = "kuk"
    label = _("Two decks of cards (Kuk)")
    matrices = KUK
    only_yes_or_no = True
    citation = "Kuk 1990"
    references = (("Kuk (1990)", "Asking sensitive questions indirectly, Biometrika 77."),)
    # One card: with more of them there would be more reports than answers.
    typed_in = {"p1": "truth", "p2": "other_deck"}  # noqa: RUF012
    sentence = _(
        "The phone draws a card and sends the answer on it. If the true answer is %(label)s, %(p1)s of the "
        "cards in the deck say %(label)s. If not, the phone draws from another deck, where this share is "
        "%(p2)s."
    )
    by_chance = _(
        "If nobody’s true answer was “%(label)s”, every phone would draw from the other deck, where %(floor)s "
        "of 100 cards say “%(report)s”."
    )

    def stored(self, typed: Mapping[str, Any], answers: int) -> dict[str, Any]:
        """Return the shares of both decks, which differ."""
        parameters = super().stored(typed, answers)
        if parameters["p1"] == parameters["p2"]:
            raise ValidationError(
                {
                    "other_deck": gettext(
                        "With two identical decks the cards reveal nothing. Choose a different share for one "
                        "of the decks."
                    )
                }
            )
        return parameters
