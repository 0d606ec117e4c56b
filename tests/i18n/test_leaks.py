"""On pages in a language of Hebrew letters, a Latin word of ours is one that nobody can translate."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django.fixtures import Settings

from surveys.models import Survey
from tests.editor.form import NEW, posted, question
from tests.factories import make_admin, make_draft, make_user, several_of, yes_no
from tests.i18n.pseudo import use_pseudo
from tests.i18n.untranslated import leaks
from tests.programs import GETTEXT
from tests.releases.setting import published_release, ready_survey
from tests.releases.steps import STEP_2, STEP_3, terms_of

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(GETTEXT.find() is None, reason=GETTEXT.how_to_install),
]

HEBREW = {"accept-language": "ar"}
# A cited work keeps its title and its authors.
_CITATION = re.compile(r"\b(?:19|20)\d\d\b")
TEXTS = {"title": "מבחנים", "language": "ar"}
ASKED = yes_no("האם העתקת?"), several_of(("קפה", "כדורים"), "במה השתמשת?")


@pytest.fixture(autouse=True)
def _speak(settings: Settings) -> None:
    use_pseudo(settings)


@pytest.fixture
def teacher() -> User:
    return make_user("7654321")


@pytest.fixture
def survey(teacher: User) -> Survey:
    return ready_survey({"010": 30, "111": 12}, *ASKED, owner=teacher, **TEXTS)


def _get(client: Client, address: str) -> str:
    return client.get(address, headers=HEBREW).content.decode()


@pytest.mark.parametrize("address", ["/sign-in/", "/admin/login/"])
def test_where_instructors_come_in_is_translated(client: Client, address: str) -> None:
    assert leaks(_get(client, address)) == []


@pytest.mark.parametrize("page", ["", "share/", "close/", "results/", "preview/"])
def test_an_open_survey_is_translated(client: Client, survey: Survey, page: str) -> None:
    client.force_login(survey.owner)
    assert leaks(_get(client, f"/surveys/{survey.code}/{page}"), survey.code) == []


RESULTS = (
    "results/questions/1/",
    "results/questions/2/",
    "results/groups/",
    "results/relate/",
    "results/relate/?a=1&b=2a",
    "results/regression/",
    "results/regression/?outcome=1&predictor=2a",
    "results/weights/",
    "results/bayes/",
    "results/plan/",
    "results/methods/",
    "export/",
    "export/codebook/",
    "ethics/",
)


@pytest.mark.parametrize("page", RESULTS)
def test_results_and_exports_are_translated(client: Client, survey: Survey, page: str) -> None:
    client.force_login(survey.owner)
    names = f"figures-{survey.code}.csv", survey.code, "testserver/check/"
    found = list(leaks(_get(client, f"/surveys/{survey.code}/{page}"), *names))
    assert [text for text in found if not _CITATION.search(text)] == []


@pytest.mark.parametrize("page", ["", "share/", "open/", "edit/", "preview/"])
def test_a_draft_is_translated(client: Client, teacher: User, page: str) -> None:
    draft = make_draft(*ASKED, owner=teacher, **TEXTS)
    client.force_login(teacher)
    assert leaks(_get(client, f"/surveys/{draft.code}/{page}"), draft.code) == []


def test_the_list_and_the_editor_are_translated(client: Client, survey: Survey) -> None:
    client.force_login(survey.owner)
    assert leaks(_get(client, "/surveys/"), survey.code) == []
    assert leaks(_get(client, NEW)) == []


WRONG = (
    {"text": ""},
    {"kind": "one_of", "options": "א", "design": "k_ary"},
    {"kind": "one_of", "options": "א\nא", "design": "warner", "truth": "1/2"},
    {"kind": "scale", "points": "1", "design": "k_ary", "low_end": ""},
    {"kind": "number_mean", "low": "5", "high": "1", "step": "0"},
    {"kind": "number_bands", "edges": "1", "design": "k_ary"},
    {"design": "crosswise", "innocuous_share": "2"},
    {"design": "unrelated_question"},
    {"design": "triangular", "innocuous_share": "1/2", "innocuous": "א", "innocuous_source": "א"},
    {"truth": "1"},
    {"truth": "א"},
    {"truth": "999999/1000000"},
)
_WRONG_SURVEY = {
    "title": "",
    "language": "אא",
    "minimum_n": "1",
    "response_cap": "0",
    "opens_at": "א",
    "closes_at": "1",
}


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_what_the_editor_refuses_it_refuses_in_words_that_are_translated(
    client: Client, teacher: User, wrong: dict[str, str]
) -> None:
    client.force_login(teacher)
    form = posted(question(**({"text": "האם?"} | wrong)), **_WRONG_SURVEY)
    answer = client.post(NEW, form, headers=HEBREW)
    assert answer.status_code == 422
    assert leaks(answer.content.decode()) == []


@pytest.mark.parametrize("mechanism", ["laplace_histogram", "most_common"])
def test_a_release_is_translated(client: Client, survey: Survey, mechanism: str) -> None:
    release = published_release(survey, mechanism=mechanism, user=make_admin())
    assert leaks(_get(client, f"/r/{release.pk}/"), release.pk) == []


def test_the_pages_of_releasing_are_translated(client: Client, survey: Survey) -> None:
    user = make_admin()
    release = published_release(survey, user=user, reason="סתם")
    client.force_login(user)
    [first] = survey.budget.ledger.filter(number=1)
    people = (user.username, first.created_by.username)
    names = (*people, *map(str.upper, people), first.reason, survey.code, release.pk)
    entry = f"ledgerentry/{release.entry.pk}/change/"
    add = ("release/add/", f"release/add/?survey={survey.pk}", "budget/add/")
    for page in (
        "release/",
        f"releases/{release.pk}/change/",
        "budget/",
        f"budget/{survey.budget.pk}/change/",
        entry,
        *add,
    ):
        assert leaks(_get(client, f"/admin/surveys/{page}"), *names) == [], page
    for changes in (
        {},
        {"epsilon": "100"},
        {"epsilon": "x"},
        {"epsilon": "0"},
        {"questions": []},
        {"mechanism": "mean"},
    ):
        answer = client.post(STEP_2, terms_of(survey, reason="סתם", **changes), headers=HEBREW)
        assert leaks(answer.content.decode(), *names) == [], changes
    refused = client.post(STEP_3, {"terms": "forged", "confirmation": "1"}, headers=HEBREW).content.decode()
    assert leaks(refused, *names) == []


def test_a_word_of_ours_would_be_found() -> None:
    assert list(leaks('<p>שלום Deniable</p><img alt="A picture"><p>Only ABCDEF</p>', "ABCDEF")) == [
        "1: A picture",
        "1: Only ABCDEF",
    ]
