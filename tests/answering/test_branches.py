"""Questions that only some are asked, on the way of an answer: sent, tapped without a script, simulated."""

import re
from fractions import Fraction

import pytest
from django.test import Client

from surveys.answering.services.perturbing import Tapped, perturb
from surveys.answering.services.simulating import simulate
from surveys.answering.words.designs import asked_after
from surveys.common.selectors import definition_of
from surveys.models import Survey
from tests.answering.test_sending import BY_SCRIPT, NONCE, device, stored
from tests.factories import make_open, number_mean, plain, several_of, yes_no
from tests.pages import text_of, words_of
from tests.questionnaire.test_branches import after

pytestmark = pytest.mark.django_db


@pytest.fixture
def survey() -> Survey:
    return make_open(
        plain(),
        yes_no("Did you copy?", leave_out="no", **after(1, 1, 2)),
        several_of(["Tea", "Gin"], leave_out="no", **after(1, 0)),
        server_mode_allowed=True,
    )


@pytest.mark.parametrize(
    ("reports", "question"),
    [
        ("0-10", ""),
        ("11--", ""),
        ("01--", "Question 2"),
        ("2110", "Question 3"),
        ("1---", "Question 2"),
        ("0---", "Question 3"),
        ("0-1-", "Question 3"),
    ],
)
def test_exactly_what_is_asked_has_reports(client: Client, survey: Survey, reports: str, question: str) -> None:
    sent = client.post(f"/s/{survey.code}/", device(reports), headers=BY_SCRIPT)
    assert sent.status_code == (400 if question else 200)
    assert sent.json().get("error", "").startswith(question)
    assert stored() == ([] if question else [("device", reports)])


def test_the_receipt_lists_what_was_asked(client: Client, survey: Survey) -> None:
    client.post(f"/s/{survey.code}/", device("11--"), headers=BY_SCRIPT)
    page = words_of(text_of(client.get(f"/s/{survey.code}/receipt/")))
    assert "Did you copy? Yes" in page
    assert several_of().text not in page


@pytest.mark.parametrize("place", ["own-coin/", "server/"])
def test_forms_without_a_script_say_whom_a_question_is_for_and_require_nothing_there(
    client: Client, survey: Survey, place: str
) -> None:
    html = text_of(client.get(f"/s/{survey.code}/{place}"))
    conditions = [question.asked_if for question in definition_of(survey).questions if question.asked_if]
    assert [asked_after(condition) for condition in conditions] == ["“Second year” or “Later”", "“First year”"]
    for condition in conditions:
        assert asked_after(condition) in words_of(html)
    field = "item" if place == "own-coin/" else "answer"
    required = set(re.findall(rf'name="{field}-(\w+)"[^>]*? required', html))
    assert required == {"1"}


def test_what_was_tapped_beside_the_point_is_not_read(client: Client, survey: Survey) -> None:
    tapped = {"mode": "own_coin", "nonce": NONCE, "item-1": "0", "item-2": "1", "item-3a": "1", "item-3b": "0"}
    assert client.post(f"/s/{survey.code}/", tapped).status_code == 303
    answers = {"mode": "server", "nonce": f"{NONCE[:-1]}w", "answer-1": "1", "answer-2": "1", "answer-3a": "1"}
    assert Client().post(f"/s/{survey.code}/server/", answers).status_code == 303
    reports = dict(stored())
    assert reports["own_coin"] == "0-10"
    assert re.fullmatch("1[01]--", reports["server"])


def test_what_is_missing_is_asked_for_of_those_who_are_asked(client: Client, survey: Survey) -> None:
    tapped = {"mode": "own_coin", "nonce": NONCE, "item-1": "1"}
    assert list(client.post(f"/s/{survey.code}/", tapped).context["problems"]) == ["item-2"]
    answered = Client().post(
        f"/s/{survey.code}/server/", {"mode": "server", "nonce": NONCE, "answer-1": "1"}, follow=True
    )
    assert list(answered.context["problems"]) == ["answer-2"]
    assert stored() == []


def test_of_true_answers_only_those_to_what_is_asked_are_perturbed() -> None:
    definition = definition_of(make_open(plain(), number_mean(**after(1, 0)), yes_no(**after(1, 1))))
    bounds: list[int] = []

    def drawn(bound: int) -> int:
        bounds.append(bound)
        return 0

    reports = perturb(definition=definition, truths=[Tapped("1"), Fraction(12), 1], randbelow=drawn)
    assert re.fullmatch("1-[01]", reports)
    assert len(bounds) == 1  # nothing is drawn for what is not asked
    assert perturb(definition=definition, truths=[2, Fraction(12), 1], randbelow=drawn)[1:] == "--"


def test_simulated_people_answer_what_they_are_asked(survey: Survey) -> None:
    shares = [[Fraction(1, 3)] * 3, *[[Fraction(1, 2)] * 2] * 3]
    list(simulate(survey=survey, respondents=60, shares=shares))
    definition = definition_of(survey)
    sent = [reports for _mode, reports in stored()]
    assert len(sent) == 60
    assert {definition.misfit(reports) for reports in sent} == {""}
    assert sorted(reports[0] for reports in sent) == ["0"] * 20 + ["1"] * 20 + ["2"] * 20
