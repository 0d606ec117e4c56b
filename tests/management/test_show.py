"""`show CODE`: what is resolved, in words for those who check it."""

import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from surveys.common.selectors import definition_of
from tests.factories import every_kind, make_draft, make_open, plain, two_lists, yes_no
from tests.questionnaire.test_translations import GERMAN, _two_questions

pytestmark = pytest.mark.django_db


def _shown(*arguments: str) -> str:
    written = StringIO()
    call_command("show", *arguments, stdout=written)
    return written.getvalue()


def test_every_question_has_its_matrix_and_its_places_in_the_reports() -> None:
    survey = make_open(*every_kind(), introduction="Why we ask.")
    met, shown = definition_of(survey), _shown(survey.code)
    assert met.version in shown
    assert "introduction: Why we ask." in shown
    places = [int(place) - 1 for place in re.findall(r"character (\d+) of the reports", shown)]
    assert places == [item.number for item in met.items]
    for question in met.questions:
        entries = re.findall(r"(\S+) if ", shown.partition(f"{question.number}. {question.text}")[2].split("\n\n")[0])
        assert entries == [str(entry) for row in question.design.matrix for entry in row]


def test_one_language_and_one_arm() -> None:
    survey = make_draft(*_two_questions(), translations={"de": GERMAN})
    assert "Wie oft?" in _shown(survey.code, "--language", "de")
    with pytest.raises(CommandError, match="en, de, not in he"):
        _shown(survey.code, "--language", "he")
    arms = [{"name": "Short", "weight": 1}, {"name": "Long", "weight": 2}]
    lists = make_draft(yes_no(), *two_lists(), plain(), arms=arms)
    assert "arm 2: Long, weight 2" in _shown(lists.code)
    assert [shown.count("item_count") for shown in (_shown(lists.code), _shown(lists.code, "--arm", "2"))] == [2, 1]
    with pytest.raises(CommandError, match="2 arms"):
        _shown(lists.code, "--arm", "3")


def test_a_code_of_nobody_is_refused() -> None:
    with pytest.raises(CommandError, match="no survey with the code"):
        _shown("NOBODY")
