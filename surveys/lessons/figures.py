"""What a class's phones found in a step, computed here from their seeds: no number of a phone is taken."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from surveys.learn.page import Numbers, SeededChance
from surveys.learn.pages import lab_pages
from surveys.lessons.selectors import LessonStep

_Values = tuple[tuple[str, object], ...]


@dataclass(frozen=True, slots=True)
class ClassFindings:
    """What so many draws of a page gave, in the order of their seeds.

    Attributes
    ----------
    watched : tuple of float
        The page's number that varies, one per draw; at least one.
    drawn : mapping
        All numbers of the first draw.
    """

    watched: tuple[float, ...]
    drawn: Numbers


def findings_of(step: LessonStep, seeds: Sequence[int]) -> ClassFindings | None:
    """Compute what phones found; nothing where none has sent anything."""
    if step.page is None or not seeds:
        return None
    # One draw each, as on the phone: for many a page may compute less.
    values = tuple((step.values | {"seed": 0, "times": 1}).items())
    draws = [_draw(step.page.slug, values, seed) for seed in seeds]
    return ClassFindings(tuple(float(drawn[step.page.watched]) for drawn in draws), draws[0])


@lru_cache(maxsize=2_048)
def _draw(slug: str, values: _Values, seed: int) -> Numbers:
    # A draw is always the same, and a wall asks for all of them whenever one comes in.
    page = lab_pages()[slug]
    numbers = page.numbers(dict(values), SeededChance(seed))
    return {name: numbers[name] for name in (page.watched, page.aim) if name}
