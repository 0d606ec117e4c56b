"""All releases of a survey on one page to print: their terms, what they come to, and the ledger."""

from fractions import Fraction

import pytest
from django.test import Client

from surveys.models import Mechanism, Survey
from surveys.releases.ledger.selectors import Composition
from surveys.releases.selectors.reading import reading_of
from surveys.releases.words.release import release_headline
from tests.factories import one_of
from tests.releases.setting import make_release, published_release, ready_survey, staff_with
from tests.releases.steps import text_of

pytestmark = pytest.mark.django_db


def _address(survey: Survey) -> str:
    return f"/admin/surveys/budget/{survey.budget.pk}/report/"


def test_it_lists_every_release_with_its_terms_and_what_all_come_to(staff: Client) -> None:
    survey = ready_survey({"0": 300, "1": 200, "2": 100}, one_of(), title="Our survey")
    make_release(survey, epsilon=Fraction(1, 4), reason="For the board.")
    public = published_release(survey, mechanism=Mechanism.MOST_COMMON, epsilon=Fraction(1, 2))
    page = staff.get(_address(survey))
    text = text_of(page)
    shown = [
        "Our survey",
        one_of().text,
        "(600 ",
        "For the board.",
        release_headline(reading_of(public)),
        f"/r/{public.pk}/",
        "ε = 0.75",
        str(Composition.BASIC.label),
    ]
    assert [words for words in shown if words not in text] == []
    assert len(page.context["releases"]) == 2


def test_whoever_may_see_the_budget_alone_reads_no_result(client: Client) -> None:
    survey = ready_survey({"0": 300, "1": 200, "2": 100}, one_of())
    release = make_release(survey, mechanism=Mechanism.MOST_COMMON)
    client.force_login(staff_with("view_budget"))
    text = text_of(client.get(_address(survey)))
    assert release.get_mechanism_display() in text
    assert release_headline(reading_of(release)) not in text


def test_a_survey_without_releases_has_a_report_too(staff: Client) -> None:
    page = staff.get(_address(ready_survey()))
    assert (page.status_code, list(page.context["releases"])) == (200, [])
