"""What can be released is counts of answers: of one report a person, under the answers' own names."""

import json
import math
import re
from fractions import Fraction

import pytest
from django.test import Client
from django.urls import reverse

from surveys import selectors
from surveys.models import Budget, Release, Survey
from surveys.selectors.releases import is_releasable
from surveys.services import releasing
from surveys.services.surveys import QuestionDraft
from tests.factories import (
    PROTECTED,
    crosswise,
    every_kind,
    fill,
    make_admin,
    make_budget,
    make_open,
    number_mean,
    several_of,
    triangular,
    yes_no,
)
from tests.releases.setting import HALF, first, published_release, ready_survey

pytestmark = pytest.mark.django_db

UNSUITABLE = {
    "several options": (several_of(leave_out="no"), "000", "“Which did you use?”: it has several answers a person"),
    "a mean": (
        number_mean(leave_out="no"),
        "0",
        "“How many hours did you work unpaid?”: its reports are of a number’s",
    ),
    "a protected mean": (number_mean("How many?", **PROTECTED), "0", "“How many?”: its reports are of a number’s"),
    "crosswise": (crosswise(leave_out="no"), "0", "“Have you ever shoplifted?”: its reports are not answers to it."),
    "triangular": (triangular(leave_out="no"), "0", "“Have you ever dodged a fare?”: its reports are not answers"),
}


def _ready(draft: QuestionDraft, reports: str) -> Survey:
    survey = make_open(draft)
    fill(survey, {reports: 30})
    make_budget(survey)
    return survey


def test_every_kind_whose_reports_are_answers_can_be_released() -> None:
    asked = selectors.definition_of(make_open(*every_kind())).questions
    refused = {(question.kind, question.design.name) for question in asked if not is_releasable(question)}
    assert refused == {
        ("several_of", "forced_response"),
        ("several_of", "k_ary"),
        ("number_mean", "forced_response"),
        ("number_mean", "k_ary"),
        ("yes_no", "crosswise"),
        ("yes_no", "triangular"),
    }


@pytest.mark.parametrize("case", UNSUITABLE)
def test_the_service_refuses_it_by_name_and_charges_nothing(case: str) -> None:
    draft, reports, words = UNSUITABLE[case]
    survey = _ready(draft, reports)
    for refuse in (
        lambda: releasing.check(survey=survey, question=first(survey), mechanism="laplace_histogram", epsilon=HALF),
        lambda: published_release(survey),
    ):
        with pytest.raises(releasing.UnsuitableQuestion, match=re.escape(words)) as refused:
            refuse()
        assert refused.value.field == "question"
    assert (Budget.objects.get().spent_micro_epsilon, Release.objects.count()) == (0, 0)


@pytest.mark.parametrize("case", UNSUITABLE)
def test_the_form_refuses_it_beside_the_question(case: str) -> None:
    draft, reports, words = UNSUITABLE[case]
    survey, client = _ready(draft, reports), Client()
    client.force_login(make_admin())
    data = {"question": first(survey).pk, "mechanism": "laplace_histogram", "epsilon": "0.5"}
    response = client.post(reverse("admin:surveys_release_add"), data)
    page = " ".join(response.content.decode().split())
    assert words in page
    assert "Nothing was charged." in page
    assert Release.objects.count() == 0


@pytest.mark.parametrize("draft", [draft for draft in every_kind() if draft.design == "unrelated_question"])
def test_an_unrelated_question_is_released_like_any_other(draft: QuestionDraft) -> None:
    survey = _ready(draft, "1")
    release = published_release(survey)
    page = Client().get(reverse("release", args=[release.pk]))
    assert page.status_code == 200


class TestInfiniteLocalEpsilon:
    """Reports that can prove an answer: only the chance of the release protects."""

    @pytest.fixture
    def survey(self) -> Survey:
        always_yes = {"truth": [1, 2], "yes": [1, 1]}
        return ready_survey({"0": 20, "1": 80}, yes_no(leave_out="no", parameters=always_yes, accepts_infinite=True))

    def test_the_central_bound_alone_holds_for_the_truth(self, survey: Survey) -> None:
        terms = releasing.check(survey=survey, question=first(survey), mechanism="laplace_histogram", epsilon=HALF)
        assert terms.local_epsilon == math.inf
        assert 0.5 <= terms.truth_epsilon < 0.5 + 1e-9
        assert terms.truth_epsilon_together_with(Fraction(1, 4)) == pytest.approx(0.75)

    def test_the_page_says_so_and_the_document_has_no_infinity(self, survey: Survey) -> None:
        release = published_release(survey)
        page = " ".join(Client().get(reverse("release", args=[release.pk])).content.decode().split())
        assert "A single report to this question could prove an answer (local ε is infinite)" in page
        assert "both work together" not in page
        text = Client().get(reverse("release-json", args=[release.pk])).content.decode()
        document = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
        assert document["epsilon_of_one_report"] is None
        assert document["epsilon_for_the_truth"] == pytest.approx(0.5)

    def test_the_terms_are_shown_before_anything_is_charged(self, survey: Survey) -> None:
        client = Client()
        client.force_login(make_admin())
        data = {"question": first(survey).pk, "mechanism": "laplace_histogram", "epsilon": "0.5"}
        page = " ".join(client.post(reverse("admin:surveys_release_add"), data).content.decode().split())
        assert "A report of this question can prove an answer (its ε is infinite)" in page
