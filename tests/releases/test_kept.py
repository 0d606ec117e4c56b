"""Pages of releases are made once and kept: refreshing them is no work, and withdrawing them works at once."""

from collections.abc import Callable

import pytest
from django.test import Client

from surveys.estimation.released.histogram import ReleasedEstimate
from surveys.releases.families.plan import Plan
from surveys.releases.selectors.reading import reading_of
from surveys.releases.services.releasing import withdraw
from surveys.releases.words.release import accuracy_says
from tests.factories import make_admin, yes_no
from tests.releases.setting import published_release, ready_survey


def _counted(monkeypatch: pytest.MonkeyPatch, owner: type, name: str) -> list[int]:
    calls: list[int] = []
    real: Callable[..., object] = getattr(owner, name)

    def counting(*given: object) -> object:
        calls.append(1)
        return real(*given)

    monkeypatch.setattr(owner, name, counting)
    return calls


@pytest.mark.django_db
def test_page_and_json_of_a_release_work_its_intervals_out_once(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = published_release(ready_survey({"0": 60, "1": 40}, yes_no()))
    intervals = _counted(monkeypatch, ReleasedEstimate, "interval")
    for address in (f"/r/{release.pk}/", f"/r/{release.pk}.json"):
        first = client.get(address)
        assert client.get(address).content == first.content
        assert client.head(address).status_code == 200
        assert client.get(address, headers={"if-none-match": first["ETag"]}).status_code == 304
    assert len(intervals) == 1


@pytest.mark.django_db
def test_what_is_kept_of_a_withdrawn_release_is_not_shown(client: Client) -> None:
    release, admin = published_release(ready_survey()), make_admin()
    address = f"/r/{release.pk}/"
    tag = client.get(address)["ETag"]
    withdraw(release=release, user=admin)
    assert client.get(address).status_code == 404
    assert client.get(address, headers={"if-none-match": tag}).status_code == 404


@pytest.mark.django_db
def test_the_accuracy_of_a_part_is_worked_out_once_a_level(monkeypatch: pytest.MonkeyPatch) -> None:
    [part] = reading_of(published_release(ready_survey())).parts
    worked_out = _counted(monkeypatch, Plan, "_accuracy_at")
    assert accuracy_says(part.plan, 0.9) == accuracy_says(part.plan, 0.9) != accuracy_says(part.plan, 0.99)
    assert len(worked_out) == 2
