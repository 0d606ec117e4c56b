"""The stored names of kinds of questions, and of ways to leave a question out."""

from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _


class Kind(models.TextChoices):
    """What a question asks for."""

    YES_NO = "yes_no", _("Yes or no")
    ONE_OF = "one_of", _("One of several options")
    SEVERAL_OF = "several_of", _("Several of the options")
    SCALE = "scale", _("A scale with labelled ends")
    NUMBER_MEAN = "number_mean", _("A number, to find the mean")
    NUMBER_BANDS = "number_bands", _("A number, in bands")
    ITEM_COUNT = "item_count", _("How many statements are true")


class LeaveOut(models.TextChoices):
    """How a respondent may leave a question out."""

    NO = "no", _("Not allowed")
    VISIBLY = "visibly", _("Visible: skipping is stored")
    PROTECTED = "protected", _("Protected: “prefer not to say” is another randomized answer")


def prefer_not_to_say() -> str:
    """Return what respondents tap where not answering is one more answer."""
    return gettext("Prefer not to say")
