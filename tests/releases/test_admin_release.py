"""A new release in the admin: its terms, what they cost and how far off it may be, then one draw."""

import html
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import signing
from django.http import HttpResponse
from django.test import Client

from surveys.forms import release as forms
from surveys.models import Budget, Mechanism, Release, Survey
from surveys.services.surveys import QuestionDraft
from tests.factories import fill, make_admin, make_budget, make_open, one_of
from tests.releases.setting import first, make_release, ready_survey, spent

pytestmark = pytest.mark.django_db

ADD = "/admin/surveys/release/add/"
LIST = "/admin/surveys/release/"


def _text(response: HttpResponse) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", response.content.decode())).split())


def _terms(survey: Survey, **changes: Any) -> dict[str, Any]:
    return {
        "question": first(survey).pk,
        "mechanism": Mechanism.LAPLACE_HISTOGRAM,
        "epsilon": "0.5",
    } | changes


def _signed(response: HttpResponse) -> str:
    found = re.search(r'name="terms" value="([^"]+)"', response.content.decode())
    assert found
    return found[1]


def _nothing_happened(survey: Survey) -> bool:
    return spent(survey) == 0 and not Release.objects.exists()


def test_step_1_offers_the_questions_of_opened_surveys_that_have_a_budget(staff: Client) -> None:
    ready_survey(title="Offered")
    make_open(title="Without budget")
    form = staff.get(ADD).context["form"]
    _empty, *groups = form.fields["question"].choices
    assert [label.split(" (")[0] for label, _questions in groups] == ["Offered"]
    assert groups[0][0].endswith("ε = 1 left")


def test_step_1_says_what_to_do_where_no_survey_has_a_budget(staff: Client) -> None:
    assert "Set one first" in _text(staff.get(ADD))


def test_step_2_shows_cost_error_and_loss_and_spends_nothing(staff: Client) -> None:
    survey = ready_survey()
    text = _text(staff.post(ADD, _terms(survey)))
    # ε/Δ = 1/2, one count: Pr(|X| > 6) = 0.0376 < 0.05 < Pr(|X| > 5) = 0.0620; fair coins double it.
    assert "none of the counts by more than 6 answers of 100" in text
    assert "more than 12.0 percentage points" in text
    assert "ε = 1 left now, 0.5 afterwards" in text
    # tanh(f/2) = tanh(ln 3/2)·tanh(1/4)
    assert "ε = 0.2462" in text
    assert _nothing_happened(survey)


def test_step_2_for_the_most_common_answer_shows_how_far_it_may_fall_short(staff: Client) -> None:
    survey = ready_survey({"0": 50, "1": 30, "2": 20}, one_of())
    text = _text(staff.post(ADD, _terms(survey, mechanism=Mechanism.MOST_COMMON)))
    # Truth with probability 1/2: rows of the inverse range over 2. 2·2/0.5·ln(3/0.05) = 32.75.
    assert "at most 33 of 100 people, that is 32.8 percentage points" in text


def test_step_2_counts_no_report(staff: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def counted(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr("surveys.services.releasing.fresh_tally_of", counted)
    assert "step 2 of 2" in _text(staff.post(ADD, _terms(ready_survey())))


def test_step_2_warns_when_the_noise_can_hide_everything(staff: Client) -> None:
    assert "may well say nothing" in _text(staff.post(ADD, _terms(ready_survey(), epsilon="0.01")))


def test_step_2_adds_up_what_earlier_releases_of_the_question_told(staff: Client) -> None:
    survey = ready_survey()
    make_release(survey)
    # 0.5 + 0.5, then once through the coins: tanh(f/2) = tanh(ln 3/2)·tanh(1/2).
    assert "(ε = 0.5): 0.4707" in _text(staff.post(ADD, _terms(survey)))


def test_confirming_draws_once_charges_and_shows_the_release(staff: Client, admin: User) -> None:
    survey = ready_survey()
    response = staff.post(ADD, {"terms": _signed(staff.post(ADD, _terms(survey)))}, follow=True)
    release = Release.objects.get()
    assert (release.created_by, release.epsilon, release.published, spent(survey)) == (
        admin,
        Fraction(1, 2),
        False,
        500_000,
    )
    assert f"Release {release.pk} is drawn and charged" in _text(response)


def test_confirming_twice_makes_one_release_and_names_it(staff: Client) -> None:
    survey = ready_survey()
    signed = _signed(staff.post(ADD, _terms(survey)))
    staff.post(ADD, {"terms": signed})
    text = _text(staff.post(ADD, {"terms": signed}))
    assert f"This request has already made release {Release.objects.get().pk}" in text
    assert spent(survey) == 500_000


EPSILONS = ["0", "-1", "NaN", "inf", "1e400", "abc", "", "0.0000001", "10.000001", "0,5", "1/2", "٣", "9" * 5000]


@pytest.mark.parametrize("epsilon", EPSILONS, ids=lambda text: text[:12])
def test_an_epsilon_that_is_none_is_refused_beside_its_field(staff: Client, epsilon: str) -> None:
    survey = ready_survey()
    response = staff.post(ADD, _terms(survey, epsilon=epsilon))
    assert list(response.context["form"].errors) == ["epsilon"]
    assert "Nothing was charged" in _text(response)
    assert _nothing_happened(survey)


def _without_question(_: Survey) -> dict[str, Any]:
    return {"question": ""}


def _of_a_survey_without_budget(_: Survey) -> dict[str, Any]:
    return {"question": first(make_open()).pk}


def _too_dear(_: Survey) -> dict[str, Any]:
    return {"epsilon": "1.000001"}


def _unknown_mechanism(_: Survey) -> dict[str, Any]:
    return {"mechanism": "gaussian"}


def _of_too_few(_: Survey) -> dict[str, Any]:
    other = make_open()
    fill(other, {"0": 9})
    make_budget(other)
    return {"question": first(other).pk}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (_without_question, "question"),
        (_of_a_survey_without_budget, "question"),
        (_of_too_few, "question"),
        (_too_dear, "epsilon"),
        (_unknown_mechanism, "mechanism"),
    ],
)
def test_terms_that_cannot_be_are_refused_beside_their_field(
    staff: Client, change: Callable[[Survey], dict[str, Any]], field: str
) -> None:
    survey = ready_survey()
    response = staff.post(ADD, _terms(survey) | change(survey))
    assert list(response.context["form"].errors) == [field]
    assert _nothing_happened(survey)


def test_tampered_terms_are_refused(staff: Client) -> None:
    survey = ready_survey()
    signed = _signed(staff.post(ADD, _terms(survey)))
    response = staff.post(ADD, {"terms": "x" + signed})
    assert "not the terms that were shown" in _text(response)
    assert _nothing_happened(survey)


def test_terms_typed_beside_the_signed_ones_change_nothing(staff: Client) -> None:
    survey = ready_survey()
    staff.post(ADD, _terms(survey, epsilon="1") | {"terms": _signed(staff.post(ADD, _terms(survey)))})
    assert spent(survey) == 500_000


def test_stale_terms_are_refused(staff: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    survey = ready_survey()
    signed = _signed(staff.post(ADD, _terms(survey)))
    monkeypatch.setattr(forms, "SHOWN_FOR_SECONDS", -1)
    assert "minutes ago" in _text(staff.post(ADD, {"terms": signed}))
    assert _nothing_happened(survey)


def test_terms_shown_to_somebody_else_are_refused(staff: Client) -> None:
    survey = ready_survey()
    signed = _signed(staff.post(ADD, _terms(survey)))
    staff.force_login(make_admin())
    assert "shown to somebody else" in _text(staff.post(ADD, {"terms": signed}))
    assert _nothing_happened(survey)


def test_terms_signed_for_another_purpose_are_refused(staff: Client) -> None:
    survey = ready_survey()
    assert "not the terms that were shown" in _text(staff.post(ADD, {"terms": signing.dumps({"epsilon": "1/1"})}))
    assert _nothing_happened(survey)


def test_a_budget_spent_between_the_steps_refuses_the_draw(staff: Client) -> None:
    survey = ready_survey()
    signed = _signed(staff.post(ADD, _terms(survey, epsilon="1")))
    make_release(survey)
    text = _text(staff.post(ADD, {"terms": signed}))
    assert "ε = 0.5 left" in text
    assert (spent(survey), Release.objects.count()) == (500_000, 1)


def test_a_budget_lowered_between_the_steps_refuses_the_draw(staff: Client) -> None:
    survey = ready_survey()
    signed = _signed(staff.post(ADD, _terms(survey)))
    Budget.objects.update(total_micro_epsilon=1)
    assert "ε = 0.000001 left" in _text(staff.post(ADD, {"terms": signed}))
    assert _nothing_happened(survey)


def test_the_ledger_runs_up_each_surveys_charges(staff: Client) -> None:
    survey, other = ready_survey(), ready_survey(title="Other")
    for epsilon in (Fraction(1, 4), Fraction(1, 8)):
        make_release(survey, epsilon=epsilon)
    make_release(other, epsilon=Fraction(1))
    rows = {
        (row.survey.title, row.micro_epsilon): (row.spent_so_far, row.left_after)
        for row in staff.get(LIST).context["cl"].result_list
    }
    assert rows == {
        ("Exams", 250_000): (250_000, 750_000),
        ("Exams", 125_000): (375_000, 625_000),
        ("Other", 1_000_000): (1_000_000, 0),
    }


def test_filtering_the_ledger_leaves_its_totals_right(staff: Client) -> None:
    survey = ready_survey()
    make_release(survey, epsilon=Fraction(1, 4))
    published = make_release(survey, epsilon=Fraction(1, 8))
    Release.objects.filter(pk=published.pk).update(published=True)
    [row] = staff.get(LIST, {"published__exact": "1"}).context["cl"].result_list
    assert row.spent_so_far == 375_000


@pytest.mark.parametrize("mechanism", Mechanism.values)
def test_a_release_is_shown_with_its_reading(staff: Client, mechanism: str) -> None:
    question: QuestionDraft = one_of()
    release = make_release(ready_survey({"0": 50, "1": 30, "2": 20}, question), mechanism=mechanism)
    text = _text(staff.get(f"{LIST}{release.pk}/change/", follow=True))
    assert question.text in text
    assert "replace one response" in text
    assert "Publish" in text


def test_publishing_and_withdrawing_one_release(staff: Client) -> None:
    release = make_release(ready_survey())
    address = f"{LIST}{release.pk}/publication/"
    shown = [
        Release.objects.get().published
        for answer in ("yes", "no", "yes")
        if staff.post(address, {"published": answer}).status_code == 302
    ]
    assert shown == [True, False, True]


def test_publication_is_never_a_get(staff: Client) -> None:
    release = make_release(ready_survey())
    assert staff.get(f"{LIST}{release.pk}/publication/").status_code == 405
    assert not Release.objects.get().published


def test_publishing_and_withdrawing_many(staff: Client) -> None:
    survey = ready_survey()
    keys = [make_release(survey, epsilon=Fraction(1, 4)).pk for _ in range(2)]
    for action, expected in (("publish", 2), ("withdraw", 0)):
        staff.post(LIST, {"action": action, "_selected_action": keys})
        assert Release.objects.filter(published=True).count() == expected


def test_the_history_says_who_published(staff: Client, admin: User) -> None:
    release = make_release(ready_survey())
    staff.post(f"{LIST}{release.pk}/publication/", {"published": "yes"})
    text = _text(staff.get(f"{LIST}{release.pk}/history/", follow=True))
    assert "Published." in text
    assert admin.username in text


def test_a_release_can_be_neither_changed_nor_deleted_in_the_admin(staff: Client) -> None:
    release = make_release(ready_survey())
    responses: list[HttpResponse] = [
        staff.post(f"{LIST}{release.pk}/change/", {"n": "1"}),
        staff.post(f"{LIST}{release.pk}/delete/", {"post": "yes"}),
        staff.post(LIST, {"action": "delete_selected", "_selected_action": release.pk, "post": "yes"}),
    ]
    assert [response.status_code for response in responses[:2]] == [403, 403]
    assert Release.objects.get() == release
