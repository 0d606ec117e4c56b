"""Bytes that are no document, or are made to take the server down, are refused in words and in no time."""

import codecs
import gzip
import json
import time

import pytest

from surveys.documents.services.creating import read_import
from surveys.documents.services.parsing import MOST_BYTES, MOST_LEVELS, DocumentRefused
from surveys.documents.services.reading import read_document
from tests.documents.samples import changed, raw, sample_document


def refusal(content: bytes) -> DocumentRefused:
    with pytest.raises(DocumentRefused) as refused:
        read_import(content)
    return refused.value


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"", []),
        (b" \n", []),
        (b"{", ["JSON", "1", "2"]),
        (b"title: Exams", ["JSON"]),
        (b'{"format": "deniable-survey"} {}', ["JSON", "1", "31"]),
        (b"{\"a\": 'b'}", ["JSON"]),
        (b"\xff\xfe{\x00}\x00", ["UTF-16", "UTF-8"]),
        ("{}".encode("utf-16"), ["UTF-16", "UTF-8"]),
        ('{"ü": 1}'.encode("latin-1"), ["UTF-8", "3"]),
        (b'{"a": "\xed\xa0\x80"}', ["UTF-8"]),
        (gzip.compress(raw(sample_document())), ["gzip"]),
        (b" " * (MOST_BYTES + 1), ["1 MB"]),
        (b"\x00" * 100, ["JSON"]),
    ],
)
def test_bytes_that_are_no_json_are_refused_with_what_they_are(content: bytes, named: list[str]) -> None:
    words = str(refusal(content))
    assert [name for name in named if name not in words] == []
    assert named or words == str(refusal(b""))


def test_a_byte_order_mark_that_editors_write_is_no_mistake() -> None:
    assert read_import(codecs.BOM_UTF8 + raw(sample_document())).content.fields["title"] == "Exams"


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity", "-Infinity", "1.0", "1e-7"])
def test_numbers_that_are_none_of_ours_are_refused_in_their_place(number: str) -> None:
    content = raw(sample_document()).replace(b'"expected_n": 30', b'"expected_n": ' + number.encode())
    [problem] = refusal(content).problems
    assert problem.place == "survey.expected_n"
    assert number in problem.words


@pytest.mark.parametrize("number", ["9" * 19, "9" * 41, "-" + "9" * 5000])
def test_numbers_too_large_for_a_database_are_refused_for_their_size(number: str) -> None:
    content = raw(sample_document()).replace(b'"expected_n": 30', b'"expected_n": ' + number.encode())
    [problem] = refusal(content).problems
    assert problem.place == "survey.expected_n"
    assert f"{2**63 - 1:,}" in problem.words


@pytest.mark.parametrize(
    "bomb",
    [
        "[" * 200_000,
        '{"a":' * 100_000,
        "[" * 400_000 + "]" * 400_000,
        '["' + "\\" * 1000 + '"' + "[" * 200_000,
    ],
)
def test_deep_nesting_is_refused_before_anything_calls_itself(bomb: str) -> None:
    assert str(MOST_LEVELS) in str(refusal(bomb.encode()))


@pytest.mark.parametrize("one", ["{},", "[],"])
def test_more_lists_and_objects_than_any_survey_has_are_refused_unread(one: str) -> None:
    # Read, it would be refused for the places that are missing.
    [problem] = refusal(f'{{"questions": [{one * 20_000}{one[:-1]}]}}'.encode()).problems
    assert problem.place == ""


def test_brackets_in_texts_are_no_nesting() -> None:
    title = '[{"' * 60 + "\\"
    assert read_import(raw(changed(("survey", "title"), title))).content.fields["title"] == title


def test_deep_nesting_is_refused_wherever_a_document_comes_from() -> None:
    deep: object = 1
    for _level in range(5000):
        deep = [deep]
    with pytest.raises(DocumentRefused, match=str(MOST_LEVELS)):
        read_document(sample_document() | {"groups": deep})


def _filled(unit: str, around: str = "[%s]") -> bytes:
    count = (MOST_BYTES - 3000) // (len(unit) + 1)
    return (around % ",".join([unit] * count)).encode()


@pytest.mark.uncounted
@pytest.mark.parametrize(
    "content",
    [
        _filled("{}", '{"format":"deniable-survey","version":1,"survey":{"title":"?"},"questions":[%s]}'),
        _filled("[[[[]]]]", '{"format":"deniable-survey","version":1,"survey":{"title":[%s]}}'),
        _filled('"a":1', '{"format":"deniable-survey","version":1,"survey":{%s}}'),
        json.dumps({f"a{number}": 1 for number in range(70_000)}).encode(),
        _filled("[1,2]", json.dumps(changed(("questions", 1, "parameters", "weights"), "X")).replace('"X"', "[%s]")),
        _filled('"x"', json.dumps(changed(("questions", 1, "options"), "X")).replace('"X"', "[%s]")),
        _filled('\\"', '"%s'),
        b'"' + b'\\"' * 499_000,
    ],
    ids=["questions", "lists", "names twice", "names", "weights", "options", "quotes", "one quote"],
)
def test_a_megabyte_of_anything_is_refused_within_seconds(content: bytes) -> None:
    assert len(content) <= MOST_BYTES
    begun = time.thread_time()
    refusal(content)
    # A fraction of a second where nothing is quadratic; minutes where something is.
    assert time.thread_time() - begun < 5
