"""With the whole database, known arrivals and known tokens, nobody finds a person's report after a fold.

The attacker has watched everybody arrive, one after the other, knows each person's token and the server's key, and
holds every byte of the database. An attack matches the people in some order with the stored reports in some order:
before a fold one such match is right for everybody, afterwards none is right more often than chance.
"""

import itertools
import math
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.db import OperationalError, connection, transaction

from surveys.answering.services import collecting
from surveys.common.selectors import definition_of
from surveys.course.services import close_survey, seal_survey
from surveys.models import Decline, Invitation, Response, SpentNonces, Survey
from surveys.models.invitation import token_hashes
from surveys.responses.services import erasing, folding, ordering, steps
from surveys.responses.services.folding import fold
from surveys.sharing.services import invite, new_batch
from tests.credit.device import Device
from tests.factories import make_open, send, yes_no
from tests.programs import POSTGRESQL
from tests.security.carving import commits_of, offsets

pytestmark = pytest.mark.usefixtures("transactional_db")

PEOPLE, ITEMS, SEED = 60, 14, 20_261_121
# By chance 12 or more of all people are found once in 12! = 479 million matches, and ranks correlate by more than 0.75
# (5.8 standard deviations) once in 100 million; an attack has fewer than 50 of these and twice as many matches: the two
# together raise a false alarm once in a million runs.
BY_CHANCE, CORRELATION_BY_CHANCE = 12, 0.75


@dataclass(frozen=True)
class Crowd:
    """Everybody in the order of arrival: their invitation's hash and their report."""

    survey: Survey
    hashes: list[bytes]
    reports: list[str]


@pytest.fixture
def crowd() -> Crowd:
    """Sixty people with an invitation each have answered, one after the other; all their reports differ."""
    questions = [yes_no(f"Question {number}?") for number in range(ITEMS)]
    survey = Survey.objects.get(pk=make_open(*questions, by_invitation=True, minimum_n=10).pk)
    tokens = invite(survey=survey, number=PEOPLE + 20, batch=new_batch()).tokens[:PEOPLE]
    drawn = np.random.default_rng(SEED).choice(2**ITEMS, size=PEOPLE, replace=False)
    reports = [f"{number:0{ITEMS}b}" for number in drawn]
    if connection.vendor == "sqlite":
        erasing._empty_the_journal()
    for token, report in zip(tokens, reports, strict=True):
        send(survey, report, token=token)
    return Crowd(survey, [token_hashes(survey.pk, token)[0] for token in tokens], reports)


def _orders(table: str, column: str, condition: str, *, storage: bool = True) -> list[list[str | bytes]]:
    """Return a column's values in every order that the database knows: by each column, index and place of storage."""
    with connection.cursor() as cursor:
        names = [one.name for one in connection.introspection.get_table_description(cursor, table)]
    after = names.index(column)
    if connection.vendor == "sqlite":
        indexes = [f" INDEXED BY {row[1]}" for row in _rows(f"PRAGMA index_list({table})")]
        storages = [name for name in ("rowid", "_rowid_", "oid") if _has(table, name)]
    else:
        indexes, storages = [], ["ctid", "xmin::text::bigint, ctid", "cmin::text, ctid"]
    # Among equals PostgreSQL keeps the order of its storage.
    places = [f" ORDER BY {name}" if storage else f" ORDER BY {name}, {column}" for name in names]
    places += [f" ORDER BY {name}" for name in storages if storage]
    # A column alone may be read from an index, a whole row is read from where it is stored.
    asked = [(column, 0), ("*", after)] if storage else [(column, 0)]
    orders = {
        tuple(row[which] if isinstance(row[which], str) else bytes(row[which]) for row in rows)
        for how in ("", *indexes)
        for place in ("", *places)
        for columns, which in asked
        if (place or storage) and (rows := _rows(f"SELECT {columns} FROM {table}{how} WHERE {condition}{place}"))  # noqa: S608 - names of this file
    }
    return [list(order) for order in sorted(orders)]


def _rows(statement: str) -> list[tuple[Any, ...]]:
    """Return what a statement reads; nothing where an index does not serve it."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
            return list(cursor.fetchall())
    except OperationalError as error:
        if "no query solution" not in str(error):
            raise
        return []


def _has(table: str, name: str) -> bool:
    try:
        _rows(f"SELECT {name} FROM {table}")  # noqa: S608 - names of this file
    except OperationalError:
        return False
    return True


def _people(crowd: Crowd) -> list[list[int]]:
    """Return the people in every order that an attacker can bring them in."""
    place_of = {token_hash: place for place, token_hash in enumerate(crowd.hashes)}
    spent = _orders("surveys_invitation", "token_hash", f"survey_id = {crowd.survey.pk} AND spent = TRUE")
    return [list(range(PEOPLE)), *([place_of[bytes(row)] for row in rows] for rows in spent if rows)]  # type: ignore[arg-type]


def _best(crowd: Crowd, people: list[list[int]], rows: list[list[str]]) -> tuple[int, float]:
    """Return the most people whom any match finds, and the strongest correlation of ranks in any."""
    right, correlation = 0, 0.0
    for order, reports in itertools.product(people, rows):
        for guess in (reports, reports[::-1]):
            right = max(right, sum(crowd.reports[person] == row for person, row in zip(order, guess, strict=True)))
        ranks = [order.index(crowd.reports.index(row)) for row in reports]
        correlation = max(correlation, abs(float(np.corrcoef(ranks, range(PEOPLE))[0, 1])))
    return right, correlation


def _by_order(crowd: Crowd, table: str, *, storage: bool = True) -> tuple[int, float]:
    rows = _orders(table, "reports", f"survey_id = {crowd.survey.pk}", storage=storage)
    return _best(crowd, _people(crowd), rows)  # type: ignore[arg-type]


def _backup() -> str:
    """Return what a plain backup holds, as each database's own program writes it."""
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        return "\n".join(connection.connection.iterdump())
    given = connection.get_connection_params()
    programs = POSTGRESQL.find()
    command = [f"{programs}/pg_dump", "--data-only", "-h", given["host"], "-U", given["user"], given["dbname"]]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _by_backup(crowd: Crowd) -> tuple[int, float]:
    """Match by where in a plain backup a report and the invitations stand."""
    backup = _backup()
    reports = sorted(crowd.reports, key=backup.index)
    hashes = [digest.hex() for digest in crowd.hashes]
    written = backup if hashes[0] in backup else backup.lower()
    invited = sorted(range(PEOPLE), key=lambda person: written.index(hashes[person]))
    return _best(crowd, [list(range(PEOPLE)), invited], [reports])


def _no_better_than_chance(linked: tuple[int, float]) -> bool:
    return linked[0] < BY_CHANCE and linked[1] < CORRELATION_BY_CHANCE


def _files() -> list[Path]:
    name = str(connection.settings_dict["NAME"])
    return [Path(name), Path(name + "-wal")]


def _by_bytes(crowd: Crowd, people: list[list[int]], mode: str = "device") -> tuple[int, float]:
    """Match by where in the files a report stands first and last, behind its mode."""
    places = {report: offsets(_files(), f"{mode}{report}".encode()) for report in crowd.reports}
    rows = [sorted(crowd.reports, key=lambda report: places[report][which]) for which in (0, -1)]
    return _best(crowd, people, rows)


def _by_journal(crowd: Crowd, scratch: Path) -> int:
    """Return how many people are found by what each commit of the journal spent and stored together."""
    linked, known, spent = 0, set[str](), set[bytes]()
    report_of = dict(zip(crowd.hashes, crowd.reports, strict=True))
    for past in commits_of(_files()[0], scratch):
        stored = {row[0] for row in past.execute("SELECT reports FROM surveys_response")} - known
        now = {row[0] for row in past.execute("SELECT token_hash FROM surveys_invitation WHERE spent")} - spent
        if len(stored) == len(now) == 1:
            linked += report_of[now.copy().pop()] == stored.copy().pop()
        known |= stored
        spent |= now
    return linked


def _by_transaction(crowd: Crowd) -> int:
    """Return how many people are found by PostgreSQL's ids of the transactions that spent and stored."""
    report_of = dict(zip(crowd.hashes, crowd.reports, strict=True))
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT i.token_hash, r.reports FROM surveys_invitation i JOIN (SELECT xmin, reports FROM surveys_response"
            " UNION ALL SELECT xmin, reports FROM surveys_patterncount) r ON i.xmin::text = r.xmin::text WHERE i.spent"
        )
        pairs = cursor.fetchall()
    # A pair that is one of many says nothing more than the one that is one of all.
    return sum(report_of[bytes(token_hash)] == report for token_hash, report in pairs) if len(pairs) <= PEOPLE else 0


def test_before_a_fold_no_select_tells_who_came_when_but_by_postgresqls_storage(crowd: Crowd) -> None:
    assert _no_better_than_chance(_by_order(crowd, "surveys_response", storage=connection.vendor == "sqlite"))
    if connection.vendor == "postgresql":
        assert _by_order(crowd, "surveys_response") == (PEOPLE, pytest.approx(1))


def test_before_a_fold_a_plain_backup_tells_it_on_postgresql_only_and_afterwards_nowhere(crowd: Crowd) -> None:
    """There rows are written out as they are stored: what a fold is for."""
    before = _by_backup(crowd)
    assert _no_better_than_chance(before) if connection.vendor == "sqlite" else before[0] == PEOPLE
    fold(survey=crowd.survey, everything=True)
    assert _no_better_than_chance(_by_backup(crowd))


@pytest.mark.sqlite
@pytest.mark.parametrize(
    "table",
    ["surveys_response", "surveys_spentnonces", "surveys_invitation", "surveys_decline", "surveys_spentreceipt",
     "surveys_waitingscore"],
)  # fmt: skip
def test_sqlite_numbers_no_row_that_comes_in(table: str) -> None:
    ((created,),) = _rows(f"SELECT sql FROM sqlite_master WHERE type = 'table' AND name = '{table}'")  # noqa: S608 - a name of ours
    assert created.endswith(" WITHOUT ROWID")
    assert not _has(table, "rowid")


@pytest.mark.sqlite
def test_a_table_that_numbers_its_rows_is_caught(crowd: Crowd) -> None:
    """The planted fault: the table as SQLite makes it when nobody says otherwise."""
    ((created,),) = _rows("SELECT sql FROM sqlite_master WHERE name = 'surveys_response'")
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(created.removesuffix(" WITHOUT ROWID").replace("surveys_response", "planted", 1))
        for report in crowd.reports:
            cursor.execute("INSERT INTO planted SELECT * FROM surveys_response WHERE reports = %s", [report])
        assert _by_order(crowd, "planted") == (PEOPLE, pytest.approx(1))
        # Behind the planted table only the other one is written out.
        cursor.execute("ALTER TABLE planted RENAME TO a_table_before_it")
        assert _by_backup(crowd) == (PEOPLE, pytest.approx(1))
        transaction.set_rollback(True)


def test_before_a_fold_the_transactions_tell_which_invitation_sent_what(crowd: Crowd, tmp_path: Path) -> None:
    if connection.vendor == "sqlite":
        assert _by_journal(crowd, tmp_path / "past.sqlite3") == PEOPLE
    else:
        assert _by_transaction(crowd) == PEOPLE


def test_after_a_fold_no_order_tells_who_sent_what(crowd: Crowd) -> None:
    assert fold(survey=crowd.survey, everything=True) == PEOPLE
    assert Response.objects.count() == 0
    assert _no_better_than_chance(_by_order(crowd, "surveys_patterncount"))


def test_while_more_may_come_only_those_left_behind_can_be_found(crowd: Crowd) -> None:
    fold(survey=crowd.survey)
    left = set(Response.objects.values_list("reports", flat=True))
    assert len(left) == crowd.survey.minimum_n
    people = [person for person in range(PEOPLE) if crowd.reports[person] not in left]
    rows = [
        [report for report in rows if report not in left]
        for rows in _orders("surveys_patterncount", "reports", f"survey_id = {crowd.survey.pk}")
    ]
    linked = max(
        sum(crowd.reports[person] == row for person, row in zip(people, guess, strict=True))
        for reports in rows
        for guess in (reports, reports[::-1])  # type: ignore[misc]
    )
    assert linked < BY_CHANCE


def test_who_is_left_behind_is_drawn_anew_and_not_by_arrival(crowd: Crowd) -> None:
    """Neither the first nor the last are more often among those who wait: a mean rank 5 deviations off is no chance."""
    ranks, rounds = 0, 40
    for _ in range(rounds):
        with transaction.atomic():
            fold(survey=crowd.survey)
            left = Response.objects.values_list("reports", flat=True)
            ranks += sum(crowd.reports.index(report) for report in left)
            transaction.set_rollback(True)
    number = rounds * crowd.survey.minimum_n
    # Those left behind stand side by side in the order of the hashes: like ten draws a round, not fewer than one.
    deviation = math.sqrt((PEOPLE**2 - 1) / 12 / number)
    assert abs(ranks / number - (PEOPLE - 1) / 2) < 5 * deviation * math.sqrt(crowd.survey.minimum_n)


@pytest.mark.parametrize("everything", [True, False])
def test_after_a_fold_the_transactions_tell_nothing(crowd: Crowd, tmp_path: Path, everything: bool) -> None:
    fold(survey=crowd.survey, everything=everything)
    if connection.vendor == "sqlite":
        assert _by_journal(crowd, tmp_path / "past.sqlite3") == 0
        assert not _files()[1].exists() or _files()[1].stat().st_size == 0
    else:
        assert _by_transaction(crowd) == 0


def _separation(crowd: Crowd) -> float:
    """Let as many more people answer, fold again, and return how well an order of rows tells the two folds apart.

    In standard deviations of the rank sum of the first (Mann-Whitney); each has as many rows as the other.
    """
    fold(survey=crowd.survey, everything=True)
    later = [f"{number + 7:0{ITEMS}b}" for number in range(0, 2**ITEMS - 7, 2**ITEMS // PEOPLE)]
    later = [report for report in later if report not in crowd.reports]
    tokens = invite(survey=crowd.survey, number=len(later), batch=new_batch()).tokens
    for token, report in zip(tokens, later, strict=True):
        send(crowd.survey, report, token=token)
    fold(survey=crowd.survey, everything=True)
    n, m = PEOPLE, len(later)
    deviation = math.sqrt(n * m * (n + m + 1) / 12)
    return max(
        abs(sum(rows.index(report) for report in crowd.reports) - n * (n + m - 1) / 2) / deviation
        for rows in _orders("surveys_patterncount", "reports", f"survey_id = {crowd.survey.pk}")
    )


def test_no_order_tells_the_first_fold_from_the_second(crowd: Crowd) -> None:
    assert _separation(crowd) < 5.5


def test_counts_that_are_only_added_to_tell_the_folds_apart(crowd: Crowd, monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: new rows stand behind the old ones."""
    monkeypatch.setattr(folding, "write_in_order", lambda *_told, **_how: None)
    assert _separation(crowd) > 8


def test_after_sealing_nothing_is_left_but_counts(crowd: Crowd) -> None:
    sealed = seal_survey(survey=close_survey(survey=crowd.survey))
    assert _no_better_than_chance(_by_order(crowd, "surveys_patterncount"))
    left = (Response.objects.count(), Invitation.objects.count(), SpentNonces.objects.count())
    assert (left, sealed.state) == ((0, 0, 0), "sealed")


@pytest.mark.sqlite
def test_after_sealing_the_bytes_of_the_files_tell_nothing(crowd: Crowd, tmp_path: Path) -> None:
    nonces = [bytes(nonce) for nonce in Response.objects.values_list("nonce_hash", flat=True)]
    people = _people(crowd)
    seal_survey(survey=close_survey(survey=crowd.survey))
    # Each report stands in its row and in the index; its mode and the hashes of nonces and invitations nowhere at all.
    assert {len(offsets(_files(), report.encode())) for report in crowd.reports} == {2}
    behind_modes = [f"device{report}".encode() for report in crowd.reports]
    assert [trace for trace in (*behind_modes, *nonces, *crowd.hashes) if offsets(_files(), trace)] == []
    assert _no_better_than_chance(_by_bytes(crowd, people, mode=""))
    assert _by_journal(crowd, tmp_path / "past.sqlite3") == 0


@pytest.mark.sqlite
def test_after_a_fold_no_deleted_response_is_left_in_the_files(crowd: Crowd) -> None:
    rows = Response.objects.values_list("reports", "nonce_hash")
    records = [bytes(nonce) + f"device{reports}".encode() for reports, nonce in rows]
    assert [record for record in records if not offsets(_files(), record)] == []
    fold(survey=crowd.survey, everything=True)
    assert [record for record in records if offsets(_files(), record)] == []
    assert _no_better_than_chance(_by_bytes(crowd, _people(crowd)))


@pytest.mark.sqlite
def test_the_bytes_of_the_files_give_everybody_away_before_a_fold(crowd: Crowd) -> None:
    assert _by_bytes(crowd, _people(crowd)) == (PEOPLE, pytest.approx(1))


def test_a_fold_that_keeps_the_order_is_caught(crowd: Crowd, monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: counts are written as the responses came."""
    came = " ".join(f"WHEN '{report}' THEN {place}" for place, report in enumerate(crowd.reports))
    write = folding._ADD_COUNTS
    monkeypatch.setattr(folding, "_ADD_COUNTS", write.replace("ORDER BY reports", f"ORDER BY CASE reports {came} END"))
    fold(survey=crowd.survey, everything=True)
    assert _by_order(crowd, "surveys_patterncount") == (PEOPLE, pytest.approx(1))


def test_a_journal_that_is_kept_is_caught(crowd: Crowd, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The planted fault of SQLite; of PostgreSQL it is the invitations, when they are not written anew."""
    if connection.vendor == "sqlite":
        monkeypatch.setattr(erasing, "_empty_the_journal", lambda: True)
        monkeypatch.setattr(erasing, "_vacuum", lambda _seconds: True)
        # In a pause, due when a step was slow, the journal begins anew by itself.
        monkeypatch.setattr(steps, "PAUSE_AFTER", math.inf)
        fold(survey=crowd.survey, everything=True)
        assert _by_journal(crowd, tmp_path / "past.sqlite3") == PEOPLE
    else:
        monkeypatch.setattr(ordering, "_write_rows", lambda *_told: None)
        fold(survey=crowd.survey)
        times = _orders("surveys_invitation", "token_hash", f"survey_id = {crowd.survey.pk} AND spent = TRUE")
        assert crowd.hashes in times


def _who_declined(scratch: Path) -> set[bytes]:
    """Return the invitations that the transactions say were spent by declining."""
    if connection.vendor == "postgresql":
        pairs = "SELECT i.token_hash FROM surveys_invitation i JOIN surveys_decline d ON i.xmin::text = d.xmin::text"
        found = [bytes(token_hash) for (token_hash,) in _rows(f"{pairs} WHERE i.spent")]
        # What was written anew together says the same of all.
        return set(found) if len(set(found)) == len(found) else set()
    found, declined, spent = [], set[bytes](), set[bytes]()
    for past in commits_of(_files()[0], scratch):
        now = {row[0] for row in past.execute("SELECT nonce_hash FROM surveys_decline")}
        used = {row[0] for row in past.execute("SELECT token_hash FROM surveys_invitation WHERE spent")}
        if len(now - declined) == len(used - spent) == 1:
            found += used - spent
        declined, spent = now, used
    return set(found)


@pytest.mark.parametrize("answers", [0, 40])
def test_once_a_survey_is_closed_no_transaction_tells_who_declined(tmp_path: Path, answers: int) -> None:
    survey = Survey.objects.get(pk=make_open(by_invitation=True, credit=True, minimum_n=10).pk)
    tokens = invite(survey=survey, number=answers + 9, batch=new_batch()).tokens
    if connection.vendor == "sqlite":
        erasing._empty_the_journal()
    for place, token in enumerate(tokens):
        if place < answers:
            send(survey, "1", token=token)
        else:
            declining = Device.at(survey).declining
            collecting.decline(survey=survey, definition=definition_of(survey), token=token, **declining)
    hashes = {token_hashes(survey.pk, token)[0] for token in tokens[answers:]}
    assert _who_declined(tmp_path / "before.sqlite3") == hashes
    close_survey(survey=survey)
    assert Decline.objects.count() == 9
    assert _who_declined(tmp_path / "after.sqlite3") == set()


@pytest.mark.sqlite
def test_a_file_that_keeps_what_is_deleted_is_caught(crowd: Crowd, monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: deleted rows stay in the file's free space."""
    monkeypatch.setattr(erasing, "overwrite_what_is_deleted", lambda: _secure_delete("OFF"))
    monkeypatch.setattr(erasing, "_vacuum", lambda _seconds: True)
    seal_survey(survey=close_survey(survey=crowd.survey))
    _secure_delete("ON")
    assert [hash_ for hash_ in crowd.hashes if offsets(_files(), hash_)] != []


def _secure_delete(value: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA secure_delete={value}")


def test_the_bound_is_chances_own() -> None:
    """Random matches of sixty people: the bound is far from what chance does, and far from what an attack does."""
    draw = np.random.default_rng(SEED)
    everybody = np.arange(PEOPLE)
    best = max(int((draw.permutation(PEOPLE) == everybody).sum()) for _ in range(20_000))
    strongest = max(abs(np.corrcoef(draw.permutation(PEOPLE), everybody)[0, 1]) for _ in range(20_000))
    assert best < BY_CHANCE < PEOPLE // 2
    assert strongest < CORRELATION_BY_CHANCE
    assert 100 / math.factorial(BY_CHANCE) < 1e-6
