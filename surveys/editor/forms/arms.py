"""The random arms of a survey as they are typed in the editor, each with a name and a weight."""

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from surveys.drafts.services.surveys import MAX_QUESTIONS
from surveys.editor.forms.rows import MAX_ROWS, QuestionRow, no_more, open_alone, place_of, staying
from surveys.numbers.words import spans
from surveys.privacy.rationals import probability
from surveys.questionnaire import designs
from surveys.questionnaire.arms import LARGEST_WEIGHT, LONGEST_NAME, MOST_ARMS, Arm, arms_of

PREFIX = "arms"
_ACTION = re.compile(r"arm-(add|remove|vary|apart|direct)(?:-([1-9]\d?))?")
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class ArmForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Name of the arm"),
        max_length=LONGEST_NAME,
        error_messages={"required": gettext_lazy("Enter a name for the arm.")},
    )
    weight = forms.IntegerField(label=gettext_lazy("Weight"), min_value=1, max_value=LARGEST_WEIGHT, initial=1)


class ArmRows:
    """All arms, none where everybody is asked the same."""

    def __init__(self, typed: Sequence[Mapping[str, str]] = (), *, broken: bool = False) -> None:
        self.typed = [dict(arm) for arm in typed]
        self.broken = broken  # whether what was sent of them cannot be read
        self.complains = False
        self.focus = 0  # the number of the arm to whose name the reader is taken

    @classmethod
    def stored(cls, arms: Iterable[Arm]) -> "ArmRows":
        """Show what is in the database."""
        return cls([{"name": arm.name, "weight": str(arm.weight)} for arm in arms])

    @classmethod
    def posted(cls, data: Mapping[str, str]) -> "ArmRows":
        """Take what was sent, as it was typed."""
        sent = data.get(PREFIX, "0")
        if sent not in {str(number) for number in range(MOST_ARMS + 1) if number != 1}:
            return cls(broken=True)
        numbers = range(1, int(sent) + 1)
        return cls([{name: data.get(f"{PREFIX}-{n}-{name}", "") for name in ArmForm.base_fields} for n in numbers])

    def __len__(self) -> int:
        return len(self.typed)

    @property
    def is_full(self) -> bool:
        return len(self) == MOST_ARMS

    @cached_property
    def _checked(self) -> list[ArmForm]:
        return [
            ArmForm({f"{PREFIX}-{number}-{name}": value for name, value in arm.items()}, prefix=f"{PREFIX}-{number}")
            for number, arm in enumerate(self.typed, start=1)
        ]

    @property
    def forms(self) -> list[ArmForm]:
        """The fields of each, with what is wrong beside them once the page complains."""
        if self.complains:
            return self._checked
        forms = [ArmForm(initial=arm, prefix=f"{PREFIX}-{number}") for number, arm in enumerate(self.typed, start=1)]
        if self.focus:
            forms[self.focus - 1].fields["name"].widget.attrs["autofocus"] = True
        return forms

    def is_valid(self) -> bool:
        # Each is asked, for what is right about the others is read as well.
        sound = [form.is_valid() for form in self._checked]
        return all(sound)

    def columns(self) -> list[dict[str, Any]]:
        """Return what the service stores."""
        return [form.cleaned_data for form in self._checked]

    @property
    def arms(self) -> tuple[Arm, ...]:
        """The arms as far as they can be read: a weight that is none yet counts as 1."""
        self.is_valid()
        return arms_of(
            [
                {
                    "name": arm["name"].strip() or str(number),
                    "weight": form.cleaned_data.get("weight", 1),
                }
                for number, (arm, form) in enumerate(zip(self.typed, self._checked, strict=True), start=1)
            ]
        )

    @property
    def shares(self) -> list[tuple[Arm, Fraction]]:
        """Each arm, and how likely a respondent comes into it."""
        total = sum(arm.weight for arm in self.arms)
        return [(arm, Fraction(arm.weight, total)) for arm in self.arms]

    def side_by_side(self, rows: Sequence[QuestionRow]) -> list[list[QuestionRow | None]]:
        """Return what each arm is asked, a line for each question: those that ask for the same share one."""
        lines: list[list[QuestionRow | None]] = []
        of_quantity: dict[tuple[str, bool], list[QuestionRow | None]] = {}
        for row in rows:
            line: list[QuestionRow | None] = [None] * len(self)
            quantity = row.typed["quantity"] and (row.typed["quantity"], row.counts_options)
            if quantity and quantity in of_quantity:
                line = of_quantity[quantity]
            else:
                lines.append(line)
                if quantity:
                    of_quantity[quantity] = line
            for number in row.asked_in(len(self)):
                line[number - 1] = row
        return lines

    def act(self, rows: list[QuestionRow], action: str) -> str | None:
        """Do what a button of the arms says, and say what was done; None for any other button."""
        match = _ACTION.fullmatch(action)
        if match is None:
            return None
        self.__dict__.pop("_checked", None)
        place = int(match[2] or 0) - 1
        if match[1] == "add":
            return self._add(rows)
        if match[1] == "remove":
            return self._remove(rows, place + 1) if 0 <= place < len(self) else ""
        if not 0 <= place < len(rows) or rows[place].removed or not len(self):
            return ""
        buttons = {"vary": self._vary, "apart": self._part, "direct": self._ask_directly}
        return buttons[match[1]](rows, place)

    def _add(self, rows: list[QuestionRow]) -> str:
        if self.is_full:
            return _("Use 2 to %(most)s arms, or none.") % {"most": MOST_ARMS}
        # One arm alone is everybody: the first two come together. What all were asked, all are asked still.
        while True:
            taken = {arm["name"].strip() for arm in self.typed}
            name = next(letter for letter in _LETTERS if letter not in taken)
            self.typed.append({"name": name, "weight": "1"})
            if len(self) > 1:
                self.focus = len(self)
                return _("Arm %(number)s added.") % {"number": len(self)}

    def _remove(self, rows: list[QuestionRow], number: int) -> str:
        """Remove an arm that has no question of its own: asked of all others, it would be another survey."""
        asked = [row.asked_in(len(self)) for row in rows]
        only_here = [
            place_of(rows, row) for row, arms in zip(rows, asked, strict=True) if arms == (number,) and not row.removed
        ]
        if only_here:
            words = ngettext(
                "Question %(numbers)s is asked only in this arm. Remove the question first, or ask it in "
                "another arm too.",
                "Questions %(numbers)s are asked only in this arm. Remove the questions first, or ask them in "
                "another arm too.",
                len(only_here),
            )
            return words % {"numbers": spans(only_here)}
        del self.typed[number - 1]
        if len(self) == 1:
            self.typed = []
        for row, arms in zip(rows, asked, strict=True):
            row.ask_in([each - (each > number) for each in arms if each != number], len(self))
        if not self.typed:
            return _("Everyone gets the same questions again.")
        return _("Arm %(number)s removed.") % {"number": number}

    def _vary(self, rows: list[QuestionRow], place: int) -> str:
        """Ask for the same in another way, in an arm that is not asked it yet or else in the last one that is."""
        if len(staying(rows)) >= MAX_QUESTIONS:
            return no_more()
        row = rows[place]
        asked, quantity = row.asked_in(len(self)), row.typed["quantity"]
        used = {number for each in self._alike(rows, row) for number in each.asked_in(len(self))}
        others = [number for number in range(1, len(self) + 1) if number not in used] or asked[1:][-1:]
        if not others:
            return _("Every arm already has a version of this question.")
        row.ask_in([number for number in asked if number not in others], len(self))
        numbers = {each.typed["quantity"] for each in rows}
        row.retype("quantity", quantity or next(str(new) for new in range(1, MAX_ROWS + 2) if str(new) not in numbers))
        copy = QuestionRow(row.typed)
        copy.retype("arms", ", ".join(map(str, others)))
        if _turn_fact(copy):
            return self._insert(rows, place, copy, focus="innocuous")
        if copy.counts_options:
            # On the empty line the sensitive statement is written.
            copy.retype("options", copy.typed["options"].rstrip() + "\n")
        return self._insert(rows, place, copy, focus="options" if copy.counts_options else "text")

    def _ask_directly(self, rows: list[QuestionRow], place: int) -> str:
        """Ask respondents with a list of statements the sensitive one too, unprotected."""
        if len(staying(rows)) >= MAX_QUESTIONS:
            return no_more()
        row = rows[place]
        lists = self._alike(rows, row)
        is_asked = any(each.asks_directly and each.typed["quantity"] == row.typed["quantity"] for each in staying(rows))
        if not row.counts_options or len(lists) < 2 or is_asked:
            return ""
        asked = sorted({number for each in lists for number in each.asked_in(len(self))})
        direct = QuestionRow(
            {
                "text": _sensitive(lists),
                "design": str(designs.NO_CHANCE.name),
                "leave_out": row.typed["leave_out"],
                "quantity": row.typed["quantity"],
            }
        )
        direct.ask_in(asked, len(self))
        return self._insert(rows, place, direct, focus="text")

    @staticmethod
    def _alike(rows: list[QuestionRow], row: QuestionRow) -> list[QuestionRow]:
        """Return the question and those that ask for the same as one of them would: of a list the other lists."""
        quantity = row.typed["quantity"]
        return [
            each
            for each in staying(rows)
            if each is row
            or (quantity and each.typed["quantity"] == quantity and each.counts_options == row.counts_options)
        ]

    @staticmethod
    def _insert(rows: list[QuestionRow], place: int, row: QuestionRow, *, focus: str) -> str:
        rows.insert(place + 1, row)
        open_alone(rows, row)
        row.focus = focus
        if focus == "innocuous":
            words = _(
                "Question %(number)s added. It measures the same thing as the original. Reverse the new "
                "question’s innocuous question. People who answer No to the original innocuous question must "
                "answer Yes to the reversed one."
            )
        else:
            words = _("Question %(number)s added. It measures the same thing as the original.")
        return words % {"number": place_of(rows, row)}

    def _part(self, rows: list[QuestionRow], place: int) -> str:
        rows[place].retype("quantity", "")
        rows[place].focus = "open"
        return _("Question %(number)s changed.") % {"number": place_of(rows, rows[place])}


def _sensitive(lists: Sequence[QuestionRow]) -> str:
    """Return the statement that not all of the lists have, as far as it is written."""
    statements = [[line.strip() for line in row.typed["options"].splitlines() if line.strip()] for row in lists]
    return next((line for line in max(statements, key=len) if any(line not in other for other in statements)), "")


def _turn_fact(row: QuestionRow) -> bool:
    """Turn round the share of a row's innocuous question; False where it has none.

    The survey owner words it anew, and where the share is from, which respondents read: turned round in words by a
    machine it would be a double negative.
    """
    named = designs.find(row.typed["design"])
    if not (named and named.fact_turns):
        return False
    try:
        share = 1 - probability(row.typed["innocuous_share"], "innocuous_share")
    except ValueError:
        return False
    row.retype("innocuous_share", str(share))
    row.retype("innocuous", "")
    row.retype("innocuous_source", "")
    row.focus = "innocuous"
    return True
