"""Who gets which page: every address of the instructor, every role, every method."""

import pytest
from django.test import Client
from django.urls import get_resolver, reverse

from surveys.models import Survey
from tests.factories import PASSWORD, make_admin, make_draft, make_open, make_user
from tests.instructor.editing import owner_of, posted, question, signed_in

pytestmark = pytest.mark.django_db

# Name of the address, methods that its owner may use on an opened survey, and the status of the first.
RESULTS = (
    "survey-results",
    "survey-figures",
    "survey-results-question",
    "survey-results-groups",
    "survey-results-relate",
    "survey-results-regression",
    "survey-results-bayes",
    "survey-results-plan",
    "survey-results-methods",
)
EXPORTS = (
    "survey-export",
    "survey-export-codebook",
    "survey-export-codebook-csv",
    "survey-export-r",
    "survey-export-python",
    "survey-export-notebook",
    "survey-ethics",
)
# Without enough responses there is nothing to export.
REPORTS = ("survey-export-csv", "survey-export-labels", "survey-export-json")
PAGES = {
    "survey-detail": ({"get": 200}, "draft"),
    "survey-edit": ({"get": 200, "post": 302}, "draft"),
    "survey-preview": ({"get": 200}, "draft"),
    "survey-share": ({"get": 200}, "draft"),
    "survey-qr": ({"get": 200}, "draft"),
    "survey-groups": ({"get": 200, "post": 422}, "draft"),
    "survey-invitations": ({"get": 200, "post": 422}, "draft"),
    "survey-invitations-csv": ({"post": 422}, "draft"),
    "survey-open": ({"get": 200, "post": 302}, "draft"),
    "survey-pause": ({"post": 302}, "open"),
    "survey-close": ({"get": 200, "post": 302}, "open"),
    **{name: ({"get": 200}, "draft") for name in (*RESULTS, *EXPORTS)},
    **{name: ({"get": 409}, "draft") for name in REPORTS},
}
METHODS = ("get", "post", "put", "patch", "delete")


def _survey(name: str) -> Survey:
    return make_open() if PAGES[name][1] == "open" else make_draft()


def _address(name: str, survey: Survey) -> str:
    return reverse(name, args=[survey.code, 1] if name == "survey-results-question" else [survey.code])


def _send(client: Client, method: str, address: str) -> int:
    data = posted(question()) if method == "post" else {}
    return int(getattr(client, method)(address, data).status_code)


def test_every_address_of_a_survey_stands_in_the_table() -> None:
    names = {name for name in get_resolver().reverse_dict if isinstance(name, str) and name.startswith("survey-")}
    assert names == {*PAGES, "survey-list", "survey-new"}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", PAGES)
def test_the_owner_gets_what_the_method_allows_and_nothing_else(name: str, method: str) -> None:
    survey = _survey(name)
    expected = PAGES[name][0].get(method, 405)
    assert _send(owner_of(survey), method, _address(name, survey)) == expected


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", PAGES)
def test_for_another_instructor_the_survey_does_not_exist(name: str, method: str) -> None:
    survey = _survey(name)
    assert _send(signed_in(), method, _address(name, survey)) == 404


@pytest.mark.parametrize("name", PAGES)
def test_an_administrator_has_no_other_door_here(name: str) -> None:
    client = Client()
    client.force_login(make_admin())
    method = next(iter(PAGES[name][0]))
    assert _send(client, method, _address(name, _survey(name))) == 404


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", [*PAGES, "survey-list", "survey-new"])
def test_whoever_is_not_signed_in_is_asked_to(client: Client, name: str, method: str) -> None:
    address = _address(name, _survey(name)) if name in PAGES else reverse(name)
    response = getattr(client, method)(address)
    assert (response.status_code, response["Location"]) == (302, f"{reverse('login')}?next={address}")


@pytest.mark.parametrize("name", ["survey-list", "survey-new"])
def test_the_list_and_the_editor_refuse_other_methods(name: str) -> None:
    assert _send(signed_in(), "delete", reverse(name)) == 405


@pytest.mark.parametrize("name", [*PAGES, "survey-list", "survey-new"])
def test_no_cache_keeps_a_page(name: str) -> None:
    if name in PAGES:
        survey = _survey(name)
        client, address = owner_of(survey), _address(name, survey)
    else:
        client, address = signed_in(), reverse(name)
    assert "no-store" in client.get(address)["Cache-Control"]


@pytest.mark.parametrize("name", [name for name in PAGES if "post" in PAGES[name][0]])
def test_a_post_without_its_token_changes_nothing(name: str) -> None:
    survey = _survey(name)
    client = Client(enforce_csrf_checks=True)
    client.force_login(survey.owner)
    assert _send(client, "post", _address(name, survey)) == 403
    assert Survey.objects.get(pk=survey.pk).state == survey.state


@pytest.mark.parametrize("code", ["NQPE23", "no%20such", "x" * 200, "%00", "é"])
def test_a_code_that_nobody_has_is_not_found(code: str) -> None:
    assert signed_in().get(f"/surveys/{code}/").status_code == 404


def test_the_code_may_be_typed_in_small_letters() -> None:
    survey = make_draft()
    assert owner_of(survey).get(f"/surveys/{survey.code.lower()}/").status_code == 200


def test_a_user_signs_in_and_out(client: Client) -> None:
    user = make_user()
    response = client.post(reverse("login"), {"username": user.username, "password": PASSWORD})
    assert (response.status_code, response["Location"]) == (302, reverse("survey-list"))
    assert client.get(reverse("logout")).status_code == 405
    assert client.post(reverse("logout")).status_code == 302
    assert client.get(reverse("survey-list")).status_code == 302


def test_a_wrong_password_is_told_without_telling_which_part_was_wrong(client: Client) -> None:
    user = make_user()
    for name in (user.username, "nobody"):
        text = client.post(reverse("login"), {"username": name, "password": "wrong"}).content.decode()
        assert "<title>Error: Sign in" in text
        assert "Please enter a correct username and password" in text


def test_who_has_been_deactivated_cannot_sign_in(client: Client) -> None:
    user = make_user(is_active=False)
    client.post(reverse("login"), {"username": user.username, "password": PASSWORD})
    assert client.get(reverse("survey-list")).status_code == 302


def test_the_list_shows_only_ones_own_surveys_with_state_and_number_of_answers() -> None:
    mine = make_open(title="Mine")
    make_open(title="Somebody else’s")
    text = owner_of(mine).get(reverse("survey-list")).content.decode()
    assert "Mine" in text
    assert "Somebody else’s" not in text
    assert "Open" in text
    assert "<strong>0</strong> answers" in text


def test_an_empty_list_says_how_to_begin() -> None:
    assert "Write your first survey" in signed_in().get(reverse("survey-list")).content.decode()
