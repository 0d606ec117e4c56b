"""Yes or no."""

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from surveys.questionnaire.designs import Chance
from surveys.questionnaire.kinds.kind import Answers


class YesNo(Answers):
    """Yes or no: all designs can ask it."""

    name = "yes_no"
    label = _("Yes or no")
    yes_or_no = True
    one_of_list = False

    def suits(self, design: Chance) -> bool:
        """Whether it can be asked with this design."""
        return True

    @property
    def labels(self) -> tuple[str, ...]:
        return gettext("No"), gettext("Yes")
