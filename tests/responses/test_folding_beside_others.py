"""Who sends, counts or closes while a survey is folded loses nothing and is stored once."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from surveys.answering.services import collecting
from surveys.answering.services.collecting import Outcome
from surveys.common.selectors import definition_of
from surveys.common.totals import response_count
from surveys.course.services import close_survey
from surveys.models import Invitation, PatternCount, Response, Survey, storing
from surveys.responses.selectors.tally import fresh_tally_of
from surveys.responses.services.folding import fold
from surveys.sharing.services import invite, new_batch
from tests.factories import make_open, send, spent_count

pytestmark = pytest.mark.django_db


def test_arrivals_and_resends_during_folds_are_neither_lost_nor_doubled(transactional_db: None) -> None:
    survey = make_open(minimum_n=5)
    definition = definition_of(survey)
    survey = Survey.objects.get(pk=survey.pk)
    sent, senders = 40, 4
    errors: list[BaseException] = []
    finished = threading.Event()

    def submit() -> None:
        try:
            for _ in range(sent):
                nonce = collecting.new_nonce()
                # Three times each: a resend may meet its first copy before, during or after a fold.
                for _ in range(3):
                    collecting.collect(survey=survey, definition=definition, mode="device", nonce=nonce, reports="1")
        except BaseException as error:  # noqa: BLE001 - reported below
            errors.append(error)
        finally:
            connection.close()

    def keep_folding() -> None:
        try:
            while not finished.is_set():
                fold(survey=survey)
                finished.wait(0.005)
        except BaseException as error:  # noqa: BLE001 - reported below
            errors.append(error)
        finally:
            connection.close()

    counted: list[int] = []

    def keep_counting() -> None:
        try:
            while not finished.is_set():
                counted.append(response_count(survey))
                counted.append(fresh_tally_of(survey, items=1).n)
                finished.wait(0.002)
        finally:
            connection.close()

    threads = [threading.Thread(target=submit) for _ in range(senders)]
    others = [threading.Thread(target=keep_folding) for _ in range(2)] + [threading.Thread(target=keep_counting)]
    for thread in (*threads, *others):
        thread.start()
    for thread in threads:
        thread.join()
    finished.set()
    for thread in others:
        thread.join()
    assert errors == []
    # What a reader sees never goes down: no row is missed or read twice while it moves.
    assert counted == sorted(counted)
    assert response_count(survey) == sent * senders
    assert PatternCount.objects.count() == 1
    assert spent_count() + Response.objects.count() == sent * senders
    assert spent_count() > 0


def _elsewhere(act: Callable[[], object]) -> object:
    """Do this on the connection of a thread that is used for nothing else, and return what came of it."""
    try:
        return act()
    except collecting.SubmissionRefused as refused:
        return type(refused)
    finally:
        connection.close()


def _while_uncommitted(act: Callable[[], object], meanwhile: Callable[[], object]) -> object:
    """Begin `act` in a transaction, start `meanwhile` elsewhere, commit only then, and return what came of it."""
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            act()
            waiting = pool.submit(_elsewhere, meanwhile)
            with pytest.raises(TimeoutError):
                waiting.result(timeout=0.5)
        return waiting.result()


def _opened(**fields: object) -> Survey:
    return Survey.objects.get(pk=make_open(minimum_n=5, **fields).pk)


def test_a_resend_that_waited_for_a_fold_is_not_stored_again(transactional_db: None) -> None:
    survey, nonce = _opened(), collecting.new_nonce()
    send(survey, "1", nonce=nonce)
    outcome = _while_uncommitted(lambda: fold(survey=survey, everything=True), lambda: send(survey, "1", nonce=nonce))
    assert (outcome, response_count(survey)) == (Outcome.KEPT, 1)


if connection.vendor == "postgresql":

    def test_a_resend_that_looks_for_its_nonce_only_before_it_waits_is_stored_again(
        transactional_db: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The planted fault: the function without its last look."""
        look = "POSITION(SUBSTR(nonce, 3) IN f.hashes) > 0"
        assert look in storing._CREATE
        monkeypatch.setattr(storing, "_CREATE", storing._CREATE.replace(look, "false"))
        with connection.schema_editor() as editor:
            storing.install(None, editor)
        survey, nonce = _opened(), collecting.new_nonce()
        send(survey, "1", nonce=nonce)
        _while_uncommitted(lambda: fold(survey=survey, everything=True), lambda: send(survey, "1", nonce=nonce))
        assert response_count(survey) == 2

    def test_nobody_waits_for_a_fold(transactional_db: None) -> None:
        survey = _opened()
        send(survey, "1")
        with transaction.atomic():
            fold(survey=survey, everything=True)
            with ThreadPoolExecutor(1) as elsewhere:
                assert elsewhere.submit(_elsewhere, lambda: send(survey, "0")).result(timeout=5) is Outcome.ACCEPTED
        assert (response_count(survey), PatternCount.objects.get().count) == (2, 1)

else:

    def test_a_submission_that_waited_for_a_fold_is_stored(transactional_db: None) -> None:
        survey = _opened()
        send(survey, "1")
        outcome = _while_uncommitted(lambda: fold(survey=survey, everything=True), lambda: send(survey, "0"))
        assert (outcome, response_count(survey)) == (Outcome.ACCEPTED, 2)


def test_an_invitation_that_waited_for_a_fold_is_spent(transactional_db: None) -> None:
    survey = _opened(by_invitation=True)
    first, second = invite(survey=survey, number=2, batch=new_batch()).tokens
    send(survey, "1", token=first)
    outcome = _while_uncommitted(lambda: fold(survey=survey, everything=True), lambda: send(survey, "0", token=second))
    assert (outcome, response_count(survey)) == (Outcome.ACCEPTED, 2)
    assert Invitation.objects.filter(spent=True).count() == 2


def test_a_submission_that_waited_for_the_close_is_refused(transactional_db: None) -> None:
    survey = _opened()
    send(survey, "1")
    outcome = _while_uncommitted(lambda: close_survey(survey=survey), lambda: send(survey, "0"))
    assert (outcome, response_count(survey)) == (collecting.NotCollecting, 1)
