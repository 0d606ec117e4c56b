"""Presenting: counts in batches only, to everybody what is theirs, and the same class again."""

import json
import re
from collections.abc import Callable
from html import unescape
from typing import Any

import numpy as np
import pytest
from django.test.utils import ContextList
from django.urls import reverse

from surveys.common.selectors import definition_of
from surveys.common.totals import ResponseTotals
from surveys.course.services import close_survey, pause_survey, record_exact_figures
from surveys.estimation.same_class import same_class
from surveys.models import Role, Survey
from surveys.presenting import selectors
from surveys.presenting.selectors import AnswerCount, SlideStep, answer_count
from surveys.presenting.words import arrived_words, batch_words, counted_words, promise_words, state_words
from surveys.questionnaire.question import Question
from tests.course.states import STATES, member_of
from tests.factories import (
    PROTECTED,
    fill,
    make_open,
    number_mean,
    one_of,
    send,
    several_of,
    yes_no,
)
from tests.pages import owner_of, text_of, words_of
from tests.presenting.presented import answered_by_chance, page_and_context, page_of, read, slide_names

pytestmark = pytest.mark.django_db


# The count.


def _counts_seen(survey: Survey, people: int) -> list[int]:
    """Let people answer one by one; return what the presentation counts before and after each."""
    client, seen = owner_of(survey), []
    for person in range(people + 1):
        page = text_of(client.get(reverse("survey-present-live", args=[survey.code])))
        seen.append(int(re.findall(r'data-count="(\d+)"', page)[0]))
        if person < people:
            send(survey, "1")
    return seen


def _moved_by(seen: list[int]) -> set[int]:
    return set(np.diff(seen).tolist()) - {0}


def test_the_count_moves_in_batches() -> None:
    seen = _counts_seen(make_open(yes_no(), minimum_n=5), 13)
    assert _moved_by(seen) == {5}
    assert seen[-1] == 10


def test_a_count_that_moved_by_one_would_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def exactly(survey: Survey, standing: ResponseTotals) -> AnswerCount:
        return AnswerCount(standing.received, survey.minimum_n, exact=True)

    monkeypatch.setattr("surveys.presenting.views.answer_count", exactly)
    assert _moved_by(_counts_seen(make_open(yes_no(), minimum_n=5), 3)) == {1}


def test_no_single_answer_changes_what_the_page_is_told() -> None:
    survey = make_open(yes_no(), minimum_n=5)
    client, address = owner_of(survey), reverse("survey-present-live", args=[survey.code])
    tags = []
    for _ in range(11):
        tags.append(client.get(address)["ETag"])
        send(survey, "1")
    # None, five, and ten, of which the first five are folded; nothing moves in between.
    assert [len(set(tags[:5])), len(set(tags[5:10])), len(set(tags))] == [1, 1, 3]
    again = client.get(address, headers={"if-none-match": client.get(address)["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_the_tag_is_about_the_language_and_the_state_too() -> None:
    survey = make_open(yes_no())
    client, address = owner_of(survey), reverse("survey-present-live", args=[survey.code])
    tags = {client.get(address)["ETag"], client.get(address, headers={"accept-language": "de"})["ETag"]}
    pause_survey(survey=survey)
    assert len(tags | {client.get(address)["ETag"]}) == 3


@pytest.mark.parametrize(("received", "counted"), [(0, 0), (19, 10), (1234, 1230)])
def test_while_answers_come_in_the_count_is_a_round_one(received: int, counted: int) -> None:
    survey = make_open(yes_no())
    fill(survey, {"1": received} if received else {})
    page, context = page_and_context(survey)
    arrived = context["arrived"]
    assert arrived == AnswerCount(counted, 10, exact=False)
    assert words_of(arrived_words(arrived)) in words_of(page)
    assert batch_words(arrived) in words_of(page)


@pytest.mark.parametrize(("received", "dots", "to_come"), [(19, 10, 20), (30, 30, 0)])
def test_where_the_number_is_limited_the_lobby_counts_towards_it(received: int, dots: int, to_come: int) -> None:
    survey = make_open(yes_no(), response_cap=30)
    fill(survey, {"1": received})
    lobby = page_of(survey).split('id="lobby"')[1].split("</section>")[0]
    assert f"At least {dots} of 30 people" in words_of(lobby)
    crowd = lobby.split('class="arrived"')[1]
    drawn = {kind: crowd.split(f'<g class="{kind}">')[1].split("</g>")[0].count("<circle") for kind in ("yes", "empty")}
    assert drawn == {"yes": dots, "empty": to_come}


def test_a_mass_is_a_number_and_no_dots() -> None:
    assert [AnswerCount(n, 10, exact=False).dots for n in (600, 610)] == [600, 0]


def test_a_share_and_its_picture_are_those_of_the_results_half_a_dot_for_half_a_person() -> None:
    survey = make_open(yes_no(leave_out="no"))
    fill(survey, {"1": 81, "0": 119})
    page = page_of(close_survey(survey=survey))
    arrived, estimated = (page.split(f'id="reveal-1-{place}"')[1].split("</section>")[0] for place in (1, 4))
    assert '<p class="figure">40.5 of 100</p>' in arrived
    assert arrived.split('<g class="lit">')[1].split("</g>")[0].count("<circle") == 40
    assert arrived.count("<path d=") == 1
    assert "40.5 reported (randomized)" in words_of(estimated)
    assert '<p class="figure">31 of 100</p>' in estimated
    results = words_of(text_of(owner_of(survey).get(reverse("survey-results", args=[survey.code]))))
    assert "40.5 reported (randomized)" in results
    assert "31 of 100" in results


def test_figures_say_how_many_answers_they_hold_as_coarsely_as_these_are_counted() -> None:
    survey = make_open(yes_no(leave_out="no"))
    client, address = owner_of(survey), reverse("survey-present-live", args=[survey.code]) + "?figures"
    fill(survey, {"1": 9, "0": 9})
    record_exact_figures(survey=survey)

    def numbers(page: str, context: ContextList) -> list[str]:
        counted = counted_words(context["slides"][0].reveal.result, context["arrived"])
        assert counted in words_of(page)
        return re.findall(r"\d+", counted)

    shown = []
    for _ in range(9):
        send(survey, "1")
        response = client.get(address)
        shown.append(numbers(text_of(response), response.context))
    # Nineteen are "at least ten": the twentieth shows that some wait.
    assert shown == [["18"]] + [["18", "20"]] * 8
    assert numbers(*page_and_context(close_survey(survey=survey))) == ["27"]


def test_once_closed_the_count_is_exact() -> None:
    survey = make_open(yes_no())
    fill(survey, {"1": 19})
    page, context = page_and_context(close_survey(survey=survey))
    assert (context["arrived"].n, context["arrived"].exact) == (19, True)
    assert "19 people answered" in words_of(page)
    assert batch_words(context["arrived"]) == ""


# Who sees what.


@pytest.mark.parametrize(
    ("role", "slides"),
    [(Role.EDITOR, {"lobby", "answering"}), (Role.ANALYST, {"lobby", "answering", "reveal-1-1"})],
)
def test_an_editor_counts_and_an_analyst_reveals(role: Role, slides: set[str]) -> None:
    survey = answered_by_chance(yes_no(leave_out="no"))
    page, context = page_and_context(survey, member_of(survey, role))
    shown = set(slide_names(page))
    assert slides <= shown
    assert ("reveal-1-1" in shown) == (role == Role.ANALYST)
    assert ("data-formula" in page) == (role == Role.ANALYST)
    assert context["analyses"] == (role == Role.ANALYST)


@pytest.mark.parametrize("name", ["survey-present", "survey-present-live"])
def test_a_releaser_does_not_present(name: str) -> None:
    survey = answered_by_chance(yes_no(leave_out="no"))
    response = member_of(survey, Role.RELEASER).get(reverse(name, args=[survey.code]))
    assert response.status_code == 403
    assert 'id="slides"' not in text_of(response)


def test_the_class_reads_its_survey_s_language_and_the_presenter_their_own() -> None:
    survey = answered_by_chance(yes_no(leave_out="no"), language="es")
    record_exact_figures(survey=survey)
    page = text_of(
        owner_of(survey).get(reverse("survey-present", args=[survey.code]), headers={"accept-language": "en"})
    )
    assert '<html lang="en"' in page
    slides = page.split('id="slides"')[1].split('id="tools"')[0]
    assert 'lang="es"' in slides.split(">", maxsplit=1)[0]
    assert "dicen «Sí»" in unescape(slides)


def test_a_survey_by_invitation_shows_no_code_to_join_with() -> None:
    survey = make_open(yes_no(), by_invitation=True)
    page = page_of(survey)
    assert 'id="lobby-title"' in page
    assert f'class="code short">{survey.code}' not in page
    assert f"/s/{survey.code}/" not in page


@pytest.mark.parametrize("state", STATES)
def test_every_state_can_be_presented_and_says_whether_answers_are_accepted(state: str) -> None:
    survey = STATES[state]()
    page = page_of(survey)
    lobby = page.split('id="lobby"')[1].split("</section>", maxsplit=1)[0]
    assert (state_words(survey.state) in words_of(lobby)) == (survey.state != "open")
    assert promise_words(definition_of(survey)) in words_of(lobby)
    # Nobody is asked to join what is over, and what was destroyed is neither counted nor awaited.
    joins = survey.state in {"draft", "open", "paused"}
    assert [part in lobby for part in ('class="host"', survey.code, 'class="qr"')] == [joins] * 3
    assert ('id="answering"' in page) == (survey.state != "purged")
    assert ('id="reveal"' in page) == (survey.state == "draft")
    assert ("data-live" in page) == (survey.state in {"open", "paused"})
    assert ("data-formula" in page) == (survey.state not in {"draft", "purged"})


def test_the_security_policy_lets_no_text_become_a_script() -> None:
    survey = make_open(yes_no())
    response = owner_of(survey).get(reverse("survey-present", args=[survey.code]))
    assert "require-trusted-types-for 'script'" in response["Content-Security-Policy"]


# The same class again.


def _redrawn(page: str, name: str) -> dict[str, Any]:
    slide = page.split(f'id="{name}"')[1].split("</section>", maxsplit=1)[0]
    drawn: dict[str, Any] = json.loads(unescape(re.findall(r'data-again="([^"]+)"', slide)[0]))
    return drawn


def test_what_the_browser_draws_from_is_the_estimate_and_the_matrix() -> None:
    survey = make_open(yes_no(leave_out="no"))
    fill(survey, {"1": 43, "0": 57})
    page, context = page_and_context(survey)
    design = definition_of(survey).items[0].design
    data = _redrawn(page, "reveal-1-5")
    assert (data["n"], data["truths"], data["share"], data["option"]) == (100, [64, 36], 0.36, 1)
    assert (data["columns"], data["denominator"]) == ([list(column) for column in design.columns], design.denominator)
    core = same_class([64, 36], design, 1)
    assert data["first"] == core.first
    table = [*zip(core.estimate, core.low, core.high, core.holds, strict=True)]
    assert [row[:3] for row in data["read"]] == [pytest.approx(row[:3], abs=1e-5) for row in table]
    assert [row[3] for row in data["read"]] == [bool(row[3]) for row in table]
    slide, expected = context["slides"][4], f"{200 * core.held:.0f}"
    assert re.findall(r"\d+|%\(held\)s", slide.held) == ["%(held)s", "200", "36", "100", expected]
    assert re.findall(r"\d+", slide.expected) == [expected, "200"]
    assert slide.held in page
    assert all(sentence in words_of(page) for sentence in (slide.expected, *slide.says))


@pytest.mark.parametrize(
    ("draft", "supposed"),
    [
        (number_mean(leave_out="no"), r"\d+ hours"),
        (several_of(leave_out="no"), r"\d+ of 100"),
        (one_of(), r"\d+ of 100"),
    ],
)
def test_other_kinds_are_drawn_again_too(draft: Question, supposed: str) -> None:
    page, context = page_and_context(answered_by_chance(draft))
    slide = context["slides"][-1]
    assert re.search(supposed, slide.held)
    assert slide.held in page
    # Of a number it is said what is supposed of everybody.
    assert len(slide.says) == 1 + (draft.kind == "number_mean")
    data = _redrawn(page, slide_names(page)[-1])
    assert sum(data["truths"]) in {0, 160}
    assert (data["steps"] is None) == (data["stepsTo"] is None)


@pytest.mark.parametrize("draft", [number_mean(**PROTECTED), yes_no(leave_out="no")])
def test_where_no_class_can_be_drawn_there_is_no_such_step(draft: Question, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selectors, "LARGEST_CLASS", 150)
    (reveal,), _ = read(answered_by_chance(draft))
    assert reveal.steps[-1] == SlideStep.ESTIMATE


def test_the_page_costs_no_estimate_while_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = answered_by_chance(yes_no(leave_out="no"))
    client, address = owner_of(survey), reverse("survey-present-live", args=[survey.code])
    tag = client.get(address)["ETag"]
    refuse: Callable[..., Any] = lambda *_: pytest.fail("estimated again")  # noqa: E731
    monkeypatch.setattr("surveys.presenting.views.reveals_of", refuse)
    assert client.get(address, headers={"if-none-match": tag}).status_code == 304


def test_a_new_batch_brings_the_count_and_only_on_request_the_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = answered_by_chance(yes_no("Q1?", leave_out="no"), yes_no("Q2?", leave_out="no"))
    client, address = owner_of(survey), reverse("survey-present-live", args=[survey.code])
    record_exact_figures(survey=survey)
    whole, figures = client.get(address + "?figures"), slide_names(page_of(survey))
    assert slide_names(text_of(whole)) == figures
    assert "data-later" not in text_of(whole)
    refuse: Callable[..., Any] = lambda *_: pytest.fail("estimated")  # noqa: E731
    monkeypatch.setattr("surveys.presenting.views.reveals_of", refuse)
    polled = client.get(address)
    assert slide_names(text_of(polled)) == ["lobby", "answering"]
    assert "data-later" in text_of(polled)
    # What the page has and what it is to have are told apart by one tag.
    assert polled["ETag"] == whole["ETag"]


def test_to_ask_whether_a_class_is_to_see_figures_one_of_them_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = answered_by_chance(*(yes_no(f"Q{number}?", leave_out="no") for number in range(3)))
    worked_out = []
    real = selectors.question_result
    monkeypatch.setattr(selectors, "question_result", lambda *given: (worked_out.append(given), real(*given))[1])
    page = text_of(owner_of(survey).get(reverse("survey-present-live", args=[survey.code])))
    assert slide_names(page) == ["lobby", "answering", "reveal-1-1"]
    assert "data-step" not in page
    assert len(worked_out) == 1


def test_the_count_alone_needs_neither_survey_nor_reports() -> None:
    standing = ResponseTotals(10, 1, {}, {}, {}, {0: 7})
    survey = Survey(state="open", minimum_n=5)
    assert answer_count(survey, standing) == AnswerCount(15, 5, exact=False)
