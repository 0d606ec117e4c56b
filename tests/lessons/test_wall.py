"""The wall: one step at a time, moved by a POST, with what phones found beside the truth."""

import re
from html import unescape
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from surveys.course.services import close_survey
from surveys.learn.page import SeededChance
from surveys.learn.pages import lab_pages
from surveys.lessons import services
from surveys.lessons.charts import class_shown
from surveys.lessons.selectors import LessonStep
from surveys.lessons.words import controls_words, findings_words, step_words
from surveys.models import Role, Survey
from tests.course.states import member_of
from tests.factories import fill, make_draft, make_open, rewrite, yes_no
from tests.lessons.lesson import COIN, QUESTION, given, taught
from tests.pages import owner_of, text_of

TEMPLATES = Path(__file__).resolve().parent.parent.parent / "templates"
pytestmark = pytest.mark.django_db


def _wall(survey: Survey, query: str = "", client: Client | None = None) -> str:
    return text_of((client or owner_of(survey)).get(reverse("survey-lesson-present", args=[survey.code]) + query))


def _send(survey: Survey, *seeds: int, step: int = COIN) -> None:
    for seed in seeds:
        services.keep_finding(lesson=given(survey).stored, step=step, seed=seed)


def test_a_lesson_is_walked_from_joining_to_its_end_by_posts_alone() -> None:
    survey = taught(at=None)
    client, address = owner_of(survey), reverse("survey-lesson-present", args=[survey.code])
    seen = []
    client.post(address, {"at": "0"})
    for _ in range(7):
        page = _wall(survey, client=client)
        seen.append(re.findall(r"<h1[^>]*>(.*?)</h1>", page)[0])
        value = re.findall(r'name="at" value="(\w+)"(?: data-turn="next")?>(?:Next|End)', page)[0]
        moved = client.post(address, {"at": value})
        if value == "end":
            break
        assert moved["Location"] == address
    titles = [step.title for step in given(survey).steps]
    assert [unescape(title) for title in seen] == [
        survey.title,
        titles[0],
        survey.title,
        *titles[2:],
    ]
    assert moved["Location"] == reverse("survey-detail", args=[survey.code])
    assert given(survey).stored.at is None


def test_joining_shows_the_code_and_where_phones_go() -> None:
    survey = taught(at=0)
    page = _wall(survey)
    assert survey.code in page
    assert f"/lesson/{survey.code}/" in page
    assert 'data-turn="back"' not in page


def test_every_page_of_the_lab_can_stand_in_a_lessons_frame() -> None:
    for page in lab_pages().values():
        first = (TEMPLATES / page.template).read_text(encoding="utf-8").partition("\n")[0]
        assert first == '{% extends frame|default:"learn/page.html" %}', page.slug
    survey = taught()
    page, phone = _wall(survey), text_of(Client().get(f"/lesson/{survey.code}/"))
    for frame in (page, phone):
        assert str(lab_pages()["coin"].title) in unescape(frame)
        assert re.search(r'<div class="lead">\s*<p>Everybody’s phone flips a coin', frame)
    assert 'id="turn"' in page
    assert '<body class="narrow ask lesson">' in phone
    assert 'rel="next"' not in page + phone


def test_a_question_shows_what_presenting_shows_of_it_under_the_same_rules() -> None:
    survey = taught(yes_no("First?", leave_out="no"), yes_no("Second?", leave_out="no"), at=QUESTION)
    too_few = _wall(survey)
    assert 'id="reveal-title"' in too_few
    assert "reveal-1-" not in too_few
    fill(survey, {"10": 20, "01": 20})
    close_survey(survey=survey)
    first = _wall(survey)
    assert ("reveal-1-1" in first, "reveal-2-1" in first) == (True, False)
    services.show_step(survey=survey, at=QUESTION + 1)
    second = _wall(survey)
    assert ("reveal-1-1" in second, "reveal-2-1" in second) == (False, True)
    live = text_of(owner_of(survey).get(reverse("survey-lesson-live", args=[survey.code]), {"step": QUESTION + 1}))
    assert ("reveal-1-1" in live, "reveal-2-1" in live) == (False, True)
    # Whoever may edit and not read results sees none here either.
    client = member_of(survey, Role.EDITOR)
    assert "reveal-" not in _wall(survey, client=client)


def test_draws_of_the_class_stand_in_the_place_of_200_draws() -> None:
    survey = taught()
    page = lab_pages()["coin"]
    alone = _wall(survey, "?times=200")
    assert 'data-found="0"' in alone
    assert '<g class="draws">' not in alone
    _send(survey, 3, 1, 2)
    together = _wall(survey, "?times=200")
    values = given(survey).steps[COIN - 1].values
    drawn = [page.numbers(values, SeededChance(seed))["estimate"] for seed in (1, 2, 3)]
    assert findings_words(page, drawn, page.numbers(values, SeededChance(1))) in together
    assert together.count("<circle") == 3
    assert "true value: 30" in together
    assert "<circle" not in _wall(survey).partition('class="draws"')[2]


def test_dots_are_of_what_the_step_begins_with_and_other_controls_beside_them_are_owned_up_to() -> None:
    survey = taught()
    _send(survey, 1, 2, 3)
    address = reverse("survey-lesson-picture", args=[survey.code])
    asked = {"step": COIN, "times": 200}
    same, moved = (text_of(owner_of(survey).get(address, asked | other)) for other in ({}, {"yes": "90"}))
    assert re.findall(r'cx="[\d.]+%"', same) == re.findall(r'cx="[\d.]+%"', moved)
    words = controls_words(given(survey).steps[COIN - 1])
    assert words in moved
    assert words not in same
    # One draw follows the controls.
    assert words not in text_of(owner_of(survey).get(address, asked | {"times": "1", "yes": "90"}))


def test_a_step_without_draws_or_without_a_page_has_no_picture_of_the_class() -> None:
    assert class_shown(LessonStep(1, 5, page=lab_pages()["coin"]), []) is None
    assert class_shown(LessonStep(1, 5), [1]) is None


def test_each_page_that_draws_again_takes_what_phones_find_and_finds_what_phones_show() -> None:
    for page in lab_pages().values():
        step = LessonStep(1, 5, page=page)
        assert step.takes_findings is bool(page.watched)
        if page.watched:
            shown, values = class_shown(step, [5, 6]), step.values
            phones = [page.result(values | {"seed": seed, "times": 1})[0][page.watched] for seed in (5, 6)]
            assert shown is not None
            assert list(shown.charts[0].values) == [float(number) for number in phones], page.slug  # type: ignore[attr-defined]


def test_the_wall_asks_again_and_hears_of_a_new_dot_only() -> None:
    survey = taught()
    _send(survey, 1)
    client, address = owner_of(survey), reverse("survey-lesson-live", args=[survey.code])
    first = client.get(address, {"step": COIN})
    assert 'data-found="1"' in text_of(first)
    same = client.get(address, {"step": COIN}, headers={"if-none-match": first["ETag"]})
    assert (same.status_code, same.content) == (304, b"")
    _send(survey, 2)
    other = client.get(address, {"step": COIN}, headers={"if-none-match": first["ETag"]})
    assert 'data-found="2"' in text_of(other)
    assert f'data-etag="{other["ETag"]}"' in unescape(_wall(survey))


def test_the_class_reads_in_the_surveys_language_where_the_lab_speaks_it() -> None:
    german, hebrew = (taught(language=language) for language in ("de", "he"))
    assert '<html lang="de"' in _wall(german)
    # What is asked again and again speaks it too: nothing has changed.
    client, etag = owner_of(german), re.findall(r'data-etag="([^"]+)"', _wall(german))[0]
    address = reverse("survey-lesson-live", args=[german.code])
    same = client.get(address, {"step": COIN}, headers={"if-none-match": unescape(etag)})
    assert same.status_code == 304
    assert '<html lang="en"' in _wall(hebrew)


def test_a_step_and_a_picture_that_there_is_not_have_no_page() -> None:
    survey = taught()
    client = owner_of(survey)
    for name, query in (("live", ""), ("live", "?step=9"), ("picture", "?step=2"), ("present", "?chart=none")):
        assert client.get(reverse(f"survey-lesson-{name}", args=[survey.code]) + query).status_code == 404
    chart = client.get(reverse("survey-lesson-present", args=[survey.code]) + "?chart=estimate")
    assert chart["Content-Type"].startswith("image/svg+xml")
    present = reverse("survey-lesson-present", args=[survey.code])
    for at in ("", "6", "-1", "x", "²"):
        assert client.post(present, {"at": at})["Location"] == present
    assert given(survey).at == COIN


def test_a_question_that_is_lost_is_named_as_lost_on_the_wall_too() -> None:
    survey = make_draft(yes_no(), yes_no("Another?"))
    services.add_question(survey=survey, number=2)
    rewrite(survey, 0, questions=survey.questions[:1])
    services.show_step(survey=survey, at=1)
    page = _wall(survey)
    assert step_words(given(survey).steps[0]) in page
    assert f"/s/{survey.code}/" not in page


def test_without_a_lesson_presenting_leads_back_to_the_survey() -> None:
    survey = make_open()
    client, address = owner_of(survey), reverse("survey-lesson-present", args=[survey.code])
    detail = reverse("survey-detail", args=[survey.code])
    for answered in (client.get(address, follow=True), client.post(address, {"at": "0"}, follow=True)):
        assert answered.redirect_chain[-1] == (detail, 302)
        assert {message.level_tag for message in answered.context["messages"]} == {"warning"}
    assert client.get(f"{address}live/").status_code == 404
