"""What somebody should know before they ask, accept, offer or leave, word for word, each of it once."""

import pytest
from django.core import mail
from django.urls import reverse

from surveys.models import Survey
from tests.factories import make_draft, make_user
from tests.pages import owner_of, said_on, text_of
from tests.people.asking import ask, browser_of, member_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def survey() -> Survey:
    return make_draft(owner=make_user("olga"), title="Exams")


def _page(survey: Survey, name: str) -> str:
    """Return what the page, or the mail, says to the person it is for."""
    owner = owner_of(survey)
    if name == "mail":
        ask(owner, survey, "ada@example.org")
        return " ".join(str(mail.outbox[0].body).split())
    if name.startswith("survey"):
        member = member_of(survey, username="bert")
        ask(owner, survey, "ada")
        reader = browser_of(member) if name == "survey-leave" else owner
    elif name == "invited-by-name":
        reader = browser_of(make_user("ada"))
        ask(owner, survey, "ada")
    else:
        reader = browser_of(member_of(survey, username="bert"))
        stays = {"stays": "on"} if name.endswith("stays") else {}
        owner.post(reverse("survey-transfer", args=[survey.code]), {"to": "bert", "code": survey.code} | stays)
    return said_on(text_of(reader.get(reverse(name.partition(":")[0], args=[survey.code]))))


@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        ("survey-people", "Whether somebody has this name or address here, and whether they declined, is not shown"),
        ("survey-people", "Nobody takes part without saying yes."),
        ("survey-transfer", "You cannot take it back; they would have to give it back."),
        ("survey-leave", "You give back all your roles, and to you the survey does not exist any more."),
        ("invited-by-name", "If you accept, olga sees that your username is ada"),
        ("invited-by-name", "If you decline, nobody is told, not even that you have an account."),
        ("invited-as-owner:stays", "olga stays as editor and analyst. You can change that."),
        ("invited-as-owner:goes", "olga has no access any more."),
        ("mail", "without your yes nothing happens, and nobody is told whether you have an account."),
    ],
)
def test_a_page_says_it(survey: Survey, page: str, sentence: str) -> None:
    assert sentence in _page(survey, page)
