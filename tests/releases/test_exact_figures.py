"""Whether figures without a release's noise reached people with the code: said before the charge, and on the label."""

import json

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import DatabaseError, transaction
from django.test import Client
from django.urls import reverse

from surveys.course.services import hide_result, show_result
from surveys.models import ExactFigures, Membership, Release, Role, Survey
from surveys.releases.files import document_of
from surveys.releases.selectors.reading import reading_of
from surveys.releases.words.advice import exact_figures_warning
from surveys.releases.words.release import exact_figures_words
from tests.pages import owner_of, signed_in
from tests.releases.setting import published_release, ready_survey
from tests.releases.steps import look, text_of

pytestmark = pytest.mark.django_db

WARNED = exact_figures_warning(Survey(exact_figures=ExactFigures.SHOWN))
SAW, SAW_SINCE = (exact_figures_words(known) for known in ("shown_before", "shown_since"))


def _present(survey: Survey) -> Survey:
    owner, address = owner_of(survey), reverse("survey-present", args=[survey.code])
    assert owner.post(address).status_code == 302
    assert b'data-step="estimate"' in owner.get(address).content
    survey.refresh_from_db()
    return survey


def _shown_on_phones_and_hidden(survey: Survey) -> Survey:
    show_result(survey=survey)
    return hide_result(survey=survey)


@pytest.mark.parametrize("shown", [_shown_on_phones_and_hidden, _present], ids=["receipt", "projector"])
def test_what_was_shown_is_stated_before_the_charge_and_on_label_and_json_ever_after(
    staff: Client, capsys: pytest.CaptureFixture[str], shown: object
) -> None:
    survey = ready_survey()
    before = published_release(survey)
    assert WARNED not in text_of(look(staff, survey))
    assert not any(words in text_of(staff.get(f"/r/{before.pk}/")) for words in (SAW, SAW_SINCE))
    assert document_of(reading_of(before))["exact_figures"] == "not_shown"
    survey = shown(survey)  # type: ignore[operator]
    assert survey.exact_figures == ExactFigures.SHOWN
    assert WARNED in text_of(look(staff, survey, epsilon="0.1"))
    asked = ["--mechanism=laplace_histogram", "--question=1", "--epsilon=0.1", "--reason=For a test.", "--dry-run"]
    asked.append(f"--user={before.created_by.get_username()}")
    call_command("release", survey.code, *asked)
    assert WARNED in capsys.readouterr().out
    call_command("release", survey.code, *asked, "--json")
    assert json.loads(capsys.readouterr().out)["exact_figures"] == "shown"
    after = published_release(survey)
    for release, words, known in ((before, SAW_SINCE, "shown_since"), (after, SAW, "shown_before")):
        assert words in text_of(staff.get(f"/r/{release.pk}/"))
        assert words in text_of(staff.get(f"/admin/surveys/release/{release.pk}/change/"))
        assert json.loads(staff.get(f"/r/{release.pk}.json").content)["exact_figures"] == known


@pytest.mark.parametrize("page", ["", "live/", "live/?figures"])
def test_the_projector_has_no_figure_before_that_is_recorded(page: str) -> None:
    survey = ready_survey()
    seen = owner_of(survey).get(reverse("survey-present", args=[survey.code]) + page).content.decode()
    assert 'name="figures"' in seen
    assert "data-step" not in seen
    assert Survey.objects.get().exact_figures == ExactFigures.NOT_SHOWN


def test_who_may_not_read_figures_can_not_show_them() -> None:
    survey = ready_survey()
    editor = signed_in("editor")
    Membership.objects.create(survey=survey, user=User.objects.get(username="editor"), role=Role.EDITOR)
    assert editor.post(reverse("survey-present", args=[survey.code])).status_code == 403
    assert Survey.objects.get().exact_figures == ExactFigures.NOT_SHOWN


def test_the_database_takes_neither_back() -> None:
    survey = _present(ready_survey())
    release = published_release(survey)
    for rows in (Survey.objects.filter(pk=survey.pk), Release.objects.filter(pk=release.pk)):
        with pytest.raises(DatabaseError), transaction.atomic():
            rows.update(exact_figures=ExactFigures.NOT_SHOWN)
