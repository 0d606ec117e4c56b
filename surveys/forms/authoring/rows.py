"""The questions of the editor as rows: open with all their fields, or closed with what was typed in one field.

docs/decisions/0011-fields-of-the-editor.md says why.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from surveys.forms.authoring.dial import Dial, NoDial, dial_of
from surveys.forms.authoring.question import QuestionForm, question_fields
from surveys.forms.fields import named_message
from surveys.models import Question, designs, kinds
from surveys.services.surveys import MAX_QUESTIONS, QuestionDraft

PREFIX = "questions"
# Those that were removed, the last ones, can be put back until the draft is saved.
MAX_REMOVED = 20
MAX_ROWS = MAX_QUESTIONS + MAX_REMOVED
# Five times what all fields of a question may hold, so that what is too long is still told instead of lost.
LONGEST_TYPED = 40_000
_KEPT_CHECKS = 1_000


@dataclass(frozen=True, slots=True)
class Wrong:
    """One thing that is wrong with a question: at which of its fields, and as it is told away from the field."""

    name: str
    message: str
    named: str


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of checking a question as it is typed; `question` is there once all but the text is in order."""

    wrong: tuple[Wrong, ...]
    question: Question | None
    draft: QuestionDraft | None


class Row:
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
        self.refused: tuple[Wrong, ...] = ()  # what the service said
        self.complains = False
        self.focus = ""  # which of its controls the reader is taken to
        self.wished = ""  # the ε that its coin is to be chosen for, as typed beside the dial
        self.wish_refused = ""

    def retype(self, name: str, value: str) -> None:
        """Put something else into one field."""
        self.typed[name] = value
        for kept in ("packed", "checked", "form"):
            self.__dict__.pop(kept, None)

    @property
    def is_blank(self) -> bool:
        """Whether nothing at all was typed."""
        return self.typed == _usual()

    @cached_property
    def packed(self) -> str:
        """What was typed, as one field carries it."""
        usual = _usual()
        said = {name: value for name, value in self.typed.items() if value != usual[name]}
        return json.dumps(said, ensure_ascii=False, separators=(",", ":"))

    @property
    def can_close(self) -> bool:
        """Whether one field may carry it."""
        return len(self.packed) <= LONGEST_TYPED

    @cached_property
    def checked(self) -> Checked:
        """The question held against all rules."""
        return _checked(tuple(self.typed.items()), get_language() or "")

    def dial(self, *, n: int, share: Fraction) -> Dial | NoDial:
        """Return what its design promises and tells with so many answers."""
        return _dial(tuple(self.typed.items()), get_language() or "", n, share)

    @property
    def wrong(self) -> tuple[Wrong, ...]:
        """Return all that is wrong with it."""
        if self.broken:
            words = _("What was typed here did not arrive whole. Write it again, or remove the question.")
            return (Wrong("text", words, words),)
        return (*self.checked.wrong, *self.refused)

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
        if self.focus == "text":
            form.fields["text"].widget.attrs["autofocus"] = True
        return form

    @property
    def kind_words(self) -> str:
        """What it asks for, in words."""
        kind = kinds.find(self.typed["kind"])
        return str(kind.label) if kind else ""

    @property
    def design_words(self) -> str:
        """How chance is added, in words."""
        design = designs.find(self.typed["design"])
        return str(design.label) if design else ""

    @property
    def share(self) -> str:
        """The probability that its design turns on, as typed."""
        design = designs.find(self.typed["design"])
        return self.typed[design.main_field] if design else ""

    def refuse(self, messages: Mapping[str, list[str]]) -> None:
        """Put what a service refused beside the field that it names."""
        for name, several in messages.items():
            field = designs.named(self.typed["design"]).main_field if name == "parameters" else name
            field = field if field in question_fields() else "text"
            form = QuestionForm()
            self.refused += tuple(Wrong(field, words, named_message(form, field, words)) for words in several)


def _usual() -> Mapping[str, str]:
    """Return what a question's fields hold at first."""
    return _usual_with(kinds.every())


@lru_cache(maxsize=1)
def _usual_with(_known: tuple[kinds.QuestionKind, ...]) -> dict[str, str]:
    return {name: str(field.initial or "") for name, field in question_fields().items()}


def read_row(data: Mapping[str, str], index: int) -> Row:
    """Return the row that was sent under this number, from 1."""
    prefix = f"{PREFIX}-{index}"
    removed = f"{prefix}-removed" in data
    packed = data.get(f"{prefix}-typed")
    if packed is not None:
        try:
            return Row(_unpacked(packed), removed=removed)
        except ValueError:
            return Row(is_open=not removed, removed=removed, broken=True)
    if f"{prefix}-kind" not in data:
        return Row(is_open=not removed, removed=removed, broken=True)
    # A box that is not ticked is not sent.
    typed = {name: data.get(f"{prefix}-{name}", "") for name in question_fields()}
    row = Row(typed, is_open=not removed, removed=removed)
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


@lru_cache(maxsize=_KEPT_CHECKS)
def _checked(typed: tuple[tuple[str, str], ...], language: str) -> Checked:
    form = QuestionForm(dict(typed))
    wrong = tuple(
        Wrong(name if name in form.fields else "text", str(message), named_message(form, name, str(message)))
        for name, messages in form.errors.items()
        for message in messages
    )
    return Checked(wrong, form.question, None if wrong else form.draft())


@lru_cache(maxsize=_KEPT_CHECKS)
def _dial(typed: tuple[tuple[str, str], ...], language: str, n: int, share: Fraction) -> Dial | NoDial:
    checked = _checked(typed, language)
    if checked.question is not None:
        return dial_of(checked.question, class_size=n, share=share)
    return NoDial(next(wrong.named for wrong in checked.wrong if wrong.name != "text"))
