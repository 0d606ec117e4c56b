"""Saved versions: every save keeps what the draft was, says what changed, and leads back."""

import pytest
from django.urls import reverse

from surveys.course.services import open_survey
from surveys.drafts.selectors import document_of
from surveys.drafts.services import surveys
from surveys.drafts.services.surveys import save_draft
from surveys.editor.forms.differences import differences
from surveys.editor.forms.question import QuestionForm
from surveys.models import SavedVersion, Survey
from surveys.questionnaire.designs import label_of
from tests.factories import every_kind, make_draft, make_user, one_of, yes_no
from tests.pages import owner_of, page_of, signed_in, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def survey() -> Survey:
    """First one question, then two, then another title."""
    survey = make_draft(yes_no("First?"), title="Before")
    ada = make_user("ada")
    save_draft(survey=survey, questions=[yes_no("First?"), one_of(text="Second?")], by=ada)
    save_draft(survey=survey, questions=[yes_no("First?"), one_of(text="Second?")], by=ada, title="After")
    survey.refresh_from_db()
    return survey


def _restore(survey: Survey, number: int, revision: int | str) -> str:
    """Press the button; returns where that leads."""
    address = reverse("survey-restore", args=[survey.code, number])
    return owner_of(survey).post(address, {"revision": str(revision)}).headers["Location"]


def test_every_save_is_listed_with_who_made_it_and_what_changed(survey: Survey) -> None:
    response = owner_of(survey).get(reverse("survey-versions", args=[survey.code]))
    listed = [
        (version.number, version.saved_by.username, changes and [(change.place, change.before) for change in changes])
        for version, changes in response.context["entries"]
    ]
    first = (1, survey.owner.username, None)
    assert listed == [(3, "ada", [("title", "Before")]), (2, "ada", [("questions[1]", "")]), first]
    parts = text_of(response).split('<li class="section">')[1:]
    assert ['class="badge"' in part for part in parts] == [True, False, False]
    assert [name in part for name, part in zip(("ada", "ada", first[1]), parts, strict=True)] == [True] * 3


def test_a_version_shows_its_questions_and_how_the_survey_of_today_differs(survey: Survey) -> None:
    response = owner_of(survey).get(reverse("survey-version", args=[survey.code, 1]))
    assert [(change.place, change.before, change.after) for change in response.context["differences"]] == [
        ("title", "Before", "After"),
        ("questions[1]", "", "Second?"),
    ]
    page = text_of(response)
    assert "<strong>First?</strong>" in page
    assert str(label_of("forced_response")) in page


def test_restoring_saves_the_old_version_once_more_and_keeps_all_others(survey: Survey) -> None:
    assert _restore(survey, 1, survey.revision) == reverse("survey-detail", args=[survey.code])
    survey.refresh_from_db()
    assert (survey.title, survey.revision, survey.questions[0].text) == ("Before", 4, "First?")
    titles = [version.document["survey"]["title"] for version in survey.saved_versions.all()]
    assert titles == ["Before", "After", "Before", "Before"]


def test_every_kind_of_question_comes_back_as_it_was() -> None:
    survey = make_draft(*every_kind(), time_zone="Europe/Berlin", response_cap=40)
    before = document_of(survey)
    save_draft(survey=survey, questions=[], title="Emptied", response_cap=None)
    _restore(survey, 1, 2)
    assert document_of(Survey.objects.get(pk=survey.pk)) == before


@pytest.mark.parametrize("revision", [2, 0, -1, 10**30, "", "three", "²"])
def test_nothing_is_restored_over_what_somebody_saved_meanwhile(survey: Survey, revision: int | str) -> None:
    assert _restore(survey, 1, revision) == reverse("survey-version", args=[survey.code, 1])
    survey.refresh_from_db()
    assert (survey.title, survey.revision) == ("After", 3)


def test_an_opened_survey_shows_its_versions_and_restores_none(survey: Survey) -> None:
    open_survey(survey=survey)
    page = page_of("survey-version", survey, number=1)
    address = reverse("survey-restore", args=[survey.code, 1])
    assert address not in page
    assert _restore(survey, 1, survey.revision) != reverse("survey-detail", args=[survey.code])
    survey.refresh_from_db()
    assert survey.title == "After"


def test_a_version_that_could_not_be_asked_any_more_is_named_and_changes_nothing(survey: Survey) -> None:
    version = survey.saved_versions.get(number=1)
    version.document["questions"][0]["design"] = "ouija"
    SavedVersion.objects.filter(pk=version.pk).update(document=version.document)
    client = owner_of(survey)
    client.post(reverse("survey-restore", args=[survey.code, 1]), {"revision": str(survey.revision)})
    assert "ouija" in text_of(client.get(reverse("survey-list")))
    survey.refresh_from_db()
    assert survey.title == "After"


@pytest.mark.parametrize("number", [0, 4, 10**30])
def test_a_version_that_is_none_is_not_found(survey: Survey, number: int) -> None:
    client = owner_of(survey)
    assert client.get(f"/surveys/{survey.code}/versions/{number}/").status_code == 404
    assert client.post(f"/surveys/{survey.code}/versions/{number}/restore/", {"revision": "3"}).status_code == 404


def test_strangers_find_no_version(survey: Survey) -> None:
    client = signed_in()
    for name, args in (("survey-versions", []), ("survey-version", [1]), ("survey-restore", [1])):
        address = reverse(name, args=[survey.code, *args])
        assert client.get(address).status_code == client.post(address).status_code == 404


def test_only_the_last_versions_are_kept(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surveys, "KEPT", 3)
    for title in ("4", "5", "6"):
        save_draft(survey=survey, questions=[], title=title)
    assert list(survey.saved_versions.values_list("number", flat=True)) == [6, 5, 4]
    listed = owner_of(survey).get(reverse("survey-versions", args=[survey.code])).context["entries"]
    assert [changes is None for _version, changes in listed] == [False, False, True]


def test_many_versions_are_listed_page_by_page(survey: Survey) -> None:
    for number in range(20):
        save_draft(survey=survey, questions=[], title=f"Title {number}")
    client, address = owner_of(survey), reverse("survey-versions", args=[survey.code])
    assert [len(client.get(f"{address}?page={page}").context["entries"]) for page in (1, 2)] == [20, 3]
    assert client.get(f"{address}?page=nonsense").status_code == 200


def test_differences_tell_new_removed_changed_and_moved_questions_apart() -> None:
    before = document_of(make_draft(yes_no("a"), yes_no("b"), one_of(text="c"), by_invitation=True))
    after = document_of(
        make_draft(one_of(["Never", "Twice"], text="c"), yes_no("b", leave_out="no"), yes_no("a"), yes_no("d"))
    )
    ways = dict(QuestionForm().fields["leave_out"].choices)  # type: ignore[attr-defined]
    assert [(change.place, change.before, change.after) for change in differences(before, after)] == [
        ("by_invitation", "Yes", "No"),
        ("questions[0].options", "Never\nOnce\nOften", "Never\nTwice"),
        ("questions[1].leave_out", ways["visibly"], ways["no"]),
        ("questions[3]", "", "d"),
        ("questions", "1, 2, 3", "3, 2, 1"),
    ]
    assert [(change.place, change.after) for change in differences(after, before)][-2:] == [
        ("questions[3]", ""),
        ("questions", "3, 2, 1"),
    ]
    assert differences(before, before) == []
