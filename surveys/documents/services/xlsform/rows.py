"""Rows of an XLSForm: what each becomes, its limits and its choices, or why no question can be made of it."""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from surveys.documents.services.reading import SurveyContent
from surveys.documents.services.xlsform.workbook import Language, Sheet, SheetRow
from surveys.privacy.rationals import exact
from surveys.questionnaire.designs import NO_CHANCE, USUAL, USUAL_FOR_MANY
from surveys.questionnaire.document import TEXTS, Place
from surveys.questionnaire.kinds import MAX_OPTIONS, MAX_STEPS, OPTION_LENGTH, LeaveOut, pair_of, suitable_designs
from surveys.questionnaire.texts import same_text


@dataclass(frozen=True, slots=True)
class LineReport:
    """One row of a sheet: what it was, and what became of it or why nothing could."""

    sheet: str
    row: int
    type: str
    name: str
    taken: bool
    words: str
    in_part: bool = False  # taken, but not all that the line says


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What was read: the document, what that says, and of a form what became of each line."""

    document: object
    content: SurveyContent
    lines: tuple[LineReport, ...] = ()

    @property
    def left_out(self) -> int:
        return sum(not line.taken for line in self.lines)

    @property
    def in_part(self) -> int:
        return sum(line.in_part for line in self.lines)

    @property
    def alike(self) -> list[tuple[LineReport, ...]]:
        """The lines in their order, those together that follow each other and say the same."""
        return [tuple(lines) for _outcome, lines in groupby(self.lines, key=lambda line: (line.taken, line.words))]


# Types of a form's rows that no question can be made of, each with the reason.


_ABOUT_PEOPLE = _("This line would record who answers, or when and where. Deniable never collects such data.")
_COMPUTED = _("This value is calculated, not asked.")
_FILE = _("Pictures, recordings and files can identify people and can’t be randomized.")
_PLACE = _("Locations can identify people, and Deniable can’t randomize them.")
_MOMENT = _("Date and time questions aren’t supported. Offer a choice of several periods instead.")
_FREE = _("Free text can’t be randomized. Offer a choice of several options instead.")
_ORDER = _("Ranking questions aren’t supported. Ask only for the first choice instead.")
_FROM_FILE = _("This question’s choices are in another file. Copy them to the “choices” sheet.")

REASONS: dict[str, Promise] = {
    **dict.fromkeys(
        (
            "start",
            "end",
            "today",
            "deviceid",
            "phonenumber",
            "simserial",
            "subscriberid",
            "username",
            "email",
            "audit",
            "start-geopoint",
            "background-audio",
        ),
        _ABOUT_PEOPLE,
    ),
    **dict.fromkeys(("calculate", "hidden", "xml-external", "csv-external"), _COMPUTED),
    **dict.fromkeys(("image", "audio", "video", "file", "barcode"), _FILE),
    **dict.fromkeys(("geopoint", "geotrace", "geoshape"), _PLACE),
    **dict.fromkeys(("date", "time", "datetime"), _MOMENT),
    "text": _FREE,
    "rank": _ORDER,
    **dict.fromkeys(("select_one_from_file", "select_multiple_from_file", "select_one_external"), _FROM_FILE),
    "acknowledge": _("Everyone would give the same answer. Put the statement in the consent text instead."),
}
UNKNOWN = _("This question type isn’t supported.")


# Notes that are no introduction, recognized by their names.


OWN_NOTES = {f"deniable_{name}": name for name, text in TEXTS.items() if text.place in {Place.CONSENT, Place.RECEIPT}}
# The title of a form has one language; in several it is a note too, which has a label in each.
TITLE_NOTE = "deniable_title"


# The limits of a form's numbers: from a range's parameters, or from a constraint that is one plain interval.


_BOUND = re.compile(r"(?P<sign>[<>]=?)\s*(?P<number>[+-]?\d{1,12}(\.\d{1,6})?)")
_SWAPPED = re.compile(r"(?P<number>[+-]?\d{1,12}(\.\d{1,6})?)\s*(?P<sign>[<>]=?)")
_PARAMETER = re.compile(r"(?P<name>start|end|step)\s*=\s*(?P<number>[+-]?\d{1,12}(\.\d{1,6})?)")
_SHUFFLED = re.compile(r"randomize=(true|yes)(\(\))?")
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_FINEST = (Fraction(1), Fraction(1, 10), Fraction(1, 100))

Limits = dict[str, list[int]]


def limits_of_constraint(constraint: str, *, whole_numbers: bool) -> Limits | None:
    """Return the limits and the step that a constraint such as `. >= 0 and . <= 24` sets; None when it sets no others.

    `whole_numbers` may also stand strictly below or above a limit.
    """
    low: Fraction | None = None
    high: Fraction | None = None
    for part in _tidy(constraint).split(" and "):
        bound = _bound(part.strip().removeprefix("(").removesuffix(")").strip())
        if bound is None:
            return None
        sign, number = bound
        if len(sign) == 1:
            if not whole_numbers or number.denominator != 1:
                return None
            number += 1 if sign == ">" else -1
        if sign.startswith(">"):
            low = number if low is None else max(low, number)
        else:
            high = number if high is None else min(high, number)
    if low is None or high is None or not low < high:
        return None
    return _limits(low, high, Fraction(1) if whole_numbers else _step(low, high))


def limits_of_range(parameters: str) -> Limits | None:
    """Return the limits and the step of a range; by default 0, 10 and 1. None when it makes no sense."""
    given: dict[str, Fraction] = {}
    for part in _parts(parameters):
        if not (match := _PARAMETER.fullmatch(part)):
            return None
        given[match["name"]] = exact(match["number"], match["name"])
    low, high, step = given.get("start", Fraction(0)), given.get("end", Fraction(10)), given.get("step", Fraction(1))
    return _limits(low, high, step) if low < high and step > 0 else None


def _parts(parameters: str) -> list[str]:
    """Return what stands in a cell of parameters, each `name=value`."""
    return [part for part in re.split("[ ;,]+", _tidy(parameters).replace(" =", "=").replace("= ", "=")) if part]


def _tidy(text: str) -> str:
    """Return a text in small letters with single spaces: a search through long runs of spaces would take its time."""
    return " ".join(text.lower().split())


def _bound(part: str) -> tuple[str, Fraction] | None:
    """Return a comparison with the answer itself, which forms write as a point: `. >= 0`, or `0 <= .`."""
    if part.startswith(".") and (match := _BOUND.fullmatch(part[1:].strip())):
        return match["sign"], exact(match["number"], "number")
    if part.endswith(".") and (match := _SWAPPED.fullmatch(part[:-1].strip())):
        return _MIRRORED[match["sign"]], exact(match["number"], "number")
    return None


def _step(low: Fraction, high: Fraction) -> Fraction:
    """Return the finest step, of a hundredth at most, that leads from one limit to the other often enough."""
    fitting = [step for step in _FINEST if ((high - low) / step).denominator == 1 and (high - low) / step <= MAX_STEPS]
    return fitting[-1] if fitting else high - low


def _limits(low: Fraction, high: Fraction, step: Fraction) -> Limits:
    return {"low": pair_of(low), "high": pair_of(high), "step": pair_of(step)}


# The lists of choices of a form.


_YES = frozenset({"yes", "y", "ja", "sí", "si", "oui", "כן"})
_NO = frozenset({"no", "n", "nein", "non", "לא"})


@dataclass(frozen=True, slots=True)
class ListedChoice:
    """One choice: what the data call it, and what people read."""

    name: str
    label: str


def choices_by_list(sheet: Sheet, language: Language) -> dict[str, list[ListedChoice]]:
    """Return the choices of each list, in the order of their rows."""
    lists: dict[str, list[ListedChoice]] = defaultdict(list)
    for row in sheet.rows:
        name = row.cell("list_name") or row.cell("list name")
        if name:
            choice = row.cell("name") or row.cell("value")
            lists[name].append(ListedChoice(choice, " ".join(language.cell(row, "label").split())))
    return dict(lists)


def is_shuffled(parameters: str) -> bool:
    """Whether a row's parameters have its choices in random order: `randomize=true`."""
    return any(_SHUFFLED.fullmatch(part) for part in _parts(parameters))


_CHOSEN = re.compile(
    r"""\$\{(?P<name>[^{}'"]+)\} ?= ?(?P<quote>['"])(?P<choice>[^'"]*)(?P=quote)"""
    r"""|selected ?\( ?\$\{(?P<of>[^{}'"]+)\} ?, ?(?P<mark>['"])(?P<one>[^'"]*)(?P=mark) ?\)"""
)


def chosen_in(relevant: str) -> tuple[str, set[str]] | None:
    """Return which answers to which question a condition names, by their names; None where it says anything else.

    Read are `${year} = 'first'` and `selected(${year}, 'first')`, and several of one question with `or` between them.
    """
    asked: set[str] = set()
    choices: set[str] = set()
    for part in " ".join(relevant.split()).split(" or "):
        if not (match := _CHOSEN.fullmatch(part)):
            return None
        asked.add(match["name"] or match["of"])
        choices.add(match["choice"] if match["name"] else match["one"])
    return (asked.pop(), choices) if len(asked) == 1 else None


def no_and_yes(choices: list[ListedChoice]) -> list[ListedChoice]:
    """Return two choices with No before Yes, recognized by their labels or else by their names; none for any others."""
    if len(choices) != 2:
        return []
    for texts in ([choice.label for choice in choices], [choice.name for choice in choices]):
        first, second = (same_text(text).rstrip(".!") for text in texts)
        if first in _NO and second in _YES:
            return choices
        if first in _YES and second in _NO:
            return choices[::-1]
    return []


# From one row of a form to one question of a document, or to the reason why there is none.


# Fair coins, and a coin and a spinner: what the editor begins with too.
_COINS: dict[str, Any] = {"design": str(USUAL.name), "parameters": USUAL.usual_parameters}
_SPINNER: dict[str, Any] = {"design": str(USUAL_FOR_MANY.name), "parameters": USUAL_FOR_MANY.usual_parameters}
_PLAIN: dict[str, Any] = {"design": str(NO_CHANCE.name), "parameters": {}}
_TRUE = frozenset({"yes", "true", "true()"})
_FALSE = frozenset({"no", "false", "false()"})


class Unfit(Exception):  # noqa: N818 - reads as a sentence where it is raised
    """No question can be made of a row; the message says why."""


@dataclass(frozen=True, slots=True)
class RowReader:
    """Makes questions of the rows of one form."""

    language: Language
    choices: Mapping[str, list[ListedChoice]]

    def question(self, row: SheetRow) -> tuple[dict[str, Any], str, str]:
        """Return the question, what it has become, and what of the row is lost, in words; raises Unfit."""
        type_, _space, rest = row.cell("type").partition(" ")
        fields, words = self._asked(type_.lower(), rest.strip(), row)
        question = {
            # Forms break the lines of long labels; here a question is one line.
            "text": " ".join(self.label(row).split()),
            "leave_out": (LeaveOut.NO if row.cell("required").lower() in _TRUE else LeaveOut.VISIBLY).value,
            **fields,
        }
        lost = [
            sentence
            for column, sentence in (
                ("choice_filter", gettext("The choice filter is lost.")),
                ("hint", gettext("The hint is lost.")),
            )
            if any(text and name.split(":")[0] == column for name, text in row.cells.items())
        ]
        if rest.split()[1:] == ["or_other"]:
            lost.append(gettext("The “other” option is lost, because free text can’t be randomized."))
        if row.cell("protected").lower() in _FALSE:
            if _PLAIN["design"] in suitable_designs(question["kind"]):
                question |= _PLAIN
                words += " " + gettext("Not protected: sent as it is.")
            else:
                lost.append(gettext("Still protected, because only single-choice questions can be sent as they are."))
        if is_shuffled(row.cell("parameters")):
            if "options" in fields:
                question["random_order"] = True
                words += " " + gettext("Options in random order.")
            else:
                lost.append(gettext("The random order of the choices is lost."))
        return question, words, " ".join(lost)

    def codes(self, row: SheetRow) -> dict[str, int]:
        """Return the codes of a row's answers, by what the form calls them."""
        listed = self.choices.get(row.cell("type").partition(" ")[2].strip().partition(" ")[0], [])
        return {choice.name: code for code, choice in enumerate(no_and_yes(listed) or listed)}

    def label(self, row: SheetRow) -> str:
        """Return a row's label in the language that is taken; raises Unfit."""
        label = self.language.cell(row, "label")
        if not label:
            raise Unfit(gettext("The label is missing in the imported language."))
        if "${" in label:
            raise Unfit(
                gettext(
                    "The label quotes the answer to another question. Such quotes aren’t supported. Remove the quote."
                )
            )
        return label

    def _asked(self, type_: str, rest: str, row: SheetRow) -> tuple[dict[str, Any], str]:
        match type_:
            case "select_one" | "select1":
                return self._one_of(rest)
            case "select_multiple" | "select":
                options = self.options(rest)
                return {"kind": "several_of", "options": options, **_COINS}, gettext("Choice of several options.")
            case "integer" | "int":
                limits = limits_of_constraint(row.cell("constraint"), whole_numbers=True)
            case "decimal":
                limits = limits_of_constraint(row.cell("constraint"), whole_numbers=False)
            case "range":
                return _mean(
                    limits_of_range(row.cell("parameters")),
                    gettext(
                        "The range isn’t valid. Enter start, end and step as numbers, with the end above "
                        "the start and the step above 0."
                    ),
                )
            case _:
                raise Unfit(str(REASONS.get(type_, UNKNOWN)))
        return _mean(
            limits,
            gettext("A number needs a minimum and a maximum. Add a constraint such as “. >= 0 and . <= 24”."),
        )

    def _one_of(self, rest: str) -> tuple[dict[str, Any], str]:
        if no_and_yes(self.choices.get(rest, [])):
            return {"kind": "yes_no", **_COINS}, gettext("Yes or no.")
        return {"kind": "one_of", "options": self.options(rest), **_SPINNER}, gettext("Choice of one option.")

    def options(self, rest: str) -> list[str]:
        name = rest.partition(" ")[0]
        choices = self.choices.get(name)
        if not choices:
            raise Unfit(
                gettext("The list “%(name)s” has no choices. Add them to the “choices” sheet.") % {"name": name}
            )
        if not 2 <= len(choices) <= MAX_OPTIONS:
            raise Unfit(
                gettext("Choices in the list: %(number)s. Use 2 to %(most)s choices.")
                % {"number": len(choices), "most": MAX_OPTIONS}
            )
        if any(not choice.label or len(choice.label) > OPTION_LENGTH for choice in choices):
            raise Unfit(
                gettext("Each choice needs a label of at most %(most)s characters in the imported language.")
                % {"most": OPTION_LENGTH}
            )
        return [choice.label for choice in choices]


def _mean(limits: Limits | None, otherwise: str) -> tuple[dict[str, Any], str]:
    if limits is None:
        raise Unfit(otherwise)
    return {"kind": "number_mean", "details": limits | {"unit": ""}, **_COINS}, gettext(
        "A number whose mean is estimated."
    )
