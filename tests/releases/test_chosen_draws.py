"""One of several draws that was chosen to be shown: it says which it is, and what it says survives the choice.

Somebody draws eight histograms of the same reports and shows the one with the largest share. Of the interval that one
draw by itself would have, the truth is then in 83 of 100 cases only.
"""

import json
import os
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from django.test import Client
from scipy import stats

from surveys.models import Mechanism, Release
from surveys.releases.families.counts import Counts
from surveys.releases.mechanisms.bounds import Bounds
from surveys.releases.services.releasing import publish
from tests.factories import number_bands, yes_no
from tests.privacy.chance import FALSE_ALARM_RATE
from tests.releases.asked import terms_of
from tests.releases.fixed import fixed_counts
from tests.releases.setting import make_release, ready_survey

N, DRAWS, TRUTH = 300, 8, 0.3
SURVEYS = int(os.environ.get("TESTS_SURVEYS", "2000"))
FEWEST = stats.binom.ppf(FALSE_ALARM_RATE, SURVEYS, 0.95) / SURVEYS


def _coverage_of_the_largest(known: int) -> float:
    """Return how often the interval of the largest of eight draws holds the truth, if so many are known of."""
    terms = terms_of(yes_no(), "laplace_histogram", epsilon=Fraction(1, 10), n=N, chosen_from=known)
    generator = np.random.default_rng(8)
    counts = generator.binomial(N, 0.25 + TRUTH / 2, SURVEYS)
    noise = generator.geometric(-np.expm1(-0.1), (2, SURVEYS, DRAWS))
    largest = (counts[:, None] + noise[0] - noise[1]).max(axis=1)
    covers = {}
    for count in np.unique(largest).tolist():
        counts_shown = terms.read({"noisy_counts": [N - count, count]})
        assert isinstance(counts_shown, Counts)
        covers[count] = counts_shown.headline.low <= TRUTH <= counts_shown.headline.high
    return float(np.mean([covers[count] for count in largest.tolist()]))


def test_the_interval_of_the_best_of_eight_draws_covers_the_truth_as_often_as_it_says() -> None:
    assert _coverage_of_the_largest(known=DRAWS) >= FEWEST


def test_the_interval_of_one_draw_by_itself_does_not() -> None:
    assert _coverage_of_the_largest(known=1) < 0.9


def test_empty_bands_that_might_have_passed_are_counted_over_all_draws() -> None:
    def certainty(draws: int) -> Fraction:
        terms = terms_of(number_bands(), "bounds", chosen_from=draws)
        counts = [0] * terms.question.design.m
        counts[1] = terms.n
        output = {"noisy_counts": counts, "low": 1, "high": 1, "certainty": "99/100"}
        bounds = terms.read(output)
        assert isinstance(bounds, Bounds)
        assert bounds.certainty is not None
        return bounds.certainty

    assert (certainty(1), certainty(8), certainty(200)) == (Fraction(99, 100), Fraction(92, 100), 0)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Release]:
    """Three draws of one question, all with the same counts; the second one is public."""
    fixed_counts(monkeypatch, 60, 40)
    survey = ready_survey()
    made = [
        make_release(survey, epsilon=Fraction(1, 10)),
        make_release(survey, epsilon=Fraction(1, 10)),
        make_release(survey, epsilon=Fraction(1, 10), mechanism=Mechanism.MOST_COMMON),
    ]
    publish(release=made[1], user=made[1].created_by)
    return made


def _part(client: Client, release: Release) -> dict[str, Any]:
    part: dict[str, Any]
    [part] = json.loads(client.get(f"/r/{release.pk}.json").content)["parts"]
    return part


def _draws_on(client: Client, release: Release) -> tuple[str, list[str]]:
    """Return what the page says of the draws of its question, and all numbers in it."""
    page = client.get(f"/r/{release.pk}/").content.decode()
    [(name, words)] = re.findall(r'<p class="quiet" data-says="([^"]+)">(.*?)</p>', page, re.DOTALL)
    return name, re.findall(r"\d+", words)


def _width(part: dict[str, Any]) -> float:
    yes = part["found"]["estimates"][1]
    return float(yes["high"] - yes["low"])


@pytest.mark.django_db
def test_page_and_document_say_which_draw_it_is_and_name_the_others(client: Client, drawn: list[Release]) -> None:
    first, shown, third = drawn
    assert _part(client, shown)["draws"] == {
        "number": 2,
        "of": 3,
        "chosen_from": 3,
        "others": [
            {"number": 1, "release": first.pk, "mechanism": "laplace_histogram", "published": False},
            {"number": 3, "release": third.pk, "mechanism": "most_common", "published": False},
        ],
    }
    assert _draws_on(client, shown) == ("chosen", ["2", "3", "3"])
    page = client.get(f"/r/{shown.pk}/").content.decode()
    # They are named, and not linked.
    assert [(each.pk in page, f"/r/{each.pk}/" in page) for each in (first, third)] == [(True, False)] * 2


@pytest.mark.django_db
def test_a_chosen_draw_is_as_sure_as_one_by_itself_at_a_third_of_the_risk(client: Client, drawn: list[Release]) -> None:
    chosen = _part(client, drawn[1])
    for release in (drawn[0], drawn[2]):
        publish(release=release, user=release.created_by)
    by_itself = _part(client, drawn[1])
    assert (chosen["draws"]["chosen_from"], by_itself["draws"]["chosen_from"]) == (3, 1)
    assert _width(chosen) > _width(by_itself)
    terms = terms_of(yes_no(), "laplace_histogram", epsilon=Fraction(1, 10), n=100, chosen_from=3)
    counts = terms.read({"noisy_counts": [60, 40]})
    assert isinstance(counts, Counts)
    assert chosen["found"]["estimates"][1]["low"] == pytest.approx(counts.headline.low, abs=2e-6)
    bounds = [[row["at_most"] for row in part["accuracy"]] for part in (chosen, by_itself)]
    assert all(wider > narrower for wider, narrower in zip(*bounds, strict=True))
    assert _draws_on(client, drawn[1])[0] == "all-public"


@pytest.mark.django_db
def test_a_page_that_was_shown_before_knows_of_a_later_draw(client: Client, drawn: list[Release]) -> None:
    shown = drawn[1]
    before = _part(client, shown)
    make_release(shown.survey, epsilon=Fraction(1, 10))
    after = _part(client, shown)
    assert (before["draws"]["of"], after["draws"]["of"]) == (3, 4)
    assert _width(after) >= _width(before)
    assert _draws_on(client, shown) == ("chosen", ["2", "4", "4"])


@pytest.mark.django_db
def test_the_only_draw_says_that_it_is(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    fixed_counts(monkeypatch, 60, 40)
    release = make_release(ready_survey())
    publish(release=release, user=release.created_by)
    assert _draws_on(client, release) == ("only", ["1", "1"])
