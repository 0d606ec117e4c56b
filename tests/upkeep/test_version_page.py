"""The page of the version, for staff; tests/releases/test_roles.py knows who may see it."""

import re
from pathlib import Path

import pytest
from django.urls import reverse
from pytest_django import Settings

from surveys import __version__
from surveys.course.services import close_survey, purge_survey
from tests.factories import make_admin, make_open
from tests.pages import client_of
from tests.server import ROOT
from tests.upkeep.backups import back_up_to

pytestmark = pytest.mark.usefixtures("transactional_db")


def test_it_says_which_version_runs_on_what_and_which_backups_should_go(settings: Settings, tmp_path: Path) -> None:
    settings.BACKUP_DIR = tmp_path
    client = client_of(make_admin())
    page = client.get(reverse("admin:version")).content.decode()
    assert __version__ in page
    assert ".backup" not in page
    survey = close_survey(survey=make_open())
    name = back_up_to(tmp_path).path.name
    response = client.get(reverse("admin:version"))
    assert name in response.content.decode()
    assert response.context["outdated"] == []
    assert "</span>: " not in response.content.decode()
    purge_survey(survey=survey)
    response = client.get(reverse("admin:version"))
    assert [backup.path.name for backup in response.context["outdated"]] == [name]
    assert re.search(rf'"notice warn".*{name}</span>: {survey.code}', response.content.decode(), re.DOTALL)
    assert 'href="/admin/version/"' in client.get(reverse("admin:index")).content.decode()


def test_the_version_is_one_in_every_place() -> None:
    for file, pattern in {
        "pyproject.toml": rf'^version = "{__version__}"$',
        "CITATION.cff": rf"^version: {__version__}$",
        "CHANGELOG.md": rf"^## {__version__}\b",
    }.items():
        assert re.search(pattern, (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE), file
