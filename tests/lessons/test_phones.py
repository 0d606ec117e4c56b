"""Phones: they follow the wall, keep nothing, and send a whole number or nothing."""

import re
from html import unescape

import pytest
from django.test import Client

from surveys.answering.services.collecting import new_nonce
from surveys.course.services import close_survey, pause_survey
from surveys.lessons import services
from surveys.models import LessonFinding
from tests.factories import make_draft, make_open
from tests.lessons.lesson import COIN, QUESTION, draws_of, given, send_draw, taught
from tests.pages import text_of

pytestmark = pytest.mark.django_db
# What a phone's page has where its draw can be sent.
SENDS = "/found/?step="


def _phone(code: str, query: str = "", status: int = 200) -> str:
    answered = Client().get(f"/lesson/{code}/{query}")
    assert answered.status_code == status, answered.status_code
    return text_of(answered)


def test_a_phone_shows_what_the_wall_shows() -> None:
    survey = taught(at=None)
    seen = []
    for at in (None, 0, 1, 2, 3, 4, 5):
        services.show_step(survey=survey, at=at)
        seen.append(re.findall(r"<h1[^>]*>(.*?)</h1>", _phone(survey.code))[0])
    before, joined, *titles = seen
    assert titles == [step.title for step in given(survey).steps]
    assert len({before, joined, *titles}) == len(seen)


def test_a_page_of_the_lab_has_the_style_sheets_on_a_phone_that_it_has_elsewhere() -> None:
    survey = taught(at=COIN)
    on_phones, elsewhere = (
        re.findall(r'rel="stylesheet" href="([^"]+)"', page)
        for page in (_phone(survey.code), text_of(Client().get("/learn/coin/")))
    )
    assert set(on_phones) == {*elsewhere, "/static/css/lessons.css"}


def test_the_code_at_the_front_door_leads_to_the_lesson_while_it_is_given() -> None:
    survey = taught(at=None)
    assert Client().get("/join", {"code": survey.code})["Location"] == f"/s/{survey.code}/"
    services.show_step(survey=survey, at=0)
    assert Client().get("/join", {"code": survey.code.lower()})["Location"] == f"/lesson/{survey.code}/"
    # However it is spelt, there is one address.
    for rest in ("", "now/", "picture/"):
        assert Client().get(f"/lesson/{survey.code.lower()}/{rest}")["Location"] == f"/lesson/{survey.code}/{rest}"


def test_the_receipt_leads_back_to_the_lesson_while_it_is_given() -> None:
    survey, client = taught(at=QUESTION), Client()
    client.cookies["deniable_done"] = "1"
    link = f'href="/lesson/{survey.code}/"'
    assert link in text_of(client.get(f"/s/{survey.code}/receipt/"))
    services.show_step(survey=survey, at=None)
    assert link not in text_of(client.get(f"/s/{survey.code}/receipt/"))


def test_a_question_leads_to_the_survey_while_it_takes_answers() -> None:
    survey = taught(at=QUESTION)
    link = f'href="/s/{survey.code}/"'
    assert link in _phone(survey.code)
    pause_survey(survey=survey)
    assert link not in _phone(survey.code)
    close_survey(survey=survey)
    assert link not in _phone(survey.code)
    invited = taught(at=QUESTION, by_invitation=True)
    assert f'href="/s/{invited.code}/"' not in _phone(invited.code)


def test_a_lesson_goes_on_after_its_survey_is_closed_and_without_one_there_is_no_page() -> None:
    survey = taught()
    close_survey(survey=survey)
    assert SENDS in _phone(survey.code)
    without, draft = make_open(), make_draft()
    services.take_ready(survey=draft, name="trust")
    for code in (without.code, draft.code):
        for name in ("", "now/", "picture/"):
            assert Client().get(f"/lesson/{code}/{name}").status_code == 404
    assert Client().post(f"/lesson/{without.code}/found/?step=1", {"seed": 3}).status_code == 404
    services.show_step(survey=survey, at=QUESTION)
    assert Client().get(f"/lesson/{survey.code}/picture/").status_code == 404


def test_a_phone_hears_of_a_new_step_only() -> None:
    survey, client = taught(), Client()
    first = client.get(f"/lesson/{survey.code}/now/")
    asked = {"if-none-match": first["ETag"]}
    assert f'data-etag="{first["ETag"]}"' in unescape(_phone(survey.code))
    send_draw(survey, 4)
    assert client.get(f"/lesson/{survey.code}/now/", headers=asked).status_code == 304
    services.show_step(survey=survey, at=QUESTION)
    assert client.get(f"/lesson/{survey.code}/now/", headers=asked).status_code == 200
    assert not client.cookies


def test_following_sets_no_cookie_and_is_sent_none_of_the_answers_own() -> None:
    survey, client = taught(at=QUESTION), Client()
    for name in ("", "now/"):
        client.get(f"/lesson/{survey.code}/{name}")
    services.show_step(survey=survey, at=COIN)
    client.get(f"/lesson/{survey.code}/")
    assert not client.cookies
    fields = {"mode": "device", "reports": "1", "nonce": new_nonce()}
    client.post(f"/s/{survey.code}/", fields)
    paths = {client.cookies[name]["path"] for name in ("deniable_done", "deniable_receipt")}
    assert paths == {f"/s/{survey.code}/"}


def test_each_phone_draws_its_own_and_keeps_it_by_its_address() -> None:
    survey = taught()
    seeds = {re.findall(r'name="seed" value="(\d+)"', _phone(survey.code))[-1] for _ in range(4)}
    assert len(seeds) > 1
    kept = [_phone(survey.code, "?seed=77") for _ in range(2)]
    assert (
        kept[0].partition('id="shown"')[2].partition("<form")[0]
        == (kept[1].partition('id="shown"')[2].partition("<form")[0])
    )


def test_a_page_without_chance_has_nothing_to_send() -> None:
    assert SENDS not in _phone(taught(at=3).code)


# What a phone sends.


def test_a_draw_that_is_sent_is_on_the_wall_and_the_phone_says_so_whenever_it_looks() -> None:
    survey = taught()
    assert send_draw(survey, 77) == f"/lesson/{survey.code}/?seed=77"
    assert draws_of(survey) == [(COIN, 77)]
    for _ in range(2):
        page = Client().get(f"/lesson/{survey.code}/?seed=77")
        assert page.context["sent"]
        assert SENDS not in text_of(page)


def test_nothing_but_a_draw_can_be_sent() -> None:
    survey = taught()
    for seed in ("", "0", "-3", "10000", "1.5", "NaN", "<b>", "my name", "1" * 400):
        assert send_draw(survey, seed) == f"/lesson/{survey.code}/"
    assert draws_of(survey) == []


def test_nothing_else_that_is_sent_with_it_is_kept() -> None:
    survey = taught()
    fields = {"seed": "5", "estimate": "0.99", "name": "Ada", "step": "3", "lesson": "1"}
    Client().post(f"/lesson/{survey.code}/found/?step={COIN}", fields)
    (row,) = LessonFinding.objects.values_list()
    assert row == (survey.pk, COIN, 5)


def test_a_draw_for_a_step_that_is_not_shown_is_not_kept() -> None:
    survey = taught()
    for step in (QUESTION, 5, 0, "x"):
        send_draw(survey, 5, step=step)  # type: ignore[arg-type]
    services.show_step(survey=survey, at=3)
    send_draw(survey, 5, step=3)
    services.show_step(survey=survey, at=None)
    send_draw(survey, 5)
    assert draws_of(survey) == []


def test_a_full_wall_takes_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MOST_FOUND", 1)
    survey = taught()
    send_draw(survey, 5)
    phone = Client().get(send_draw(survey, 6))
    assert phone.context["full"]
    assert SENDS not in text_of(phone)


def test_other_controls_can_be_tried_and_not_sent() -> None:
    survey = taught()
    page = _phone(survey.code, "?seed=77&yes=90")
    assert SENDS not in page
    assert f'href="/lesson/{survey.code}/?seed=77"' in page
    # What is no step of a control is refused at it.
    problem = 'class="errorlist'
    assert [problem in _phone(survey.code, query) for query in ("?yes=33", "?yes=90")] == [True, False]


def test_a_moved_control_asks_for_the_picture_alone_in_the_surveys_language() -> None:
    survey = taught(language="de")
    picture = text_of(Client().get(f"/lesson/{survey.code}/picture/", {"yes": "90", "seed": "7"}))
    assert "<html" not in picture
    assert "<h2>" in picture
    assert "Tabelle" in picture
    assert Client().get(f"/lesson/{survey.code}/picture/", {"yes": "33"}).status_code == 400


def test_a_hebrew_phone_runs_from_right_to_left_around_a_page_of_the_lab_in_english() -> None:
    page = _phone(taught(language="he").code)
    assert '<html lang="he" dir="rtl">' in page
    assert re.search(r'<div lang="en" dir="ltr">\s*<div class="lab"', page)
