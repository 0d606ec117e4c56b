"""What no page of ours sends is refused for every kind of question, and its page repeats no true answer."""

import re
from collections.abc import Mapping
from html import unescape
from urllib.parse import urlencode

import pytest
from django.http import QueryDict
from django.test import Client

from surveys.answering.forms import parse_reports, parse_truths
from surveys.answering.services.collecting import InvalidSubmission, new_nonce
from surveys.models import Response, Survey
from surveys.questionnaire.question import Question
from tests.answering.parts import define
from tests.factories import (
    PROTECTED,
    crosswise,
    make_open,
    number_bands,
    number_mean,
    one_of,
    scale,
    several_of,
    triangular,
    unrelated,
    warner,
    yes_no,
)

# For each kind: reports that are too many, too few, out of range, or left out in a way that is none.
KINDS: dict[str, tuple[Question, tuple[str, ...]]] = {
    "yes or no": (yes_no(), ("", "11", "2", "a", "--", "yes")),
    "yes or no that must be answered": (yes_no(leave_out="no"), ("-", "2")),
    "protected": (yes_no(**PROTECTED), ("-", "3")),
    "Warner": (warner(leave_out="no"), ("-", "2")),
    "one of": (one_of(), ("-", "3", "z")),
    "several of": (several_of(), ("11", "1111", "112", "-11", "11-", "--1", "--0", "1-1", "----", "1")),
    "several of that must be answered": (several_of(leave_out="no"), ("---", "-11", "2")),
    "several of, protected": (several_of(**PROTECTED), ("---", "113")),
    "a scale": (scale(), ("5", "-")),
    "a number": (number_mean(), ("2", "7.5", "0.5", "--")),
    "a number, protected": (number_mean(**PROTECTED), ("3", "-")),
    "bands": (number_bands(), ("3", "-")),
    "crosswise": (crosswise(), ("2", "11")),
    "triangular": (triangular(leave_out="no"), ("2", "-")),
    "unrelated": (unrelated(), ("2", "x")),
}
REPORTS = [(kind, reports) for kind, (_draft, wrong) in KINDS.items() for reports in wrong]


def _refused(draft: Question, mode: str, fields: Mapping[str, object]) -> InvalidSubmission:
    """Read what no page sends of a question, and return why it is not taken."""
    post = QueryDict(urlencode({"nonce": new_nonce(), "mode": mode, **fields}, doseq=True))
    with pytest.raises(InvalidSubmission) as refused:
        (parse_truths if mode == "server" else parse_reports)(post, define(draft))
    return refused.value


def _page(survey: Survey, fields: dict[str, str], rest: str = "") -> str:
    """Return the page that refuses; nothing is stored and no cookie is set."""
    client = Client()
    response = client.post(f"/s/{survey.code}/{rest}", {"nonce": new_nonce()} | fields, follow=True)
    assert response.status_code == 400
    assert not Response.objects.exists()
    assert "deniable_done" not in client.cookies
    return " ".join(unescape(response.content.decode()).split())


@pytest.mark.parametrize(("kind", "reports"), REPORTS, ids=[f"{kind}: {reports}" for kind, reports in REPORTS])
def test_reports_that_are_none_of_a_question_do_not_fit(kind: str, reports: str) -> None:
    assert define(KINDS[kind][0]).misfit(reports) != ""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("field", ["truth-1", "answer-1", "answer-1a", "leave-1", "item-1", "item-1a", "truth", "x"])
def test_the_device_sends_no_field_beside_its_reports(kind: str, field: str) -> None:
    reports = "0" * (3 if kind.startswith("several") else 1)
    assert _refused(KINDS[kind][0], "device", {"reports": reports, field: "1"}).field == ""


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"item-1a": "1"},
        {"item-1a": "1", "item-1b": "1", "item-1c": ""},
        {"item-1a": "1", "item-1b": "1", "item-1c": "2"},
        {"item-1a": "1", "item-1b": "1", "item-1c": "1", "item-1d": "1"},
        {"item-1": "111"},
        {"item-1a": "1", "item-1b": "1", "item-1c": "1", "leave-2": "1"},
        {"answer-1a": "1", "answer-1b": "1", "answer-1c": "1"},
    ],
)
def test_several_options_are_answered_all_or_none(fields: dict[str, str]) -> None:
    _refused(several_of(), "own_coin", fields)


def test_a_question_without_a_box_of_its_own_takes_none() -> None:
    for mode in ("own_coin", "server"):
        assert _refused(yes_no(), mode, {"leave-1": "1"}).field == ""


def test_a_box_cannot_leave_out_what_must_be_answered() -> None:
    for draft in (several_of(leave_out="no"), number_mean(leave_out="no")):
        for mode in ("own_coin", "server"):
            assert _refused(draft, mode, {"leave-1": "1"}).field == ""


@pytest.mark.parametrize(
    "typed",
    [
        "", " ", "NaN", "nan", "inf", "-inf", "Infinity", "1e400", "1e1", "½", "٣", "७", "3/2", "0x7", "7.5.5", "7,5,5",
        "7..5", ".", ",", "-", "+", "--7", "7 5", "seven", "-0.5", "12.5", "13", "7.25", "7.3", "1" * 5000, "0" * 30,
        "7.5" + "0" * 30, "7.500", "1,000", "1.000", "7_5", "7\x005", "<b>7</b>", "7€", "1;2", "None", "true", "[7]",
    ],
)  # fmt: skip
def test_a_number_that_is_none_of_the_steps_is_refused(typed: str) -> None:
    refused = _refused(number_mean(), "server", {"answer-1": typed})
    assert refused.field == "answer-1"
    # It says what can be given, and not what was.
    assert re.findall(r"\d+(?:\.\d+)?", str(refused)) == ["1", "0", "12", "0.5"]


@pytest.mark.parametrize("code", ["", "2", "-1", "00", "Yes", "0 ", "٠", "\x00", "1" * 300])
@pytest.mark.parametrize("draft", [yes_no(leave_out="no"), crosswise(leave_out="no"), scale(points=2)])
def test_a_code_that_is_no_answer_is_refused(draft: Question, code: str) -> None:
    assert _refused(draft, "server", {"answer-1": code}).field == "answer-1"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("draft", "given"), [(number_mean(), "13"), (number_mean(), "<b>7</b>"), (scale(points=2), "2")]
)
def test_the_page_that_refuses_repeats_no_true_answer(draft: Question, given: str) -> None:
    text = _page(make_open(draft, server_mode_allowed=True), {"mode": "server", "answer-1": given}, "server/")
    assert "<title>Error: " in text
    (problem,) = re.findall(r'href="#answer-1">([^<]+)<', text)
    assert text.count(problem) == 2  # in the summary, and at the field
    assert " checked" not in text
    assert not re.search(r'<input[^>]*type="text"[^>]* value=', text)


def test_a_number_is_no_code_and_a_code_no_number() -> None:
    assert _refused(one_of(), "server", {"answer-1": "0.5"}).field == "answer-1"
    assert _refused(number_mean(**PROTECTED), "server", {"answer-1": "-"}).field == "answer-1"


@pytest.mark.parametrize(("mode", "prefix"), [("own_coin", "item"), ("server", "answer")])
@pytest.mark.parametrize("doubled", ["mode", "a", "b", "c"])
def test_a_doubled_field_is_refused_in_every_mode(mode: str, prefix: str, doubled: str) -> None:
    fields: dict[str, object] = {f"{prefix}-1{letter}": "1" for letter in "abc"}
    again = {"mode": [mode, mode]} if doubled == "mode" else {f"{prefix}-1{doubled}": ["1", "1"]}
    assert _refused(several_of(), mode, fields | again).field == ""


@pytest.mark.django_db
def test_everything_that_is_missing_is_named_at_once_with_links_to_it() -> None:
    survey = make_open(yes_no(), several_of(), crosswise(), number_mean(), server_mode_allowed=True)
    text = _page(survey, {"mode": "own_coin", "item-2b": "1", "item-4": "0"})
    summary = text[text.index('id="summary"') : text.index("</ul>")]
    assert [part.split('"')[0] for part in summary.split('href="#')[1:]] == ["item-1", "item-2a", "item-2c", "item-3"]
    problems = re.findall(r'href="#item-[^>]*>([^<]+)<', summary)
    for problem, names in zip(problems, ("1", "2, “Coffee”", "2, “Something illegal”", "3"), strict=True):
        assert problem.startswith(f"Question {names}")
        assert text.count(problem) == 2  # in the summary and beside the field
    for field in ("item-1", "item-2a", "item-2c", "item-3"):
        assert text.count(f'id="{field}"') == 1
    assert text.count(" checked") == 2
    by_server = _page(survey, {"mode": "server", "answer-2b": "1", "answer-4": "7.5", "leave-2": "1"}, "server/")
    assert "7.5" not in by_server
    assert " checked" not in by_server


@pytest.mark.django_db
def test_the_form_that_comes_back_can_be_sent(client: Client) -> None:
    survey = make_open(yes_no(), several_of())
    response = client.post(f"/s/{survey.code}/", {"mode": "own_coin", "nonce": new_nonce(), "item-1": "1"})
    html = response.content.decode()
    # It stands at the door and is sent there.
    assert 'action="./"' in html
    assert 'href="./"' in html
    nonce = html.split('name="nonce" value="')[1].split('"')[0]
    fields = {"mode": "own_coin", "nonce": nonce, "item-1": "1", "leave-2": "1"}
    assert client.post(f"/s/{survey.code}/", fields).status_code == 303
    assert Response.objects.get().reports == "1---"
