"""The most common answer by the exponential mechanism."""

from django.utils.translation import gettext_lazy

from surveys.models import Mechanism
from surveys.privacy.mechanisms.most_common import MostCommon
from surveys.releases.families.choices import MostCommonAnswerPlan
from surveys.releases.families.plan import EXPONENTIAL_MECHANISM


class MostCommonPlan(MostCommonAnswerPlan):
    """The most common true answer, common ones being far more likely to be drawn."""

    name = Mechanism.MOST_COMMON
    kind = MostCommon
    in_words = gettext_lazy("Only the most common answer")
    sentence = gettext_lazy(
        "Publishes the name of one answer, chosen at random so that common answers are more likely. No count "
        "is published."
    )
    explanation = gettext_lazy(
        "This mechanism scores each answer by how many people seem to have it, then draws an answer at random. "
        "The higher the score, the more likely the answer."
    )
    references = (EXPONENTIAL_MECHANISM,)


PLAN = MostCommonPlan
