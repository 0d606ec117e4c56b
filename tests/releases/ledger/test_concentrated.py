"""A budget in ρ beside the one in ε: set once, before the first charge, and charged by every release."""

import json
import re
from fractions import Fraction

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.test import Client

from surveys.models import ConcentratedBudget, ConcentratedCharge, LedgerEntry, Mechanism, Release, Survey
from surveys.models.units import PICO
from surveys.privacy.accounting.concentrated import concentrated_epsilon
from surveys.privacy.loss import ConcentratedLoss, PrivacyLoss
from surveys.releases.ledger import services
from surveys.releases.ledger.selectors import ledger_of
from surveys.releases.ledger.services import pico_rho, set_rho
from surveys.releases.refusals import ReleaseRefused, Why
from surveys.releases.services import releasing
from tests.factories import make_admin, numbers_of, one_of
from tests.releases.refused import refusing
from tests.releases.setting import HALF, check, make_release, ready_survey
from tests.releases.steps import look, text_of

pytestmark = pytest.mark.django_db

MILLIONTH = Fraction(1, 10**6)


def _survey(total_rho: Fraction | None = HALF, epsilon: int = 10, delta: Fraction = Fraction(0)) -> Survey:
    survey = ready_survey({"0": 60, "1": 40, "2": 50}, one_of(), epsilon=epsilon, delta=delta)
    if total_rho is not None:
        set_rho(survey=survey, total_rho=total_rho, reason="For many small ones.", user=make_admin())
    return survey


def _spent(survey: Survey) -> Fraction:
    return ConcentratedBudget.objects.get(budget__survey=survey).spent_rho


def test_each_release_is_charged_its_own_rho() -> None:
    survey = _survey(Fraction(3), delta=MILLIONTH)
    make_release(survey, mechanism=Mechanism.MOST_COMMON, epsilon=HALF)
    assert _spent(survey) == Fraction(1, 32)  # ε²/8
    make_release(survey, mechanism=Mechanism.LAPLACE_HISTOGRAM, epsilon=HALF)
    assert _spent(survey) == Fraction(1, 32) + Fraction(1, 8)  # ε²/2
    gaussian = make_release(survey, mechanism=Mechanism.GAUSSIAN_HISTOGRAM, epsilon=HALF, delta=MILLIONTH)
    charged = ledger_of(survey).parts[-1][1].concentrated.rho
    assert 0 <= gaussian.concentrated.pico_rho - charged * PICO < 1  # rounded up to a trillionth
    assert ledger_of(survey).spent == PrivacyLoss(Fraction(3, 2), MILLIONTH)  # as charged without it


def test_what_the_budget_in_rho_cannot_pay_is_refused_though_epsilon_is_left() -> None:
    survey = _survey(Fraction(1, 4))
    fields = {"survey": survey, "questions": numbers_of(survey), "mechanism": "laplace_histogram"}
    for _ in range(2):
        make_release(survey, epsilon=HALF)
    assert (_spent(survey), survey.budget.remaining_epsilon) == (Fraction(1, 4), 10)
    with refusing(
        Why.RHO_TOO_SMALL, match=str(ReleaseRefused(Why.RHO_TOO_SMALL, left=Fraction(0), cost=Fraction(2, 10**6)))
    ) as refused:
        make_release(survey, epsilon=Fraction(2, 1000))
    assert (refused.value.field, refused.value.facts["left"]) == ("epsilon", 0)
    with refusing(Why.RHO_TOO_SMALL):
        check(**fields, epsilon=Fraction(2, 1000))
    assert (_spent(survey), Release.objects.count(), LedgerEntry.objects.count()) == (Fraction(1, 4), 2, 3)


def test_the_last_trillionth_can_be_spent_and_no_more() -> None:
    survey = _survey(Fraction(1, 32) + Fraction(1, PICO))
    make_release(survey, mechanism=Mechanism.MOST_COMMON, epsilon=HALF)
    make_release(survey, mechanism=Mechanism.MOST_COMMON, epsilon=MILLIONTH)  # ε²/8 is less than a trillionth
    with refusing(Why.RHO_TOO_SMALL):
        make_release(survey, mechanism=Mechanism.MOST_COMMON, epsilon=MILLIONTH)


def test_it_is_set_once_and_before_anything_is_charged() -> None:
    survey, late = _survey(), _survey(None)
    make_release(late)
    for each in (survey, late):
        with refusing(Why.RHO_IS_SET) as refused:
            set_rho(survey=each, total_rho=Fraction(1), reason="More.", user=make_admin())
        assert refused.value.field == "total_rho"
    assert ConcentratedBudget.objects.get().total_rho == HALF


def test_without_a_budget_in_epsilon_there_is_none_in_rho() -> None:
    survey = _survey(None)
    other = ready_survey()
    other.pk = 0
    with refusing(Why.NO_BUDGET):
        set_rho(survey=other, total_rho=HALF, reason="x", user=make_admin())
    assert services.may_set_rho(survey.budget)


@pytest.mark.parametrize("rho", [0, -1, 0.5, "much", Fraction(51), Fraction(1, 10**13), float("nan")])
def test_what_is_no_rho_is_refused(rho: object) -> None:
    with refusing(Why.INVALID_RHO):
        pico_rho(rho)


REFUSED = [
    "UPDATE surveys_concentratedbudget SET total_pico_rho = total_pico_rho + 1",
    "UPDATE surveys_concentratedbudget SET spent_pico_rho = 0",
    "UPDATE surveys_concentratedbudget SET spent_pico_rho = spent_pico_rho + 1",
    "UPDATE surveys_concentratedbudget SET reason = 'Another.'",
    "UPDATE surveys_concentratedbudget SET id = id + 1",
    "DELETE FROM surveys_concentratedbudget",
    "UPDATE surveys_concentratedcharge SET pico_rho = 1",
    "DELETE FROM surveys_concentratedcharge",
    # A charge for a release that has its line; a second total, or one after a charge.
    "INSERT INTO surveys_concentratedcharge (release_id, pico_rho)"
    " SELECT release_id, 5 FROM surveys_concentratedcharge",
    "INSERT INTO surveys_concentratedcharge (release_id, pico_rho) VALUES ('{without}', 5)",
    *(
        "INSERT INTO surveys_concentratedbudget (budget_id, total_pico_rho, spent_pico_rho, reason, created_by_id,"  # noqa: S608
        f" created_by_name, created_at) SELECT {budget}, 5, 0, reason, created_by_id, created_by_name, created_at"
        " FROM surveys_concentratedbudget"
        for budget in ("budget_id", "{late}")
    ),
]
REFUSED_ON_SQLITE = [
    "INSERT OR REPLACE INTO surveys_concentratedbudget SELECT * FROM surveys_concentratedbudget",
    "INSERT OR REPLACE INTO surveys_concentratedcharge SELECT * FROM surveys_concentratedcharge",
]
REFUSED_ON_POSTGRESQL = [f"TRUNCATE surveys_concentrated{table} CASCADE" for table in ("budget", "charge")]
SAYS = ("set once", "charged once", "never emptied")


def test_raw_sql_changes_nothing_of_it() -> None:
    survey, late = _survey(), _survey(None)
    make_release(survey)
    names = {"late": late.budget.pk, "without": make_release(late).pk}
    connection.check_constraints()
    models = (ConcentratedBudget, ConcentratedCharge)
    before = [list(model.objects.values()) for model in models]
    statements = REFUSED + (REFUSED_ON_SQLITE if connection.vendor == "sqlite" else REFUSED_ON_POSTGRESQL)
    for statement in statements:
        with pytest.raises(DatabaseError) as refused, transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement.format(**names))
        assert any(say in str(refused.value) for say in SAYS), statement
    assert [list(model.objects.values()) for model in models] == before


def test_no_release_is_charged_in_epsilon_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = _survey()
    monkeypatch.setattr(releasing, "write_charge_in_rho", lambda *_: None)
    with pytest.raises(IntegrityError, match="charged"):
        make_release(survey)
    assert (Release.objects.count(), LedgerEntry.objects.filter(kind="charge").count()) == (0, 0)


def test_a_charge_beyond_it_is_refused_by_the_database_too(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = _survey(Fraction(1, 100))
    monkeypatch.setattr(releasing, "require_rho_left", lambda *_: None)
    with pytest.raises(IntegrityError, match="concentrated_budget_not_overspent"):
        make_release(survey)
    assert (Release.objects.count(), _spent(survey)) == (0, 0)


def test_many_small_releases_tell_less_for_certain_than_their_epsilon_adds_up_to() -> None:
    survey = _survey(Fraction(1, 20))
    for _ in range(3):
        make_release(survey, mechanism=Mechanism.MOST_COMMON, epsilon=Fraction(1, 10))
    ledger = ledger_of(survey)
    assert ledger.certain is not None
    assert float(ledger.certain.epsilon) == concentrated_epsilon(ConcentratedLoss(Fraction(1, 20)), MILLIONTH)
    assert (ledger.certain.delta, ledger.certain.epsilon < 2) == (MILLIONTH, True)
    assert ledger_of(_survey(None)).certain is None
    # Where ε allows less, that is what is certain.
    assert ledger_of(_survey(Fraction(40), epsilon=1)).certain.epsilon == 1


def _sent(**changes: object) -> dict[str, object]:
    return {"total_epsilon": "10", "reason": "Agreed."} | changes


def test_it_is_set_in_the_admin_and_stands_on_the_page_and_in_the_file(staff: Client, admin: User) -> None:
    survey = _survey(None)
    address = f"/admin/surveys/budget/{survey.budget.pk}/change/"
    assert "total_rho" in staff.post(address, _sent(total_rho="-1")).context["adminform"].form.errors
    assert staff.post(address, _sent(total_rho="0.05")).status_code == 302
    budget = ConcentratedBudget.objects.get()
    assert (budget.total_rho, budget.created_by, budget.reason) == (Fraction(1, 20), admin, "Agreed.")
    make_release(survey, mechanism=Mechanism.MOST_COMMON, epsilon=Fraction(1, 10))
    page = staff.get(address)
    assert page.context["adminform"].form.initial["total_rho"] == "0.05"
    assert re.search(rf"{admin} .*ρ = 0\.05, .*\b0\.00125 ", text_of(page))
    # Typed again it is not read: it stands for good.
    assert staff.post(address, _sent(total_rho="0.5")).status_code == 302
    assert ConcentratedBudget.objects.get().total_rho == Fraction(1, 20)
    document = json.loads(staff.get(f"/admin/surveys/budget/{survey.budget.pk}/ledger.json").content)
    rho = document["rho"]
    assert (rho["total"], rho["spent"], rho["by"]) == ("0.05", "0.00125", str(admin))
    certain = concentrated_epsilon(ConcentratedLoss(Fraction(1, 20)), MILLIONTH)
    assert (rho["epsilon"], rho["delta"]) == (pytest.approx(certain, abs=2e-8), 1e-6)


def test_what_a_draw_costs_in_rho_is_shown_before_it_is_drawn(staff: Client) -> None:
    # The exponential mechanism at ε = ½: ε²/8.
    assert re.search(r"ρ = 0\.03125 .*0\.5 ", text_of(look(staff, _survey(), mechanism=Mechanism.MOST_COMMON)))
    assert "ρ" not in text_of(look(staff, _survey(None)))


def test_a_form_that_was_open_while_something_was_charged_says_that_it_is_too_late(
    staff: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = _survey(None)
    answers = iter([True, False])
    monkeypatch.setattr(services, "may_set_rho", lambda _budget: next(answers))
    form = staff.post(f"/admin/surveys/budget/{survey.budget.pk}/change/", _sent(total_rho="1"))
    assert form.context["adminform"].form.errors == {"total_rho": [str(ReleaseRefused(Why.RHO_IS_SET))]}
