"""XLSForms as pyxform reads them, which defines the format: its names are ours, and its forms are accounted for."""

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveys.documents.services.creating import read_import
from surveys.documents.services.xlsform.converting import FURTHER_SHEETS
from surveys.documents.services.xlsform.names import COLUMNS, TYPES, column_key, is_yes, row_type
from surveys.documents.services.xlsform.rows import LOST_COLUMNS
from tests.documents.workbooks import CHOICES, from_table, unaccounted, workbook
from tests.property_profile import examples

_FORMS = (Path(__file__).parent / "pyxform/forms.txt").read_text(encoding="utf-8").split("\n# ")[1:]


@pytest.fixture
def aliases() -> ModuleType:
    module: ModuleType = pytest.importorskip("pyxform.aliases")
    return module


def _words(name: str) -> str:
    return " ".join(name.lower().replace("_", " ").split())


@pytest.mark.oracle
def test_every_type_that_pyxform_knows_is_known_and_no_other(aliases: ModuleType) -> None:
    from pyxform.question_type_dictionary import QUESTION_TYPE_DICT

    theirs = {
        *QUESTION_TYPE_DICT,
        *aliases.select,
        *aliases.cascading,
        *aliases.osm,
        *aliases.settings_header,
        *aliases._type_alias_map,
        *(f"{end} {control}" for control in aliases.control for end in ("begin", "end")),
    }
    # The list stands after “over”, and `select` is what older programs call a choice of several.
    ours = {name for names in TYPES.values() for name in names} - {"begin loop over", "select"}
    assert ours == {_words(name) for name in theirs}


def _kind(question: Mapping[str, Any]) -> str:
    """Return what pyxform makes of a type: by its control in the form, and by how its value is bound."""
    bind, control = question.get("bind", {}), question.get("control", {}).get("tag", "")
    if "jr:preload" in bind:
        return "person"
    by_control = {"select1": "one", "select": "several", "upload": "file", "odk:rank": "order", "range": "range"}
    by_type = {"int": "integer", "decimal": "decimal", "date": "moment", "time": "moment", "dateTime": "moment"}
    by_type |= dict.fromkeys(("geopoint", "geotrace", "geoshape"), "place")
    if control == "input" and bind["type"] == "string":
        return "note" if "readonly" in bind else "text"
    return by_control.get(control) or by_type.get(bind.get("type", ""), "")


@pytest.mark.oracle
def test_a_type_means_what_it_means_to_pyxform(aliases: ModuleType) -> None:
    from pyxform.question_type_dictionary import QUESTION_TYPE_DICT

    # Choices on another sheet are a text to it, and a map is a file.
    others = {"select one external", "osm", "start-geopoint", "background-geopoint"}
    differing = {
        name
        for name, question in QUESTION_TYPE_DICT.items()
        if _kind(question) and row_type(name).kind != _kind(question)
    }
    assert differing == others
    kinds = {"select one": "one", "select all that apply": "several", "rank": "order"}
    for name, meaning in aliases.select.items():
        kind = "elsewhere" if name in aliases.select_from_file else kinds.get(meaning, "elsewhere")
        assert row_type(f"{name} fruit").kind == kind, name
    for control, meaning in aliases.control.items():
        kind = "group" if meaning == "group" else "repeat"
        assert row_type(f"begin {control}").kind == f"begin {kind}", control
        assert row_type(f"end_{control}").kind == f"end {kind}", control


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("sheet", "table"), [("survey", "survey_header"), ("choices", "list_header"), ("settings", "settings_header")]
)
def test_columns_mean_the_same_wherever_they_do_to_pyxform(sheet: str, table: str, aliases: ModuleType) -> None:
    # Columns stand within `body::`, which is none itself.
    theirs = {name: meaning for name, meaning in getattr(aliases, table).items() if name != "body"}
    meanings = {name: meaning[-1] if isinstance(meaning, tuple) else meaning for name, meaning in theirs.items()}
    # Most meanings are names of columns themselves; those of other namespaces are not.
    meanings |= {meaning: meaning for meaning in meanings.values() if not meaning.startswith(("odk:", "entities:"))}
    keys = {name: column_key(name, COLUMNS[sheet]) for name in meanings}
    for name, meaning in meanings.items():
        same = {other for other in meanings if meanings[other] == meaning}
        assert {other for other in keys if keys[other] == keys[name]} == same, name
    # No alias of ours that it has not.
    assert {name for name in COLUMNS[sheet] if name not in {key.lower() for key in meanings}} == set()


@pytest.mark.oracle
def test_yes_no_and_the_names_of_sheets_are_those_of_pyxform(aliases: ModuleType) -> None:
    from pyxform.constants import SUPPORTED_SHEET_NAMES

    assert {text: is_yes(text) for text in aliases.yes_no} == aliases.yes_no
    assert {*COLUMNS, *FURTHER_SHEETS} == SUPPORTED_SHEET_NAMES


@pytest.mark.parametrize("form", _FORMS, ids=lambda form: form.partition("\n")[0])
def test_each_row_and_cell_of_pyxforms_own_forms_is_taken_or_named(form: str) -> None:
    raw = from_table(form.partition("\n")[2])
    assert unaccounted(raw, read_import(raw)) == []


_HEADERS = st.sampled_from(
    (
        *LOST_COLUMNS,
        *COLUMNS["survey"],
        "Label::English (en)",
        "label:Deutsch (de)",
        "media::image::English (en)",
        "bind::relevant",
        "required",
        "protected",
        "disabled",
        "Notes for us",
    )
)
_CELLS = st.sampled_from(
    (
        None,
        "yes",
        "no",
        "${a} = 'a'",
        ". >= 0 and . <= 9",
        "randomize=true seed=3",
        "start=1 end=5 step=1",
        "**Ever** <b>copied</b>?",
        "${a}",
        " ",
        "<script>",
        "x" * 600,
        "Turned \u202e round",
    )
) | st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=8)
_NAMES = st.sampled_from([name for names in TYPES.values() for name in names] + ["matrix"])
_TYPES = st.builds(
    lambda name, gap, rest: name.replace(" ", gap) + rest,
    _NAMES,
    st.sampled_from(" _"),
    st.sampled_from(["", " yesno", " often", " often or_other", " yesno or specify other", " none at all"]),
)


@settings(examples(300), deadline=None)
@given(st.data())
def test_whatever_a_form_says_each_row_and_cell_is_taken_or_named(data: st.DataObject) -> None:
    headers = ["type", "name", "label", *data.draw(st.lists(_HEADERS, max_size=5, unique=True))]
    extra = [_CELLS] * (len(headers) - 3)
    names = st.sampled_from(["a", "b", "c", "deniable_consent", "deniable_title"])
    row = st.tuples(_TYPES, names, _CELLS, *extra)
    rows = data.draw(st.lists(row | st.tuples(*[_CELLS] * len(headers)), max_size=8))
    raw = workbook({"survey": [headers, *rows], "choices": CHOICES})
    assert unaccounted(raw, read_import(raw)) == []
