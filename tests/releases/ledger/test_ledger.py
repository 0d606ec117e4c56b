"""What all releases of a survey come to: as charged, by tighter composition, and for the truth."""

import math
from fractions import Fraction

import pytest
from django.utils.formats import date_format
from hypothesis import given
from hypothesis import strategies as st

from surveys.common.selectors import definition_of
from surveys.models import Budget, Mechanism, Survey
from surveys.privacy.accounting.composition import compose, compose_advanced
from surveys.privacy.accounting.concentrated import concentrated_epsilon
from surveys.privacy.accounting.local_central import local_then_central
from surveys.privacy.accounting.optimal import optimal_epsilon
from surveys.privacy.adjacency import Counted, NeighbouringRelation
from surveys.privacy.designs import named
from surveys.privacy.loss import ConcentratedLoss, PrivacyLoss
from surveys.privacy.mechanisms.histogram import GaussianHistogram, LaplaceHistogram
from surveys.privacy.mechanisms.most_common import MostCommon
from surveys.privacy.mechanisms.price import BestPrice
from surveys.privacy.mechanisms.quantile import Quantile, QuantileScore
from surveys.privacy.mechanisms.top import TopAnswers
from surveys.releases.ledger.charts import budget_chart
from surveys.releases.ledger.selectors import (
    Composition,
    PartCharge,
    Total,
    charge_of,
    ledger_of,
    slack_for,
    totals_of,
    truth_loss,
)
from tests.factories import make_admin, make_open, numbers_of, one_of, triangular, yes_no
from tests.releases.setting import make_release, ready_survey

REPLACE = NeighbouringRelation.REPLACE_ONE
MILLIONTH = Fraction(1, 10**6)


def _pure(epsilon: Fraction, delta: Fraction = Fraction(0)) -> PartCharge:
    return PartCharge(PrivacyLoss(epsilon, delta), ConcentratedLoss(epsilon**2 / 2), delta)


def _by(totals: tuple[Total, ...]) -> dict[str, float]:
    return {total.by: float(total.loss.epsilon) for total in totals}


def test_equal_pure_charges_come_to_what_the_accounting_says() -> None:
    each = Fraction(1, 10)
    totals = _by(totals_of([_pure(each)] * 100, MILLIONTH))
    assert totals[Composition.BASIC] == 10
    advanced = compose_advanced(PrivacyLoss(each), 100, MILLIONTH).epsilon
    assert totals[Composition.ADVANCED] == pytest.approx(float(advanced), rel=1e-12)
    assert totals[Composition.OPTIMAL] == pytest.approx(optimal_epsilon(each, 100, MILLIONTH), rel=1e-12)
    rho = ConcentratedLoss(Fraction(1, 2))
    assert totals[Composition.CONCENTRATED] == concentrated_epsilon(rho, MILLIONTH)


def test_a_hundred_tenths_by_hand() -> None:
    """√(2·100·ln 10⁶)/10 + 100·0.1·tanh(0.05) = 5.2565 + 0.4996."""
    totals = _by(totals_of([_pure(Fraction(1, 10))] * 100, MILLIONTH))
    assert totals[Composition.ADVANCED] == pytest.approx(5.7561, abs=1e-4)
    assert totals[Composition.OPTIMAL] < totals[Composition.CONCENTRATED] < totals[Composition.ADVANCED]


def test_gaussian_noise_adds_its_own_rho_and_pays_for_the_conversion_with_its_delta() -> None:
    mechanism = GaussianHistogram(
        epsilon=Fraction(1, 2), delta=MILLIONTH, relation=REPLACE, counted=Counted.CODES, length=3
    )
    cost = charge_of(mechanism, mechanism.loss)
    rho = 2 / (2 * mechanism.noise.variance_parameter)
    assert (cost.concentrated.rho, cost.beside) == (rho, 0)
    totals = totals_of([cost] * 20, MILLIONTH)
    by_composition = {total.by: total for total in totals}
    assert by_composition[Composition.CONCENTRATED].loss.delta == 21 * MILLIONTH
    assert float(by_composition[Composition.CONCENTRATED].loss.epsilon) == concentrated_epsilon(
        ConcentratedLoss(20 * rho), 21 * MILLIONTH
    )
    assert by_composition[Composition.CONCENTRATED].loss.epsilon < by_composition[Composition.OPTIMAL].loss.epsilon < 10


def test_what_has_a_delta_and_no_rho_of_its_own_keeps_its_delta_beside() -> None:
    laplace = LaplaceHistogram(epsilon=Fraction(1, 2), relation=REPLACE, counted=Counted.CODES, length=3)
    assert charge_of(laplace, PrivacyLoss(Fraction(1, 2), MILLIONTH)) == _pure(Fraction(1, 2), MILLIONTH)
    [*_rest, concentrated] = totals_of([_pure(Fraction(1, 10), MILLIONTH)] * 100, MILLIONTH)
    assert concentrated.loss.delta == 101 * MILLIONTH
    assert float(concentrated.loss.epsilon) == concentrated_epsilon(ConcentratedLoss(Fraction(1, 2)), MILLIONTH)


def test_a_mechanism_that_knows_a_smaller_rho_is_believed() -> None:
    reports = named("k_ary", parameters={"truth": [1, 2]}, k=4)
    chosen = {"epsilon": Fraction(1, 2), "relation": REPLACE, "design": reports}
    for mechanism in (
        MostCommon(**chosen),
        Quantile(**chosen, share=Fraction(1, 2), score=QuantileScore.DISTANCE),
        BestPrice(**chosen, prices=(Fraction(0), Fraction(1), Fraction(2), Fraction(5))),
    ):
        assert charge_of(mechanism, mechanism.loss) == PartCharge(mechanism.loss, ConcentratedLoss(Fraction(1, 32)), 0)
    assert charge_of(TopAnswers(**chosen, s=2), PrivacyLoss(Fraction(1, 2))).concentrated.rho == Fraction(1, 36)


@given(
    st.lists(
        st.tuples(st.integers(1, 3_000_000), st.sampled_from([0, 0, 1, 10**6])),
        max_size=8,
    ),
    st.sampled_from([30, 1000, 10**7]),
)
def test_no_total_is_above_the_charges_and_each_says_its_delta(charges: list[tuple[int, int]], n: int) -> None:
    costs = [_pure(Fraction(micro, 10**6), Fraction(pico, 10**12)) for micro, pico in charges]
    slack = slack_for(n)
    basic, *tighter = totals_of(costs, slack)
    assert basic.loss == PrivacyLoss(sum(cost.loss.epsilon for cost in costs), sum(cost.loss.delta for cost in costs))
    assert [total.by for total in tighter] == [Composition.ADVANCED, Composition.OPTIMAL, Composition.CONCENTRATED]
    for total in tighter:
        assert total.loss.epsilon <= basic.loss.epsilon
        assert (total.slack, total.loss.delta - total.slack) == (slack, basic.loss.delta)
    optimal = tighter[1].loss.epsilon
    assert all(float(optimal) <= float(total.loss.epsilon) * (1 + 1e-12) for total in tighter[:2])


@pytest.mark.parametrize(
    ("n", "power"), [(0, 6), (1, 6), (30, 6), (10_000, 6), (10_001, 7), (100_000, 7), (1_000_000, 8), (1_000_001, 9)]
)
def test_delta_beyond_the_charges_is_at_most_a_hundredth_of_one_persons_share(n: int, power: int) -> None:
    assert slack_for(n) == Fraction(1, 10**power)
    assert slack_for(n) * 100 * max(n, 1) <= 1


@pytest.mark.django_db
class TestTruthLoss:
    @pytest.mark.parametrize(("central", "truth"), [("1/2", 0.2462), ("1", 0.4706), ("2", 0.8020)])
    def test_fair_coins_are_the_figures_of_the_theory(self, central: str, truth: float) -> None:
        question = definition_of(make_open(yes_no())).questions[0]
        loss = truth_loss(question.epsilon, PrivacyLoss(Fraction(central)))
        assert loss.local_epsilon == pytest.approx(math.log(3))
        assert loss.epsilon == pytest.approx(truth, abs=5e-5)

    def test_releases_are_composed_first_and_never_tell_more_than_the_reports(self) -> None:
        question = definition_of(make_open(yes_no())).questions[0]
        loss = truth_loss(question.epsilon, compose([PrivacyLoss(Fraction(1, 2), MILLIONTH)] * 4))
        assert loss.central == PrivacyLoss(Fraction(2), 4 * MILLIONTH)
        assert loss.epsilon == pytest.approx(0.8020, abs=5e-5)
        # p − e^f(1 − p) with p = 3/4.
        assert loss.delta == pytest.approx((0.75 - math.exp(loss.epsilon) / 4) * 4e-6, rel=1e-9)
        assert truth_loss(question.epsilon, PrivacyLoss(Fraction(10**6))).epsilon <= question.epsilon

    def test_where_a_report_proves_an_answer_only_the_releases_protect(self) -> None:
        definition = definition_of(make_open(triangular()))
        loss = truth_loss(definition.epsilon_of_truths, PrivacyLoss(Fraction(1, 2), MILLIONTH))
        assert (loss.report_proves, loss.epsilon, loss.delta) == (True, 0.5, pytest.approx(1e-6))


@pytest.fixture
def survey(db: None) -> Survey:
    return ready_survey({"00": 60, "12": 60}, yes_no(), one_of(), epsilon=3, title="Exams")


def test_a_new_budget_has_one_line_and_costs_nothing(survey: Survey) -> None:
    ledger = ledger_of(survey)
    assert (len(ledger.lines), ledger.parts, ledger.truths) == (1, (), ())
    assert (ledger.total, ledger.spent, ledger.remaining) == (PrivacyLoss(3), PrivacyLoss(0), PrivacyLoss(3))
    assert {total.loss.epsilon for total in ledger.totals} == {0}
    assert ledger.all_truths.epsilon == 0


def test_a_survey_without_a_budget_has_no_ledger(db: None) -> None:
    with pytest.raises(Budget.DoesNotExist):
        ledger_of(make_open())


def test_every_line_says_who_when_why_how_much_and_what_is_spent_then(survey: Survey) -> None:
    user = make_admin("judith")
    release = make_release(survey, user=user, reason="The board asked.")
    line = ledger_of(survey).lines[-1]
    assert (line.created_by, line.reason, line.release) == (user, "The board asked.", release)
    assert (line.epsilon, line.delta, line.spent_epsilon, line.created_at) == (
        Fraction(1, 2),
        0,
        Fraction(1, 2),
        release.created_at,
    )


def test_parts_of_several_releases_are_composed_by_question_and_in_all(survey: Survey) -> None:
    both = numbers_of(survey)
    make_release(survey, questions=both, epsilon=Fraction(1))
    make_release(survey, questions=both[1:], mechanism=Mechanism.MOST_COMMON, epsilon=Fraction(3, 2))
    ledger = ledger_of(survey)
    assert [(question.number, truth.central.epsilon) for question, truth in ledger.truths] == [
        (1, Fraction(1, 2)),
        (2, Fraction(2)),
    ]
    assert ledger.truths[0][1].epsilon == pytest.approx(0.2462, abs=5e-5)
    assert ledger.all_truths.epsilon == local_then_central(definition_of(survey).epsilon, Fraction(5, 2))
    assert ledger.all_truths.epsilon >= max(truth.epsilon for _question, truth in ledger.truths)
    assert ledger.totals[0].loss == ledger.spent == PrivacyLoss(Fraction(5, 2))
    assert ledger.remaining == PrivacyLoss(Fraction(1, 2))


def test_for_a_group_of_people_epsilon_is_multiplied_by_its_size(survey: Survey) -> None:
    make_release(survey)
    assert [(size, loss.epsilon) for size, loss in ledger_of(survey).groups] == [
        (2, 1),
        (5, Fraction(5, 2)),
        (10, 5),
    ]


def test_the_budget_over_time_is_one_point_a_line(survey: Survey) -> None:
    release = make_release(survey)
    chart = budget_chart(ledger_of(survey))
    assert [row[0] for row in chart.table.rows] == ["1", "2"]
    assert [row[2:] for row in chart.table.rows] == [("3", "0"), ("3", "0.5")]
    assert chart.table.rows[-1][1] == date_format(release.created_at.date(), "SHORT_DATE_FORMAT")


def test_gaussian_releases_are_read_with_the_noise_that_they_had(db: None) -> None:
    survey = ready_survey({"0": 60, "2": 60}, one_of(), epsilon=3, delta=Fraction(1, 1000))
    for _ in range(3):
        make_release(survey, mechanism=Mechanism.GAUSSIAN_HISTOGRAM, epsilon=Fraction(1, 2), delta=MILLIONTH)
    ledger = ledger_of(survey)
    assert [cost.beside for _question, cost in ledger.parts] == [0, 0, 0]
    assert ledger.totals[0].loss == PrivacyLoss(Fraction(3, 2), 3 * MILLIONTH)
    assert ledger.totals[-1].loss.epsilon < Fraction(3, 2)
