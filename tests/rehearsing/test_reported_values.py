"""People made up for scrambled and for unrelated numbers, whose mean is found again."""

from collections.abc import Callable

import pytest

from surveys.common.selectors import definition_of
from surveys.drafts.services.surveys import QuestionDraft
from surveys.models.simulated import people_of
from surveys.rehearsing.selectors import comparison_of
from tests.factories import make_draft, scrambled_number, unrelated_number
from tests.rehearsing.rehearsals import finished, rehearse

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("make", "values"), [(scrambled_number, 5), (unrelated_number, 10)])
def test_a_rehearsal_compares_the_mean_with_the_truth(make: Callable[[], QuestionDraft], values: int) -> None:
    rehearsal = finished(rehearse(make_draft(make())))
    (question,) = comparison_of(rehearsal).questions
    (mean,) = question.means
    asked = definition_of(rehearsal.survey).questions[0]
    people = people_of(asked, rehearsal.true_shares[0], 40).answers[0]
    assert asked.first.grid is not None
    assert len(people) == values
    total = sum(float(value) * number for value, number in zip(asked.first.grid.truths, people, strict=True))
    assert mean.truth == pytest.approx(total / sum(people))
    assert question.options == ()
