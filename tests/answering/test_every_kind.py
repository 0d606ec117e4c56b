"""Every kind of question in every mode, answered and left out: what is sent is stored, and nothing else is."""

import re
from collections.abc import Callable
from html import unescape

import pytest
from django.db import connection
from django.test import Client

from surveys.answering.services import perturbing
from surveys.answering.services.collecting import new_nonce
from surveys.answering.words.designs import both_questions
from surveys.common.selectors import definition_of
from surveys.models import Response, Survey
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.reports import LEFT_OUT
from tests.answering.parts import part
from tests.factories import PROTECTED, every_kind, make_open, number_mean
from tests.pages import words_of

pytestmark = pytest.mark.django_db

Fields = dict[str, str]


@pytest.fixture
def survey() -> Survey:
    return make_open(*every_kind(), server_mode_allowed=True)


@pytest.fixture
def definition(survey: Survey) -> Definition:
    return definition_of(survey)


def everything_else() -> dict[str, list[tuple[object, ...]]]:
    """Return all rows of all tables but the responses."""
    with connection.cursor() as cursor:
        names = sorted(set(connection.introspection.table_names(cursor)) - {"surveys_response"})
        rows = {}
        for name in names:
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(name)}")  # noqa: S608 - the schema's own names
            rows[name] = cursor.fetchall()
        return rows


def highest(question: AskedQuestion) -> str:
    return "".join("0123456789abcdefghijklmnopqrstuvwxyz"[item.design.m - 1] for item in question.items)


def lowest(question: AskedQuestion) -> str:
    return "0" * len(question.items)


def left(question: AskedQuestion) -> str:
    return LEFT_OUT * len(question.items) if question.can_be_left_out else highest(question)


WAYS: dict[str, Callable[[AskedQuestion], str]] = {"highest": highest, "lowest": lowest, "left out": left}


def tapped(definition: Definition, reports: str) -> Fields:
    """Return what the own-coin form sends for these reports: a box where a question has one."""
    fields: Fields = {}
    for question in definition.questions:
        mine = {f"item-{item.key}": reports[item.number] for item in question.items}
        if set(mine.values()) == {LEFT_OUT} and question.answers.by_option:
            mine = {f"leave-{question.number}": "1"}
        fields |= mine
    return fields


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
@pytest.mark.parametrize("mode", ["device", "own_coin"])
def test_the_row_is_what_was_sent_and_nothing_else_is_kept(
    client: Client, survey: Survey, definition: Definition, mode: str, way: Callable[[AskedQuestion], str]
) -> None:
    reports = "".join(way(question) for question in definition.questions)
    sent = {"reports": reports} if mode == "device" else tapped(definition, reports)
    before = everything_else()
    response = client.post(f"/s/{survey.code}/", {"mode": mode, "nonce": new_nonce()} | sent)
    assert response.status_code == 303
    (stored,) = Response.objects.values("survey_id", "group_id", "mode", "reports")
    assert stored == {"survey_id": survey.pk, "group_id": None, "mode": mode, "reports": reports}
    assert everything_else() == before


def test_the_database_has_no_column_for_anything_but_the_reports() -> None:
    columns = {field.column for field in Response._meta.get_fields() if field.concrete}
    assert columns == {"survey_id", "group_id", "mode", "reports", "nonce_hash"}


def truths(definition: Definition, code: str = "1", number: str = "7.5", *, leave: bool = False) -> Fields:
    """Return what the server's form sends: a code, a number, or not answering wherever there is a way."""
    fields: Fields = {}
    for question in definition.questions:
        boxed = question.answers.by_option or question.kind == "number_mean"
        if leave and question.can_be_left_out and not boxed:
            fields[f"answer-{question.first.key}"] = LEFT_OUT
        elif leave and (question.can_be_left_out or question.kind == "number_mean"):
            fields[f"leave-{question.number}"] = "1"
            fields |= {f"answer-{item.key}": "" for item in question.items if item.range}
        elif question.answers.one_true:
            fields[f"answer-{question.number}"] = code
        else:
            fields |= {f"answer-{item.key}": number if item.range else code for item in question.items}
    return fields


def test_the_server_stores_what_chance_makes_of_every_kind(
    client: Client, survey: Survey, definition: Definition, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The walk of every column from 0: the first report that the truth can have; a number is rounded up first.
    asked: list[int] = []
    monkeypatch.setitem(perturbing.perturb.__kwdefaults__, "randbelow", lambda bound: asked.append(bound) or 0)
    before = everything_else()
    response = client.post(f"/s/{survey.code}/server/", {"mode": "server", "nonce": new_nonce()} | truths(definition))
    assert response.status_code == 303
    expected, bounds = "", []
    for item in definition.items:
        # Of the options of which one is chosen it is the second.
        column = item.design.columns[item.key.endswith("b") if item.answers.one_true else 1]
        expected += "1" if item.tapped else str(next(code for code, weight in enumerate(column) if weight))
        bounds += [] if item.tapped else [item.range.steps] if item.range else []
        bounds += [] if item.tapped else [item.design.denominator]
    assert list(Response.objects.values_list("mode", "reports")) == [("server", expected)]
    assert asked == bounds
    assert everything_else() == before


def test_the_server_leaves_out_what_may_be_and_protects_what_says_so(
    client: Client, survey: Survey, definition: Definition
) -> None:
    fields = {"mode": "server", "nonce": new_nonce()} | truths(definition, leave=True)
    assert client.post(f"/s/{survey.code}/server/", fields).status_code == 303
    reports = Response.objects.get().reports
    for question in definition.questions:
        given = {reports[item.number] for item in question.items}
        assert (given == {LEFT_OUT}) == question.can_be_left_out, question.text


def test_prefer_not_to_say_of_a_number_goes_through_the_randomizer_as_an_answer_of_its_own(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = make_open(number_mean(**PROTECTED), server_mode_allowed=True)
    # The last draw of a column: for a truth of its own it is its own report only at the end of the walk.
    monkeypatch.setitem(perturbing.perturb.__kwdefaults__, "randbelow", lambda bound: bound - 1)
    client.post(f"/s/{survey.code}/server/", {"mode": "server", "nonce": new_nonce(), "leave-1": "1", "answer-1": ""})
    assert Response.objects.get().reports == "2"


def test_a_ticked_box_outweighs_what_was_tapped_before(client: Client, survey: Survey, definition: Definition) -> None:
    question = next(one for one in definition.questions if one.kind == "several_of" and one.can_be_left_out)
    fields = tapped(definition, "0" * len(definition.items)) | {f"leave-{question.number}": "1"}
    client.post(f"/s/{survey.code}/", {"mode": "own_coin", "nonce": new_nonce()} | fields)
    reports = Response.objects.get().reports
    assert {reports[item.number] for item in question.items} == {LEFT_OUT}
    assert reports.count(LEFT_OUT) == len(question.items)


@pytest.mark.parametrize("typed", ["7.5", "7,5", " 7.5 ", "7.50", "+7.5", "0", "12", "12.0"])
def test_numbers_are_read_as_people_write_them(client: Client, typed: str) -> None:
    survey = make_open(number_mean(), server_mode_allowed=True)
    fields = {"mode": "server", "nonce": new_nonce(), "answer-1": typed}
    assert client.post(f"/s/{survey.code}/server/", fields).status_code == 303


def test_a_number_below_zero_may_be_written_with_a_real_minus(client: Client) -> None:
    details = {"low": [-5, 1], "high": [5, 1], "step": [1, 1], "unit": ""}
    for typed in ("-3", "−3"):
        survey = make_open(number_mean(details=details), server_mode_allowed=True)
        fields = {"mode": "server", "nonce": new_nonce(), "answer-1": typed}
        assert Client().post(f"/s/{survey.code}/server/", fields).status_code == 303


@pytest.mark.parametrize("mode", ["device", "own_coin", "server"])
def test_the_receipt_says_every_item_in_words_and_how_chance_was_added(
    client: Client, survey: Survey, definition: Definition, mode: str
) -> None:
    sent = {
        "device": ("", {"reports": "1" * len(definition.items)}),
        "own_coin": ("", tapped(definition, "1" * len(definition.items))),
        "server": ("server/", truths(definition)),
    }
    rest, fields = sent[mode]
    response = client.post(f"/s/{survey.code}/{rest}", {"mode": mode, "nonce": new_nonce()} | fields, follow=True)
    text = " ".join(unescape(response.content.decode()).split())
    reports = Response.objects.get().reports
    for question in definition.questions:
        assert question.text in text
        for item in question.items:
            asked = item.option or both_questions(question)
            assert re.search(
                rf"{re.escape(asked)}</bdi> <strong dir=.auto.>{re.escape(item.words(reports[item.number]))}</strong>",
                text,
            )
    facts = {how: part("_receipt_facts", definition, mode=how) for how in sent}
    assert [how for how, words in facts.items() if words in words_of(text)] == [mode]
