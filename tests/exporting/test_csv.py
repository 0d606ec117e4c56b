"""The CSV files, read by another reader: every response once, hostile texts harmless, the length known beforehand."""

import json
import re
import tracemalloc
from collections import Counter
from dataclasses import replace
from itertools import product

import pytest
from django.http import StreamingHttpResponse
from django.test import Client
from django.urls import reverse
from hypothesis import example, given
from hypothesis import strategies as st

from surveys.common.selectors import definition_of
from surveys.common.spreadsheets import quoted_cell, safe_text
from surveys.course.services import close_survey
from surveys.exporting.files.csv_file import with_codes
from surveys.exporting.selectors import BLOCK, GroupNames, rows_of
from surveys.models import Group, State, Survey
from surveys.responses.selectors.snapshot import snapshot_of
from tests.exporting.reports import content_of, download, fill_randomly, table_of
from tests.factories import every_kind, fill, make_open, one_of, several_of, yes_no
from tests.pages import owner_of

pytestmark = pytest.mark.django_db

HOSTILE = ("=1+1", '+cmd|"/c calc"', "-2", "@SUM(A1)", "'quoted'", 'with "quotes", commas', "ünïcode 🂡", "＝2")
FILES = ("survey-export-csv", "survey-export-labels", "survey-export-json")


def _hostile() -> Survey:
    survey = make_open(one_of(HOSTILE), several_of(("Tea", "Coffee")), yes_no())
    for slug, name in (("a", '=HYPERLINK("http://x")'), ("b", 'Line\nbreak, and "quotes"'), ("c", "(withheld)")):
        fill(survey, {"0001": 7, "7110": 6}, group=Group.objects.create(survey=survey, slug=slug, name=name))
    fill(survey, {f"{code}--1": 3 for code in range(8)}, mode="own_coin")
    return survey


def test_columns_are_called_after_questions_and_options() -> None:
    head, rows = table_of(download(owner_of(survey := close_survey(survey=_hostile())), survey, "survey-export-csv"))
    assert head == ["q1", "q2_a", "q2_b", "q3", "group", "mode"]
    assert {len(row) for row in rows} == {6}


def test_every_response_stands_in_it_once() -> None:
    survey = close_survey(survey=_hostile())
    _head, rows = table_of(download(owner_of(survey), survey, "survey-export-csv"))
    expected = {("0", "0", "0", "1", slug, "device"): 7 for slug in "abc"}
    expected |= {("7", "1", "1", "0", slug, "device"): 6 for slug in "abc"}
    expected |= {(str(code), "", "", "1", "", "own_coin"): 3 for code in range(8)}
    assert Counter(map(tuple, rows)) == expected


def test_codes_and_words_say_the_same() -> None:
    survey = close_survey(survey=_hostile())
    client = owner_of(survey)
    _head, codes = table_of(download(client, survey, "survey-export-csv"))
    _head, words = table_of(download(client, survey, "survey-export-labels"))
    no_yes = {"0": "No", "1": "Yes", "": ""}
    names = {"a": '\'=HYPERLINK("http://x")', "b": 'Line\nbreak, and "quotes"', "c": "(withheld) (c)", "": ""}
    modes = {"device": "The respondent’s device", "own_coin": "The respondent’s own coins"}
    translated = Counter(
        (safe_text(HOSTILE[int(row[0])]), no_yes[row[1]], no_yes[row[2]], no_yes[row[3]], names[row[4]], modes[row[5]])
        for row in codes
    )
    assert Counter(map(tuple, words)) == translated


def test_no_cell_is_a_formula_and_every_text_comes_back() -> None:
    survey = close_survey(survey=_hostile())
    content = download(owner_of(survey), survey, "survey-export-labels")
    head, rows = table_of(content)
    texts = {cell for row in [head, *rows] for cell in row if cell}
    assert not [text for text in texts if text.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝"))]
    assert {text.removeprefix("'") for text in texts} >= set(HOSTILE)
    assert content.startswith(b"\xef\xbb\xbf")
    assert content.count(b"\r\n") == len(rows) + 1


@example("")
@example("''")
@given(
    st.text(
        st.one_of(st.sampled_from("=+-@'\t\r\n ;,\"\u200b\ufeff\u0085＝"), st.characters(codec="utf-8")), max_size=8
    )
)
def test_taking_one_apostrophe_away_gives_back_the_text(text: str) -> None:
    _head, rows = table_of(f"x\r\n{quoted_cell(text)},1\r\n".encode())
    assert rows[0][0].removeprefix("'") == text


@pytest.mark.parametrize(
    "unseen", ["", " ", "\t", "\r\n", "\xa0", "\x85", "\u200b", "\ufeff", "\u202e", "\u3000", "\x00", " \u2060 "]
)
@pytest.mark.parametrize("sign", "=+-@＝＋－＠")
def test_what_nobody_sees_hides_no_formula(unseen: str, sign: str) -> None:
    assert safe_text(f"{unseen}{sign}1+1") == f"'{unseen}{sign}1+1"


@pytest.mark.parametrize("text", ["", "plain", " plain", "\u200bplain", "1=1", "2 - 3", "a@b", "\u202e", "it's"])
def test_other_texts_are_left_as_they_are(text: str) -> None:
    assert safe_text(text) == text


def test_the_file_with_codes_is_plain_ascii() -> None:
    survey = close_survey(survey=_hostile())
    assert download(owner_of(survey), survey, "survey-export-csv").isascii()


@pytest.mark.parametrize("name", FILES)
def test_the_length_is_known_before_the_first_byte_and_exact(name: str) -> None:
    survey = make_open(*every_kind())
    fill_randomly(survey, 60, group=Group.objects.create(survey=survey, slug="ost", name="Östlich"))
    survey = close_survey(survey=survey)
    client, address = owner_of(survey), reverse(name, args=[survey.code])
    response = client.get(address, HTTP_ACCEPT_ENCODING="gzip")
    assert isinstance(response, StreamingHttpResponse)
    assert int(response["Content-Length"]) == len(content_of(response))
    assert "attachment" in response["Content-Disposition"]
    head = client.head(address)
    assert (head["Content-Length"], content_of(head)) == (response["Content-Length"], b"")


@pytest.mark.parametrize("name", FILES)
def test_below_the_minimum_there_is_a_line_and_no_report(name: str) -> None:
    survey = make_open(yes_no())
    fill(survey, {"1": 9})
    survey = close_survey(survey=survey)
    response = owner_of(survey).get(reverse(name, args=[survey.code]) + "?minimum_n=1&n=1")
    assert response.status_code == 409
    assert re.findall(r"\d+", response.content.decode()) == ["9", "10"]
    assert "Content-Disposition" not in response


@pytest.mark.parametrize("name", FILES)
def test_an_open_survey_has_no_file_of_rows(name: str) -> None:
    survey = make_open(yes_no())
    fill(survey, {"1": 20, "0": 20})
    for state in (State.OPEN, State.PAUSED):
        Survey.objects.filter(pk=survey.pk).update(state=state)
        response = owner_of(survey).get(reverse(name, args=[survey.code]))
        assert response.status_code == 409
        assert len(response.content.splitlines()) == 1
        assert response.content.startswith(b"Responses can be exported once the survey is closed.")


def test_what_is_buffered_does_not_grow_with_the_rows() -> None:
    survey = make_open(yes_no(), one_of())
    fill(survey, {"12": 30, "01": 30})
    survey = close_survey(survey=survey)
    definition = definition_of(survey)
    rows = rows_of(snapshot_of(survey, definition), definition)
    many = replace(rows, counts=rows.counts * 3_000)
    pieces = list(map(len, with_codes(definition, many, GroupNames({}, {})).chunks()))
    assert max(pieces) <= BLOCK * len("1,2,,(withheld)\r\n")
    assert len(pieces) == 1 + -(-many.n // BLOCK)


@pytest.mark.uncounted
def test_many_distinct_rows_are_written_as_few_are() -> None:
    survey = make_open(*[one_of(text=f"Question {number}?") for number in range(9)])
    patterns = ["".join(codes) + "0" for codes in product("012", repeat=8)]
    assert len(patterns) > BLOCK
    fill(survey, dict.fromkeys(patterns, 1))
    survey = close_survey(survey=survey)
    content = download(owner_of(survey), survey, "survey-export-csv")
    _head, rows = table_of(content)
    assert sorted("".join(row[:9]) for row in rows) == sorted(patterns)
    document = json.loads(download(owner_of(survey), survey, "survey-export-json"))
    assert len(document["responses"]) == len(patterns)


def test_a_stranger_gets_nothing(client: Client) -> None:
    survey = _hostile()
    address = reverse("survey-export-csv", args=[survey.code])
    # A browser is sent to sign in; a program without a token is refused.
    assert client.get(address, headers={"Accept": "text/html"}).status_code == 302
    assert client.get(address).status_code == 401
    assert owner_of(make_open()).get(reverse("survey-export-csv", args=[survey.code])).status_code == 404


def test_a_longer_file_takes_no_more_memory() -> None:
    """What tracemalloc sees while a file of 20,000 rows is written, and one of 200,000: the same, but for a tenth."""
    survey = make_open(yes_no(), one_of())
    fill(survey, {"12": 30, "01": 30, "-0": 30})
    survey = close_survey(survey=survey)
    definition = definition_of(survey)
    rows = rows_of(snapshot_of(survey, definition), definition)
    peaks = []
    for number in (20_000, 200_000):
        file = with_codes(definition, replace(rows, counts=rows.counts * (number // rows.n)), GroupNames({}, {}))
        tracemalloc.start()
        written = sum(map(len, file.chunks()))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert written == file.length > 10 * number
    assert peaks[1] < 1.1 * peaks[0] < 2_000_000
