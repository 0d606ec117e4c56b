"""Numbers are written as the language writes them, except where a browser reads them."""

import re
from fractions import Fraction

import pytest
from django.template import Context, Template
from django.test import Client
from django.utils import translation

from surveys.models import Survey
from surveys.numbers.words import at_most, exact_number, four_digits
from surveys.privacy.rationals import plain_decimal
from surveys.releases.words.release import rounded_up
from tests.factories import make_admin
from tests.releases.setting import published_release, ready_survey, spent
from tests.releases.steps import STEP_2, STEP_3, signed_in, terms_of, text_of

GERMAN = {"accept-language": "de"}
_SHAPES = re.compile(r"<(?:svg|rect|line|circle|text|path)\b[^>]*>")
_LENGTHS = re.compile(r'\b(?:x|y|x1|x2|y1|y2|cx|cy|r|rx|width|height)="([^"]*)"')
_LENGTH = re.compile(r"-?\d+(\.\d+)?%?")


def _lengths(page: str) -> list[str]:
    return [length for shape in _SHAPES.findall(page) for length in _LENGTHS.findall(shape)]


def _unreadable(page: str) -> list[str]:
    return [length for length in _lengths(page) if not _LENGTH.fullmatch(length)]


def _drawn() -> Survey:
    return ready_survey({"0": 23, "1": 14}, language="de")


@pytest.mark.django_db
def test_browsers_can_read_the_charts_of_a_german_release(client: Client) -> None:
    page = client.get(f"/r/{published_release(_drawn()).pk}/").content.decode()
    assert '<html lang="de"' in page
    assert len(_lengths(page)) > 10
    assert _unreadable(page) == []


@pytest.mark.django_db
def test_browsers_can_read_the_charts_of_results_shown_in_german(client: Client) -> None:
    survey = _drawn()
    client.force_login(survey.owner)
    page = client.get(f"/surveys/{survey.code}/results/", headers=GERMAN).content.decode()
    assert '<html lang="de"' in page
    assert len(_lengths(page)) > 10
    assert _unreadable(page) == []


def test_a_length_that_was_written_for_people_is_found() -> None:
    template = Template('<svg><rect x="{{ half }}%" width="25%"></rect></svg>')
    with translation.override("de"):
        assert _unreadable(template.render(Context({"half": 12.5}))) == ["12,5%"]


@pytest.mark.parametrize(
    ("language", "small", "bound", "factor"),
    [("en", "0.00016", "1,234.6", "1.28"), ("de", "0,00016", "1.234,6", "1,28"), ("es", "0,00016", "1.234,6", "1,28")],
)
def test_a_release_writes_its_numbers_as_its_language_does(language: str, small: str, bound: str, factor: str) -> None:
    with translation.override(language):
        written = four_digits(0.00016), at_most(1234.56), rounded_up(1.2701)
    assert [text.replace("\xa0", ".") for text in written] == [small, bound, factor]


def test_programs_read_the_same_epsilon_in_every_language() -> None:
    with translation.override("de"):
        assert (plain_decimal(Fraction(1, 2)), exact_number(Fraction(1, 2))) == ("0.5", "0,5")


@pytest.mark.django_db
@pytest.mark.parametrize("typed", ["0,5", "0.5"])
def test_a_german_may_write_an_epsilon_either_way(client: Client, typed: str) -> None:
    survey = ready_survey()
    client.force_login(make_admin())
    page = client.post(STEP_2, terms_of(survey, epsilon=typed), headers=GERMAN)
    assert "ε = 0,5" in text_of(page)
    # What is confirmed may be typed either way as well.
    client.post(STEP_3, {"terms": signed_in(page), "confirmation": typed}, headers=GERMAN)
    assert spent(survey) == 500_000


@pytest.mark.django_db
def test_a_comma_is_no_point_where_people_write_points(client: Client) -> None:
    survey = ready_survey()
    client.force_login(make_admin())
    assert "“0,5” is not a valid ε." in text_of(client.post(STEP_2, terms_of(survey, epsilon="0,5")))


@pytest.mark.django_db
def test_dates_are_in_the_order_of_the_language(client: Client) -> None:
    release = published_release(ready_survey())
    day = release.created_at
    with translation.override("es"):
        assert Template("{{ day|date }}").render(Context({"day": day})).count(" de ") == 2
    page = client.get(f"/r/{release.pk}/").content.decode()
    assert f"drawn on {day.day} {day:%B} {day.year}" in page
