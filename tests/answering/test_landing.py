"""The front door: an example whose figures are those that the results pages would show, each dot a person."""

import math
import re

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from surveys.answering.charts import EXAMPLE, noise_and_signal
from surveys.estimation.prevalence import estimate_prevalence
from surveys.privacy.designs.two_answer import forced_response
from tests.pages import text_of, words_of

pytestmark = pytest.mark.django_db


def test_the_example_s_figures_are_what_the_estimator_makes_of_its_answers() -> None:
    estimate = estimate_prevalence([EXAMPLE.people - EXAMPLE.sent_yes, EXAMPLE.sent_yes], forced_response())
    interval = estimate.interval(confidence_level=0.95, method="wilson")
    assert round(100 * estimate.point[1]) == EXAMPLE.of_100
    assert (math.floor(100 * interval.low[1]), math.ceil(100 * interval.high[1])) == (EXAMPLE.low, EXAMPLE.high)
    assert EXAMPLE.of_100 - EXAMPLE.low == EXAMPLE.high - EXAMPLE.of_100 == EXAMPLE.off


def test_there_are_a_hundred_dots_and_as_many_filled_as_say_yes() -> None:
    def number(paths: tuple[str, ...]) -> int:
        return "".join(paths).count("M")

    noise, settled = noise_and_signal()
    assert (number(noise.filled), number(noise.filled + noise.rings)) == (EXAMPLE.reported_of_100, 100)
    assert (number(settled.filled), number(settled.filled + settled.rings)) == (EXAMPLE.of_100, 100)
    assert noise_and_signal.__wrapped__() == (noise, settled)
    page = text_of(Client().get("/"))
    drawn = [re.findall(r'class="outer" d="([^"]+)"', field) for field in page.split("field-of-dots")[1:]]
    assert [number(tuple(paths)) for paths in drawn] == [100] * 2
    numbers = re.findall(r"<strong>(\d+) of 100</strong>", page)
    assert numbers == [str(EXAMPLE.reported_of_100), str(EXAMPLE.of_100)]


def test_a_stranger_reads_what_it_is_and_what_to_press_in_two_hundred_words() -> None:
    page = text_of(Client().get("/"))
    words = words_of(page.split("<main")[1].split("</main>")[0])
    assert len(words.split()) <= 200
    assert page.index('id="code"') < page.index("signal-band")
    assert f'href="{reverse("survey-start")}"' in page


def test_what_is_not_there_is_the_one_dot_that_is_missing_beside_a_field_for_a_code() -> None:
    page = text_of(Client().get("/nowhere/"))
    drawing = page.split('class="missing-dot"')[1].split("</svg>")[0]
    assert (drawing.count("M"), drawing.count("<circle")) == (99, 1)
    assert 'action="/join"' in page


@pytest.mark.parametrize("sign_up", ["open", "invitation"])
def test_where_accounts_are_by_invitation_the_front_door_says_so(sign_up: str, settings: Settings) -> None:
    settings.SIGN_UP = sign_up
    # With a query, as the page without one is kept from before.
    said = "Accounts by invitation only" in text_of(Client().get("/?from=poster"))
    assert said == (sign_up == "invitation")
