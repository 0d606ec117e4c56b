"""The stored names of kinds of questions, of designs, and of ways to leave a question out."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Kind(models.TextChoices):
    """What a question asks for."""

    YES_NO = "yes_no", _("Yes or no")
    ONE_OF = "one_of", _("One of several options")
    SEVERAL_OF = "several_of", _("Several of the options")
    SCALE = "scale", _("A scale with labelled ends")
    NUMBER_MEAN = "number_mean", _("A number, for its mean")
    NUMBER_BANDS = "number_bands", _("A number, in bands")


class DesignName(models.TextChoices):
    """How chance is added; the matrices are in `surveys.privacy.designs`."""

    FORCED_RESPONSE = "forced_response", _("Two coins (forced response)")
    WARNER = "warner", _("Statement or its opposite (Warner)")
    K_ARY = "k_ary", _("Coin, then spinner (k-ary)")
    UNRELATED_QUESTION = "unrelated_question", _("An unrelated question instead")
    CROSSWISE = "crosswise", _("Two questions, same or different (crosswise)")
    TRIANGULAR = "triangular", _("Two questions, No to both or not (triangular)")


class LeaveOut(models.TextChoices):
    """How a respondent may leave a question out."""

    NO = "no", _("Not at all")
    VISIBLY = "visibly", _("Visibly: it is stored that the answer is missing")
    PROTECTED = "protected", _("Protected: “prefer not to say” is one more answer that chance hides")


# They have two answers, whatever is asked; the others have as many as the question.
FOR_TWO_ANSWERS = frozenset(DesignName) - {DesignName.K_ARY}
# An innocuous fact that only the respondent knows stands for chance: no device takes part.
IN_THE_HEAD = frozenset({DesignName.UNRELATED_QUESTION, DesignName.CROSSWISE, DesignName.TRIANGULAR})
