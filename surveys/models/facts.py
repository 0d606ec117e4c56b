"""Innocuous facts that stand for chance: each serves one question of a survey only."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from surveys.models.kinds import facts_in

_NAMES = ("innocuous", "selector")


class FactsUsed:
    """The facts of the questions looked at so far, by the number of the question that each serves.

    Losses add up only where chance falls anew for each report. From one birthday, two crosswise reports prove whether
    the two true answers agree, which neither proves alone.
    """

    def __init__(self) -> None:
        self._number_of: dict[str, int] = {}

    def used_before(self, details: Mapping[str, Any], number: int) -> dict[str, str]:
        """Return why a question cannot have its facts, by the field that names one which an earlier question has."""
        refused: dict[str, str] = {}
        for name in _NAMES:
            for fact in facts_in({name: details.get(name, "")}):
                if (earlier := self._number_of.setdefault(fact, number)) != number:
                    refused[name] = gettext(
                        "Questions %(earlier)s and %(later)s lean on the same innocuous question: together their "
                        "reports would prove something. Give each its own."
                    ) % {"earlier": earlier, "later": number}
        return refused
