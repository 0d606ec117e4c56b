"""The questions of the editor as rows: open with all their fields, or closed with what was typed in one field.

docs/decisions/0011-fields-of-the-editor.md says why.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial

from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils import translation
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from surveys.common.caches import cached
from surveys.common.forms import named_message
from surveys.drafts.services.surveys import MAX_QUESTIONS
from surveys.editor.figures import Dial, NoDial, dial_of
from surveys.editor.forms.question import QuestionForm, question_fields, truth_at
from surveys.linting.findings import mend_of
from surveys.questionnaire import designs, kinds
from surveys.questionnaire.arms import MOST_ARMS, Arm
from surveys.questionnaire.question import Question

PREFIX = "questions"
# Those that were removed, the last ones, can be put back until the draft is saved.
MAX_REMOVED = 20
MAX_ROWS = MAX_QUESTIONS + MAX_REMOVED
# Five times what all fields of a question may hold, so that what is too long is still shown instead of lost.
LONGEST_TYPED = 40_000
_KEPT_CHECKS = 1_000
_ARMS = frozenset(map(str, range(1, MOST_ARMS + 1)))
# All else of a question is folded under its exact numbers.
_ALWAYS_SHOWN = {"text", "kind", "options", *(detail.name for detail in kinds.all_details())}


@dataclass(frozen=True, slots=True)
class Wrong:
    """One thing that is wrong with a question: at which of its fields, and its words away from the field."""

    name: str
    message: str
    named: str


class QuestionRow:
    """One question of the editor."""

    def __init__(
        self,
        typed: Mapping[str, str] | None = None,
        *,
        is_open: bool = False,
        removed: bool = False,
        broken: bool = False,
    ) -> None:
        self.typed = {**_usual(), **(typed or {})}
        self.is_open = is_open
        self.removed = removed
        # Whether what was sent of it cannot be read.
        self.broken = broken
        self.index = 0  # place in the form, from 1
        self.number = 0  # as people count those that stay, from 1
        self.numbers: Dial | NoDial | None = None
        self.boxes: Sequence[tuple[Arm, bool]] = ()  # of the survey's arms, and whether it is asked in each
        self.deciding: Sequence[object] = ()  # the earlier questions whose answers can decide whom it is asked
        self.same: Sequence[int] = ()  # the numbers of the others that ask for the same
        self.direct = 0  # of a list, the number of the question that asks for its sensitive statement directly
        self.refused: tuple[Wrong, ...] = ()  # what the service said
        self.complains = False
        self.focus = ""  # which of its controls the reader is taken to
        self.wished = ""  # the ε that its coin is to be chosen for, as typed beside the dial
        self.wish_refused = ""

    def retype(self, name: str, value: str) -> None:
        self.typed[name] = value
        for kept in ("packed", "_checked", "form"):
            self.__dict__.pop(kept, None)

    @property
    def is_blank(self) -> bool:
        return self.typed == _usual()

    @cached_property
    def packed(self) -> str:
        """What was typed, as one field carries it."""
        usual = _left_out()
        changed = {name: value for name, value in self.typed.items() if value != usual[name]}
        return json.dumps(changed, ensure_ascii=False, separators=(",", ":"))

    @property
    def can_close(self) -> bool:
        """Whether one field may carry it."""
        return len(self.packed) <= LONGEST_TYPED

    @property
    def question(self) -> Question | None:
        """The question, once all of it but the text is in order."""
        return self._checked[1]

    @cached_property
    def _checked(self) -> "Checked":
        return _checked(tuple(self.typed.items()), get_language() or "")

    def dial(self, *, n: int, share: Fraction) -> Dial | NoDial:
        """Return what its design promises, and its precision with so many answers."""
        return _dial(tuple(self.typed.items()), get_language() or "", n, share)

    @property
    def wrong(self) -> tuple[Wrong, ...]:
        if self.broken:
            words = _("What you entered here arrived incomplete. Enter it again, or remove the question.")
            return (Wrong("text", words, words),)
        return (*self._checked[0], *self.refused)

    @cached_property
    def form(self) -> QuestionForm:
        """Its fields, with what is wrong beside them once the page complains."""
        prefix = f"{PREFIX}-{self.index}"
        if not self.complains:
            form = QuestionForm(prefix=prefix, initial=self.typed)
        else:
            form = QuestionForm({f"{prefix}-{name}": value for name, value in self.typed.items()}, prefix=prefix)
            if self.broken:
                form.errors.clear()
            for wrong in self.wrong if self.broken else self.refused:
                form.add_error(wrong.name, wrong.message)
        if self.focus in form.fields:
            form.fields[self.focus].widget.attrs["autofocus"] = True
        return form

    def asked_in(self, arms: int) -> tuple[int, ...]:
        """Return the numbers of those of so many arms in which it is asked."""
        named = {int(number) for number in self.typed["arms"].split(", ") if number in _ARMS}
        return tuple(number for number in range(1, arms + 1) if number in named or not named)

    def ask_in(self, numbers: Sequence[int], arms: int) -> None:
        """Have it asked in those of so many arms; what all are asked is compared with nothing but lists."""
        everywhere = not 0 < len(numbers) < arms
        self.retype("arms", "" if everywhere else ", ".join(map(str, sorted(numbers))))
        if everywhere and not (arms and self.asks_directly):
            self.retype("quantity", "")

    @property
    def counts_options(self) -> bool:
        """Whether it asks how many of some statements hold."""
        kind = kinds.find(self.typed["kind"])
        return kind is not None and kind.counts_options

    @property
    def asks_directly(self) -> bool:
        """Return whether it is an unprotected Yes/No question."""
        kind, design = kinds.find(self.typed["kind"]), designs.find(self.typed["design"])
        return kind is not None and kind.yes_or_no and design is not None and not design.protects

    @property
    def unfolds(self) -> bool:
        """Whether something in what is usually folded is wrong, has just been set, or is not as usual."""
        named = designs.find(self.typed["design"])
        return bool(
            self.wished
            or self.focus == "wish"
            or not {wrong.name for wrong in self.wrong} <= _ALWAYS_SHOWN
            or (named and named.tapped)
        )

    @property
    def turns(self) -> bool:
        """Whether its fact can be that of another arm turned round."""
        named = designs.find(self.typed["design"])
        return bool(named and named.fact_turns and self.same)

    @property
    def kind_words(self) -> str:
        kind = kinds.find(self.typed["kind"])
        return str(kind.label) if kind else ""

    def refuse(self, messages: Mapping[str, list[str]]) -> None:
        """Put what a service refused beside the field that it names."""
        for name, several in messages.items():
            field = designs.named(self.typed["design"]).main_field if name == "parameters" else name
            field = field if field in question_fields() else "text"
            form = QuestionForm()
            self.refused += tuple(Wrong(field, words, named_message(form, field, words)) for words in several)


def _usual() -> Mapping[str, str]:
    """Return what a question's fields hold at first, in the language in force."""
    return _usual_in(get_language() or "")


def _left_out() -> Mapping[str, str]:
    """Return what a closed row need not say of its fields: the same whatever language it is read in again."""
    with translation.override("en"):
        return _usual()


@cached(8)
def _usual_in(_language: str) -> dict[str, str]:
    return {name: str(field.initial or "") for name, field in question_fields().items()}


def read_row(data: QueryDict, index: int) -> QuestionRow:
    """Return the row that was sent under this number, from 1."""
    prefix = f"{PREFIX}-{index}"
    removed = f"{prefix}-removed" in data
    packed = data.get(f"{prefix}-typed")
    if packed is not None:
        try:
            return QuestionRow({**_left_out(), **_unpacked(packed)}, removed=removed)
        except ValueError:
            return QuestionRow(is_open=not removed, removed=removed, broken=True)
    if f"{prefix}-kind" not in data:
        return QuestionRow(is_open=not removed, removed=removed, broken=True)
    # A box that is not ticked is not sent.
    typed = {name: ", ".join(data.getlist(f"{prefix}-{name}")) for name in question_fields()}
    row = QuestionRow(typed, is_open=not removed, removed=removed)
    row.wished = data.get(f"{prefix}-wished", "")
    return row


def _unpacked(packed: str) -> dict[str, str]:
    """Return what one field carried; raises ValueError when it is not what this page has written."""
    if len(packed) > LONGEST_TYPED:
        raise ValueError("longer than what the page writes")
    try:
        typed = json.loads(packed)
        if not isinstance(typed, dict) or not typed.keys() <= question_fields().keys():
            raise ValueError("not the fields of a question")
        if not all(isinstance(value, str) for value in typed.values()):
            raise ValueError("not texts")
        # Half of a surrogate pair is no text that a page or a database could hold.
        "".join(typed.values()).encode()
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return typed


Checked = tuple[tuple[Wrong, ...], Question | None]


@cached(_KEPT_CHECKS)
def _checked(typed: tuple[tuple[str, str], ...], language: str) -> Checked:
    form = QuestionForm(dict(typed))
    wrong = tuple(
        Wrong(name if name in form.fields else "text", str(message), named_message(form, name, str(message)))
        for name, messages in form.errors.items()
        for message in messages
    )
    return wrong, form.question


@cached(_KEPT_CHECKS)
def _dial(typed: tuple[tuple[str, str], ...], language: str, n: int, share: Fraction) -> Dial | NoDial:
    wrong, question = _checked(typed, language)
    if question is not None:
        return dial_of(question, class_size=n, share=share)
    return NoDial(next(each.named for each in wrong if each.name != "text"))


# What the buttons of the editor do with its rows.


_ON_A_ROW = re.compile(r"(open|up|down|duplicate|delete|restore|wish)-([1-9]\d?)")


def act(rows: list[QuestionRow], action: str) -> str:
    """Do what a button says, and say what was done; one that does not exist, or whose row does not, changes nothing."""
    if action in _ON_ALL:
        return _ON_ALL[action](rows)
    if match := _ON_A_ROW.fullmatch(action):
        place = int(match[2]) - 1
        return _BUTTONS[match[1]](rows, place) if place < len(rows) else ""
    for pattern, button in _WITH_MORE.items():
        if match := pattern.fullmatch(action):
            return button(rows, *match.groups())
    return ""


def staying(rows: list[QuestionRow]) -> list[QuestionRow]:
    return [row for row in rows if not row.removed]


def place_of(rows: list[QuestionRow], row: QuestionRow) -> int:
    """Return the number of a row as people count those that stay."""
    return staying(rows).index(row) + 1


def open_alone(rows: list[QuestionRow], row: QuestionRow) -> None:
    """Open one row and close the others, as far as one field can carry them."""
    for other in rows:
        other.is_open = other is row or (other.is_open and not other.can_close)
    row.focus = "text"


def _add(rows: list[QuestionRow]) -> str:
    if len(staying(rows)) >= MAX_QUESTIONS:
        return no_more()
    row = QuestionRow()
    rows.append(row)
    open_alone(rows, row)
    return _("Question %(number)s added.") % {"number": place_of(rows, row)}


def _close(rows: list[QuestionRow]) -> str:
    for row in rows:
        if row.is_open and row.can_close:
            row.is_open = False
            row.focus = "open"
    return _("All questions are collapsed.")


def _open(rows: list[QuestionRow], place: int) -> str:
    row = rows[place]
    if row.removed:
        return ""
    open_alone(rows, row)
    return _("Question %(number)s is expanded.") % {"number": place_of(rows, row)}


def _beside(rows: list[QuestionRow], place: int, *, step: int, focus: str) -> str:
    """Change places with the next one that is not removed."""
    other = place + step
    while 0 <= other < len(rows) and rows[other].removed:
        other += step
    return _move(rows, place, other, focus) if 0 <= other < len(rows) else ""


def _move(rows: list[QuestionRow], first: int, last: int, focus: str) -> str:
    row = rows.pop(first)
    rows.insert(last, row)
    place, all_of_them = place_of(rows, row) if not row.removed else 0, len(staying(rows))
    # At the end of the list the button of this direction cannot be pressed any more.
    row.focus = {(1, "up"): "down", (all_of_them, "down"): "up"}.get((place, focus), focus)
    return _("Question moved. It is now question %(number)s.") % {"number": place}


def _drag(rows: list[QuestionRow], first: str, last: str) -> str:
    """Move a row by its place in the form to that of another."""
    places = int(first) - 1, int(last) - 1
    return _move(rows, *places, "open") if max(places) < len(rows) else ""


def _duplicate(rows: list[QuestionRow], place: int) -> str:
    if len(staying(rows)) >= MAX_QUESTIONS:
        return no_more()
    copy = QuestionRow({**rows[place].typed, "quantity": ""})
    rows.insert(place + 1, copy)
    open_alone(rows, copy)
    return _("Copied as question %(number)s.") % {"number": place_of(rows, copy)}


def _delete(rows: list[QuestionRow], place: int) -> str:
    row = rows[place]
    if row.removed:
        return ""
    number = place_of(rows, row)
    row.removed, row.is_open, row.focus = True, False, "restore"
    gone = [other for other in rows if other.removed]
    # What nobody typed anything into need not come back; of the others the last ones can.
    forgotten = [other for other in gone if other.is_blank or not other.can_close]
    forgotten += gone[: max(0, len(gone) - MAX_REMOVED)]
    rows[:] = [other for other in rows if other not in forgotten]
    if row in forgotten and rows:
        rows[min(place, len(rows) - 1)].focus = "restore" if rows[min(place, len(rows) - 1)].removed else "open"
        return _("Empty question %(number)s removed.") % {"number": number}
    return _("Question %(number)s removed. You can restore it until you save.") % {"number": number}


def _restore(rows: list[QuestionRow], place: int) -> str:
    row = rows[place]
    if not row.removed:
        return ""
    if len(staying(rows)) >= MAX_QUESTIONS:
        return no_more()
    row.removed, row.focus = False, "open"
    return _("Question %(number)s restored.") % {"number": place_of(rows, row)}


def _wish(rows: list[QuestionRow], place: int) -> str:
    row = rows[place]
    row.focus = "wish"
    try:
        row.retype("truth", truth_at(row.typed, row.wished))
    except ValidationError as refused:
        row.wish_refused = " ".join(refused.messages)
        return row.wish_refused
    return _("The probability is now %(truth)s.") % {"truth": row.typed["truth"]}


def _mend(rows: list[QuestionRow], number: str, rule: str) -> str:
    """Type what mends a finding of the linter into a question, by its number among those that stay."""
    stay = staying(rows)
    if int(number) > len(stay):
        return ""
    row = stay[int(number) - 1]
    mend = mend_of(rule, designs.find(row.typed["design"]))
    if not mend:
        return ""
    for name, value in mend:
        row.retype(name, value)
    open_alone(rows, row)
    return _("Question %(number)s changed.") % {"number": number}


def no_more() -> str:
    return _("A survey can have at most %(most)s questions.") % {"most": MAX_QUESTIONS}


_ON_ALL: dict[str, Callable[[list[QuestionRow]], str]] = {"add": _add, "close": _close}
_WITH_MORE: dict[re.Pattern[str], Callable[[list[QuestionRow], str, str], str]] = {
    re.compile(r"move-([1-9]\d?)-([1-9]\d?)"): _drag,
    re.compile(r"mend-([1-9]\d?)-([a-z_]{1,30})"): _mend,
}
_BUTTONS: dict[str, Callable[[list[QuestionRow], int], str]] = {
    "open": _open,
    "up": partial(_beside, step=-1, focus="up"),
    "down": partial(_beside, step=1, focus="down"),
    "duplicate": _duplicate,
    "delete": _delete,
    "restore": _restore,
    "wish": _wish,
}
