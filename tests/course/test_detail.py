"""A survey's own page tells of each question what it costs and what its chance means, whatever its kind."""

import re

import pytest
from django.template import Context
from django.urls import reverse
from django.utils import timezone

from surveys.course.selectors import course_of
from surveys.course.services import close_survey
from surveys.course.words import crowd_of
from surveys.drafts.services.groups import add_group
from surveys.models import Survey
from surveys.questionnaire.question import Question
from tests.course.states import STATES
from tests.factories import (
    crosswise,
    fill,
    make_draft,
    make_open,
    number_bands,
    number_mean,
    one_of,
    scale,
    several_of,
    yes_no,
)
from tests.pages import owner_of, page_of

pytestmark = pytest.mark.django_db


def test_every_kind_of_question_has_its_epsilon_and_its_answers() -> None:
    in_the_head = crosswise(parameters={"p": [1, 5]})
    draft = make_draft(yes_no(), one_of(), several_of(), scale(), number_mean(), number_bands(), in_the_head)
    page = page_of("survey-detail", draft)
    assert page.count("ε = 1.10") >= 3
    assert "ε = 1.39" in page
    assert "Never · Once · Often" in page
    assert all(f'<li dir="auto">{option}</li>' in page for option in ("Coffee", "Tablets", "Something illegal"))
    # Of the phone that answers Yes, and of the fact that a respondent knows.
    assert all(f"{share} of 100" in page for share in (75, 25, 80, 20))


@pytest.mark.parametrize(("questions", "counted"), [([several_of()], 1), ([several_of(), yes_no()], 2)])
def test_questions_are_counted_as_people_count_them(questions: list[Question], counted: int) -> None:
    assert re.search(rf" {counted} questions? and ε =", page_of("survey-open", make_draft(*questions)))


def test_the_poster_speaks_the_surveys_language_on_a_page_in_its_readers() -> None:
    page = page_of("survey-share", make_draft(language="de"))
    assert '<html lang="en" dir="ltr">' in page
    assert '<div class="section share" lang="de" dir="ltr">' in page


def _shown(survey: Survey) -> Context:
    """Return what the page of a survey shows to its owner."""
    return owner_of(survey).get(reverse("survey-detail", args=[survey.code])).context


def _more(survey: Survey) -> set[str]:
    """Return where the page of a survey leads besides the next step."""
    shown = _shown(survey)
    return {button.name for places in shown["places"] for button in places.buttons} | {
        link.name for link in shown["links"]
    }


def test_it_leads_to_no_page_twice_and_to_nothing_that_has_come_to_an_end() -> None:
    more = _more(make_draft())
    # The next step has them.
    assert not more & {"survey-preview", "survey-rehearse", "survey-edit"}
    assert {"survey-groups", "survey-versions", "survey-people", "survey-duplicate"} <= more
    more = _more(close_survey(survey=make_open()))
    assert {"survey-results", "survey-present", "survey-rehearse"} <= more
    assert not more & {"survey-groups", "survey-edit"}
    more = _more(STATES["purged"]())
    assert not more & {"survey-results", "survey-present", "survey-rehearse", "survey-groups"}
    assert {"survey-preview", "survey-ethics"} <= more


def test_groups_that_have_answered_can_be_read_after_the_end() -> None:
    survey = make_open()
    add_group(survey=survey, name="North")
    assert "survey-groups" in _more(close_survey(survey=survey))


@pytest.mark.parametrize("state", ["draft", "open", "paused", "closed", "sealed", "purged"])
def test_the_code_stands_large_only_while_it_lets_people_in(state: str) -> None:
    survey = STATES[state]()
    page = page_of("survey-detail", survey)
    joinable = state in {"draft", "open", "paused"}
    assert (f'<p class="code">{survey.code}</p>' in page) == joinable
    assert (f'<span class="mono">{survey.code}</span>' in page) != joinable
    # Times that are over are dates or nothing.
    assert ("<dt>Closes</dt>" in page) == joinable
    assert ("<dt>Opens</dt>" in page) == (state == "draft")


@pytest.mark.parametrize(("received", "counted", "waiting", "needed"), [(3, 0, 3, 7), (12, 12, 0, 0)])
def test_everybody_who_answered_is_a_dot_and_so_is_everybody_who_is_needed(
    received: int, counted: int, waiting: int, needed: int
) -> None:
    survey = make_open()
    fill(survey, {"1": received})
    crowd = crowd_of(course_of(survey, now=timezone.now()))
    assert crowd is not None
    assert (crowd.yes + crowd.no, crowd.empty) == (received, needed)
    assert (crowd.yes, crowd.no) == (counted, waiting)
    page = page_of("survey-detail", survey)
    assert page.count("<circle") == received + needed


def test_a_draft_and_a_mass_have_no_dots() -> None:
    assert crowd_of(course_of(make_draft(), now=timezone.now())) is None
    survey = make_open()
    fill(survey, {"1": 601})
    assert crowd_of(course_of(survey, now=timezone.now())) is None


def test_what_hands_the_code_out_stands_beside_it_unless_it_comes_next_or_nobody_can_join() -> None:
    def beside(survey: Survey) -> list[str]:
        return [button.name for button in _shown(survey)["handouts"]]

    few, enough = make_open(), make_open()
    fill(enough, {"1": 12})
    assert beside(make_draft()) == ["survey-share", "survey-poster"]
    assert beside(few) == ["survey-poster"]
    assert beside(enough) == ["survey-share", "survey-poster"]
    assert beside(close_survey(survey=enough)) == []
    assert beside(make_open(by_invitation=True)) == []
