"""A release is charged, drawn and stored in one step."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from fractions import Fraction
from types import SimpleNamespace
from uuid import uuid4

import pytest
from django.db import DatabaseError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from surveys.course.services import close_survey, pause_survey, seal_survey
from surveys.models import Budget, LedgerEntry, Mechanism, Release, ReleasePart, Survey
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.histogram import LaplaceHistogram
from surveys.releases.mechanisms.laplace_histogram import LaplaceHistogramPlan
from surveys.releases.refusals import Why
from surveys.releases.services import request
from surveys.releases.services.releasing import publish, withdraw
from tests.factories import make_admin, numbers_of, one_of, yes_no
from tests.releases.refused import refusing
from tests.releases.setting import check, first, make_release, ready_survey, spent

pytestmark = pytest.mark.django_db


def _part(release: Release) -> ReleasePart:
    return release.parts.get()


def test_a_release_charges_exactly_its_epsilon() -> None:
    survey = ready_survey()
    make_release(survey, epsilon=Fraction(1, 8))
    assert spent(survey) == 125_000


def test_a_release_says_who_drew_what_under_which_terms() -> None:
    survey, user = ready_survey(), make_admin()
    release = make_release(survey, user=user)
    release.refresh_from_db()
    part = _part(release)
    assert (release.created_by, part.n, release.relation, release.published) == (user, 100, "REPLACE_ONE", False)
    assert {name: part.parameters[name] for name in ("epsilon", "delta", "sensitivity", "norm", "content_hash")} == {
        "epsilon": "1/2",
        "delta": "0",
        "sensitivity": "1",
        "norm": "L1",
        "content_hash": survey.content_hash,
    }


def test_a_release_is_one_line_of_the_ledger_that_says_who_and_why_and_what_is_left() -> None:
    survey, user = ready_survey(), make_admin()
    release = make_release(survey, user=user, reason="  The board \n asked. ")
    entry = release.entry
    assert (entry.number, entry.kind, entry.created_by, entry.reason) == (2, "charge", user, "The board asked.")
    assert (entry.epsilon, entry.spent_epsilon, entry.total_epsilon) == (Fraction(1, 2), Fraction(1, 2), 1)


def test_several_questions_share_the_charge_to_the_millionth() -> None:
    survey = ready_survey({"000": 60, "111": 60}, yes_no(), yes_no("Twice?"), yes_no("Thrice?"))
    release = make_release(survey, questions=numbers_of(survey), epsilon=Fraction(1, 2))
    assert list(release.parts.values_list("micro_epsilon", flat=True)) == [166_667, 166_667, 166_666]
    assert spent(survey) == 500_000


def test_the_questions_of_a_release_stand_in_the_order_of_the_survey() -> None:
    survey = ready_survey({"00": 60, "11": 60}, yes_no(), yes_no("Twice?"))
    questions = numbers_of(survey)[::-1]
    release = make_release(survey, questions=questions)
    assert [part.question for part in release.parts.all()] == questions[::-1]


def test_the_noise_is_added_to_the_counts_of_the_reports() -> None:
    release = make_release(ready_survey({"0": 70, "1": 30}, epsilon=10), epsilon=Fraction(10))
    noisy = _part(release).output["noisy_counts"]
    # Pr(|noise| > 10) at ε/Δ = 10 is below 1e-43.
    assert max(abs(shown - count) for shown, count in zip(noisy, (70, 30), strict=True)) <= 10


def test_the_most_common_answer_is_stored_as_one_choice() -> None:
    survey = ready_survey({"0": 10, "1": 10, "2": 480}, one_of(), epsilon=10)
    release = make_release(survey, mechanism=Mechanism.MOST_COMMON, epsilon=Fraction(10))
    assert _part(release).output == {"index": 2, "label": "Often"}


def test_answers_left_out_are_not_counted() -> None:
    assert _part(make_release(ready_survey({"0": 15, "1": 15, "-": 50}))).n == 30


def test_the_second_question_is_counted_by_its_own_reports() -> None:
    survey = ready_survey({"00": 40, "02": 160}, yes_no(), one_of(), epsilon=10)
    question = 2
    release = make_release(survey, questions=[question], mechanism=Mechanism.MOST_COMMON, epsilon=Fraction(10))
    assert (_part(release).output["label"], _part(release).question) == ("Often", question)


@pytest.mark.parametrize("stop", [pause_survey, close_survey])
def test_a_survey_that_collects_no_more_can_be_released(stop: Callable[..., Survey]) -> None:
    survey = ready_survey()
    stop(survey=survey)
    assert _part(make_release(survey)).n == 100


def test_nothing_is_released_from_a_sealed_survey_not_even_one_that_is_sealed_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    survey = ready_survey()
    seal_survey(survey=close_survey(survey=survey))
    with refusing(Why.SEALED):
        make_release(survey)
    # As if it had been sealed after the look: the database refuses as well.
    monkeypatch.setattr(request, "State", SimpleNamespace(SEALED="some other state", PURGED="another"))
    with refusing(Why.SEALED):
        make_release(survey)
    assert (spent(survey), Release.objects.exists()) == (0, False)


def test_the_last_of_the_budget_can_be_spent_to_the_millionth() -> None:
    survey = ready_survey()
    make_release(survey, epsilon=Fraction(999_999, 1_000_000))
    make_release(survey, epsilon=Fraction(1, 1_000_000))
    with refusing(Why.BUDGET_TOO_SMALL, match="ε = 0 remaining"):
        make_release(survey, epsilon=Fraction(1, 1_000_000))
    assert spent(survey) == 1_000_000


def test_the_same_request_again_is_refused_by_name_and_charged_once() -> None:
    survey, key = ready_survey(), uuid4()
    made = make_release(survey, request_key=key)
    with refusing(Why.DUPLICATE_REQUEST, match=made.pk):
        make_release(survey, request_key=key)
    assert (spent(survey), Release.objects.count()) == (500_000, 1)


def test_the_same_request_again_is_a_duplicate_even_when_the_budget_is_empty() -> None:
    survey, key = ready_survey(), uuid4()
    made = make_release(survey, request_key=key, epsilon=Fraction(1))
    with refusing(Why.DUPLICATE_REQUEST) as refused:
        make_release(survey, request_key=key, epsilon=Fraction(1))
    assert refused.value.facts["release"] == made.pk


def test_one_request_for_two_surveys_is_refused_by_the_unique_key(monkeypatch: pytest.MonkeyPatch) -> None:
    key, other = uuid4(), ready_survey()
    make_release(ready_survey(), request_key=key)
    # As if the first were committed between the look and the insert: the first look sees nothing.
    original, looks = Release.objects.filter, []

    def sees_none_first(**lookups: object) -> QuerySet[Release]:
        looks.append(lookups)
        return original(pk="") if len(looks) == 1 else original(**lookups)

    monkeypatch.setattr(Release.objects, "filter", sees_none_first)
    with refusing(Why.DUPLICATE_REQUEST):
        make_release(other, request_key=key)
    assert spent(other) == 0


def test_an_insert_that_fails_for_another_reason_is_no_duplicate(monkeypatch: pytest.MonkeyPatch) -> None:
    survey, taken = ready_survey(), make_release(ready_survey())
    monkeypatch.setattr(Release._meta.get_field("id"), "default", lambda: taken.pk)
    monkeypatch.setattr(Release._meta.get_field("id"), "_get_default", lambda: taken.pk)
    with pytest.raises(DatabaseError):
        make_release(survey)
    assert (spent(survey), LedgerEntry.objects.filter(kind="charge").count()) == (0, 1)


def _nothing_of_it(survey: Survey) -> None:
    budget = Budget.objects.get(survey=survey)
    assert (budget.spent_micro_epsilon, budget.entries) == (0, 1)
    assert (Release.objects.count(), ReleasePart.objects.count(), LedgerEntry.objects.count()) == (0, 0, 1)


@pytest.mark.parametrize("error", [OSError, ValueError, MemoryError, KeyboardInterrupt])
def test_a_failing_draw_gives_the_charge_back(error: type[BaseException]) -> None:
    survey = ready_survey()

    def broken(_bound: int) -> int:
        raise error

    with pytest.raises(error):
        make_release(survey, randbelow=broken)
    _nothing_of_it(survey)


@pytest.mark.parametrize("model", [Release, ReleasePart, LedgerEntry])
def test_an_error_of_the_database_gives_the_charge_back(
    monkeypatch: pytest.MonkeyPatch, model: type[Release | ReleasePart | LedgerEntry]
) -> None:
    survey = ready_survey()

    def broken(*_: object, **__: object) -> None:
        raise DatabaseError("the disk is full")

    monkeypatch.setattr(model, "save", broken)
    with pytest.raises(DatabaseError, match="disk"):
        make_release(survey)
    monkeypatch.undo()
    _nothing_of_it(survey)


def test_the_second_part_failing_takes_the_first_with_it() -> None:
    survey = ready_survey({"00": 60, "11": 60}, yes_no(), yes_no("Twice?"))
    original, parts = LaplaceHistogramPlan.stored, []

    def once(offer: LaplaceHistogramPlan, *arguments: object) -> object:
        parts.append(arguments)
        if len(parts) == 2:
            raise OSError
        return original(offer, *arguments)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patched, pytest.raises(OSError):  # noqa: PT011, PT012 - no message to match
        patched.setattr(LaplaceHistogramPlan, "stored", once)
        make_release(survey, questions=numbers_of(survey))
    _nothing_of_it(survey)


def test_a_mechanism_that_costs_more_than_is_charged_is_never_run(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = ready_survey()
    honest = LaplaceHistogramPlan.mechanism

    def dearer(plan: LaplaceHistogramPlan) -> LaplaceHistogram:
        twice = PrivacyLoss(2 * plan.loss.epsilon)
        return honest.func(replace(plan, loss=twice))

    monkeypatch.setattr(LaplaceHistogramPlan, "mechanism", property(dearer))
    with pytest.raises(RuntimeError, match="costs"):
        make_release(survey)
    with pytest.raises(RuntimeError, match="costs"):
        check(survey=survey, questions=[first(survey)], mechanism="laplace_histogram", epsilon=Fraction(1, 2))
    _nothing_of_it(survey)


@pytest.mark.usefixtures("transactional_db")
def test_nobody_can_open_a_transaction_around_a_release_and_take_the_charge_back() -> None:
    survey = ready_survey()
    with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
        make_release(survey)
    _nothing_of_it(survey)


def test_the_times_stored_tell_nothing_of_how_long_a_draw_took() -> None:
    release = make_release(ready_survey())
    release.refresh_from_db()
    assert release.entry.created_at == release.created_at
    assert release.created_at.microsecond == 0
    assert timezone.now() - release.created_at < timedelta(seconds=10)


def test_publishing_and_withdrawing_change_nothing_else() -> None:
    survey, user = ready_survey(), make_admin()
    release = make_release(survey)
    rows = [Release.objects.values().get()]
    publish(release=release, user=user)
    rows.append(Release.objects.values().get())
    withdraw(release=release, user=user)
    rows.append(Release.objects.values().get())
    assert [row.pop("published") for row in rows] == [False, True, False]
    assert rows[0] == rows[1] == rows[2]
    assert spent(survey) == 500_000


def test_terms_agreed_to_beside_a_ledger_are_not_charged_to_one_that_has_gone_on() -> None:
    survey = ready_survey(epsilon=5)
    make_release(survey, lines=1)
    with refusing(Why.LEDGER_HAS_GONE_ON):
        make_release(survey, lines=1)
    assert spent(survey) == 500_000
    make_release(survey, lines=2)
    assert spent(survey) == 1_000_000
