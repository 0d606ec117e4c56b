"""A statement or its opposite."""

from django.utils.translation import gettext_lazy as _

from surveys.privacy.designs.two_answer import WARNER
from surveys.questionnaire.designs.chance import Chance


class Warner(Chance):
    """With probability p "is it true of you?", else "is it false of you?"."""

    name = "warner"
    label = _("Statement or its opposite (Warner)")
    matrices = WARNER
    citation = "Warner 1965"
    references = (
        ("Warner (1965)", "Randomized response: a survey technique for eliminating evasive answer bias, JASA 60."),
    )
    typed_in = {"p": "truth"}  # noqa: RUF012
    sentence = _("With probability %(p)s the phone answers the question as asked, otherwise its opposite.")
    by_chance = _(
        "If nobody’s true answer was “%(label)s”, %(floor)s of 100 reports would still be "
        "“%(report)s”, purely at random."
    )
