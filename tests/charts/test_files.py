"""Every chart that a page of results offers as a file can be fetched, with the page's own query."""

import re
from html import unescape

import pytest
from django.urls import reverse

from surveys.common.selectors import definition_of
from tests.browser.simulated import pages, simulated_survey
from tests.charts.samples import parsed
from tests.factories import make_open, make_user
from tests.pages import client_of

QUERY = "?level=.90"


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.uncounted
def test_every_file_that_is_offered_is_a_drawing() -> None:
    teacher = make_user()
    client = client_of(teacher)
    fetched = 0
    survey = simulated_survey(teacher)
    questions = {
        f"question {question.number}": reverse("survey-results-question", args=[survey.code, question.number])
        for question in definition_of(survey).questions
    }
    for name, address in (pages(survey) | questions).items():
        page = client.get(address + QUERY).content.decode()
        offered = [unescape(query) for query in re.findall(r'<a href="(\?[^"]*)" download>', page)]
        assert len(offered) == page.count('<figure class="figure"'), name
        assert len(set(offered)) == len(offered), name
        for link in offered:
            assert link.startswith(QUERY), name
            answered = client.get(address + link)
            assert answered.status_code == 200, link
            assert answered["Content-Type"].startswith("image/svg+xml"), link
            assert answered["Content-Disposition"].startswith("attachment"), link
            drawn = " ".join(parsed(answered.content.decode()).itertext())
            assert not re.search(r"\b(nan|inf|None)\b", drawn), link
            fetched += 1
    assert fetched > 25


@pytest.mark.django_db
@pytest.mark.parametrize("tab", ["survey-results", "survey-results-groups", "survey-results-bayes"])
def test_a_chart_that_is_not_on_the_page_does_not_exist_and_too_few_answers_draw_none(tab: str) -> None:
    teacher = make_user()
    client = client_of(teacher)
    full, empty = simulated_survey(teacher), make_open(owner=teacher)
    assert client.get(reverse(tab, args=[full.code]) + "?chart=nothing").status_code == 404
    answered = client.get(reverse(tab, args=[empty.code]) + "?chart=q1-shares")
    assert answered["Content-Type"].startswith("text/html")
    assert b'id="chart-' not in answered.content
