"""A survey becomes a document and the document a survey: nothing that its author wrote is lost or changed."""

import pytest
from django.contrib.auth.models import User
from hypothesis import given

from surveys.common.selectors import draft_of
from surveys.documents.services.creating import create_from, duplicate, read_import
from surveys.documents.services.parsing import DocumentRefused
from surveys.documents.services.reading import read_document
from surveys.drafts.selectors import SURVEY_FIELDS, document_of, write_document
from surveys.drafts.services.groups import add_group
from surveys.drafts.services.surveys import create_survey
from surveys.models import Survey
from surveys.questionnaire.document import COLUMNS
from surveys.questionnaire.question import QUESTION_COLUMNS, QUESTION_FIELDS, QUESTION_WHERE_SET, Question
from tests.documents.drafts import Fields, surveys
from tests.factories import crosswise, every_kind, make_draft, make_user, one_of, yes_no
from tests.property_profile import examples

pytestmark = pytest.mark.django_db

# Whose a survey is, where it stands and what it comes from: its author wrote none of it.
NOT_WRITTEN = {
    "id",
    "owner",
    "code",
    "state",
    "content_hash",
    "created_at",
    "updated_at",
    "revision",
    "previous",
    "edition",
    "archived",
    "rehearsal_of",
    "result_on_receipt",
    "exact_figures",
    "partition",
    "reminded",
    # The document itself, and how many questions it has.
    "document",
    "question_count",
}
TWO_ARMS = [{"name": "One", "weight": 1}, {"name": "Other", "weight": 1}]


def _columns(survey: Survey) -> dict[str, object]:
    written = survey.questionnaire
    read = {name: getattr(written if name in COLUMNS else survey, name) for name in SURVEY_FIELDS}
    return read | {"arms": written.as_json.get("arms", [])}


@pytest.mark.uncounted
@examples(40)
@given(surveys())
def test_every_survey_comes_back_as_it_was(survey: tuple[Fields, list[Question], list[str]]) -> None:
    fields, questions, groups = survey
    owner, _new = User.objects.get_or_create(username="author")
    first = create_survey(owner=owner, questions=questions, **fields)
    for name in groups:
        add_group(survey=first, name=name)
    # As the database gives it back.
    first = Survey.objects.get(pk=first.pk)
    raw = write_document(document_of(first))
    content = read_import(raw).content
    assert content == read_document(document_of(first))
    second = Survey.objects.get(pk=create_from(owner=owner, content=content).pk)
    assert write_document(document_of(second)) == raw
    assert _columns(second) == _columns(first) == fields
    assert second.questions == first.questions
    assert list(second.groups.values_list("name", "slug")) == list(first.groups.values_list("name", "slug"))


def test_every_column_of_a_draft_is_in_its_document_or_named_here() -> None:
    assert {field.name for field in Survey._meta.fields} | set(COLUMNS) == set(SURVEY_FIELDS) | NOT_WRITTEN


def test_every_column_of_a_question_is_in_its_document() -> None:
    assert set(QUESTION_COLUMNS) == set(QUESTION_FIELDS)
    assert set(QUESTION_WHERE_SET) < set(QUESTION_FIELDS)


def test_every_kind_and_design_means_the_same_afterwards() -> None:
    survey = make_draft(*every_kind(), language="de")
    copy = duplicate(survey=survey, owner=make_user())
    matrices = [item.design.matrix for item in draft_of(survey).items]
    assert [item.design.matrix for item in draft_of(copy).items] == matrices


def test_the_same_survey_always_gives_the_same_bytes() -> None:
    survey = make_draft(crosswise(details={"innocuous_source": "Known.", "innocuous": "Born in May?"}))
    assert write_document(document_of(survey)) == write_document(document_of(Survey.objects.get(pk=survey.pk)))
    # One of the two databases keeps the order of names, the other does not.
    assert list(document_of(survey)["questions"][0]["details"]) == ["innocuous", "innocuous_source"]


def test_people_can_read_the_file() -> None:
    survey = make_draft(title="Prüfungen, ehrlich")
    text = write_document(document_of(survey)).decode()
    assert '"title": "Prüfungen, ehrlich"' in text
    assert '"design": "forced_response"' in text
    assert '"truth": [1, 2]' in text
    assert text.endswith("}\n")


def test_a_text_that_looks_like_a_written_number_stays_as_it_is() -> None:
    text = "[\n  1,\n  2\n]"
    content = read_import(write_document(document_of(make_draft(introduction=text)))).content
    assert content.fields["introduction"] == text


def test_arms_come_back_and_are_written_only_where_there_are_any() -> None:
    questions = [yes_no(arms=[1], quantity=1), yes_no("Cheated?", arms=[2], quantity=1), yes_no("Both?")]
    dealt = make_draft(*questions, arms=[{"name": "One", "weight": 2}, {"name": "Other", "weight": 1}])
    copy = duplicate(survey=dealt, owner=make_user())
    assert _columns(copy) == _columns(dealt)
    assert copy.questions == dealt.questions
    assert [{"arms", "quantity"} & question.keys() for question in document_of(dealt)["questions"]] == [
        {"arms", "quantity"},
        {"arms", "quantity"},
        set(),
    ]
    plain = document_of(make_draft())
    assert "arms" not in plain["survey"]


@pytest.mark.parametrize(
    ("arms", "question", "place", "named"),
    [
        ("two", {}, "survey.arms", "“two”"),
        (TWO_ARMS[:1], {}, "survey.arms", "8"),
        (TWO_ARMS, {"arms": [3]}, "questions[0].arms", ""),
        (TWO_ARMS, {"arms": [1]}, "survey.arms", "2"),
        (TWO_ARMS, {"arms": 1}, "questions[0].arms", "1"),
    ],
)
def test_arms_that_cannot_be_are_named_by_their_place(
    arms: object, question: dict[str, object], place: str, named: str
) -> None:
    document = document_of(make_draft())
    document["survey"]["arms"] = arms
    document["questions"][0] |= question
    with pytest.raises(DocumentRefused) as refused:
        read_document(document)
    assert [(problem.place, named in problem.words) for problem in refused.value.problems] == [(place, True)]


def test_random_order_comes_back_and_is_written_only_where_it_is_asked_for() -> None:
    shuffled = make_draft(one_of(random_order=True), one_of(), random_order=True)
    copy = duplicate(survey=shuffled, owner=make_user())
    assert (_columns(copy), copy.questions) == (_columns(shuffled), shuffled.questions)
    assert ["random_order" in question for question in document_of(shuffled)["questions"]] == [True, False]
    assert "random_order" not in document_of(make_draft())["survey"]


def test_options_of_yes_and_no_in_random_order_are_refused_by_their_place() -> None:
    document = document_of(make_draft())
    document["questions"][0]["random_order"] = True
    with pytest.raises(DocumentRefused) as refused:
        read_document(document)
    assert [problem.place for problem in refused.value.problems] == ["questions[0].random_order"]
