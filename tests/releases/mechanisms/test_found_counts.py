"""What released counts say, on the page and as JSON, beside the core called directly."""

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from django.test import Client

from surveys.common import caches
from surveys.estimation.released.histogram import estimate_released_histogram
from surveys.estimation.released.options import estimate_released_options
from surveys.models import Mechanism, Release, ReleasePart
from surveys.privacy.accounting.gaussian import gaussian_variance
from surveys.privacy.designs import against_rest
from surveys.privacy.mechanisms.gaussian import DiscreteGaussian
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.question import Question
from surveys.releases.families.plan import Plan
from surveys.releases.selectors.reading import reading_of
from tests.factories import PROTECTED, number_mean, one_by_option, one_of, several_of, yes_no
from tests.pages import number, outwards, same, tables_of, words_of
from tests.releases.every_release import HOSTILE, every_release, survey_of_every_kind
from tests.releases.fixed import fixed_counts
from tests.releases.setting import published_release, ready_survey
from tests.releases.steps import says

pytestmark = pytest.mark.django_db

COUNTING = {Mechanism.LAPLACE_HISTOGRAM, Mechanism.GAUSSIAN_HISTOGRAM, Mechanism.ONE_COUNT}
WHAT = "Released and derived values"


def _noise(release: Release, part: ReleasePart) -> DiscreteLaplace | DiscreteGaussian:
    """Return the noise of a part from its stored parameters alone."""
    sensitivity = Fraction(part.parameters["sensitivity"])
    if release.mechanism == Mechanism.GAUSSIAN_HISTOGRAM:
        return DiscreteGaussian(gaussian_variance(part.epsilon, part.delta, int(sensitivity)))
    return DiscreteLaplace(part.epsilon, sensitivity)


def _expected(release: Release, part: ReleasePart, asked: AskedQuestion) -> list[dict[str, float]]:
    """Return raw, share, low and high of every row, from the core."""
    noisy, design, noise = part.output["noisy_counts"], asked.design, _noise(release, part)
    if asked.answers.by_option:
        estimate: Any = estimate_released_options(noisy, part.n, against_rest(design, 1), noise)
        level = 1 - 0.05 / len(noisy)
    else:
        if "answer" in part.parameters["options"]:
            design = against_rest(design, part.parameters["options"]["answer"])
        estimate = estimate_released_histogram(noisy, part.n, design, noise, one_count=design.k == 2)
        level = 0.95 if design.k == 2 else 1 - 0.05 / design.k
    interval = estimate.interval(level)
    columns = (estimate.point, estimate.constrained, interval.low, interval.high)
    return [dict(zip(("raw", "share", "low", "high"), row, strict=True)) for row in np.array(columns).T.tolist()]


def _check_shares(rows: list[list[str]], expected: list[dict[str, float]], noisy: list[int]) -> None:
    assert len(rows) == len(expected) == len(noisy)
    for (_answer, share, low, high, raw, count), wanted, released in zip(rows, expected, noisy, strict=True):
        assert same(share, 100 * min(1, max(0, wanted["share"])))
        assert outwards(low, high, (100 * wanted["low"], 100 * wanted["high"]))
        assert same(raw, 100 * wanted["raw"])
        assert number(count) == released


def _check_mean(row: list[str], expected: list[dict[str, float]], asked: AskedQuestion) -> None:
    """The mean rises with the share of the high end and falls with that of the low one."""
    limits, (least, most) = asked.first.range, expected[:2]

    def mean(low_end: float, high_end: float) -> float:
        return float(limits.low + (limits.high - limits.low) * high_end / (low_end + high_end))

    assert same(row[1], mean(least["share"], most["share"]), places=2)
    assert outwards(row[2], row[3], (mean(least["high"], most["low"]), mean(least["low"], most["high"])), places=2)


def _check(client: Client, release: Release) -> None:
    page = client.get(f"/r/{release.pk}/").content.decode()
    document = json.loads(client.get(f"/r/{release.pk}.json").content)
    tables = [rows[1:] for caption, rows in tables_of(page) if caption == WHAT]
    reading = reading_of(release)
    for part, stated, rows in zip(reading.parts, document["parts"], tables, strict=True):
        asked = part.plan.question
        expected = _expected(release, part.part, asked)
        for row, wanted in zip(stated["found"]["estimates"], expected, strict=True):
            assert row["raw"] == pytest.approx(wanted["raw"], abs=6e-7)
            assert wanted["low"] - 1.1e-6 <= row["low"] <= wanted["low"]
            assert wanted["high"] <= row["high"] <= wanted["high"] + 1.1e-6
        if asked.kind == "number_mean":
            _check_mean(rows[0], expected, asked)
        else:
            _check_shares(rows, expected, part.part.output["noisy_counts"])


@pytest.mark.parametrize(("seed", "note"), [pytest.param(11, "", marks=pytest.mark.slow), (12, HOSTILE)])
def test_every_number_is_that_of_the_core(client: Client, seed: int, note: str) -> None:
    for release in every_release(survey_of_every_kind(n=300, seed=seed, note=note), only=COUNTING):
        _check(client, release)


def test_a_number_that_is_not_the_cores_is_noticed(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    release = published_release(ready_survey())
    _check(client, release)
    monkeypatch.setattr(Plan, "level", lambda *_: 0.9)
    caches.clear()
    with pytest.raises(AssertionError):
        _check(client, release)


def test_impossible_estimates_stand_raw_beside_possible_ones(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    fixed_counts(monkeypatch, 995, 5)
    release = published_release(ready_survey({"0": 990, "1": 10}))
    page = client.get(f"/r/{release.pk}/").content.decode()
    [rows] = [rows for caption, rows in tables_of(page) if caption == WHAT]
    # (0.005 − 0.25)/0.5 = −0.49.
    assert [row[4] for row in rows[1:]] == ["149.0%", "−49.0%"]
    assert [row[1] for row in rows[1:]] == ["100.0%", "0.0%"]


def test_the_sentence_of_two_answers_is_about_yes(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    fixed_counts(monkeypatch, 580, 420)
    release = published_release(ready_survey({"0": 610, "1": 390}), epsilon=Fraction(1))
    # Fair coins: (0.42 − 0.25)/0.5 = 0.34.
    [part] = reading_of(release).parts
    assert (part.finding.headline.name, part.finding.headline.share) == ("Yes", pytest.approx(0.34))
    assert "<strong>34</strong>" in client.get(f"/r/{release.pk}/").content.decode()


def test_counts_of_which_nothing_follows_say_so(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    fixed_counts(monkeypatch, -1_900, 2_000)
    release = published_release(ready_survey(), epsilon=Fraction(1, 1000))
    assert "nothing" in says(client.get(f"/r/{release.pk}/").content.decode())


def test_the_interval_of_the_largest_of_several_answers_survives_its_being_chosen(client: Client) -> None:
    """Read off the largest of k answers, each interval at 95%, and fewer than 95 of 100 releases would be right."""
    survey = ready_survey({"0": 150, "1": 100, "2": 50}, one_of())
    release = published_release(survey)
    [part] = reading_of(release).parts
    assert part.finding.all_at_once
    document = json.loads(client.get(f"/r/{release.pk}.json").content)
    assert document["parts"][0]["found"]["intervals"].startswith("all at once")


@pytest.mark.parametrize(("draft", "several"), [(one_by_option(), False), (several_of(), True)])
def test_each_option_is_estimated_by_itself_whether_one_is_true_or_several_are(
    client: Client, draft: Question, several: bool
) -> None:
    release = published_release(ready_survey({"100": 150, "110": 100, "001": 50}, draft))
    stated = json.loads(client.get(f"/r/{release.pk}.json").content)["parts"][0]["found"]
    assert stated["several_answers_a_person"] is several
    assert [estimate["answer"] for estimate in stated["estimates"]] == list(draft.options)
    [part] = reading_of(release).parts
    assert part.finding.several
    # It says one sentence more.
    assert part.finding.note.startswith(replace(part.finding, several=False).note)
    assert part.finding.note in words_of(client.get(f"/r/{release.pk}/").content.decode())


def test_of_two_answers_one_interval_is_enough() -> None:
    [part] = reading_of(published_release(ready_survey(None, yes_no()))).parts
    assert not part.finding.all_at_once


def test_where_nobody_need_say_a_number_there_is_no_mean(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    fixed_counts(monkeypatch, 50, 40, 400)
    survey = ready_survey({"0": 80, "1": 80, "2": 320}, number_mean(**PROTECTED))
    release = published_release(survey)
    stated = json.loads(client.get(f"/r/{release.pk}.json").content)["parts"][0]["found"]
    assert (stated["value"], stated["raw"]) == (None, None)
    assert (stated["low"], stated["high"], stated["says_nothing"]) == (0, 12, True)
    assert "nothing" in says(client.get(f"/r/{release.pk}/").content.decode())
