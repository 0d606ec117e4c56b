"""Two questions, same or different."""

from fractions import Fraction

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from surveys.privacy.designs.innocuous import CROSSWISE
from surveys.questionnaire.designs.in_the_head import HeadExample, InTheHead

YU_TIAN_TANG = (
    "Yu, Tian & Tang (2008)",
    "Two new models for survey sampling with sensitive characteristic, Metrika 67.",
)


class Crosswise(InTheHead):
    """Whether the sensitive and an innocuous question have the same answer."""

    name = "crosswise"
    label = _("Two questions: same answer or different (crosswise)")
    matrices = CROSSWISE
    citation = "Yu, Tian & Tang 2008"
    references = (YU_TIAN_TANG,)
    sentence = _(
        "Respondents say only whether their answers to this question and to the innocuous question are the "
        "same. To the innocuous question, %(p)s of people answer Yes. No device is involved."
    )
    by_chance = _(
        "If nobody’s true answer was “%(label)s”, %(floor)s of 100 people would still report “%(report)s”, "
        "because their answer to the innocuous question is No too."
    )
    # No true answer alone decides the tap, so chance is shown behind every tap.
    drawn_as = ("lit", "ring")
    reports_on_both = True
    fact_turns = True
    tap = _("Tap to say only whether the two answers are the same or different.")
    example = HeadExample(
        given=(_("This person’s answer to the innocuous question is No."),),
        rule=_("Both Yes or both No: tap “%(second)s”. One Yes and one No: tap “%(first)s”."),
        because=_("Yes and No are not the same, so this person taps “%(first)s”."),
    )
    # Whole months of birth, less than half a year.
    easy_shares = tuple(Fraction(months, 12) for months in range(5, 0, -1))
    easy_words = _(
        "A fact about people replaces the coin here, so the share of Yes answers cannot be set. To get another "
        "share, use another fact. Questions about birth months have roughly the shares below."
    )

    def report_labels(self, labels: tuple[str, ...]) -> tuple[str, ...]:
        return gettext("Different answers"), gettext("The same answer")
