"""Innocuous facts that replace the coins: each serves one question of a survey only."""

import re
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from surveys.questionnaire.texts import same_text

_NAMES = ("innocuous", "selector")


class FactsUsed:
    """The facts of the questions looked at so far, by the number of the question that each serves.

    Losses add up only where each report is randomized anew. From one birthday, two such reports can prove whether
    the two true answers agree, which neither proves alone. Questions that ask for the same in different arms may share
    one: nobody answers both.
    """

    def __init__(self) -> None:
        self._serves: dict[str, tuple[int, int]] = {}

    def used_before(self, details: Mapping[str, Any], number: int, quantity: int = 0) -> dict[str, str]:
        """Return why a question cannot have its facts, by the field that names one which an earlier question has."""
        refused: dict[str, str] = {}
        for name in _NAMES:
            for fact in facts_in({name: details.get(name, "")}):
                earlier, earlier_quantity = self._serves.setdefault(fact, (number, quantity))
                if earlier != number and not quantity == earlier_quantity > 0:
                    refused[name] = gettext(
                        "Questions %(earlier)s and %(later)s use the same innocuous question, so their reports "
                        "together could prove something. Give each question its own innocuous question."
                    ) % {"earlier": earlier, "later": number}
        return refused


def same_fact(first: str, second: str) -> bool:
    """Whether two texts say the same fact."""
    return _letters(first) == _letters(second)


def facts_in(details: Mapping[str, Any]) -> set[str]:
    """Return the facts about respondents that replace coins, however their texts are spaced, punctuated or cased."""
    texts = (details.get(name, "") for name in _NAMES)
    return {_letters(text) for text in texts if text}


def _letters(text: str) -> str:
    return " ".join(re.sub(r"[\W_]+", " ", same_text(text)).split())
