"""What the buttons of the editor do with its rows."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from surveys.forms.authoring.rows import MAX_REMOVED, Row
from surveys.forms.authoring.wished import truth_at
from surveys.models import designs
from surveys.selectors.linting.mends import mend_of
from surveys.services.surveys import MAX_QUESTIONS

_ON_A_ROW = re.compile(r"(open|up|down|duplicate|delete|restore|wish)-([1-9]\d?)")
_MEND = re.compile(r"mend-([1-9]\d?)-([a-z_]{1,30})")
_TURN = re.compile(r"turn-([1-9]\d?)-([1-9]\d{0,3}/[1-9]\d{0,3})")
_MOVE = re.compile(r"move-([1-9]\d?)-([1-9]\d?)")


@dataclass(frozen=True, slots=True)
class Moved:
    """The rows after a button was pressed, and what happened in words."""

    rows: list[Row]
    said: str = ""


def act(rows: list[Row], action: str) -> Moved:
    """Do what a button says; one that does not exist, or whose row does not, changes nothing."""
    if action in _ON_ALL:
        return _ON_ALL[action](rows)
    if match := _ON_A_ROW.fullmatch(action):
        place = int(match[2]) - 1
        return _BUTTONS[match[1]](rows, place) if place < len(rows) else Moved(rows)
    for pattern, button in _WITH_MORE.items():
        if match := pattern.fullmatch(action):
            return button(rows, *match.groups())
    return Moved(rows)


def _staying(rows: list[Row]) -> list[Row]:
    return [row for row in rows if not row.removed]


def _place(rows: list[Row], row: Row) -> int:
    return _staying(rows).index(row) + 1


def _open_alone(rows: list[Row], row: Row) -> None:
    for other in rows:
        other.is_open = other is row or (other.is_open and not other.can_close)
    row.focus = "text"


def _add(rows: list[Row]) -> Moved:
    if len(_staying(rows)) >= MAX_QUESTIONS:
        return Moved(rows, _no_more())
    row = Row()
    rows = [*rows, row]
    _open_alone(rows, row)
    return Moved(rows, _("Added: question %(number)s.") % {"number": _place(rows, row)})


def _close(rows: list[Row]) -> Moved:
    for row in rows:
        if row.is_open and row.can_close:
            row.is_open = False
            row.focus = "open"
    return Moved(rows, _("All questions are closed."))


def _open(rows: list[Row], place: int) -> Moved:
    row = rows[place]
    if row.removed:
        return Moved(rows)
    _open_alone(rows, row)
    return Moved(rows, _("Open: question %(number)s.") % {"number": _place(rows, row)})


def _up(rows: list[Row], place: int) -> Moved:
    return _beside(rows, place, -1, "up")


def _down(rows: list[Row], place: int) -> Moved:
    return _beside(rows, place, 1, "down")


def _beside(rows: list[Row], place: int, step: int, focus: str) -> Moved:
    """Change places with the next one that is not removed."""
    other = place + step
    while 0 <= other < len(rows) and rows[other].removed:
        other += step
    return _move(rows, place, other, focus) if 0 <= other < len(rows) else Moved(rows)


def _move(rows: list[Row], first: int, last: int, focus: str) -> Moved:
    rows = [*rows]
    row = rows.pop(first)
    rows.insert(last, row)
    place, all_of_them = _place(rows, row) if not row.removed else 0, len(_staying(rows))
    # At the end of the list the button of this direction cannot be pressed any more.
    row.focus = {(1, "up"): "down", (all_of_them, "down"): "up"}.get((place, focus), focus)
    return Moved(rows, _("Moved: it is now question %(number)s.") % {"number": place})


def _drag(rows: list[Row], first: str, last: str) -> Moved:
    """Move a row by its place in the form to that of another."""
    places = int(first) - 1, int(last) - 1
    return _move(rows, *places, "open") if max(places) < len(rows) else Moved(rows)


def _duplicate(rows: list[Row], place: int) -> Moved:
    if len(_staying(rows)) >= MAX_QUESTIONS:
        return Moved(rows, _no_more())
    copy = Row(rows[place].typed)
    rows = [*rows[: place + 1], copy, *rows[place + 1 :]]
    _open_alone(rows, copy)
    return Moved(rows, _("Copied: the copy is question %(number)s.") % {"number": _place(rows, copy)})


def _delete(rows: list[Row], place: int) -> Moved:
    row = rows[place]
    if row.removed:
        return Moved(rows)
    number = _place(rows, row)
    row.removed, row.is_open, row.focus = True, False, "restore"
    gone = [other for other in rows if other.removed]
    # What nobody typed anything into need not come back; of the others the last ones can.
    forgotten = [other for other in gone if other.is_blank or not other.can_close]
    forgotten += gone[: max(0, len(gone) - MAX_REMOVED)]
    rows = [other for other in rows if other not in forgotten]
    if row in forgotten and rows:
        rows[min(place, len(rows) - 1)].focus = "restore" if rows[min(place, len(rows) - 1)].removed else "open"
        return Moved(rows, _("Removed: question %(number)s, which was empty.") % {"number": number})
    return Moved(rows, _("Removed: question %(number)s. It can be put back until you save.") % {"number": number})


def _restore(rows: list[Row], place: int) -> Moved:
    row = rows[place]
    if not row.removed:
        return Moved(rows)
    if len(_staying(rows)) >= MAX_QUESTIONS:
        return Moved(rows, _no_more())
    row.removed, row.focus = False, "open"
    return Moved(rows, _("Put back: question %(number)s.") % {"number": _place(rows, row)})


def _wish(rows: list[Row], place: int) -> Moved:
    """Choose the coin by the ε that is wished for."""
    row = rows[place]
    row.focus = "wish"
    try:
        row.retype("truth", truth_at(row.typed, row.wished))
    except ValidationError as refused:
        row.wish_refused = " ".join(refused.messages)
        return Moved(rows, row.wish_refused)
    return _coin_is(rows, row)


def _turn(rows: list[Row], index: str, truth: str) -> Moved:
    """Set the coin to what the dial offers."""
    place = int(index) - 1
    if place >= len(rows) or rows[place].removed:
        return Moved(rows)
    row = rows[place]
    row.retype("truth", truth)
    row.focus = "dial"
    return _coin_is(rows, row)


def _coin_is(rows: list[Row], row: Row) -> Moved:
    return Moved(rows, _("The coin is now %(truth)s.") % {"truth": row.typed["truth"]})


def _mend(rows: list[Row], number: str, rule: str) -> Moved:
    """Type what mends a finding of the linter into a question, by its number among those that stay."""
    staying = _staying(rows)
    if int(number) > len(staying):
        return Moved(rows)
    row = staying[int(number) - 1]
    mend = mend_of(rule, designs.find(row.typed["design"]))
    if not mend:
        return Moved(rows)
    for name, value in mend:
        row.retype(name, value)
    _open_alone(rows, row)
    return Moved(rows, _("Changed: question %(number)s.") % {"number": number})


def _no_more() -> str:
    return _("A survey can have no more than %(most)s questions.") % {"most": MAX_QUESTIONS}


_ON_ALL: dict[str, Callable[[list[Row]], Moved]] = {"add": _add, "close": _close}
_WITH_MORE: dict[re.Pattern[str], Callable[[list[Row], str, str], Moved]] = {_MOVE: _drag, _MEND: _mend, _TURN: _turn}
_BUTTONS: dict[str, Callable[[list[Row], int], Moved]] = {
    "open": _open,
    "up": _up,
    "down": _down,
    "duplicate": _duplicate,
    "delete": _delete,
    "restore": _restore,
    "wish": _wish,
}
