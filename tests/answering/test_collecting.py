"""A submission is one row of reports, sent as often as it likes."""

import time
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django.fixtures import Settings

from surveys.answering.services import collecting, perturbing
from surveys.answering.services.collecting import Outcome
from surveys.common.selectors import definition_of, survey_by_code
from surveys.common.totals import response_count
from surveys.course.services import close_survey, open_survey, pause_survey
from surveys.drafts.services.groups import add_group
from surveys.models import Response, Survey
from tests.at_once import at_once, tally
from tests.factories import make_draft, make_open, one_of, send, yes_no

pytestmark = pytest.mark.django_db


def test_a_submission_is_stored_as_its_reports_and_nothing_else() -> None:
    survey = make_open(yes_no(), one_of())
    assert send(survey, "12") is Outcome.ACCEPTED
    row = Response.objects.values().get()
    assert len(bytes(row.pop("nonce_hash"))) == 16
    assert row == {"survey_id": survey.pk, "group_id": None, "mode": "device", "reports": "12"}


def test_storing_takes_one_statement() -> None:
    survey = make_open()
    definition = definition_of(survey)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        collecting.collect(
            survey=survey, definition=definition, mode="device", nonce=collecting.new_nonce(), reports="1"
        )
    (query,) = queries.captured_queries
    assert query["sql"].split("(")[0].split() == (
        ["INSERT", "INTO", "surveys_response"] if connection.vendor == "sqlite" else ["SELECT", "store_response"]
    )


def test_the_same_nonce_again_makes_no_second_row() -> None:
    survey = make_open()
    nonce = collecting.new_nonce()
    assert [send(survey, "1", nonce=nonce) for _ in range(3)] == [Outcome.ACCEPTED, Outcome.REPEATED, Outcome.REPEATED]
    assert Response.objects.count() == 1


def test_the_same_nonce_with_other_reports_keeps_the_first() -> None:
    survey = make_open()
    nonce = collecting.new_nonce()
    send(survey, "1", nonce=nonce)
    with pytest.raises(collecting.AlteredResend):
        send(survey, "0", nonce=nonce)
    assert Response.objects.get().reports == "1"


@pytest.mark.parametrize(
    ("halt", "outcome"),
    [
        (lambda survey: pause_survey(survey=survey), Outcome.REPEATED),
        (lambda survey: close_survey(survey=survey), Outcome.KEPT),
    ],
    ids=["paused", "closed"],
)
def test_a_resend_is_acknowledged_after_the_survey_takes_no_more(
    halt: Callable[[Survey], Survey], outcome: Outcome
) -> None:
    survey = make_open()
    nonce = collecting.new_nonce()
    send(survey, "1", nonce=nonce)
    halted = halt(survey)
    assert send(halted, "1", nonce=nonce) is outcome
    with pytest.raises(collecting.NotCollecting):
        send(halted, "1")
    assert response_count(halted) == 1


def test_a_group_of_another_survey_is_refused() -> None:
    survey = make_open()
    stranger = add_group(survey=make_open(), name="Monday")
    with pytest.raises(collecting.InvalidSubmission) as refused:
        collecting.collect(
            survey=survey,
            definition=definition_of(survey),
            mode="device",
            nonce=collecting.new_nonce(),
            reports="1",
            group=stranger,
        )
    assert (refused.value.field, response_count(survey)) == ("group", 0)


def test_the_same_nonce_in_another_survey_is_another_submission() -> None:
    nonce = collecting.new_nonce()
    assert send(make_open(), "1", nonce=nonce) is Outcome.ACCEPTED
    assert send(make_open(), "1", nonce=nonce) is Outcome.ACCEPTED


def test_a_survey_that_closes_between_reading_and_writing_takes_nothing() -> None:
    stale = make_open()
    close_survey(survey=stale)
    assert stale.state == "open"
    with pytest.raises(collecting.NotCollecting) as refused:
        send(stale, "1")
    assert (refused.value.reason, Response.objects.count()) == ("closed", 0)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"opens_at": timedelta(hours=1)}, "not_yet"),
        ({"closes_at": timedelta(hours=-1)}, "over"),
    ],
)
def test_outside_its_dates_a_survey_takes_nothing(changes: dict[str, timedelta], reason: str) -> None:
    survey = make_open(**{name: timezone.now() + delta for name, delta in changes.items()})
    with pytest.raises(collecting.NotCollecting) as refused:
        send(survey, "1")
    assert (refused.value.reason, Response.objects.count()) == (reason, 0)


def test_drafts_and_paused_surveys_take_nothing_and_reopened_ones_do() -> None:
    for survey in (make_draft(), pause_survey(survey=make_open())):
        with pytest.raises(collecting.NotCollecting):
            send(survey, "1")
    assert send(open_survey(survey=survey), "1") is Outcome.ACCEPTED


@pytest.mark.parametrize("reports", ["", "1", "111", "21", "1x", "1-", "-", "1\0", "١1", "1 ", "ab", "1" * 100_000])
def test_reports_that_no_page_sends_are_refused_and_nothing_is_stored(reports: str) -> None:
    survey = make_open(yes_no(), one_of())
    with pytest.raises(collecting.InvalidSubmission) as refused:
        send(survey, reports)
    assert (refused.value.field, Response.objects.count()) == ("reports", 0)


@pytest.mark.parametrize("nonce", ["", "short", "x" * 23, "x" * 21 + "!", "x" * 21 + "\n", "ü" * 22])
def test_a_malformed_nonce_is_refused(nonce: str) -> None:
    survey = make_open()
    with pytest.raises(collecting.InvalidSubmission, match="one-time number"):
        collecting.collect(survey=survey, definition=definition_of(survey), mode="device", nonce=nonce, reports="1")
    assert Response.objects.count() == 0


@pytest.mark.parametrize("mode", ["server", "truth", ""])
def test_a_mode_that_the_author_has_not_allowed_is_refused(mode: str) -> None:
    with pytest.raises(collecting.InvalidSubmission) as refused:
        send(make_open(), "1", mode=mode)
    assert refused.value.field == "mode"


def test_a_full_survey_takes_no_more() -> None:
    survey = make_open(response_cap=2)
    send(survey, "1")
    send(survey, "0")
    with pytest.raises(collecting.SurveyFull):
        send(survey, "1")
    assert Response.objects.count() == 2


def test_of_many_at_once_a_capped_survey_takes_exactly_its_cap(transactional_db: None) -> None:
    survey = Survey.objects.get(pk=make_open(response_cap=7).pk)
    definition = definition_of(survey)

    def submit() -> str:
        return collecting.collect(
            survey=survey, definition=definition, mode="device", nonce=collecting.new_nonce(), reports="1"
        ).value

    assert tally(at_once(*[submit] * 30)) == {"accepted": 7, "SurveyFull": 23}
    assert Response.objects.count() == 7


@pytest.mark.parametrize(
    ("truths", "field"), [([2, 0], "answer-1"), ([-1, 0], "answer-1"), ([0, None], "answer-2"), ([0], "answers")]
)
def test_a_truth_that_is_no_answer_is_refused_by_name(truths: list[int | None], field: str) -> None:
    definition = definition_of(make_open(yes_no(), one_of()))
    with pytest.raises(collecting.InvalidSubmission) as refused:
        perturbing.perturb(definition=definition, truths=truths)
    assert refused.value.field == field


def test_the_definition_of_an_open_survey_is_read_once(django_assert_num_queries: object) -> None:
    survey = make_open()
    first = definition_of(survey_by_code(survey.code))
    with CaptureQueriesContext(connection) as queries:
        again = definition_of(survey_by_code(survey.code.lower()))
    assert again is first
    assert len(queries.captured_queries) == 1


def test_the_survey_behind_a_code_is_read_as_it_is_stored() -> None:
    now = timezone.now()
    stored = make_open(
        opens_at=now - timedelta(days=1), closes_at=now + timedelta(days=1), response_cap=9, minimum_n=11
    )
    stored.refresh_from_db()
    with CaptureQueriesContext(connection) as queries:
        read = survey_by_code(stored.code)
    assert len(queries.captured_queries) == 1
    names = ("pk", "code", "state", "opens_at", "closes_at", "response_cap", "content_hash", "minimum_n")
    assert [getattr(read, name) for name in names] == [getattr(stored, name) for name in names]


def test_a_read_that_began_after_a_request_came_serves_it_and_an_earlier_one_does_not() -> None:
    survey = make_open()
    came = time.monotonic()
    read = survey_by_code(survey.code, arrived=came)
    with CaptureQueriesContext(connection) as queries:
        again = survey_by_code(survey.code, arrived=came)
    assert queries.captured_queries == []
    assert again == read
    assert again.state == "open"
    again.state, again.title = "closed", "changed by one request alone"
    assert survey_by_code(survey.code, arrived=came).state == "open"
    pause_survey(survey=survey)
    assert survey_by_code(survey.code, arrived=time.monotonic()).state == "paused"
    assert survey_by_code(survey.code).state == "paused"


def test_what_waits_to_be_stored_is_stored_at_once_and_each_is_told_its_own() -> None:
    survey, closed = make_open(), make_open()
    group = add_group(survey=survey, name="Morning")
    close_survey(survey=closed)

    def waiting(nonce: int, reports: str, of: Survey = survey) -> collecting._Response:
        return collecting._Response(of, group if of == survey else None, "device", reports, bytes([nonce] * 16))

    line = [
        waiting(3, "1"),
        waiting(1, "0"),
        waiting(2, "1", closed),
        waiting(3, "1"),
        waiting(1, "1"),
        waiting(0, "-"),
    ]
    assert collecting._insert_all(line) == [True, True, False, False, False, True]
    stored = Response.objects.order_by("nonce_hash").values_list("survey_id", "group_id", "reports", "nonce_hash")
    assert [(*row[:3], bytes(row[3])[0]) for row in stored] == [
        (survey.pk, group.pk, "-", 0),
        (survey.pk, group.pk, "0", 1),
        (survey.pk, group.pk, "1", 3),
    ]
    assert collecting._insert_all(line[:2]) == [False, False]


def test_while_keys_are_rotated_a_resend_is_known_by_the_earlier_key(settings: Settings) -> None:
    survey, nonce = make_open(), collecting.new_nonce()
    send(survey, "1", nonce=nonce)
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "the key after it"
    assert send(survey, "1", nonce=nonce) is Outcome.REPEATED
    with pytest.raises(collecting.AlteredResend):
        send(survey, "0", nonce=nonce)
    settings.SECRET_KEY_FALLBACKS = []
    assert send(survey, "1", nonce=nonce) is Outcome.ACCEPTED
