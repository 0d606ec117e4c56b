"""Files of lists of statements: numbers as labels, and the statements beside them."""

import json

import pytest

from surveys.course.services import close_survey
from surveys.documents.services.parsing import DocumentRefused
from surveys.documents.services.reading import read_document
from surveys.drafts.selectors import document_of
from tests.exporting.reports import download, table_of
from tests.factories import INNOCUOUS, SENSITIVE, fill, make_draft, make_open, two_lists, yes_no
from tests.pages import owner_of

pytestmark = pytest.mark.django_db
ARMS = [{"name": "Short", "weight": 1}, {"name": "Long", "weight": 1}]
PLAIN = {"design": "plain", "parameters": {}}


def test_each_list_is_a_column_of_numbers_with_its_statements() -> None:
    survey = make_open(*two_lists(), yes_no("All?", leave_out="no"), arms=ARMS)
    fill(survey, {"0-00": 12, "3-10": 11, "-401": 13, "-011": 10})
    survey = close_survey(survey=survey)
    client = owner_of(survey)
    short, long, _other = json.loads(download(client, survey, "survey-export-json"))["items"]
    assert (short["kind"], short["truths"], short["statements"]) == ("item_count", list("0123"), list(INNOCUOUS))
    assert (long["truths"], long["statements"]) == (list("01234"), [*INNOCUOUS, SENSITIVE])
    head, rows = table_of(download(client, survey, "survey-export-csv"))
    column = [row[head.index(long["name"])] for row in rows]
    assert {number: column.count(number) for number in ("", "0", "4")} == {"": 23, "0": 10, "4": 13}
    _head, codes = table_of(download(client, survey, "survey-export-codebook-csv"))
    assert sum("item_count" in row for row in codes) == 4 + 5
    page = download(client, survey, "survey-export-codebook").decode()
    assert page.count(f"<li>{SENSITIVE}</li>") == 1
    assert page.count(f"<li>{INNOCUOUS[0]}</li>") == 2
    assert SENSITIVE in download(client, survey, "survey-ethics").decode()


def test_plain_numbers_that_few_give_are_coarsened_in_files() -> None:
    survey = make_open(*two_lists(**PLAIN), yes_no("All?", leave_out="no"), arms=ARMS)
    fill(survey, {"0-00": 2, "1-00": 30, "2-00": 20, "-201": 40, "-401": 3})
    survey = close_survey(survey=survey)
    short, long, _other = json.loads(download(owner_of(survey), survey, "survey-export-json"))["items"]
    assert short["truths"] == ["0 or 1", "2", "3"]
    assert long["truths"] == ["0", "1", "2, 3 or 4"]
    assert (short["kind"], "statements" in short) == ("one_of", False)


def test_a_document_carries_both_lists_and_what_they_ask_for() -> None:
    drafts = [*two_lists(**PLAIN), yes_no("Cheated?", quantity=1, **PLAIN), yes_no("All?")]
    document = json.loads(json.dumps(document_of(make_draft(*drafts, arms=ARMS))))
    assert list(read_document(document).questions) == drafts
    document["questions"][0]["options"] = ["I ski"]
    with pytest.raises(DocumentRefused) as refused:
        read_document(document)
    assert "questions[0].options" in {problem.place for problem in refused.value.problems}
