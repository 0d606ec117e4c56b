"""What a rehearsal claims of itself and of its intervals, word for word and only here."""

from types import SimpleNamespace
from typing import Any

import pytest

from surveys.models import Rehearsal
from surveys.rehearsing.words import banner_words, holding_words


def _holding(holding: int, claimed: int) -> str:
    comparison: Any = SimpleNamespace(holding=holding, claimed=claimed)
    return holding_words(comparison)


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (banner_words(Rehearsal(respondents=1000)), "1,000 simulated respondents. Nobody here is real."),
        (_holding(0, 0), "There is no interval to compare with the true value."),
        (_holding(1, 1), "The only interval contains the true value."),
        (_holding(0, 1), "The only interval misses the true value."),
        (_holding(1, 4), "1 of 4 intervals contains the true value."),
        (_holding(3, 4), "3 of 4 intervals contain the true value."),
        (_holding(4, 4), "All 4 intervals contain the true value."),
    ],
)
def test_a_rehearsal_speaks_of_itself_in_these_words(made: str, sentence: str) -> None:
    assert made == sentence
