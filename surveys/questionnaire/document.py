"""The questionnaire: what respondents read and estimators need, each field declared once, stored as one text.

Of each text its place is declared where respondents read it. The editor's fields, files, hashes and parts of pages are
made from these declarations: docs/decisions/0083-the-questionnaire-is-one-document.md.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Self, get_args, get_type_hints

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from surveys.questionnaire.arms import Arm, arms_of, check_arms
from surveys.questionnaire.question import Column, Question, frozen, full_clean, thawed
from surveys.questionnaire.texts import check_line, check_lines
from surveys.questionnaire.translations import check_translations

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as LazyStr
else:
    from django.utils.functional import Promise as LazyStr

SMALLEST_MINIMUM_N = 5


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

    @property
    def column(self) -> Column:
        """What it may hold."""
        if self.rows == 1:
            return models.CharField(self.label, max_length=self.longest, validators=[check_line])
        return models.TextField(
            self.label, blank=True, max_length=self.longest, validators=[check_lines], help_text=self.help
        )


@dataclass(frozen=True, kw_only=True)
class Preamble:
    """What is frozen with a survey besides its code and its questions."""

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
    ] = ""
    consent: Annotated[
        str,
        Text(
            label=_("consent text"),
            place=Place.CONSENT,
            longest=2000,
            rows=3,
            help=_("Shown before the first question, with “I agree” and “I do not agree”."),
        ),
    ] = ""
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
    ] = ""
    language: Annotated[str, models.CharField(_("language of the pages"), max_length=12, default="en")] = "en"
    minimum_n: Annotated[
        int,
        models.PositiveIntegerField(
            _("minimum number of responses for results"),
            default=10,
            validators=[MinValueValidator(SMALLEST_MINIMUM_N), MaxValueValidator(100_000)],
            help_text=_("Below this number, the results show only how many people answered."),
        ),
    ] = 10
    server_mode_allowed: Annotated[
        bool,
        models.BooleanField(
            _("offer “let the server flip for me”"),
            default=False,
            help_text=_(
                "For people without JavaScript or coins. They must trust this server while it flips the coins."
            ),
        ),
    ] = False
    by_invitation: Annotated[
        bool,
        models.BooleanField(
            _("by invitation only"),
            default=False,
            help_text=_(
                "Only people with a single-use link can answer. Answers are stored without the link that was used."
            ),
        ),
    ] = False
    credit: Annotated[
        bool,
        models.BooleanField(
            _("give credit for taking part"),
            default=False,
            help_text=_("Respondents get a receipt for taking part. Nobody can match a receipt with a response."),
        ),
    ] = False
    random_order: Annotated[
        bool,
        models.BooleanField(
            _("ask the questions in random order"),
            default=False,
            help_text=_(
                "Each respondent’s phone randomizes the order. Without JavaScript, the order stays as you entered it."
            ),
        ),
    ] = False
    # None where everybody is asked the same.
    arms: Annotated[
        tuple[Arm, ...],
        models.JSONField(_("random arms"), default=list, blank=True, validators=[check_arms]),
    ] = ()

    def texts_at(self, place: Place) -> Iterator[tuple[Text, str]]:
        """Yield what is read in a place, each with what is known of it."""
        for name, text in TEXTS.items():
            if text.place is place and (words := getattr(self, name)):
                yield text, words


@dataclass(frozen=True, kw_only=True)
class Questionnaire(Preamble):
    """All that a respondent agrees to, except the survey's code; it is stored as its `text`."""

    # {"de": {a text as it is written: the same in German}}; the languages named are offered beside its own.
    translations: Annotated[
        Mapping[str, Mapping[str, str]],
        models.JSONField(_("translations"), default=dict, blank=True, validators=[check_translations]),
    ] = field(default_factory=dict)
    questions: tuple[Question, ...] = ()
    # What checks this survey's receipts: the modulus of its RSA key, in base64url. It is made when the survey opens.
    credit_key: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "translations", frozen(self.translations))

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Return the questionnaire that JSON holds; what is not there is as in a new survey."""
        read = {name: given[name] for name in COLUMNS if name in given}
        if "arms" in read:
            read["arms"] = arms_of(read["arms"])
        questions = tuple(Question.of(each) for each in given.get("questions", ()))
        return cls(**read, questions=questions, credit_key=given.get("credit_key", ""))

    @property
    def as_json(self) -> dict[str, Any]:
        """The same for JSON, its names in one order."""
        values: dict[str, Any] = {name: getattr(self, name) for name in COLUMNS}
        values["arms"] = [{"name": arm.name, "weight": arm.weight} for arm in self.arms]
        values["translations"] = thawed(self.translations)
        written = {name: value for name, value in values.items() if value or name not in WHERE_SET}
        key = {"credit_key": self.credit_key} if self.credit_key else {}
        return written | key | {"questions": [question.as_json for question in self.questions]}

    @property
    def text(self) -> str:
        """What is stored: JSON on one line, every character as it is written."""
        return json.dumps(self.as_json, ensure_ascii=False, separators=(",", ":"))

    @property
    def texts(self) -> dict[str, str]:
        """What its owner wrote and respondents read besides its questions, by field."""
        # Browsers send line breaks as two characters, files often have one: the text is the same.
        return {name: text for name in TEXTS if (text := getattr(self, name).replace("\r\n", "\n")).strip()}

    @property
    def parts(self) -> "tuple[Questionnaire | Question, ...]":
        """Itself and its questions: what has texts, in the order of the pages."""
        return (self, *self.questions)

    @property
    def other_languages(self) -> tuple[str, ...]:
        """The languages in which it is offered besides its own."""
        return tuple(
            code
            for code, _name in settings.RESPONDENTS_LANGUAGES
            if code in self.translations and code != self.language
        )

    def translated(self, code: str) -> Self:
        """Return it in another language; what is not translated stays as it is written."""
        words = self.translations.get(code, {})
        texts: dict[str, Any] = {name: words.get(text, text) for name, text in self.texts.items()}
        return replace(
            self,
            **texts,
            language=code,
            questions=tuple(question.translated(words) for question in self.questions),
        )

    def without_unread(self) -> Self:
        """Return it without translations of texts that have been changed or removed."""
        texts = [text for part in self.parts for text in part.texts.values()]
        return replace(
            self,
            translations={
                code: {text: self.translations[code][text] for text in texts if text in self.translations[code]}
                for code in self.other_languages
            },
        )


def clean_preamble(values: Mapping[str, Any]) -> None:
    """Refuse values that their fields cannot hold; raises ValidationError by field."""
    full_clean({name: COLUMNS[name] for name in COLUMNS if name in values}, values)
    if values.get("language", "en") not in dict(settings.RESPONDENTS_LANGUAGES):
        raise ValidationError({"language": gettext("Choose one of the languages offered.")})


@lru_cache(maxsize=64)
def read(text: str) -> Questionnaire:
    """Return the questionnaire that is stored as this text."""
    return Questionnaire.of(json.loads(text))


def hash_of(code: str, text: str) -> str:
    """Return the SHA-256 of all that a respondent agrees to: of a survey's code, a line break and this text."""
    return hashlib.sha256(f"{code}\n{text}".encode()).hexdigest()


_DECLARED = {
    name: get_args(hint)[1]
    for name, hint in get_type_hints(Questionnaire, include_extras=True).items()
    if len(get_args(hint)) > 1 and name != "questions"
}
TEXTS: Mapping[str, Text] = {name: each for name, each in _DECLARED.items() if isinstance(each, Text)}
COLUMNS: Mapping[str, Column] = {
    name: each.column if isinstance(each, Text) else each for name, each in _DECLARED.items()
}
"""What each field may hold, in their order."""
# What most surveys do without is written only where it is set.
WHERE_SET = ("credit", "random_order", "arms", "translations")
