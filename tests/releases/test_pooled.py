"""Whoever draws a question again is first offered what its draws say together, for nothing."""

import io
from fractions import Fraction

import pytest
from django.core.management import call_command
from django.test import Client

from surveys.models import Mechanism, Release, Survey
from surveys.releases.figures.advice import Advice, Severity, advice_on
from surveys.releases.selectors.doors import charged_releases
from surveys.releases.services.releasing import check, publish
from surveys.releases.words.advice import advice_says
from tests.factories import fill, number_mean, yes_no
from tests.privacy.chance import seeded
from tests.releases.setting import first, make_release, ready_survey
from tests.releases.steps import look, text_of

pytestmark = pytest.mark.django_db

TENTH = Fraction(1, 10)


def _survey(draft: object = None) -> Survey:
    return ready_survey({"0": 600, "1": 400}, draft or yes_no(), epsilon=5, delta=Fraction(1, 1000))


def _drawn(survey: Survey, *epsilons: Fraction, **changes: object) -> list[Release]:
    return [
        make_release(survey, epsilon=epsilon, randbelow=seeded(seed), **changes)
        for seed, epsilon in enumerate(epsilons)
    ]


def _advice(survey: Survey, epsilon: Fraction = TENTH, *, published_only: bool = False) -> dict[str, Advice]:
    terms = check(survey=survey, questions=[first(survey)], mechanism=Mechanism.LAPLACE_HISTOGRAM, epsilon=epsilon)
    found = advice_on(terms, charged_releases().filter(survey=survey), published_only=published_only)
    return {advice.code: advice for advice in found}


def test_the_draws_so_far_are_pooled_by_their_precision_before_another_is_made() -> None:
    survey = _survey()
    one, other = _drawn(survey, TENTH, 2 * TENTH)
    pooled = _advice(survey)["pooled"]
    counts = [release.parts.get().output["noisy_counts"][1] for release in (one, other)]
    # σ² of a count is 2q/(1 − q)², q = e^(−ε).
    precisions = [1 / 199.833, 1 / 49.834]
    expected = sum(p * c for p, c in zip(precisions, counts, strict=True)) / sum(precisions)
    assert pooled.severity is Severity.NO_RELEASE
    assert pooled.facts["found"].headline.noisy_count == pytest.approx(expected, abs=0.51)
    assert one.pk in advice_says(pooled)
    assert other.pk in advice_says(pooled)


def test_another_draw_is_warned_of_by_its_number_and_the_level_that_all_of_them_will_have() -> None:
    survey = _survey()
    assert "another_draw" not in _advice(survey)
    _drawn(survey, TENTH, TENTH)
    assert "this would be draw 3" in advice_says(_advice(survey)["another_draw"])
    assert "at 98.3% each" in advice_says(_advice(survey)["another_draw"])


def test_draws_of_other_reports_or_of_something_else_are_not_pooled() -> None:
    survey = _survey()
    _drawn(survey, TENTH)
    _drawn(survey, TENTH, mechanism=Mechanism.MOST_COMMON)
    assert "pooled" not in _advice(survey)
    fill(survey, {"1": 50})
    _drawn(survey, TENTH)
    assert "pooled" not in _advice(survey)
    _drawn(survey, TENTH)
    assert len(_advice(survey)["pooled"].facts["releases"]) == 2


def test_a_finer_draw_than_all_of_them_together_is_not_called_needless() -> None:
    survey = _survey()
    _drawn(survey, TENTH, TENTH)
    assert _advice(survey, Fraction(1))["pooled"].severity is Severity.NOTE


def test_the_mean_of_a_number_is_pooled_from_its_ends() -> None:
    survey = _survey(number_mean())
    _drawn(survey, TENTH, TENTH)
    assert "together say “Mean”" in advice_says(_advice(survey)["pooled"])


def test_who_may_not_look_at_releases_is_told_only_what_all_of_them_tell_everybody() -> None:
    survey = _survey()
    made = _drawn(survey, TENTH, TENTH)
    publish(release=made[0], user=made[0].created_by)
    assert "pooled" not in _advice(survey, published_only=True)
    publish(release=made[1], user=made[1].created_by)
    assert "pooled" in _advice(survey, published_only=True)


def test_the_step_that_confirms_and_the_command_offer_it(staff: Client) -> None:
    survey = _survey()
    _drawn(survey, TENTH, TENTH)
    assert "Pooling them costs nothing" in text_of(look(staff, survey, epsilon="0.1"))
    said = io.StringIO()
    call_command(
        "release",
        survey.code,
        mechanism="laplace_histogram",
        question=[1],
        epsilon="0.1",
        reason="x",
        user=survey.releases.first().created_by.username,
        dry_run=True,
        stdout=io.StringIO(),
        stderr=said,
    )
    assert "Pooling them costs nothing" in said.getvalue()
