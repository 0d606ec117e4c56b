"""What cannot be read is refused whole, with every problem's place and words."""

from typing import Any

import pytest

from surveys.documents.services.parsing import MOST_TOLD, DocumentRefused
from surveys.documents.services.reading import parse_document, read_document
from surveys.models import Survey
from tests.documents.samples import DOCUMENT, Path, changed, raw, whole, without

Json = Any


def problems_of(document: Json) -> dict[str, str]:
    """Return what is wrong with a document, by place, as it would be found in a file."""
    with pytest.raises(DocumentRefused) as refused:
        parse_document(raw(document))
    return {problem.place: problem.words for problem in refused.value.problems}


def test_the_whole_document_can_be_read() -> None:
    content = read_document(whole())
    assert content.fields["title"] == "Exams"
    assert [question.kind for question in content.questions][:2] == ["yes_no", "one_of"]
    assert [group.slug for group in content.groups] == ["north", "south"]


def test_what_is_left_out_stands_for_what_a_new_survey_has() -> None:
    question = {"kind": "yes_no", "text": "?", "design": "warner", "parameters": {"p": [3, 4]}}
    content = read_document(
        {"format": "deniable-survey", "version": 1, "survey": {"title": "?"}, "questions": [question]}
    )
    new = Survey(title="?")
    assert content.fields == {name: getattr(new, name) for name in content.fields}
    assert content.questions[0].leave_out == "visibly"
    assert content.groups == ()


WRONG: list[tuple[Path, Json, str, str]] = [
    (("format",), "other", "format", "This is no survey’s document"),
    (("version",), 2, "version", "Documents of version 1 can be read"),
    (("version",), True, "version", "This says true"),
    (("version",), 1.0, "version", "This says the number 1.0"),
    (("version",), "1", "version", "This says the text “1”"),
    (("survey",), [], "survey", "Here belongs an object, {…}, not a list of 0."),
    (("questions",), {}, "questions", "Here belongs a list, […], not an object."),
    (("questions",), [DOCUMENT["questions"][0]] * 51, "questions", "There are 51 entries; 50 are the most."),
    (("survey", "title"), "", "survey.title", "Write a title."),
    (("survey", "title"), " \n ", "survey.title", "Write a title."),
    (("survey", "title"), None, "survey.title", "Here belongs a text, not nothing (null)."),
    (("survey", "title"), "x" * 201, "survey.title", "This text has 201 characters; 200 are the most."),
    (("survey", "introduction"), "x" * 2001, "survey.introduction", "2,000 are the most"),
    (("survey", "title"), "a\x00b", "survey.title", "the character NUL"),
    (("survey", "title"), "a\ud800b", "survey.title", "half a character"),
    (("questions", 0, "quantity"), 32_768, "questions[0].quantity", "less than or equal to 32767"),
    (("survey", "language"), "fr", "survey.language", "Choose one of the languages"),
    (("survey", "time_zone"), "Mars/Olympus", "survey.time_zone", "Choose one of the time zones"),
    (("survey", "time_zone"), "../../etc/passwd", "survey.time_zone", "Choose one of the time zones"),
    (("survey", "opens_at"), "2026-05-01", "survey.opens_at", "Here belongs a time"),
    (("survey", "opens_at"), "2026-05-01T09:30:00", "survey.opens_at", "with its distance from UTC"),
    (("survey", "opens_at"), "2026-02-30T09:30:00Z", "survey.opens_at", "Here belongs a time"),
    (("survey", "opens_at"), "0001-01-01T00:00:00+14:00", "survey.opens_at", "Here belongs a time"),
    (("survey", "opens_at"), "1999-01-01T00:00:00Z", "survey.opens_at", "between 2000 and 2999"),
    (("survey", "closes_at"), "2026-04-30T09:30:00+02:00", "survey.closes_at", "must close after it opens"),
    (("survey", "response_cap"), 0, "survey.response_cap", "greater than or equal to 1"),
    (("survey", "response_cap"), -1, "survey.response_cap", "greater than or equal to"),
    (("survey", "response_cap"), 10**30, "survey.response_cap", "9,223,372,036,854,775,807 is the most"),
    (("survey", "response_cap"), 10**60, "survey.response_cap", "This number is too large"),
    (("survey", "title"), -(2**63), "survey.title", "This number is too large"),
    (("survey", "response_cap"), 1.5, "survey.response_cap", "Here belongs a whole number, not the number 1.5."),
    (("survey", "minimum_n"), 4, "survey.minimum_n", "greater than or equal to 5"),
    (("survey", "minimum_n"), True, "survey.minimum_n", "Here belongs a whole number, not true."),
    (("survey", "minimum_n"), "10", "survey.minimum_n", "not the text “10”"),
    (("survey", "minimum_n"), None, "survey.minimum_n", "not nothing (null)"),
    (("survey", "by_invitation"), 1, "survey.by_invitation", "Here belongs true or false, not the number 1."),
    (("survey", "expected_share"), 100, "survey.expected_share", "less than or equal to 99"),
    (("groups", 1, "slug"), "north", "groups[1].slug", "Another group has this link."),
    (("groups", 1, "name"), "NORTH", "groups[1].name", "There is a group of this name already."),
    (("groups", 0, "slug"), "receipt", "groups[0].slug", "an address of the survey’s own pages"),
    (("groups", 0, "slug"), "../admin", "groups[0].slug", "Use at most 40 small letters"),
    (("groups", 0, "name"), "", "groups[0].name", "Give the group a name."),
    (("groups", 0), "North", "groups[0]", "Here belongs an object"),
    (("groups",), [{"name": str(number)} for number in range(31)], "groups", "30 are the most"),
    (("questions", 0), None, "questions[0]", "Here belongs an object, {…}, not nothing (null)."),
    (("questions", 0, "kind"), "essay", "questions[0].kind", "is not a valid choice"),
    (("questions", 0, "kind"), ["yes_no"], "questions[0].kind", "Here belongs a text, not a list of 1."),
    (("questions", 0, "design"), "k-ary", "questions[0].design", "is not a valid choice"),
    (("questions", 1, "design"), "kuk", "questions[1].design", "This kind of question can be asked with"),
    (("questions", 0, "leave_out"), "perhaps", "questions[0].leave_out", "is not a valid choice"),
    (("questions", 0, "leave_out"), "protected", "questions[0].leave_out", "This design cannot protect"),
    (("questions", 0, "text"), "", "questions[0].text", "cannot be blank"),
    (("questions", 0, "text"), "x" * 501, "questions[0].text", "500 are the most"),
    (("questions", 0, "accepts_infinite"), 0, "questions[0].accepts_infinite", "Here belongs true or false"),
    (("questions", 1, "options"), [str(n) for n in range(200)], "questions[1].options", "Give 2 to 20 options"),
    (("questions", 1, "options"), ["Yes"], "questions[1].options", "Give 2 to 20 options"),
    (("questions", 1, "options"), ["Yes", "yes", "No"], "questions[1].options", "Two options are the same."),
    (("questions", 1, "options"), ["Yes", 2, "No"], "questions[1].options", "must be a list of texts"),
    (("questions", 1, "options"), "Yes", "questions[1].options", "Here belongs a list"),
    (("questions", 0, "options"), ["a", "b"], "questions[0].options", "no options of its own"),
    (("questions", 0, "details"), [], "questions[0].details", "Here belongs an object"),
    (("questions", 2, "details", "innocuous"), "", "questions[2].details.innocuous", "Respondents need this text"),
    (("questions", 2, "details", "secret"), 1, "questions[2].details", "This kind of question has no secret."),
    (("questions", 3, "details", "step"), [0, 1], "questions[3].details.step", "The steps must lead"),
    (("questions", 3, "details", "low"), [1, 0], "questions[3].details.low", "Write a number between"),
    (("questions", 3, "details", "high"), [-1, 1], "questions[3].details.high", "must be above the smallest"),
    (("questions", 4, "details", "points"), 200, "questions[4].details.points", "A scale has 2 to 11 points."),
    (("questions", 0, "parameters"), [[1, 2]], "questions[0].parameters", "Here belongs an object"),
    (("questions", 0, "parameters", "truth"), [1, 0], "questions[0].parameters.truth", "must be above 0"),
    (("questions", 0, "parameters", "truth"), [0, 1], "questions[0].parameters", "truth"),
    (("questions", 0, "parameters", "truth"), [1, 1], "questions[0].parameters", "nothing is left to chance"),
    (("questions", 0, "parameters", "truth"), [3, 2], "questions[0].parameters.truth", "between 0 and 1"),
    (("questions", 0, "parameters", "truth"), "abc", "questions[0].parameters.truth", "not the text “abc”"),
    (("questions", 0, "parameters", "truth"), [1, 10**60 + 1], "questions[0].parameters.truth[1]", "is too large"),
    (("questions", 0, "parameters", "truth"), [0.5, 2], "questions[0].parameters.truth[0]", "not the number 0.5"),
    (("questions", 3, "details", "low"), [-(10**60), 1], "questions[3].details.low[0]", "This number is too large"),
    (("questions", 0, "parameters", "truth"), 0.5, "questions[0].parameters.truth", "not the number 0.5"),
    (("questions", 0, "parameters", "truth"), [True, 2], "questions[0].parameters.truth[0]", "whole number, not true"),
    (("questions", 0, "parameters", "truth"), [1, 2, 3], "questions[0].parameters.truth", "two whole numbers"),
    (("questions", 0, "parameters", "yes"), [1, 1], "questions[0].parameters", "ε is infinite"),
    (("questions", 0, "parameters", "truth"), [999, 1000], "questions[0].parameters", "all but gives the answer away"),
    (("questions", 0, "parameters", "yes"), [10**6, 10**7 + 1], "questions[0].parameters", "common denominator"),
    (("questions", 0, "parameters", "other"), [1, 2], "questions[0].parameters", "no parameter 'other'"),
    (("questions", 1, "parameters", "weights", 0), [1, 3], "questions[1].parameters", "sum to 1"),
    (("questions", 1, "parameters", "weights", 2), "abc", "questions[1].parameters.weights[2]", "“abc”"),
    (("questions", 1, "parameters", "weights"), "abc", "questions[1].parameters.weights", "“abc”"),
    (("questions", 2, "parameters", "p"), [1, 2], "questions[2].parameters", "1/2"),
]


@pytest.mark.parametrize(("path", "value", "place", "words"), WRONG, ids=lambda part: str(part)[:40])
def test_what_is_wrong_is_named_with_its_place(path: Path, value: Json, place: str, words: str) -> None:
    problems = problems_of(changed(path, value))
    assert list(problems) == [place]
    assert words in problems[place]


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
    ],
)
def test_what_is_missing_is_named(path: Path, place: str) -> None:
    assert problems_of(without(path))[place] == "This is missing."


@pytest.mark.parametrize("path", [("code",), ("survey", "owner"), ("groups", 0, "n"), ("questions", 1, "position")])
def test_unknown_names_are_refused_by_name(path: Path) -> None:
    ((place, words),) = problems_of(changed(path, "x")).items()
    assert place.endswith(str(path[-1]))
    assert words == "Nothing is called this here."


def test_names_that_come_twice_are_refused_by_name() -> None:
    text = raw(whole()).replace(b'"title": "Exams"', b'"title": "Exams", "title": "Other"')
    with pytest.raises(DocumentRefused) as refused:
        parse_document(text)
    assert str(refused.value) == "survey.title: This name comes more than once in the same object."


def test_all_problems_are_told_at_once() -> None:
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
    document = whole()
    document["questions"].append(document["questions"][2] | {"text": "Another?"})
    problems = problems_of(document)
    assert "Questions 3 and 6 lean on the same innocuous question" in problems["questions[5].details.innocuous"]


def test_more_items_than_fit_into_a_response_are_refused() -> None:
    several = {
        "kind": "several_of",
        "text": "Which?",
        "options": [str(number) for number in range(20)],
        "design": "warner",
        "parameters": {"p": [3, 4]},
    }
    assert "150 items at most" in problems_of(changed(("questions",), [several] * 8))["questions"]


def test_an_option_that_reads_as_the_pages_own_words_is_refused_in_the_language_of_the_survey() -> None:
    document = changed(("questions", 1, "leave_out"), "protected")
    document["questions"][1]["parameters"] = {"truth": [1, 2]}
    document["questions"][1]["options"] = ["Prefer not to say", "Never"]
    assert problems_of(document)["questions[1].options"] == "Two answers would read the same."
    # In German pages say it otherwise.
    document["survey"]["language"] = "de"
    assert parse_document(raw(document)).questions[1].options == ["Prefer not to say", "Never"]


def test_of_very_many_problems_the_first_are_told_and_the_others_counted() -> None:
    document = whole() | {f"name{number}": 1 for number in range(500)}
    with pytest.raises(DocumentRefused) as refused:
        read_document(document)
    assert len(refused.value.problems) == MOST_TOLD + 1
    assert refused.value.problems[-1].words == "There are 450 more problems."


def test_what_is_shown_of_a_wrong_value_is_short_and_can_be_seen() -> None:
    words = problems_of(changed(("survey", "minimum_n"), "\u202e\x07" + "x" * 5000))["survey.minimum_n"]
    assert "\\u202e\\u0007xxx" in words
    assert len(words) < 200


@pytest.mark.parametrize("value", [None, 3, "text", [], [{}], True])
def test_what_is_no_object_is_no_document(value: Json) -> None:
    with pytest.raises(DocumentRefused, match="A survey’s document is an object"):
        read_document(value)
