"""Formulas at their extremes, and the pieces that they are made of."""

import re

import pytest

from surveys.common.selectors import definition_of
from surveys.estimation.claims import METHODS
from surveys.numbers.words import in_formula
from surveys.questionnaire.question import Question
from surveys.questionnaire.reports import CODES
from surveys.results import formulas as mathml
from tests.factories import every_protected_kind, fill, make_open
from tests.results.methods.mathml import read
from tests.results.methods.test_methods import methods_page, unequal_sides

pytestmark = pytest.mark.django_db


# Of each kind the first of its reports and the last with one of the methods, in turn; with all in make test-all.
ALL_ALIKE = [
    pytest.param(
        draft,
        last,
        method,
        id=f"{draft.kind} {draft.design} {draft.leave_out} {last} {method}",
        marks=() if (place + last) % len(METHODS) == turn else pytest.mark.slow,
    )
    for place, draft in enumerate(every_protected_kind())
    for last in (False, True)
    for turn, method in enumerate(METHODS)
]


@pytest.mark.slow
@pytest.mark.parametrize(("draft", "last", "method"), ALL_ALIKE)
@pytest.mark.uncounted
def test_reports_that_are_all_the_same_break_no_formula(draft: Question, last: bool, method: str) -> None:
    survey = make_open(draft)
    items = definition_of(survey).items
    fill(survey, {CODES[items[0].design.m - 1 if last else 0] * len(items): 12})
    raw = methods_page(survey, f"?method={method}")
    formulas, _results = read(raw)
    assert not list(unequal_sides(formulas))
    assert not re.search(r"\b(nan|inf|None)\b", re.sub(r"<[^>]*>", " ", raw))


def test_a_number_is_written_with_five_digits_and_a_true_minus() -> None:
    assert [in_formula(value) for value in (0.31, 1 / 3, -0.04, 2133.333, 0, 1e-9 / 3, 12345678)] == [
        "0.31",
        "0.33333",
        "−0.04",
        "2,133.3",
        "0",
        "0.00000000033333",
        "12,345,678",
    ]


def test_what_is_no_part_of_a_formula_is_refused_and_text_is_escaped() -> None:
    with pytest.raises(TypeError, match="None"):
        mathml.row(None)
    assert "<script>" not in mathml.row("<script>")
