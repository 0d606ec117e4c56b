"""Releases of an open survey count what its results count: batches, so that no two of them differ by one response."""

import json
import re
from fractions import Fraction
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from surveys.course.services import close_survey, pause_survey
from surveys.models import Survey
from surveys.releases.refusals import Why
from tests.factories import fill, make_budget, make_open, send, settle, yes_no
from tests.releases.refused import refusing, too_few
from tests.releases.setting import check, epsilon_for, first, make_release
from tests.releases.steps import STEP_1, STEP_2, confirm, look, signed_in, terms_of, text_of

pytestmark = pytest.mark.django_db

MINIMUM = 10
EPSILON = Fraction(1, 2)


@pytest.fixture
def survey() -> Survey:
    """Return an open survey with a hundred answers to both questions in its figures."""
    survey = make_open(yes_no("First?"), yes_no("Second?"), minimum_n=MINIMUM)
    fill(survey, {"00": 61, "11": 39})
    make_budget(survey, 10)
    return survey


def _counted(survey: Survey, staff: Client, admin: User) -> list[int]:
    """Return how many answers to the second question each way to a release says that there are."""
    question = 2
    about: dict[str, Any] = {"survey": survey, "questions": [question], "mechanism": "laplace_histogram"}
    step_1 = re.findall(r"Second\? \([^)]*?(\d+)", text_of(staff.get(STEP_1, {"survey": survey.pk})))
    terms = staff.get(STEP_2, {"survey": survey.pk, "questions": [question]})
    step_3 = look(staff, survey, questions=[question]).context["cost"].terms.plans[0].n
    out = StringIO()
    named = ["--mechanism=laplace_histogram", "--question=2", "--epsilon=0.5", "--reason=x", f"--user={admin.username}"]
    call_command("release", survey.code, *named, "--dry-run", "--json", stdout=out)
    assert terms.status_code == 200
    return [
        int(step_1[0]),
        step_3,
        check(**about, epsilon=EPSILON).plans[0].n,
        json.loads(out.getvalue())["parts"][0]["n"],
        make_release(survey, questions=[question]).parts.get().n,
    ]


@pytest.mark.parametrize("reports", ["1-", "11"], ids=["one", "both"])
def test_an_answer_that_just_came_in_is_in_no_release_and_in_nothing_that_is_free(
    survey: Survey, staff: Client, admin: User, reports: str
) -> None:
    before = make_release(survey)
    send(survey, reports)
    after = make_release(survey)
    assert [release.data_version for release in (before, after)] == ["100", "100"]
    assert [release.parts.get().n for release in (before, after)] == [100, 100]
    assert _counted(survey, staff, admin) == [100] * 5
    pause_survey(survey=survey)
    assert _counted(survey, staff, admin) == [100] * 5


def test_once_the_survey_is_closed_every_answer_is_counted(survey: Survey, staff: Client, admin: User) -> None:
    send(survey, "1-")
    send(survey, "11")
    closed = close_survey(survey=survey)
    assert _counted(closed, staff, admin) == [101] * 5
    assert make_release(closed).data_version == "102"


def test_steps_and_command_count_what_housekeeping_has_counted(survey: Survey, staff: Client, admin: User) -> None:
    for _ in range(2 * MINIMUM):
        send(survey, "11")
    assert (
        check(survey=survey, questions=[first(survey)], mechanism="laplace_histogram", epsilon=EPSILON).plans[0].n
        == 100
    )
    assert _counted(survey, staff, admin) == [100] * 5
    settle(survey)
    assert _counted(survey, staff, admin) == [100 + MINIMUM] * 5


def test_the_answers_of_an_open_survey_are_counted_by_batches_and_the_refusal_says_so(staff: Client) -> None:
    survey = make_open(minimum_n=MINIMUM)
    make_budget(survey)
    for _ in range(2 * MINIMUM - 1):
        send(survey, "1")
    words = str(too_few(0, MINIMUM, in_batches=True))
    with refusing(Why.TOO_FEW_ANSWERS, match=words):
        make_release(survey)
    assert words in text_of(staff.get(STEP_2, terms_of(survey)))
    assert "batches" in text_of(staff.get(STEP_1, {"survey": survey.pk}))
    send(survey, "1")
    settle(survey)
    assert staff.get(STEP_2, terms_of(survey)).context["step"] == 2
    assert make_release(survey).parts.get().n == MINIMUM


def test_a_closed_survey_with_too_few_answers_waits_for_no_batch(staff: Client) -> None:
    survey = make_open(minimum_n=MINIMUM)
    make_budget(survey)
    send(survey, "1")
    closed = close_survey(survey=survey)
    with refusing(Why.TOO_FEW_ANSWERS, match=str(too_few(1, MINIMUM))):
        make_release(closed)
    assert "batches" not in text_of(staff.get(STEP_1, {"survey": survey.pk}))


def test_a_wanted_accuracy_is_worked_out_from_the_same_answers(survey: Survey) -> None:
    def needed() -> Fraction:
        return epsilon_for(
            survey=survey,
            questions=[first(survey)],
            mechanism="laplace_histogram",
            wanted=Fraction(9),
            unit="points",
        )

    before = needed()
    for _ in range(2 * MINIMUM - 1):
        send(survey, "11")
    assert needed() == before
    assert close_survey(survey=survey).state == "closed"
    survey.refresh_from_db()
    assert needed() < before


def test_what_was_shown_is_what_is_drawn_though_answers_came_in_between(survey: Survey, staff: Client) -> None:
    shown = look(staff, survey)
    for _ in range(2 * MINIMUM):
        send(survey, "11")
    confirm(staff, signed_in(shown))
    assert survey.releases.get().parts.get().n == shown.context["cost"].terms.plans[0].n == 100
