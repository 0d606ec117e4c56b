"""What somebody should know before they ask, accept, offer or leave, word for word, each of it once."""

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from surveys.models import Survey
from tests.factories import make_draft, make_user
from tests.pages import owner_of, said_on, text_of
from tests.people.asking import ask, browser_of, member_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def survey() -> Survey:
    return make_draft(owner=make_user("olga"), title="Exams")


def _offered(survey: Survey, **stays: str) -> str:
    bert = member_of(survey, "releaser", username="bert")
    owner_of(survey).post(reverse("survey-transfer", args=[survey.code]), {"to": "bert", "code": survey.code} | stays)
    return said_on(text_of(browser_of(bert).get(reverse("invited-as-owner", args=[survey.code]))))


def _page(client: Client, name: str, survey: Survey) -> str:
    return said_on(text_of(client.get(reverse(name, args=[survey.code]))))


@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        ("survey-people", "Whether somebody has this name or address here, and whether they declined, is not shown"),
        ("survey-people", "Nobody takes part without saying yes."),
        ("survey-transfer", "You cannot take it back; they would have to give it back."),
    ],
)
def test_the_owner_reads_it(survey: Survey, page: str, sentence: str) -> None:
    member_of(survey)
    ask(owner_of(survey), survey, "ada")
    assert sentence in _page(owner_of(survey), page, survey)


def test_whoever_is_asked_reads_what_a_yes_and_a_no_tell(survey: Survey) -> None:
    ada = make_user("ada")
    ask(owner_of(survey), survey, "ada")
    page = _page(browser_of(ada), "invited-by-name", survey)
    assert "If you accept, olga sees that your username is ada" in page
    assert "If you decline, nobody is told, not even that you have an account." in page


@pytest.mark.parametrize(
    ("stays", "sentence"),
    [
        ({"stays": "on"}, "olga stays as editor and analyst. You can change that."),
        ({}, "olga has no access any more."),
    ],
)
def test_a_new_owner_reads_what_becomes_of_the_former_one(survey: Survey, stays: dict[str, str], sentence: str) -> None:
    assert sentence in _offered(survey, **stays)


def test_who_leaves_reads_what_that_means(survey: Survey) -> None:
    page = _page(browser_of(member_of(survey)), "survey-leave", survey)
    assert "You give back all your roles, and to you the survey does not exist any more." in page


def test_a_mail_says_that_nothing_happens_without_a_yes(survey: Survey) -> None:
    ask(owner_of(survey), survey, "ada@example.org")
    body = " ".join(str(mail.outbox[0].body).split())
    assert "without your yes nothing happens, and nobody is told whether you have an account." in body
