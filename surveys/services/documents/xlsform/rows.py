"""From one row of a form to one question of a document, or to the reason why there is none."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from surveys.models.designs import USUAL, USUAL_FOR_MANY
from surveys.models.kinds import MAX_OPTIONS, OPTION_LENGTH, LeaveOut
from surveys.services.documents.xlsform.choices import Choice, is_yes_or_no
from surveys.services.documents.xlsform.languages import Language
from surveys.services.documents.xlsform.numbers import Limits, limits_of_constraint, limits_of_range
from surveys.services.documents.xlsform.sheets import Row
from surveys.services.documents.xlsform.types import REASONS, UNKNOWN

# Fair coins, and a coin and a spinner: what the editor begins with too.
_COINS: dict[str, Any] = {"design": str(USUAL.name), "parameters": USUAL.usual_parameters}
_SPINNER: dict[str, Any] = {"design": str(USUAL_FOR_MANY.name), "parameters": USUAL_FOR_MANY.usual_parameters}
_TRUE = frozenset({"yes", "true", "true()"})


class Unfit(Exception):  # noqa: N818 - reads as a sentence where it is raised
    """No question can be made of a row; the message says why."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Makes questions of the rows of one form."""

    language: Language
    choices: Mapping[str, list[Choice]]

    def question(self, row: Row) -> tuple[dict[str, Any], str]:
        """Return the question and what it has become, in words; raises Unfit."""
        type_, _space, rest = row.cell("type").partition(" ")
        fields, words = self._asked(type_.lower(), rest.strip(), row)
        question = {
            # Forms break the lines of long labels; here a question is one line.
            "text": " ".join(self.label(row).split()),
            "leave_out": (LeaveOut.NO if row.cell("required").lower() in _TRUE else LeaveOut.VISIBLY).value,
            **fields,
        }
        lost = [
            said
            for column, said in (
                ("relevant", _("Its condition is lost: everybody is asked.")),
                ("choice_filter", _("The filter of its choices is lost.")),
                ("hint", _("Its hint is lost.")),
            )
            if any(text and name.split(":")[0] == column for name, text in row.cells.items())
        ]
        return question, " ".join([words, *lost])

    def label(self, row: Row) -> str:
        """Return a row's label in the language that is taken; raises Unfit."""
        label = self.language.label(row)
        if not label:
            raise Unfit(_("It has no label in the language that is taken."))
        if "${" in label:
            raise Unfit(_("Its label repeats another answer, which nobody knows here."))
        return label

    def _asked(self, type_: str, rest: str, row: Row) -> tuple[dict[str, Any], str]:
        match type_:
            case "select_one" | "select1":
                return self._one_of(rest)
            case "select_multiple" | "select":
                options, other = self._options(rest)
                return {"kind": "several_of", "options": options, **_COINS}, _("Several of the options.") + other
            case "integer" | "int":
                limits = limits_of_constraint(row.cell("constraint"), whole=True)
            case "decimal":
                limits = limits_of_constraint(row.cell("constraint"), whole=False)
            case "range":
                return _mean(limits_of_range(row.cell("parameters")), _("Its start, end and step cannot be read."))
            case _:
                raise Unfit(str(REASONS.get(type_, UNKNOWN)))
        return _mean(
            limits, _("A number needs a smallest and a largest one: write a constraint such as . >= 0 and . <= 24.")
        )

    def _one_of(self, rest: str) -> tuple[dict[str, Any], str]:
        if is_yes_or_no(self.choices.get(rest, [])):
            return {"kind": "yes_no", **_COINS}, _("Yes or no.")
        options, other = self._options(rest)
        return {"kind": "one_of", "options": options, **_SPINNER}, _("One of the options.") + other

    def _options(self, rest: str) -> tuple[list[str], str]:
        """Return the labels of a list, and what to say about “other”."""
        name, _space, more = rest.partition(" ")
        choices = self.choices.get(name)
        if not choices:
            raise Unfit(_("There are no choices for the list “%(name)s”.") % {"name": name})
        if not 2 <= len(choices) <= MAX_OPTIONS:
            raise Unfit(
                _("It has %(number)s choices; 2 to %(most)s are possible.")
                % {"number": len(choices), "most": MAX_OPTIONS}
            )
        if any(not choice.label or len(choice.label) > OPTION_LENGTH for choice in choices):
            raise Unfit(
                _("Each choice needs a label of at most %(most)s characters in the language that is taken.")
                % {"most": OPTION_LENGTH}
            )
        other = " " + _("Without “other”: no chance can be added to free text.") if more == "or_other" else ""
        return [choice.label for choice in choices], other


def _mean(limits: Limits | None, otherwise: str) -> tuple[dict[str, Any], str]:
    if limits is None:
        raise Unfit(otherwise)
    return {"kind": "number_mean", "details": limits | {"unit": ""}, **_COINS}, _("A number, for its mean.")
