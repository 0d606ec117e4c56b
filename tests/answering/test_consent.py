"""Consent: the whole text before every form, agreed to or declined, and nothing of either is stored."""

import pytest
from django.test import Client
from django.urls import reverse

from surveys.answering.services.collecting import new_nonce
from surveys.models import Response, Survey
from tests.factories import make_open, one_of, yes_no
from tests.pages import page_of, text_of

pytestmark = pytest.mark.django_db

TEXT = "I take part of my own free will. " * 50
# The form, where no button has to open it.
OPEN = 'class="section" id="agreed"'
PAGES = ("answer", "own-coin", "server-coin")


def _asking(**fields: str) -> Survey:
    return make_open(yes_no(), one_of(leave_out="visibly"), consent=TEXT, server_mode_allowed=True, **fields)


def _page(survey: Survey, page: str) -> str:
    return text_of(Client().get(reverse(page, args=[survey.code])))


@pytest.mark.parametrize("page", PAGES)
def test_no_form_is_on_a_page_without_the_whole_text_before_it_and_two_ways_alike(page: str) -> None:
    html = _page(_asking(), page)
    forms = html.split("<form")
    assert len(forms) > 1
    assert TEXT.strip() in forms[0]
    agree, decline = (f'<a class="button secondary" href="#{way}">' for way in ("agreed", "declined"))
    assert html.index(agree) < html.index(decline) < html.index('id="agreed"') < html.index('name="nonce"')
    assert OPEN not in html


def test_with_scripts_it_is_a_step_of_its_own_after_the_practice_and_before_the_first_question() -> None:
    html = _page(_asking(), "answer")
    step = html.index('<section data-step data-lead hidden id="consent">')
    assert html.index('id="checks"') < step < html.index('id="question-1"')
    buttons = html[step : html.index("</section>", step)]
    for button in ('<button class="button secondary large"', '<a class="button secondary large" href="#declined"'):
        assert button in buttons
    assert "I agree" not in html[html.index('id="promise"') : html.index("<noscript>")]


@pytest.mark.parametrize("page", PAGES)
def test_where_no_consent_is_asked_for_no_page_speaks_of_it(page: str) -> None:
    html = _page(make_open(server_mode_allowed=True), page)
    assert "agree" not in html
    assert "#declined" not in html


def test_a_form_that_comes_back_for_what_is_missing_is_open_below_the_text() -> None:
    survey = _asking()
    sent = {"mode": "own_coin", "nonce": new_nonce(), "item-1": "1"}
    for response in (
        Client().post(reverse("answer", args=[survey.code]), sent),
        Client().get(reverse("server-coin", args=[survey.code]) + "?missing=2"),
    ):
        html = text_of(response)
        assert 'id="summary"' in html
        assert html.index(TEXT.strip()) < html.index(OPEN)


def test_declining_without_credit_is_no_address_so_nobody_can_count_it() -> None:
    survey = _asking()
    html = _page(survey, "answer")
    assert html.index('<section class="declined" id="declined"') < html.index('id="promise"')
    assert Client().post(reverse("declined", args=[survey.code]), {"nonce": "x" * 22}).status_code == 404
    assert not Response.objects.exists()


def test_the_ethics_packet_has_the_text_and_what_declining_means() -> None:
    packet = page_of("survey-ethics", _asking())
    assert TEXT.strip() in packet
    assert "decline it before the first question" in packet
    assert "decline" not in page_of("survey-ethics", make_open())
