"""How many of some statements hold (the item count technique, or list experiment)."""

from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from surveys.questionnaire.kinds.kind import Answers

LEAST_STATEMENTS = 2


class ItemCount(Answers):
    """The number of the statements that hold, which one arm's respondents count with a sensitive one among them."""

    name = "item_count"
    label = _("How many statements are true")
    short_label = _("Count statements")
    takes_options = True
    counts_options = True
    hides_leaving_out = False
    editor_part = "editor/kinds/_options.html"
    controls = "answering/_question_item_count.html"
    sent_as_it_is = _(
        "Only the number is sent, as it is. 0 proves that no statement is true of you. The highest number "
        "proves that all statements are true. No other number shows which statements are true."
    )

    def check_options(self, options: Any) -> None:  # noqa: ANN401 - whatever stands in the JSON column
        """Refuse statements that could not be shown, or so few that their number reveals which."""
        if isinstance(options, tuple) and len(options) < LEAST_STATEMENTS:
            raise ValidationError(
                {
                    "options": gettext(
                        "Enter at least two innocuous statements, one per line. With fewer, the number reveals "
                        "everything."
                    )
                }
            )
        super().check_options(options)

    @property
    def labels(self) -> tuple[str, ...]:
        """0, 1, … up to the number of statements."""
        return tuple(map(str, range(len(self.options) + 1)))

    def what_it_shows(self, report: int, answers: int) -> str:
        """Say what a number that is sent as it is proves."""
        if report == 0:
            return gettext("This number proves that none of the statements is true of you.")
        if report == answers - 1:
            return gettext("This number proves that all the statements are true of you.")
        return gettext("This number does not show which statements are true of you.")
