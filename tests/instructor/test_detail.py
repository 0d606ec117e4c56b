"""A survey's own page tells of each question what it costs and what its chance means, whatever its kind."""

import re

import pytest
from django.test import Client

from tests.factories import crosswise, make_draft, number_bands, number_mean, one_of, scale, several_of, yes_no

pytestmark = pytest.mark.django_db


def _page(client: Client, *questions: object, page: str = "", **fields: str) -> str:
    survey = make_draft(*questions, **fields)
    client.force_login(survey.owner)
    return re.sub(r"\s+", " ", client.get(f"/surveys/{survey.code}/{page}").content.decode())


def test_every_kind_of_question_has_its_epsilon_and_its_answers(client: Client) -> None:
    page = _page(client, yes_no(), one_of(), several_of(), scale(), number_mean(), number_bands(), crosswise())
    assert page.count("ε = 1.10") >= 4
    assert "Never · Once · Often" in page
    assert all(f'<li dir="auto">{option}</li>' in page for option in ("Coffee", "Tablets", "Something illegal"))
    assert "If the true answer is Yes, 75 of 100 phones send Yes; if it is No, 25 of 100 do." in page
    assert "of 100 people tap" in page


def test_questions_are_counted_as_people_count_them(client: Client) -> None:
    assert "This one has 1 question, ε =" in _page(client, several_of(), page="open/")
    assert "This one has 2 questions, ε =" in _page(client, several_of(), yes_no(), page="open/")


def test_the_poster_speaks_the_surveys_language_on_a_page_in_its_readers(client: Client) -> None:
    page = _page(client, yes_no(), page="share/", language="de")
    assert '<html lang="en" dir="ltr">' in page
    assert '<div class="card share" lang="de" dir="ltr">' in page
