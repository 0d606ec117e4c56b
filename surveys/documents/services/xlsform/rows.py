"""Rows of an XLSForm: what each becomes, its limits and its choices, or why no question can be made of it."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from surveys.documents.services.reading import SurveyContent
from surveys.documents.services.xlsform.markup import plain
from surveys.documents.services.xlsform.names import CONSTRAINTS, RowType, is_yes, row_type
from surveys.documents.services.xlsform.workbook import Language, Sheet, SheetRow
from surveys.privacy.rationals import exact
from surveys.questionnaire.designs import NO_CHANCE, USUAL, USUAL_FOR_MANY
from surveys.questionnaire.document import TEXTS, Place
from surveys.questionnaire.kinds import MAX_OPTIONS, MAX_STEPS, OPTION_LENGTH, LeaveOut, pair_of, suitable_designs
from surveys.questionnaire.texts import same_text


@dataclass(frozen=True, slots=True)
class LostCell:
    """What is lost of a line that is imported: the column as its sheet calls it, and the reason."""

    column: str
    words: str


@dataclass(frozen=True, slots=True)
class LineReport:
    """One row of a sheet: what it was, and what became of it or why nothing could."""

    sheet: str
    row: int
    type: str
    name: str
    taken: bool
    words: str
    lost: tuple[LostCell, ...] = ()
    question: int = 0  # the number of the question that it became

    @property
    def in_part(self) -> bool:
        return bool(self.lost)


@dataclass(frozen=True, slots=True)
class ReportGroup:
    """Lines of which the same became, or lost the same."""

    words: str
    column: str  # what they lost stood in it
    lines: tuple[LineReport, ...]


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
    def refused(self) -> list[ReportGroup]:
        """The lines that are not imported, by reason."""
        return _alike((line.words, "", line) for line in self.lines if not line.taken)

    @property
    def lost(self) -> list[ReportGroup]:
        """What is lost of lines that are imported, by column and reason."""
        return _alike((loss.words, loss.column, line) for line in self.lines for loss in line.lost)

    @property
    def imported(self) -> list[ReportGroup]:
        """The lines that are imported, by what they became."""
        return _alike((line.words, "", line) for line in self.lines if line.taken)


def _alike(lines: Iterable[tuple[str, str, LineReport]]) -> list[ReportGroup]:
    found: dict[tuple[str, str], list[LineReport]] = defaultdict(list)
    for words, column, line in lines:
        found[words, column].append(line)
    return [ReportGroup(*alike, tuple(lines)) for alike, lines in found.items()]


# Types of a form's rows that no question can be made of, each with the reason.


REASONS: dict[str, Promise] = {
    "person": _("This line would record who answers, or when and where. Deniable never collects such data."),
    "calculation": _("This value is calculated, not asked."),
    "file": _("Pictures, recordings and files can identify people and can’t be randomized."),
    "place": _("Locations can identify people, and Deniable can’t randomize them."),
    "moment": _("Date and time questions aren’t supported. Offer a choice of several periods instead."),
    "text": _("Free text can’t be randomized. Offer a choice of several options instead."),
    "order": _("Ranking questions aren’t supported. Ask only for the first choice instead."),
    "elsewhere": _("This question’s choices aren’t on the “choices” sheet. Copy them there."),
    "agreement": _("Everyone would give the same answer. Put the statement in the consent text instead."),
    "setting": _("This belongs on the “settings” sheet."),
}
UNKNOWN = _("This question type isn’t supported.")


# Columns of which a survey has nothing, each with the reason.


_HINT = _("Hints aren’t imported. Put important instructions in the question.")
_RULE = _("Rules for answers aren’t imported, so every answer is accepted.")
_MESSAGE = _("Error messages aren’t imported. The pages have their own.")
_MEDIA = _("Pictures and recordings aren’t imported.")
_LAYOUT = _("Layout isn’t imported. The pages have their own.")
_COMPUTED = _("Nothing is calculated from answers.")

LOST_COLUMNS: dict[str, Promise] = {
    **dict.fromkeys(("hint", "guidance_hint"), _HINT),
    "constraint": _RULE,
    **dict.fromkeys(("constraint_message", "required_message", "no_app_error_string"), _MESSAGE),
    **dict.fromkeys(("image", "big-image", "audio", "video", "autoplay"), _MEDIA),
    **dict.fromkeys(("appearance", "rows"), _LAYOUT),
    **dict.fromkeys(("calculation", "trigger"), _COMPUTED),
    "choice_filter": _("Choice filters aren’t imported, so everyone sees all choices."),
    "default": _("Default answers aren’t imported, because they suggest an answer."),
    "parameters": _("These parameters aren’t imported."),
    "protected": _("Still protected. Only “no” at a single-choice question makes it unprotected."),
    "read_only": _("Respondents can answer this question, although the form only shows it."),
    "required": _("Only yes or no is imported from this column. Respondents can skip this question."),
}
UNKNOWN_COLUMN = _("Nothing is imported from this column.")
_FORMATTED = _("The text is imported without its formatting.")


def lost_of(row: SheetRow, taken: Collection[str], language: Language) -> list[LostCell]:
    """Return what is lost of a row: all its cells but those under the columns that are taken, and formatting."""
    lost = []
    for key in row.cells:
        column = key.partition("::")[0]
        if column not in taken:
            lost.append(LostCell(row.headers[key], str(LOST_COLUMNS.get(column, UNKNOWN_COLUMN))))
        elif key == "label" and language.cell(row, "label") != row.cell(key):
            lost.append(LostCell(row.headers[key], gettext("Another column has the label in this language.")))
        elif column == "label":
            lost += formatting_lost(row, key)
    return lost


def formatting_lost(row: SheetRow, column: str) -> list[LostCell]:
    """Return the loss of a text's formatting, where it has any."""
    text = row.cell(column)
    return [LostCell(row.headers[column], str(_FORMATTED))] if _line(plain(text)) != _line(text) else []


def _line(text: str) -> str:
    """Return a text on one line: forms break the lines of long labels."""
    return " ".join(text.split())


# Notes that are no introduction, recognized by their names.


OWN_NOTES = {f"deniable_{name}": name for name, text in TEXTS.items() if text.place in {Place.CONSENT, Place.RECEIPT}}
# The title of a form has one language; in several it is a note too, which has a label in each.
TITLE_NOTE = "deniable_title"


# The limits of a form's numbers: from a range's parameters, or from a constraint that is one plain interval.


_BOUND = re.compile(r"(?P<sign>[<>]=?)\s*(?P<number>[+-]?\d{1,12}(\.\d{1,6})?)")
_SWAPPED = re.compile(r"(?P<number>[+-]?\d{1,12}(\.\d{1,6})?)\s*(?P<sign>[<>]=?)")
_PARAMETER = re.compile(r"(?P<name>start|end|step)\s*=\s*(?P<number>[+-]?\d{1,12}(\.\d{1,6})?)")
# How a range looks, which is lost.
_LOOKS = re.compile(r"(tick_interval|tick_labelset|placeholder)=.*")
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
        if _LOOKS.fullmatch(part):
            continue
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
    row: SheetRow

    @property
    def quotes(self) -> bool:
        """Whether the label stands for the answer to another question."""
        return "${" in self.label


def choices_by_list(sheet: Sheet, language: Language) -> dict[str, list[ListedChoice]]:
    """Return the choices of each list, in the order of their rows."""
    lists: dict[str, list[ListedChoice]] = defaultdict(list)
    for row in sheet.rows:
        if name := row.cell("list_name"):
            lists[name].append(ListedChoice(row.cell("name"), _line(plain(language.cell(row, "label"))), row))
    return dict(lists)


def is_shuffled(parameters: str) -> bool:
    """Whether a row's parameters have its choices in random order: `randomize=true`."""
    return any(_SHUFFLED.fullmatch(part) for part in _parts(parameters))


_CHOSEN = re.compile(
    r"""\$\{(?P<name>[^{}'"]+)\} ?= ?(?:(?P<quote>['"])(?P<choice>[^'"]*)(?P=quote)|(?P<number>0|[1-9]\d{0,9}))"""
    r"""|selected ?\( ?\$\{(?P<of>[^{}'"]+)\} ?, ?(?P<mark>['"])(?P<one>[^'"]*)(?P=mark) ?\)"""
)


# Word processors write them for quotes of the keyboard.
_QUOTES = str.maketrans("‘’“”", "''\"\"")


def chosen_in(relevant: str) -> tuple[str, set[str]] | None:
    """Return which answers to which question a condition names, by their names; None where it says anything else.

    Read are `${year} = 'first'` and `selected(${year}, 'first')`, and several of one question with `or` between them.
    """
    asked: set[str] = set()
    choices: set[str] = set()
    for part in _line(relevant.translate(_QUOTES)).split(" or "):
        if not (match := _CHOSEN.fullmatch(part)):
            return None
        asked.add(match["name"] or match["of"])
        choices.add(match["one"] if match["of"] else match["number"] or match["choice"])
    return (asked.pop(), choices) if len(asked) == 1 else None


def no_and_yes(choices: list[ListedChoice]) -> list[ListedChoice]:
    """Return two choices with No before Yes, recognized by what people read; none for any others."""
    if len(choices) != 2:
        return []
    first, second = (same_text(choice.label).rstrip(".!") for choice in choices)
    if first in _NO and second in _YES:
        return choices
    return choices[::-1] if first in _YES and second in _NO else []


# From one row of a form to one question of a document, or to the reason why there is none.


# Fair coins, and a coin and a spinner: what the editor begins with too.
_COINS: dict[str, Any] = {"design": str(USUAL.name), "parameters": USUAL.usual_parameters}
_SPINNER: dict[str, Any] = {"design": str(USUAL_FOR_MANY.name), "parameters": USUAL_FOR_MANY.usual_parameters}
_PLAIN: dict[str, Any] = {"design": str(NO_CHANCE.name), "parameters": {}}


class Unfit(Exception):  # noqa: N818 - reads as a sentence where it is raised
    """No question can be made of a row; the message says why."""


@dataclass(frozen=True, slots=True)
class RowReader:
    """Makes questions of the rows of one form."""

    language: Language
    choices: Mapping[str, list[ListedChoice]]

    def question(self, row: SheetRow) -> tuple[dict[str, Any], str, list[LostCell]]:
        """Return the question, what it has become, and what of the row is lost; raises Unfit."""
        type_ = row_type(row.cell("type"))
        fields, words = self._asked(type_, row)
        required, protected = is_yes(row.cell("required")), is_yes(row.cell("protected"))
        question = {
            "text": _line(self.label(row)),
            "leave_out": (LeaveOut.NO if required else LeaveOut.VISIBLY).value,
            **fields,
        }
        taken = {"type", "name", "label", "relevant", "disabled"}
        # Where they are no yes or no, nothing is taken of them.
        taken |= {name for name, said in (("required", required), ("protected", protected)) if said is not None}
        if type_.kind in {"integer", "decimal"}:
            taken.add("constraint")
        if protected is False:
            if _PLAIN["design"] in suitable_designs(question["kind"]):
                question |= _PLAIN
                words += " " + gettext("Not protected: sent as it is.")
            else:
                taken.remove("protected")
        if type_.kind in {"one", "several", "range"}:
            shuffled = is_shuffled(row.cell("parameters"))
            if shuffled and "options" in fields:
                question["random_order"] = True
                words += " " + gettext("Options in random order.")
            if not _parameters_left(row.cell("parameters"), ordered="options" not in fields):
                taken.add("parameters")
        lost = lost_of(row, taken, self.language)
        if type_.or_other:
            lost.append(
                LostCell(
                    row.headers["type"],
                    gettext("The “other” option is lost, because free text can’t be randomized."),
                )
            )
        return question, words, lost

    def codes(self, row: SheetRow) -> dict[str, int]:
        """Return the codes of a row's answers, by what the form calls them; those that share a name have none."""
        listed = self.choices.get(row_type(row.cell("type")).list_name, [])
        often = Counter(choice.name for choice in listed)
        return {
            choice.name: code for code, choice in enumerate(no_and_yes(listed) or listed) if often[choice.name] == 1
        }

    def label(self, row: SheetRow) -> str:
        """Return a row's label in the language that is taken; raises Unfit."""
        label = self.language.cell(row, "label")
        if "${" in label:
            raise Unfit(
                gettext(
                    "The label quotes the answer to another question. Such quotes aren’t supported. Remove the quote."
                )
            )
        if not (text := plain(label)):
            raise Unfit(gettext("The label is missing in the imported language."))
        return text

    def _asked(self, type_: RowType, row: SheetRow) -> tuple[dict[str, Any], str]:
        constraint = row.cell("constraint") or CONSTRAINTS.get(type_.name, "")
        match type_.kind:
            case "one":
                return self._one_of(type_.list_name)
            case "several":
                options = self.options(type_.list_name)
                return {"kind": "several_of", "options": options, **_COINS}, gettext("Choice of several options.")
            case "integer" | "decimal":
                return _mean(
                    limits_of_constraint(constraint, whole_numbers=type_.kind == "integer"),
                    gettext("A number needs a minimum and a maximum. Add a constraint such as “. >= 0 and . <= 24”."),
                )
            case "range":
                return _mean(
                    limits_of_range(row.cell("parameters")),
                    gettext(
                        "The range isn’t valid. Enter start, end and step as numbers, with the end above "
                        "the start and the step above 0."
                    ),
                )
        raise Unfit(str(REASONS.get(type_.kind, UNKNOWN)))

    def _one_of(self, name: str) -> tuple[dict[str, Any], str]:
        if no_and_yes(self.choices.get(name, [])):
            return {"kind": "yes_no", **_COINS}, gettext("Yes or no.")
        return {"kind": "one_of", "options": self.options(name), **_SPINNER}, gettext("Choice of one option.")

    def options(self, name: str) -> list[str]:
        """Return what a list's choices are called in the language that is taken; raises Unfit."""
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
        if any(choice.quotes for choice in choices):
            raise Unfit(
                gettext(
                    "A choice quotes the answer to another question. Such quotes aren’t supported. Remove the quote."
                )
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


def _parameters_left(parameters: str, *, ordered: bool) -> list[str]:
    """Return the parameters of a choice or a range of which nothing is taken."""
    return [
        part
        for part in _parts(parameters)
        if not (_PARAMETER.fullmatch(part) or (part.startswith("randomize=") and not (ordered and is_shuffled(part))))
    ]
