"""The editor with every kind of question and every design: what is stored comes back, what is wrong is named."""

import re
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from surveys.drafts.services.surveys import MAX_QUESTIONS
from surveys.editor.forms.question import QuestionForm, needed_fields, typed_of
from surveys.editor.forms.rows import MAX_REMOVED
from surveys.models import Survey
from surveys.questionnaire.arms import MOST_ARMS
from surveys.questionnaire.kinds import every, suitable_designs
from surveys.questionnaire.question import Question
from surveys.questionnaire.reports import MAX_ITEMS
from tests.editor.form import NEW, closed, posted, question
from tests.factories import every_kind, make_draft
from tests.pages import owner_of

EVERY = [pytest.param(draft, id=f"{draft.kind} {draft.design} {draft.leave_out}") for draft in every_kind()]

SCALE = {"kind": "scale", "design": "k_ary", "low_end": "Never", "high_end": "Always"}
MEAN = {"kind": "number_mean", "low": "0", "high": "12", "step": "0.5", "unit": "hours"}
BANDS = {"kind": "number_bands", "design": "k_ary", "edges": "0, 100, 1000", "unit": "€"}
SEVERAL = {"kind": "several_of", "options": "Coffee\nTablets"}
_FACT = {"innocuous": "Born in spring?", "innocuous_share": "1/4", "innocuous_source": "Statistics"}
CROSSWISE = {"design": "crosswise", **_FACT}
TRIANGULAR = {"design": "triangular", "accepts_infinite": "on", **_FACT}
KUK = {"design": "kuk"}
MANGAT = {"design": "mangat", "accepts_infinite": "on"}
UNRELATED = {
    "design": "unrelated_question",
    "selector": "3 to 9?",
    "selector_share": "7/10",
    "selector_source": "Digits",
    **_FACT,
}


def _stored(survey: Survey) -> list[dict[str, Any]]:
    return [question.as_json for question in survey.questions]


@pytest.mark.parametrize("draft", EVERY)
def test_a_stored_question_is_typed_and_stored_again_unchanged(draft: Question) -> None:
    typed = typed_of(draft)
    form = QuestionForm(typed)
    assert form.errors == {}
    assert form.question == draft
    assert typed_of(form.question) == typed


def test_a_survey_of_every_kind_comes_back_to_the_editor_and_is_saved_unchanged(db: None) -> None:
    survey = make_draft(*every_kind(), language="de", by_invitation=True)
    before, client, address = _stored(survey), owner_of(survey), reverse("survey-edit", args=[survey.code])
    editor = client.get(address).context["editor"]
    rows = [row.typed if row.is_open else {"typed": row.packed} for row in editor.rows]
    # A box that is not ticked is not sent.
    rows = [{name: value for name, value in row.items() if name != "accepts_infinite" or value} for row in rows]
    data = posted(*rows, language=editor.survey["language"].value(), by_invitation="on", title="Saved")
    assert client.post(address, data).status_code == 302
    assert _stored(survey) == before
    survey.refresh_from_db()
    assert (survey.title, survey.language, survey.by_invitation) == ("Saved", "de", True)


@pytest.mark.parametrize(
    ("changes", "details", "parameters"),
    [
        (SCALE, {"points": 5, "low_end": "Never", "high_end": "Always"}, {"truth": [1, 2]}),
        (
            MEAN | {"low": "−3", "high": "7.5", "step": "1/2"},
            {"low": [-3, 1], "high": [15, 2], "step": [1, 2], "unit": "hours"},
            {"truth": [1, 2], "yes": [1, 2]},
        ),
        (
            BANDS | {"edges": "0 0.5\n2;10"},
            {"edges": [[0, 1], [1, 2], [2, 1], [10, 1]], "unit": "€"},
            {"truth": [1, 2]},
        ),
        (CROSSWISE, {"innocuous": "Born in spring?", "innocuous_source": "Statistics"}, {"p": [1, 4]}),
        (TRIANGULAR, {"innocuous": "Born in spring?", "innocuous_source": "Statistics"}, {"p": [1, 4]}),
        (
            UNRELATED,
            {
                "innocuous": "Born in spring?",
                "innocuous_source": "Statistics",
                "selector": "3 to 9?",
                "selector_source": "Digits",
            },
            {"p": [7, 10], "q": [1, 4]},
        ),
        ({"truth": "2/3", "chance": "1/5"}, {}, {"truth": [2, 3], "yes": [1, 5]}),
        (SEVERAL | {"design": "warner", "truth": "0.8"}, {}, {"p": [4, 5]}),
        (KUK | {"truth": "3/4"}, {}, {"p1": [3, 4], "p2": [3, 10]}),
        (MANGAT, {}, {"p": [1, 2]}),
        (
            UNRELATED | {"innocuous_source": " "},
            {
                "innocuous": "Born in spring?",
                "innocuous_source": "",
                "selector": "3 to 9?",
                "selector_source": "Digits",
            },
            {"p": [7, 10], "q": [1, 4]},
        ),
        (
            {"design": "k_ary", "leave_out": "protected", "chance": "1/2, 1/4, 1/4"},
            {},
            {"truth": [1, 2], "weights": [[1, 2], [1, 4], [1, 4]]},
        ),
    ],
)
def test_what_is_typed_is_stored_exactly(
    teacher: Client, changes: dict[str, str], details: dict[str, Any], parameters: dict[str, Any]
) -> None:
    assert teacher.post(NEW, posted(question(**changes))).status_code == 302
    [stored] = _stored(Survey.objects.get())
    assert (stored["details"], stored["parameters"]) == (details, parameters)


# What is typed, the field that is to blame, and the number or text by which its message is known.
REFUSED: dict[str, tuple[Any, ...]] = {
    "a scale of one point": (SCALE | {"points": "1"}, "points", "11"),
    "a scale of twelve points": (SCALE | {"points": "12"}, "points", "11"),
    "a scale of some points": (SCALE | {"points": "five"}, "points"),
    "a scale of no points": (SCALE | {"points": ""}, "points", "11"),
    "a scale without a low end": (SCALE | {"low_end": " "}, "low_end"),
    "a scale without a high end": (SCALE | {"high_end": ""}, "high_end"),
    "a scale's end too long": (SCALE | {"high_end": "x" * 61}, "high_end", "60"),
    "a scale with two coins": (SCALE | {"design": "forced_response"}, "design"),
    "a number without a low end": (MEAN | {"low": ""}, "low"),
    "a number from a word": (MEAN | {"low": "none"}, "low", "“none”"),
    "a number with a comma": (MEAN | {"high": "1,000"}, "high"),
    "a number to infinity": (MEAN | {"high": "inf"}, "high", "“inf”"),
    "a number beyond a thousand million": (MEAN | {"high": "1000000001"}, "high", "1,000,000,000"),
    "a number that never ends": (MEAN | {"high": "1/3"}, "high"),
    "a number that falls": (MEAN | {"high": "-1"}, "high"),
    "a step that does not divide": (MEAN | {"step": "5"}, "step"),
    "a step of nothing": (MEAN | {"step": "0"}, "step"),
    "a step too small": (MEAN | {"step": "0.000001"}, "step", "1,000,000"),
    "a number over nothing": (MEAN | {"step": "1/0"}, "step", "“1/0”"),
    "a unit too long": (MEAN | {"unit": "x" * 21}, "unit", "20"),
    "bands without limits": (BANDS | {"edges": ""}, "edges", "20"),
    "one band": (BANDS | {"edges": "0, 1"}, "edges", "20"),
    "twenty-one bands": (BANDS | {"edges": ", ".join(map(str, range(22)))}, "edges", "20"),
    "limits that fall": (BANDS | {"edges": "0, 100, 50"}, "edges"),
    "limits with a word": (BANDS | {"edges": "0, many, 50"}, "edges", "“many”"),
    "no innocuous question": (CROSSWISE | {"innocuous": ""}, "innocuous"),
    "no source": (CROSSWISE | {"innocuous_source": " "}, "innocuous_source"),
    "no share": (CROSSWISE | {"innocuous_share": ""}, "innocuous_share"),
    "a share of one half": (CROSSWISE | {"innocuous_share": "1/2"}, "innocuous_share"),
    "a share of nobody": (CROSSWISE | {"innocuous_share": "0"}, "innocuous_share"),
    "a share of all": (TRIANGULAR | {"innocuous_share": "1"}, "innocuous_share"),
    "a share over nothing": (TRIANGULAR | {"innocuous_share": "1/0"}, "innocuous_share"),
    "a share all but certain": (CROSSWISE | {"innocuous_share": "1/1000"}, "innocuous_share"),
    "infinity without acceptance": (
        {name: value for name, value in TRIANGULAR.items() if name != "accepts_infinite"},
        "accepts_infinite",
    ),
    "decks that are alike": (KUK | {"truth": "3/10"}, "other_deck"),
    "a deck of nobody": (KUK | {"other_deck": ""}, "other_deck"),
    "decks of several options": (SEVERAL | KUK, "design"),
    "a number through Mangat’s design": (MEAN | MANGAT, "design"),
    "No proves without acceptance": ({"design": "mangat"}, "accepts_infinite"),
    "no selecting fact": (UNRELATED | {"selector": ""}, "selector"),
    "no source of the selecting fact": (UNRELATED | {"selector_source": ""}, "selector_source"),
    "no share of the selecting fact": (UNRELATED | {"selector_share": ""}, "selector_share"),
    "a selecting fact in words": (UNRELATED | {"selector_share": "most"}, "selector_share", "“most”"),
    "a selecting fact all but certain": (
        UNRELATED | {"selector_share": "999/1000"},
        "selector_share",
    ),
    "a protected way out of crosswise": (CROSSWISE | {"leave_out": "protected"}, "leave_out"),
    "a protected way out of two coins": (MEAN | {"leave_out": "protected"}, "leave_out"),
    "an innocuous question about a number": (MEAN | CROSSWISE, "design"),
    "several options without any": (SEVERAL | {"options": ""}, "options", "20"),
    "twenty-one options": (SEVERAL | {"options": "\n".join(map(str, range(21)))}, "options", "20"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_asked_is_named_at_the_field_that_is_to_blame(case: str) -> None:
    """How a page shows it, and that nothing is stored, test_editor.py has."""
    changes, field, *named = REFUSED[case]
    errors = QuestionForm(question(**changes)).errors
    assert list(errors) == [field]
    assert [each for each in named if each not in errors[field][0]] == []


def test_what_the_question_does_not_need_is_neither_read_nor_complained_about(teacher: Client) -> None:
    nonsense = {"truth": "abc", "points": "many", "low": "x", "edges": "y", "selector_share": "z", "options": "A"}
    assert teacher.post(NEW, posted(question(**CROSSWISE | nonsense))).status_code == 302
    [stored] = _stored(Survey.objects.get())
    assert stored["options"] == []
    assert stored["details"].keys() == {"innocuous", "innocuous_source"}


def test_infinity_is_accepted_only_where_it_is_asked_for(teacher: Client) -> None:
    assert teacher.post(NEW, posted(question(accepts_infinite="on"))).status_code == 302
    assert Survey.objects.get().questions[0].accepts_infinite is False


def test_more_items_than_a_response_can_hold_are_refused_by_their_number(teacher: Client) -> None:
    options = "\n".join(f"Option {number}" for number in range(20))
    rows = [question(**SEVERAL | {"options": options}, text=f"{number}?") for number in range(8)]
    response = teacher.post(NEW, posted(*rows))
    assert response.status_code == 422
    assert [re.findall(r"\d+", problem.message) for problem in response.context["problems"]] == [[str(MAX_ITEMS)]]
    assert Survey.objects.count() == 0


def test_a_form_has_no_more_fields_than_a_request_may_carry(teacher: Client) -> None:
    """Fifty closed questions, twenty that can be put back, as many open ones as the page opens at most, all arms."""
    full = question(**UNRELATED | SCALE | MEAN | BANDS | {"kind": "yes_no", "design": "unrelated_question"})
    opened = [full | {"accepts_infinite": "on", "wished": "", "arms": "1, 2", "quantity": ""}] * 4
    removed = [closed(text="Gone?") | {"removed": "on"}] * MAX_REMOVED
    rows = [*opened, *[closed()] * (MAX_QUESTIONS - len(opened)), *removed]
    extra = {"key": "x" * 22, "csrfmiddlewaretoken": "x"}
    extra |= dict.fromkeys(("by_invitation", "server_mode_allowed", "credit"), "on")
    arms = {"arms": str(MOST_ARMS)}
    for number in range(1, MOST_ARMS + 1):
        arms |= {f"arms-{number}-name": f"Arm {number}", f"arms-{number}-weight": "1"}
    data = posted(*rows, action="refresh", **extra, **arms)
    # Each open question has a box an arm.
    assert len(data) + len(opened) * MOST_ARMS <= 310 < settings.DATA_UPLOAD_MAX_NUMBER_FIELDS
    page = teacher.post(NEW, data)
    assert page.status_code == 200
    shown = {name.removeprefix("questions-1-") for name in data if name.startswith("questions-1-")}
    # Boxes for an earlier answer stand only where there is one.
    assert shown == QuestionForm().fields.keys() - {"asked_if"} | {"wished"}
    # And what the page shows is what was counted.
    form = page.content.decode().split('id="editor"')[1].split("</form>")[0]
    names = re.findall(r'<(?:input|select|textarea)[^>]* name="([^"]+)"', form)
    assert {*names} | {"action"} == {*data} | {"random_order"}


@pytest.mark.parametrize("language", ["", "fr", "xx", "EN"])
def test_a_language_that_the_pages_do_not_speak_is_refused(teacher: Client, language: str) -> None:
    response = teacher.post(NEW, posted(question(), language=language))
    assert (response.status_code, list(response.context["editor"].survey.errors)) == (422, ["language"])


def test_every_detail_has_a_field_of_its_name_and_every_field_is_needed_somewhere() -> None:
    used = frozenset().union(
        *(needed_fields(kind.name, design) for kind in every() for design in suitable_designs(kind.name))
    )
    assert used == set(QuestionForm().fields)


@pytest.mark.parametrize("draft", EVERY)
def test_the_page_shows_open_what_a_question_needs(db: None, draft: Question) -> None:
    survey = make_draft(draft)
    page = owner_of(survey).get(reverse("survey-edit", args=[survey.code]))
    form = page.context["editor"].rows[0].form
    row = page.content.decode().split("<fieldset")[1]
    for name in form.needs:
        before, _, _ = row.partition(f'name="questions-1-{name}"')
        # Inside details the last one that began before the field is open.
        inside = before.count("<details") > before.count("</details")
        assert not inside or " open>" in before.rsplit("<details", 1)[1]


def test_a_kind_that_is_none_shows_all_fields() -> None:
    form = QuestionForm({"kind": "essay", "design": "warner"})
    assert form.needs == frozenset(form.fields)
