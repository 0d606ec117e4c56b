"""An unrelated number instead."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, cast

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from surveys.privacy.designs import Design, unrelated_question
from surveys.privacy.designs.grid import LARGEST_REPORTS
from surveys.privacy.designs.unrelated_number import UNRELATED_NUMBER
from surveys.questionnaire.designs.chance import GridWords, Stored
from surveys.questionnaire.designs.unrelated_question import OneOfTwo


class UnrelatedNumber(OneOfTwo):
    """One fact decides who reports the sensitive number and who an innocuous one, whose distribution is known."""

    name = "unrelated_number"
    label = _("One of two numbers (unrelated number)")
    matrices = UNRELATED_NUMBER
    citation = "Greenberg et al. 1971"
    references = (
        (
            "Greenberg, Kuebler, Abernathy & Horvitz (1971)",
            "Application of the randomized response technique in obtaining quantitative data, JASA 66.",
        ),
    )
    for_numbers = True
    usual_parameters = {"p": [1, 2], "grid": 10}  # noqa: RUF012
    typed_in = {"p": "selector_share", "weights": "innocuous_shares"}  # noqa: RUF012
    sentence = _(
        "People to whom the fact applies, %(p)s of all, report this number. The others report the innocuous "
        "number. %(numbers)s No device is involved."
    )
    _even = _("These numbers are spread evenly from %(low)s to %(high)s.")
    _uneven = _("These numbers, from %(low)s to %(high)s, have the shares %(shares)s.")
    grid_words = GridWords(
        here=_("If your number is %(number)s"),
        there=_("If your number is different"),
        alone=_("Of 100 people whose number is %(report)s, %(here)s tap this number. Of 100 others, %(there)s do."),
        of_report=_(
            "Of 100 people whose number is %(number)s, %(here)s tap “%(label)s”. Of 100 others, %(there)s do. "
            "No other number reveals more."
        ),
        shares=_("Of 100 people whose number is %(number)s, %(here)s tap “%(label)s”. Of 100 others, %(there)s do."),
        dial_here=_("If the number is %(number)s, %(here)s tap “%(label)s”"),
        dial_there=_("If not, %(there)s do"),
    )
    steps_part = "answering/in_the_head/_one_of_two_numbers.html"

    def usual_grid(self, steps: int) -> int:
        """Return as many values as there are numbers: nobody rounds in the head."""
        return steps + 1

    def refused_limits(self, stored: Stored, low: Fraction, steps: int) -> dict[str, str]:
        """Refuse more numbers than can be tapped, and others than the innocuous one has."""
        limits = {"numbers": steps + 1, "most": LARGEST_REPORTS, "values": stored.get("grid")}
        if steps >= LARGEST_REPORTS:
            return {
                "step": gettext(
                    "With this design, respondents choose from all %(numbers)s numbers, but at most "
                    "%(most)s are allowed. Make the steps larger."
                )
                % limits
            }
        if "grid" in stored and limits["values"] != steps + 1:
            return {
                "step": gettext(
                    "The innocuous number has %(values)s values, but this number has %(numbers)s. Both "
                    "must have the same number of values."
                )
                % limits
            }
        return {}

    def practised(self, design: Design) -> Design:
        """Return the same choice between two questions that are answered with Yes or No."""
        return unrelated_question(dict(design.exact_parameters)["p"], Fraction(1, 2))

    def innocuous_numbers(self, design: Design, labels: Sequence[str]) -> str:
        """Say how often which number answers the innocuous question."""
        shares = cast("tuple[Fraction, ...]", dict(design.exact_parameters).get("weights", ()))
        words = self._uneven if shares else self._even
        return str(words) % {"low": labels[0], "high": labels[-1], "shares": ", ".join(map(str, shares))}

    def procedure(self, design: Design, labels: Sequence[str]) -> str:
        """Describe how an answer is randomized, with the exact probabilities."""
        given = {"p": dict(design.exact_parameters)["p"], "numbers": self.innocuous_numbers(design, labels)}
        return str(self.sentence) % given

    def stored(self, typed: Mapping[str, Any], answers: int) -> dict[str, Any]:
        """Return the parameters as they are stored; a distribution that is not typed is even."""
        size = int((typed["high"] - typed["low"]) / typed["step"]) + 1
        asked = {"p": self._share(typed, "selector_share"), "grid": size}
        weights = self._weights(typed, "innocuous_shares", size)
        return asked | ({"weights": weights} if weights else {})

    def shares(self, stored: Stored) -> dict[str, Sequence[Sequence[int]]]:
        """Return the shares to write into each field: none for an even distribution."""
        return {"selector_share": [stored["p"]], "innocuous_shares": stored.get("weights", [])}
