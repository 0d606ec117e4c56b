"""No receipt leads to a response: not by any value, not by arithmetic, and by times no better than habits do.

The adversary has a copy of the whole database after every step, and all that was sent.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest
from django.db import connection

from surveys.answering.services import collecting
from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.credit import blind
from surveys.credit.services import modulus_of, read, redeeming, sign, written
from surveys.credit.services.redeeming import Score, redeem
from surveys.models import Decline, Response, State, Survey
from tests.credit.linkage import HABITS, PAGE, SEED, SIZES, Habit, drawn_class, share_of, table
from tests.credit.receipts import make_platform, open_with_credit
from tests.factories import yes_no

# Of 200 students two texts of so many characters of base64 are alike once in 40 million classes.
WINDOW = 10
Leak = Callable[[Survey, bytes], object]


@dataclass
class Student:
    """What passes between one student and the server when they answer, and when they redeem."""

    number: int
    sent: set[bytes] = field(default_factory=set)
    shown: set[bytes] = field(default_factory=set)
    signed: tuple[int, int] = (0, 0)
    receipt: str = ""


def _rows() -> set[tuple[object, ...]]:
    """Return every row of every table, as a copy of the database has it."""
    found: set[tuple[object, ...]] = set()
    with connection.cursor() as cursor:
        for name in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(name)}")  # noqa: S608 - names of ours
            for row in cursor.fetchall():
                found.add(
                    (name, *(bytes(value) if isinstance(value, bytes | memoryview) else str(value) for value in row))
                )
    return found


def _transactions(*tables: str) -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(" UNION ".join(f"SELECT xmin::text FROM surveys_{table}" for table in tables))  # noqa: S608 - ours
        return {written_by for (written_by,) in cursor.fetchall()}


def _values(rows: set[tuple[object, ...]]) -> set[bytes]:
    return {value if isinstance(value, bytes) else str(value).encode() for _table, *row in rows for value in row}


def _forms(raw: bytes) -> set[bytes]:
    return {raw, written(raw).encode()}


def _answer(
    survey: Survey, student: Student, *, declines: bool = False, hides: bool = True, leak: Leak | None = None
) -> None:
    """Let a student answer, or decline, and get a receipt, as the page does."""
    modulus = modulus_of(survey.questionnaire.credit_key)
    message = blind.prepare(secrets.token_bytes(32), secrets.token_bytes(32))
    hidden, inverse = blind.blind(modulus, message)
    if not hides:
        hidden = (int.from_bytes(hidden) * pow(inverse, blind.EXPONENT, modulus) % modulus).to_bytes(256)
        inverse = 1
    nonce, before = collecting.new_nonce(), _rows()
    reports = "".join(secrets.choice("01") for _ in definition_of(survey).items)
    if declines:
        collecting.decline(survey=survey, definition=definition_of(survey), nonce=nonce, blinded=written(hidden))
    else:
        collecting.collect(
            survey=survey,
            definition=definition_of(survey),
            mode="device",
            nonce=nonce,
            reports=reports,
            blinded=written(hidden),
        )
    if leak:
        leak(survey, message[32:])
    signature = read(sign(survey, written(hidden))) or b""
    student.signed = int.from_bytes(hidden), int.from_bytes(signature)
    student.receipt = written(message + blind.finalize(modulus, message, signature, inverse))
    student.sent = {nonce.encode(), *_forms(hidden), *_forms(signature), *_values(_rows() - before)}


def _show(survey: Survey, student: Student, score: Score) -> None:
    before = _rows()
    redeem(survey=survey, receipt=student.receipt, score=score._replace(subject=f"student {student.number}"))
    raw = read(student.receipt) or b""
    parts = {form for part in (raw, raw[32:64], raw[64:]) for form in _forms(part)}
    student.shown = parts | _values(_rows() - before)


def _pairs_with_a_value_in_common(students: list[Student]) -> list[tuple[int, int]]:
    def windows(values: set[bytes]) -> set[bytes]:
        return {value[at : at + WINDOW] for value in values for at in range(len(value) - WINDOW + 1)}

    sent = [windows(student.sent) for student in students]
    shown = [windows(student.shown) for student in students]
    return [(a, b) for a, mine in enumerate(sent) for b, theirs in enumerate(shown) if mine & theirs]


@pytest.fixture
def survey() -> Survey:
    return open_with_credit(*(yes_no(f"Question {number}?") for number in range(14)), minimum_n=5)


@pytest.fixture
def score() -> Score:
    return Score(make_platform(), "https://moodle.example.org/items/1", "")


def _played(
    survey: Survey, score: Score, number: int, *, hides: bool = True, leak: Leak | None = None
) -> list[Student]:
    """Let a class answer, close the survey, and let the class redeem in another order."""
    students = [Student(place) for place in range(number)]
    for student in students:
        _answer(survey, student, declines=student.number % 5 == 4, hides=hides, leak=leak)
    survey = close_survey(survey=survey)
    for place in np.random.default_rng(SEED).permutation(number):
        _show(survey, students[place], score)
    return students


# Values: of all that is sent, stored and returned when somebody answers, nothing comes again when somebody redeems.


@pytest.mark.usefixtures("transactional_db")
def test_no_value_of_an_answer_comes_again_at_redeeming(survey: Survey, score: Score) -> None:
    students = _played(survey, score, 15)
    assert all(len(student.sent) > 6 and len(student.shown) > 6 for student in students)
    assert _pairs_with_a_value_in_common(students) == []
    assert not Response.objects.exists()
    if connection.vendor == "postgresql":
        # With each row PostgreSQL stores which transaction wrote it.
        assert not _transactions("patterncount", "decline") & _transactions("spentreceipt", "waitingscore")


@pytest.mark.usefixtures("transactional_db")
def test_a_number_that_hides_nothing_is_found(survey: Survey, score: Score) -> None:
    """The planted fault: the page does not blind, so what is signed is the receipt's own signature."""
    students = _played(survey, score, 5, hides=False)
    assert _pairs_with_a_value_in_common(students) == [(number, number) for number in range(5)]


@pytest.mark.usefixtures("transactional_db")
def test_a_serial_in_the_clear_is_found(survey: Survey, score: Score) -> None:
    """The planted fault: a part of the serial is stored with the answer."""

    def leak(survey: Survey, serial: bytes) -> None:
        Decline.objects.create(survey=survey, nonce_hash=serial[8:24])

    students = _played(survey, score, 5, leak=leak)
    assert _pairs_with_a_value_in_common(students) == [(number, number) for number in range(5)]


@pytest.mark.usefixtures("transactional_db")
def test_every_receipt_can_be_that_of_every_answer(survey: Survey, score: Score) -> None:
    """For each number that was signed and each receipt there is one factor that leads from one to the other."""
    students = _played(survey, score, 8)
    modulus = modulus_of(survey.questionnaire.credit_key)
    factors = set()
    for hidden, signature in (student.signed for student in students):
        for receipt in (int.from_bytes((read(student.receipt) or b"")[64:]) for student in students):
            factor = signature * pow(receipt, -1, modulus) % modulus
            assert pow(receipt * factor, blind.EXPONENT, modulus) == hidden
            factors.add(factor)
    assert len(factors) == 64
    assert not factors & {1, modulus - 1}


# Times: what is left, and why no receipt is redeemed before the close.


@pytest.mark.studies
@pytest.mark.usefixtures("transactional_db")
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("habit", HABITS, ids=lambda habit: habit.name)
def test_copies_tell_when_rows_came_and_nothing_else(
    habit: Habit, size: int, score: Score, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the table takes the adversary to know: one row for each answer, and one for each receipt and its score."""
    if habit.before_the_close:
        monkeypatch.setattr(redeeming, "REDEEMABLE", frozenset(State))
    survey, students = open_with_credit(yes_no(), minimum_n=5), [Student(number) for number in range(size)]
    times = drawn_class(habit, size, np.random.default_rng([SEED, size]))
    for _at, redeems, who in sorted((at, kind, who) for kind in (0, 1) for who, at in enumerate(times[kind])):
        if redeems and not habit.before_the_close and survey.state == State.OPEN:
            survey = close_survey(survey=survey)
        before = _rows()
        if redeems:
            _show(survey, students[who], score)
        else:
            _answer(survey, students[who])
        more = sorted(row[0] for row in _rows() - before)
        assert more == (["surveys_spentreceipt", "surveys_waitingscore"] if redeems else ["surveys_response"])
    assert _pairs_with_a_value_in_common(students) == []


@pytest.mark.studies
def test_the_page_says_how_many_are_found_by_times() -> None:
    assert table() in PAGE.read_text(encoding="utf-8")


def test_redeeming_at_once_gives_people_away_and_after_the_close_it_does_not() -> None:
    """In 40 classes of 60: by chance one of 60 is found, 0.017 with a standard error of 0.0026."""
    shares = {}
    for habit in HABITS[:3]:
        chance = np.random.default_rng(SEED)
        shares[habit.name] = [share_of(habit, drawn_class(habit, 60, chance))[0] for _ in range(40)]
    at_once, within, after = (float(np.mean(found)) for found in shares.values())
    assert at_once > 0.5
    assert after < 1 / 60 + 4.9 * 0.0026
    assert after < within < at_once
