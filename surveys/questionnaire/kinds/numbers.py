"""What the kinds that ask for a number share."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from surveys.questionnaire.kinds.kind import Detail

UNIT = Detail(
    "unit",
    pgettext_lazy("of a number", "Unit"),
    help_text=_("Such as hours or €. Optional."),
    longest=20,
    may_be_empty=True,
)
EDITOR_PART = "editor/kinds/_number.html"
