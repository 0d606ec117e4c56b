"""Bytes that are no document, or are made to take the server down, are refused in words and in no time."""

import codecs
import gzip
import json
import time

import pytest

from surveys.documents.services.parsing import MOST_BYTES, MOST_LEVELS, DocumentRefused
from surveys.documents.services.reading import parse_document, read_document
from tests.documents.samples import changed, raw, whole


def words_of(content: bytes) -> str:
    with pytest.raises(DocumentRefused) as refused:
        parse_document(content)
    return str(refused.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "The document is empty."),
        (b" \n", "The document is empty."),
        (b"{", "This is no JSON: line 1, character 2"),
        (b"title: Exams", "This is no JSON"),
        (b'{"format": "deniable-survey"} {}', "This is no JSON: line 1, character 31: Extra data."),
        (b"{\"a\": 'b'}", "This is no JSON"),
        (b"\xff\xfe{\x00}\x00", "The file is written in UTF-16. Save it as UTF-8."),
        ("{}".encode("utf-16"), "The file is written in UTF-16. Save it as UTF-8."),
        ('{"ü": 1}'.encode("latin-1"), "The file is not written in UTF-8: see byte 3."),
        (b'{"a": "\xed\xa0\x80"}', "The file is not written in UTF-8"),
        (gzip.compress(raw(whole())), "The file is compressed (gzip). Unpack it first."),
        (b" " * (MOST_BYTES + 1), "The document is too large: 1 MB is the most."),
        (b"\x00" * 100, "This is no JSON"),
    ],
)
def test_what_is_no_json_is_said(content: bytes, words: str) -> None:
    assert words in words_of(content)


def test_a_byte_order_mark_that_editors_write_is_no_mistake() -> None:
    assert parse_document(codecs.BOM_UTF8 + raw(whole())).fields["title"] == "Exams"


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity", "-Infinity", "1.0", "1e-7"])
def test_numbers_that_are_none_of_ours_are_refused_in_their_place(number: str) -> None:
    content = raw(whole()).replace(b'"expected_n": 30', b'"expected_n": ' + number.encode())
    words = words_of(content)
    assert words.startswith("survey.expected_n: Here belongs a whole number, not the number")
    assert number[:50] in words


@pytest.mark.parametrize("number", ["9" * 19, "9" * 41, "-" + "9" * 5000])
def test_numbers_too_large_for_a_database_are_refused_for_their_size(number: str) -> None:
    content = raw(whole()).replace(b'"expected_n": 30', b'"expected_n": ' + number.encode())
    most = "9,223,372,036,854,775,807"
    assert words_of(content) == f"survey.expected_n: This number is too large: {most} is the most."


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
    assert f"nested too deeply: {MOST_LEVELS} levels" in words_of(bomb.encode())


@pytest.mark.parametrize("one", ["{},", "[],"])
def test_more_lists_and_objects_than_any_survey_has_are_refused_unread(one: str) -> None:
    assert "more lists and objects" in words_of(f'{{"questions": [{one * 20_000}{one[:-1]}]}}'.encode())


def test_brackets_in_texts_are_no_nesting() -> None:
    title = '[{"' * 60 + "\\"
    assert parse_document(raw(changed(("survey", "title"), title))).fields["title"] == title


def test_deep_nesting_is_refused_wherever_a_document_comes_from() -> None:
    deep: object = 1
    for _level in range(5000):
        deep = [deep]
    with pytest.raises(DocumentRefused, match="nested too deeply"):
        read_document(whole() | {"groups": deep})


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
    words_of(content)
    # A fraction of a second where nothing is quadratic; minutes where something is.
    assert time.thread_time() - begun < 5
