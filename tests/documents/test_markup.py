"""Formatted texts of forms become plain ones, with every word in its place."""

import time

import pytest

from surveys.documents.services.creating import read_import
from surveys.documents.services.xlsform.markup import plain
from tests.documents.workbooks import CHOICES, form


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("## Welcome\nRead **this**.", "Welcome\nRead this."),
        ("[our page](https://uni.example/p)", "our page (https://uni.example/p)"),
        ('<a href="https://uni.example">us</a>', "us (https://uni.example)"),
        ('<span style="color:red">Ever <b>copied</b></span> *homework*?', "Ever copied homework?"),
        ("__a__ _b_ **c *d* e** ***f***", "a b c d e f"),
        ("one<br>two<br/>three", "one\ntwo\nthree"),
        ("<ul><li>one</li><li>two</li></ul>", "- one\n\n- two"),
        ("R&amp;D &lt;5", "R&D <5"),
        ("<script>alert(1)</script>Hello<style>p {}</style>", "Hello"),
        ("<SCRIPT src=x>Hello", ""),
        ("<!-- for us -->Hello", "Hello"),
        ("\\*kept\\*", "*kept*"),
        # Not every star, stroke or bracket is a mark.
        ("2 * 3 * 4 and 2*3*4", "2 * 3 * 4 and 2*3*4"),
        ("Student*innen und Lehrer*innen", "Student*innen und Lehrer*innen"),
        ("name_of_it, less < 5 or > 7", "name_of_it, less < 5 or > 7"),
        ("<your town> #1", "<your town> #1"),
    ],
)
def test_marks_go_and_words_stay(text: str, expected: str) -> None:
    assert plain(text) == expected


@pytest.mark.parametrize(
    "piece", ["*a ", "**a", "_a", "<b ", "<a href=", "[", "<!--", "<script", "\\", "\n ", "&", "<p"]
)
def test_a_cell_of_nothing_but_beginnings_takes_no_time(piece: str) -> None:
    begun = time.process_time()
    plain(piece * (5_000 // len(piece)))
    assert time.process_time() - begun < 0.5


def test_formatting_is_taken_off_every_text_of_a_form_and_named_where_it_stood() -> None:
    choices = [CHOICES[0], ("q", "1", "<i>Once</i>"), ("q", "2", "Never")]
    imported = read_import(
        form(("note", "n", "# Hi"), ("select_one q", "x", "**Ever**?"), choices=choices, form_title="_Exams_")
    )
    fields, [question] = imported.content.fields, imported.content.questions
    assert (fields["title"], fields["introduction"], question.text) == ("Exams", "Hi", "Ever?")
    assert question.options == ("Once", "Never")
    named = {(line.sheet, line.row, loss.column) for line in imported.lines for loss in line.lost}
    assert named == {
        ("settings", 2, "form_title"),
        ("survey", 2, "label"),
        ("survey", 3, "label"),
        ("choices", 2, "label"),
    }
