"""One of several options."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from surveys.privacy.designs import Design, DesignFamily, each_option_at, epsilon_of_one, odds_of_one
from surveys.questionnaire.designs import Chance
from surveys.questionnaire.kinds.kind import Answers, Loss
from surveys.questionnaire.kinds.several_of import SeveralOf


class OneOf(Answers):
    """One of the survey owner's options."""

    name = "one_of"
    label = _("One of several options")
    short_label = _("One of several")
    takes_options = True
    editor_part = "editor/kinds/_options.html"

    def asked_with(self, design: Chance | None) -> Answers:
        """Return what it is with this design: one of two answers is for each option by itself."""
        return self if design is None or super().suits(design) else OneByOption(self.options)

    def suits(self, design: Chance) -> bool:
        """Whether it can be asked with this design: of all options at once, or of each by itself."""
        return super().suits(design) or OneByOption().suits(design)

    @property
    def labels(self) -> tuple[str, ...]:
        return self.options


class OneByOption(SeveralOf):
    """One of the options, and of each of them a report whether it is the one: unary encoding."""

    name = "one_of"
    label = _("One of several options")
    one_true = True
    hides_leaving_out = False
    controls = "answering/_question_one_by_option.html"

    def losses(self, design: Design, items: int = 1) -> tuple[Loss, ...]:
        """Return what all reports together give away, however many there are."""
        return (Loss(odds_of_one(design), epsilon_of_one(design), reports=items),)

    def at_epsilon(self, family: DesignFamily, epsilon: object, answers: int, **others: Any) -> Design:
        """Return the design of each option with which all together cost epsilon, however many there are."""
        return each_option_at(family, epsilon, **others)
