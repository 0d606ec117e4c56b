"""A survey's own page tells of each question what it costs and what its chance means, whatever its kind."""

import re

import pytest
from django.test import Client
from django.utils import timezone

from surveys.course.selectors import course_of
from surveys.course.services import close_survey
from surveys.course.words import crowd_of
from surveys.drafts.services.groups import add_group
from surveys.models import Survey
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
from tests.pages import owner_of, text_of

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
    assert '<div class="section share" lang="de" dir="ltr">' in page


def _more(client: Client, survey: Survey) -> set[str]:
    """Return what the page of a survey leads to besides the next step."""
    page = text_of(client.get(f"/surveys/{survey.code}/"))
    more = page.split('id="places"')[1].split("</nav>")[0]
    return {" ".join(words.split()) for words in re.findall(r"<(?:a|button)[^>]*>(.*?)</", more)}


def test_it_leads_nowhere_twice_and_to_nothing_that_has_come_to_an_end() -> None:
    draft = make_draft()
    more = _more(owner_of(draft), draft)
    # The next step has them.
    assert not more & {"Preview", "Rehearse", "Edit"}
    assert {"Groups", "Saved drafts", "People and roles", "Duplicate"} <= more
    survey = close_survey(survey=make_open())
    more = _more(owner_of(survey), survey)
    assert {"Results", "Present", "Rehearse"} <= more
    assert not more & {"Groups", "Edit"}
    purged = STATES["purged"]()
    more = _more(owner_of(purged), purged)
    assert not more & {"Results", "Present", "Rehearse", "Groups"}
    assert {"Preview", "Ethics packet"} <= more


def test_groups_that_have_answered_can_be_read_after_the_end() -> None:
    survey = make_open()
    add_group(survey=survey, name="North")
    assert "Groups" in _more(owner_of(survey), close_survey(survey=survey))


@pytest.mark.parametrize("state", ["draft", "open", "paused", "closed", "sealed", "purged"])
def test_the_code_stands_large_only_while_it_lets_people_in(state: str) -> None:
    survey = STATES[state]()
    page = text_of(owner_of(survey).get(f"/surveys/{survey.code}/"))
    joinable = state in {"draft", "open", "paused"}
    assert (f'<p class="code">{survey.code}</p>' in page) == joinable
    assert (f'The join code was <span class="mono">{survey.code}</span>.' in page) != joinable
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
    page = text_of(owner_of(survey).get(f"/surveys/{survey.code}/"))
    assert page.count("<circle") == received + needed


def test_a_draft_and_a_mass_have_no_dots() -> None:
    assert crowd_of(course_of(make_draft(), now=timezone.now())) is None
    survey = make_open()
    fill(survey, {"1": 601})
    assert crowd_of(course_of(survey, now=timezone.now())) is None


def test_what_hands_the_code_out_stands_beside_it_unless_it_comes_next_or_nobody_can_join() -> None:
    def beside(survey: Survey) -> list[str]:
        page = text_of(owner_of(survey).get(f"/surveys/{survey.code}/"))
        return re.findall(r'<a class="tall"[^>]*>(.*?)</a>', page)

    few, enough = make_open(), make_open()
    fill(enough, {"1": 12})
    assert beside(make_draft()) == ["Share", "Poster"]
    assert beside(few) == ["Poster"]
    assert beside(enough) == ["Share", "Poster"]
    assert beside(close_survey(survey=enough)) == []
    assert beside(make_open(by_invitation=True)) == []
