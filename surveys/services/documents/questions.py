"""The questions of a document, each judged by the model's own rules, then all of them together."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from surveys.models import Question, Survey, kinds
from surveys.models.definition import items_of
from surveys.models.facts import FactsUsed
from surveys.models.response import MAX_ITEMS
from surveys.privacy.designs import families
from surveys.privacy.designs.family import PAIRS
from surveys.selectors.documents import QUESTION_FIELDS
from surveys.services.documents.problems import Problems, found, within
from surveys.services.documents.shapes import Shapes, column_of
from surveys.services.surveys import MAX_QUESTIONS, QuestionDraft

_MOST_WEIGHTS = kinds.MAX_OPTIONS + 1
_REQUIRED = ("kind", "text", "design", "parameters")
# Columns of JSON: what they hold the model's rules judge.
_LISTS, _OBJECTS = frozenset({"options"}), frozenset({"details", "parameters"})


class Questions:
    """Reads the questions of one document."""

    def __init__(self, survey: Survey, shapes: Shapes, problems: Problems) -> None:
        self._survey = survey
        self._shapes = shapes
        self._problems = problems

    def read(self, value: object) -> list[QuestionDraft]:
        """Return the questions; when one cannot be asked, a problem says so."""
        entries = self._shapes.listed(value, "questions", most=MAX_QUESTIONS)
        read = [self._question(entry, f"questions[{number}]") for number, entry in enumerate(entries)]
        self._check_together(read)
        return [
            QuestionDraft(**{name: getattr(question, name) for name in QUESTION_FIELDS})
            for question in read
            if question
        ]

    def _question(self, value: object, place: str) -> Question | None:
        before = len(self._problems)
        given = self._shapes.entries(value, place, names=QUESTION_FIELDS, required=_REQUIRED)
        read: dict[str, Any] = {}
        for name, column in given.items():
            for stored in self._column(name, column, within(place, name)):
                read[name] = stored
        self._check_parameters(read.get("parameters", {}), within(place, "parameters"))
        # A default is no mistake of the author's: the model judges a question of which everything could be read.
        if len(self._problems) > before:
            return None
        question = Question(survey=self._survey, **read)
        self._judge(question, place)
        return question if len(self._problems) == before else None

    def _column(self, name: str, value: object, place: str) -> tuple[Any, ...]:
        if name in _LISTS:
            fits = isinstance(value, list)
            words = _("Here belongs a list, […], not %(found)s.")
        elif name in _OBJECTS:
            fits = isinstance(value, dict)
            words = _("Here belongs an object, {…}, not %(found)s.")
        else:
            return self._shapes.column(column_of(Question, name), value, place)
        if fits:
            return (value,)
        self._problems.add(place, words % {"found": found(value)})
        return ()

    def _check_parameters(self, parameters: dict[str, Any], place: str) -> None:
        """Note every probability that is none; which of them a design has, and which do, the model judges."""
        lists = {name for family in families() for name, shape in family.stored.items() if shape == PAIRS}
        for name, value in parameters.items():
            if name in lists and isinstance(value, list):
                # One share for each option, and one for not saying.
                for number, share in enumerate(self._shapes.listed(value, within(place, name), most=_MOST_WEIGHTS)):
                    self._check_probability(share, f"{within(place, name)}[{number}]")
            else:
                self._check_probability(value, within(place, name))

    def _check_probability(self, value: object, place: str) -> None:
        match value:
            case [numerator, denominator] if type(numerator) is type(denominator) is int:
                if not denominator > 0:
                    self._problems.add(place, _("The second number of a probability must be above 0."))
                elif not 0 <= numerator <= denominator:
                    self._problems.add(place, _("A probability is between 0 and 1."))
            case _:
                words = _("Here belongs a probability as two whole numbers, such as [1, 2] for 1/2, not %(found)s.")
                self._problems.add(place, words % {"found": found(value)})

    def _judge(self, question: Question, place: str) -> None:
        """Note what the model refuses: of its rules as many as can be told from each other."""
        places = {name: within(place, name) for name in QUESTION_FIELDS} | {
            name: f"{place}.details.{name}" for name in kinds.details_of(question.kind, question.design)
        }
        try:
            question.clean_fields(exclude={"survey", "position"})
        except ValidationError as refused:
            self._problems.add_refused(refused, places, place)
            return
        rules: tuple[Callable[[], None], ...] = (
            partial(question.traits.check_options, question.options),
            partial(kinds.check_details, question.kind, question.design, question.details),
            question.clean,
        )
        for rule in rules:
            try:
                rule()
            except ValidationError as refused:
                self._problems.add_refused(refused, places, place)

    def _check_together(self, questions: list[Question | None]) -> None:
        """Note what only all questions together can break."""
        facts = FactsUsed()
        items = 0
        for number, question in enumerate(questions, start=1):
            if question is None:
                continue
            items += len(items_of(question))
            for name, words in facts.used_before(question.details, number).items():
                self._problems.add(f"questions[{number - 1}].details.{name}", words)
        if items > MAX_ITEMS:
            words = _("A survey can have %(most)s items at most; each of several options is one.")
            self._problems.add("questions", words % {"most": MAX_ITEMS})
