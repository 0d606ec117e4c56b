"""What is known of a page of the lab from elsewhere than from the page."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Numbers = Mapping[str, Any]
Claim = Callable[[Callable[..., Numbers]], None]


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


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What is planted in a page so that a claim cannot hold.

    Attributes
    ----------
    asked : mapping
        What every address says instead, from a control's name to its value: a defence that is off, an attack that is.
    wrong : mapping
        A wrong formula by the name of the number that it gives, from what was found and what was asked.
    code : mapping
        What stands in the page's file for a constant or a function, by its name.
    """

    asked: Mapping[str, str] = field(default_factory=dict)
    wrong: Mapping[str, Callable[[Numbers, Mapping[str, str]], Any]] = field(default_factory=dict)
    code: Mapping[str, Any] = field(default_factory=dict)


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
    claims : mapping
        What the page says in words, as assertions that are given a function from an address to its numbers; each with
        a fault under which it must not hold.
    """

    cases: Sequence[Case]
    printed: str
    near: float = 1e-9
    claims: Mapping[Claim, Fault] = field(default_factory=dict)
