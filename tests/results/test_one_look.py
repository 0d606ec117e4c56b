"""Beside intervals of a survey that may still take answers stands that they are of one look, and nowhere else."""

import datetime as dt

import pytest
from django.test import Client
from django.utils import timezone

from surveys.answering.views.receipt import DONE_COOKIE
from surveys.course.services import close_survey, pause_survey, show_result
from surveys.estimation.intervals.sequence import SEQUENCE
from surveys.models import Survey
from surveys.results.pages import QUESTION, TABS
from tests.factories import fill, make_open, yes_no
from tests.pages import owner_of, page_of, presentation_of, text_of

pytestmark = pytest.mark.django_db
SAYS = 'data-says="one-look"'
_WITHOUT_INTERVALS = {"survey-results-bayes", "survey-results-plan"}


def _pages(survey: Survey) -> dict[str, str]:
    """Every page that shows intervals of the answers: the tabs, a question's page, the slides and the receipt's."""
    tabs = {tab.name: page_of(tab.name, survey) for tab in TABS if tab.name not in _WITHOUT_INTERVALS}
    somebody = Client()
    somebody.cookies[DONE_COOKIE] = "1"
    return tabs | {
        "live figures": page_of("survey-figures", survey),
        "question": page_of("survey-results-question", survey, number=1),
        "slides": presentation_of(survey),
        "live slides": page_of("survey-present-live", survey, "?figures"),
        "receipt": text_of(somebody.get(f"/s/{survey.code}/receipt/result/")),
    }


def _answered(**fields: object) -> Survey:
    survey = make_open(yes_no(leave_out="no"), yes_no("And?", leave_out="no"), **fields)
    fill(survey, {"00": 60, "11": 40})
    return show_result(survey=survey)


def test_while_a_survey_is_open_or_paused_every_page_says_so_and_none_once_it_is_closed() -> None:
    survey = _answered()
    assert [name for name, page in _pages(survey).items() if SAYS not in page] == []
    assert SAYS not in page_of("survey-results-plan", survey)
    survey = pause_survey(survey=survey)
    assert SAYS in page_of("survey-results", survey)
    survey = close_survey(survey=survey)
    assert [name for name, page in _pages(survey).items() if SAYS in page] == []


def test_intervals_for_every_look_say_so_where_the_method_is_theirs_and_the_others_that_they_are_of_one() -> None:
    survey, every = _answered(), 'data-says="every-look"'
    of_method = {tab.name for tab in [*TABS, QUESTION] if tab.by_method}
    assert of_method == {f"survey-results{name}" for name in ("", "-question", "-groups", "-methods")}
    for tab in [*TABS, QUESTION]:
        if tab.name in _WITHOUT_INTERVALS:
            continue
        number = 1 if tab is QUESTION else None
        page = page_of(tab.name, survey, f"?method={SEQUENCE}", number=number)
        assert (every in page, SAYS in page) == (tab.by_method, not tab.by_method), tab.name
        # Where one can choose, the sentence on one look leads there.
        offered = f"method={SEQUENCE}&amp;level=.95" in page_of(tab.name, survey, number=number)
        assert offered == tab.by_method, tab.name
    assert every in page_of("survey-figures", survey, f"?method={SEQUENCE}")
    closed = page_of("survey-results", close_survey(survey=survey), f"?method={SEQUENCE}")
    assert (every in closed, SAYS in closed) == (False, False)


@pytest.mark.parametrize("number", [100, 101])
def test_as_many_as_the_survey_wants_are_the_end_of_looking(number: int) -> None:
    survey = _answered(response_cap=number)
    assert {SAYS in page for page in _pages(survey).values()} == {number > 100}


@pytest.mark.parametrize("minutes", [-1, 60])
def test_so_is_its_closing_time(minutes: int) -> None:
    survey = _answered(closes_at=timezone.now() + dt.timedelta(minutes=minutes))
    assert {SAYS in page for page in _pages(survey).values()} == {minutes > 0}


def test_live_figures_are_new_once_the_closing_time_has_come() -> None:
    survey = _answered(closes_at=timezone.now() + dt.timedelta(minutes=60))
    client = owner_of(survey)
    for name in ("results/figures/", "present/live/?figures"):
        Survey.objects.update(closes_at=timezone.now() + dt.timedelta(minutes=60))
        address = f"/surveys/{survey.code}/{name}"
        etag = client.get(address)["ETag"]
        assert client.get(address, headers={"if-none-match": etag}).status_code == 304
        Survey.objects.update(closes_at=timezone.now())
        later = client.get(address, headers={"if-none-match": etag})
        assert (later.status_code, SAYS in text_of(later)) == (200, False)
