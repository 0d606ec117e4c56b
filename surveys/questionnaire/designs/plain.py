"""Unprotected questions."""

from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from surveys.privacy.designs import Design
from surveys.privacy.designs.plain import PLAIN
from surveys.questionnaire.designs.chance import Chance

MOST_ANSWERS = 8


class Plain(Chance):
    """What is tapped is sent, stored and counted as it is."""

    name = "plain"
    label = _("Unprotected: sent as it is")
    matrices = PLAIN
    protects = False
    tapped = True
    typed_in = {}  # noqa: RUF012
    sentence = _("Sent as it is. This answer is not protected.")
    by_chance = _("No report is randomized. Each report is the answer itself.")

    def check(self, design: Design, answers: int) -> None:
        """Refuse so many answers that people could be recognized by theirs."""
        if answers > MOST_ANSWERS:
            raise ValidationError(
                {
                    "design": gettext(
                        "An unprotected question can have at most %(most)s answers. Use fewer answers or "
                        "choose another design."
                    )
                    % {"most": MOST_ANSWERS}
                }
            )
