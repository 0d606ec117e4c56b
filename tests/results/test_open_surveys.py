"""A survey with plain questions or arms shows nothing but the number of its responses until it is closed."""

import re
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from surveys.common.selectors import definition_of
from surveys.course.selectors import CourseStage, course_of
from surveys.course.services import close_survey, show_result
from surveys.drafts.services.surveys import NotAllowedNow
from surveys.estimation.claims import FigureOptions
from surveys.exporting.figures import figures_shown
from surveys.exporting.selectors import GroupNames
from surveys.models import Survey
from surveys.responses.selectors.snapshot import WithheldError, snapshot_of
from surveys.responses.told import recode
from surveys.results.pages import TABS
from surveys.results.report import Refusal
from tests.factories import fill, make_open, plain, two_lists, yes_no
from tests.pages import owner_of, page_of, presentation_of, words_of
from tests.questionnaire.test_branches import after
from tests.results.drawn import numbers_in
from tests.results.seen import context_of

pytestmark = pytest.mark.django_db
ARMS = [{"name": "A", "weight": 1}, {"name": "B", "weight": 1}]
WAITING: dict[str, tuple[list[Any], dict[str, Any], dict[str, int]]] = {
    "plain": ([yes_no(), plain()], {}, {"00": 30, "11": 40, "02": 30}),
    "branch": ([plain(), yes_no("Did you help?", **after(1, 1))], {}, {"0-": 30, "11": 40, "10": 30}),
    "arms": ([yes_no(), yes_no("Only some?", arms=[1])], {"arms": ARMS}, {"000": 30, "110": 30, "1-1": 40}),
    "lists": (
        [*two_lists(design="plain", parameters={}), yes_no("All?", leave_out="no")],
        {"arms": ARMS},
        {"1-00": 50, "-111": 50},
    ),
}


@pytest.fixture(params=WAITING)
def survey(request: pytest.FixtureRequest) -> Survey:
    questions, fields, counts = WAITING[request.param]
    survey = make_open(*questions, **fields)
    fill(survey, counts)
    return survey


def test_each_tab_waits(survey: Survey) -> None:
    assert "data-enough" not in page_of("survey-results", survey)  # which loads the addresses of all tabs
    names = [tab.name for tab in TABS]
    assert len(names) > 5
    for name in names:
        assert context_of(name, survey)["refusal"] == Refusal.WITHHELD, name
        assert re.findall(r"data-figure|class=\"(?:large-figure|finding)", page_of(name, survey)) == [], name


def test_a_questions_page_the_projector_and_the_survey_show_that_it_waits(survey: Survey) -> None:
    assert context_of("survey-results-question", survey, number=1)["refusal"] == Refusal.WITHHELD
    slides = presentation_of(survey)
    assert "reveal-1" not in slides
    # Not for want of answers: of how many that takes nothing stands there.
    assert numbers_in(words_of("<" + slides.split('id="reveal"')[1].split("</section>")[0])) == []
    assert course_of(survey, now=timezone.now()).stage == CourseStage.UNSHOWN


@pytest.mark.parametrize("name", ["survey-export-figures-csv", "survey-export-figures-json", "survey-export-csv"])
def test_no_file_is_given(survey: Survey, name: str) -> None:
    response = owner_of(survey).get(reverse(name, args=[survey.code]))
    assert response.status_code == 409
    assert "Content-Disposition" not in response


def test_nothing_behind_the_pages_can_be_counted(survey: Survey) -> None:
    definition, snapshot = recode(definition_of(survey), snapshot_of(survey, definition_of(survey)))
    for count in (
        lambda: snapshot.on(0),
        lambda: snapshot.table(0, 1, (2, 2)),
        lambda: snapshot.responses(items=len(definition.columns)),
    ):
        with pytest.raises(WithheldError):
            count()
    with pytest.raises(ValueError, match="closed"):
        list(figures_shown(definition, definition, snapshot, GroupNames({}, {}), FigureOptions()))


def test_nobody_who_answered_is_shown_it(survey: Survey) -> None:
    with pytest.raises(NotAllowedNow):
        show_result(survey=survey)
    assert show_result(survey=close_survey(survey=survey)).result_on_receipt


def test_once_closed_it_is_shown(survey: Survey) -> None:
    assert "data-enough" in page_of("survey-results", close_survey(survey=survey))


def test_any_other_open_survey_shows_its_totals() -> None:
    survey = make_open(yes_no(), yes_no("And?"))
    fill(survey, {"00": 30, "11": 40})
    assert "data-enough" in page_of("survey-results", survey)


def test_one_that_nobody_answered_can_be_closed() -> None:
    for questions, fields, _counts in WAITING.values():
        assert close_survey(survey=make_open(*questions, **fields)).state == "closed"
