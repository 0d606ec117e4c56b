"""Figures of one question by the answers to another: one charge for all groups, read off the noisy table of both."""

import json
from fractions import Fraction
from typing import Any

import pytest
from django.test import Client

from surveys.models import Mechanism, Survey
from surveys.questionnaire.question import Question
from surveys.releases.files import document_of
from surveys.releases.mechanisms import PLANS
from surveys.releases.mechanisms.figures_by_group import ByGroup
from surveys.releases.refusals import Why
from surveys.releases.selectors.reading import reading_of
from tests.factories import PROTECTED, number_mean, one_of, scale, several_of, yes_no
from tests.pages import rows_under
from tests.privacy.chance import seeded
from tests.releases.asked import MILLIONTH, asked_as
from tests.releases.people import in_order
from tests.releases.refused import refusing
from tests.releases.setting import check, make_release, published_release, ready_survey
from tests.releases.test_verifier import VERIFIER

pytestmark = pytest.mark.django_db

BY: dict[str, Any] = {"mechanism": Mechanism.FIGURES_BY_GROUP, "options": {"outcome": "1"}, "epsilon": Fraction(1)}


def _survey(outcome: Question, groups: Question, n: int = 1200) -> Survey:
    reports = {f"{one}{other}": 0 for one in "01" for other in "01"}
    for place, pair in enumerate(reports):
        reports[pair] = n // 4 + (n // 8) * (1 if place in {0, 3} else -1)
    return ready_survey(reports, outcome, groups, epsilon=10, delta=Fraction(1, 1000))


def _release(survey: Survey, **changes: Any) -> Any:  # noqa: ANN401 - a release
    asked = BY | {"questions": in_order(survey), "randbelow": seeded(1)} | changes
    return published_release(survey, **asked)


CASES = {
    "shares of two answers": (yes_no(leave_out="no"), one_of(leave_out="no"), 3),
    "shares of three answers": (one_of(leave_out="no"), yes_no(leave_out="no"), 6),
    "a mean of a scale": (scale(leave_out="no"), yes_no(leave_out="no"), 2),
    "a mean of a number": (number_mean(leave_out="no"), yes_no(leave_out="no"), 2),
    "groups with those who do not say": (yes_no(leave_out="no"), yes_no("And?", **PROTECTED), 3),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("delta", [Fraction(0), MILLIONTH], ids=["laplace", "gaussian"])
def test_each_group_has_its_figures_and_a_third_party_computes_the_same(case: str, delta: Fraction) -> None:
    outcome, groups, figures = CASES[case]
    reading = reading_of(_release(_survey(outcome, groups), delta=delta))
    [part] = reading.parts
    finding = part.finding
    assert isinstance(finding, ByGroup)
    assert len(finding.figures) == figures
    assert all(one.figure.low <= one.figure.high for one in finding.figures)
    assert sum(size.share for size in finding.sizes) == pytest.approx(1)
    document = json.loads(json.dumps(document_of(reading)))
    assert VERIFIER.faults_of(document)[1] == []
    row = document["parts"][0]["found"]["figures"][0]
    for name in ("raw", "value", "low", "high"):
        right, row[name] = row[name], (row[name] or 0) + 0.01
        assert VERIFIER.faults_of(document)[1] != [], name
        row[name] = right
    size = document["parts"][0]["found"]["groups"][0]
    for name in ("share", "low", "high"):
        right, size[name] = size[name], abs(size[name] - 0.01)
        assert VERIFIER.faults_of(document)[1] != [], name
        size[name] = right


def test_all_groups_cost_what_one_histogram_does() -> None:
    for groups in (yes_no("And?", leave_out="no"), one_of(leave_out="no"), scale(leave_out="no")):
        [plan] = check(
            **BY, survey=(survey := _survey(yes_no(leave_out="no"), groups)), questions=in_order(survey)
        ).plans
        assert plan.mechanism.sensitivity.value == 2
        assert plan.mechanism.loss == plan.loss
        assert plan.loss.epsilon == 1


def test_the_largest_and_the_smallest_group_are_named(client: Client) -> None:
    release = _release(_survey(yes_no(leave_out="no"), yes_no("And?", leave_out="no"), n=4000), epsilon=Fraction(5))
    finding = reading_of(release).parts[0].finding
    assert isinstance(finding, ByGroup)
    assert finding.ends is not None
    assert [one.group for one in finding.ends] == ["Yes", "No"]
    assert finding.ends[0].says in finding.title
    page = client.get(f"/r/{release.pk}/").content.decode()
    captions = ("Released and derived values", "People in each group", "Counts of reports, as released")
    assert [len(rows_under(page, caption)) for caption in captions] == [2, 2, 4]


def test_too_much_noise_is_said() -> None:
    release = _release(_survey(yes_no(leave_out="no"), yes_no("And?", leave_out="no")), epsilon=Fraction(1, 1000))
    finding = reading_of(release).parts[0].finding
    assert isinstance(finding, ByGroup)
    assert (finding.is_uninformative, finding.ends) == (True, None)
    assert finding.title


def test_what_precision_is_expected_is_said_before() -> None:
    for outcome, words in ((yes_no(leave_out="no"), "percentage points"), (number_mean(leave_out="no"), "mean")):
        survey = _survey(outcome, yes_no("And?", leave_out="no"))
        [plan] = check(**BY, survey=survey, questions=in_order(survey)).plans
        [half] = plan.expected_half_widths(0.95)
        assert half > 0
        assert words in plan.expectation_says()
        assert "%(" not in plan.expectation_says() + plan.options_words


def test_two_questions_with_one_report_each_are_needed() -> None:
    offer = PLANS[Mechanism.FIGURES_BY_GROUP]
    asked = asked_as(yes_no(leave_out="no"), one_of(leave_out="no"), scale(leave_out="no"), several_of(), number_mean())
    yes, one, of_points, several, number = asked
    assert offer.unsuitable_together([yes, one]) == ""
    for wrong in ([yes], [yes, one, of_points]):
        assert "two questions" in offer.unsuitable_together(wrong)
    assert several.text in offer.unsuitable_together([yes, several])
    # A rounded number can have a mean, and make no groups.
    assert offer.unsuitable_together([yes, number]) == ""
    survey = _survey(yes_no(leave_out="no"), number_mean(leave_out="no"))
    with refusing(Why.INVALID_OPTION):
        make_release(**BY, survey=survey, questions=in_order(survey))
    assert make_release(**(BY | {"options": {"outcome": "2"}}), survey=survey, questions=in_order(survey)).pk
