"""Which language a page speaks: the visitor's, or the survey's on the pages of a survey."""

import pytest
from django.conf import settings
from django.http import HttpResponse
from django.test import Client
from django.utils import translation

from tests.factories import make_draft, make_open, make_user
from tests.releases.setting import published_release, ready_survey

pytestmark = pytest.mark.django_db

GERMAN = {"accept-language": "de-AT,de;q=0.9,en;q=0.5"}


def _html(response: HttpResponse) -> str:
    return response.content.decode().partition("<head>")[0]


def _choose(client: Client, language: str, following: str = "/") -> HttpResponse:
    return client.post("/language/", {"language": language, "next": following})


@pytest.mark.parametrize(
    ("asked", "spoken"),
    [("de-AT,de;q=0.9,en;q=0.5", "de"), ("es", "es"), ("fr,es;q=0.2", "es"), ("fr", "en"), ("", "en")],
)
def test_a_page_speaks_what_the_browser_asks_for_if_it_can(client: Client, asked: str, spoken: str) -> None:
    page = client.get("/", headers={"accept-language": asked})
    assert f'<html lang="{spoken}" dir="ltr">' in _html(page)
    assert page["Content-Language"] == spoken
    assert {"Accept-Language", "Cookie"} <= {name.strip() for name in page["Vary"].split(",")}


@pytest.mark.parametrize("address", ["/", "/join?code=?", "/sign-in/", "/nothing-here", "/surveys/", "/surveys/new/"])
def test_every_other_page_lets_its_reader_choose(client: Client, address: str) -> None:
    client.force_login(make_user())
    page = client.get(address, headers=GERMAN, follow=True).content.decode()
    for code, name in settings.LANGUAGES:
        current = ' aria-current="true"' if code == "de" else ""
        assert f'name="language" value="{code}" lang="{code}"{current}>{name}</button>' in page


def test_the_choice_is_kept_and_weighs_more_than_the_browser(client: Client) -> None:
    answer = _choose(client, "es", "/join?code=ABCD")
    assert (answer.status_code, answer["Location"]) == (302, "/join?code=ABCD")
    assert '<html lang="es"' in _html(client.get("/", headers=GERMAN))


def test_the_cookie_holds_nothing_but_the_language_and_no_script_reads_it(client: Client) -> None:
    cookie = _choose(client, "de").cookies[settings.LANGUAGE_COOKIE_NAME]
    assert (cookie.value, cookie["httponly"], cookie["samesite"], cookie["path"]) == ("de", True, "Lax", "/")
    assert settings.LANGUAGE_COOKIE_SECURE == settings.CSRF_COOKIE_SECURE


@pytest.mark.parametrize("language", ["fr", "xx", "../de", "de\x00", "", "d" * 1000])
def test_a_language_that_is_not_spoken_changes_nothing(client: Client, language: str) -> None:
    assert _choose(client, language).status_code == 302
    assert '<html lang="en"' in _html(client.get("/"))


@pytest.mark.parametrize("following", ["https://example.org/", "//example.org/", "javascript:alert(1)"])
def test_choosing_leads_to_no_other_site(client: Client, following: str) -> None:
    assert _choose(client, "de", following)["Location"] == "/"


def test_another_site_cannot_choose() -> None:
    client = Client(enforce_csrf_checks=True)
    assert client.post("/language/", {"language": "de"}).status_code == 403


def test_nobody_finds_the_language_of_the_visitor_before(client: Client) -> None:
    client.get("/", headers=GERMAN)
    assert translation.get_language() == settings.LANGUAGE_CODE


@pytest.mark.parametrize("address", ["/s/{code}/", "/s/{code}/own-coin/", "/s/{code}/receipt/"])
def test_a_respondents_page_speaks_the_surveys_language_whatever_the_browser_asks(client: Client, address: str) -> None:
    survey = make_open()
    _choose(client, "es")
    page = client.get(address.format(code=survey.code), headers=GERMAN)
    assert '<html lang="en" dir="ltr">' in _html(page)
    assert "Accept-Language" not in page.get("Vary", "")
    assert page["Content-Language"] == "en"
    assert 'name="language"' not in page.content.decode()


def test_the_preview_speaks_the_surveys_language(client: Client) -> None:
    survey = make_draft(language="es")
    client.force_login(survey.owner)
    page = client.get(f"/surveys/{survey.code}/preview/", headers=GERMAN)
    assert '<html lang="es"' in _html(page)


def test_a_release_speaks_the_surveys_language_to_everybody(client: Client) -> None:
    release = published_release(ready_survey(language="de"))
    pages = [client.get(f"/r/{release.pk}/", headers={"accept-language": asked}) for asked in ("de", "es", "")]
    assert len({page.content for page in pages}) == 1
    assert '<html lang="de"' in _html(pages[0])
    assert "Accept-Language" not in pages[0].get("Vary", "")
