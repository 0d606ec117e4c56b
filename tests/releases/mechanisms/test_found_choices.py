"""What chosen answers, ranks, prices, bands and medians say, beside the core called directly."""

import json
import re
from collections.abc import Sequence
from fractions import Fraction
from html import unescape
from math import ceil, log, sqrt
from typing import Any

import pytest
from django.test import Client

from surveys.models import Mechanism
from surveys.privacy.mechanisms.bounds import ApproximateBounds
from surveys.privacy.mechanisms.median_grid import ReleasedMedian
from surveys.privacy.mechanisms.smooth_median import SmoothMedian
from surveys.privacy.mechanisms.stable_median import StableMedian
from surveys.privacy.mechanisms.stable_mode import ReleasedMode, StableMode
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.question import Question
from surveys.releases.families.plan import Plan
from surveys.releases.mechanisms import PLANS
from surveys.releases.mechanisms.quantile import ChosenQuantile
from surveys.releases.selectors.reading import reading_of
from tests.factories import number_bands, one_of, scale
from tests.pages import words_of
from tests.releases.every_release import HOSTILE, every_release, survey_of_every_kind
from tests.releases.setting import published_release, ready_survey
from tests.releases.steps import says

pytestmark = pytest.mark.django_db

THREE = {"0": 150, "1": 100, "2": 50}
RISK = 0.025


def _range(weights: Sequence[Fraction]) -> float:
    return float(max(weights) - min(weights))


def _deviation(weights: Sequence[Fraction], n: int, bounds: int) -> float:
    """Hoeffding's inequality for a sum of n reports' weights, one of so many bounds."""
    return _range(weights) * sqrt(n * log(bounds / RISK) / 2)


def _rows_of_inverse(asked: AskedQuestion) -> list[tuple[Fraction, ...]]:
    return list(asked.design.inverse)[: asked.design.k - asked.protects_leaving_out]


def _shortfall(forms: list[tuple[Fraction, ...]], chosen: int, others: Sequence[int], n: int) -> float:
    k, largest = len(forms), 0.0
    for other in others:
        both = [a - b for a, b in zip(forms[other], forms[chosen], strict=True)]
        apart = _deviation(forms[chosen], n, 2 * k) + _deviation(forms[other], n, 2 * k)
        largest = max(largest, min(apart, _deviation(both, n, k * (k - 1))))
    return largest


def _releases(client: Client, mechanism: Mechanism, seed: int, note: str = "") -> list[tuple[Any, Any, str]]:
    """Return of every part of this mechanism's releases: its reading, its JSON and its page's words."""
    parts = []
    for release in every_release(survey_of_every_kind(n=500, seed=seed, note=note), only={mechanism}):
        page = words_of(client.get(f"/r/{release.pk}/").content.decode())
        document = json.loads(client.get(f"/r/{release.pk}.json").content)
        parts += [
            (part, stated["found"], page)
            for part, stated in zip(reading_of(release).parts, document["parts"], strict=True)
        ]
    return parts


@pytest.mark.parametrize("note", [pytest.param("", marks=pytest.mark.slow), HOSTILE])
def test_a_chosen_answer_falls_short_by_the_noise_and_the_reports(client: Client, note: str) -> None:
    for part, stated, page in _releases(client, Mechanism.MOST_COMMON, 31, note):
        asked, n = part.plan.question, part.part.n
        noise = part.plan.mechanism.error_bound(n, 1 - RISK).at_most
        assert stated["chosen"] == part.part.output["label"]
        assert f"“{stated['chosen']}”" in page
        if not asked.answers.by_option:
            forms, chosen = _rows_of_inverse(asked), part.part.output["index"]
            others = [other for other in range(len(forms)) if other != chosen]
            assert stated["people_short_at_most"] == pytest.approx(noise + _shortfall(forms, chosen, others, n))
        people = ceil(stated["people_short_at_most"])
        assert f"{people} of {n} people" in page


def test_answers_in_order_fall_short_of_those_that_come_later(client: Client) -> None:
    (part, stated, page), _several = _releases(client, Mechanism.TOP, 32)
    n, chosen = part.part.n, part.part.output["indices"]
    noise = part.plan.mechanism.error_bound(n, 1 - RISK).at_most
    forms = _rows_of_inverse(part.plan.question)
    later = [[code for code in range(4) if code not in chosen[: place + 1]] for place in range(2)]
    expected = noise + max(_shortfall(forms, code, rest, n) for code, rest in zip(chosen, later, strict=True))
    assert stated["people_short_at_most"] == pytest.approx(expected)
    assert stated["chosen"] == part.part.output["labels"]
    assert f"{ceil(expected)} of {n} people" in page


def test_a_quantile_has_so_many_people_below_it_and_up_to_it(client: Client) -> None:
    for part, stated, page in _releases(client, Mechanism.QUANTILE, 33):
        asked, n, share = part.plan.question, part.part.n, Fraction(part.part.parameters["options"]["share"])
        rows, chosen = _rows_of_inverse(asked), part.part.output["index"]
        m = asked.design.m
        below, up_to, all_who_say = (
            [sum((row[j] for row in rows[:stop]), Fraction(0)) for j in range(m)] for stop in (chosen, chosen + 1, None)
        )
        sides = (
            [a - share * c for a, c in zip(below, all_who_say, strict=True)],
            [share * c - b for b, c in zip(up_to, all_who_say, strict=True)],
        )
        reports = max(_deviation(side, n, 2 * len(rows)) for side in sides)
        away = part.plan.mechanism.error_bound(n, 1 - RISK).at_most + reports
        assert stated["people_between_at_most"] == pytest.approx(away)
        assert f"{ceil(away)} of {n} people" in page
        if asked.protects_leaving_out:
            assert stated["share_below_at_most"] is None
        else:
            assert stated["share_below_at_most"] == pytest.approx(min(1, share + away / n), abs=2e-6)
            assert stated["share_below_at_most"] >= min(1, float(share) + away / n) - 1e-12
            assert stated["share_up_to_at_least"] <= max(0, float(share) - away / n) + 1e-12


@pytest.mark.parametrize(
    ("label", "rows"),
    [("Never", ["“Never” or below"]), ("Once", ["below “Once”", "“Once” or below"]), ("Often", ["below “Often”"])],
)
def test_the_picture_of_a_quantile_leaves_out_what_is_none_or_all_anyway(label: str, rows: list[str]) -> None:
    labels = ("Never", "Once", "Often")
    chosen = ChosenQuantile(label, labels, Fraction(1, 2), distance=10.0, n=100, among_those_who_say=False)
    chart = chosen.chart("part-1")
    assert chart is not None
    assert [row.label for row in chart.rows] == rows


def test_a_price_falls_short_in_revenue(client: Client) -> None:
    for part, stated, page in _releases(client, Mechanism.BEST_PRICE, 34):
        asked, n = part.plan.question, part.part.n
        rows, prices = _rows_of_inverse(asked), [Fraction(price) for price in stated["among"]]
        forms = [
            tuple(price * sum((row[j] for row in rows[place:]), Fraction(0)) for j in range(asked.design.m))
            for place, price in enumerate(prices)
        ]
        chosen = part.part.output["index"]
        others = [other for other in range(len(forms)) if other != chosen]
        expected = part.plan.mechanism.error_bound(n, 1 - RISK).at_most + _shortfall(forms, chosen, others, n)
        assert stated["revenue_short_at_most"] == pytest.approx(expected)
        assert stated["chosen"] == part.part.output["price"]
        assert f"{ceil(100 * expected) / 100:,.2f} €" in page


def test_bounds_are_the_bands_that_pass(client: Client) -> None:
    for part, stated, page in _releases(client, Mechanism.BOUNDS, 35):
        output, labels = part.part.output, part.plan.question.first.labels
        again = part.plan.mechanism.bounds(output["noisy_counts"], part.part.n)
        assert (again.low, again.high) == (output["low"], output["high"])
        assert stated["first_band"] == (None if again.low is None else labels[again.low])
        assert stated["last_band"] == (None if again.high is None else labels[again.high])
        for label, count in zip(labels, output["noisy_counts"], strict=True):
            assert f"{label} {count:,}".replace("-", "−") in page


def test_where_no_band_passes_nothing_follows(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ApproximateBounds, "release", lambda self, counts, _: self.bounds([0, -3, 1], sum(counts)))
    survey = ready_survey({"0": 4, "1": 3, "2": 4}, number_bands())
    release = published_release(survey, mechanism=Mechanism.BOUNDS)
    document = json.loads(client.get(f"/r/{release.pk}.json").content)["parts"][0]
    assert (document["found"]["first_band"], document["found"]["says_nothing"]) == (None, True)
    page = client.get(f"/r/{release.pk}/").content.decode()
    assert ("nothing" in says(page), "1000 to 10000 € 1" in words_of(page)) == (True, True)


def _fixed_median(monkeypatch: pytest.MonkeyPatch, value: Fraction | None) -> None:
    monkeypatch.setattr(SmoothMedian, "release", lambda *_: ReleasedMedian(value, 5))
    monkeypatch.setattr(StableMedian, "release", lambda *_: ReleasedMedian(value))


def test_a_tested_median_is_off_by_its_own_noise_and_the_reports(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fixed_median(monkeypatch, Fraction(5, 2))
    survey = ready_survey({"0": 60, "1": 900, "2": 840, "3": 120, "4": 80}, scale(), delta=Fraction(1, 1000))
    release = published_release(
        survey, mechanism=Mechanism.STABLE_MEDIAN, delta=Fraction(1, 10**6), options={"bound": "1"}
    )
    [part] = reading_of(release).parts
    stated = json.loads(client.get(f"/r/{release.pk}.json").content)["parts"][0]["found"]
    mechanism = part.plan.mechanism
    away = (mechanism.noise.error_bound(1 - RISK) + Fraction(1, 2)) * mechanism.step if mechanism.noise else 0
    assert stated["value"] == "5/2"
    assert stated["low"] == pytest.approx(max(1, 2.5 - float(away)))
    assert stated["high"] == pytest.approx(min(5, 2.5 + float(away)))
    # A − N/2 and N/2 − A − T have a range of 1/t = 2 each.
    assert stated["people_between_at_most"] == pytest.approx(2 * sqrt(2000 * log(10 / RISK) / 2))
    assert "<strong>2.5</strong>" in client.get(f"/r/{release.pk}/").content.decode()


def test_a_smooth_median_of_many_answers_says_where_it_is(client: Client) -> None:
    survey = ready_survey({"0": 180, "1": 420, "2": 180}, number_bands())
    release = published_release(survey, mechanism=Mechanism.SMOOTH_MEDIAN, epsilon=Fraction(1))
    [part] = reading_of(release).parts
    document = json.loads(client.get(f"/r/{release.pk}.json").content)["parts"][0]
    stated, distance = document["found"], document["output"]["distance"]
    assert not stated["says_nothing"]
    assert stated["low"] <= Fraction(stated["value"]) <= stated["high"]
    assert stated["high"] - stated["low"] <= 2 * part.plan.mechanism.step
    page = client.get(f"/r/{release.pk}/").content.decode()
    assert "nothing" not in says(page)
    assert re.search(rf" {distance}\b", words_of(page))


def test_a_smooth_median_for_which_nothing_is_promised_says_so(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    _fixed_median(monkeypatch, Fraction(3))
    survey = ready_survey({"0": 60, "1": 90, "2": 84, "3": 12, "4": 80}, scale())
    release = published_release(survey, mechanism=Mechanism.SMOOTH_MEDIAN)
    page = client.get(f"/r/{release.pk}/").content.decode()
    assert "nothing" in says(page)
    assert str(PLANS[release.mechanism].exactness_sentence) in unescape(page)


def test_a_tested_answer_is_the_most_common_by_the_reports(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StableMode, "release", lambda *_: ReleasedMode(2))
    survey = ready_survey({"0": 50, "1": 50, "2": 900}, one_of(), delta=Fraction(1, 1000))
    release = published_release(survey, mechanism=Mechanism.STABLE_MODE, delta=Fraction(1, 10**6))
    stated = json.loads(client.get(f"/r/{release.pk}.json").content)["parts"][0]["found"]
    # No noise: all of the risk is for the reports, whose debiased counts have a range of 1/t = 2 each.
    expected = 2 * 2 * sqrt(1000 * log(6 / 0.05) / 2)
    assert (stated["family"], stated["chosen"]) == ("choice", "Often")
    assert stated["people_short_at_most"] == pytest.approx(expected)
    assert f"{ceil(expected)} of 1,000 people" in words_of(client.get(f"/r/{release.pk}/").content.decode())


@pytest.mark.parametrize("mechanism", [Mechanism.STABLE_MODE, Mechanism.STABLE_MEDIAN])
def test_a_refusal_says_that_it_was_charged(client: Client, monkeypatch: pytest.MonkeyPatch, mechanism: str) -> None:
    _fixed_median(monkeypatch, None)
    monkeypatch.setattr(StableMode, "release", lambda *_: ReleasedMode(None))
    survey = ready_survey({"0": 60, "1": 90, "2": 84}, scale(points=3), delta=Fraction(1, 1000))
    options = {"bound": "1"} if mechanism == Mechanism.STABLE_MEDIAN else {}
    release = published_release(survey, mechanism=mechanism, delta=Fraction(1, 10**6), options=options)
    assert 'data-figure="refused"' in client.get(f"/r/{release.pk}/").content.decode()
    document = json.loads(client.get(f"/r/{release.pk}.json").content)
    assert document["parts"][0]["found"] == {
        "family": "refused",
        "says_nothing": True,
        "confidence_level": 0.95,
        "charged": True,
    }


def test_a_choice_that_chance_alone_made_says_so(client: Client) -> None:
    release = published_release(
        ready_survey(THREE, one_of()), mechanism=Mechanism.MOST_COMMON, epsilon=Fraction(1, 1_000_000)
    )
    assert "nothing" in says(client.get(f"/r/{release.pk}/").content.decode())


@pytest.mark.parametrize(
    ("mechanism", "question", "options"),
    [
        (Mechanism.TOP, one_of(), {"how_many": "1"}),
        (Mechanism.QUANTILE, scale(points=3), {"share": "1/2"}),
    ],
)
def test_orders_and_ranks_without_information_say_so(
    client: Client, mechanism: str, question: Question, options: dict[str, str]
) -> None:
    survey = ready_survey(THREE, question)
    release = published_release(survey, mechanism=mechanism, epsilon=Fraction(1, 1_000_000), options=options)
    assert "nothing" in says(client.get(f"/r/{release.pk}/").content.decode())


def test_all_that_could_have_been_drawn_is_listed_with_a_word_on_what_was(client: Client) -> None:
    release = published_release(ready_survey(THREE, one_of()), mechanism=Mechanism.MOST_COMMON)
    page = client.get(f"/r/{release.pk}/").content.decode()
    listed = re.findall(r"<li(?: class=\"drawn\")?><bdi>(.*?)</bdi>( <strong>drawn</strong>)?</li>", page)
    assert [label for label, _drawn in listed] == ["Never", "Once", "Often"]
    assert [label for label, drawn in listed if drawn] == [release.parts.get().output["label"]]


def test_a_bound_computed_at_another_risk_is_noticed(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Plan, "risk_of_reports", 0.5)
    with pytest.raises(AssertionError):
        test_answers_in_order_fall_short_of_those_that_come_later(client)
