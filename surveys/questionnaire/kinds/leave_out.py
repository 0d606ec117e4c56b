"""Ways to leave a question out."""

from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _


class LeaveOut(models.TextChoices):
    """How a respondent may leave a question out."""

    NO = "no", _("Not allowed")
    VISIBLY = "visibly", _("Visible: skipping is stored")
    PROTECTED = "protected", _("Protected: “prefer not to say” is another randomized answer")


def prefer_not_to_say() -> str:
    """Return what respondents tap where not answering is one more answer."""
    return gettext("Prefer not to say")
