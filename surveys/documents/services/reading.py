"""From a document to what the services store, or to everything that is wrong with it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from surveys.documents.services.parsing import (
    LARGEST_NUMBER,
    MOST_LEVELS,
    JsonObject,
    Problems,
    Shapes,
    column_of,
    describe_value,
    is_too_large,
    place_within,
    refuse,
)
from surveys.drafts.selectors import FORMAT, GROUP_FIELDS, SURVEY_FIELDS, VERSION
from surveys.drafts.services.groups import MOST_GROUPS, checked_group
from surveys.drafts.services.surveys import MAX_QUESTIONS, clean
from surveys.models import Group, Survey
from surveys.numbers.words import with_commas
from surveys.privacy.designs import families
from surveys.privacy.designs.family import INTEGER, PAIRS
from surveys.questionnaire import kinds
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.document import COLUMNS, Questionnaire
from surveys.questionnaire.question import QUESTION_COLUMNS, QUESTION_FIELDS, Question
from surveys.questionnaire.reports import CODES
from surveys.questionnaire.texts import unstorable
from surveys.questionnaire.together import faults_together


@dataclass(frozen=True, slots=True)
class GroupDraft:
    """One group link."""

    name: str
    slug: str


@dataclass(frozen=True, slots=True)
class SurveyContent:
    """A survey as it was written: nothing of it is stored yet."""

    fields: dict[str, Any]  # columns of the draft, and the questionnaire's, by name
    questions: list[Question]
    groups: tuple[GroupDraft, ...] = ()

    @property
    def definition(self) -> Definition:
        """What would be asked, with the designs' numbers."""
        written = {name: value for name, value in self.fields.items() if name in COLUMNS}
        return Definition.of(replace(Questionnaire.of(written), questions=tuple(self.questions)))


# The questions of a document, each judged by the model's own rules, then all of them together.


_MOST_WEIGHTS = len(CODES)
_REQUIRED = ("kind", "text", "design", "parameters")


class Questions:
    """Reads the questions of one document."""

    def __init__(self, survey: Questionnaire, shapes: Shapes, problems: Problems) -> None:
        self._survey = survey
        self._shapes = shapes
        self._problems = problems

    def read(self, value: object) -> list[Question]:
        """Return the questions; when one cannot be asked, a problem says so."""
        entries = self._shapes.listed(value, "questions", most=MAX_QUESTIONS)
        read = [self._question(entry, f"questions[{number}]") for number, entry in enumerate(entries)]
        self._check_together(read)
        return [question for question in read if question]

    def _question(self, value: object, place: str) -> Question | None:
        before = len(self._problems)
        given = self._shapes.entries(value, place, names=QUESTION_FIELDS, required=_REQUIRED)
        read: dict[str, Any] = {}
        for name, column in given.items():
            for stored in self._shapes.column(QUESTION_COLUMNS[name], column, place_within(place, name)):
                read[name] = stored
        self._check_parameters(read.get("parameters", {}), place_within(place, "parameters"))
        # A default is no mistake of the survey owner's: the model judges a question of which everything could be read.
        if len(self._problems) > before:
            return None
        question = Question(**read)
        self._judge(question, place)
        return question if len(self._problems) == before else None

    def _check_parameters(self, parameters: dict[str, Any], place: str) -> None:
        """Note every probability that is none; which of them a design has, and which do, the model judges."""
        lists, wholes = (
            {name for family in families() for name, shape in family.stored.items() if shape == wanted}
            for wanted in (PAIRS, INTEGER)
        )
        for name, value in parameters.items():
            if name in wholes:
                self._shapes.integer(value, place_within(place, name))
            elif name in lists and isinstance(value, list):
                # One share for each option, and one for not saying.
                for number, share in enumerate(
                    self._shapes.listed(value, place_within(place, name), most=_MOST_WEIGHTS)
                ):
                    self._check_probability(share, f"{place_within(place, name)}[{number}]")
            else:
                self._check_probability(value, place_within(place, name))

    def _check_probability(self, value: object, place: str) -> None:
        match value:
            case [_first, _second]:
                pair = [self._shapes.integer(part, f"{place}[{number}]") for number, part in enumerate(value)]
                if not all(pair):
                    return
                ((numerator,), (denominator,)) = pair
                if not denominator > 0:
                    self._problems.add(place, _("The second number of a probability must be above 0."))
                elif not 0 <= numerator <= denominator:
                    self._problems.add(place, _("A probability must be from 0 to 1."))
            case _:
                words = _("Expected a probability as two whole numbers, such as [1, 2] for 1/2, but found %(found)s.")
                self._problems.add(place, words % {"found": describe_value(value)})

    def _judge(self, question: Question, place: str) -> None:
        """Note what the question itself refuses."""
        try:
            question.full_clean(self._survey.language)
        except ValidationError as refused:
            self._problems.add_refused(refused, _places_in(question, place), place)

    def _check_together(self, questions: list[Question | None]) -> None:
        """Note what only all questions together can break."""
        for fault in faults_together(self._survey, questions):
            if question := questions[fault.number - 1] if fault.number else None:
                place = _places_in(question, f"questions[{fault.number - 1}]")[fault.field]
            else:
                place = _OF_ALL[fault.field]
            self._problems.add(place, fault.words)


# Where a document has what is wrong with all questions together, by the field of a fault.
_OF_ALL = {"questions": "questions", "arms": "survey.arms"}


def _places_in(question: Question, place: str) -> dict[str, str]:
    """Return where a document has a question's fields and details, by name."""
    details = kinds.details_of(question.kind, question.design)
    return {name: place_within(place, name) for name in QUESTION_FIELDS} | {
        name: f"{place}.details.{name}" for name in details
    }


# What is looked for in every place of a document, whatever it means there.


_Path = tuple[str | int, ...]


def sweep(data: object, problems: Problems) -> None:
    """Refuse names that come twice, numbers and texts that no database holds, and what is nested too deeply.

    Whatever reads a document afterwards meets none of them, and does not say of their places what else is wrong there.
    """
    # Places are put into words only where something is wrong: a megabyte has a hundred thousand of them.
    waiting: list[tuple[_Path, object]] = [((), data)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, str):
            _is_storable(value, path, problems)
        elif is_too_large(value):
            words = _("This number is too large. The limit is %(most)s.")
            problems.add(_place(path), words % {"most": with_commas(LARGEST_NUMBER)})
        elif isinstance(value, dict | list) and len(path) >= MOST_LEVELS:
            words = _("Lists and objects are nested too deeply. The limit is %(most)s levels.")
            raise refuse(words % {"most": MOST_LEVELS}, _place(path))
        elif isinstance(value, dict):
            for name in value.repeated if isinstance(value, JsonObject) else ():
                problems.add(
                    _place((*path, name)), _("This key appears more than once in the same object. Keep only one.")
                )
            for name, inner in value.items():
                inside = (*path, str(name))
                if _is_storable(str(name), inside, problems):
                    waiting.append((inside, inner))
        elif isinstance(value, list):
            waiting.extend(((*path, number), inner) for number, inner in enumerate(value))
    problems.refuse_if_any()


def _is_storable(text: str, path: _Path, problems: Problems) -> bool:
    if words := unstorable(text):
        problems.add(_place(path), words)
    return not words


def _place(path: _Path) -> str:
    place = ""
    for step in path:
        place = f"{place}[{step}]" if isinstance(step, int) else place_within(place, step)
    return place


# From a document to what the services store: every problem is found before anything is stored.


_NAMES = ("format", "version", "survey", "groups", "questions")
_COLUMNS = {name: COLUMNS.get(name) or column_of(Survey, name) for name in SURVEY_FIELDS}


def read_document(data: object) -> SurveyContent:
    """Read a document; raises DocumentRefused with everything that is wrong, and stores nothing.

    Whatever it accepts, the services accept too. Omitted names stand for what a new survey has.
    """
    problems = Problems()
    shapes = Shapes(problems)
    _check_version(data)
    sweep(data, problems)
    parts = shapes.entries(data, "", names=_NAMES, required=("survey",))
    fields = _survey(parts.get("survey", {}), shapes, problems)
    written = Questionnaire.of({"title": "", **{name: value for name, value in fields.items() if name in COLUMNS}})
    groups = _groups(parts.get("groups", []), shapes, problems)
    questions = Questions(written, shapes, problems).read(parts.get("questions", []))
    problems.refuse_if_any()
    new = Survey()
    columns = {name: fields.get(name, getattr(new, name)) for name in SURVEY_FIELDS if name not in COLUMNS}
    preamble = {name: fields.get(name, _COLUMNS[name].get_default()) for name in COLUMNS}
    return SurveyContent(columns | preamble, questions, groups)


def _check_version(data: object) -> None:
    """Refuse at once what is no document of this kind: all else that is wrong with it would only confuse."""
    if not isinstance(data, Mapping):
        raise refuse(
            _("Expected a survey document (an object: {…}), but found %(found)s.") % {"found": describe_value(data)}
        )
    if data.get("format") != FORMAT:
        words = _("This isn’t a survey document. Expected the format “%(format)s”, but found %(found)s.")
        raise refuse(words % {"format": FORMAT, "found": describe_value(data.get("format"))}, "format")
    if type(data.get("version")) is not int or data["version"] != VERSION:
        words = _("Expected document version %(version)s, but found %(found)s.")
        raise refuse(words % {"version": VERSION, "found": describe_value(data.get("version"))}, "version")


def _survey(value: object, shapes: Shapes, problems: Problems) -> dict[str, Any]:
    """Return what can be read of a survey's fields, by name."""
    given = shapes.entries(value, "survey", names=SURVEY_FIELDS, required=("title",))
    read: dict[str, Any] = {}
    for name, column in given.items():
        for stored in shapes.column(_COLUMNS[name], column, place_within("survey", name)):
            read[name] = stored
    if not read.get("title", "?").strip():
        problems.add("survey.title", _("Enter a title."))
        del read["title"]
    return _judged(read, problems)


def _judged(read: dict[str, Any], problems: Problems) -> dict[str, Any]:
    """Hold fields against the rules, again and again without those refused: one rule can hide another."""
    every = {field.name for field in Survey._meta.fields}  # noqa: SLF001 - Django documents it
    while True:
        survey = Survey(**{name: value for name, value in read.items() if name not in COLUMNS})
        values = {name: value for name, value in read.items() if name in COLUMNS}
        try:
            clean(survey, values, exclude=every - read.keys())
        except ValidationError as refused:
            problems.add_refused(refused, {name: place_within("survey", name) for name in SURVEY_FIELDS}, "survey")
            kept = {name: value for name, value in read.items() if name not in refused.message_dict}
            if len(kept) == len(read):
                return read
            read = kept
        else:
            return read


def _groups(value: object, shapes: Shapes, problems: Problems) -> tuple[GroupDraft, ...]:
    groups: list[Group] = []
    for number, entry in enumerate(shapes.listed(value, "groups", most=MOST_GROUPS)):
        place = f"groups[{number}]"
        given = shapes.entries(entry, place, names=GROUP_FIELDS, required=("name",))
        read: dict[str, str] = {}
        for name, column in given.items():
            for stored in shapes.column(column_of(Group, name), column, place_within(place, name)):
                read[name] = stored
        if "name" not in read or read.keys() < given.keys():
            continue
        try:
            groups.append(checked_group(name=read["name"], slug=read.get("slug", ""), others=groups))
        except ValidationError as refused:
            problems.add_refused(refused, {name: place_within(place, name) for name in GROUP_FIELDS}, place)
    return tuple(GroupDraft(group.name, group.slug) for group in groups)
