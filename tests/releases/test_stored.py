"""What a release row holds: the draw and its terms; and nobody changes it."""

import json

import pytest
from django.db import DatabaseError, connection, transaction
from django.test import Client

from surveys.models import Release
from surveys.services import releasing
from tests.releases.setting import make_release, published_release, ready_survey

pytestmark = pytest.mark.django_db

CHANGES = [
    "UPDATE surveys_release SET output = '{\"noisy_counts\": [1, 2]}'",
    "UPDATE surveys_release SET micro_epsilon = 1",
    "UPDATE surveys_release SET n = n + 1",
    "UPDATE surveys_release SET parameters = '{}'",
    "UPDATE surveys_release SET id = 'other'",
    "UPDATE surveys_release SET created_at = '2020-01-01 00:00:00+00:00'",
    "DELETE FROM surveys_release",
]


@pytest.mark.parametrize("statement", CHANGES)
def test_raw_sql_cannot_change_or_delete_a_release(statement: str) -> None:
    make_release(ready_survey())
    before = Release.objects.values().get()
    with pytest.raises(DatabaseError, match="drawn once"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert Release.objects.values().get() == before


# Numbers that occur nowhere else.
SENTINELS = {"0": 7_313, "1": 4_127}


def _everywhere(release: Release) -> list[str]:
    """Return the row, the page and the JSON as texts."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM surveys_release WHERE id = %s", [release.pk])
        row = json.dumps(cursor.fetchall(), default=str)
    pages = [Client().get(f"/r/{release.pk}{end}").content.decode() for end in ("/", ".json")]
    return [row, *pages]


def test_no_exact_count_is_stored_or_shown() -> None:
    release = published_release(ready_survey(SENTINELS))
    noisy = release.output["noisy_counts"]
    # A noisy count equals the exact one now and then: only then may the exact one be seen.
    hidden = [str(count) for count in SENTINELS.values() if count not in noisy]
    texts = _everywhere(release)
    assert all(str(noisy[0]) in text for text in texts)
    assert [count for count in hidden for text in texts if count in text] == []


def test_an_exact_count_in_the_output_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(releasing, "draw", lambda _terms, counts, _randbelow: {"noisy_counts": counts})
    texts = _everywhere(published_release(ready_survey(SENTINELS)))
    assert all(str(count) in text for count in SENTINELS.values() for text in texts)
