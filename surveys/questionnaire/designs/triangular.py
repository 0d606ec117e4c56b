"""Two questions, No to both or not."""

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from surveys.privacy.designs.innocuous import TRIANGULAR
from surveys.questionnaire.designs.crosswise import YU_TIAN_TANG
from surveys.questionnaire.designs.in_the_head import HeadExample, InTheHead


class Triangular(InTheHead):
    """Whether the answers to the sensitive and to an innocuous question are both No."""

    name = "triangular"
    label = _("Two questions: No to both, or at least one Yes (triangular)")
    matrices = TRIANGULAR
    citation = "Yu, Tian & Tang 2008"
    references = (YU_TIAN_TANG,)
    always_proves = True
    reports_on_both = True
    # Both designs ask for the same fact with the same share.
    without_proof = "crosswise"
    without_proof_words = _(
        "Use the crosswise design. It asks about the same fact, and neither of its two reports proves anything."
    )
    acceptance = _("Triangular design (one report is proof)")
    acceptance_words = _(
        "“No to both” proves that the true answer is No. So ε is infinite, as the promise to respondents "
        "states. Only Yes stays deniable. Use this design only where a No harms nobody."
    )
    sentence = _(
        "Respondents say only whether their answers to this question and to the innocuous question are both "
        "No. To the innocuous question, %(p)s of people answer Yes. No device is involved."
    )
    by_chance = _(
        "If nobody’s true answer was “%(label)s”, %(floor)s of 100 people would still report “%(report)s”, "
        "because their answer to the innocuous question is Yes."
    )
    tap = _("Tap “No to both” if both answers are No. Otherwise tap “Yes to at least one”.")
    example = HeadExample(
        given=(_("This person’s answer to the innocuous question is No."),),
        rule=_("If both answers are No, tap “%(first)s”. In all other cases, tap “%(second)s”."),
        because=_("One of the two answers is Yes, so this person taps “%(second)s”."),
        taps=1,
    )

    def report_labels(self, labels: tuple[str, ...]) -> tuple[str, ...]:
        return gettext("No to both"), gettext("Yes to at least one")
