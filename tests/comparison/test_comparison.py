"""The comparison finds nothing where nothing changed, and it finds one word, one header, one digit of a file."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from tests.comparison import product
from tests.comparison.__main__ import check, write
from tests.comparison.visits import LANGUAGES, parts, visit
from tests.exporting.reports import fill_randomly
from tests.factories import make_open, yes_no
from tests.i18n.extraction import ROOT

pytestmark = pytest.mark.django_db

_PAGES = ("survey-detail", "survey-export-codebook-csv")


@pytest.fixture
def plan(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A visitor who opens three pages and adds a group."""
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)
    survey = make_open(yes_no(), code="SAME22")
    fill_randomly(survey, 20)
    client = Client()
    client.force_login(survey.owner)
    asked = [["visitor", "GET", address, {}] for address in ("/", *(reverse(page, args=["SAME22"]) for page in _PAGES))]
    asked.append(["visitor", "POST", reverse("survey-groups", args=["SAME22"]), {"action": "add", "name": "North"}])
    cookies = {"visitor": {name: morsel.value for name, morsel in client.cookies.items()}}
    return {"cookies": cookies, "everywhere": asked, "once": [], "commands": []}


@pytest.fixture
def kept(plan: dict[str, Any], tmp_path: Path) -> Path:
    write(tmp_path, _made(plan))
    return tmp_path


def _made(plan: dict[str, Any]) -> Iterator[tuple[str, bytes]]:
    for part in parts(plan):
        yield from visit(plan, *part)


def _file(kept: Path, address: str) -> Path:
    (path,) = (kept / "visitor" / "en").glob(f"*{address}-*.txt")
    return path


def test_where_nothing_changed_nothing_differs(plan: dict[str, Any], kept: Path) -> None:
    assert len(list(kept.rglob("*.txt"))) == 4 * len(LANGUAGES)
    assert check(kept, _made(plan)) == 0


def test_what_a_request_writes_is_kept_and_taken_back(plan: dict[str, Any], kept: Path) -> None:
    assert "+ surveys_group (" in _file(kept, "groups").read_text(encoding="utf-8")
    assert [content for name, content in _made(plan) if "POST" in name and b"+ surveys_group (" not in content] == []


def test_another_word_of_a_template_is_found(
    plan: dict[str, Any], kept: Path, settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> None:
    planted = tmp_path_factory.mktemp("planted")
    page = (ROOT / "templates/answering/landing.html").read_text(encoding="utf-8")
    (planted / "answering").mkdir()
    (planted / "answering/landing.html").write_text(
        page.replace('"How an answer travels"', '"How answers travel"'), "utf-8"
    )
    (templates,) = settings.TEMPLATES
    settings.TEMPLATES = [templates | {"DIRS": [planted, *templates["DIRS"]]}]
    assert check(kept, _made(plan)) == 1


def test_another_header_is_found(plan: dict[str, Any], kept: Path, settings: Settings) -> None:
    settings.SECURE_REFERRER_POLICY = "no-referrer"
    assert check(kept, _made(plan)) == 1


def test_another_digit_of_a_file_is_found(plan: dict[str, Any], kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _file(kept, "codebook.csv")
    text = path.read_text(encoding="utf-8")
    assert "3/4 1/4" in text
    path.write_text(text.replace("3/4 1/4", "3/5 1/4"), encoding="utf-8")
    assert check(kept, _made(plan)) == 1
    assert "codebook.csv" in capsys.readouterr().out


def test_an_answer_that_is_missing_or_new_is_found(plan: dict[str, Any], kept: Path) -> None:
    new = plan | {"everywhere": [*plan["everywhere"], ["visitor", "GET", "/check/", {}]]}
    missing = plan | {"everywhere": plan["everywhere"][1:]}
    assert [check(kept, _made(other)) for other in (new, missing)] == [1, 1]


def test_every_survey_is_asked_for_at_every_address_of_its_own() -> None:
    addresses = set(product._of_surveys(["SAME22"]))
    assert {"/s/SAME22/", *(reverse(page, args=["SAME22"]) for page in _PAGES)} <= addresses
