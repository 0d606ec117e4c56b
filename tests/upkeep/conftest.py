"""What every test of backups wants: passphrases that cost nothing."""

import pytest

from surveys.upkeep.services import files


@pytest.fixture(autouse=True)
def _cheap_passphrases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash them in no time: test_files.py looks at what they cost otherwise."""
    monkeypatch.setattr(files, "_ARGON2", files._ARGON2 | {"memory_cost": 64, "time_cost": 1})
