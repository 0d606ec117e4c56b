"""Without invitations nothing makes a response a person: what is promised is about one response, and two are named."""

import itertools
import math
from fractions import Fraction

import pytest
from django.test import Client
from django.urls import reverse

from surveys.answering.services.collecting import new_nonce
from surveys.answering.words.designs import odds_bound, twice
from surveys.common.selectors import definition_of
from surveys.models import Mechanism, Response
from surveys.numbers.words import four_digits
from surveys.releases.selectors.reading import reading_of
from tests.factories import make_open, one_of, triangular, yes_no
from tests.pages import owner_of, words_of
from tests.releases.setting import published_release, ready_survey

pytestmark = pytest.mark.django_db


def _exact_loss(responses: int, central: float) -> float:
    """Return the exact loss of a noisy count of fair coins' reports if so many truths change, by summing it all up."""
    q = math.exp(-central)

    def probability(drawn: int, truth: int) -> float:
        yes = 0.75 if truth else 0.25
        return sum(
            math.comb(responses, count) * yes**count * (1 - yes) ** (responses - count) * q ** abs(drawn - count)
            for count in range(responses + 1)
        )

    return max(abs(math.log(probability(drawn, 1) / probability(drawn, 0))) for drawn in range(-5, responses + 6))


def test_somebody_who_answers_twice_gives_away_more_than_one_response_and_the_promise_says_how_much() -> None:
    survey = make_open(yes_no(leave_out="no"))
    for browser in (Client(), Client()):
        browser.post(f"/s/{survey.code}/", {"mode": "device", "nonce": new_nonce(), "reports": "1"})
    assert Response.objects.filter(survey=survey).count() == 2
    rows = definition_of(survey).items[0].design.matrix
    pairs = itertools.product(rows, rows)
    assert max(first[1] * second[1] / (first[0] * second[0]) for first, second in pairs) == 9
    promise = words_of(Client().get(f"/s/{survey.code}/").content.decode())
    assert "Your report changes the odds about you at most 3-fold (ε ≤ 1.10)." in promise
    assert "at most 3‑fold (ε ≤ 1.10 if you answer once)." in promise
    assert "If you answer twice, odds about you can change more: at most 9‑fold (ε ≤ 2.20)." in promise


def test_the_ethics_packet_names_two_responses_of_one_person() -> None:
    survey = make_open(yes_no(), yes_no("Another one?"))
    packet = words_of(owner_of(survey).get(reverse("survey-ethics", args=[survey.code])).content.decode())
    once, twice = "at most 9‑fold (ε ≤ 2.20)", "at most 81‑fold (ε ≤ 4.40)"
    assert (
        f"Maximum change in odds from all reports of one response {once}; two responses from one person: {twice}"
        in packet
    )
    assert "If you answer twice, odds about you can change more: at most 81‑fold (ε ≤ 4.40)." in packet


def test_a_release_bounds_two_responses_of_one_person_and_its_bound_for_one_would_not() -> None:
    survey = ready_survey({"0": 61, "1": 39}, yes_no(leave_out="no"))
    release = published_release(survey)
    truth = reading_of(release).truth
    # Both bounds are attained.
    assert _exact_loss(1, 0.5) == pytest.approx(truth.epsilon, abs=1e-12)
    assert _exact_loss(2, 0.5) == pytest.approx(float(truth.twice.epsilon), abs=1e-12)
    assert _exact_loss(2, 0.5) > 1.9 * truth.epsilon
    page = words_of(Client().get(f"/r/{release.pk}/").content.decode())
    assert f"For two responses from one person: ε = {four_digits(truth.twice.epsilon)}, δ = 0." in page
    assert "about one person" not in page


def test_delta_of_two_responses_is_that_of_group_privacy() -> None:
    survey = ready_survey({"0": 610, "1": 390}, yes_no(), delta=Fraction(1, 1000))
    release = published_release(survey, mechanism=Mechanism.GAUSSIAN_HISTOGRAM, delta=Fraction(1, 1000))
    truth = reading_of(release).truth
    assert float(truth.twice.delta) == pytest.approx(float(truth.delta) * (1 + math.exp(truth.epsilon)))


def test_an_invitation_is_one_response() -> None:
    survey = ready_survey(None, yes_no(), by_invitation=True)
    release = published_release(survey)
    owner = owner_of(survey)
    pages = [
        Client().get(f"/r/{release.pk}/"),
        owner.get(reverse("survey-ethics", args=[survey.code])),
        owner.get(reverse("survey-preview", args=[survey.code])),
    ]
    for page in pages:
        words = words_of(page.content.decode())
        assert "two responses from one person" not in words
        assert "If you answer twice" not in words
        assert "if you answer once" not in words


def test_of_several_questions_each_report_counts_twice_and_a_proof_has_no_bound() -> None:
    survey = make_open(one_of(), triangular())
    bounded, proving = definition_of(survey).losses
    # 2/3 and 1/6 of 3 answers: 4-fold, and 16-fold for two.
    assert odds_bound(twice((bounded,))) == "at most 16‑fold (ε\u00a0≤\u00a02.78)"
    assert odds_bound(twice((proving,))) == "ε\u00a0=\u00a0∞"
