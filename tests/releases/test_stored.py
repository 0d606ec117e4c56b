"""What the rows of a release hold: the draw and its terms, and no exact count."""

import json
import re

import pytest
from django.db import connection

from surveys.models import Release
from surveys.releases.files import document_of
from surveys.releases.mechanisms.laplace_histogram import LaplaceHistogramPlan
from surveys.releases.selectors.reading import reading_of
from tests.releases.setting import published_release, ready_survey

pytestmark = pytest.mark.django_db

# Numbers that occur nowhere else.
SENTINELS = {"0": 7_313, "1": 4_127}


def _everywhere(release: Release) -> list[str]:
    """Return every row about the release, and its JSON, as texts."""
    texts = [json.dumps(document_of(reading_of(release)))]
    with connection.cursor() as cursor:
        for table, key in (("release", "id"), ("releasepart", "release_id"), ("ledgerentry", "release_id")):
            cursor.execute(f"SELECT * FROM surveys_{table} WHERE {key} = %s", [release.pk])  # noqa: S608 - names above
            texts.append(json.dumps(cursor.fetchall(), default=str))
    return texts


def _holds(text: str, count: int) -> bool:
    # Not among the digits of a longer number: a time has six of them after its second.
    return re.search(rf"(?<!\d){count}(?!\d)", text) is not None


def test_no_exact_count_is_stored_or_shown() -> None:
    release = published_release(ready_survey(SENTINELS))
    noisy = release.parts.get().output["noisy_counts"]
    # A noisy count equals the exact one now and then: only then may the exact one be seen.
    hidden = [count for count in SENTINELS.values() if count not in noisy]
    texts = _everywhere(release)
    assert sum(_holds(text, noisy[0]) for text in texts) == 2
    assert [count for count in hidden for text in texts if _holds(text, count)] == []


@pytest.mark.slow
def test_an_exact_count_in_the_output_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LaplaceHistogramPlan, "stored", lambda *_: {"noisy_counts": list(SENTINELS.values())})
    texts = _everywhere(published_release(ready_survey(SENTINELS)))
    assert all(any(_holds(text, count) for text in texts) for count in SENTINELS.values())
