"""All releases of a survey on one page to print: their terms, what they come to, and the ledger."""

from fractions import Fraction

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from surveys.models import Mechanism, Survey
from tests.factories import make_user, one_of
from tests.releases.setting import make_release, published_release, ready_survey
from tests.releases.steps import text_of

pytestmark = pytest.mark.django_db


def _address(survey: Survey) -> str:
    return f"/admin/surveys/budget/{survey.budget.pk}/report/"


def test_it_lists_every_release_with_its_terms_and_what_all_come_to(staff: Client) -> None:
    survey = ready_survey({"0": 300, "1": 200, "2": 100}, one_of(), title="Our survey")
    make_release(survey, epsilon=Fraction(1, 4), reason="For the board.")
    public = published_release(survey, mechanism=Mechanism.MOST_COMMON, epsilon=Fraction(1, 2))
    text = text_of(staff.get(_address(survey)))
    told = [
        "Our survey",
        "2 releases",
        one_of().text,
        "(600 answers)",
        "For the board.",
        "Drawn as most common",
        f"/r/{public.pk}/",
        "ε = 0.75",
        "Basic composition (what is charged)",
        "Every line stays for good",
    ]
    assert [words for words in told if words not in text] == []


def test_whoever_may_see_the_budget_alone_reads_no_result(client: Client) -> None:
    survey = ready_survey({"0": 300, "1": 200, "2": 100}, one_of())
    make_release(survey, mechanism=Mechanism.MOST_COMMON)
    treasurer = make_user(is_staff=True)
    treasurer.user_permissions.set(Permission.objects.filter(codename="view_budget"))
    client.force_login(treasurer)
    text = text_of(client.get(_address(survey)))
    assert "Most common answer" in text
    assert "Drawn as most common" not in text


def test_a_survey_without_releases_has_a_report_too(staff: Client) -> None:
    assert "Nothing has been released yet." in text_of(staff.get(_address(ready_survey())))
