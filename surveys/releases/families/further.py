"""What else follows from a published joint table, at no further cost: correlations and synthetic people."""

import hashlib
import math
from collections.abc import Callable
from itertools import count

from django.utils.translation import gettext as _

from surveys.charts import Table
from surveys.estimation.learning import correlate_released, draw_synthetic_rows
from surveys.models.asked_question import AskedQuestion
from surveys.numbers.words import decimal
from surveys.releases.families.counts import level_of_each
from surveys.releases.families.finding import SyntheticPeople
from surveys.releases.families.mechanism import PartTerms
from surveys.releases.families.model import released_table, table_key, values_of
from surveys.releases.families.questions import columns_of, questions_in

MOST_ROWS = 10_000
_BLOCK = 8


def synthetic_people(terms: PartTerms, counts: tuple[int, ...]) -> SyntheticPeople:
    """Return as many as answered, 10,000 at most, drawn from what the published table says of true answers.

    The table itself seeds the draw, so that everybody who has it gets the same people. Nothing but published numbers
    is drawn from, and no secret is in it: `secrets` would only make files differ.
    """
    columns = columns_of(terms.asked)
    seed = repr((terms.n, counts)).encode()
    rows = draw_synthetic_rows(
        released_table(table_key(terms, counts)), min(terms.n, MOST_ROWS), seeded_randbelow(seed)
    )
    return SyntheticPeople(
        tuple(column.text for column in columns),
        tuple(tuple(column.labels[code] for column, code in zip(columns, row, strict=True)) for row in rows.tolist()),
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


def further_tables(terms: PartTerms, counts: tuple[int, ...]) -> list[Table]:
    """Return the correlations of true answers that are numbers, or two."""
    scales = {place: scale for place, asked in enumerate(questions_in(terms.asked)) if (scale := _scale(asked))}
    if len(scales) < 2:
        return []
    table, items, values = released_table(table_key(terms, counts)), list(scales), list(scales.values())
    names = [questions_in(terms.asked)[item].text for item in items]
    fit = correlate_released(table, items, values)
    limits = fit.interval(level_of_each(math.comb(len(names), 2), terms.level()))
    correlations = tuple(
        (
            _("%(one)s · %(other)s") % {"one": names[a], "other": names[b]},
            _number(fit.point[a, b]),
            _number(limits.low[a, b]),
            _number(limits.high[a, b]),
        )
        for a in range(len(names))
        for b in range(a + 1, len(names))
    )
    return [
        Table(
            _("Correlations of true answers (all intervals hold simultaneously)"),
            (_("Questions"), _("Estimate"), _("Low"), _("High")),
            correlations,
        ),
    ]


def _scale(asked: AskedQuestion) -> tuple[float, ...]:
    """Return what answers count for, from 0 to 1; nothing where they are neither numbers nor two."""
    if asked.protects_leaving_out:
        return ()
    values = values_of(asked) or ((0.0, 1.0) if asked.design.k == 2 else ())
    return tuple((value - min(values)) / (max(values) - min(values)) for value in values)


def _number(value: float) -> str:
    return "–" if math.isnan(value) else decimal(value, 2)
