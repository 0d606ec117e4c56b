"""Receipts are redeemed once, after the survey has closed, by whoever has them."""

import re
import secrets
from collections.abc import Callable
from functools import partial

import pytest

from surveys.course.services import pause_survey, purge_survey, seal_survey
from surveys.credit.services.redeeming import ReceiptProblem, ReceiptRefused, Score, read_receipt, redeem
from surveys.models import SpentReceipt, State, Survey, WaitingScore
from tests.at_once import at_once, tally
from tests.credit.receipts import closed_with_credit, make_platform, make_receipt, open_with_credit, written
from tests.factories import make_open

pytestmark = pytest.mark.django_db


@pytest.fixture
def survey() -> Survey:
    return closed_with_credit()


def _reason(survey: Survey, receipt: str, score: Score | None = None) -> ReceiptProblem | None:
    """Return why a receipt is refused, and nothing else happens; None where it gives credit."""
    before = SpentReceipt.objects.count(), WaitingScore.objects.count()
    try:
        redeem(survey=survey, receipt=receipt, score=score)
    except ReceiptRefused as refused:
        assert (SpentReceipt.objects.count(), WaitingScore.objects.count()) == before
        return refused.reason
    return None


def _score(**changes: object) -> Score:
    given = {"platform": make_platform(), "line_item": "https://moodle.example.org/items/1", "subject": "student 1"}
    return Score(**(given | changes))  # type: ignore[arg-type]


# What is read as a receipt.


@pytest.mark.parametrize(
    "wrap",
    [
        lambda receipt: receipt,
        lambda receipt: f"  {receipt}\n",
        lambda receipt: f"'{receipt}",
        lambda receipt: f"{receipt[:200]}\r\n {receipt[200:]}",
        lambda receipt: f"https://example.org/credit/ABC234/#{receipt}",
        lambda receipt: f"https://example.org/credit/abc234/?language=de#{receipt}",
        lambda receipt: f"http://10.0.0.1:8000/lti/redeem/ABC234/#{receipt}",
    ],
)
def test_a_receipt_is_read_however_it_was_pasted(wrap: Callable[[str], str]) -> None:
    raw = secrets.token_bytes(320)
    found = read_receipt(wrap(written(raw)))
    assert found is not None
    assert (found.message + found.signature, found.code in {"", "ABC234"}) == (raw, True)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "#",
        "A" * 426,
        "A" * 428,
        "A" * 426 + "+",
        "A" * 426 + "=",
        "A" * 426 + "é",
        "Ａ" * 427,
        "\0" * 427,
        "#" * 9000,
    ],
)
def test_what_is_no_receipt_is_read_as_none(text: str) -> None:
    assert read_receipt(text) is None


# What gives credit.


@pytest.mark.parametrize("sealed", [False, True])
def test_a_receipt_gives_credit_once(survey: Survey, sealed: bool) -> None:
    receipt = make_receipt(survey)
    survey = seal_survey(survey=survey) if sealed else survey
    assert _reason(survey, receipt) is None
    assert _reason(survey, receipt) is ReceiptProblem.SPENT
    assert _reason(survey, f"https://example.org/credit/{survey.code}/#{receipt}") is ReceiptProblem.SPENT
    assert SpentReceipt.objects.count() == 1


def test_the_same_serial_under_another_prefix_is_the_same_receipt(survey: Survey) -> None:
    serial = secrets.token_bytes(32)
    assert _reason(survey, make_receipt(survey, serial)) is None
    assert _reason(survey, make_receipt(survey, serial)) is ReceiptProblem.SPENT


def test_a_spent_receipt_stays_spent_when_the_servers_key_has_changed(survey: Survey, settings: object) -> None:
    receipt = make_receipt(survey)
    redeem(survey=survey, receipt=receipt)
    settings.SECRET_KEY = "another-key-" * 5  # type: ignore[attr-defined]
    assert _reason(survey, receipt) is ReceiptProblem.SPENT


def test_nothing_is_redeemed_before_the_survey_has_closed_or_once_it_is_purged() -> None:
    survey = open_with_credit()
    receipt = make_receipt(survey)
    assert _reason(survey, receipt) is ReceiptProblem.NOT_YET
    assert _reason(pause_survey(survey=survey), receipt) is ReceiptProblem.NOT_YET
    gone = purge_survey(survey=closed_with_credit())
    assert _reason(gone, receipt) is ReceiptProblem.OVER


def test_a_receipt_of_another_survey_or_key_gives_no_credit(survey: Survey) -> None:
    other = closed_with_credit()
    receipt = make_receipt(other)
    assert _reason(survey, receipt) is ReceiptProblem.NOT_A_RECEIPT
    assert _reason(survey, f"https://example.org/credit/{other.code}/#{receipt}") is ReceiptProblem.OF_ANOTHER_SURVEY
    assert _reason(survey, f"https://evil.example/credit/{survey.code}/#{receipt}") is ReceiptProblem.NOT_A_RECEIPT
    assert _reason(other, receipt) is None


def test_a_survey_without_credit_takes_no_receipt(survey: Survey) -> None:
    plain = make_open()
    Survey.objects.filter(pk=plain.pk).update(state=State.CLOSED)
    plain.refresh_from_db()
    assert _reason(plain, make_receipt(survey)) is ReceiptProblem.NOT_A_RECEIPT


@pytest.mark.parametrize("place", [0, 31, 32, 63, 64, 319])
def test_a_receipt_with_one_bit_changed_gives_no_credit(survey: Survey, place: int) -> None:
    found = read_receipt(make_receipt(survey))
    assert found is not None
    raw = bytearray(found.message + found.signature)
    raw[place] ^= 1
    assert _reason(survey, written(bytes(raw))) is ReceiptProblem.NOT_A_RECEIPT


def test_made_up_receipts_give_no_credit(survey: Survey) -> None:
    for raw in (bytes(320), b"\xff" * 320, secrets.token_bytes(320), bytes(319) + b"\x01"):
        assert _reason(survey, written(raw)) is ReceiptProblem.NOT_A_RECEIPT


# Scores that wait.


def test_a_score_waits_for_its_student_and_of_the_receipt_there_is_a_hash_alone(survey: Survey) -> None:
    receipt, score = make_receipt(survey), _score()
    redeem(survey=survey, receipt=receipt, score=score)
    waiting, spent = WaitingScore.objects.get(), SpentReceipt.objects.get()
    assert (waiting.platform, waiting.line_item, waiting.subject, waiting.tries) == (*score, 0)
    found = read_receipt(receipt)
    assert found is not None
    stored = bytes(waiting.key) + bytes(spent.receipt_hash)
    assert not any(stored[at : at + 8] in found.message + found.signature for at in range(len(stored) - 8))


def test_a_student_with_two_receipts_has_spent_both_and_one_score_waits(survey: Survey) -> None:
    score = _score()
    for _ in range(2):
        redeem(survey=survey, receipt=make_receipt(survey), score=score)
        WaitingScore.objects.update(tries=13)
    redeem(survey=survey, receipt=make_receipt(survey), score=score)
    assert (SpentReceipt.objects.count(), WaitingScore.objects.count(), WaitingScore.objects.get().tries) == (3, 1, 0)
    redeem(survey=survey, receipt=make_receipt(survey), score=score._replace(subject="student 2"))
    assert WaitingScore.objects.count() == 2


def test_a_student_whose_score_was_sent_is_sent_it_again(survey: Survey) -> None:
    score = _score()
    redeem(survey=survey, receipt=make_receipt(survey), score=score)
    WaitingScore.objects.all().delete()
    redeem(survey=survey, receipt=make_receipt(survey), score=score)
    assert WaitingScore.objects.count() == 1


def test_a_spent_receipt_brings_nobody_a_score(survey: Survey) -> None:
    receipt = make_receipt(survey)
    redeem(survey=survey, receipt=receipt, score=_score())
    again = _score(platform=make_platform("Canvas"))
    assert _reason(survey, receipt, again) is ReceiptProblem.SPENT


def test_no_refusal_repeats_the_receipt(survey: Survey) -> None:
    for receipt in ("A" * 427, make_receipt(closed_with_credit())):
        with pytest.raises(ReceiptRefused) as refused:
            redeem(survey=survey, receipt=receipt)
        assert not re.search(r"[\w-]{30}", str(refused.value))


# At once: on a SQLite file, or on PostgreSQL where DATABASE_URL says so.


@pytest.mark.usefixtures("transactional_db")
def test_of_two_hundred_who_redeem_one_receipt_at_once_exactly_one_gets_credit() -> None:
    survey = closed_with_credit()
    receipt, platform = make_receipt(survey), make_platform()

    def one(number: int) -> str:
        score = Score(platform, "https://moodle.example.org/items/1", f"student {number}")
        try:
            redeem(survey=survey, receipt=receipt, score=score)
        except ReceiptRefused as refused:
            return refused.reason.name
        return "credit"

    came_to = at_once(*(partial(one, number) for number in range(200)))
    assert tally(came_to) == {"credit": 1, "SPENT": 199}
    assert (SpentReceipt.objects.count(), WaitingScore.objects.count()) == (1, 1)
