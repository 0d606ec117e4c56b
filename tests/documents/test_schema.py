"""The schema says what the reader does: what one refuses for its shape the other refuses too."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from hypothesis import example, given
from hypothesis import strategies as st

from surveys.documents.services.parsing import DocumentRefused
from surveys.documents.services.reading import read_document
from surveys.documents.starters import STARTERS
from surveys.drafts.selectors import document_of
from surveys.drafts.services.groups import add_group
from tests import schema
from tests.documents.samples import Path as Place
from tests.documents.samples import changed, paths, sample_document, without
from tests.factories import every_kind, make_draft
from tests.property_profile import examples
from tests.releases.json_schema import faults

Json = Any
SCHEMA = json.loads((Path(settings.BASE_DIR) / "static/schemas/survey-1.schema.json").read_text(encoding="utf-8"))
PLACES = paths()


def is_read(document: Json) -> bool:
    try:
        read_document(document)
    except DocumentRefused:
        return False
    return True


@pytest.mark.django_db
def test_every_kind_of_question_fits_the_schema() -> None:
    survey = make_draft(*every_kind(), opens_at=None)
    add_group(survey=survey, name="Süd")
    assert faults(document_of(survey), SCHEMA) == []


def test_the_sample_and_every_starter_fit_the_schema() -> None:
    for document in (sample_document(), *(starter.document for starter in STARTERS)):
        assert faults(document, SCHEMA) == []


def test_the_schema_is_what_the_fields_declare() -> None:
    assert schema.FILE.read_text(encoding="utf-8") == schema.written(), "python -m tests.schema"


@pytest.mark.parametrize("path", PLACES, ids=str)
def test_what_the_schema_requires_the_reader_requires(path: Place) -> None:
    document = without(path)
    # Entries of a list are no names: whether there are enough of them the rules of the editor say.
    if faults(document, SCHEMA):
        assert not is_read(document)
    elif isinstance(path[-1], str) and "details" not in path and "parameters" not in path:
        assert is_read(document) or path[-1] in {"options", "details"}


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["yes_no", "k_ary", "en", "no", "x" * 3000, "\x00", "2026-05-01T09:30:00Z", "a\n"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.uncounted
@examples(250)
@given(st.sampled_from(PLACES), json_values)
@example(("survey", "opens_at"), "2026-05-01T09:30:00Z\n")
@example(("groups", 0, "slug"), "north\n")
@example(("questions", 0, "parameters"), {"p": [3, 4]})
def test_whatever_stands_in_a_place_is_read_or_refused_and_never_fails(path: Place, value: Json) -> None:
    document = changed(path, value)
    if faults(document, SCHEMA):
        assert not is_read(document)
    else:
        is_read(document)
