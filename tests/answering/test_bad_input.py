"""What no page of ours sends is refused for every kind of question: status 400, nothing stored, nothing repeated."""

import re
from html import unescape

import pytest
from django.test import Client

from surveys.answering.services.collecting import new_nonce
from surveys.drafts.services.surveys import QuestionDraft
from surveys.models import Response, Survey
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

pytestmark = pytest.mark.django_db

BY_SCRIPT = {"Accept": "application/json"}
# For each kind: reports that are too many, too few, out of range, or left out in a way that is none.
KINDS: dict[str, tuple[QuestionDraft, tuple[str, ...]]] = {
    "yes or no": (yes_no(), ("", "11", "2", "a", "--", "yes")),
    "yes or no that must be answered": (yes_no(leave_out="no"), ("-", "2")),
    "protected": (yes_no(**PROTECTED), ("-", "3")),
    "Warner": (warner(leave_out="no"), ("-", "2")),
    "one of": (one_of(), ("-", "3", "z")),
    "several of": (several_of(), ("11", "1111", "112", "-11", "--1", "1-1", "----", "1")),
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


def device(reports: str, **more: str) -> dict[str, str]:
    return {"mode": "device", "nonce": new_nonce(), "reports": reports} | more


def own_coin(**fields: str) -> dict[str, str]:
    return {"mode": "own_coin", "nonce": new_nonce()} | fields


def server(**fields: str) -> dict[str, str]:
    return {"mode": "server", "nonce": new_nonce()} | fields


def refused(survey: Survey, fields: dict[str, str], rest: str = "") -> str:
    """Return the page that refuses; nothing is stored and no cookie is set."""
    client = Client()
    response = client.post(f"/s/{survey.code}/{rest}", fields, follow=True)
    assert response.status_code == 400
    assert not Response.objects.exists()
    assert "deniable_done" not in client.cookies
    return " ".join(unescape(response.content.decode()).split())


@pytest.mark.parametrize(("kind", "reports"), REPORTS, ids=[f"{kind}: {reports}" for kind, reports in REPORTS])
def test_reports_that_are_none_of_a_question_are_refused(kind: str, reports: str) -> None:
    survey = make_open(KINDS[kind][0])
    refused(survey, device(reports))
    response = Client().post(f"/s/{survey.code}/", device(reports), headers=BY_SCRIPT)
    assert response.status_code == 400
    assert set(response.json()) == {"error"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("field", ["truth-1", "answer-1", "answer-1a", "leave-1", "item-1", "item-1a", "truth", "x"])
def test_the_device_sends_no_field_beside_its_reports(kind: str, field: str) -> None:
    refused(make_open(KINDS[kind][0]), device("0" * (3 if kind.startswith("several") else 1), **{field: "1"}))


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"item-1a": "1"},
        {"item-1a": "1", "item-1b": "1", "item-1c": ""},
        {"item-1a": "1", "item-1b": "1", "item-1c": "2"},
        {"item-1a": "1", "item-1b": "1", "item-1c": "-"},
        {"item-1a": "-", "item-1b": "-", "item-1c": "0"},
        {"item-1a": "1", "item-1b": "1", "item-1c": "1", "item-1d": "1"},
        {"item-1": "111"},
        {"item-1a": "1", "item-1b": "1", "item-1c": "1", "leave-2": "1"},
        {"answer-1a": "1", "answer-1b": "1", "answer-1c": "1"},
    ],
)
def test_several_options_are_answered_all_or_none(fields: dict[str, str]) -> None:
    refused(make_open(several_of()), own_coin(**fields))


def test_a_question_without_a_box_of_its_own_takes_none() -> None:
    survey = make_open(yes_no(), server_mode_allowed=True)
    refused(survey, own_coin(**{"leave-1": "1"}))
    refused(survey, server(**{"leave-1": "1"}), "server/")


def test_a_box_cannot_leave_out_what_must_be_answered() -> None:
    survey = make_open(several_of(leave_out="no"), number_mean(leave_out="no"), server_mode_allowed=True)
    for number in (1, 2):
        refused(survey, own_coin(**{f"leave-{number}": "1"}))
        refused(survey, server(**{f"leave-{number}": "1"}), "server/")


@pytest.mark.parametrize(
    "typed",
    [
        "", " ", "NaN", "nan", "inf", "-inf", "Infinity", "1e400", "1e1", "½", "٣", "७", "3/2", "0x7", "7.5.5", "7,5,5",
        "7..5", ".", ",", "-", "+", "--7", "7 5", "seven", "-0.5", "12.5", "13", "7.25", "7.3", "1" * 5000, "0" * 30,
        "7.5" + "0" * 30, "7.500", "1,000", "1.000", "7_5", "7\x005", "<b>7</b>", "7€", "1;2", "None", "true", "[7]",
    ],
)  # fmt: skip
def test_a_number_that_is_none_of_the_steps_is_refused_and_never_repeated(typed: str) -> None:
    survey = make_open(number_mean(), server_mode_allowed=True)
    text = refused(survey, server(**{"answer-1": typed}), "server/")
    assert len(re.findall(r"Question 1\b[^<]*\b0\b[^<]* 12\b[^<]* 0\.5", text)) == 2  # in the summary, and at the field
    assert "<title>Error: " in text
    assert 'href="#answer-1"' in text
    assert " value=" not in text[text.index('name="answer-1"') :].split(">")[0]


@pytest.mark.parametrize("code", ["", "2", "-1", "00", "Yes", "0 ", "٠", "\x00", "1" * 300])
@pytest.mark.parametrize("draft", [yes_no(leave_out="no"), crosswise(leave_out="no"), scale(points=2)])
def test_a_code_that_is_no_answer_is_refused_and_never_given_back(draft: QuestionDraft, code: str) -> None:
    survey = make_open(draft, server_mode_allowed=True)
    text = refused(survey, server(**{"answer-1": code}), "server/")
    assert " checked" not in text
    assert 'href="#answer-1"' in text


def test_a_number_is_no_code_and_a_code_no_number() -> None:
    survey = make_open(number_mean(**PROTECTED), one_of(), server_mode_allowed=True)
    refused(survey, server(**{"answer-1": "0", "answer-2": "0.5"}), "server/")
    refused(survey, server(**{"answer-1": "-", "answer-2": "0"}), "server/")


def test_a_doubled_field_is_refused_in_every_mode() -> None:
    survey = make_open(several_of(), server_mode_allowed=True)
    nonce = new_nonce()
    items = {"item-1a": "1", "item-1b": "1", "item-1c": "1"}
    answers = {"answer-1a": "1", "answer-1b": "1", "answer-1c": "1"}
    for rest, fields in (("", {"mode": "own_coin"} | items), ("server/", {"mode": "server"} | answers)):
        for name in fields:
            doubled = {"nonce": nonce} | fields | {name: [fields[name], fields[name]]}
            assert Client().post(f"/s/{survey.code}/{rest}", doubled, follow=True).status_code == 400
    assert not Response.objects.exists()


def test_everything_that_is_missing_is_named_at_once_with_links_to_it() -> None:
    survey = make_open(yes_no(), several_of(), crosswise(), number_mean(), server_mode_allowed=True)
    text = refused(survey, own_coin(**{"item-2b": "1", "item-4": "0"}))
    summary = text[text.index('id="summary"') : text.index("</ul>")]
    assert [part.split('"')[0] for part in summary.split('href="#')[1:]] == ["item-1", "item-2a", "item-2c", "item-3"]
    problems = re.findall(r'href="#item-[^>]*>([^<]+)<', summary)
    for problem, names in zip(problems, ("1", "2, “Coffee”", "2, “Something illegal”", "3"), strict=True):
        assert problem.startswith(f"Question {names}")
        assert text.count(problem) == 2  # in the summary and beside the field
    for field in ("item-1", "item-2a", "item-2c", "item-3"):
        assert text.count(f'id="{field}"') == 1
    assert text.count(" checked") == 2
    by_server = refused(survey, server(**{"answer-2b": "1", "answer-4": "7.5", "leave-2": "1"}), "server/")
    assert "7.5" not in by_server
    assert " checked" not in by_server


def test_the_form_that_comes_back_can_be_sent(client: Client) -> None:
    survey = make_open(yes_no(), several_of())
    response = client.post(f"/s/{survey.code}/", own_coin(**{"item-1": "1"}))
    html = response.content.decode()
    # It stands at the door and is sent there.
    assert 'action="./"' in html
    assert 'href="./"' in html
    nonce = html.split('name="nonce" value="')[1].split('"')[0]
    fields = {"mode": "own_coin", "nonce": nonce, "item-1": "1", "leave-2": "1"}
    assert client.post(f"/s/{survey.code}/", fields).status_code == 303
    assert Response.objects.get().reports == "1---"
