"""Which program this is, and what it stands on."""

import platform
import zoneinfo
from collections.abc import Mapping, Set
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import django
from django.db import connection

from surveys import __version__
from surveys.models.survey import time_zones
from surveys.upkeep.selectors.standing import applied_migrations, pending_migrations


@dataclass(frozen=True, slots=True)
class TimeZoneData:
    """Where the rules of time zones come from, and of which year they are: the machine's files come first."""

    names: Set[str]
    version: str
    source: str


@dataclass(frozen=True, slots=True)
class ProgramVersion:
    """The version that runs, and that of everything it stands on."""

    programs: Mapping[str, str]
    server: str
    database: str
    last_migration: str
    pending: int
    zones: TimeZoneData


def time_zone_data() -> TimeZoneData:
    """Read the version of the files that zones are taken from."""
    for directory in zoneinfo.TZPATH:
        rules = Path(directory, "tzdata.zi")
        if rules.is_file():
            with rules.open(encoding="utf-8") as file:
                return TimeZoneData(time_zones(), file.readline().rpartition(" ")[2].strip(), directory)
    return TimeZoneData(time_zones(), metadata.version("tzdata"), "the package tzdata")


def program_version() -> ProgramVersion:
    ours = [name for name in applied_migrations() if name.startswith("surveys.")]
    return ProgramVersion(
        programs={"Deniable": __version__, "Python": platform.python_version(), "Django": django.get_version()},
        server=f"granian {metadata.version('granian')}",
        database=f"{connection.display_name} {'.'.join(map(str, connection.get_database_version()))}",
        last_migration=ours[-1].partition(".")[2],
        pending=len(pending_migrations()),
        zones=time_zone_data(),
    )
