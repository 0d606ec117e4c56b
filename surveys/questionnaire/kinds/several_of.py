"""Several of the options."""

from django.utils.translation import gettext_lazy as _

from surveys.questionnaire.designs import Chance
from surveys.questionnaire.kinds.yes_no import YesNo


class SeveralOf(YesNo):
    """Several of the survey owner's options: Yes or No to each."""

    name = "several_of"
    label = _("Several of the options")
    short_label = _("Tick all that apply")
    takes_options = True
    by_option = True
    editor_part = "editor/kinds/_options.html"
    controls = "answering/_question_several_of.html"

    def suits(self, design: Chance) -> bool:
        """Whether it can be asked with this design: a device randomizes each of many items anew."""
        return not design.tapped and not design.only_yes_or_no
