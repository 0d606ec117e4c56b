"""Random order in the editor: two ticks, both folded away."""

import pytest
from django.urls import reverse

from surveys.drafts.selectors import document_of
from surveys.drafts.services.surveys import save_draft
from surveys.editor.forms.differences import differences
from surveys.models import Survey
from tests.editor.form import NEW, closed, posted, question
from tests.factories import make_draft, one_of
from tests.pages import owner_of, signed_in, text_of

pytestmark = pytest.mark.django_db


def test_both_ticks_are_folded_away_and_off() -> None:
    client = signed_in()
    page = text_of(client.get(NEW))
    folds = {'<details class="settings">': 'name="random_order"'}
    folds['<details class="other-designs"'] = 'name="questions-1-random_order"'
    for fold, tick in folds.items():
        assert page.count(tick) == 1
        assert page.index(fold) < page.index(tick)
    client.post(NEW, posted(question()))
    survey = Survey.objects.get()
    assert (survey.questionnaire.random_order, survey.questions[0].random_order) == (False, False)


def test_both_are_saved_shown_again_and_kept_by_a_closed_row() -> None:
    client = signed_in()
    options = {"kind": "one_of", "options": "A\nB", "design": "k_ary", "random_order": "on"}
    client.post(NEW, posted(question(**options), closed(**options), question(text="Ever?"), random_order="on"))
    survey = Survey.objects.get()
    assert survey.questionnaire.random_order
    assert [question.random_order for question in survey.questions] == [True, True, False]
    page = client.get(reverse("survey-edit", args=[survey.code]))
    editor = page.context["editor"]
    assert editor.survey["random_order"].value() is True
    assert [row.typed["random_order"] for row in editor.rows] == ["on", "on", ""]


def test_a_kind_without_options_forgets_the_tick() -> None:
    client = signed_in()
    client.post(NEW, posted(question(random_order="on")))
    assert Survey.objects.get().questions[0].random_order is False


def test_versions_differ_in_it() -> None:
    before, after = make_draft(one_of()), make_draft(one_of(random_order=True), random_order=True)
    changes = differences(document_of(before), document_of(after))
    assert [(change.place, change.before, change.after) for change in changes] == [
        ("random_order", "No", "Yes"),
        ("questions[0].random_order", "No", "Yes"),
    ]


def test_of_two_who_saved_at_once_none_is_told_of_an_order_that_neither_asked_for() -> None:
    survey = make_draft(one_of())
    row = closed(kind="one_of", text="How often?", options="Never\nOnce\nOften", design="k_ary", leave_out="no")
    client, address = owner_of(survey), reverse("survey-edit", args=[survey.code])
    save_draft(survey=survey, questions=[one_of()], revision=survey.revision, title="Theirs")
    page = client.post(address, posted(row, title="Other"))
    assert not [change for change in page.context["conflict"].differences if "random_order" in change.place]
