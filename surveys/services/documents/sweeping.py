"""What is looked for in every place of a document, whatever it means there."""

from django.utils.translation import gettext as _

from surveys.models.texts import unstorable
from surveys.services.documents.parsing import MOST_LEVELS, JsonObject
from surveys.services.documents.problems import Problems, refuse, within

_Path = tuple[str | int, ...]


def sweep(data: object, problems: Problems) -> None:
    """Note names that come twice, and texts that no database holds; refuse at once what is nested too deeply."""
    # Places are put into words only where something is wrong: a megabyte has a hundred thousand of them.
    waiting: list[tuple[_Path, object]] = [((), data)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, str):
            _look_at(value, path, problems)
        elif isinstance(value, dict | list) and len(path) >= MOST_LEVELS:
            words = _("Lists and objects are nested too deeply: %(most)s levels are the most.")
            raise refuse(words % {"most": MOST_LEVELS}, _place(path))
        elif isinstance(value, dict):
            for name in value.repeated if isinstance(value, JsonObject) else ():
                problems.add(_place((*path, name)), _("This name comes more than once in the same object."))
            for name, inner in value.items():
                inside = (*path, str(name))
                _look_at(str(name), inside, problems)
                waiting.append((inside, inner))
        elif isinstance(value, list):
            waiting.extend(((*path, number), inner) for number, inner in enumerate(value))


def _look_at(text: str, path: _Path, problems: Problems) -> None:
    if words := unstorable(text):
        problems.add(_place(path), words)


def _place(path: _Path) -> str:
    place = ""
    for step in path:
        place = f"{place}[{step}]" if isinstance(step, int) else within(place, step)
    return place
