"""Which draws of one question there are: showing one of several is a choice, and what it says must survive that.

With k draws of a question, each of whose bounds is wrong with a probability of at most α/k, none of them is wrong with
a probability of 1 − α at least (Bonferroni), whichever is shown, and however it was chosen. Where all of them are shown
nobody has chosen, and each stands for itself. Every charged release of the question is a draw, whatever mechanism made
it and whenever: the later ones as well, because the one that is shown may have been waited for.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from surveys.models import Release, ReleasePart


@dataclass(frozen=True, slots=True)
class Draw:
    """One charged release of a question."""

    release: str
    mechanism: str
    published: bool


@dataclass(frozen=True, slots=True)
class Draws:
    """All draws of one question in the order of the ledger, and which of them this one is.

    Attributes
    ----------
    number : int
        Of this draw, from 1.
    all : tuple of Draw
        Each draw, this one among them.
    """

    number: int
    all: tuple[Draw, ...]

    @property
    def total(self) -> int:
        """How many there are."""
        return len(self.all)

    @property
    def siblings(self) -> tuple[tuple[int, Draw], ...]:
        """All others, each with its number."""
        return tuple((number, draw) for number, draw in enumerate(self.all, 1) if number != self.number)

    @property
    def chosen_from(self) -> int:
        """Among how many draws somebody may have chosen those that are shown: 1 where all of them are."""
        return 1 if all(draw.published for draw in self.all) else self.total


def draws_of(release: Release) -> Mapping[int, Draws]:
    """Return the draws of each question of a charged release, by the question's key."""
    questions = [part.question_id for part in release.parts.all()]
    rows = ReleasePart.objects.filter(question_id__in=questions, release__entry__isnull=False)
    in_order = rows.select_related("release").order_by("release__entry__number")
    found: dict[int, list[Draw]] = defaultdict(list)
    for part in in_order:
        drawn = part.release
        found[part.question_id].append(Draw(drawn.pk, drawn.mechanism, drawn.published))
    return {question: Draws(_place(release, draws), tuple(draws)) for question, draws in found.items()}


def _place(release: Release, draws: Iterable[Draw]) -> int:
    return next(number for number, draw in enumerate(draws, 1) if draw.release == release.pk)
