"""SQLite has one writer at a time: nobody who answers waits long for what is tidied up after others."""

import threading
import time
from pathlib import Path

import pytest
from django.db import connection

from surveys.responses.services import erasing
from surveys.responses.services.folding import fold
from tests.factories import make_open, send
from tests.responses.obstacles import OBSTACLES, files, held
from tests.responses.test_erasing import ENDINGS, PEOPLE, answered, traces_of
from tests.security.carving import commits_of

pytestmark = [
    pytest.mark.usefixtures("transactional_db"),
    pytest.mark.sqlite,
]

LONGEST_WAIT = 1.0


def test_a_fold_beside_a_reader_is_followed_up(tmp_path: Path) -> None:
    survey, scratch = answered(), tmp_path / "past.sqlite3"
    traces = traces_of(survey, "close")
    with OBSTACLES["reader"]():
        moved = fold(survey=survey)
        assert len(list(commits_of(files()[0], scratch))) >= moved
        assert not erasing.erase(patience=0)
    assert erasing.erase()
    assert held(traces) == PEOPLE - moved
    assert list(commits_of(files()[0], scratch)) == []


@pytest.mark.parametrize("ending", ["fold", *ENDINGS])
def test_no_answer_waits_a_second_for_housekeeping(ending: str) -> None:
    survey, going_on = answered(), make_open()
    waits, done = [], threading.Event()

    def work() -> None:
        try:
            if ending == "fold":
                fold(survey=survey)
            else:
                ENDINGS[ending](survey)
        finally:
            done.set()
            connection.close()

    with OBSTACLES["reader"]():
        worker = threading.Thread(target=work)
        worker.start()
        while not done.is_set() or not waits:
            begin = time.monotonic()
            send(going_on, "1")
            waits.append(time.monotonic() - begin)
        worker.join()
    assert max(waits) < LONGEST_WAIT
    assert len(waits) > 5
