"""The words printed for real coins and dice give exactly the chances of the design, for every kind of question."""

import re
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from html import unescape
from typing import Any

import pytest
from django.test import Client

from surveys.answering.words.own_chance import reasons_against_coins
from surveys.common.selectors import definition_of
from surveys.drafts.services.surveys import MAX_QUESTIONS
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.question import Question
from surveys.questionnaire.reports import CODES
from tests.answering.parts import define
from tests.answering.printed import Printed, Table, ends, questions_of, taps
from tests.factories import (
    PROTECTED,
    by_option,
    crosswise,
    every_kind,
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


def forced(truth: tuple[int, int], yes: tuple[int, int]) -> dict[str, Any]:
    return {"parameters": {"truth": list(truth), "yes": list(yes)}}


def hours(steps: int, **changes: Any) -> Question:
    return number_mean(details={"low": [-1, 1], "high": [steps * 5 - 10, 10], "step": [1, 2], "unit": "h"}, **changes)


OPTIONS = [f"Option {number}" for number in range(1, 21)]
BY_CHANCE = [
    *(
        question
        for question in every_kind()
        if question.design in {"forced_response", "warner", "k_ary", "kuk", "mangat"}
    ),
    yes_no(**forced((3, 4), (1, 2))),
    yes_no(**forced((4, 5), (1, 3))),
    yes_no(**forced((1, 3), (5, 6))),
    warner(parameters={"p": [1, 4]}),
    warner(parameters={"p": [3, 5]}),
    warner(parameters={"p": [13, 24]}),
    *(one_of(OPTIONS[:k], leave_out=("no", "visibly")[k % 2]) for k in range(2, 21)),
    *(one_of(OPTIONS[:k], **PROTECTED) for k in (5, 11, 20)),
    one_of(parameters={"truth": [2, 3], "weights": [[1, 2], [1, 4], [1, 4]]}),
    several_of(OPTIONS, design="warner", parameters={"p": [5, 6]}),
    *(scale(points=points) for points in range(2, 12)),
    *(hours(steps) for steps in (2, 3, 5, 10, 13, 24)),
    hours(7, design="warner", parameters={"p": [1, 4]}),
    hours(9, **PROTECTED),
    number_bands(details={"edges": [[edge, 1] for edge in range(21)], "unit": "€"}),
]


def printed(*drafts: Question) -> list[tuple[AskedQuestion, Printed]]:
    survey = make_open(*drafts)
    html = Client().get(f"/s/{survey.code}/own-coin/").content.decode()
    return list(zip(definition_of(survey).questions, questions_of(html), strict=True))


def reported(words: Printed, key: str, shares: dict[str, Fraction]) -> dict[str, Fraction]:
    """Return the chances by code, as the radio buttons translate labels."""
    codes = words.codes[f"item-{key}"]
    return {codes[label]: share for label, share in shares.items() if share}


def wanted(column: tuple[Fraction, ...]) -> dict[str, Fraction]:
    return {CODES[report]: share for report, share in enumerate(column) if share}


def misprint(question: AskedQuestion, words: Printed) -> list[str]:
    """Return the truths whose chances, as printed, are not those of the design."""
    columns = list(zip(*question.design.matrix, strict=True))
    if question.first.range:
        return _misprinted_numbers(question, words)
    return [
        label
        for item in question.items
        for label, column in zip(item.labels, columns, strict=True)
        if reported(words, item.key, taps(words.tables, label)) != wanted(column)
    ]


def _misprinted_numbers(question: AskedQuestion, words: Printed) -> list[str]:
    item = question.first
    assert item.range is not None
    rounded, throws = words.tables[0], words.tables[1:]
    wrong = []
    for step in range(item.range.steps + 1):
        number = item.range.low + step * item.range.step
        tapped: dict[str, Fraction] = defaultdict(Fraction)
        for end, share in ends(rounded, number).items():
            for label, chance in taps(throws, end).items():
                tapped[label] += share * chance
        # The ends alone are rounded: “prefer not to say” is an end of its own.
        up = Fraction(step, item.range.steps)
        column = tuple((1 - up) * row[0] + up * row[1] for row in question.design.matrix)
        if reported(words, item.key, tapped) != wanted(column):
            wrong.append(str(number))
    for label, column in list(zip(item.labels, zip(*question.design.matrix, strict=True), strict=True))[2:]:
        if reported(words, item.key, taps(throws, label)) != wanted(column):
            wrong.append(label)
    return wrong


@pytest.mark.uncounted
def test_the_printed_words_give_exactly_the_chances_of_every_design() -> None:
    # More than one survey can have.
    for question, words in [*printed(*BY_CHANCE[:MAX_QUESTIONS]), *printed(*BY_CHANCE[MAX_QUESTIONS:])]:
        assert words.tables, question.text
        assert misprint(question, words) == [], (question.kind, question.design)


@pytest.mark.parametrize(
    ("find", "put"),
    [("tap “No”", "tap “Yes”"), ("heads, then any result", "heads, heads"), ("two coins", "three coins")],
)
def test_a_misprint_would_be_found(find: str, put: str) -> None:
    ((question, words),) = printed(yes_no())
    assert misprint(question, words) == []
    table = words.tables[0]
    rows = tuple((outcome.replace(find, put), action.replace(find, put)) for outcome, action in table.rows)
    misprinted = Table(table.caption.replace(find, put), table.heading, rows)
    assert misprinted != table
    try:
        wrong = misprint(question, replace(words, tables=(misprinted,)))
    except AssertionError:
        return  # an outcome without a row, or with two
    assert wrong


def test_a_misprinted_threshold_would_be_found() -> None:
    ((question, words),) = printed(hours(5))
    first = words.tables[0]
    wrong = replace(first, rows=((first.rows[0][0], "1 h"), *first.rows[1:]))
    assert misprint(question, replace(words, tables=(wrong, *words.tables[1:])))


def test_labels_and_codes_swapped_would_be_found() -> None:
    ((question, words),) = printed(warner())
    swapped = {"item-1": {"Yes": "0", "No": "1"}}
    assert misprint(question, replace(words, codes=swapped)) == ["No", "Yes"]


def test_several_options_share_one_table_and_are_thrown_for_afresh() -> None:
    ((question, words),) = printed(several_of(OPTIONS, leave_out="no"))
    assert len(words.tables) == 1
    assert list(words.codes) == [f"item-{item.key}" for item in question.items]


def test_a_number_without_steps_between_its_ends_is_not_rounded() -> None:
    details = {"low": [0, 1], "high": [5, 1], "step": [5, 1], "unit": ""}
    ((question, words),) = printed(number_mean(details=details))
    assert [table.heading for table in words.tables] == [""]
    assert taps(words.tables, "5")["5"] == question.design.matrix[1][1]


def test_the_known_share_stands_beside_each_innocuous_question() -> None:
    other = {
        "innocuous": "Is your door’s number odd?",
        "innocuous_source": "Births by month, national statistics: 1 of 4.",
    }
    asked = [crosswise(), triangular(), unrelated(), crosswise(parameters={"p": [1, 3]}, details=other)]
    shares = [re.findall(r"([\d.]+) of 100", words.text) for _, words in printed(*asked)]
    assert shares == [["25"], ["25"], ["70", "25"], ["33.3"]]
    for _, words in printed(*asked):
        assert words.tables == ()
        assert "Births by month, national statistics: 1 of 4." in words.text


def test_what_is_tapped_in_the_head_is_what_the_designs_matrix_is_about() -> None:
    (_, same), (_, either), (_, instead) = printed(crosswise(), triangular(), unrelated(leave_out="no"))
    asked = (same, crosswise()), (either, triangular()), (instead, unrelated())
    for number, (words, draft) in enumerate(asked, 1):
        no, yes = define(draft).items[0].report_labels
        assert list(words.codes[f"item-{number}"].items())[:2] == [(yes, "1"), (no, "0")]
    assert [list(words.codes[f"item-{number}"].values())[2:] for number, (words, _) in enumerate(asked, 1)] == [
        ["-"],
        ["-"],
        [],
    ]


_MILLION = {"low": [0, 1], "high": [1_000_000, 1], "step": [1, 1], "unit": ""}


@pytest.mark.parametrize(
    ("draft", "numbers"),
    [
        (warner(parameters={"p": [37, 100]}), ["2"]),
        (hours(25), ["2", "25", "24"]),
        (
            number_mean(details={"low": [0, 1], "high": [1_000_000, 1], "step": [1, 1], "unit": ""}),
            ["2", "1000000", "24"],
        ),
    ],
)
def test_the_page_says_which_question_coins_cannot_do_and_why(draft: Question, numbers: list[str]) -> None:
    survey = make_open(yes_no(), draft)
    (reason,) = reasons_against_coins(definition_of(survey))
    assert re.findall(r"\d+", reason) == numbers
    text = unescape(Client().get(f"/s/{survey.code}/own-coin/").content.decode())
    assert reason in text
    assert "<form" not in text
    assert "own-coin/" not in Client().get(f"/s/{survey.code}/").content.decode()


def test_the_page_runs_no_script() -> None:
    assert "<script" not in Client().get(f"/s/{make_open(*every_kind()).code}/own-coin/").content.decode()


def test_questions_are_left_out_with_a_radio_button_or_a_box() -> None:
    survey = make_open(*every_kind(), server_mode_allowed=True)
    by_coin = Client().get(f"/s/{survey.code}/own-coin/").content.decode()
    by_server = Client().get(f"/s/{survey.code}/server/").content.decode()
    boxes = [re.findall(r'name="(leave-\d+)"', html) for html in (by_coin, by_server)]
    drafts = list(enumerate(every_kind(), 1))
    several = [f"leave-{number}" for number, draft in drafts if by_option(draft) and draft.leave_out == "visibly"]
    numbers = [f"leave-{number}" for number, draft in drafts if draft.kind == "number_mean"]
    assert boxes == [several, [*several, *numbers]]
    assert (len(several), len(numbers)) == (2, 2)
