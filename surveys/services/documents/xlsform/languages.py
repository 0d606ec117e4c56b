"""Which of a form's languages is taken: one survey speaks one language."""

import re
from dataclasses import dataclass

from django.conf import settings

from surveys.services.documents.xlsform.sheets import Row, Sheet

_LABEL = re.compile(r"label\s*::?\s*(?P<language>.+)")
_CODE = re.compile(r"\((?P<code>[a-z]{2,3})(-[a-z0-9]+)?\)\s*$")
_NAMES = {"english": "en", "german": "de", "spanish": "es"}


@dataclass(frozen=True, slots=True)
class Language:
    """A language of a form: as its columns write it ("" where they write none), and the pages' code for it, or ""."""

    written: str
    code: str

    def label(self, row: Row) -> str:
        """Return a row's label in this language."""
        if not self.written:
            return row.cell("label")
        for column, text in row.cells.items():
            if (match := _LABEL.fullmatch(column)) and match["language"].strip() == self.written:
                return text
        return ""


def chosen_language(survey: Sheet, default: str) -> tuple[Language, list[str]]:
    """Return the language that is taken, and the others as they are written: the form's default one, else the first."""
    written = [match["language"].strip() for column in survey.columns if (match := _LABEL.fullmatch(column))]
    default = default.strip().lower()
    if "label" in survey.columns and default not in written:
        return Language("", code_of(default)), written
    if not written:
        return Language("", code_of(default)), []
    taken = next((one for one in written if default and default in {one, code_of(one)}), written[0])
    return Language(taken, code_of(taken)), [one for one in written if one != taken]


def code_of(written: str) -> str:
    """Return the pages' code for a language as forms write it ("english (en)", "deutsch", "es"), or ""."""
    written = written.strip().lower()
    codes = dict(settings.LANGUAGES)
    if match := _CODE.search(written):
        return match["code"] if match["code"] in codes else ""
    own = {name.lower(): code for code, name in settings.LANGUAGES}
    return written if written in codes else own.get(written) or _NAMES.get(written, "")
