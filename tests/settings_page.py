"""Write the tables of docs/deployment/settings.md from what settings.py declares: `python -m tests.settings_page`."""

import re
from pathlib import Path

from surveys.environment import DECLARED

PAGE = Path(__file__).resolve().parent.parent / "docs" / "deployment" / "settings.md"
_HEAD = "| Setting | Value | Default | Meaning |\n|---|---|---|---|\n"


def with_tables(text: str) -> str:
    """Return the page with the table of each part below the heading of its name."""
    tables: dict[str, str] = {}
    for name, setting in DECLARED.items():
        row = f"| `{name}` | {setting.kind} | {setting.default} | {setting.meaning} |\n"
        tables[setting.part] = tables.get(setting.part, _HEAD) + row
    for part, table in tables.items():
        before, heading, rest = text.partition(f"\n## {part}\n\n")
        if not heading:
            raise LookupError(f"{PAGE.name} has no heading “{part}”")
        text = before + heading + table + re.sub(r"\A(?:\|.*\n)+", "", rest)
    return text


if __name__ == "__main__":
    import tests.settings  # noqa: F401 - reading them declares them

    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
