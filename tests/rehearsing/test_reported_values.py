"""People made up for numbers whose reports stand for values: spread with the mean that was chosen, and found again."""

from collections.abc import Callable
from fractions import Fraction

import pytest

from surveys.common.selectors import definition_of
from surveys.models.simulated import people_of, spread_people
from surveys.questionnaire.question import Question
from surveys.rehearsing.forms import RehearsalForm, first_guess, initial_fields
from surveys.rehearsing.selectors import TrueMean, comparison_of
from tests.factories import make_draft, number_mean, number_window, scrambled_number, unrelated_number
from tests.rehearsing.rehearsals import finished, rehearse

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("cells", [1, 4, 8])
@pytest.mark.parametrize("high", [Fraction(0), Fraction(3, 10), Fraction(1, 2), Fraction(7, 9), Fraction(1)])
def test_people_have_the_mean_that_was_chosen(high: Fraction, cells: int) -> None:
    shares = spread_people(high, cells)
    assert sum(shares) == 1
    assert min(shares) >= 0
    assert sum(share * code for code, share in enumerate(shares)) / cells == high


def test_of_one_bit_they_stand_at_the_two_ends_as_ever() -> None:
    assert spread_people(Fraction(3, 10), 1) == (Fraction(7, 10), Fraction(3, 10))


def test_the_form_takes_a_mean_and_shows_it_again() -> None:
    survey = make_draft(number_window(), number_mean("And last week?"))
    definition = definition_of(survey)
    form = RehearsalForm(definition, first_guess(survey, definition) | {"q1-0": "4.5", "q2-0": "4.5"})
    assert form.is_valid(), form.errors
    window, bit = form.shares
    assert (len(window.answers[0]), len(bit.answers[0])) == (9, 2)
    typed = initial_fields(definition, 40, form.shares)
    assert (typed["q1-0"], typed["q2-0"]) == ("9/2", "9/2")


@pytest.mark.parametrize(("make", "values"), [(number_window, 9), (scrambled_number, 5), (unrelated_number, 10)])
def test_a_rehearsal_compares_the_mean_with_the_truth(make: Callable[[], Question], values: int) -> None:
    rehearsal = finished(rehearse(make_draft(make())))
    ((_result, (mean,)),) = comparison_of(rehearsal).questions
    assert isinstance(mean, TrueMean)
    asked = definition_of(rehearsal.survey).questions[0]
    people = people_of(asked, rehearsal.true_shares[0], 40).answers[0]
    assert asked.first.grid is not None
    assert len(people) == values
    total = sum(float(value) * number for value, number in zip(asked.first.grid.truths, people, strict=True))
    assert mean.truth == pytest.approx(total / sum(people))
