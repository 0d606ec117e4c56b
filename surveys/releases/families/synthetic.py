"""People who are made up from a published table of several questions."""

import hashlib
import math
from collections.abc import Callable
from itertools import count

from surveys.estimation.learning.synthetic import draw_synthetic_rows
from surveys.releases.families.finding import SyntheticPeople
from surveys.releases.families.model import released_table, table_key
from surveys.releases.families.plan import Plan

MOST_ROWS = 10_000
"""So many people are made up at most."""
_BLOCK = 8


def synthetic_people(plan: Plan, counts: tuple[int, ...]) -> SyntheticPeople:
    """Return as many people as answered, 10,000 at most, drawn from what a published table says of true answers.

    The table itself seeds the draw, so that everybody who has it gets the same people. Nothing but published
    numbers is drawn from, and no secret is in it: `secrets` would only make files differ.
    """
    source = seeded_randbelow(repr((plan.n, counts)).encode())
    rows = draw_synthetic_rows(released_table(table_key(plan, counts)), min(plan.n, MOST_ROWS), source)
    labels = [column.labels for column in plan.columns]
    return SyntheticPeople(
        tuple(column.text for column in plan.columns),
        tuple(tuple(of[code] for of, code in zip(labels, row, strict=True)) for row in rows.tolist()),
    )


def seeded_randbelow(seed: bytes) -> Callable[[int], int]:
    """Return a source of uniform integers that only the seed decides: SHAKE-256 of it and a counter, by rejection."""
    numbers = count()

    def randbelow(bound: int) -> int:
        bits = (bound - 1).bit_length()
        while True:
            block = hashlib.shake_256(seed + next(numbers).to_bytes(_BLOCK, "big")).digest(math.ceil(bits / 8))
            drawn = int.from_bytes(block, "big") >> (-bits % 8)
            if drawn < bound:
                return drawn

    return randbelow
