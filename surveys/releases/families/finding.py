"""What a part of a release says: everything after the draw is arithmetic and costs nothing."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from django.utils.translation import gettext as _

from surveys.charts import Axis, IntervalChart, IntervalRow, Table
from surveys.numbers.words import (
    at_most,
    estimate_of_100,
    estimate_sentence,
    interval_cell,
    level_words,
    people_of_100,
    says_too_little,
    whole_number,
)
from surveys.releases.families.figure import KeyFigure

CONFIDENCE_LEVEL = 0.95
LEVELS = (0.9, 0.95, 0.99)

DECIMALS = 6
_UNITS = 1_000_000
"""Of estimates in JSON; limits are rounded outwards to as many."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """What could have been chosen: with a mark where it was, or lies between what was."""

    label: str
    mark: str = ""


@dataclass(frozen=True, slots=True)
class SyntheticPeople:
    """Respondents who do not exist, one row each: an answer to every question of the table."""

    questions: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Finding(ABC):
    """What is shown of one part, on pages and in JSON."""

    __slots__ = ()

    @property
    @abstractmethod
    def family(self) -> str:
        """How it is called in JSON."""

    @property
    @abstractmethod
    def is_uninformative(self) -> bool:
        """Return whether there is so much noise, or so few answers, that nothing follows with confidence."""

    @abstractmethod
    def numbers(self) -> dict[str, Any]:
        """Return its numbers as JSON holds them: estimates are rounded, limits only outwards."""

    @abstractmethod
    def tables(self) -> list[Table]:
        """Return all that was released and what follows from it; the first table is that of the chart."""

    @property
    def template(self) -> Any:  # noqa: ANN401 - a name, or whatever else can be included
        """The template of the sentence that says it."""
        return f"releases/found/_{self.family}.html"

    # Whether a second row of its chart says no more than the first: the share of all others.
    second_follows: ClassVar[bool] = True

    @property
    def title(self) -> str:
        """What it says as a sentence to quote; "" where its question has to stand for it."""
        return ""

    @property
    def headline_words(self) -> str:
        return _("Too uncertain to say anything") if self.is_uninformative else self.title

    def key_figure(self) -> KeyFigure | None:
        """Return the number that the title is about, if it is about one."""
        return None

    @property
    def note(self) -> str:
        """How to read its numbers."""
        return ""

    def chart(self, name: str) -> IntervalChart | None:
        """Return its chart, if it is a number or several; choices are lists, and have none."""
        return None

    def candidates(self) -> list[Candidate]:
        """Return all that could have been chosen, in the order of the question; empty where nothing is chosen."""
        return []

    def document(self) -> dict[str, Any]:
        """Return it as JSON holds it: whether anything follows from it, with which confidence, and its numbers."""
        about = {"family": self.family, "says_nothing": self.is_uninformative, "confidence_level": CONFIDENCE_LEVEL}
        return about | self.numbers()

    def interval_chart(
        self, name: str, *, title: str, axis: Axis, rows: Sequence[IntervalRow], interval_label: str = ""
    ) -> IntervalChart:
        return IntervalChart(
            name=name,
            title=title,
            text=" ".join(f"{row.says}." for row in rows),
            axis=axis,
            rows=list(rows),
            interval_label=interval_label
            or _("estimate and %(level)s interval") % {"level": level_words(CONFIDENCE_LEVEL)},
            raw_label=_("share of reports as released, with noise"),
            table=self.tables()[0],
        )


def share_row(name: str, share: float, low: float, high: float, *, raw: float | None = None) -> IntervalRow:
    """Return the row of an estimated share; where its interval says too little, without the estimate."""
    vague, value = says_too_little(low, high), estimate_of_100(share, low, high)
    return IntervalRow(
        label=name,
        says=estimate_sentence(name, value, low, high),
        value=interval_cell(low, high) if vague else value,
        point=None if vague else share,
        low=low,
        high=high,
        raw=raw,
    )


def all_at_once_note() -> str:
    """Say how to read a chart whose intervals hold simultaneously."""
    return _(
        "The dot is the estimate, and the band is its interval. All intervals hold simultaneously with "
        "95%% confidence. They allow for both the respondents’ coins and the noise of this release."
    )


def facts_table(rows: Sequence[tuple[str, str]]) -> Table:
    """Return what was released, and what follows from it, a fact a row."""
    return Table(_("Released and derived values"), (_("Quantity"), _("Value")), tuple(rows))


def noisy_counts_table(counts: Sequence[tuple[str, int]]) -> Table:
    return Table(
        _("Counts of reports, as released"),
        (_("Report"), _("Noisy count")),
        tuple((label, whole_number(noisy)) for label, noisy in counts),
    )


@dataclass(frozen=True, slots=True)
class StabilityRefusal(Finding):
    """The test of propose-test-release was not passed: the answer stays unknown, and was charged all the same."""

    family = "refused"
    # A refusal says that little.
    is_uninformative = True

    @property
    def headline_words(self) -> str:
        return _("Test not passed, so nothing was drawn")

    def numbers(self) -> dict[str, Any]:
        """Return that it was charged: there are none."""
        return {"charged": True}

    def tables(self) -> list[Table]:
        return [facts_table([(_("Answer"), _("test not passed, so nothing was drawn"))])]


def refusal_words() -> str:
    """Say that a refusal is too likely to promise anything."""
    return _(
        "Even if all reports were the same, the test would fail too often to promise a result with probability "
        "%(level)s. A failed test costs the same."
    )


_PLAIN = [
    *sorted({Fraction(part, whole) for whole in range(2, 6) for part in range(1, whole)}),
    *(Fraction(1, whole) for whole in (6, 8, 10)),
]
_NEAR = Fraction(1, 50)


def about_people(share: float) -> str:
    """Write a share as people say it: “1 in 4” where it is within two hundredths of that, else “43 of 100”."""
    exact = Fraction(share)
    plain = min(_PLAIN, key=lambda fraction: abs(fraction - exact))
    if abs(plain - exact) > min(_NEAR, plain / 10):
        words = _("%(people)s of 100") % {"people": people_of_100(share)}
    else:
        words = _("%(some)s in %(all)s") % {"some": plain.numerator, "all": plain.denominator}
    return words.replace(" ", "\N{NO-BREAK SPACE}")


def people_words(people: float, n: int) -> str:
    """Write a bound in people, of all of them and in percentage points, upwards."""
    words = {"people": at_most(people, 0), "n": whole_number(n), "points": at_most(100 * people / n)}
    return _("%(people)s of %(n)s people (%(points)s percentage points)") % words


def candidates_with_drawn(labels: Sequence[str], drawn: str) -> list[Candidate]:
    """Return what could have been chosen, with a mark at what was."""
    return [Candidate(label, _("drawn") if label == drawn else "") for label in labels]


def finite(value: float) -> float | None:
    """Return None for infinity, which JSON has not."""
    return value if math.isfinite(value) else None


def down(share: float) -> float:
    return math.floor(share * _UNITS) / _UNITS


def up(share: float) -> float:
    return math.ceil(share * _UNITS) / _UNITS
