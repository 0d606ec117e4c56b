"""The limits of a form's numbers: from a range's parameters, or from a constraint that is one plain interval."""

import re
from fractions import Fraction

from surveys.models.kinds import MAX_STEPS, pair_of
from surveys.privacy.rationals import exact

_BOUND = re.compile(r"(?P<sign>[<>]=?)\s*(?P<number>[+-]?\d{1,12}(\.\d{1,6})?)")
_SWAPPED = re.compile(r"(?P<number>[+-]?\d{1,12}(\.\d{1,6})?)\s*(?P<sign>[<>]=?)")
_PARAMETER = re.compile(r"(?P<name>start|end|step)\s*=\s*(?P<number>[+-]?\d{1,12}(\.\d{1,6})?)")
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_FINEST = (Fraction(1), Fraction(1, 10), Fraction(1, 100))

Limits = dict[str, list[int]]


def limits_of_constraint(constraint: str, *, whole: bool) -> Limits | None:
    """Return the limits and the step that a constraint such as `. >= 0 and . <= 24` sets; None when it sets no others.

    `whole` numbers may also stand strictly below or above a limit.
    """
    low: Fraction | None = None
    high: Fraction | None = None
    for part in _tidy(constraint).split(" and "):
        bound = _bound(part.strip().removeprefix("(").removesuffix(")").strip())
        if bound is None:
            return None
        sign, number = bound
        if len(sign) == 1:
            if not whole or number.denominator != 1:
                return None
            number += 1 if sign == ">" else -1
        if sign.startswith(">"):
            low = number if low is None else max(low, number)
        else:
            high = number if high is None else min(high, number)
    if low is None or high is None or not low < high:
        return None
    return _limits(low, high, Fraction(1) if whole else _step(low, high))


def limits_of_range(parameters: str) -> Limits | None:
    """Return the limits and the step of a range; left out they are 0, 10 and 1. None when it makes no sense."""
    parts = re.split("[ ;,]+", _tidy(parameters).replace(" =", "=").replace("= ", "=").strip(" ;,"))
    given: dict[str, Fraction] = {}
    for part in filter(None, parts):
        if not (match := _PARAMETER.fullmatch(part)):
            return None
        given[match["name"]] = exact(match["number"], match["name"])
    low, high, step = given.get("start", Fraction(0)), given.get("end", Fraction(10)), given.get("step", Fraction(1))
    return _limits(low, high, step) if low < high and step > 0 else None


def _tidy(text: str) -> str:
    """Return a text in small letters with single spaces: a search through long runs of spaces would take its time."""
    return " ".join(text.lower().split())


def _bound(part: str) -> tuple[str, Fraction] | None:
    """Return a comparison with the answer itself, which forms write as a point: `. >= 0`, or `0 <= .`."""
    if part.startswith(".") and (match := _BOUND.fullmatch(part[1:].strip())):
        return match["sign"], exact(match["number"], "number")
    if part.endswith(".") and (match := _SWAPPED.fullmatch(part[:-1].strip())):
        return _MIRRORED[match["sign"]], exact(match["number"], "number")
    return None


def _step(low: Fraction, high: Fraction) -> Fraction:
    """Return the finest step, of a hundredth at most, that leads from one limit to the other often enough."""
    fitting = [step for step in _FINEST if ((high - low) / step).denominator == 1 and (high - low) / step <= MAX_STEPS]
    return fitting[-1] if fitting else high - low


def _limits(low: Fraction, high: Fraction, step: Fraction) -> Limits:
    return {"low": pair_of(low), "high": pair_of(high), "step": pair_of(step)}
