"""The picture of terms: noise beside the chance in the reports, odds, what is left; from public numbers only."""

import math
from collections.abc import Sequence
from fractions import Fraction

import pytest
from django.test import Client

from surveys.common.selectors import definition_of
from surveys.models import Mechanism, Survey
from surveys.privacy.accounting.local_central import local_then_central
from surveys.releases.families.plan import Plan
from surveys.releases.mechanisms import PLANS
from surveys.releases.words.picture import (
    TermsPicture,
    error_bars,
    picture_of,
    picture_title,
    steps_for,
    usual_epsilon,
)
from tests.factories import number_mean, one_of, yes_no
from tests.releases.setting import first, make_release, ready_survey, spent
from tests.releases.steps import STEP_2, text_of

pytestmark = pytest.mark.django_db

COUNTS = [PLANS[name] for name in (Mechanism.LAPLACE_HISTOGRAM, Mechanism.GAUSSIAN_HISTOGRAM)]


def _picture(survey: Survey, epsilon: str, offers: Sequence[type[Plan]] = COUNTS, n: int = 100) -> TermsPicture:
    asked = [(question, n) for question in definition_of(survey).questions]
    return picture_of(survey.budget, asked, offers, Fraction(epsilon))


def test_a_bar_is_as_long_as_what_step_3_says() -> None:
    picture = _picture(ready_survey(), "0.5")
    spread = picture.spreads["laplace_histogram"]
    # One count is off by 6 at most, two coins double it: 12 of 100.
    assert spread.noise == pytest.approx(12)
    assert spread.reports == spread.plan.error_from_reports()
    assert spread.both == pytest.approx(math.hypot(spread.reports, 12))
    drawn = error_bars(picture, "laplace_histogram")["bars"]
    assert [bar.amount for bar in drawn][1] == "±12"
    assert all(bar.at == pytest.approx(50 - bar.width / 2) for bar in drawn)
    assert drawn[1].width == pytest.approx(100 * 12 / picture.scale("points"), abs=0.02)


def test_odds_and_what_is_left_are_of_the_whole_release() -> None:
    survey = ready_survey({"00": 61, "11": 39}, yes_no(), yes_no(), epsilon=2)
    picture = _picture(survey, "0.5")
    local = sum(question.epsilon for question in definition_of(survey).questions)
    assert picture.odds == pytest.approx(math.exp(local_then_central(local, Fraction(1, 2))))
    assert picture.certainty_at_most == pytest.approx(picture.odds / (1 + picture.odds))
    assert picture.left == Fraction(3, 2)
    # Each of two questions has half of ε, so twice the noise.
    assert picture.spreads["laplace_histogram"].plan.loss.epsilon == Fraction(1, 4)


def test_a_mechanism_that_needs_a_delta_is_drawn_where_the_budget_has_one() -> None:
    assert set(_picture(ready_survey(), "0.5").spreads) == {"laplace_histogram"}
    picture = _picture(ready_survey(delta=Fraction(1, 10**6)), "0.5")
    assert set(picture.spreads) == {"laplace_histogram", "gaussian_histogram"}
    assert picture.spreads["gaussian_histogram"].plan.loss.delta == Fraction(1, 10**6)


def test_what_falls_short_to_one_side_or_needs_an_option_has_no_bars() -> None:
    survey = ready_survey({"0": 61, "1": 39}, one_of(), delta=Fraction(1, 10**6))
    [asked] = definition_of(survey).questions
    offers = [offer for offer in PLANS.values() if not offer.unsuitable(asked)]
    assert set(_picture(survey, "0.5", offers).spreads) == {"laplace_histogram", "gaussian_histogram"}


@pytest.mark.parametrize(
    ("epsilon", "n", "is_smaller", "is_hidden", "is_left"),
    [
        ("0.01", 100, False, False, True),
        ("0.5", 100, True, False, True),
        ("0.9", 4000, True, True, True),
        ("1.5", 100, True, True, False),
    ],
)
def test_the_title_says_what_the_noise_does(
    epsilon: str, n: int, is_smaller: bool, is_hidden: bool, is_left: bool
) -> None:
    picture = _picture(ready_survey(), epsilon, n=n)
    spread = picture.spreads["laplace_histogram"]
    assert (spread.is_smaller, spread.is_hidden, picture.left >= 0) == (is_smaller, is_hidden, is_left)
    assert f"ε {epsilon}" in picture_title(picture)


def test_the_slider_stops_where_something_is_left() -> None:
    survey = ready_survey()
    assert steps_for(survey.budget)[-1] == "1"
    make_release(survey, epsilon=Fraction(7, 10))
    survey.budget.refresh_from_db()
    assert steps_for(survey.budget)[-1] == "0.3"
    assert usual_epsilon(survey.budget) == Fraction(3, 10)


def test_step_2_draws_what_is_asked_for_and_counts_no_report(staff: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def counted(*_: object, **__: object) -> None:
        raise AssertionError

    survey = ready_survey()
    for name in ("surveys.releases.services.releasing.fresh_figures_of", "surveys.responses.selectors.tally._count"):
        monkeypatch.setattr(name, counted)
    query = {"survey": survey.pk, "questions": first(survey)}
    for typed, left in (({}, "0.5"), ({"epsilon": "0.25"}, "0.75"), ({"epsilon": "nonsense"}, "0.5")):
        page = staff.get(STEP_2, query | typed)
        assert (page.context["picture"].left, f" {left} of 1 " in text_of(page)) == (Fraction(left), True)
    page = staff.get(STEP_2, query | {"epsilon": "3"})
    assert (page.context["picture"].left, '<p class="error-text">' in page.content.decode()) == (-2, True)
    assert spent(survey) == 0


def test_the_picture_of_a_question_depends_on_no_answer(staff: Client) -> None:
    pages = []
    for counts in ({"0": 61, "1": 39}, {"0": 1, "1": 99}):
        survey = ready_survey(counts)
        page = staff.get(STEP_2, {"survey": survey.pk, "questions": first(survey)})
        picture = page.context["picture"]
        pages.append(
            (
                picture.odds,
                [(bar.at, bar.width, bar.amount) for bar in error_bars(picture, "laplace_histogram")["bars"]],
            )
        )
    assert pages[0] == pages[1]


def test_bars_in_another_unit_have_a_scale_of_their_own() -> None:
    survey = ready_survey({"0": 61, "1": 39}, number_mean())
    named = (Mechanism.LAPLACE_HISTOGRAM, Mechanism.TOTAL, Mechanism.MEAN)
    picture = _picture(survey, "0.5", [PLANS[name] for name in named])
    assert {parts.unit for parts in picture.spreads.values()} == {"points", "total", "number"}
    for name, parts in picture.spreads.items():
        assert 30 < max(bar.width for bar in error_bars(picture, name)["bars"]) <= 100
        assert picture.scale(parts.unit) >= min(parts.both, 100 if parts.unit == "points" else math.inf)
    assert error_bars(picture, "mean")["unit"] == number_mean().details["unit"]
    assert error_bars(picture, "laplace_histogram")["unit"] == ""
