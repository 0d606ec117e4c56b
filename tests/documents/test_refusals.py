"""What cannot be read is refused whole, with every problem's place and words."""

import re
from typing import Any

import pytest

from surveys.documents.services.creating import read_import
from surveys.documents.services.parsing import MOST_TOLD, DocumentRefused
from surveys.documents.services.reading import read_document
from surveys.models import Survey
from surveys.questionnaire.document import COLUMNS, Questionnaire
from surveys.questionnaire.kinds import prefer_not_to_say
from surveys.questionnaire.reports import MAX_ITEMS
from tests.documents.samples import DOCUMENT, Path, changed, raw, sample_document, without

Json = Any


def problems_of(document: Json) -> dict[str, str]:
    """Return what is wrong with a document, by place, as it would be found in a file."""
    with pytest.raises(DocumentRefused) as refused:
        read_import(raw(document))
    return {problem.place: problem.words for problem in refused.value.problems}


def test_the_whole_document_can_be_read() -> None:
    content = read_document(sample_document())
    assert content.fields["title"] == "Exams"
    assert [question.kind for question in content.questions][:2] == ["yes_no", "one_of"]
    assert [group.slug for group in content.groups] == ["north", "south"]


def test_what_is_left_out_stands_for_what_a_new_survey_has() -> None:
    question = {"kind": "yes_no", "text": "?", "design": "warner", "parameters": {"p": [3, 4]}}
    content = read_document(
        {"format": "deniable-survey", "version": 1, "survey": {"title": "?"}, "questions": [question]}
    )
    new = Survey()
    new.write(Questionnaire(title="?"))
    assert content.fields == {
        name: new.questionnaire.as_json.get(name, COLUMNS[name].get_default())
        if name in COLUMNS
        else getattr(new, name)
        for name in content.fields
    }
    assert content.questions[0].leave_out == "visibly"
    assert content.groups == ()


LARGEST = f"{2**63 - 1:,}"
# What is changed, the place that is named, and what tells the message there from others: a number, or what was read.
WRONG: list[tuple[Path, Json, str, str]] = [
    (("format",), "other", "format", ""),
    (("version",), 2, "version", "1"),
    (("version",), True, "version", "true"),
    (("version",), 1.0, "version", "1.0"),
    (("version",), "1", "version", "“1”"),
    (("survey",), [], "survey", "0"),
    (("questions",), {}, "questions", ""),
    (("questions",), [DOCUMENT["questions"][0]] * 51, "questions", "50"),
    (("survey", "title"), "", "survey.title", ""),
    (("survey", "title"), " \n ", "survey.title", ""),
    (("survey", "title"), None, "survey.title", "null"),
    (("survey", "title"), "x" * 201, "survey.title", "200"),
    (("survey", "introduction"), "x" * 2001, "survey.introduction", "2,000"),
    (("survey", "title"), "a\x00b", "survey.title", ""),
    (("survey", "title"), "a\ud800b", "survey.title", ""),
    (("questions", 0, "quantity"), 32_768, "questions[0].quantity", "32767"),
    (("survey", "language"), "fr", "survey.language", ""),
    (("survey", "time_zone"), "Mars/Olympus", "survey.time_zone", ""),
    (("survey", "time_zone"), "../../etc/passwd", "survey.time_zone", ""),
    (("survey", "opens_at"), "2026-05-01", "survey.opens_at", ""),
    (("survey", "opens_at"), "2026-05-01T09:30:00", "survey.opens_at", ""),
    (("survey", "opens_at"), "2026-02-30T09:30:00Z", "survey.opens_at", ""),
    (("survey", "opens_at"), "0001-01-01T00:00:00+14:00", "survey.opens_at", ""),
    (("survey", "opens_at"), "1999-01-01T00:00:00Z", "survey.opens_at", "2999"),
    (("survey", "closes_at"), "2026-04-30T09:30:00+02:00", "survey.closes_at", ""),
    (("survey", "response_cap"), 0, "survey.response_cap", "1"),
    (("survey", "response_cap"), -1, "survey.response_cap", ""),
    (("survey", "response_cap"), 10**30, "survey.response_cap", LARGEST),
    (("survey", "response_cap"), 10**60, "survey.response_cap", LARGEST),
    (("survey", "title"), -(2**63), "survey.title", LARGEST),
    (("survey", "response_cap"), 1.5, "survey.response_cap", "1.5"),
    (("survey", "minimum_n"), 4, "survey.minimum_n", "5"),
    (("survey", "minimum_n"), True, "survey.minimum_n", "true"),
    (("survey", "minimum_n"), "10", "survey.minimum_n", "“10”"),
    (("survey", "minimum_n"), None, "survey.minimum_n", "null"),
    (("survey", "by_invitation"), 1, "survey.by_invitation", "1"),
    (("survey", "expected_share"), 100, "survey.expected_share", "99"),
    (("groups", 1, "slug"), "north", "groups[1].slug", ""),
    (("groups", 1, "name"), "NORTH", "groups[1].name", ""),
    (("groups", 0, "slug"), "receipt", "groups[0].slug", ""),
    (("groups", 0, "slug"), "../admin", "groups[0].slug", "40"),
    (("groups", 0, "name"), "", "groups[0].name", ""),
    (("groups", 0), "North", "groups[0]", ""),
    (("groups",), [{"name": str(number)} for number in range(31)], "groups", "30"),
    (("questions", 0), None, "questions[0]", "null"),
    (("questions", 0, "kind"), "essay", "questions[0].kind", ""),
    (("questions", 0, "kind"), ["yes_no"], "questions[0].kind", "1"),
    (("questions", 0, "design"), "k-ary", "questions[0].design", ""),
    (("questions", 1, "design"), "kuk", "questions[1].design", ""),
    (("questions", 0, "leave_out"), "perhaps", "questions[0].leave_out", ""),
    (("questions", 0, "leave_out"), "protected", "questions[0].leave_out", ""),
    (("questions", 0, "text"), "", "questions[0].text", ""),
    (("questions", 0, "text"), "x" * 501, "questions[0].text", "500"),
    (("questions", 0, "accepts_infinite"), 0, "questions[0].accepts_infinite", ""),
    (("questions", 1, "options"), [str(n) for n in range(200)], "questions[1].options", "20"),
    (("questions", 1, "options"), ["Yes"], "questions[1].options", "20"),
    (("questions", 1, "options"), ["Yes", "yes", "No"], "questions[1].options", ""),
    (("questions", 1, "options"), ["Yes", 2, "No"], "questions[1].options", ""),
    (("questions", 1, "options"), "Yes", "questions[1].options", ""),
    (("questions", 0, "options"), ["a", "b"], "questions[0].options", ""),
    (("questions", 0, "details"), [], "questions[0].details", ""),
    (("questions", 2, "details", "innocuous"), "", "questions[2].details.innocuous", ""),
    (("questions", 2, "details", "secret"), 1, "questions[2].details", ""),
    (("questions", 3, "details", "step"), [0, 1], "questions[3].details.step", ""),
    (("questions", 3, "details", "low"), [1, 0], "questions[3].details.low", ""),
    (("questions", 3, "details", "high"), [-1, 1], "questions[3].details.high", ""),
    (("questions", 4, "details", "points"), 200, "questions[4].details.points", "11"),
    (("questions", 0, "parameters"), [[1, 2]], "questions[0].parameters", ""),
    (("questions", 0, "parameters", "truth"), [1, 0], "questions[0].parameters.truth", "0"),
    (("questions", 0, "parameters", "truth"), [0, 1], "questions[0].parameters", "truth"),
    (("questions", 0, "parameters", "truth"), [1, 1], "questions[0].parameters", ""),
    (("questions", 0, "parameters", "truth"), [3, 2], "questions[0].parameters.truth", "1"),
    (("questions", 0, "parameters", "truth"), "abc", "questions[0].parameters.truth", "“abc”"),
    (("questions", 0, "parameters", "truth"), [1, 10**60 + 1], "questions[0].parameters.truth[1]", LARGEST),
    (("questions", 0, "parameters", "truth"), [0.5, 2], "questions[0].parameters.truth[0]", "0.5"),
    (("questions", 3, "details", "low"), [-(10**60), 1], "questions[3].details.low[0]", LARGEST),
    (("questions", 0, "parameters", "truth"), 0.5, "questions[0].parameters.truth", "0.5"),
    (("questions", 0, "parameters", "truth"), [True, 2], "questions[0].parameters.truth[0]", "true"),
    (("questions", 0, "parameters", "truth"), [1, 2, 3], "questions[0].parameters.truth", ""),
    (("questions", 0, "parameters", "yes"), [1, 1], "questions[0].parameters", ""),
    (("questions", 0, "parameters", "truth"), [999, 1000], "questions[0].parameters", ""),
    (("questions", 0, "parameters", "yes"), [10**6, 10**7 + 1], "questions[0].parameters", ""),
    (("questions", 0, "parameters", "other"), [1, 2], "questions[0].parameters", "'other'"),
    (("questions", 1, "parameters", "weights", 0), [1, 3], "questions[1].parameters", "1"),
    (("questions", 1, "parameters", "weights", 2), "abc", "questions[1].parameters.weights[2]", "“abc”"),
    (("questions", 1, "parameters", "weights"), "abc", "questions[1].parameters.weights", "“abc”"),
    (("questions", 2, "parameters", "p"), [1, 2], "questions[2].parameters", "1/2"),
]


@pytest.mark.parametrize(("path", "value", "place", "named"), WRONG, ids=lambda part: str(part)[:40])
def test_what_is_wrong_is_named_with_its_place(path: Path, value: Json, place: str, named: str) -> None:
    problems = problems_of(changed(path, value))
    assert list(problems) == [place]
    assert named in problems[place]


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (("survey",), "survey"),
        (("survey", "title"), "survey.title"),
        (("groups", 0, "name"), "groups[0].name"),
        (("questions", 0, "kind"), "questions[0].kind"),
        (("questions", 0, "text"), "questions[0].text"),
        (("questions", 0, "design"), "questions[0].design"),
        (("questions", 0, "parameters"), "questions[0].parameters"),
        (("questions", 2, "details", "innocuous"), "questions[2].details.innocuous"),
        (("questions", 3, "details", "unit"), "questions[3].details.unit"),
    ],
)
def test_what_is_missing_is_named_and_not_called_too_long(path: Path, place: str) -> None:
    assert not re.search(r"\d", problems_of(without(path))[place])


@pytest.mark.parametrize("path", [("code",), ("survey", "owner"), ("groups", 0, "n"), ("questions", 1, "position")])
def test_unknown_names_are_refused_by_name(path: Path) -> None:
    [place] = problems_of(changed(path, "x"))
    assert place.endswith(str(path[-1]))


def test_names_that_come_twice_are_refused_by_name() -> None:
    text = raw(sample_document()).replace(b'"title": "Exams"', b'"title": "Exams", "title": "Other"')
    with pytest.raises(DocumentRefused) as refused:
        read_import(text)
    assert [problem.place for problem in refused.value.problems] == ["survey.title"]


def test_all_problems_are_named_at_once() -> None:
    document = changed(("survey", "language"), "fr")
    document["survey"]["closes_at"] = document["survey"]["opens_at"]
    document["survey"]["minimum_n"] = 1
    document["questions"][0]["parameters"]["truth"] = "abc"
    document["questions"][1]["options"] = []
    document["questions"][3]["details"]["step"] = [5, 1]
    document["groups"][0]["slug"] = "i"
    assert set(problems_of(document)) == {
        "survey.language",
        "survey.closes_at",
        "survey.minimum_n",
        "questions[0].parameters.truth",
        "questions[1].options",
        "questions[3].details.step",
        "groups[0].slug",
    }


def test_one_innocuous_fact_for_two_questions_is_refused() -> None:
    document = sample_document()
    document["questions"].append(document["questions"][2] | {"text": "Another?"})
    problems = problems_of(document)
    assert re.findall(r"\d", problems["questions[5].details.innocuous"]) == ["3", "6"]


def test_more_items_than_fit_into_a_response_are_refused() -> None:
    several = {
        "kind": "several_of",
        "text": "Which?",
        "options": [str(number) for number in range(20)],
        "design": "warner",
        "parameters": {"p": [3, 4]},
    }
    assert str(MAX_ITEMS) in problems_of(changed(("questions",), [several] * 8))["questions"]


def test_an_option_that_reads_as_the_pages_own_words_is_refused_in_the_language_of_the_survey() -> None:
    document = changed(("questions", 1, "leave_out"), "protected")
    document["questions"][1]["parameters"] = {"truth": [1, 2]}
    document["questions"][1]["options"] = [prefer_not_to_say(), "Never"]
    assert list(problems_of(document)) == ["questions[1].options"]
    # In German pages say it otherwise.
    document["survey"]["language"] = "de"
    assert read_import(raw(document)).content.questions[1].options == (prefer_not_to_say(), "Never")


def test_of_very_many_problems_the_first_are_shown_and_the_others_counted() -> None:
    document = sample_document() | {f"name{number}": 1 for number in range(500)}
    with pytest.raises(DocumentRefused) as refused:
        read_document(document)
    assert len(refused.value.problems) == MOST_TOLD + 1
    assert "450" in refused.value.problems[-1].words


def test_what_is_shown_of_a_wrong_value_is_short_and_can_be_seen() -> None:
    words = problems_of(changed(("survey", "minimum_n"), "\u202e\x07" + "x" * 5000))["survey.minimum_n"]
    assert "\\u202e\\u0007xxx" in words
    assert len(words) < 200


@pytest.mark.parametrize("value", [None, 3, "text", [], [{}], True])
def test_what_is_no_object_is_no_document(value: Json) -> None:
    with pytest.raises(DocumentRefused) as refused:
        read_document(value)
    assert [problem.place for problem in refused.value.problems] == [""]
