"""A window around a number."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext_lazy as _

from surveys.privacy.designs.grid import LARGEST_REPORTS, NUMBER_WINDOW, USUAL_GRID, USUAL_WINDOW
from surveys.questionnaire.designs.chance import Chance, GridWords, Stored


class NumberWindow(Chance):
    """The coin says "a number around the true one" or "any number": what is sent stands for a value, for the mean."""

    name = "number_window"
    label = _("A window around the number")
    matrices = NUMBER_WINDOW
    citation = "Wang et al. 2019"
    references = (
        (
            "Wang, N., Xiao, Yang, Zhao, Hui, Shin, Shin & Yu (2019)",
            "Collecting and analyzing multidimensional data with local differential privacy, ICDE.",
        ),
    )
    usual_parameters = {"truth": [1, 2], "grid": USUAL_GRID, "window": USUAL_WINDOW}  # noqa: RUF012
    typed_in = {"truth": "truth", "grid": "grid", "window": "window"}  # noqa: RUF012
    for_numbers = True
    sentence = _(
        "With probability %(truth)s the phone sends one of the %(window)s numbers around the true number. "
        "Otherwise it sends any of the %(reports)s possible numbers, all equally likely."
    )
    grid_words = GridWords(
        of_matrix=_(
            "Each possible number is sent with probability %(near)s if the true number is near it, "
            "otherwise with probability %(far)s."
        ),
        here=_("If your number is near %(label)s"),
        there=_("If not"),
        alone=_("phones send %(report)s if their owner’s number is not near it."),
        line=_(
            "Each possible number is sent by %(here)s of 100 phones whose owner’s number is near it, and by "
            "%(there)s of 100 others."
        ),
        of_report=_(
            "%(here)s of 100 phones send “%(label)s” if their owner’s number is near it, and %(there)s if not. "
            "The same holds for every number that can be sent."
        ),
        stored=_(
            "First your number is rounded at random to one of the two values nearest to it, out of %(points)s. "
            "This server then stores “%(label)s” in %(here)s of 100 cases if the rounded number is near it, "
            "and otherwise in %(there)s. The same holds for every number that can be stored, from %(first)s to "
            "%(last)s. Every stored number is random."
        ),
        shares=_("%(here)s of 100 phones send “%(label)s” if the number is near it. If not, %(there)s do."),
        dial_here=_("%(here)s send “%(label)s” if the number is near it"),
        dial_there=_("If not, %(there)s do"),
    )

    def stored(self, typed: Mapping[str, Any], answers: int) -> dict[str, Any]:
        """Return the parameters as they are stored; what is not typed is the usual grid and window."""
        size = self._whole_number(typed, "grid", USUAL_GRID, 2, LARGEST_REPORTS)
        window = self._whole_number(typed, "window", USUAL_WINDOW, 1, LARGEST_REPORTS + 1 - size)
        return {"truth": self._share(typed, "truth"), "grid": size, "window": window}

    def shares(self, stored: Stored) -> dict[str, Sequence[Sequence[int]]]:
        """Return the numbers to write into each field."""
        return {"truth": [stored["truth"]], "grid": [[stored["grid"], 1]], "window": [[stored["window"], 1]]}
