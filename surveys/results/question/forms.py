"""Which row of a question a chart is of, from the query string."""

from collections.abc import Sequence

from django.http import QueryDict
from django.utils.translation import gettext as _


def parse_row(query: QueryDict, rows: Sequence[str]) -> tuple[int, list[str]]:
    """Return which of these rows is asked for, by its number from 1, and what to say where it does not exist."""
    text = query.get("row", "1")
    numbers = {str(number): number - 1 for number in range(1, len(rows) + 1)}
    if text in numbers or not rows:
        return numbers.get(text, 0), []
    return 0, [_("There is no answer number “%(row)s” here. The first is shown.") % {"row": text[:40]}]
