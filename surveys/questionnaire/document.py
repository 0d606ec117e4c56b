"""What respondents read besides the questions: each field once, and of each text where it is read.

Columns, the editor's fields, documents, hashes and guards are made from these fields, and parts of pages from the
places: docs/decisions/0083-the-questionnaire-is-one-document.md.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_type_hints

from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as LazyStr
else:
    from django.utils.functional import Promise as LazyStr


class Place(Enum):
    """Where respondents read a text; the ethics packet has all of them."""

    HEADLINE = "headline"  # every page
    PROMISE = "promise"  # the first page, before Start survey
    CONSENT = "consent"  # before the questions, on every page that takes answers
    RECEIPT = "receipt"  # after sending, and after declining on every page that asks for consent


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """What is known of a text before a survey owner writes it."""

    label: LazyStr  # of the editor's field
    place: Place
    longest: int  # characters
    rows: int = 1  # of the editor's field; of one row is what has no line breaks
    help: str | LazyStr = ""
    heading: str | LazyStr = ""  # above it, where respondents read it under one
    heading_for_boards: str | LazyStr = ""  # above it in the ethics packet


@dataclass(frozen=True, kw_only=True)
class Questionnaire:
    """What is frozen with a survey beside its code, its questions, their arms and order, and translations."""

    title: Annotated[str, Text(label=_("title"), place=Place.HEADLINE, longest=200)]
    introduction: Annotated[
        str,
        Text(
            label=_("introduction"),
            place=Place.PROMISE,
            longest=2000,
            rows=3,
            help=_("What the survey is about and why you are asking. Respondents see this first."),
            heading=_("About this survey"),
        ),
    ]
    consent: Annotated[
        str,
        Text(
            label=_("consent text"),
            place=Place.CONSENT,
            longest=2000,
            rows=3,
            help=_("Shown before the first question, with “I agree” and “I do not agree”."),
        ),
    ]
    support: Annotated[
        str,
        Text(
            label=_("sources of support"),
            place=Place.RECEIPT,
            longest=1000,
            rows=2,
            help=_("People and places that can help, shown on the receipt."),
            heading=_("If you want to talk to someone"),
            heading_for_boards=_("Where to find support"),
        ),
    ]
    language: str
    minimum_n: int
    server_mode_allowed: bool
    by_invitation: bool

    def texts_at(self, place: Place) -> Iterator[tuple[Text, str]]:
        """Yield what is read in a place, each with what is known of it."""
        for name, text in TEXTS.items():
            if text.place is place and (words := getattr(self, name)):
                yield text, words


FIELDS: tuple[str, ...] = tuple(each.name for each in fields(Questionnaire))
TEXTS: Mapping[str, Text] = {
    name: text
    for name, hint in get_type_hints(Questionnaire, include_extras=True).items()
    for text in get_args(hint)[1:]
}


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionDraft:
    """One question as its owner wrote it."""

    kind: str
    text: str
    options: list[str]
    details: dict[str, Any] = field(default_factory=dict)  # what else its kind and its design need
    design: str
    parameters: dict[str, list[int]]
    leave_out: str
    accepts_infinite: bool = False
    arms: list[int] = field(default_factory=list)
    quantity: int = 0
    random_order: bool = False
    asked_if: dict[str, Any] = field(default_factory=dict)


QUESTION_FIELDS: tuple[str, ...] = tuple(each.name for each in fields(QuestionDraft))
# What most surveys do without is part of their hashes and of documents only where it is set: a new one changes no hash.
WHERE_SET = ("arms", "random_order")
QUESTION_WHERE_SET = ("arms", "quantity", "random_order", "asked_if")
