"""What a visitor writes of a mechanism of their own: read exactly, refused by name, never lost, and never markup."""

from fractions import Fraction
from html import unescape
from re import DOTALL, findall
from urllib.parse import urlencode

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from surveys.learn.forms import MechanismText

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("1/2 1/2\n0.25 3/4", ((HALF, HALF), (QUARTER, 3 * QUARTER))),
        ("  1 0  \r\n\r\n0 1 ", ((1, 0), (0, 1))),
        ("yes yes no\nno", ({"yes": 2, "no": 1}, {"no": 1})),
        ("1*750 0*250\n1×249 0*751", ({"1": 750, "0": 250}, {"1": 249, "0": 751})),
        ("a*2 a b*c\nx", ({"a": 3, "b*c": 1}, {"x": 1})),
    ],
)
def test_a_table_or_two_lines_are_read(typed: str, read: object) -> None:
    assert MechanismText().clean(typed) == read


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("", "This field is required."),
        (" \n ", "This field is required."),
        ("1/2 1/2", "A table has 2 to 6 lines, each of 2 to 12 probabilities."),
        ("1\n1", "A table has 2 to 6 lines, each of 2 to 12 probabilities."),
        ("1 0\n" * 7, "A table has 2 to 6 lines, each of 2 to 12 probabilities."),
        ("1/2 1/2\n1/2 1/4 1/4", "Line 2 has 3 numbers, and line 1 has 2."),
        ("1/2 1/2\n1/2 1/4", "Line 2 adds up to 3/4, not to 1. Write results that are numbers as 1*750 0*250."),
        ("1 0 1\n1 0 0", "Line 1 adds up to 2, not to 1. Write results that are numbers as 1*750 0*250."),
        ("1/2 1/2\n1/2 half", "Line 2: “half” is no probability. Write 3/4 or 0.75."),
        ("1/0 1/2\n1/2 1/2", "Line 1: “1/0” is no probability. Write 3/4 or 0.75."),
        ("3/2 -1/2\n1/2 1/2", "Line 1: “3/2” is no probability. Write 3/4 or 0.75."),
        ("yes", "Write two lines of results, or at least two of probabilities."),
        ("NaN inf\nnan\nx", "Write two lines of results, or at least two of probabilities."),
        ("yes*0\nno", "Line 1 must have 1 to 1,000,000 results."),
        ("yes\nno*1000001", "Line 2 must have 1 to 1,000,000 results."),
        ("yes\n" + "n" * 21, f"Line 2: “{'n' * 20}…” is longer than 20 characters."),
        ("a b c d e f g\nh i j k l m", "There are more than 12 different results."),
        ("yes " * 400 + "\nno", "This is too long. Write a result once, with its number: yes*750 no*250."),
        ("😀 " * 130 + "\nno", "This is too long. Write a result once, with its number: yes*750 no*250."),
        ("yes\0\nno", "Null characters are not allowed."),
    ],
)
def test_what_is_neither_is_refused_by_name(typed: str, why: str) -> None:
    with pytest.raises(ValidationError) as refused:
        MechanismText().clean(typed)
    assert refused.value.messages == [why]


def test_the_longest_that_is_read_fits_an_address() -> None:
    row = " ".join(["11/132"] * 12)
    table = "\n".join([row] * 6)
    assert MechanismText().clean(table)
    assert (
        len(urlencode({"mechanism": "written", "runs": "100000", "seed": "9999", "times": "200", "written": table}))
        < 2_000
    )


def test_nothing_typed_is_lost_where_it_is_refused() -> None:
    typed = "1/2 1/2\n<b>x</b> 1"
    page = Client().get("/learn/audit/", {"mechanism": "written", "written": typed})
    assert page.status_code == 400
    text = page.content.decode()
    (area,) = findall(r"<textarea[^>]*>(.*?)</textarea>", text, flags=DOTALL)
    assert unescape(area).strip() == typed
    assert "Line 2: “&lt;b&gt;x&lt;/b&gt;” is no probability." in text
    assert "<b>x" not in text


def test_results_are_text_in_the_page_and_in_its_picture() -> None:
    asked = {"mechanism": "written", "written": "<b>&\"'*90 no*10\nno*99 <b>&\"'*1"}
    for address in ("/learn/audit/", "/learn/audit/picture/"):
        answered = Client().get(address, asked)
        assert answered.status_code == 200
        assert "<b>&" not in answered.content.decode()
        assert "&lt;b&gt;&amp;" in answered.content.decode()
    picture = Client().get("/learn/audit/", asked | {"chart": "shares"}).content.decode()
    assert "<b>&" not in picture


def test_a_proof_has_no_epsilon_and_what_is_printed_no_truth() -> None:
    for written, event in (("1 0\n0 1", [1, 1, 0]), ("no*1 yes*9\nyes*5 no*500", ["yes", 1, 2])):
        numbers = Client().get("/learn/audit.json", {"mechanism": "written", "written": written}).json()["numbers"]
        assert numbers["epsilon"] is numbers["promised"] is None
        assert numbers["event"] == event


@pytest.mark.parametrize("times", ["1", "200"])
def test_proofs_and_what_nobody_knows_have_pictures(times: str) -> None:
    for written in ("1 0\n0 1", "1/2 1/2\n1/2 1/2", "yes\nyes", "yes*1000000\nno*1000000"):
        asked = {"mechanism": "written", "written": written, "times": times}
        for address in ("/learn/audit/", "/learn/audit.json"):
            assert Client().get(address, asked).status_code == 200
