"""How much a survey may give away in all: capped by the server; what proves an answer is named apart, and meant."""

import re

import pytest
from django.core.exceptions import ValidationError
from django.test import override_settings
from django.urls import reverse

from surveys.course.services import open_survey
from surveys.linting.findings import Level, LintFinding
from surveys.linting.selectors import findings_of
from surveys.models import State, Survey
from surveys.questionnaire.question import Question
from tests.factories import make_draft, one_of, plain, several_of, triangular, yes_no
from tests.pages import owner_of, page_of, text_of, words_of

pytestmark = pytest.mark.django_db

default_cap = override_settings(EPSILON_CAP=12.0)
# 20 reports of fair coins: 20 ln 3 = 21.98.
WIDE = several_of([f"Thing {number}" for number in range(20)])
# 11 of them: 12.09, and 10: 10.99.
ELEVEN, TEN = ([yes_no(f"Number {number}?") for number in range(count)] for count in (11, 10))


def _of_total_epsilon(survey: Survey) -> LintFinding:
    return {finding.rule: finding for finding in findings_of(survey)}["total_epsilon"]


def _address(survey: Survey) -> str:
    return reverse("survey-open", args=[survey.code])


@default_cap
@pytest.mark.parametrize("questions", [[WIDE], ELEVEN, [*ELEVEN, triangular()]])
def test_a_survey_above_the_cap_is_not_opened_and_its_finding_is_a_problem(questions: list[object]) -> None:
    draft = make_draft(*questions)  # type: ignore[arg-type]
    with pytest.raises(ValidationError, match=r"ε = \d+\.\d\d, .* 12\."):
        open_survey(survey=draft, typed=draft.code)
    assert Survey.objects.get(pk=draft.pk).is_draft
    finding = _of_total_epsilon(draft)
    assert finding.level == Level.PROBLEM
    assert finding.what.endswith(" 12.")


@default_cap
def test_below_the_cap_it_opens_and_the_linter_warns_as_before() -> None:
    draft = make_draft(*TEN)
    finding = _of_total_epsilon(draft)
    assert finding.level == Level.WARNING
    assert " 10.99, " in finding.what
    assert open_survey(survey=draft).state == State.OPEN


@override_settings(EPSILON_CAP=1.0)
def test_the_cap_is_a_setting() -> None:
    with pytest.raises(ValidationError, match=r"ε = 1\.10, .* 1\."):
        open_survey(survey=make_draft())


@default_cap
def test_the_page_that_opens_says_why_it_does_not() -> None:
    draft = make_draft(WIDE)
    response = owner_of(draft).post(_address(draft))
    assert response.status_code == 422
    assert re.search(r"ε = 21\.98, [^.]* 12\.", words_of(text_of(response)))


SENSITIVE = ("What is your religion?", "Were you ever abused at home?", "Did you take drugs this year?")


@pytest.mark.parametrize("second", [triangular(), *(plain(text=text) for text in SENSITIVE)])
def test_what_proves_an_answer_or_is_sensitive_and_unprotected_opens_only_when_the_code_is_typed(
    second: Question,
) -> None:
    draft = make_draft(yes_no(), second)
    with pytest.raises(ValidationError) as refused:
        open_survey(survey=draft)
    assert list(refused.value.message_dict) == ["code"]
    client = owner_of(draft)
    page = client.get(_address(draft))
    named = page.context["sensitive"] if second.design == "plain" else page.context["definition"].proving
    assert named == (2,)
    for typed in ("", "EXAM"):
        response = client.post(_address(draft), {"code": typed})
        assert response.status_code == 422
        assert 'href="#id_code"' in response.content.decode()
    assert Survey.objects.get(pk=draft.pk).is_draft
    assert client.post(_address(draft), {"code": f" {draft.code.lower()} "}).status_code == 302
    assert Survey.objects.get(pk=draft.pk).state == State.OPEN


def test_what_proves_is_named_beside_the_sum() -> None:
    assert "ε = 1.10, and ∞" in page_of("survey-open", make_draft(yes_no(), triangular()))


@pytest.mark.parametrize("second", [one_of(), plain()])
def test_nothing_is_to_be_typed_where_no_report_proves_anything_or_is_sensitive(second: Question) -> None:
    page = page_of("survey-open", make_draft(yes_no(), second))
    assert 'id="id_code"' not in page
    assert "∞" not in page


def test_a_survey_that_only_proves_has_no_sum() -> None:
    assert "ε = ∞ in total" in page_of("survey-open", make_draft(triangular()))


@default_cap
def test_rehearsing_is_free_of_both_for_nobody_answers() -> None:
    copy = make_draft(WIDE, triangular(), rehearsal_of=make_draft())
    assert open_survey(survey=copy).state == State.OPEN
