"""Yes or no."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from surveys.questionnaire.designs import AskedDesign
from surveys.questionnaire.kinds.kind import QuestionKind


class YesNo(QuestionKind):
    """Yes or no: all designs can ask it."""

    name = "yes_no"
    label = _("Yes or no")
    yes_or_no = True
    one_of_list = False

    def suits(self, design: AskedDesign) -> bool:
        """Whether it can be asked with this design."""
        return True

    def labels(self, options: Sequence[str], details: Mapping[str, Any]) -> tuple[str, ...]:
        return gettext("No"), gettext("Yes")
