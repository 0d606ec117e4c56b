"""The JSON files fit the schema that is published for them, and files that do not are found."""

import json
from collections import Counter
from pathlib import Path

import pytest
from django.conf import settings

from surveys.course.services import close_survey
from surveys.models import Group, Survey
from surveys.questionnaire.question import Question
from tests.exporting.reports import download, fill_randomly
from tests.factories import every_kind, fill, make_open, number_window, plain, scrambled_number, two_lists, yes_no
from tests.pages import owner_of
from tests.releases.json_schema import faults

pytestmark = pytest.mark.django_db

SCHEMA = json.loads((Path(settings.BASE_DIR) / "static/schemas/exports-1.schema.json").read_text(encoding="utf-8"))
ARMS = [{"name": "Without", "weight": 1}, {"name": "With", "weight": 1}]


def _of_kinds(*questions: Question) -> Survey:
    survey = make_open(*questions, minimum_n=5)
    fill_randomly(survey, 60, group=Group.objects.create(survey=survey, slug="north", name="North"))
    fill_randomly(survey, 60, seed=2)
    return survey


def _of_lists() -> Survey:
    """Two lists in two arms, and a question for those who gave the first answer to a plain one."""
    asked = yes_no("Asked of some?", asked_if={"question": 4, "answers": [0]})
    survey = make_open(*two_lists(), yes_no(), plain(), asked, arms=ARMS, minimum_n=5)
    counts = Counter(
        (f"{place % 4}-" if arm == 0 else f"-{place % 5}")
        + f"{place % 2}{(year := place % 3)}{'-' if year else 1}{arm}"
        for arm in (0, 1)
        for place in range(90)
    )
    fill(survey, dict(counts))
    return survey


SURVEYS = {
    "every kind": lambda: _of_kinds(*every_kind()),
    "reports that stand for numbers": lambda: _of_kinds(number_window(), scrambled_number()),
    "arms and lists": _of_lists,
}


@pytest.mark.parametrize("name", ["json", "figures-json"])
@pytest.mark.parametrize("survey", SURVEYS)
def test_what_is_exported_fits(name: str, survey: str) -> None:
    closed = close_survey(survey=SURVEYS[survey]())
    document = json.loads(download(owner_of(closed), closed, f"survey-export-{name}"))
    part = SCHEMA["$defs"]["responses" if name == "json" else "figures"]
    assert faults(document, part, SCHEMA) == []
    assert faults(document, SCHEMA) == []
    # A name that is not described, and one that is missing.
    assert faults(document | {"more": 1}, part, SCHEMA) != []
    assert faults({key: value for key, value in document.items() if key != "items"}, part, SCHEMA) != []
