"""What the respondent's scripts never contain, and how they are stored for the browser."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import override_settings

from surveys.static_storage import HashedStaticFiles

SCRIPTS = Path(settings.BASE_DIR) / "static" / "js"
NEVER = (
    "Math.random", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "localStorage", "sessionStorage",
    "indexedDB", "document.cookie", "eval(", "crypto.subtle", "randomUUID", "replaceState",
)  # fmt: skip


@pytest.mark.parametrize("name", ["randomizer.js", "respond.js", "forget.js"])
@pytest.mark.parametrize("word", NEVER)
def test_the_respondents_scripts_never_use(name: str, word: str) -> None:
    assert word not in (SCRIPTS / name).read_text(encoding="utf-8")


def test_no_script_of_ours_draws_with_math_random() -> None:
    assert [path.name for path in SCRIPTS.glob("*.js") if "Math.random" in path.read_text(encoding="utf-8")] == []


def test_the_randomizer_knows_no_page_and_no_network() -> None:
    source = (SCRIPTS / "randomizer.js").read_text(encoding="utf-8")
    assert re.findall(r"\b(document|window|fetch|import|navigator|location)\b", source) == []


@override_settings(
    STORAGES={"staticfiles": {"BACKEND": "surveys.static_storage.HashedStaticFiles"}},
    STATICFILES_FINDERS=["django.contrib.staticfiles.finders.FileSystemFinder"],
)
def test_stored_modules_import_each_other_by_their_hashed_names(tmp_path: Path) -> None:
    with override_settings(STATIC_ROOT=tmp_path):
        call_command("collectstatic", interactive=False, verbosity=0)
        respond = tmp_path / HashedStaticFiles().stored_name("js/respond.js")
        randomizer = Path(HashedStaticFiles().stored_name("js/randomizer.js")).name
    assert randomizer != "randomizer.js"
    assert f'from "./{randomizer}"' in respond.read_text(encoding="utf-8")
