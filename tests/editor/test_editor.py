"""The editor: everything typed is checked, told about in place, and stored whole or not at all."""

import re
from html import unescape
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import reverse

from surveys.drafts.services.surveys import MAX_QUESTIONS
from surveys.editor import views
from surveys.models import Survey
from tests.editor.form import NEW, closed, posted, question
from tests.factories import make_draft, make_open, one_of, yes_no
from tests.pages import owner_of, text_of

pytestmark = pytest.mark.django_db


def _stored(survey: Survey) -> list[dict[str, Any]]:
    return [question.as_json for question in survey.questions]


def _page(response: HttpResponseBase) -> str:
    return unescape(text_of(response))


def test_a_survey_is_written_with_its_questions_and_exact_coins(teacher: Client) -> None:
    several = question(
        kind="one_of", text="How often?", options="Never\n\n Once \nOften\n", design="k_ary", truth="0.75"
    )
    response = teacher.post(NEW, posted(question(truth="3/4", chance="1/3"), several, introduction="Why we ask"))
    survey = Survey.objects.get()
    assert response["Location"] == reverse("survey-detail", args=[survey.code])
    assert (survey.title, survey.questionnaire.introduction, survey.minimum_n, survey.state) == (
        "Exams",
        "Why we ask",
        10,
        "draft",
    )
    first, second = _stored(survey)
    assert first["parameters"] == {"truth": [3, 4], "yes": [1, 3]}
    assert (second["options"], second["parameters"]) == (["Never", "Once", "Often"], {"truth": [3, 4]})


def test_what_is_stored_comes_back_to_the_editor_and_is_saved_unchanged() -> None:
    questions = (
        yes_no(parameters={"truth": [2, 3], "yes": [1, 4]}),
        yes_no("Warner?", design="warner", parameters={"p": [3, 4]}),
        one_of(parameters={"truth": [1, 2], "weights": [[1, 2], [1, 4], [1, 4]]}),
        one_of(leave_out="protected"),
    )
    survey = make_draft(*questions, introduction="Hello", opens_at=None, response_cap=40)
    before, client = _stored(survey), owner_of(survey)
    address = reverse("survey-edit", args=[survey.code])
    page = client.get(address).context["editor"]
    data = posted(*({"typed": row.packed} for row in page.rows))
    data |= {name: str(page.survey[name].value() or "") for name in page.survey.fields if name != "server_mode_allowed"}
    assert client.post(address, data | {"title": "Anew"}).status_code == 302
    assert _stored(survey) == before
    survey.refresh_from_db()
    assert (survey.title, survey.questionnaire.introduction, survey.response_cap) == ("Anew", "Hello", 40)


@pytest.mark.parametrize(
    "typed", ["abc", "1/0", "0", "2", "1", "-1/2", "1/", "50%", "nan", "inf", "1e-3", "½", "", "9" * 41]
)
def test_a_coin_that_is_no_probability_is_named_with_what_was_typed(teacher: Client, typed: str) -> None:
    response = teacher.post(NEW, posted(question(truth=typed)))
    page = _page(response)
    assert response.status_code == 422
    assert "<title>Error: " in page
    assert '<a href="#id_questions-1-truth">Question 1: ' in page
    errors = response.context["editor"].rows[0].form.errors
    assert list(errors) == ["truth"]
    assert not typed or len(typed) > 40 or f"“{typed}”" in errors["truth"][0]
    assert f'value="{typed}"' in page or not typed
    assert Survey.objects.count() == 0


# What is typed, the field that is to blame, and the number or text by which its message is known.
REFUSED: dict[str, tuple[Any, ...]] = {
    "two options the same": ({"kind": "one_of", "design": "k_ary", "options": "Yes\nyes"}, "options"),
    "one option": ({"kind": "one_of", "design": "k_ary", "options": "Yes"}, "options", "20"),
    "an option too long": ({"kind": "one_of", "design": "k_ary", "options": "a\n" + "b" * 121}, "options", "120"),
    "several options, two decks": ({"kind": "one_of", "design": "kuk", "options": "A\nB"}, "design"),
    "a design that does not exist": ({"design": "astragali"}, "design"),
    "a kind that does not exist": ({"kind": "essay"}, "kind"),
    "no text": ({"text": " "}, "text"),
    "a null byte": ({"text": "a\x00b"}, "text"),
    "Warner's fair coin": ({"design": "warner", "truth": "1/2"}, "truth"),
    "a second coin that always says Yes": ({"chance": "1"}, "chance"),
    "two second coins": ({"chance": "1/2, 1/2"}, "chance"),
    "a spinner for too few": ({"design": "k_ary", "chance": "1/2"}, "chance", "2"),
    "a spinner that does not sum to 1": ({"design": "k_ary", "chance": "1/2, 1/4"}, "chance", "3/4"),
    "a spinner with a word": ({"design": "k_ary", "chance": "1/2, half"}, "chance", "“half”"),
    "protected without room": ({"leave_out": "protected"}, "leave_out"),
    "too fine a coin": ({"truth": "1/1000003"}, "truth", "1,000,000"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_question_that_cannot_be_asked_is_named_beside_the_field(teacher: Client, case: str) -> None:
    changes, field, *named = REFUSED[case]
    response = teacher.post(NEW, posted(closed(), closed(**changes)))
    errors = response.context["editor"].rows[1].form.errors
    assert (response.status_code, list(errors)) == (422, [field])
    assert [each for each in named if each not in errors[field][0]] == []
    assert f'href="#id_questions-2-{field}"' in _page(response)
    assert Survey.objects.count() == 0


@pytest.mark.parametrize(
    ("field", "typed"),
    [
        ("title", ""),
        ("title", "x" * 201),
        ("minimum_n", "4"),
        ("minimum_n", "many"),
        ("response_cap", "0"),
        ("expected_n", "0"),
        ("expected_n", "thirty"),
        ("expected_share", "0"),
        ("expected_share", "100"),
        ("expected_share", "a third"),
        ("opens_at", "tomorrow"),
        ("closes_at", "2030-02-30T10:00"),
        ("time_zone", "Mars/Olympus"),
        ("time_zone", ""),
    ],
)
def test_a_field_of_the_survey_is_named_in_place_and_nothing_typed_is_lost(
    teacher: Client, field: str, typed: str
) -> None:
    response = teacher.post(NEW, posted(question(text="Keep me"), **{field: typed}))
    assert list(response.context["editor"].survey.errors) == [field]
    page = _page(response)
    assert f'<a href="#id_{field}">' in page
    assert "Keep me</textarea>" in page
    assert Survey.objects.count() == 0


def test_the_summary_names_the_field_of_every_message(teacher: Client) -> None:
    response = teacher.post(NEW, posted(question(kind="essay"), title="", minimum_n="many", expected_n=""))
    editor, page = response.context["editor"], _page(response)
    fields = {f"id_{name}": editor.survey[name] for name in ("title", "minimum_n", "expected_n")}
    fields["id_questions-1-kind"] = editor.rows[0].form["kind"]
    assert {problem.field_id for problem in response.context["problems"]} == fields.keys()
    for address, field in fields.items():
        # A title that is missing says so itself.
        label = "" if address == "id_title" else f"{field.label.rstrip('?')}: "
        assert re.search(rf'href="#{address}">(Question 1: )?{re.escape(label + field.errors[0])}', page)


def test_a_survey_cannot_close_before_it_opens(teacher: Client) -> None:
    response = teacher.post(NEW, posted(question(), opens_at="2030-01-02T10:00", closes_at="2030-01-01T10:00"))
    assert list(response.context["editor"].survey.errors) == ["closes_at"]


def test_a_failed_edit_leaves_the_stored_survey_as_it_was() -> None:
    survey = make_draft(yes_no("Before?"), title="Before")
    client, address = owner_of(survey), reverse("survey-edit", args=[survey.code])
    response = client.post(address, posted(question(text="After?"), question(truth="abc"), title="After"))
    survey.refresh_from_db()
    assert response.status_code == 422
    assert (survey.title, survey.questions[0].text) == ("Before", "Before?")


def test_what_the_service_refuses_stands_beside_the_field_it_names(
    teacher: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_fields: object) -> Survey:
        raise ValidationError({"support": "Too grim.", "code": "Taken."})

    monkeypatch.setattr(views, "create_once", refuse)
    page = _page(teacher.post(NEW, posted(question())))
    assert re.search(r'<a href="#id_support">[^<]*: Too grim\.</a>', page)
    assert '<a href="#id_title">Taken.</a>' in page


def test_one_fact_for_two_questions_is_named_at_the_second_of_them(teacher: Client) -> None:
    fact = {"innocuous": "Born in spring?", "innocuous_share": "1/4", "innocuous_source": "Births"}
    rows = [closed(design="crosswise", text=f"{number}?", **fact) for number in range(2)]
    response = teacher.post(NEW, posted(closed(), *rows))
    assert response.status_code == 422
    assert list(response.context["editor"].rows[2].form.errors) == ["innocuous"]
    [problem] = response.context["problems"]
    assert problem.field_id == "id_questions-3-innocuous"
    assert re.findall(r"\d", problem.message) == ["3", "2", "3"]


def test_an_opened_survey_cannot_be_edited_and_what_was_typed_becomes_a_new_draft() -> None:
    german = {"de": {"Frozen": "Fest", yes_no().text: "Schon einmal?"}}
    survey = make_open(title="Frozen", translations=german)
    client, address = owner_of(survey), reverse("survey-edit", args=[survey.code])
    assert client.get(address)["Location"] == reverse("survey-detail", args=[survey.code])
    response = client.post(address, posted(question(text="Typed before?"), title="New"))
    assert response.status_code == 409
    assert 'value="copy"' in text_of(response)
    assert "Typed before?</textarea>" in text_of(response)
    survey.refresh_from_db()
    assert survey.title == "Frozen"
    key = response.context["editor"].key
    kept = client.post(address, posted(question(text="Typed before?"), title="New", action="copy", key=key))
    draft = Survey.objects.get(title="New")
    assert kept["Location"] == reverse("survey-detail", args=[draft.code])
    assert (draft.is_draft, draft.questions[0].text) == (True, "Typed before?")
    assert draft.questionnaire.translations == german


def test_adding_a_question_without_javascript_keeps_all_that_was_typed_and_complains_about_nothing(
    teacher: Client,
) -> None:
    response = teacher.post(NEW, posted(question(text="Half writ", truth="abc"), action="add", title="Exa"))
    page = _page(response)
    assert response.status_code == 200
    assert 'id="problems"' not in page
    assert [row.typed["text"] for row in response.context["editor"].rows] == ["Half writ", ""]
    assert 'value="Exa"' in page
    # The question that was open is a closed row now; all of it stands in one field.
    assert f'value="{response.context["editor"].rows[0].packed}"' in page
    assert 'name="questions" value="2"' in page
    assert Survey.objects.count() == 0


def test_fifty_questions_are_saved_and_fifty_one_refused_with_nothing_lost(teacher: Client) -> None:
    rows = [closed(text=f"{number}?") for number in range(MAX_QUESTIONS)]
    removed = closed(text="Gone?") | {"removed": "on"}
    assert teacher.post(NEW, posted(*rows, removed)).status_code == 302
    assert len(Survey.objects.get().questions) == MAX_QUESTIONS
    refused = teacher.post(NEW, posted(*rows, closed(text="One more?")))
    assert refused.status_code == 422
    assert [str(MAX_QUESTIONS) in problem.message for problem in refused.context["problems"]] == [True]
    assert refused.context["editor"].rows[-1].typed["text"] == "One more?"
    assert Survey.objects.count() == 1


def test_of_many_questions_with_problems_three_open_themselves_and_all_are_named(teacher: Client) -> None:
    response = teacher.post(NEW, posted(*[closed(text="", truth="abc")] * 10))
    assert [row.is_open for row in response.context["editor"].rows] == [True] * 3 + [False] * 7
    places = [problem.field_id for problem in response.context["problems"]]
    opened = [f"id_questions-{number}-{field}" for number in (1, 2, 3) for field in ("text", "truth")]
    assert sorted(set(places)) == sorted([*opened, *(f"open-{number}" for number in range(4, 11))])
    assert sum("“abc”" in problem.message for problem in response.context["problems"]) == 10


def test_a_draft_may_be_saved_without_questions(teacher: Client) -> None:
    assert teacher.post(NEW, posted()).status_code == 302
    assert len(Survey.objects.get().questions) == 0


def test_markup_in_a_question_is_shown_and_not_run(teacher: Client) -> None:
    response = teacher.post(NEW, posted(question(text="<script>alert(1)</script>?", truth="<b>")))
    assert b"<script>alert" not in response.content
    assert b"<b>" not in response.content
