"""Rehearsing a survey with random arms: simulated people are dealt like real ones, and results stand beside truths."""

import pytest
from django.urls import reverse

from surveys.common.selectors import definition_of
from surveys.models import Survey
from surveys.questionnaire.arms import arms_of
from surveys.rehearsing.selectors import comparison_of, same_questions
from tests.answering.test_plain_arm import TWO, questions
from tests.factories import make_draft, rewrite
from tests.pages import owner_of, words_of
from tests.rehearsing.rehearsals import finished, rehearse

pytestmark = pytest.mark.django_db


def test_an_arm_without_chance_is_rehearsed_with_the_others() -> None:
    draft = make_draft(*questions(), arms=TWO)
    rehearsal = finished(rehearse(draft, respondents=300))
    compared = comparison_of(rehearsal)
    coins, plainly, both = (result.n for result, _figures in compared.questions)
    assert (coins + plainly, both) == (300, 300)
    # Binomial of 300 and 2/3: beyond 5.1 standard deviations of 8.2 less than once in a million.
    assert abs(coins - 200) < 42
    page = owner_of(draft).get(reverse("survey-rehearse", args=[draft.code]))
    assert page.status_code == 200
    assert questions()[0].text in words_of(page.content.decode())


def test_other_weights_make_it_a_rehearsal_of_something_else() -> None:
    draft = make_draft(*questions(), arms=TWO)
    rehearsal = rehearse(draft)
    assert same_questions(rehearsal, definition_of(draft))
    rewrite(draft, 0, arms=arms_of([TWO[0] | {"weight": 5}, TWO[1]]))
    assert not same_questions(rehearsal, definition_of(Survey.objects.get(pk=draft.pk)))
