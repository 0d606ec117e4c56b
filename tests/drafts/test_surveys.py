"""Drafts are written whole or not at all, and opening freezes them."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError

from surveys.common.selectors import draft_of
from surveys.course.services import close_survey, open_survey, pause_survey
from surveys.drafts.services.surveys import (
    MAX_QUESTIONS,
    NotAllowedNow,
    QuestionRefused,
    SavedMeanwhile,
    create_survey,
    save_draft,
)
from surveys.models import Survey
from surveys.models.survey import CODE_ALPHABET, new_code
from surveys.questionnaire.kinds import prefer_not_to_say
from tests import factories
from tests.factories import make_draft, make_open, make_user, one_of, yes_no

pytestmark = pytest.mark.django_db


def test_join_codes_have_no_letters_that_are_misread() -> None:
    assert not set(CODE_ALPHABET) & set("01OIL")
    assert set("".join(new_code() for _ in range(200))) <= set(CODE_ALPHABET)


@pytest.mark.parametrize(
    ("question", "field"),
    [
        (yes_no(text=""), "text"),
        (yes_no(options=["a", "b"]), "options"),
        (yes_no(kind="essay"), "kind"),
        (yes_no(design="k_arry"), "design"),
        (yes_no(parameters={"truth": [1, 2]}), "parameters"),
        (yes_no(parameters={"truth": [1, 0], "yes": [1, 2]}), "parameters"),
        (yes_no(parameters={"truth": [3, 2], "yes": [1, 2]}), "parameters"),
        (yes_no(parameters={"truth": [0, 1], "yes": [1, 2]}), "parameters"),
        (yes_no(parameters={"truth": [1, 1], "yes": [1, 2]}), "parameters"),
        (yes_no(parameters={"truth": [1, 2], "yes": [0, 1]}), "parameters"),
        (yes_no(parameters={"truth": [1, 2], "yes": [1, 2_000_003]}), "parameters"),
        (yes_no(parameters=[1, 2]), "parameters"),
        (yes_no(design="warner", parameters={"p": [1, 2]}), "parameters"),
        (yes_no(parameters={"truth": [999, 1000], "yes": [1, 2]}), "parameters"),
        (yes_no(leave_out="protected"), "leave_out"),
        (one_of(design="crosswise"), "design"),
        (one_of(options=["a"]), "options"),
        (one_of(options=["a", " A "]), "options"),
        (one_of(options=["a", ""]), "options"),
        (one_of(options=[str(number) for number in range(21)]), "options"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused_by_field_and_nothing_is_stored(
    question: object, field: str
) -> None:
    with pytest.raises(ValidationError) as refused:
        create_survey(owner=make_user(), title="T", questions=[yes_no(), question])  # type: ignore[list-item]
    assert field in refused.value.message_dict
    assert Survey.objects.count() == 0


def test_a_question_that_is_refused_is_named_by_its_place() -> None:
    with pytest.raises(QuestionRefused) as refused:
        make_draft(yes_no(), one_of(), yes_no(text=""))
    assert (refused.value.number, list(refused.value.message_dict)) == (3, ["text"])
    with pytest.raises(QuestionRefused) as refused:
        make_draft(factories.crosswise(), factories.crosswise("Another?"))
    assert (refused.value.number, list(refused.value.message_dict)) == (2, ["innocuous"])


def test_more_questions_than_a_survey_can_have_are_refused_by_their_number() -> None:
    with pytest.raises(ValidationError, match=rf"\b{MAX_QUESTIONS + 1}\b.*\b{MAX_QUESTIONS}\b"):
        make_draft(*[yes_no()] * (MAX_QUESTIONS + 1))
    assert not Survey.objects.exists()


def test_a_save_is_the_next_revision_and_one_that_changes_nothing_is_none() -> None:
    survey = make_draft(yes_no("First?"))
    assert save_draft(survey=survey, questions=[yes_no("Second?")], revision=1).revision == 2
    assert save_draft(survey=survey, questions=[yes_no("Second?")]).revision == 2
    with pytest.raises(SavedMeanwhile):
        save_draft(survey=survey, questions=[yes_no("Third?")], revision=1)
    survey.refresh_from_db()
    assert survey.questions[0].text == "Second?"
    assert [version.number for version in survey.saved_versions.all()] == [2, 1]


def test_a_draft_that_cannot_be_saved_stays_as_it_was() -> None:
    survey = make_draft(yes_no("First?"))
    with pytest.raises(ValidationError):
        save_draft(survey=survey, title="New", questions=[yes_no("Second?"), one_of(options=["a"])])
    survey.refresh_from_db()
    assert (survey.title, survey.questions[0].text) == ("Exams", "First?")


def test_opening_stores_the_hash_of_what_people_read() -> None:
    survey = make_open(yes_no(), one_of())
    assert survey.content_hash == draft_of(survey).version
    assert survey.content_hash != make_open(yes_no(), one_of(), code=survey.code[:5]).content_hash


def test_a_survey_without_questions_does_not_open() -> None:
    survey = create_survey(owner=make_user(), title="Empty")
    with pytest.raises(ValidationError):
        open_survey(survey=survey)
    assert Survey.objects.get().is_draft


def test_the_arrows_between_states_are_the_only_ways() -> None:
    with pytest.raises(NotAllowedNow):
        pause_survey(survey=make_draft())
    with pytest.raises(NotAllowedNow):
        close_survey(survey=make_draft())
    paused = pause_survey(survey=make_open())
    assert open_survey(survey=paused).state == "open"
    assert close_survey(survey=paused).state == "closed"


def test_a_taken_join_code_is_refused_by_name() -> None:
    taken = make_draft(code="EXAMS")
    with pytest.raises(ValidationError) as refused:
        make_draft(code=taken.code)
    assert "code" in refused.value.message_dict


def test_dates_in_the_wrong_order_are_refused_by_name() -> None:
    with pytest.raises(ValidationError) as refused:
        make_draft(opens_at="2026-02-02T00:00:00Z", closes_at="2026-02-01T00:00:00Z")
    assert "closes_at" in refused.value.message_dict


def test_protected_questions_have_one_more_answer() -> None:
    definition = draft_of(
        make_draft(
            one_of(leave_out="protected"), yes_no(design="k_ary", parameters={"truth": [1, 2]}, leave_out="protected")
        )
    )
    assert [item.labels[-1] for item in definition.items] == [prefer_not_to_say()] * 2
    assert [item.design.k for item in definition.items] == [4, 3]
    assert not any(item.accepts("-") for item in definition.items)


def test_the_whole_loss_is_the_sum_over_items() -> None:
    definition = draft_of(make_draft(yes_no(), yes_no()))
    assert definition.epsilon == pytest.approx(2 * definition.items[0].design.epsilon)


@pytest.mark.parametrize("field", ["opens_at", "closes_at"])
@pytest.mark.parametrize("when", ["0001-01-01T00:00+14:00", "9999-12-31T23:59-14:00"])
def test_a_date_that_cannot_be_meant_is_refused_by_name(field: str, when: str) -> None:
    with pytest.raises(ValidationError) as refused:
        make_draft(**{field: when})
    assert field in refused.value.message_dict


def test_a_draft_that_changed_since_it_was_shown_is_not_opened() -> None:
    survey = make_draft(yes_no("First?"))
    shown = draft_of(survey).version
    save_draft(survey=survey, title=survey.title, questions=[yes_no("Second?")])
    with pytest.raises(NotAllowedNow):
        open_survey(survey=survey, shown=shown)
    survey.refresh_from_db()
    assert survey.is_draft
    assert open_survey(survey=survey, shown=draft_of(survey).version).state == "open"


@pytest.mark.parametrize(
    "fact",
    [
        "Was your mother born in  january, February or March?",
        # Without its question mark and its comma it is the same.
        "Was your mother born in January February or March",
    ],
)
def test_one_fact_for_two_questions_is_refused(fact: str) -> None:
    """From one birthday, two reports “the same” and “different” prove that the two answers differ."""
    born = {"innocuous": fact, "innocuous_source": "Births: 1 of 4"}
    with pytest.raises(QuestionRefused) as refused:
        factories.make_draft(factories.crosswise(), factories.yes_no(), factories.triangular(details=born))
    assert (refused.value.number, list(refused.value.message_dict)) == (3, ["innocuous"])
    assert not Survey.objects.exists()


def test_a_question_is_not_chosen_and_answered_by_the_same_fact() -> None:
    born = {"innocuous": "Born in May?", "innocuous_source": "Births"}
    with pytest.raises(QuestionRefused) as refused:
        factories.make_draft(
            factories.unrelated(details=born | {"selector": "born in may?", "selector_source": "Births"})
        )
    assert list(refused.value.message_dict) == ["selector"]


@pytest.mark.parametrize(
    "changes",
    [
        {"parameters": {"truth": [1, 1], "yes": [1, 2]}, "accepts_infinite": True},
        {"design": "warner", "parameters": {"p": [0, 1]}, "accepts_infinite": True},
    ],
)
def test_a_design_without_any_chance_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(QuestionRefused) as refused:
        factories.make_draft(factories.yes_no(**changes))
    assert list(refused.value.message_dict) == ["parameters"]


@pytest.mark.parametrize(("letter", "instead"), [(" to", "  TO"), (" n", "\u200b n"), ("P", "Ｐ")])
def test_an_option_that_reads_as_the_protected_way_out_is_refused(letter: str, instead: str) -> None:
    with pytest.raises(QuestionRefused) as refused:
        factories.make_draft(
            factories.one_of(["A", prefer_not_to_say().replace(letter, instead)], **factories.PROTECTED)
        )
    assert list(refused.value.message_dict) == ["options"]
