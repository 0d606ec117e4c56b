"""A made-up tab and a made-up section: a file and a template each, and one line in a list."""

import sys
from typing import Any

import pytest
from django.template.loaders.locmem import Loader
from django.test import RequestFactory
from django.urls import reverse
from pytest_django.fixtures import Settings

from surveys.models import Right
from surveys.results import pages, tabs
from surveys.results.figures.questions import QuestionResult
from surveys.results.pages import Tab, question
from surveys.results.report import Report
from surveys.results.sections.section import Section
from tests.factories import fill, make_open, yes_no
from tests.pages import owner_of, page_of

pytestmark = pytest.mark.django_db
TEMPLATES = {
    "results/test_made_up.html": "{% extends 'results/base.html' %}{% block results %}<p>{{ half }}</p>{% endblock %}",
    "made_up_section.html": "<p>{{ section.words }}</p>",
}


@pytest.fixture(autouse=True)
def _templates(settings: Settings) -> None:
    (engine,) = settings.TEMPLATES
    loaders = [(f"{Loader.__module__}.Loader", TEMPLATES), "django.template.loaders.filesystem.Loader"]
    options = engine["OPTIONS"] | {"loaders": loaders}
    settings.TEMPLATES = [engine | {"APP_DIRS": False, "OPTIONS": options}]


def build(report: Report) -> dict[str, Any]:
    """Return what the made-up tab shows."""
    return {"half": f"half are {report.results.n // 2}"}


def test_a_tab(monkeypatch: pytest.MonkeyPatch, rf: RequestFactory) -> None:
    survey = make_open(yes_no(leave_out="no"))
    fill(survey, {"1": 20, "0": 22})
    monkeypatch.setitem(sys.modules, f"{pages.__name__}.test_made_up", sys.modules[__name__])
    tab = Tab("survey-results-methods", "made-up/", "Made up", "test_made_up")
    monkeypatch.setattr(tabs, "TABS", [*tabs.TABS[:2], tab])
    request = rf.get("/")
    request.user, request.rights = survey.owner, frozenset(Right)
    request.resolver_match = type("Match", (), {"url_name": tab.name})
    page = tabs.survey_tab(request, survey.code, tab=tab.name).content.decode()
    assert "half are 21" in page
    assert f'<a href="{reverse(tab.name, args=[survey.code])}?method=wilson&amp;level=.95" aria-current="page">' in page
    # It is in the navigation of the others.
    assert "Made up" in page_of("survey-results-groups", survey)


def test_a_section(monkeypatch: pytest.MonkeyPatch) -> None:
    def section(report: Report, result: QuestionResult) -> Section | None:
        words = f"{result.n} of {report.survey.code}"
        return Section({"words": words}, below="made_up_section.html", origin=["It is made up."], notices=["Look out."])

    survey = make_open(yes_no(leave_out="no"), yes_no("And?", leave_out="no"))
    fill(survey, {"11": 20, "00": 22})
    monkeypatch.setattr(question, "OF_A_QUESTION", [*question.OF_A_QUESTION, section])
    page = owner_of(survey).get(reverse("survey-results-question", args=[survey.code, 1])).content.decode()
    for words in (f"<p>42 of {survey.code}</p>", "It is made up.", "Look out."):
        assert words in page
