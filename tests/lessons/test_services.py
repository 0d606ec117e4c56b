"""Lessons are put together and changed in every state; what phones found goes with every change of the steps."""

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from surveys.course.selectors import losses_of
from surveys.course.services import close_survey, delete_draft, purge_survey
from surveys.drafts.services.surveys import NotAllowedNow
from surveys.learn.forms import LARGEST_SEED
from surveys.learn.pages import lab_pages
from surveys.lessons import services
from surveys.lessons.ready import READY
from surveys.lessons.selectors import lesson_of
from surveys.models import Lesson, LessonFinding
from surveys.models.lesson import LARGEST_FOUND
from tests.factories import make_draft, make_open, one_of, rewrite, yes_no
from tests.lessons.lesson import COIN, QUESTION, draws_of, given, taught

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("name", "minutes"), [("trust", 20), ("by-hand", 45), ("learning", 90)])
@pytest.mark.parametrize("questions", [1, 2, 5])
def test_a_ready_lesson_has_its_minutes_with_however_many_questions(name: str, minutes: int, questions: int) -> None:
    assert READY[name].minutes == minutes
    survey = make_open(*(yes_no(f"Number {number}?") for number in range(questions)))
    services.take_ready(survey=survey, name=name)
    lesson = given(survey)
    assert lesson.minutes == minutes
    assert all(step.title and step.minutes > 0 for step in lesson.steps)
    asked = [step.question.number for step in lesson.steps if step.question]
    assert asked == list(range(1, len(asked) + 1))
    assert 1 <= len(asked) <= questions
    # What its file says of a page's controls can be.
    for step in lesson.steps:
        assert {name: str(step.values[name]) for name in step.controls} == step.controls


def test_without_questions_a_ready_lesson_has_its_pages() -> None:
    survey = make_draft()
    rewrite(survey, 0, questions=())
    services.take_ready(survey=survey, name="trust")
    assert [bool(step.page) for step in given(survey).steps] == [True] * 4


def test_steps_are_added_moved_set_and_removed() -> None:
    survey = make_open(yes_no(), one_of())
    services.add_page(survey=survey, slug="coin")
    services.add_question(survey=survey, number=2, minutes=7)
    services.add_page(survey=survey, slug="audit", minutes=3)
    titles = [step.title for step in given(survey).steps]
    services.move_step(survey=survey, number=3, by=-1)
    services.move_step(survey=survey, number=1, by=-1)
    assert [step.title for step in given(survey).steps] == [titles[0], titles[2], titles[1]]
    services.set_step(survey=survey, number=1, minutes=9, controls={"people": "10"})
    services.remove_step(survey=survey, number=2)
    lesson = given(survey)
    assert [(step.title, step.minutes) for step in lesson.steps] == [(titles[0], 9), (titles[1], 7)]
    assert lesson.steps[0].values["people"] == "10"
    assert lesson.minutes == 16


def test_what_is_shown_stays_shown_wherever_it_moves_and_what_is_removed_is_not() -> None:
    survey = taught(at=COIN)
    services.move_step(survey=survey, number=COIN, by=1)
    assert given(survey).at == COIN + 1
    services.set_step(survey=survey, number=COIN + 1, minutes=2)
    assert given(survey).at == COIN + 1
    services.remove_step(survey=survey, number=1)
    assert given(survey).at == COIN
    services.remove_step(survey=survey, number=COIN)
    assert (given(survey).at, given(survey).stored.at) == (0, 0)


def test_what_is_not_there_is_refused_and_named() -> None:
    survey = make_open()
    for refused, field in (
        (lambda: services.take_ready(survey=survey, name="none"), "name"),
        (lambda: services.add_page(survey=survey, slug="none"), "page"),
        (lambda: services.add_question(survey=survey, number=2), "question"),
        (lambda: services.add_question(survey=survey, number=0), "question"),
    ):
        with pytest.raises(ValidationError) as error:
            refused()
        assert list(error.value.message_dict) == [field]
    services.add_page(survey=survey, slug="coin")
    for number in (0, 2):
        with pytest.raises(NotAllowedNow):
            services.remove_step(survey=survey, number=number)
    for at in (-1, 2):
        with pytest.raises(NotAllowedNow):
            services.show_step(survey=survey, at=at)
    with pytest.raises(NotAllowedNow):
        services.show_step(survey=make_open(), at=0)


def test_a_lesson_has_an_end() -> None:
    survey = make_open()
    services.add_page(survey=survey, slug="coin")
    stored = given(survey).stored
    stored.steps = stored.steps * services.MOST_STEPS
    stored.save()
    with pytest.raises(ValidationError, match="40"):
        services.add_page(survey=survey, slug="coin")


def test_a_question_that_a_draft_has_lost_is_a_step_without_one() -> None:
    survey = make_draft(yes_no(), yes_no("Another?"))
    services.add_question(survey=survey, number=2)
    rewrite(survey, 0, questions=survey.questions[:1])
    (step,) = given(survey).steps
    assert (step.question, step.page, step.title) == (None, None, "")


def test_a_page_that_the_lab_has_lost_is_a_step_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = taught()
    pages = {slug: page for slug, page in lab_pages().items() if slug != "coin"}
    monkeypatch.setattr("surveys.lessons.selectors.lab_pages", lambda: pages)
    step = given(survey).steps[COIN - 1]
    assert (step.page, step.values, step.takes_findings) == (None, {}, False)


def test_a_lesson_may_change_in_every_state_and_is_no_part_of_the_definition() -> None:
    survey = taught()
    before = survey.content_hash
    services.add_page(survey=close_survey(survey=survey), slug="audit")
    survey.refresh_from_db()
    assert survey.content_hash == before
    assert len(given(survey).steps) == 6


# What phones found.


def test_a_draw_is_kept_once_and_nothing_beside_it() -> None:
    survey = taught()
    for seed in (9, 3, 9):
        assert services.keep_finding(lesson=given(survey).stored, step=COIN, seed=seed)
    assert draws_of(survey) == [(COIN, 3), (COIN, 9)]
    # Not even an order: the whole row is its key.
    assert [field.name for field in LessonFinding._meta.get_fields()] == ["pk", "lesson", "step", "seed"]
    assert LessonFinding._meta.pk.columns == ("lesson_id", "step", "seed")


@pytest.mark.parametrize("seed", [0, -1, LARGEST_SEED + 1])
def test_what_is_no_draw_is_refused_by_the_service_and_by_the_database(seed: int) -> None:
    assert LARGEST_FOUND == LARGEST_SEED
    lesson = given(taught()).stored
    with pytest.raises(ValueError, match="seed must"):
        services.keep_finding(lesson=lesson, step=COIN, seed=seed)
    with pytest.raises(IntegrityError), transaction.atomic():
        LessonFinding.objects.create(lesson=lesson, step=COIN, seed=seed)


def test_a_wall_is_full_at_some_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MOST_FOUND", 2)
    survey = taught()
    kept = [services.keep_finding(lesson=given(survey).stored, step=COIN, seed=seed) for seed in (1, 2, 3)]
    assert kept == [True, True, False]
    assert services.keep_finding(lesson=given(survey).stored, step=5, seed=3)


def test_every_change_of_the_steps_forgets_the_draws_of_phones_and_moving_on_does_not() -> None:
    survey = taught()
    changes = (
        lambda: services.add_page(survey=survey, slug="coin"),
        lambda: services.move_step(survey=survey, number=1, by=1),
        lambda: services.set_step(survey=survey, number=1, minutes=2),
        lambda: services.remove_step(survey=survey, number=6),
        lambda: services.take_ready(survey=survey, name="trust"),
        lambda: services.forget_findings(survey=survey),
    )
    for change in changes:
        services.keep_finding(lesson=given(survey).stored, step=COIN, seed=4)
        services.show_step(survey=survey, at=QUESTION)
        assert draws_of(survey) == [(COIN, 4)]
        change()
        assert draws_of(survey) == []
    for step in (COIN, 5):
        services.keep_finding(lesson=given(survey).stored, step=step, seed=4)
    services.forget_findings(survey=survey, step=5)
    assert draws_of(survey) == [(COIN, 4)]


# A lesson goes with its survey.


def test_a_purge_destroys_the_lesson_and_says_so_before() -> None:
    survey, other = taught(), taught()
    for one in (survey, other):
        services.keep_finding(lesson=given(one).stored, step=COIN, seed=4)
    assert losses_of(survey).lesson
    purge_survey(survey=close_survey(survey=survey))
    assert lesson_of(survey) is None
    assert list(LessonFinding.objects.values_list("lesson_id", flat=True)) == [other.pk]
    assert not losses_of(survey).lesson


def test_a_draft_is_deleted_with_its_lesson() -> None:
    survey = make_draft()
    services.take_ready(survey=survey, name="trust")
    delete_draft(survey=survey)
    assert not Lesson.objects.exists()
