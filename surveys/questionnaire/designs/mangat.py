"""Yes is always said, No at random."""

from fractions import Fraction

from django.utils.translation import gettext_lazy as _

from surveys.privacy.designs import Design
from surveys.privacy.designs.two_answer import MANGAT
from surveys.questionnaire.designs.chance import Chance
from surveys.questionnaire.designs.warner import Warner


class Mangat(Chance):
    """Only the answers of people to whom the statement does not apply are randomized."""

    name = "mangat"
    label = _("Yes sent as it is, No randomized (Mangat)")
    matrices = MANGAT
    only_yes_or_no = True
    citation = "Mangat 1994"
    references = (("Mangat (1994)", "An improved randomized response strategy, JRSS B 56."),)
    always_proves = True
    # It changes a No as often, and a Yes as well.
    without_proof = Warner.name
    without_proof_words = _("Use Warner’s design. It also changes Yes at random, so neither report proves anything.")
    acceptance = _("For Mangat’s design: No is proof")
    acceptance_words = _(
        "In Mangat’s design, the report No proves that the true answer is No. So ε is infinite, as the "
        "promise to respondents states."
    )
    typed_in = {"p": "truth"}  # noqa: RUF012
    sentence = _(
        "If the true answer is %(label)s, the phone sends it. If not, the phone sends the true answer with "
        "probability %(p)s, and otherwise %(label)s."
    )
    by_chance = Warner.by_chance
    two_arms = "lie_detector"

    def end_weights(self, design: Design) -> tuple[Fraction, Fraction]:
        """Return how often people to whom the statement does not apply are to say Yes, and to answer truthfully."""
        return design.offset, 1 - design.offset
