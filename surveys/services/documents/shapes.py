"""Whether the parts of a document are what their places want: objects, lists, texts, numbers, times."""

import datetime as dt
import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, cast

from django.db import models
from django.utils.translation import gettext as _

from surveys.common.numbers import with_commas
from surveys.services.documents.problems import Problems, found, within

_TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{6})?)?(Z|[+-]\d{2}:\d{2})", re.ASCII)


if TYPE_CHECKING:
    Column = models.Field[Any, Any]  # generic for the type checker only
else:
    Column = models.Field


def column_of(model: type[models.Model], name: str) -> Column:
    """Return a model's column by its name."""
    return cast("Column", model._meta.get_field(name))  # noqa: SLF001 - Django documents it


class Shapes:
    """Reads values of a document; what is not as it should be becomes a problem, and is left out."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems

    def entries(
        self, value: object, place: str, *, names: Collection[str], required: Collection[str] = ()
    ) -> dict[str, Any]:
        """Return an object's values by name, but for names that nothing has here."""
        if not isinstance(value, dict):
            self._problems.add(place, _("Here belongs an object, {…}, not %(found)s.") % {"found": found(value)})
            return {}
        for name in value:
            if name not in names:
                self._problems.add(within(place, str(name)), _("Nothing is called this here."))
        for name in required:
            if name not in value:
                self._problems.add(within(place, name), _("This is missing."))
        return {name: value[name] for name in names if name in value}

    def listed(self, value: object, place: str, *, most: int) -> list[object]:
        """Return a list's entries; of too long a list none, because each would only repeat that."""
        if not isinstance(value, list):
            self._problems.add(place, _("Here belongs a list, […], not %(found)s.") % {"found": found(value)})
            return []
        if len(value) > most:
            words = _("There are %(number)s entries; %(most)s are the most.")
            self._problems.add(place, words % {"number": with_commas(len(value)), "most": most})
            return []
        return value

    def column(self, field: Column, value: object, place: str) -> tuple[Any, ...]:
        """Return what a column would store, as the only entry of a tuple; () when it could not."""
        if value is None and field.null:
            return (None,)
        if isinstance(field, models.BooleanField):
            return self._typed(value, bool, place, _("Here belongs true or false, not %(found)s."))
        if isinstance(field, models.IntegerField):
            return self._typed(value, int, place, _("Here belongs a whole number, not %(found)s."))
        if isinstance(field, models.DateTimeField):
            return self._time(value, place)
        return self.text(value, place, longest=field.max_length or 0)

    def text(self, value: object, place: str, *, longest: int) -> tuple[str, ...]:
        """Return a text as the only entry of a tuple; () when it is none, or too long."""
        texts = self._typed(value, str, place, _("Here belongs a text, not %(found)s."))
        if texts and len(texts[0]) > longest:
            words = _("This text has %(number)s characters; %(most)s are the most.")
            self._problems.add(place, words % {"number": with_commas(len(texts[0])), "most": with_commas(longest)})
            return ()
        return texts

    def _typed(self, value: object, wanted: type, place: str, words: str) -> tuple[Any, ...]:
        # True is an integer to Python, and to nobody who writes a document.
        if type(value) is wanted:
            return (value,)
        self._problems.add(place, words % {"found": found(value)})
        return ()

    def _time(self, value: object, place: str) -> tuple[dt.datetime, ...]:
        if isinstance(value, str) and _TIME.fullmatch(value):
            try:
                return (dt.datetime.fromisoformat(value).astimezone(dt.UTC),)
            except (ValueError, OverflowError):
                pass
        words = _("Here belongs a time such as 2026-05-01T09:30:00+02:00, with its distance from UTC, not %(found)s.")
        self._problems.add(place, words % {"found": found(value)})
        return ()
