"""Questions: what is asked, and the exact parameters of its design."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator
from django.db import models
from django.utils import translation
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from surveys.numbers.words import with_commas
from surveys.privacy.designs import Design, named
from surveys.privacy.designs.grid import even_grid
from surveys.questionnaire import designs, kinds
from surveys.questionnaire.kinds import LeaveOut, prefer_not_to_say
from surveys.questionnaire.texts import check_line, same_text

if TYPE_CHECKING:
    Column = models.Field[Any, Any]  # generic for the type checker only
else:
    Column = models.Field

# Beyond it a report all but gives the answer away (odds change 400-fold), whatever the page says about coins.
LARGEST_EPSILON = 6

# What each field may hold; what is in a list or an object, the question judges.
QUESTION_COLUMNS: Mapping[str, Column] = {
    "kind": models.CharField(_("kind"), max_length=12, choices=kinds.choices),
    "text": models.CharField(_("text"), max_length=500, validators=[check_line]),
    "options": models.JSONField(_("options"), default=list, blank=True),
    "details": models.JSONField(default=dict, blank=True),
    "design": models.CharField(_("design"), max_length=20, choices=designs.choices),
    "parameters": models.JSONField(_("parameters"), default=dict, blank=True),
    "leave_out": models.CharField(_("skipping"), max_length=9, choices=LeaveOut.choices),
    "accepts_infinite": models.BooleanField(_("allow a report to prove the answer")),
    "arms": models.JSONField(_("arms"), default=list, blank=True),
    "quantity": models.PositiveSmallIntegerField(_("quantity"), validators=[MaxValueValidator(32_767)]),
    "random_order": models.BooleanField(_("show the options in random order")),
    "asked_if": models.JSONField(_("asked of some people only"), default=dict, blank=True),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question as its owner wrote it, with the exact parameters of its randomized-response design."""

    kind: str = str(kinds.YES_OR_NO.name)
    text: str
    options: tuple[str, ...] = ()
    # What else its kind and its design need, by the names of `kinds.details_of`; numbers as integer pairs.
    details: Mapping[str, Any] = field(default_factory=dict)
    design: str = designs.USUAL.name
    parameters: Mapping[str, Any] = field(default_factory=dict)
    leave_out: str = LeaveOut.VISIBLY
    accepts_infinite: bool = False
    # The numbers of the arms in which it is asked; none named are all.
    arms: tuple[int, ...] = ()
    # Questions of one number, above 0, ask for the same thing, each in arms of its own, and are compared.
    quantity: int = 0
    random_order: bool = False
    # {"question": …, "answers": […]}: whom it is asked, by an earlier question's number, from 1, and codes of its
    # answers; empty where everybody is.
    asked_if: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in QUESTION_FIELDS:
            object.__setattr__(self, name, frozen(getattr(self, name)))

    def __str__(self) -> str:
        return self.text

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Return the question that JSON holds."""
        return cls(**{name: given[name] for name in QUESTION_FIELDS if name in given})

    @property
    def as_json(self) -> dict[str, Any]:
        """The same for JSON, its names in one order."""
        values = {name: getattr(self, name) for name in QUESTION_FIELDS}
        return {name: thawed(value) for name, value in values.items() if value or name not in QUESTION_WHERE_SET}

    @property
    def answers(self) -> kinds.Answers:
        """The answers to it, which must have been checked."""
        return kinds.named(self.kind).of(self.options, self.details).asked_with(self.chance)

    @property
    def chance(self) -> designs.Chance:
        """How they are randomized, which must have been checked."""
        return designs.named(self.design).of(self.details)

    @property
    def asks_directly(self) -> bool:
        """Return whether it is an unprotected Yes/No question, which may stand beside a list that asks for the same."""
        return self.answers.yes_or_no and not self.chance.protects

    @property
    def texts(self) -> dict[str, str]:
        """What the survey owner wrote and respondents read, by field; the options are one text, a line each."""
        details = {name: self.details.get(name) for name in kinds.details_of(self.kind, self.design)}
        written = {"text": self.text, "options": "\n".join(self.options), **details}
        return {name: text for name, text in written.items() if isinstance(text, str) and text.strip()}

    def translated(self, words: Mapping[str, str]) -> Self:
        """Return it in another language; what is not translated stays as it is written.

        So do options that a document has in another number of lines: no answer could be identified by its place.
        """
        texts = {name: words.get(text, text) for name, text in self.texts.items()}
        text, options = texts.pop("text", self.text), texts.pop("options", "").split("\n")
        return replace(
            self,
            text=text,
            options=tuple(options) if len(options) == len(self.options) else self.options,
            details={**self.details, **texts},
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """What the true answers of one item are called, by code, in the language in force."""
        answers, limits = self.answers.labels, self.answers.range
        if limits and (size := self.chance.grid_size(self.parameters)):
            return limits.labels(even_grid(limits.low, limits.high, size))
        return (*answers, prefer_not_to_say()) if self.leave_out == LeaveOut.PROTECTED else answers

    @property
    def randomizer(self) -> Design:
        """The design matrix of each item; raises ValueError naming the parameter when the stored ones make none."""
        return named(self.design, parameters=self.parameters, k=len(self.labels))

    def full_clean(self, language: str = "", *, exclude: Collection[str] = ()) -> None:
        """Refuse all that is wrong with it in a survey of this language; raises ValidationError by field."""
        names = [name for name in QUESTION_COLUMNS if name not in exclude]
        refuse_all(partial(self.clean_fields, *names), partial(self._clean, language))

    def clean_fields(self, *names: str) -> None:
        """Refuse what a field cannot hold, of these fields or of all; raises ValidationError by field."""
        columns = {name: QUESTION_COLUMNS[name] for name in names or QUESTION_COLUMNS}
        full_clean(columns, {name: getattr(self, name) for name in columns})

    def _clean(self, language: str) -> None:
        if kinds.find(self.kind) and designs.find(self.design):
            self.clean_answers()
            self._clean_chance()
            self._check_labels(language)

    def clean_answers(self) -> None:
        """Refuse answers that cannot be asked, or not with its design; raises ValidationError by field.

        Its kind and its design must be known. Until this passes, the question has no labels.
        """
        kind, design = kinds.traits_of(self.kind, self.design), designs.named(self.design)
        refuse_all(
            partial(kind.check_options, self.options),
            partial(self._check_suits, kind, design),
            partial(kinds.check_details, self.kind, self.design, self.details),
        )

    def _check_suits(self, kind: kinds.Answers, design: designs.Chance) -> None:
        suitable = kinds.suitable_designs(self.kind)
        hides = self.leave_out == LeaveOut.PROTECTED
        if self.design not in suitable:
            raise ValidationError(
                {
                    "design": gettext("Choose one of these designs for this kind of question: %(designs)s.")
                    % {"designs": ", ".join(str(designs.named(name).label) for name in suitable)}
                }
            )
        if hides and not kind.hides_leaving_out:
            raise ValidationError(
                {
                    "leave_out": gettext(
                        "“Prefer not to say” is not an answer to this kind of question. Choose another way to skip."
                    )
                }
            )
        if self.random_order and not kind.takes_options:
            raise ValidationError(
                {
                    "random_order": gettext(
                        "This kind of question has no options of its own. Remove the options, or turn off random order."
                    )
                }
            )
        if hides and not design.hides_leaving_out:
            raise ValidationError(
                {"leave_out": gettext("This design cannot protect “prefer not to say”. Choose “Coin, then spinner”.")}
            )

    def _clean_chance(self) -> None:
        if not isinstance(self.parameters, Mapping):
            raise ValidationError(
                {"parameters": gettext("The design’s parameters must be an object of integer pairs.")}
            )
        limits, chance = self.answers.range, self.chance
        if limits and (refused := chance.refused_limits(self.parameters, limits.low, limits.steps)):
            raise ValidationError(refused)
        try:
            design = self.randomizer
        except ValueError as error:
            raise ValidationError({"parameters": str(error)}) from error
        chance.check(design, len(self.labels))
        if chance.protects:
            self._check_protection(design)

    def _check_labels(self, language: str) -> None:
        """Refuse an option that reads as one of the pages' own words beside it, such as “Prefer not to say”."""
        with translation.override(language or translation.get_language()):
            labels = self.labels
        if len({same_text(label) for label in labels}) < len(labels):
            raise ValidationError({"options": gettext("Two answers would read the same. Change one.")})

    def _check_protection(self, design: Design) -> None:
        if all(entry in {0, 1} for row in design.matrix for entry in row):
            raise ValidationError(
                {
                    "parameters": gettext(
                        "With these probabilities nothing is random, and every report is the true answer. "
                        "Choose other probabilities."
                    )
                }
            )
        if design.epsilon == float("inf"):
            if self.answers.one_true:
                # What one report proves of an option, several prove of the answer.
                words = gettext(
                    "With these probabilities a report can prove the answer (ε is infinite). Choose "
                    "other probabilities."
                )
                raise ValidationError({"parameters": words})
            if not self.accepts_infinite:
                raise ValidationError(
                    {
                        "accepts_infinite" if self.chance.acceptance else "parameters": gettext(
                            "With these probabilities a report can prove the answer (ε is infinite). Choose "
                            "other probabilities, or accept that a report can be proof."
                        )
                    }
                )
        elif (epsilon := self.answers.losses(design)[0].epsilon) > LARGEST_EPSILON:
            raise ValidationError(
                {
                    "parameters": gettext(
                        "With these probabilities a report almost proves the answer: ε would be %(epsilon).2f, "
                        "and the maximum is %(most)s. Randomize more."
                    )
                    % {"epsilon": epsilon, "most": LARGEST_EPSILON}
                }
            )
        if design.denominator > kinds.LARGEST_DENOMINATOR:
            raise ValidationError(
                {
                    "parameters": gettext("Enter probabilities with a common denominator of at most %(most)s.")
                    % {"most": with_commas(kinds.LARGEST_DENOMINATOR)}
                }
            )


QUESTION_FIELDS: tuple[str, ...] = tuple(each.name for each in fields(Question))
# What most questions do without is written only where it is set.
QUESTION_WHERE_SET = ("arms", "quantity", "random_order", "asked_if")


def full_clean(columns: Mapping[str, Column], values: Mapping[str, Any]) -> None:
    """Refuse values that these columns cannot hold, all of them at once; raises ValidationError by field."""
    refused: dict[str, list[ValidationError]] = {}
    for name, column in columns.items():
        value = thawed(values[name])
        if column.blank and value in column.empty_values:
            continue
        try:
            column.clean(value, None)
        except ValidationError as error:
            refused[name] = error.error_list
    if refused:
        raise ValidationError(refused)


def refuse_all(*rules: Callable[[], None]) -> None:
    """Carry out all rules; raises ValidationError by field, in the words of the last rule that refuses it.

    Later rules know more about what a field is for.
    """
    refused: dict[str, list[ValidationError]] = {}
    for rule in rules:
        try:
            rule()
        except ValidationError as error:
            refused |= error.update_error_dict({})
    if refused:
        raise ValidationError(refused)


def frozen(value: Any) -> Any:  # noqa: ANN401 - a value of JSON
    """Return a value of JSON that nothing can change."""
    if isinstance(value, Mapping):
        return MappingProxyType({name: frozen(inner) for name, inner in value.items()})
    return tuple(frozen(inner) for inner in value) if isinstance(value, list) else value


def thawed(value: Any) -> Any:  # noqa: ANN401 - a value of JSON
    """Return the same as lists and dictionaries, the names of these in alphabetical order."""
    if isinstance(value, Mapping):
        return {name: thawed(value[name]) for name in sorted(value)}
    return [thawed(inner) for inner in value] if isinstance(value, tuple) else value
