"""A new release in the admin, step by step: questions, terms, the cost and the error, then one draw."""

import re
from fractions import Fraction

import pytest
from django.contrib.admin.utils import quote
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey, seal_survey
from surveys.models import Mechanism, Release, Survey
from surveys.releases.forms.terms import choices_for
from surveys.releases.mechanisms import PLANS
from surveys.releases.refusals import ReleaseRefused, Why
from surveys.releases.words.release import accuracy_says
from tests.factories import every_kind, make_draft, make_open, number_bands, numbers_of, one_of, scale, yes_no
from tests.releases.setting import first, make_release, published_release, ready_survey, spent
from tests.releases.steps import (
    LIST,
    REASON,
    STEP_1,
    STEP_2,
    STEP_3,
    confirm,
    drawn,
    look,
    nothing_happened,
    refused_with,
    signed_in,
    terms_of,
    text_of,
)

pytestmark = pytest.mark.django_db


def _choices(page: HttpResponse) -> list[int]:
    """Return the surveys that step 1 offers."""
    return [survey.pk for survey in page.context["form"].fields["survey"].queryset]


def test_step_1_offers_opened_surveys_that_have_a_budget(staff: Client) -> None:
    survey = ready_survey(title="Offered")
    make_open(title="Without budget")
    make_draft(title="Draft")
    page = staff.get(STEP_1)
    assert (page.context["step"], _choices(page)) == (1, [survey.pk])
    assert [words for words in ("Offered", "ε = 1 of 1 remaining") if words not in text_of(page)] == []


def test_step_1_offers_no_sealed_survey(staff: Client) -> None:
    survey = ready_survey()
    seal_survey(survey=close_survey(survey=survey))
    assert _choices(staff.get(STEP_1)) == []
    assert list(staff.get(STEP_1, {"survey": survey.pk}).context["form"].errors) == ["survey"]


def test_a_survey_that_is_sealed_between_the_steps_is_refused_by_name(staff: Client) -> None:
    survey = ready_survey()
    signed = signed_in(look(staff, survey))
    seal_survey(survey=close_survey(survey=survey))
    assert refused_with(confirm(staff, signed, follow=True), ReleaseRefused(Why.SEALED))
    assert nothing_happened(survey)


def test_step_1_leads_to_setting_a_budget_where_no_survey_has_one(staff: Client) -> None:
    assert f'href="{reverse("admin:surveys_budget_add")}"' in staff.get(STEP_1).content.decode()


def test_step_1_shows_the_questions_of_the_chosen_survey_with_their_answers(staff: Client) -> None:
    survey = ready_survey({"00": 61, "-1": 39}, yes_no(), one_of())
    text = text_of(staff.get(STEP_1, {"survey": survey.pk}))
    assert re.search(rf"{re.escape(yes_no().text)} \([^)]*\b61\b", text)
    assert re.search(rf"{re.escape(one_of().text)} \([^)]*\b100\b", text)


def test_step_1_links_results_to_whoever_may_see_them(staff: Client, admin: User) -> None:
    survey = ready_survey()
    link = f'href="{reverse("survey-results", args=[survey.code])}"'
    assert link not in staff.get(STEP_1, {"survey": survey.pk}).content.decode()
    Survey.objects.filter(pk=survey.pk).update(owner=admin)
    assert link in staff.get(STEP_1, {"survey": survey.pk}).content.decode()


def test_step_2_lists_what_suits_all_questions_and_why_the_rest_does_not(staff: Client) -> None:
    survey = ready_survey({"00": 61, "11": 39}, yes_no(), scale())
    response = staff.get(STEP_2, {"survey": survey.pk, "questions": numbers_of(survey)})
    assert response.context["step"] == 2
    form = response.context["form"]
    assert {choice.name for choice in form.suitable} >= {Mechanism.LAPLACE_HISTOGRAM, Mechanism.MOST_COMMON}
    reasons = {choice.name: choice.why_not for choice in form.unsuitable}
    assert yes_no().text in reasons[Mechanism.QUANTILE]
    assert reasons[Mechanism.QUANTILE] in text_of(response)


def test_step_2_asks_only_for_what_suitable_mechanisms_need(staff: Client) -> None:
    survey = ready_survey()
    page = staff.get(STEP_2, {"survey": survey.pk, "questions": first(survey)}).content.decode()
    assert 'name="delta"' in page
    assert 'name="share"' not in page


def test_every_mechanism_and_every_option_has_its_words() -> None:
    assert set(PLANS) == set(Mechanism.values)
    assert all(str(offer.sentence) for offer in PLANS.values())
    assert {option.name for offer in PLANS.values() for option in offer.fields if str(option.needs)} == {
        "answer",
        "share",
        "how_many",
        "bound",
        "outcome",
        "groups",
    }


def test_every_mechanism_suits_some_question_and_says_why_it_does_not_suit_others() -> None:
    asked = definition_of(make_open(*every_kind())).questions
    together = [
        *([question] for question in asked),
        *([question for question in asked if question.kind != "several_of"][:number] for number in (2, 3)),
    ]
    suited = {choice.name for questions in together for choice in choices_for(questions) if not choice.why_not}
    assert suited == set(Mechanism.values)


def test_step_3_shows_cost_error_loss_and_group_and_spends_nothing(staff: Client) -> None:
    survey = ready_survey()
    page = look(staff, survey)
    cost, text = page.context["cost"], text_of(page)
    [part] = cost.parts
    # ε/Δ = 1/2, one count: Pr(|X| > 6) = 0.0376 < 0.05 < Pr(|X| > 5) = 0.0620; fair coins double it.
    accuracy = part.plan.accuracy()
    assert (page.context["step"], accuracy.at_most, accuracy.points) == (3, 6, 12)
    assert [level for level in (0.9, 0.95, 0.99) if accuracy_says(part.plan, level) not in text] == []
    assert (cost.ledger.remaining.epsilon, cost.after.epsilon) == (1, Fraction(1, 2))
    # tanh(f/2) = tanh(ln 3/2)·tanh(1/4)
    assert part.alone.epsilon == pytest.approx(0.2462, abs=5e-5)
    assert [(size, loss.epsilon) for size, loss in cost.groups][-1] == (10, 5)
    assert [words for words in ("ε = 1 ", "ε = 0.5 ", "ε = 0.2462", "ε = 5.") if words not in text] == []
    assert nothing_happened(survey)


def test_step_3_counts_no_report(staff: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def counted(*_: object, **__: object) -> None:
        raise AssertionError

    for name in ("surveys.releases.services.releasing.fresh_figures_of", "surveys.responses.selectors.tally._count"):
        monkeypatch.setattr(name, counted)
    assert look(staff, ready_survey()).context["step"] == 3


def test_step_3_shows_how_two_questions_share_epsilon_to_the_millionth(staff: Client) -> None:
    survey = ready_survey({"00": 61, "11": 39}, yes_no(), one_of())
    both = numbers_of(survey)
    page = look(staff, survey, questions=both, epsilon="0.250001")
    shares = [part.plan.loss.epsilon for part in page.context["cost"].parts]
    assert shares == [Fraction("0.125001"), Fraction("0.125")]
    assert [share for share in ("0.250001", "0.125001", "0.125 ") if share not in text_of(page)] == []


def test_step_3_adds_up_earlier_releases_of_the_question(staff: Client) -> None:
    survey = ready_survey()
    make_release(survey)
    text = text_of(look(staff, survey))
    # One report: ε = 0.5 now, 1 together. One truth: tanh(f/2) = tanh(ln 3/2)·tanh(1/4), and ·tanh(1/2) together.
    assert f"{yes_no().text} ε = 0.5 ε = 1 ε = 0.2462 ε = 0.4707" in text


def test_where_an_earlier_release_tells_the_same_using_it_is_the_first_thing_to_do(staff: Client) -> None:
    survey = ready_survey()
    draw, use = '<input type="submit" class="default"', '<a class="default" href="'
    before = look(staff, survey).content.decode()
    assert (draw in before, use in before) == (True, False)
    release = make_release(survey)
    page = look(staff, survey).content.decode()
    assert f'{use}{LIST}{quote(release.pk)}/change/">' in page
    assert draw not in page


def test_the_earlier_release_is_used_on_its_public_page_where_it_has_one(staff: Client) -> None:
    survey = ready_survey()
    release = published_release(survey)
    assert f'<a class="default" href="/r/{release.pk}/">' in look(staff, survey).content.decode()


def test_step_3_says_so_where_no_release_is_needed(staff: Client) -> None:
    survey = ready_survey()
    for epsilon, is_needless in (("0.01", True), ("0.5", False)):
        page = look(staff, survey, epsilon=epsilon)
        assert page.context["cost"].is_needless is ('<p class="errornote">' in page.content.decode()) is is_needless


def test_a_wanted_accuracy_finds_the_smallest_epsilon_that_keeps_it(staff: Client) -> None:
    survey = ready_survey(epsilon=10)
    response = look(staff, survey, epsilon="", wanted="12", unit="points")
    [part] = response.context["cost"].terms.plans
    assert part.accuracy().points <= 12
    # With fair coins 12 points are 6 answers: ε/Δ = 0.5 keeps them and 0.45 does not.
    assert Fraction(45, 100) < response.context["cost"].terms.epsilon <= Fraction(1, 2)
    assert nothing_happened(survey)


def test_confirming_draws_once_charges_and_shows_the_release(staff: Client, admin: User) -> None:
    survey = ready_survey()
    response = confirm(staff, signed_in(look(staff, survey)), follow=True)
    release = Release.objects.get()
    assert (release.created_by, release.epsilon, release.published) == (admin, Fraction(1, 2), False)
    assert spent(survey) == 500_000
    assert (release.entry.reason, release.entry.created_by) == (REASON, admin)
    assert (drawn(response), response.context["reading"].release) == (True, release)


def test_confirming_with_another_spelling_of_the_same_number_is_confirming(staff: Client) -> None:
    survey = ready_survey()
    confirm(staff, signed_in(look(staff, survey)), "0.50")
    assert spent(survey) == 500_000


def test_two_questions_are_drawn_for_one_charge(staff: Client) -> None:
    survey = ready_survey({"00": 61, "11": 39}, yes_no(), one_of())
    both = numbers_of(survey)
    confirm(staff, signed_in(look(staff, survey, questions=both)))
    release = Release.objects.get()
    assert [part.micro_epsilon for part in release.parts.order_by("position")] == [250_000, 250_000]
    assert (spent(survey), release.micro_epsilon) == (500_000, 500_000)


OPTIONS = [
    (Mechanism.ONE_COUNT, {"answer": "1"}, {"answer": 1}),
    (Mechanism.QUANTILE, {"share": "0.9"}, {"share": "9/10"}),
    (Mechanism.TOP, {"how_many": "2"}, {"how_many": 2}),
    (Mechanism.STABLE_MODE, {"delta": "0.000001"}, {}),
    (Mechanism.GAUSSIAN_HISTOGRAM, {"delta": "0.000001"}, {}),
    (Mechanism.STABLE_MEDIAN, {"delta": "0.000001", "bound": "1000"}, {"bound": "1000"}),
]


@pytest.mark.parametrize(("mechanism", "typed", "stored"), OPTIONS, ids=[str(row[0]) for row in OPTIONS])
def test_what_a_mechanism_needs_is_typed_shown_and_stored(
    staff: Client, mechanism: str, typed: dict[str, str], stored: dict[str, object]
) -> None:
    survey = ready_survey({"0": 61, "1": 239, "2": 5}, number_bands(), delta=Fraction(1, 10**6))
    response = confirm(staff, signed_in(look(staff, survey, mechanism=mechanism, **typed)), follow=True)
    release = Release.objects.get()
    assert release.parts.get().parameters["options"] == stored
    assert release.mechanism == mechanism
    assert drawn(response)


def test_confirming_twice_makes_one_release_and_names_it(staff: Client) -> None:
    survey = ready_survey()
    signed = signed_in(look(staff, survey))
    confirm(staff, signed)
    page, release = confirm(staff, signed), Release.objects.get()
    assert refused_with(page, ReleaseRefused(Why.DUPLICATE_REQUEST, release=release.pk))
    assert f'href="{LIST}{quote(release.pk)}/change/"' in page.content.decode()
    assert spent(survey) == 500_000


def test_confirming_is_never_a_get(staff: Client) -> None:
    survey = ready_survey()
    response = staff.get(STEP_3, {"terms": signed_in(look(staff, survey)), "confirmation": "0.5"})
    assert (response.status_code, response["Location"]) == (302, STEP_1)
    assert nothing_happened(survey)


def test_other_terms_leads_back_to_the_form_filled_in(staff: Client) -> None:
    survey = ready_survey({"0": 61, "1": 39}, scale())
    shown = look(staff, survey, mechanism=Mechanism.QUANTILE, share="0.25", epsilon="0.125")
    page = staff.get(shown.context["back"]).content.decode()
    for name, value in (("epsilon", "0.125"), ("share", "0.25"), ("reason", REASON)):
        assert f'name="{name}" value="{value}"' in page
    assert f'value="{Mechanism.QUANTILE}" data-fields="share"' in page
    assert "checked" in page


def test_all_addresses_are_listed_in_the_forms(staff: Client) -> None:
    survey = ready_survey()
    assert f'action="{STEP_2}"' in staff.get(STEP_1, {"survey": survey.pk}).content.decode()
    assert f'action="{STEP_3}"' in staff.post(STEP_2, terms_of(survey)).content.decode()
