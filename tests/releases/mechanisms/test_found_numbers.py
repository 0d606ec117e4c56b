"""What released totals, means and variances say, beside the core called directly."""

import json
from fractions import Fraction
from typing import Any

import pytest
from django.test import Client

from surveys.estimation.released.numbers import (
    ReleasedMean,
    ReleasedTotal,
    ReleasedVariance,
    estimate_released_mean,
    estimate_released_total,
    estimate_released_variance,
)
from surveys.models import Mechanism, Release, ReleasePart
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.mechanisms.mean import BoundedMean, NoisyMean
from surveys.privacy.mechanisms.reported_numbers import ReportedNumbers, numbers_of_bands, numbers_of_limits
from surveys.privacy.mechanisms.total import BoundedTotal
from surveys.privacy.mechanisms.variance import BoundedVariance, NoisyVariance
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.releases.families.plan import Plan
from surveys.releases.selectors.reading import reading_of
from tests.pages import number, tables_of
from tests.releases.every_release import HOSTILE, every_release, survey_of_every_kind

pytestmark = pytest.mark.django_db

NUMBERS = {Mechanism.TOTAL, Mechanism.MEAN, Mechanism.VARIANCE}
WHAT = "Released and derived values"


def _numbers(asked: AskedQuestion) -> ReportedNumbers:
    if asked.kind == "number_bands":
        return numbers_of_bands(list(asked.edges), asked.design)
    if asked.kind == "number_mean":
        return numbers_of_limits(asked.first.range.low, asked.first.range.high, asked.design)
    points = [Fraction(point) for point in range(1, asked.answers.points + 1)]
    numbers = (*points, *[None] * (asked.design.k - len(points)))
    return ReportedNumbers(numbers, points[0], points[-1], asked.design)


def _estimate(
    release: Release, part: ReleasePart, asked: AskedQuestion
) -> ReleasedTotal | ReleasedMean | ReleasedVariance:
    output = {name: Fraction(value) for name, value in part.output.items()}
    terms: dict[str, Any] = {"epsilon": part.epsilon, "relation": NeighbouringRelation.REPLACE_ONE}
    numbers = _numbers(asked)
    if release.mechanism == Mechanism.TOTAL:
        return estimate_released_total(output["total"], part.n, BoundedTotal(values=numbers.values, **terms), numbers)
    if release.mechanism == Mechanism.MEAN:
        drawn = NoisyMean(output["total"], output["count"])
        return estimate_released_mean(drawn, part.n, BoundedMean(numbers=numbers, **terms))
    squares = NoisyVariance(output["squares"], output["total"], output["count"])
    return estimate_released_variance(squares, part.n, BoundedVariance(numbers=numbers, **terms))


def _decimals(cell: str) -> int:
    digits = cell.split(maxsplit=1)[0].partition(".")[2]
    return len(digits)


def _check(client: Client, release: Release) -> None:
    page = client.get(f"/r/{release.pk}/").content.decode()
    document = json.loads(client.get(f"/r/{release.pk}.json").content)
    tables = [rows[1] for caption, rows in tables_of(page) if caption == WHAT]
    for part, stated, row in zip(reading_of(release).parts, document["parts"], tables, strict=True):
        expected = _estimate(release, part.part, part.plan.question)
        interval = expected.interval(0.95)
        figure = stated["found"]
        assert (figure["raw"], figure["low"], figure["high"]) == (expected.point, interval.low, interval.high)
        assert figure["low"] <= figure["high"]
        _name, value, low, high, raw = row
        unit = 10.0 ** -_decimals(low)
        assert number(raw) == pytest.approx(expected.point, abs=0.51 * unit)
        assert number(value) == pytest.approx(figure["value"], abs=0.51 * unit)
        # Outwards, and by less than a unit of the last decimal.
        assert -1e-6 <= interval.low - number(low) < unit
        assert -1e-6 <= number(high) - interval.high < unit


@pytest.mark.parametrize(("seed", "note"), [pytest.param(21, "", marks=pytest.mark.slow), (22, HOSTILE)])
def test_every_number_is_that_of_the_core(client: Client, seed: int, note: str) -> None:
    for release in every_release(survey_of_every_kind(n=300, seed=seed, note=note), only=NUMBERS):
        _check(client, release)


def test_a_number_that_is_not_the_cores_is_noticed(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Plan, "level", lambda *_: 0.9)
    release = next(every_release(survey_of_every_kind(n=300, seed=23), only=NUMBERS))
    with pytest.raises(AssertionError):
        _check(client, release)
