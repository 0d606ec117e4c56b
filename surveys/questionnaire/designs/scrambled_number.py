"""A number times a random factor."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from surveys.privacy.designs import Design
from surveys.privacy.designs.grid import LARGEST_REPORTS
from surveys.privacy.designs.scrambling import SCRAMBLED_NUMBER, USUAL_FACTORS, USUAL_VALUES, products_of
from surveys.questionnaire.designs.chance import Chance, GridWords, Stored


class ScrambledNumber(Chance):
    """The phone multiplies the number by a factor that nobody learns; the coin says how often that is sent."""

    name = "scrambled_number"
    label = _("Number times a random factor (scrambling)")
    matrices = SCRAMBLED_NUMBER
    citation = "Eichhorn & Hayre 1983"
    references = (
        (
            "Eichhorn & Hayre (1983)",
            "Scrambled randomized response methods for obtaining sensitive quantitative data, "
            "Journal of Statistical Planning and Inference 7.",
        ),
    )
    usual_parameters = {"truth": [1, 2], "grid": USUAL_VALUES, "factors": USUAL_FACTORS}  # noqa: RUF012
    typed_in = {"truth": "truth", "grid": "multiplied", "factors": "factors"}  # noqa: RUF012
    for_numbers = True
    proof_words = _(
        "Every report rules out some numbers. Often a report almost reveals the exact number, as a report of 0 "
        "does. The promise to respondents states this, and some respondents may not answer."
    )
    without_proof_words = _("Choose a probability below 1, so that any number can also be sent purely at random.")
    acceptance = _("Scrambling with probability 1 (a report of 0 is proof)")
    acceptance_words = _(
        "If you scramble with probability 1, a report of 0 proves that the number rounds to 0, because only 0 "
        "gives the product 0. Other reports prove that the number rounds to another number, or rule some "
        "numbers out. So ε is infinite, as the promise to respondents states."
    )
    sentence = _(
        "With probability %(truth)s the phone multiplies the rounded number by a whole number from 1 to "
        "%(factors)s, all equally likely. It sends the number that this product stands for. Otherwise the "
        "phone sends any of the %(reports)s possible numbers, all equally likely."
    )
    _only_sentence = _(
        "The phone multiplies the rounded number by a whole number from 1 to %(factors)s, all equally likely. "
        "It sends the number that the product stands for."
    )
    grid_words = GridWords(
        of_matrix=_(
            "Purely at random, each possible number is sent with probability %(far)s. If the true number is 0, "
            "the product is 0 too. The number that stands for this product is sent with probability %(near)s."
        ),
        here=_("If your number rounds to %(number)s"),
        there=_("If not"),
        alone=_("phones send %(report)s purely at random, whatever their owner’s number is."),
        line=_("If your number rounds to %(number)s, %(here)s of 100 phones send “%(label)s”. If not, %(there)s do."),
        of_report=_(
            "If your number rounds to %(number)s, %(here)s of 100 phones send “%(label)s”. If not, %(there)s "
            "do. No number that can be sent reveals more."
        ),
        stored=_(
            "First your number is rounded at random to one of the two values nearest to it, out of %(points)s. "
            "If the rounded number is %(number)s, this server stores “%(label)s” in %(here)s of 100 cases, and "
            "otherwise in %(there)s. No number that can be stored, from %(first)s to %(last)s, reveals more. "
            "Every stored number is random."
        ),
        shares=_("If the number rounds to %(number)s, %(here)s of 100 phones send “%(label)s”. If not, %(there)s do."),
        dial_here=_("If the number rounds to %(number)s, %(here)s send “%(label)s”"),
        dial_there=_("If not, %(there)s do"),
    )

    def keeps_every_answer(self, truth: Fraction | None) -> bool:
        """Return False: the number is multiplied by a random factor in any case."""
        return False

    def refused_limits(self, stored: Stored, low: Fraction, steps: int) -> dict[str, str]:
        """Refuse numbers that do not begin with 0: a factor keeps the ratios of numbers."""
        if low == 0:
            return {}
        return {"low": gettext("Scrambling multiplies numbers, so enter 0 as the smallest number.")}

    def procedure(self, design: Design, labels: Sequence[str]) -> str:
        """Describe how an answer is randomized, with the exact probabilities."""
        given = dict(design.exact_parameters)
        words = self._only_sentence if given["truth"] == 1 else self.sentence
        return str(words) % {**given, "reports": design.m}

    def stored(self, typed: Mapping[str, Any], answers: int) -> dict[str, Any]:
        """Return the parameters as they are stored; what is not typed is the usual grid and factor."""
        size = self._whole_number(typed, "multiplied", USUAL_VALUES, 2, LARGEST_REPORTS)
        factors = self._whole_number(typed, "factors", USUAL_FACTORS, 2, LARGEST_REPORTS)
        if (reports := len(products_of(size, factors))) > LARGEST_REPORTS:
            words = gettext(
                "These settings give %(reports)s different products, but at most %(most)s are allowed. "
                "Enter smaller numbers."
            )
            raise ValidationError({"factors": words % {"reports": reports, "most": LARGEST_REPORTS}})
        return {"truth": self._share(typed, "truth"), "grid": size, "factors": factors}

    def shares(self, stored: Stored) -> dict[str, Sequence[Sequence[int]]]:
        """Return the numbers to write into each field."""
        return {"truth": [stored["truth"]], "multiplied": [[stored["grid"], 1]], "factors": [[stored["factors"], 1]]}
