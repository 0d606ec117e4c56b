"""Which question goes most with an outcome: chosen where it can be known, charged once, refused by name."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest
from django.test import Client

from surveys.models import Mechanism, Release
from surveys.releases.refusals import Why
from surveys.releases.selectors.doors import charged_releases
from surveys.releases.selectors.reading import reading_of
from tests.factories import fill, make_budget, make_open, number_bands, scale, yes_no
from tests.privacy.chance import seeded
from tests.releases.people import DRANK, WHERE, in_order, joined_survey
from tests.releases.refused import refusing
from tests.releases.setting import check, make_release, published_release, spent
from tests.releases.steps import says, text_of

pytestmark = pytest.mark.django_db

BEST = {"mechanism": Mechanism.BEST_PREDICTOR, "options": {"outcome": "1"}, "epsilon": Fraction(1)}


def test_what_goes_most_with_it_is_chosen_and_shown_on_the_page(client: Client) -> None:
    survey = joined_survey(20_000)
    release = published_release(survey, questions=in_order(survey), **BEST, randbelow=seeded(1))
    [part] = release.parts.all()
    # Covariances of 1,700/4 and near 0, one step of the choice being 2: any other is drawn once in 10⁹⁰.
    assert part.output == {"index": 0, "label": DRANK}
    page = text_of(client.get(f"/r/{release.pk}/"))
    [reading] = reading_of(charged_releases().get()).parts
    shown = [reading.finding.title, reading.finding.note, reading.finding.short_words, f"{DRANK} drawn", WHERE]
    assert [words for words in shown if words not in page] == []
    assert reading.finding.short == pytest.approx(reading.plan.accuracy(0.95).at_most)
    assert not reading.finding.is_uninformative


def test_numbers_as_outcomes_count_from_the_smallest_to_the_largest() -> None:
    survey = make_open(number_bands(), scale(), yes_no(leave_out="no"))
    fill(survey, {"000": 300, "241": 300})
    make_budget(survey, 10)
    [part] = check(survey=survey, questions=in_order(survey), **BEST).plans
    # The middles of the outer bands are 5,450 of 10,000 apart, and a spinner that asks one in two doubles that.
    low, high = min(part.mechanism.outcome), max(part.mechanism.outcome)
    assert high - low == 2 * Fraction(5_450, 10_000)
    assert make_release(survey, questions=in_order(survey), **BEST).parts.get().output["index"] in {0, 1}


def test_two_questions_are_no_choice_and_nothing_is_charged() -> None:
    survey = joined_survey(400)
    with refusing(Why.UNSUITABLE_QUESTION, match=r"3 .* 7"):
        make_release(survey, questions=in_order(survey)[:2], **BEST)
    assert (spent(survey), Release.objects.count()) == (0, 0)


def test_more_patterns_than_answers_do_no_harm_and_more_than_can_be_counted_are_refused() -> None:
    survey = make_open(yes_no(leave_out="no"), *(scale(f"Part {part}?", points=10) for part in range(4)))
    fill(survey, {"00000": 20, "13333": 20})
    make_budget(survey, 10)
    assert check(survey=survey, questions=in_order(survey), **BEST).plans[0].n == 40
    larger = make_open(yes_no(leave_out="no"), *(scale(f"Part {part}?", points=10) for part in range(5)))
    fill(larger, {"000000": 20, "133333": 20})
    make_budget(larger, 10)
    with refusing(Why.UNSUITABLE_QUESTION, match="100,000"):
        check(survey=larger, questions=in_order(larger), **BEST)


@pytest.mark.parametrize(("n", "epsilon", "nothing"), [(400, "0.01", True), (100, "10", True), (1000, "10", False)])
def test_so_much_chance_that_any_may_be_the_best_is_uninformative(
    client: Client, n: int, epsilon: str, nothing: bool
) -> None:
    # Noise alone can be too much, and so can be the coins of too few, at any ε.
    survey = joined_survey(n)
    release = published_release(survey, questions=in_order(survey), **BEST | {"epsilon": Fraction(epsilon)})
    [reading] = reading_of(charged_releases().get()).parts
    choice = reading.finding
    assert choice.is_uninformative == (max(choice.short, choice.from_reports) >= n / 16) == nothing
    page = client.get(f"/r/{release.pk}/").content.decode()
    assert ("nothing" in says(page)) == nothing
    assert json.loads(client.get(f"/r/{release.pk}.json").content)["parts"][0]["found"]["says_nothing"] == nothing


@pytest.mark.parametrize(("truth", "uneven"), [([1, 4], True), ([1, 2], False)])
def test_coins_of_different_kinds_make_the_choice_uneven(client: Client, truth: list[int], uneven: bool) -> None:
    survey = make_open(
        yes_no(leave_out="no"),
        yes_no("And?", leave_out="no", parameters={"truth": truth, "yes": [1, 2]}),
        yes_no("Or?", leave_out="no"),
    )
    fill(survey, {"000": 300, "111": 300})
    make_budget(survey, 10)
    release = published_release(survey, questions=in_order(survey), **BEST)
    [reading] = reading_of(charged_releases().get()).parts
    assert reading.finding.uneven == uneven
    # It says one sentence more.
    assert (len(reading.finding.note) > len(replace(reading.finding, uneven=False).note)) == uneven
    assert reading.finding.note in text_of(client.get(f"/r/{release.pk}/"))
