"""The picture of the front door: the same people, drawn as a hundred, as their phones speak and as they meant it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

_COLUMNS, _ROWS = 10, 10
_PITCH = 10
# Closer than this two dots would touch.
_APART = 7.6
_SEED = 28
_SHUFFLES = 6


@dataclass(frozen=True, slots=True)
class ExampleResult:
    """Invented students who were asked with two coins; their figures are those of the results pages."""

    people: int = 390
    sent_yes: int = 150
    of_100: int = 27
    low: int = 17
    high: int = 37

    @property
    def reported_of_100(self) -> int:
        return round(100 * self.sent_yes / self.people)

    @property
    def width(self) -> int:
        return self.high - self.low

    @property
    def off(self) -> int:
        return self.width // 2


@dataclass(frozen=True, slots=True)
class DotField:
    """A field of dots as paths of round strokes: filled ones and rings, a path for all that move together."""

    filled: tuple[str, ...]
    rings: tuple[str, ...]
    width: int = _COLUMNS * _PITCH
    height: int = _ROWS * _PITCH


EXAMPLE = ExampleResult()


@cache
def noise_and_signal() -> tuple[DotField, DotField]:
    """Return a hundred twice: scattered, those filled whose phones sent Yes; then in rows, those who meant it below."""
    settled = [
        (_PITCH * column + _PITCH // 2, _PITCH * row + _PITCH // 2)
        for row in reversed(range(_ROWS))
        for column in range(_COLUMNS)
    ]
    return _field(_scattered(), EXAMPLE.reported_of_100), _field(settled, EXAMPLE.of_100)


def _scattered() -> list[tuple[int, int]]:
    """Return places where no two dots touch, in an order that says nothing of where they are."""
    numbers = _scattering()
    places: list[tuple[int, int]] = []
    while len(places) < _COLUMNS * _ROWS:
        x, y = (5 + next(numbers) % (_PITCH * side - 9) for side in (_COLUMNS, _ROWS))
        if all((x - left) ** 2 + (y - top) ** 2 >= _APART**2 for left, top in places):
            places.append((x, y))
    return places


def _scattering() -> Iterator[int]:
    """Yield numbers that scatter and are the same at every visit: a picture of nobody needs no randomness."""
    number = _SEED
    while True:
        number = (1_103_515_245 * number + 12_345) % 2**31
        yield number >> 8


def _field(places: list[tuple[int, int]], filled: int) -> DotField:
    return DotField(_paths(places[:filled]), _paths(places[filled:]))


def _paths(places: list[tuple[int, int]]) -> tuple[str, ...]:
    return tuple("".join(f"M{x} {y}h0" for x, y in places[start::_SHUFFLES]) for start in range(_SHUFFLES))
