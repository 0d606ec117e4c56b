"""Databases of every released version, with data in them, become the newest one's and hold the same."""

import json
from pathlib import Path

import pytest
from django.conf import settings as configured
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from surveys.models import Survey
from surveys.upkeep.selectors import diagnosis
from surveys.upkeep.selectors.diagnosis import Grade
from surveys.upkeep.selectors.standing import pending_migrations
from tests.upkeep.backups import restore_from
from tests.upkeep.holding import holding
from tests.upkeep.released_version import RELEASED

pytestmark = pytest.mark.usefixtures("transactional_db")

VERSIONS = sorted({path.name.removesuffix(".json").rpartition(".")[0] for path in RELEASED.glob("*.json")})


@pytest.mark.parametrize("version", VERSIONS)
def test_a_released_version_is_upgraded_with_all_that_it_holds(
    version: str, settings: Settings, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    name = f"{version}.{connection.vendor}"
    restore_from(RELEASED / f"{name}.backup")
    # As JSON has it: tuples are lists there.
    assert json.loads(json.dumps(holding())) == json.loads((RELEASED / f"{name}.json").read_text(encoding="utf-8"))
    assert pending_migrations() == []
    assert [grade for grade, _words in diagnosis._database()] == [Grade.SOUND]
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)
    survey = Survey.objects.get(code="RENTED")
    client = Client()
    client.force_login(survey.owner)
    for page in ("survey-detail", "survey-results"):
        assert client.get(reverse(page, args=[survey.code])).status_code == 200
    for release in survey.releases.filter(published=True):
        assert client.get(reverse("release", args=[release.pk])).status_code == 200


def test_every_version_that_the_changelog_calls_released_is_kept() -> None:
    changelog = (configured.BASE_DIR / "CHANGELOG.md").read_text(encoding="utf-8")
    released = {line.split()[1] for line in changelog.splitlines() if line.startswith("## ")}
    assert VERSIONS != []
    assert {line for line in released if f"## {line} (unreleased)" not in changelog} <= set(VERSIONS)
