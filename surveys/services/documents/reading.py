"""From a document to what the services store: every problem is found before anything is stored."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from surveys.models import Group, Survey
from surveys.selectors.documents import FORMAT, GROUP_FIELDS, SURVEY_FIELDS, VERSION
from surveys.services.documents.content import GroupDraft, SurveyContent
from surveys.services.documents.parsing import parse_json
from surveys.services.documents.problems import Problems, found, refuse, within
from surveys.services.documents.questions import Questions
from surveys.services.documents.shapes import Shapes, column_of
from surveys.services.documents.sweeping import sweep
from surveys.services.grouping import MOST_GROUPS, checked_group

_NAMES = ("format", "version", "survey", "groups", "questions")
_COLUMNS = {name: column_of(Survey, name) for name in SURVEY_FIELDS}


def parse_document(raw: bytes) -> SurveyContent:
    """Read a document from a file's bytes; raises DocumentRefused."""
    return read_document(parse_json(raw))


def read_document(data: object) -> SurveyContent:
    """Read a document; raises DocumentRefused with everything that is wrong, and stores nothing.

    Whatever it accepts, the services accept too. Names that are left out stand for what a new survey has.
    """
    problems = Problems()
    shapes = Shapes(problems)
    _check_version(data)
    sweep(data, problems)
    whole = shapes.entries(data, "", names=_NAMES, required=("survey",))
    survey = _survey(whole.get("survey", {}), shapes, problems)
    groups = _groups(whole.get("groups", []), shapes, problems)
    questions = Questions(survey, shapes, problems).read(whole.get("questions", []))
    problems.refuse_if_any()
    return SurveyContent({name: getattr(survey, name) for name in SURVEY_FIELDS}, questions, groups)


def _check_version(data: object) -> None:
    """Refuse at once what is no document of this kind: all else that is wrong with it would only confuse."""
    if not isinstance(data, Mapping):
        raise refuse(_("A survey’s document is an object, {…}, not %(found)s.") % {"found": found(data)})
    if data.get("format") != FORMAT:
        words = _("This is no survey’s document: here belongs “%(format)s”, not %(found)s.")
        raise refuse(words % {"format": FORMAT, "found": found(data.get("format"))}, "format")
    if type(data.get("version")) is not int or data["version"] != VERSION:
        words = _("Documents of version %(version)s can be read, and none of another. This says %(found)s.")
        raise refuse(words % {"version": VERSION, "found": found(data.get("version"))}, "version")


def _survey(value: object, shapes: Shapes, problems: Problems) -> Survey:
    """Return a survey of what can be read, for its model to judge."""
    given = shapes.entries(value, "survey", names=SURVEY_FIELDS, required=("title",))
    read: dict[str, Any] = {}
    for name, column in given.items():
        for stored in shapes.column(_COLUMNS[name], column, within("survey", name)):
            read[name] = stored
    if not read.get("title", "?").strip():
        problems.add("survey.title", _("Write a title."))
        del read["title"]
    return _judged(read, problems)


def _judged(read: dict[str, Any], problems: Problems) -> Survey:
    """Hold the columns against the model's rules, again and again without those refused: one rule can hide another."""
    every = {field.name for field in Survey._meta.fields}  # noqa: SLF001 - Django documents it
    while True:
        survey = Survey(**read)
        try:
            survey.full_clean(exclude=every - read.keys(), validate_unique=False, validate_constraints=False)
        except ValidationError as refused:
            problems.add_refused(refused, {name: within("survey", name) for name in SURVEY_FIELDS}, "survey")
            kept = {name: value for name, value in read.items() if name not in refused.message_dict}
            if len(kept) == len(read):
                return survey
            read = kept
        else:
            return survey


def _groups(value: object, shapes: Shapes, problems: Problems) -> tuple[GroupDraft, ...]:
    groups: list[Group] = []
    for number, entry in enumerate(shapes.listed(value, "groups", most=MOST_GROUPS)):
        place = f"groups[{number}]"
        given = shapes.entries(entry, place, names=GROUP_FIELDS, required=("name",))
        read: dict[str, str] = {}
        for name, column in given.items():
            for stored in shapes.column(column_of(Group, name), column, within(place, name)):
                read[name] = stored
        if "name" not in read or read.keys() < given.keys():
            continue
        try:
            groups.append(checked_group(name=read["name"], slug=read.get("slug", ""), others=groups))
        except ValidationError as refused:
            problems.add_refused(refused, {name: within(place, name) for name in GROUP_FIELDS}, place)
    return tuple(GroupDraft(group.name, group.slug) for group in groups)
