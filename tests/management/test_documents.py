"""`import_survey FILE --owner NAME` and `export_survey CODE`."""

import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from surveys.drafts.selectors import document_of, write_document
from surveys.models import Survey
from tests.documents.samples import changed, raw, sample_document
from tests.documents.workbooks import form
from tests.factories import every_kind, make_draft, make_open, make_user

pytestmark = pytest.mark.django_db


def _import(path: Path, owner: str) -> str:
    out = io.StringIO()
    call_command("import_survey", str(path), "--owner", owner, stdout=out)
    return out.getvalue()


def test_what_is_exported_is_imported_as_it_was(tmp_path: Path) -> None:
    survey, path = make_open(*every_kind()), tmp_path / "survey.json"
    call_command("export_survey", survey.code, "--output", str(path), stdout=io.StringIO())
    said = _import(path, make_user("anna").username)
    copy = Survey.objects.get(owner__username="anna")
    assert said == f"{copy.code}: a draft with {len(every_kind())} questions.\n"
    assert write_document(document_of(copy)) == path.read_bytes()


def test_without_a_file_the_document_is_shown() -> None:
    survey, out = make_draft(title="Prüfungen"), io.StringIO()
    call_command("export_survey", survey.code.lower(), stdout=out)
    assert out.getvalue().encode() == write_document(document_of(survey))


def test_an_existing_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "survey.json"
    path.write_text("kept", encoding="utf-8")
    with pytest.raises(CommandError, match="File exists"):
        call_command("export_survey", make_draft().code, "--output", str(path))
    assert path.read_text(encoding="utf-8") == "kept"


def test_a_form_is_reported_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "form"
    path.write_bytes(form(("select_one yesno", "a", "Ever copied?"), ("text", "b", "Why?")))
    said = _import(path, make_user().username)
    assert "survey 2, select_one yesno a: Question 1. Yes or no." in said
    assert "survey 3, text b: left out: Free text can’t be randomized." in said


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (raw(changed(("survey", "minimum_n"), 1)), "survey.minimum_n: "),
        (b"\x00" * 2_000_000, "The document is too large. The limit is 1 MB."),
    ],
)
def test_what_cannot_be_imported_is_said_with_its_place(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "survey.json"
    path.write_bytes(content)
    with pytest.raises(CommandError, match="cannot be imported") as refused:
        _import(path, make_user().username)
    assert words in str(refused.value)
    assert not Survey.objects.exists()


def test_a_wrong_name_of_anything_is_said(tmp_path: Path) -> None:
    path = tmp_path / "survey.json"
    with pytest.raises(CommandError, match="There is no user called nobody"):
        _import(path, "nobody")
    with pytest.raises(CommandError, match="No such file"):
        _import(path, make_user().username)
    path.write_bytes(raw(sample_document()))
    with pytest.raises(CommandError, match="There is no survey with the code NONE"):
        call_command("export_survey", "NONE")
