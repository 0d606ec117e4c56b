"""What docs/deployment/ tells its reader to type, block by block, as it stands there."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import dedent

from tests.server import ROOT

PAGES = ROOT / "docs" / "deployment"
_PART = re.compile(
    r"^(?P<fence> *```)(?P<kind>\w*)\n(?P<text>.*?)^ *```$|^#+ (?P<heading>[^\n]+)$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Block:
    """Commands, statements, or lines of a file if it has no kind; and the step or paragraph that leads to it."""

    page: str
    heading: str
    lead: str
    kind: str
    text: str


def blocks(page: str, heading: str = "") -> Iterator[Block]:
    """Yield the blocks of a page, or of what stands under one of its headings."""
    text = (PAGES / page).read_text(encoding="utf-8")
    under, end = "", 0
    for part in _PART.finditer(text):
        if part["heading"]:
            under = part["heading"]
        elif heading in {"", under}:
            lead = text[end : part.start()].strip().rpartition("\n\n")[2]
            # A step has one paragraph; the steps before it, which have no block, are not its own.
            lead = re.split(r"(?m)^\d+\. ", lead)[-1]
            yield Block(page, under, " ".join(lead.split()), part["kind"], dedent(part["text"]))
        end = part.end()
