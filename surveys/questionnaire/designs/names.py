"""The stored names of designs."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class DesignName(models.TextChoices):
    """The designs' names; the matrices are in `surveys.privacy.designs`."""

    FORCED_RESPONSE = "forced_response", _("Two coins (forced response)")
    WARNER = "warner", _("Statement or its opposite (Warner)")
    K_ARY = "k_ary", _("Coin, then spinner (k-ary)")
    UNRELATED_QUESTION = "unrelated_question", _("One of two questions (unrelated question)")
    CROSSWISE = "crosswise", _("Two questions: same answer or different (crosswise)")
    TRIANGULAR = "triangular", _("Two questions: No to both, or at least one Yes (triangular)")
    KUK = "kuk", _("Two decks of cards (Kuk)")
    MANGAT = "mangat", _("Yes sent as it is, No randomized (Mangat)")
    NUMBER_WINDOW = "number_window", _("A window around the number")
    SCRAMBLED_NUMBER = "scrambled_number", _("Number times a random factor (scrambling)")
    UNRELATED_NUMBER = "unrelated_number", _("One of two numbers (unrelated number)")
    PLAIN = "plain", _("Unprotected: sent as it is")
