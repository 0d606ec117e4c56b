"""What somebody should know before they ask, accept, offer or leave, word for word, each of it once."""

import pytest
from django.core import mail
from django.urls import reverse

from surveys.models import Survey
from tests.factories import make_draft, make_user
from tests.pages import client_of, owner_of, said_on, text_of
from tests.people.asking import ask, member_of

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
        reader = client_of(member) if name == "survey-leave" else owner
    elif name == "invited-by-name":
        reader = client_of(make_user("ada"))
        ask(owner, survey, "ada")
    else:
        reader = client_of(member_of(survey, username="bert"))
        stays = {"stays": "on"} if name.endswith("stays") else {}
        owner.post(reverse("survey-transfer", args=[survey.code]), {"to": "bert", "code": survey.code} | stays)
    return said_on(text_of(reader.get(reverse(name.partition(":")[0], args=[survey.code]))))


@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        (
            "survey-people",
            "For privacy, this page does not show whether an invited person has an account here or has declined.",
        ),
        (
            "survey-people",
            "valid for two weeks. Nobody joins the team without accepting.",
        ),
        (
            "survey-transfer",
            "The new owner will decide everything, including whether you may work on the survey. You can’t undo the "
            "transfer. Only the new owner can transfer the survey back.",
        ),
        (
            "survey-leave",
            "If you leave, you give up all your roles and can no longer open the survey. What you wrote and released "
            "stays. Only the survey owner can invite you again.",
        ),
        ("invited-by-name", "If you accept, olga will see that your username is ada"),
        (
            "invited-by-name",
            "If you decline, nobody on the team is shown that you declined or that you have an account.",
        ),
        ("invited-as-owner:stays", "olga will stay on as editor and analyst. You can change these roles."),
        ("invited-as-owner:goes", "olga will lose access to the survey."),
        ("mail", "do nothing. Unless you accept, nothing happens and nobody learns whether you have an account."),
    ],
)
def test_a_page_says_it(survey: Survey, page: str, sentence: str) -> None:
    assert sentence in _page(survey, page)
