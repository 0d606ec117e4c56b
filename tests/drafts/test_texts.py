"""What people read reads as it is stored: no text turns its direction, breaks its line or holds what nobody sees."""

import pytest
from django.core.exceptions import ValidationError

from surveys.documents.services.creating import read_import
from surveys.documents.services.parsing import DocumentRefused
from surveys.drafts.services.groups import add_group, rename_group
from surveys.drafts.services.surveys import create_survey
from surveys.models import Group, Survey
from tests.documents.samples import changed, raw
from tests.documents.workbooks import form
from tests.editor.form import NEW, closed, posted, question
from tests.factories import make_draft, make_user, yes_no
from tests.pages import owner_of, signed_in

pytestmark = pytest.mark.django_db

TURNS = [chr(number) for number in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))]
BREAKS = ["\n", "\r\n", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"]
UNSEEN = ["\x00", "\x07", "\t", "\x1b", "\x7f", "\x9f"]
SOME = [TURNS[4], TURNS[5], "\x07", "\x00"]
_ALL = {*TURNS, *BREAKS, *UNSEEN}
# The editor's field of each text that is one line, and what else it needs.
LINES = {
    "text": {},
    "low_end": {"kind": "scale", "design": "k_ary", "high_end": "always"},
    "high_end": {"kind": "scale", "design": "k_ary", "low_end": "never"},
    "unit": {"kind": "number_mean", "low": "0", "high": "10"},
    "innocuous": {"design": "crosswise", "innocuous_share": "1/4", "innocuous_source": "census"},
    "innocuous_source": {"design": "crosswise", "innocuous_share": "1/4", "innocuous": "Born in May?"},
}


@pytest.mark.parametrize("odd", [TURNS[4], "\u2028", "\x00"])
@pytest.mark.parametrize("send", [question, closed])
def test_the_editor_refuses_them_beside_each_field(odd: str, send: object) -> None:
    rows = [send(**(fields | {name: f"before{odd}after"})) for name, fields in LINES.items()]  # type: ignore[operator]
    response = signed_in().post(NEW, posted(*rows))
    assert response.status_code == 422
    assert [list(row.form.errors) for row in response.context["editor"].rows] == [[name] for name in LINES]
    assert not Survey.objects.exists()


@pytest.mark.parametrize("odd", SOME)
def test_an_option_is_named_by_its_number(odd: str) -> None:
    typed = question(kind="one_of", design="k_ary", options=f"Never\nOnce{odd}\nOften")
    [problem] = signed_in().post(NEW, posted(typed)).context["problems"]
    assert problem.field_id == "id_questions-1-options"
    assert odd == "\x00" or "2" in problem.message
    assert not Survey.objects.exists()


@pytest.mark.parametrize("odd", [*SOME, *BREAKS[:2]])
def test_no_title_holds_them(odd: str) -> None:
    [problem] = signed_in().post(NEW, posted(question(), title=f"before{odd}after")).context["problems"]
    assert problem.field_id == "id_title"
    assert not Survey.objects.exists()


@pytest.mark.parametrize("name", ["introduction", "consent", "support"])
def test_longer_texts_have_lines_and_nothing_else_of_it(name: str) -> None:
    client = signed_in()
    for odd in (TURNS[4], "\x00", "\x1b", "\u2028"):
        [problem] = client.post(NEW, posted(question(), **{name: f"before{odd}after"})).context["problems"]
        assert problem.field_id == f"id_{name}"
    assert not Survey.objects.exists()
    client.post(NEW, posted(question(), **{name: "one line\r\n\r\n\tanother"}))
    assert "another" in getattr(Survey.objects.get().questionnaire, name)


def test_marks_that_right_to_left_writing_needs_stay() -> None:
    survey = create_survey(owner=make_user(), title="מבחנים\u200f (2026)", questions=[yes_no("\u200eשאלה\u061c?")])
    assert survey.title == "מבחנים\u200f (2026)"


@pytest.mark.parametrize("odd", [*TURNS, *BREAKS, *UNSEEN])
def test_a_service_stores_none_of_them(odd: str) -> None:
    for fields in (
        {"title": f"a{odd}b", "questions": [yes_no()]},
        {"title": "Exams", "questions": [yes_no(f"a{odd}b?")]},
        {"title": "Exams", "questions": [yes_no(kind="one_of", design="k_ary", options=["x", f"a{odd}b"])]},
    ):
        with pytest.raises(ValidationError):
            create_survey(owner=make_user(), **fields)  # type: ignore[arg-type]
    assert not Survey.objects.exists()


@pytest.mark.parametrize("odd", [*TURNS, "\x00", "\x07"])
def test_no_group_is_called_so(odd: str) -> None:
    survey = make_draft()
    group = add_group(survey=survey, name="North")
    with pytest.raises(ValidationError):
        add_group(survey=survey, name=f"So{odd}uth")
    with pytest.raises(ValidationError):
        rename_group(group=group, name=f"So{odd}uth")
    client = owner_of(survey)
    assert client.post(f"/surveys/{survey.code}/groups/", {"action": "add", "name": f"So{odd}uth"}).status_code < 500
    assert [group.name for group in Group.objects.all()] == ["North"]


@pytest.mark.parametrize("odd", [*SOME, "\n"])
@pytest.mark.parametrize(
    ("path", "place"),
    [
        (("survey", "title"), "survey.title"),
        (("groups", 0, "name"), "groups[0].name"),
        (("questions", 0, "text"), "questions[0].text"),
    ],
)
def test_a_document_with_them_is_refused_by_the_place(odd: str, path: tuple[str | int, ...], place: str) -> None:
    if (odd, place) == ("\n", "groups[0].name"):
        odd = "\u202e"  # a line break in a group's name becomes a space
    with pytest.raises(DocumentRefused) as refused:
        read_import(raw(changed(path, f"be{odd}fore")))
    assert [problem.place for problem in refused.value.problems] == [place]


@pytest.mark.parametrize("odd", ["\u202e", "\u2067", "_x202E_", "_x0000_", "_x0007_"])
def test_of_a_form_such_a_row_is_left_out_and_a_long_label_is_put_onto_one_line(odd: str) -> None:
    """A workbook's own way of writing a character by its number is read by some programs and not by others."""
    rows = (("select_one yesno", "a", "Have you\never?"), ("select_one yesno", "b", f"Did you {odd}revo?"))
    imported = read_import(form(*rows))
    texts = [draft.text for draft in imported.content.questions]
    assert texts[0] == "Have you ever?"
    assert all(_ALL.isdisjoint(text) for text in texts)
    if not odd.startswith("_"):
        assert len(texts) == 1
        assert not imported.lines[-1].taken
