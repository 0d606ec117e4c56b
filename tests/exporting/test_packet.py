"""The ethics packet, read whole: what a board has to know is there, once, and what does not apply is not."""

import re
from fractions import Fraction

import pytest
from django.http import HttpResponse
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse

from surveys.answering.words.designs import odds_bound
from surveys.common.selectors import definition_of
from surveys.drafts.figures import expected_of
from surveys.models import Membership, Role, Survey
from surveys.numbers.words import points
from surveys.questionnaire.designs import label_of
from tests.factories import crosswise, make_draft, make_open, make_user, number_mean, plain, yes_no
from tests.pages import owner_of, tables_of, text_of, words_of

pytestmark = pytest.mark.django_db
TWO = [{"name": "Coins", "weight": 2}, {"name": "Birthdays", "weight": 1}]


@pytest.fixture
def survey() -> Survey:
    return make_draft(
        plain(leave_out="no"),
        yes_no("Did you cheat?", arms=[1], quantity=1, leave_out="no"),
        crosswise("Did you cheat?", arms=[2], quantity=1, leave_out="no"),
        yes_no("Did you pay for it?", asked_if={"question": 1, "answers": [1, 2]}),
        number_mean(),
        arms=TWO,
        expected_n=300,
        expected_share=20,
    )


def _packet(survey: Survey) -> HttpResponse:
    return owner_of(survey).get(reverse("survey-ethics", args=[survey.code]))


def test_how_precise_each_question_will_be_is_what_planning_says(survey: Survey) -> None:
    packet = _packet(survey)
    questions = definition_of(survey).questions
    [rows] = [rows for _caption, rows in tables_of(text_of(packet)) if rows[1][0] == f"1. {questions[0].text}"]
    asked = [300, 200, 100, 200, 300]
    for question, n, row in zip(questions, asked, rows[1:], strict=True):
        expected = expected_of(question, n=n, share=Fraction(1, 5))
        assert row[:2] == [f"{question.number}. {question.text}", str(n)]
        if not question.first.range:
            assert row[2] == f"±{points(expected.half_width)}"
    assert (packet.context["branches"], packet.context["numbers"]) == (True, True)


def test_odds_are_explained_and_what_asks_for_the_same_is_named(survey: Survey) -> None:
    packet = _packet(survey)
    assert "27‑fold" in odds_bound(packet.context["definition"].costliest.losses)
    assert packet.context["compared"] == [(2, 3)]
    assert packet.context["arms"][0].odds == Fraction(2, 3)
    # 3-fold odds: 1 to 1 are 3 to 1, and 1 to 9 are 1 to 3.
    assert [3 * odds / (1 + 3 * odds) for odds in (Fraction(1), Fraction(1, 9))] == [Fraction(3, 4), Fraction(1, 4)]


def test_each_technique_is_named_and_explained_once_with_its_probabilities(survey: Survey) -> None:
    words = words_of(text_of(_packet(survey)))
    definition = definition_of(survey)
    assert words.count(f": {label_of('forced_response')}. ") == 3
    assert words.count(f": {label_of('crosswise')}. ") == 1
    assert words.count(definition.questions[2].chance.innocuous) == 1
    # The line at the question says the same as the odds.
    assert "if No, 25." not in words


def test_the_headline_is_what_respondents_read_first_and_the_introduction_comes_after_it() -> None:
    survey = make_draft(yes_no(), introduction="Why we ask.")
    headline = render_to_string("answering/_headline.html", {"definition": definition_of(survey)})
    words = words_of(text_of(_packet(survey)).partition('aria-labelledby="first-title"')[2])
    assert words.index(" ".join(headline.split())) < words.index("Why we ask.")


def _limits(page: str) -> set[str]:
    """Return what a page says that is not protected, by the beginning of each point."""
    points = page.partition('aria-labelledby="limits-title"')[2].partition("</section>")[0]
    return {words_of(point)[:30] for point in re.findall(r"<li>(.*?)</li>", points)}


def test_each_limit_is_in_sight_where_the_survey_has_it() -> None:
    few = text_of(_packet(make_draft(yes_no())))
    assert "<details" not in few[few.index("<main") :]
    survey = make_open(plain(), crosswise(leave_out="no"), by_invitation=True, server_mode_allowed=True)
    survey.groups.create(slug="north", name="North")
    every = {words_of(point)[:30] for point in re.findall(r"<li>(.*?)</li>", text_of(Client().get(reverse("check"))))}
    some, more = _limits(few), _limits(text_of(_packet(survey)))
    assert some <= every
    assert more <= every
    # A fact, a group, an invitation, the server's coins and an unprotected answer; and no device that could flip again.
    assert (len(more - some), len(some - more)) == (5, 1)


def test_the_board_reads_how_many_can_take_reports_away() -> None:
    survey = make_open(yes_no())
    assert _packet(survey).context["analysts"] == 0
    for role in (Role.ANALYST, Role.EDITOR):
        Membership.objects.create(survey=survey, user=make_user(), role=role)
    assert _packet(survey).context["analysts"] == 1
