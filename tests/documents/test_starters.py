"""The templates: each can be opened as it is, in every language, and says where it comes from."""

import datetime as dt
import re
from fractions import Fraction

import pytest
from django.conf import settings
from django.utils import translation

from surveys.common.selectors import draft_of
from surveys.course.services import open_survey
from surveys.documents.services.reading import read_document
from surveys.documents.starters import CLASS_SIZE, STARTERS, Starter, start_from
from surveys.linting.selectors import findings_of
from surveys.questionnaire.facts import facts_in
from surveys.questionnaire.kinds import LARGEST_DENOMINATOR
from tests.factories import make_user

pytestmark = pytest.mark.django_db

LANGUAGES = [code for code, _name in settings.LANGUAGES]
every_starter = pytest.mark.parametrize("starter", STARTERS, ids=lambda starter: starter.key)


def test_there_are_at_least_eight_with_names_of_their_own() -> None:
    assert len({starter.key for starter in STARTERS}) == len(STARTERS) >= 8
    assert len({str(starter.topic) for starter in STARTERS}) == len(STARTERS)


@every_starter
def test_it_can_be_opened_as_it_is(starter: Starter) -> None:
    survey = start_from(starter, owner=make_user(), language="en")
    assert open_survey(survey=survey).state == "open"


@every_starter
@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_a_whole_survey_in_every_language(starter: Starter, language: str) -> None:
    with translation.override(language):
        content = read_document(starter.document)
    assert content.fields["language"] == language
    # Whatever its words are, it asks the same.
    assert content.definition.epsilon == starter.content.definition.epsilon


@every_starter
def test_it_names_the_study_that_it_comes_from_with_its_year(starter: Starter) -> None:
    study = re.fullmatch(r"(?P<name>\w+).*\((?P<year>\d{4})\)", starter.after)
    assert study is not None
    name, year = study["name"], study["year"]
    assert starter.sources[0].startswith(name)
    assert f"({year})" in starter.sources[0]


@every_starter
def test_it_asks_within_a_time_and_without_double_negatives(starter: Starter) -> None:
    for question in starter.content.questions:
        text = question.text.lower()
        assert text.endswith("?")
        assert not re.search(r"\b(never|not|n’t|don't)\b.*\b(never|not|without)\b", text)
        if starter.key != "card-deck":
            assert any(time in text for time in ("12 months", "last", "this school year"))


@every_starter
def test_its_privacy_is_finite_and_its_facts_serve_one_question_each(starter: Starter) -> None:
    definition = starter.content.definition
    assert 0 < definition.epsilon < 5
    assert all(item.design.denominator <= LARGEST_DENOMINATOR for item in definition.items)
    facts = [fact for question in starter.content.questions for fact in facts_in(question.details)]
    assert len(set(facts)) == len(facts)


def test_the_shares_of_birthdays_are_those_of_the_calendar() -> None:
    days = [dt.date(2025, 1, 1) + dt.timedelta(days=number) for number in range(365)]
    late = Fraction(sum(day.day >= 10 for day in days), 365)
    early = Fraction(sum(day.month <= 6 for day in days), 365)
    first_quarter = Fraction(sum(day.month <= 3 for day in days), 365)
    for starter in STARTERS:
        for question in starter.content.questions:
            if question.design == "unrelated_question":
                assert [Fraction(*question.parameters[name]) for name in "pq"] == [late, early]
            if question.design == "crosswise":
                assert Fraction(*question.parameters["p"]) == first_quarter


def test_the_numbers_on_the_cards_are_those_of_the_survey() -> None:
    for starter in STARTERS:
        survey = start_from(starter, owner=make_user(), language="de")
        definition = draft_of(survey)
        assert len(starter.questions) == len(survey.questions)
        assert sum(loss.epsilon for loss in starter.losses) == definition.epsilon
        assert starter.in_the_head == all(question.in_the_head for question in definition.questions)
        assert (starter.half_width > 0.25) == (starter.least > CLASS_SIZE)


@every_starter
def test_the_linter_finds_nothing_to_say_about_it(starter: Starter) -> None:
    findings = findings_of(start_from(starter, owner=make_user(), language="en"))
    # Which question is an anchor only its author knows: that one is reminded to choose it.
    expected = {"only_an_anchor_tells_who_follows"} if starter.key == "plagiarism" else set()
    assert {finding.rule for finding in findings} == expected


def test_both_designs_of_the_card_deck_protect_equally() -> None:
    deck = next(starter for starter in STARTERS if starter.key == "card-deck")
    first, second = deck.content.definition.questions
    assert first.design.matrix == second.design.matrix


def test_the_truth_of_the_card_deck_is_the_one_that_is_planned_with() -> None:
    deck = next(starter for starter in STARTERS if starter.key == "card-deck")
    assert deck.content.fields["expected_share"] == round(100 * 12 / 52)
