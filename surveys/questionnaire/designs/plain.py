"""Unprotected questions."""

from django.utils.translation import gettext_lazy as _

from surveys.privacy.designs.plain import PLAIN
from surveys.questionnaire.designs.chance import Chance


class Plain(Chance):
    """What is tapped is sent, stored and counted as it is."""

    name = "plain"
    label = _("Unprotected: sent as it is")
    matrices = PLAIN
    protects = False
    tapped = True
    most_answers = 8
    typed_in = {}  # noqa: RUF012
    sentence = _("Sent as it is. This answer is not protected.")
    by_chance = _("No report is randomized. Each report is the answer itself.")
