"""The JSON of releases: as its schema describes it, exact where it can be, never rounded inwards."""

import copy
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from surveys.models import Mechanism
from surveys.releases.families.counts import Counts, Estimate
from surveys.releases.families.finding import StabilityRefusal
from surveys.releases.files import document_of
from surveys.releases.selectors.reading import reading_of
from tests.factories import yes_no
from tests.releases.fixed import fixed_counts
from tests.releases.json_schema import faults
from tests.releases.setting import published_release, ready_survey
from tests.releases.test_verifier import documents_of_every_mechanism

pytestmark = pytest.mark.django_db


def _schema() -> dict[str, Any]:
    path = finders.find("schemas/release-1.schema.json")
    assert isinstance(path, str)
    schema: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    return schema


def _faults(document: dict[str, Any], schema: dict[str, Any]) -> list[str]:
    return faults(document, schema, schema)


def test_documents_of_every_mechanism_and_kind_are_as_the_schema_says() -> None:
    schema, documents = _schema(), documents_of_every_mechanism()
    assert [(document["mechanism"], wrong) for document in documents if (wrong := _faults(document, schema))] == []
    assert {document["mechanism"] for document in documents} == set(Mechanism.values)
    families = {part["found"]["family"] for document in documents for part in document["parts"]}
    assert families >= {"counts", "mean", "number", "choice", "ranking", "quantile", "price", "bounds", "median"}


def test_a_refusal_is_as_the_schema_says() -> None:
    schema = _schema()
    assert faults(StabilityRefusal().document(), schema["$defs"]["found_refused"], schema) == []


@pytest.mark.parametrize(
    "spoil",
    [
        lambda document: document.pop("epsilon"),
        lambda document: document.update(epsilon=0.5),
        lambda document: document.update(extra=1),
        lambda document: document["parts"][0].update(n=True),
        lambda document: document["parts"][0]["output"].update(noisy_counts=[1.5, 2]),
        lambda document: document["parts"][0]["found"].update(family="mean"),
        lambda document: document["parts"][0]["found"]["estimates"][0].update(low=-0.1),
        lambda document: document["parts"].clear(),
        lambda document: document["truth"].update(epsilon=None),
    ],
)
def test_the_schema_notices_a_document_that_is_wrong(spoil: Callable[[dict[str, Any]], object]) -> None:
    document = json.loads(json.dumps(document_of(reading_of(published_release(ready_survey())))))
    assert _faults(document, _schema()) == []
    spoilt = copy.deepcopy(document)
    spoil(spoilt)
    assert _faults(spoilt, _schema()) != []


def test_a_keyword_that_the_validator_does_not_know_is_not_passed_over() -> None:
    with pytest.raises(KeyError, match="multipleOf"):
        faults(3, {"multipleOf": 2})


def test_the_schema_is_served_where_the_document_says(client: Client) -> None:
    document = json.loads(client.get(f"/r/{published_release(ready_survey()).pk}.json").content)
    served = client.get(document["$schema"])
    assert json.loads(b"".join(served.streaming_content)) == _schema()
    assert document["schema"] == _schema()["$id"]


def test_the_document_of_two_answers_is_complete_and_exact(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    fixed_counts(monkeypatch, 580, 420)
    release = published_release(ready_survey({"0": 610, "1": 390}), epsilon=Fraction(1, 3_125))
    document = json.loads(client.get(f"/r/{release.pk}.json").content)
    [part] = document.pop("parts")
    truth = part.pop("truth")
    # Upwards, so that nothing is claimed to give away less than it does: ln 3, and half of 1/3125.
    assert truth == {"local_epsilon": pytest.approx(1.0986122886681098), "epsilon": pytest.approx(0.00016), "delta": 0}
    assert document == {
        "$schema": "/static/schemas/release-1.schema.json",
        "schema": "deniable-release/1",
        "id": release.pk,
        "page": f"/r/{release.pk}/",
        "survey": "Exams",
        "language": "en",
        "content_hash": release.survey.content_hash,
        "released_on": release.created_at.date().isoformat(),
        "mechanism": "laplace_histogram",
        "neighbouring_relation": "REPLACE_ONE",
        "neighbours_share": [],
        "exact_figures": "not_shown",
        "epsilon": "1/3125",
        "delta": "0",
        "truth": truth,
        "all_releases_so_far": {"epsilon": "1/3125", "delta": "0", "truth": truth},
        "all_versions_so_far": None,
    }
    counts, accuracy = part.pop("found"), part.pop("accuracy")
    assert part == {
        "question": yes_no().text,
        "kind": "yes_no",
        "answers": ["No", "Yes"],
        "reports": ["No", "Yes"],
        "items": [],
        "prefers_not_to_say": False,
        "values": None,
        "edges": None,
        "limits": None,
        "n": 1000,
        "draws": {"number": 1, "of": 1, "chosen_from": 1, "others": []},
        "epsilon": "1/3125",
        "delta": "0",
        "sensitivity": "1",
        "norm": "L1",
        "noise": [{"on": "each count", "family": "discrete_laplace", "scale": "3125", "grid": "1"}],
        "options": {},
        "design": {
            "name": "forced_response",
            "rows": "reports",
            "columns": "answers",
            "matrix": [["3/4", "1/4"], ["1/4", "3/4"]],
        },
        "output": {"noisy_counts": [580, 420]},
    }
    assert [(row["answer"], row["raw"], row["share"]) for row in counts["estimates"]] == [
        ("No", 0.66, 0.66),
        ("Yes", 0.34, 0.34),
    ]
    assert [row["confidence_level"] for row in accuracy] == [0.9, 0.95, 0.99]


def test_limits_are_rounded_outwards() -> None:
    estimate = Estimate("Yes", "", 1, 0.1, 0.1, 0.1, low=0.123_456_7, high=0.234_567_1)
    counts = Counts((estimate,), estimate, several=False, mean=None)
    [row] = counts.document()["estimates"]
    assert (row["low"], row["high"]) == (0.123456, 0.234568)
