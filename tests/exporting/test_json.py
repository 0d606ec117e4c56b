"""The JSON file says the same as the CSV, with the definition whose hash respondents agreed to."""

import hashlib
import json
from collections import Counter
from fractions import Fraction

import pytest

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.models import Group
from tests.exporting.reports import download, fill_randomly, table_of
from tests.factories import every_kind, make_open
from tests.pages import owner_of

pytestmark = pytest.mark.django_db


def test_reports_definition_and_matrices_are_all_there() -> None:
    survey = make_open(*every_kind())
    fill_randomly(survey, 40, group=Group.objects.create(survey=survey, slug="north", name="North"))
    fill_randomly(survey, 12, seed=2)
    fill_randomly(survey, 12, seed=3, mode="own_coin")
    survey = close_survey(survey=survey)
    client, definition = owner_of(survey), definition_of(survey)
    document = json.loads(download(client, survey, "survey-export-json", "?level=.99&method=clopper_pearson"))
    assert document["schema"] == "deniable-export/1"
    assert document["options"] == {"method": "clopper_pearson", "confidence_level": 0.99}
    assert document["groups"] == {"north": "North"}
    assert (document["n"], sum(row["count"] for row in document["responses"])) == (64, 64)
    for item, described in zip(definition.items, document["items"], strict=True):
        matrix = [[Fraction(entry, described["denominator"]) for entry in row] for row in described["numerators"]]
        assert tuple(map(tuple, matrix)) == item.design.matrix
    head, rows = table_of(download(client, survey, "survey-export-csv"))
    assert head == [*(described["name"] for described in document["items"]), "group", "mode"]
    from_json = Counter(
        {
            (*("" if code is None else str(code) for code in row["reports"]), row["group"] or "", row["mode"]): row[
                "count"
            ]
            for row in document["responses"]
        }
    )
    assert from_json == Counter(map(tuple, rows))


def test_the_hash_is_that_of_the_definition() -> None:
    survey = make_open(*every_kind())
    fill_randomly(survey, 20)
    survey = close_survey(survey=survey)
    document = json.loads(download(owner_of(survey), survey, "survey-export-json"))
    definition = document["definition"]
    code = definition.pop("code")
    written = json.dumps(definition, ensure_ascii=False, separators=(",", ":"))
    assert document["content_hash"] == hashlib.sha256(f"{code}\n{written}".encode()).hexdigest() == survey.content_hash
