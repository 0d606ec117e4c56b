"""A starter whose truth is known: a class checks the method before it is trusted with a secret."""

from django.utils.translation import gettext_lazy as _

from surveys.services.starters.starter import Starter, yes_no

CARD_DECK = Starter(
    key="card-deck",
    topic=_("A card deck whose truth is known"),
    after="Warner (1965)",
    asks=_("What is on a card that everybody draws: a court card (12 of 52), a red card (26 of 52)."),
    why=_(
        "The true shares are known, 3 of 13 and one half, so a class sees whether the estimate finds them. "
        "Court cards are asked for with two coins and red ones by Warner’s design, with chances that protect equally: "
        "then both are equally precise."
    ),
    sources=(
        "Warner, S. L. (1965). Randomized response: A survey technique for eliminating evasive answer bias. Journal of "
        "the American Statistical Association, 60(309), 63–69.",
        "Genest, C., Hanley, J. A. & Bhatnagar, S. R. (2024). Investigating sensitive issues in class through "
        "randomized response polling. Journal of Statistics and Data Science Education. "
        "doi:10.1080/26939169.2024.2302179",
    ),
    survey={
        "title": _("What is on your card?"),
        "introduction": _(
            "Draw one card from a complete deck of 52, look at it alone and put it back. Then answer about it: your "
            "phone adds chance to each answer before it is sent."
        ),
        "consent": _("Taking part is voluntary."),
        "expected_share": 23,
    },
    questions=(
        yes_no(_("Is your card a jack, a queen or a king?"), truth=(7, 10), leave_out="no"),
        {
            "kind": "yes_no",
            "text": _("Is your card red (hearts or diamonds)?"),
            "design": "warner",
            "parameters": {"p": [17, 20]},
            "leave_out": "no",
        },
    ),
)
