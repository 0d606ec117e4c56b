"""What a new release is refused for in the admin: named beside its field, with nothing charged, drawn or stored."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import signing
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.test import Client

from surveys.models import Mechanism, Release, Survey
from surveys.releases.forms import confirmation
from surveys.releases.forms.confirmation import SALT
from surveys.releases.forms.terms import TermsForm
from surveys.releases.ledger.services import set_budget
from surveys.releases.mechanisms import PLANS
from surveys.releases.refusals import ReleaseRefused, Why
from surveys.releases.services import releasing as services_drawing
from surveys.releases.services.request import ReleaseRequest
from tests.factories import fill, make_admin, make_budget, make_draft, make_open, number_bands
from tests.releases.refused import too_few
from tests.releases.setting import first, make_release, ready_survey, spent
from tests.releases.steps import (
    STEP_1,
    STEP_2,
    STEP_3,
    confirm,
    look,
    nothing_happened,
    refused_with,
    signed_in,
    terms_of,
    text_of,
)

pytestmark = pytest.mark.django_db

NO_NUMBERS = ["-1", "NaN", "inf", "1e400", "abc", "1/2", "٣", "0x10", "1_000", "--1", "9" * 5000, "½", "\x00"]
# Of decimals and of whole numbers one field each is tried with all of them; others, read alike, with some.
SOME = ["-1", "NaN", "1e400", "9" * 5000]
EVERY_NUMBER = pytest.mark.parametrize("numbers", [SOME, pytest.param(NO_NUMBERS, marks=pytest.mark.slow)])
GAUSS = {"mechanism": Mechanism.GAUSSIAN_HISTOGRAM}
NONE: dict[str, Any] = {"epsilon": ""}


def _bad_fields(numbers: list[str]) -> list[tuple[dict[str, Any], str]]:
    return [
        *(({"epsilon": number}, "epsilon") for number in (*NO_NUMBERS, "0", "", "0.0000001", "10.000001", "1.000001")),
        *((NONE | {"wanted": number}, "wanted") for number in (*numbers, "0")),
        # So accurate that the budget, or even the largest ε, cannot pay for it.
        *((NONE | {"wanted": number}, "wanted") for number in ("0.5", "0.000001")),
        (NONE | {"wanted": "5", "unit": "miles"}, "unit"),
        (NONE | {"wanted": "5", "unit": "price"}, "unit"),
        ({"wanted": "5"}, "epsilon"),
        *((GAUSS | {"delta": number}, "delta") for number in (*numbers, "0", "", "1", "0.002", "0.0000000000001")),
        (GAUSS | {"delta": "0.000002"}, "delta"),  # more than is left
        ({"delta": "0.000001"}, "delta"),  # none is needed
        ({"mechanism": ""}, "mechanism"),
        ({"mechanism": "gaussian"}, "mechanism"),
        ({"mechanism": Mechanism.MEAN}, "mechanism"),  # the question has no numbers
        ({"mechanism": Mechanism.QUANTILE}, "mechanism"),
        ({"reason": ""}, "reason"),
        ({"reason": "  "}, "reason"),
        ({"reason": "x" * 301}, "reason"),
        ({"reason": "a\x00b"}, "reason"),
    ]


def _bad_options(numbers: list[str]) -> list[tuple[str, dict[str, Any], str]]:
    return [
        *((Mechanism.ONE_COUNT, {"answer": value}, "answer") for value in ("", "-1", "4", "x", "1e400", "9" * 400)),
        *((Mechanism.QUANTILE, {"share": value}, "share") for value in (*numbers, "", "0", "1", "1.5")),
        *((Mechanism.TOP, {"how_many": value}, "how_many") for value in (*NO_NUMBERS, "", "0", "4", "21", "1.5")),
        *((Mechanism.STABLE_MEDIAN, {"bound": value}, "bound") for value in (*numbers, "", "0", "10000000000")),
    ]


def _named(response: HttpResponse, field: str) -> bool:
    """Whether the page names the error beside this field and beside no other."""
    errors, text = response.context["form"].errors, text_of(response)
    return list(errors) == [field] and all(str(problem) in text for problem in errors[field])


def _not_refused(staff: Client, survey: Survey, rows: list[tuple[dict[str, Any], str]]) -> list[dict[str, Any]]:
    """Return what the form does not refuse beside the field that it is about; every ε, and one value of each other
    field, is sent to the page as well.
    """
    wrong, sent = [], set[str]()
    for changes, field in rows:
        fields = terms_of(survey, **changes)
        form = TermsForm(fields, survey=survey, questions=[first(survey)])
        refused = list(form.errors) == [field]
        if field == "epsilon" or field not in sent:
            refused = _named(staff.post(STEP_2, fields), field) and refused
        sent.add(field)
        if not refused:
            wrong.append(changes)
    return wrong


@EVERY_NUMBER
def test_a_field_that_cannot_be_is_refused_beside_it(staff: Client, numbers: list[str]) -> None:
    survey = ready_survey(delta=Fraction(1, 10**6))
    assert _not_refused(staff, survey, _bad_fields(numbers)) == []
    assert nothing_happened(survey)


@EVERY_NUMBER
def test_an_option_that_cannot_be_is_refused_beside_it(staff: Client, numbers: list[str]) -> None:
    survey = ready_survey({"0": 61, "1": 39}, number_bands(), delta=Fraction(1, 10**6))
    rows = []
    for mechanism, options, field in _bad_options(numbers):
        delta = {"delta": "0.000001"} if PLANS[mechanism].uses_delta else {}
        rows.append(({"mechanism": mechanism} | delta | options, field))
    assert _not_refused(staff, survey, rows) == []
    assert nothing_happened(survey)


def _of(other: Survey, *, answers: int = 0, budget: bool = True) -> dict[str, Any]:
    """Return what is sent where this survey is chosen instead."""
    if answers:
        fill(other, {"0": answers})
    if budget:
        make_budget(other)
    return {"survey": other.pk, "questions": [first(other)]}


CHOICES: dict[str, tuple[Callable[[], dict[str, Any]], str, str, str]] = {
    "no question": (lambda: {"questions": []}, "questions", "required", ""),
    "no number": (lambda: {"questions": ["x"]}, "questions", "invalid_choice", ""),
    "beyond any question": (lambda: {"questions": ["9" * 40]}, "questions", "invalid_choice", ""),
    "of no question": (lambda: {"questions": [2]}, "questions", "invalid_choice", ""),
    "too few answers": (
        lambda: _of(make_open(), answers=9),
        "questions",
        "too_few",
        str(too_few(9, 10, in_batches=True)),
    ),
    "no answers": (lambda: _of(make_open()), "questions", "too_few", str(too_few(0, 10, in_batches=True))),
    "no budget": (lambda: _of(make_open(), budget=False), "survey", "invalid_choice", ""),
    "a draft": (lambda: _of(make_draft()), "survey", "invalid_choice", ""),
    "no survey": (lambda: {"survey": ""}, "survey", "required", ""),
    "no such survey": (lambda: {"survey": "9" * 40}, "survey", "invalid_choice", ""),
}


@pytest.mark.parametrize("case", CHOICES)
def test_questions_that_cannot_be_released_lead_back_to_step_1(staff: Client, case: str) -> None:
    change, field, code, words = CHOICES[case]
    survey = ready_survey()
    sent = terms_of(survey) | change()
    for response in (staff.get(STEP_2, sent), staff.post(STEP_2, sent)):
        [problem] = response.context["form"].errors.as_data()[field]
        assert (problem.code, response.context["step"]) == (code, 1)
        assert words in problem.messages[0] in text_of(response)
    assert nothing_happened(survey)


def test_a_survey_that_cannot_be_chosen_is_named_in_step_1(staff: Client) -> None:
    for survey in ("", "x", "9" * 40, make_open().pk):
        assert list(staff.get(STEP_1, {"survey": survey}).context["form"].errors) == ["survey"]


# Stale and foreign pages of step 3.


@EVERY_NUMBER
def test_another_number_typed_to_confirm_is_refused_beside_it_and_the_page_stays(
    staff: Client, numbers: list[str]
) -> None:
    survey = ready_survey()
    signed = signed_in(look(staff, survey))
    for typed in ("", "0.4", "0.49999999", "1", *numbers):
        response = confirm(staff, signed, typed)
        assert _named(response, "confirmation")
        assert nothing_happened(survey)
        # The very same terms can still be confirmed.
        assert signed_in(response) == signed
    confirm(staff, signed)
    assert spent(survey) == 500_000


def test_terms_that_were_never_shown_are_refused(staff: Client) -> None:
    survey = ready_survey()
    for planted in ("", "x", "{}", "x" * 20_000, "\x00", signing.dumps({"epsilon": "1/1"})):
        assert len(confirm(staff, planted).context["problems"]) == 1
    assert nothing_happened(survey)


def test_tampered_terms_are_refused(staff: Client) -> None:
    survey = ready_survey()
    signed = signed_in(look(staff, survey))
    for tampered in (f"x{signed}", signed[:-1], signed.swapcase()):
        assert refused_with(confirm(staff, tampered), confirmation.NOT_SHOWN)
    assert nothing_happened(survey)


def test_terms_typed_beside_the_signed_ones_change_nothing(staff: Client) -> None:
    survey = ready_survey()
    signed = signed_in(look(staff, survey))
    staff.post(STEP_3, terms_of(survey, epsilon="1") | {"terms": signed, "confirmation": "0.5"})
    assert spent(survey) == 500_000


def _why_not_read(signed: str, user: User) -> ValidationError:
    with pytest.raises(ValidationError) as refused:
        confirmation.read_shown(signed, user)
    return refused.value


def test_terms_shown_too_long_ago_are_refused(staff: Client, admin: User, monkeypatch: pytest.MonkeyPatch) -> None:
    survey = ready_survey()
    signed = signed_in(look(staff, survey))
    monkeypatch.setattr(confirmation, "SHOWN_FOR_SECONDS", -1)
    why = _why_not_read(signed, admin)
    assert (why.code, refused_with(confirm(staff, signed), why.message)) == ("expired", True)
    assert nothing_happened(survey)


def test_terms_are_good_for_half_an_hour() -> None:
    assert confirmation.SHOWN_FOR_SECONDS == 1800


def test_terms_shown_to_somebody_else_are_refused(staff: Client) -> None:
    survey = ready_survey()
    signed = signed_in(look(staff, survey))
    other = make_admin()
    staff.force_login(other)
    why = _why_not_read(signed, other)
    assert (why.code, refused_with(confirm(staff, signed), why.message)) == ("other_person", True)
    assert nothing_happened(survey)


def test_a_budget_spent_between_the_steps_refuses_the_draw(staff: Client) -> None:
    survey = ready_survey()
    signed = signed_in(look(staff, survey, epsilon="1"))
    make_release(survey)
    assert refused_with(confirm(staff, signed, "1"), ReleaseRefused(Why.BUDGET_TOO_SMALL, left=Fraction(1, 2)))
    assert (spent(survey), Release.objects.count()) == (500_000, 1)


def test_a_budget_lowered_between_the_steps_refuses_the_draw(staff: Client) -> None:
    survey = ready_survey()
    signed = signed_in(look(staff, survey))
    set_budget(survey=survey, total_epsilon=Fraction(1, 10**6), reason="Enough.", user=make_admin())
    assert refused_with(confirm(staff, signed), ReleaseRefused(Why.BUDGET_TOO_SMALL, left=Fraction(1, 10**6)))
    assert nothing_happened(survey)


def test_a_ledger_that_has_gone_on_between_the_steps_refuses_the_draw_even_where_enough_is_left(staff: Client) -> None:
    survey = ready_survey()
    signed = signed_in(look(staff, survey))
    make_release(survey, epsilon=Fraction(1, 4))
    response = confirm(staff, signed)
    assert refused_with(response, ReleaseRefused(Why.LEDGER_HAS_GONE_ON))
    assert spent(survey) == 250_000
    # The same terms, looked at again, show what is left now and can be confirmed.
    again = staff.get(response.context["again"])
    assert again.context["form"].initial["epsilon"] == "0.5"
    confirm(staff, signed_in(look(staff, survey)))
    assert spent(survey) == 750_000


def test_answers_that_are_gone_between_the_steps_refuse_the_draw(
    staff: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = ready_survey()
    signed = signed_in(look(staff, survey))
    empty = make_open(title="Empty")
    real = services_drawing.fresh_figures_of
    monkeypatch.setattr(services_drawing, "fresh_figures_of", lambda _survey, **options: real(empty, **options))
    assert refused_with(confirm(staff, signed), too_few(0, 10, in_batches=True))
    assert nothing_happened(survey)


def test_a_question_that_does_not_suit_any_more_refuses_the_draw(
    staff: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = ready_survey()
    signed = signed_in(look(staff, survey))
    monkeypatch.setattr(PLANS[Mechanism.LAPLACE_HISTOGRAM], "unsuitable", lambda _asked: "Unsuitable.")
    # Nor is the page of step 3 shown again with a wrong number.
    assert [refused_with(confirm(staff, signed, typed), "Unsuitable.") for typed in ("0.5", "0.4")] == [True, True]
    assert nothing_happened(survey)


def test_a_survey_that_is_gone_refuses_the_draw(staff: Client) -> None:
    survey = ready_survey()
    shown = signing.loads(signed_in(look(staff, survey)), salt=SALT)
    signed = signing.dumps(shown | {"survey": survey.pk + 1}, salt=SALT, compress=True)
    assert len(confirm(staff, signed).context["problems"]) == 1
    assert nothing_happened(survey)


def test_terms_of_a_survey_without_budget_cannot_be_confirmed(staff: Client, admin: User) -> None:
    shown = confirmation.read_shown(signed_in(look(staff, ready_survey())), admin)
    other = make_open()
    planted = replace(shown, survey=other.pk, questions=(first(other),), lines=0)
    assert refused_with(confirm(staff, planted.sign()), ReleaseRefused(Why.NO_BUDGET))
    assert not Release.objects.exists()


def test_a_ledger_that_goes_on_while_a_draw_begins_refuses_the_draw(
    staff: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = ready_survey()
    signed = signed_in(look(staff, survey))
    begun = ReleaseRequest.terms

    def overtaken(request: ReleaseRequest) -> object:
        monkeypatch.setattr(ReleaseRequest, "terms", begun)
        make_release(survey, epsilon=Fraction(1, 4))
        return begun(request)

    monkeypatch.setattr(ReleaseRequest, "terms", overtaken)
    assert refused_with(confirm(staff, signed), ReleaseRefused(Why.LEDGER_HAS_GONE_ON))
    assert (spent(survey), Release.objects.count()) == (250_000, 1)


def test_a_reason_that_turns_the_text_around_is_refused_beside_its_field(staff: Client) -> None:
    survey = ready_survey()
    response = look(staff, survey, reason="yearly\u202etropera")
    assert _named(response, "reason")
    assert "U+202E" in response.context["form"].errors["reason"][0]
    assert nothing_happened(survey)
