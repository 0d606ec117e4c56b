"""A language for respondents alone: all that they read is in it, and no page of instructors."""

import gettext
import re
from collections.abc import Callable, Iterator

import pytest
from django.conf import settings
from django.http import HttpResponse
from django.test import Client
from django.utils import translation
from django.utils.translation import trans_real

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey, pause_survey
from surveys.drafts.services.groups import add_group
from surveys.models import Survey
from surveys.questionnaire.question import Question
from surveys.sharing.services import invite, new_batch
from tests.factories import crosswise, every_kind, fill, make_draft, make_open, make_user, warner, yes_no
from tests.i18n.catalogs import LOCALES, RESPONDENTS, WHOLE, Message, messages, source
from tests.i18n.extraction import ROOT
from tests.i18n.pseudo import right_to_left
from tests.i18n.respondents import is_respondents
from tests.i18n.untranslated import leaks
from tests.releases.setting import published_release, ready_survey

pytestmark = pytest.mark.django_db

ALONE = [(code, name) for code, name in settings.RESPONDENTS_LANGUAGES if code not in dict(settings.LANGUAGES)]
HEBREW = {"accept-language": "he"}
GERMAN_NEXT = {"accept-language": "he-IL,he;q=0.9,de;q=0.5"}
TEXTS = {"title": "מבחנים", "introduction": "למה?", "consent": "מרצון.", "support": "ייעוץ.", "language": "he"}
_AUTHORS = ("low_end", "high_end", "unit", "innocuous", "innocuous_source", "selector", "selector_source")


def test_each_language_has_a_catalog() -> None:
    assert [code for code, _name in settings.LANGUAGES] == [settings.LANGUAGE_CODE, *WHOLE]
    assert tuple(code for code, _name in ALONE) == RESPONDENTS
    assert set(LOCALES) == {*WHOLE, *RESPONDENTS}


# Which messages are theirs.


def _message(text: str, *places: str) -> Message:
    return Message("", text, "", (text,), frozenset(), places)


@pytest.mark.parametrize(
    "place",
    [
        "templates/answering/_promise.html",
        "templates/404.html",
        "templates/base.html",
        "surveys/answering/services/collecting.py",
        "surveys/questionnaire/kinds/yes_no.py",
        "surveys/numbers/words.py",
        "templates/presenting/_lobby.html",
        "templates/accounts/mail/survey_invitation.txt",
    ],
)
def test_what_a_page_of_respondents_is_made_of_is_theirs(place: str) -> None:
    assert is_respondents(_message("Some words", place))


@pytest.mark.parametrize(
    "place",
    [
        "templates/editor/editor.html",
        "templates/admin/base.html",
        "templates/results/base.html",
        "surveys/models/survey.py",
        "surveys/linting/findings.py",
    ],
)
def test_what_only_instructors_read_is_not(place: str) -> None:
    assert (ROOT / place).is_file()
    assert not is_respondents(_message("Some words", place))


def test_of_a_poster_the_part_in_the_surveys_language_is_theirs() -> None:
    place = "templates/sharing/poster.html"
    assert is_respondents(_message("Scan the QR code with your phone, or type", place))
    assert not is_respondents(_message("Print this page on A4 paper", place))


@pytest.mark.parametrize("locale", RESPONDENTS)
def test_the_catalog_is_a_small_part_of_all_texts(locale: str) -> None:
    part, total = (len(messages(source(ROOT, code))) for code in (locale, WHOLE[0]))
    assert 0.15 * total < part < 0.3 * total


# Every message asked for while respondents answer, refusals, doors that are shut and words of scripts included.


class _Asked(gettext.NullTranslations):
    """Stands behind a catalog and notes what is not in it."""

    def __init__(self) -> None:
        super().__init__()
        self.missing: set[str] = set()

    def gettext(self, message: str) -> str:
        self.missing.add(message)
        return message

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        self.missing.add(msgid1)
        return msgid1 if n == 1 else msgid2


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> _Asked:
    behind = _Asked()
    monkeypatch.setattr(trans_real.translation("he"), "_fallback", behind)
    return behind


def _translated(draft: Question) -> Question:
    details = {name: right_to_left(text) if name in _AUTHORS else text for name, text in draft.details.items()}
    return Question(
        **{name: getattr(draft, name) for name in draft.__dataclass_fields__}
        | {"text": right_to_left(draft.text), "options": [*map(right_to_left, draft.options)], "details": details}
    )


KINDS = [_translated(draft) for draft in every_kind()]


def _open(*questions: Question, **fields: object) -> Survey:
    return make_open(*(questions or KINDS), **(TEXTS | fields))


def _first_reports(survey: Survey) -> str:
    return "0" * len(definition_of(survey).items)


def _send(client: Client, survey: Survey, reports: str, nonce: str = "0" * 32, rest: str = "") -> HttpResponse:
    return client.post(f"/s/{survey.code}/{rest}", {"mode": "device", "nonce": nonce, "reports": reports})


def _without_a_survey(client: Client) -> Iterator[HttpResponse]:
    for address in ("/", "/join?code=", "/join?code=0", "/join?code=ABCD", "/check/", "/nothing", "/s/ZZZZ/"):
        yield client.get(address, headers=HEBREW)
    yield Client(enforce_csrf_checks=True).post("/s/ZZZZ/", headers=HEBREW)


def _every_form(client: Client) -> Iterator[HttpResponse]:
    # What is sent as it is cannot be asked alone.
    for questions in (KINDS, *([kind] for kind in KINDS if kind.design != "plain")):
        survey = _open(*questions, server_mode_allowed=True)
        for page in ("", "own-coin/", "server/", "receipt/"):
            yield client.get(f"/s/{survey.code}/{page}")
        for mode, rest in (("own_coin", ""), ("server", "server/")):
            yield client.post(f"/s/{survey.code}/{rest}", {"mode": mode, "nonce": "0" * 32}, follow=True)


def _sent(client: Client) -> Iterator[HttpResponse]:
    survey = _open()
    for reports in ("", "z", "0-", "0" * 99, _first_reports(survey)):
        yield _send(client, survey, reports)
    yield client.get(f"/s/{survey.code}/receipt/")
    yield client.get(f"/s/{survey.code}/receipt/")
    yield client.get(f"/s/{survey.code}/")
    yield _send(client, survey, _first_reports(survey)[:-1] + "1", "1" * 32)
    crowd = _open(yes_no("כן?"), minimum_n=10)
    fill(crowd, {"0": 70})
    _send(client, crowd, "1")
    yield client.get(f"/s/{crowd.code}/receipt/")


def _doors(client: Client) -> Iterator[HttpResponse]:
    group = _open(yes_no("כן?"))
    add_group(survey=group, slug="a", name="א")
    for rest in ("", "a/", "b/", "i/ABCDEFGH/", "server/"):
        yield client.get(f"/s/{group.code}/{rest}")
    invited = _open(yes_no("כן?"), by_invitation=True)
    [token] = invite(survey=invited, number=1, batch=new_batch()).tokens
    for rest in ("", "i/ABCDEFGH/", f"i/{token}/"):
        yield client.get(f"/s/{invited.code}/{rest}")
    _send(client, invited, "1", rest=f"i/{token}/")
    yield Client().get(f"/s/{invited.code}/i/{token}/")
    for service in (pause_survey, close_survey):
        shut = _open(yes_no("כן?"))
        service(survey=shut)
        yield client.get(f"/s/{shut.code}/")
    full = _open(yes_no("כן?"), response_cap=1)
    _send(Client(), full, "1")
    yield client.get(f"/s/{full.code}/")


def _handed_out(client: Client) -> Iterator[HttpResponse]:
    """Yield what instructors hold up or hand out, of which respondents read a part."""
    for fields in ({}, {"server_mode_allowed": True}):
        survey = _open(*KINDS, minimum_n=10, **fields)
        fill(survey, {_first_reports(survey): 40})
        add_group(survey=survey, slug="a", name="א")
        client.force_login(survey.owner)
        client.post(f"/surveys/{survey.code}/present/")
        for page in ("poster/", "share/", "present/", "present/live/", "preview/"):
            yield client.get(f"/surveys/{survey.code}/{page}")
    warned = _open(warner("כן?"), minimum_n=10)
    fill(warned, {"0": 40})
    client.force_login(warned.owner)
    client.post(f"/surveys/{warned.code}/present/")
    yield client.get(f"/surveys/{warned.code}/present/")


WALKS = (_without_a_survey, _every_form, _sent, _doors)


@pytest.mark.parametrize("walk", WALKS)
def test_respondents_meet_no_word_of_english(
    client: Client, asked: _Asked, walk: Callable[[Client], Iterator[HttpResponse]]
) -> None:
    untranslated = {}
    for response in walk(client):
        page = response.content.decode()
        if page.startswith("<!doctype"):
            assert '<html lang="he" dir="rtl">' in page, response.request["PATH_INFO"]
            _empty, room, *behind = response.request["PATH_INFO"].split("/")
            # The page for experts names commands, fields and buttons of browsers as they are.
            untranslated[response.request["PATH_INFO"]] = (
                [] if room == "check" else leaks(page, "EXAMS", "reports", "nonce", *behind[:1])
            )
    assert len(untranslated) >= 3
    assert {address: texts for address, texts in untranslated.items() if texts} == {}
    assert asked.missing == set()


def test_what_is_handed_out_asks_for_no_message_of_others(client: Client, asked: _Asked) -> None:
    for response in _handed_out(client):
        assert response.status_code == 200
    assert asked.missing == set()


def test_a_message_that_is_not_translated_would_be_found(asked: _Asked) -> None:
    with translation.override("he"):
        assert translation.gettext("Nobody has translated this") == "Nobody has translated this"
        translation.ngettext("one thing", "%(n)s things", 2)
        translation.gettext("Send response")
    assert asked.missing == {"Nobody has translated this", "one thing"}


# What they write is isolated from what we write, so that neither turns the other round.


_ISOLATED = re.compile(r"<[^<>]*>|\u2068[^\u2068\u2069]*\u2069")


def _between(locale: str) -> Iterator[tuple[str, str]]:
    """Yield every text with what stands around its isolated parts and tags."""
    for message in messages(source(ROOT, locale)):
        yield from ((form, _ISOLATED.sub("", form)) for form in message.translations)


@pytest.mark.parametrize("locale", RESPONDENTS)
def test_what_is_put_into_a_sentence_keeps_its_own_direction(locale: str) -> None:
    loose = re.compile(r"%\(\w+\)|\{\w+\}|[\u2068\u2069]")
    assert [form for form, between in _between(locale) if loose.search(between)] == []


@pytest.mark.parametrize("locale", RESPONDENTS)
def test_what_is_put_together_of_parts_alone_has_a_mark_of_the_languages_direction(locale: str) -> None:
    letter = re.compile("[\u05d0-\u05ea\u05f4\N{RIGHT-TO-LEFT MARK}]")
    unclear = [form for form, between in _between(locale) if form.count("\u2068") > 1 and not letter.search(between)]
    assert unclear == []


# Instructors are never spoken to in it.


@pytest.mark.parametrize("address", ["/sign-in/", "/surveys/", "/surveys/new/", "/surveys/new/blank/", "/admin/login/"])
def test_an_instructors_page_speaks_the_next_language_that_the_browser_asks_for(client: Client, address: str) -> None:
    if "admin" not in address and "sign-in" not in address:
        client.force_login(make_user())
    for headers, code in ((HEBREW, "en"), (GERMAN_NEXT, "de")):
        page = client.get(address, headers=headers, follow=True)
        assert f'<html lang="{code}" dir="ltr">' in page.content.decode()
        assert page["Content-Language"] == code
        assert "עברית</button>" not in page.content.decode()


def test_who_chose_it_on_the_front_page_still_gets_whole_pages_as_an_instructor(client: Client) -> None:
    assert "עברית</button>" in client.get("/").content.decode()
    client.post("/language/", {"language": "he", "next": "/"})
    assert '<html lang="he" dir="rtl">' in client.get("/").content.decode()
    assert '<html lang="en" dir="ltr">' in client.get("/sign-in/").content.decode()


@pytest.mark.parametrize("page", ["", "edit/", "ethics/", "results/", "export/codebook/", "close/"])
def test_an_instructors_page_of_such_a_survey_is_whole_and_from_left_to_right(client: Client, page: str) -> None:
    survey = ready_survey({"0": 30, "1": 12}, yes_no("האם העתקת?"), **TEXTS)
    client.force_login(survey.owner)
    got = client.get(f"/surveys/{survey.code}/{page}", headers=HEBREW, follow=True).content.decode()
    assert '<html lang="en" dir="ltr">' in got


def test_a_release_of_such_a_survey_is_whole_and_from_left_to_right(client: Client) -> None:
    release = published_release(ready_survey(**TEXTS))
    page = client.get(f"/r/{release.pk}/", headers=HEBREW).content.decode()
    assert '<html lang="en" dir="ltr">' in page


def test_an_author_is_offered_it_for_respondents(client: Client) -> None:
    draft = make_draft(crosswise(), **TEXTS)
    client.force_login(draft.owner)
    page = client.get(f"/surveys/{draft.code}/edit/", headers=HEBREW).content.decode()
    assert '<option value="he" selected>עברית</option>' in page
    assert '<html lang="he" dir="rtl">' in client.get(f"/surveys/{draft.code}/preview/").content.decode()
