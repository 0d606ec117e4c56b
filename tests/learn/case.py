"""What is known of a page of the lab from elsewhere than from the page."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Numbers = Mapping[str, Any]


@dataclass(frozen=True)
class Case:
    """What an address asks for, and what its numbers have to be.

    Attributes
    ----------
    asked : mapping
        What the address says, from a control's name to its value.
    expected : mapping
        Numbers that the core, a closed form or a published table gives, by their names; floats to nine digits.
    """

    asked: Mapping[str, str]
    expected: Mapping[str, Any]


@dataclass(frozen=True)
class Page:
    """What a page is tested by.

    Attributes
    ----------
    cases : sequence of Case
        At least one.
    printed : str
        The number of the page that its code in Python and R prints, as the page begins.
    near : float
        How far from it the code may be: what chance allows, at most once in a million runs, or nothing.
    claims : sequence of callable
        What the page says in words, as assertions: each is given a function from an address to its numbers.
    """

    cases: Sequence[Case]
    printed: str
    near: float = 1e-9
    claims: Sequence[Callable[[Callable[..., Numbers]], None]] = field(default_factory=tuple)
