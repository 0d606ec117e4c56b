"""Cells of CSV files, written so that no spreadsheet takes one for a formula.

A spreadsheet runs a text that begins with =, +, - or @ as a formula, and some do so after signs that nobody sees. Such
a text gets an apostrophe in front, and so does one that begins with an apostrophe already: taking one leading
apostrophe away always gives back the text.
"""

import unicodedata

# The fullwidth forms are read as the plain ones by some.
_FORMULA_SIGNS = tuple("=+-@＝＋－＠")
_MARKED_ALWAYS = tuple("'\t\r\n")
_UNSEEN = ("C", "Z")  # white space, control and format characters, by their general category


def safe_text(text: str) -> str:
    """Return a text that no spreadsheet runs."""
    seen = next((at for at, sign in enumerate(text) if unicodedata.category(sign)[0] not in _UNSEEN), len(text))
    return f"'{text}" if text.startswith(_MARKED_ALWAYS) or text.startswith(_FORMULA_SIGNS, seen) else text


def quoted_cell(text: str) -> str:
    """Return a text as a cell of a CSV file (RFC 4180), which no spreadsheet runs."""
    safe = safe_text(text)
    return '"' + safe.replace('"', '""') + '"' if any(sign in safe for sign in '",\r\n') else safe
