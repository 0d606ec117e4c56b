"""The lists of choices of a form."""

from collections import defaultdict
from dataclasses import dataclass

from surveys.models.texts import same_text
from surveys.services.documents.xlsform.languages import Language
from surveys.services.documents.xlsform.sheets import Sheet

_YES = frozenset({"yes", "y", "ja", "sí", "si", "oui"})
_NO = frozenset({"no", "n", "nein", "non"})


@dataclass(frozen=True, slots=True)
class Choice:
    """One choice: what the data call it, and what people read."""

    name: str
    label: str


def choices_by_list(sheet: Sheet, language: Language) -> dict[str, list[Choice]]:
    """Return the choices of each list, in the order of their rows."""
    lists: dict[str, list[Choice]] = defaultdict(list)
    for row in sheet.rows:
        name = row.cell("list_name") or row.cell("list name")
        if name:
            choice = row.cell("name") or row.cell("value")
            lists[name].append(Choice(choice, " ".join(language.label(row).split())))
    return dict(lists)


def is_yes_or_no(choices: list[Choice]) -> bool:
    """Whether the two choices are Yes and No, by their labels or else by their names."""
    if len(choices) != 2:
        return False
    for texts in ([choice.label for choice in choices], [choice.name for choice in choices]):
        first, second = (same_text(text).rstrip(".!") for text in texts)
        if (first in _YES and second in _NO) or (first in _NO and second in _YES):
            return True
    return False
