"""Two people edit one draft, or one person twice: nobody's work is overwritten in silence."""

from functools import partial

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from surveys.course.services import open_survey
from surveys.drafts.services import surveys as services
from surveys.drafts.services.surveys import SavedMeanwhile, create_once, save_draft
from surveys.editor.forms.differences import Side
from surveys.models import Survey
from tests.at_once import at_once, tally
from tests.editor.form import NEW, closed, posted
from tests.factories import make_draft, make_user, one_of, yes_no
from tests.pages import owner_of, signed_in, text_of


@pytest.fixture
def survey(db: None) -> Survey:
    return make_draft(yes_no("First?"), one_of(text="Second?"), title="Before")


def _address(survey: Survey) -> str:
    return reverse("survey-edit", args=[survey.code])


def _save_elsewhere(survey: Survey, by: User | None = None, title: str = "Theirs") -> None:
    questions = [yes_no("First?"), one_of(text="Second, by them?")]
    save_draft(survey=survey, questions=questions, by=by, revision=survey.revision, title=title)
    survey.refresh_from_db()


def test_saving_over_what_somebody_saved_meanwhile_stores_nothing_and_shows_both(survey: Survey) -> None:
    _save_elsewhere(survey, by=make_user("ada"))
    mine = posted(closed(text="First, by me?"), closed(text="Second?"), title="Before", revision="1")
    response = owner_of(survey).post(_address(survey), mine)
    survey.refresh_from_db()
    assert (response.status_code, survey.title, survey.revision) == (409, "Theirs", 2)
    page = text_of(response)
    assert "<title>Error: " in page
    conflict = response.context["conflict"]
    assert (conflict.by.username, conflict.revision, conflict.by_reader) == ("ada", 2, False)
    changes = {(change.place, change.before, change.after, change.side) for change in conflict.differences}
    assert {
        ("title", "Theirs", "Before", Side.THEIRS),
        ("questions[0].text", "First?", "First, by me?", Side.MINE),
        ("questions[1].text", "Second, by them?", "Second?", Side.THEIRS),
    } <= changes
    # All that was typed is still in the form, which still says which revision it began with.
    assert response.context["editor"].rows[0].typed["text"] == "First, by me?"
    assert 'name="revision" value="1"' in page


def test_mine_is_saved_over_theirs_when_i_say_so_and_theirs_stays_in_the_history(survey: Survey) -> None:
    _save_elsewhere(survey)
    data = posted(closed(text="Mine?"), title="Mine", revision="1", action="over-2")
    assert owner_of(survey).post(_address(survey), data).status_code == 302
    survey.refresh_from_db()
    assert (survey.title, survey.revision) == ("Mine", 3)
    assert [version.document["survey"]["title"] for version in survey.saved_versions.all()] == [
        "Mine",
        "Theirs",
        "Before",
    ]


def test_a_third_save_between_seeing_the_conflict_and_choosing_is_a_conflict_again(survey: Survey) -> None:
    _save_elsewhere(survey)
    _save_elsewhere(survey, title="Theirs again")
    data = posted(closed(text="Mine?"), title="Mine", revision="1", action="over-2")
    response = owner_of(survey).post(_address(survey), data)
    survey.refresh_from_db()
    assert (response.status_code, survey.title) == (409, "Theirs again")
    assert 'value="over-3"' in text_of(response)


def test_taking_theirs_shows_the_stored_draft(survey: Survey) -> None:
    _save_elsewhere(survey)
    data = posted(closed(text="Mine?"), revision="1", action="theirs")
    response = owner_of(survey).post(_address(survey), data, follow=True)
    assert response.context["editor"].survey["title"].value() == "Theirs"
    assert [row.typed["text"] for row in response.context["editor"].rows] == ["First?", "Second, by them?"]


def test_saving_what_stands_there_already_is_no_conflict_and_no_new_version(survey: Survey) -> None:
    _save_elsewhere(survey)
    questions = [yes_no("First?"), one_of(text="Second, by them?")]
    save_draft(survey=survey, questions=questions, revision=1, title="Theirs")
    survey.refresh_from_db()
    assert (survey.revision, survey.saved_versions.count()) == (2, 2)


def test_a_survey_opened_while_it_was_edited_is_neither_changed_nor_what_was_typed_lost(
    survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is opened after the page was asked for and before the draft is written."""

    def late(**fields: object) -> Survey:
        open_survey(survey=survey)
        return save_draft(**fields)  # type: ignore[arg-type]

    monkeypatch.setattr("surveys.editor.views.save_draft", late)
    response = owner_of(survey).post(_address(survey), posted(closed(text="Typed?"), title="Typed"))
    survey.refresh_from_db()
    assert (response.status_code, survey.title, survey.state) == (409, "Before", "open")
    assert 'value="copy"' in text_of(response)
    assert response.context["editor"].rows[0].typed["text"] == "Typed?"


@pytest.mark.usefixtures("transactional_db")
def test_of_two_saves_at_the_same_moment_exactly_one_wins() -> None:
    survey = make_draft(title="Before")
    for round_ in range(1, 6):
        saves = [
            partial(save_draft, survey=survey, questions=[yes_no(f"{name}{round_}?")], revision=round_, title=name)
            for name in (f"one {round_}", f"two {round_}")
        ]
        came_to = tally(at_once(*(lambda save=save: save().title for save in saves)))
        survey.refresh_from_db()
        assert came_to == {survey.title: 1, SavedMeanwhile.__name__: 1}
        assert (survey.revision, survey.questions[0].text) == (round_ + 1, f"{survey.title}{round_}?")
    assert survey.saved_versions.count() == 6


@pytest.mark.usefixtures("transactional_db")
def test_a_form_sent_twice_at_the_same_moment_makes_one_survey() -> None:
    owner = make_user()
    for key in ("first", "second", "third"):
        codes = at_once(*[lambda key=key: create_once(owner=owner, key=key, title="T", questions=[yes_no()]).code] * 3)
        assert len(set(codes)) == 1
    assert Survey.objects.count() == 3
    assert {survey.revision for survey in Survey.objects.all()} == {1}


@pytest.mark.django_db
def test_a_form_sent_twice_leads_to_the_same_survey_and_what_was_changed_between_is_saved() -> None:
    teacher = signed_in()
    key = teacher.get(NEW).context["editor"].key
    first = teacher.post(NEW, posted(closed(text="First?"), key=key))
    again = teacher.post(NEW, posted(closed(text="First?"), key=key))
    changed = teacher.post(NEW, posted(closed(text="Changed?"), key=key))
    assert first["Location"] == again["Location"] == changed["Location"]
    survey = Survey.objects.get()
    assert (survey.questions[0].text, survey.revision) == ("Changed?", 2)
    # The page that the browser's Back shows knows nothing of revision 2: that is a conflict, with the stored survey.
    late = teacher.post(NEW, posted(closed(text="Changed otherwise?"), key=key))
    assert late.status_code == 409
    assert f'action="{_address(survey)}"' in text_of(late)


@pytest.mark.django_db
def test_each_new_form_makes_a_survey_of_its_own_and_nobody_shares_a_key() -> None:
    teacher, other = signed_in(), signed_in()
    keys = {teacher.get(NEW).context["editor"].key for _ in range(3)}
    assert len(keys) == 3
    for client in (teacher, other):
        client.post(NEW, posted(closed(), key=min(keys)))
    assert Survey.objects.values("owner", "code").distinct().count() == 2


@pytest.mark.django_db
def test_a_code_that_somebody_elses_survey_has_by_chance_is_not_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = make_draft(code="EXAMS")
    monkeypatch.setattr(services, "_code_from", lambda _owner, _key: taken.code)
    made = create_once(owner=make_user(), key="x", title="Mine", questions=[])
    taken.refresh_from_db()
    assert (made.code != taken.code, taken.title) == (True, "Exams")


@pytest.mark.django_db
def test_strangers_have_no_part_in_it(survey: Survey) -> None:
    assert Client().post(_address(survey), posted(closed())).status_code == 302
    assert signed_in().post(_address(survey), posted(closed(), action="over-1")).status_code == 404
    survey.refresh_from_db()
    assert survey.title == "Before"
