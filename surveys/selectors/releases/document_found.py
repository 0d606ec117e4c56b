"""What follows from a part's output, as JSON holds it: estimates are rounded, limits only outwards."""

import math
from functools import singledispatch
from typing import Any

from surveys.selectors.releases.found import (
    Bounds,
    Choice,
    Counts,
    Found,
    Median,
    Number,
    Price,
    Quantile,
    Ranking,
)
from surveys.selectors.releases.found.figure import Figure
from surveys.selectors.releases.terms import CONFIDENCE_LEVEL

_DECIMALS = 6
_UNITS = 1_000_000


def document_of_found(found: Found) -> dict[str, Any]:
    """Return a finding: its family, whether anything follows from it, with which confidence, and its numbers."""
    said = {"family": found.family, "says_nothing": found.says_nothing, "confidence_level": CONFIDENCE_LEVEL}
    return said | numbers_of(found)


@singledispatch
def numbers_of(_found: Found) -> dict[str, Any]:
    """Return the numbers of a finding; of a refusal there are none."""
    return {"charged": True}


@numbers_of.register
def _(found: Counts) -> dict[str, Any]:
    return {
        "intervals": "all at once (Bonferroni)" if found.all_at_once else "each",
        "several_answers_a_person": found.several,
        "estimates": [
            {
                "answer": estimate.label or None,
                "report": estimate.report or estimate.label or None,
                "noisy_count": estimate.noisy_count,
                "raw": round(estimate.raw, _DECIMALS),
                "share": round(estimate.share, _DECIMALS),
                "low": _down(estimate.low),
                "high": _up(estimate.high),
            }
            for estimate in found.estimates
        ],
        **({} if found.mean is None else {"what": "mean", **_figure(found.mean)}),
    }


@numbers_of.register
def _(found: Number) -> dict[str, Any]:
    return {"what": found.what, "method": found.method, "middles_of_bands": found.middles, **_figure(found.figure)}


@numbers_of.register
def _(found: Choice) -> dict[str, Any]:
    return {"chosen": found.label, "among": list(found.labels), "people_short_at_most": found.shortfall}


@numbers_of.register
def _(found: Ranking) -> dict[str, Any]:
    return {"chosen": list(found.chosen), "among": list(found.labels), "people_short_at_most": found.shortfall}


@numbers_of.register
def _(found: Quantile) -> dict[str, Any]:
    of_all = not found.among_those_who_say
    return {
        "chosen": found.label,
        "among": list(found.labels),
        "share": str(found.share),
        "among_those_who_say": found.among_those_who_say,
        "people_between_at_most": found.distance,
        "share_below_at_most": _up(found.below_at_most) if of_all else None,
        "share_up_to_at_least": _down(found.up_to_at_least) if of_all else None,
    }


@numbers_of.register
def _(found: Price) -> dict[str, Any]:
    return {
        "chosen": str(found.price),
        "among": [str(price) for price in found.prices],
        "unit": found.unit,
        "revenue_short_at_most": found.shortfall,
    }


@numbers_of.register
def _(found: Bounds) -> dict[str, Any]:
    certainty = None if found.certainty is None else str(found.certainty)
    return {"first_band": found.low, "last_band": found.high, "certainty": certainty}


@numbers_of.register
def _(found: Median) -> dict[str, Any]:
    return {
        "value": str(found.value),
        "unit": found.scale.unit,
        "low": found.low,
        "high": found.high,
        "people_between_at_most": found.distance,
    }


def _figure(figure: Figure) -> dict[str, Any]:
    return {
        "value": figure.value,
        "raw": figure.raw,
        "low": figure.low,
        "high": figure.high,
        "unit": figure.scale.unit,
        "possible": [str(figure.scale.low), str(figure.scale.high)],
        "among_those_who_say": figure.among_those_who_say,
    }


def _down(share: float) -> float:
    return math.floor(share * _UNITS) / _UNITS


def _up(share: float) -> float:
    return math.ceil(share * _UNITS) / _UNITS
