"""A survey as pages and services use it: frozen questions, each with its items, each item one channel."""

import datetime as dt
import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from django.utils import translation
from django.utils.translation import gettext

from surveys.models import designs
from surveys.models.arms import Arm, answers_in, arms_of
from surveys.models.branches import Condition
from surveys.models.kinds import LeaveOut, QuestionKind, Range, traits_of
from surveys.models.question import Question
from surveys.models.response import CODES, LEFT_OUT
from surveys.models.survey import FROZEN_COLUMNS, Survey
from surveys.privacy.designs import Design, GridMean, epsilon_of_one, grid_of, odds_of_one, total_epsilon

_LETTERS = "abcdefghijklmnopqrst"


@dataclass(frozen=True, slots=True)
class Loss:
    """What a report gives away about its true answer, or the reports on all options of which one is true."""

    odds: Fraction | float  # the largest factor by which it changes them; infinite where it can prove an answer
    epsilon: float  # its logarithm, in nats, rounded up
    in_the_head: bool = False
    reports: int = 1


@dataclass(frozen=True, slots=True)
class Item:
    """One channel: one truth in, one report out, one character in `Response.reports`."""

    number: int  # place in the reports, from 0
    question_id: int
    question_number: int  # as people count, from 1
    kind: str
    text: str
    labels: tuple[str, ...]  # the true answers by code
    leave_out: str
    design: Design
    option: str = ""  # of several options, the one that this item is about
    key: str = ""  # "3", or "3b" for the second of several options: names of fields, columns and anchors
    range: Range | None = None  # of a number: chance first rounds it to the value of a code

    @property
    def traits(self) -> QuestionKind:
        """What its kind says of itself, asked with its design."""
        return traits_of(self.kind, self.design.name)

    @property
    def title(self) -> str:
        """What this item asks, in one line."""
        return f"{self.text} – {self.option}" if self.option else self.text

    @property
    def can_be_left_out(self) -> bool:
        """Whether "-" is a report."""
        return self.leave_out == LeaveOut.VISIBLY

    @property
    def asked_with(self) -> designs.Technique:
        """What its design says of itself."""
        return designs.named(self.design.name)

    @property
    def in_the_head(self) -> bool:
        """Whether an innocuous fact stands for chance."""
        return self.asked_with.in_the_head

    @property
    def tapped(self) -> bool:
        """Whether what is tapped is the report, so that no device takes part."""
        return self.asked_with.tapped

    @property
    def protects(self) -> bool:
        """Whether chance hides the answer; else it is sent as it is."""
        return self.asked_with.protects

    @property
    def loss(self) -> Loss:
        """What its report gives away."""
        return Loss(max(self.design.odds), self.design.epsilon, self.in_the_head)

    @property
    def grid(self) -> GridMean | None:
        """The values that truths and reports stand for, where reports are of numbers and not of answers."""
        return grid_of(self.design, self.range.low, self.range.high) if self.range else None

    @property
    def cells(self) -> int:
        """Into how many equal parts values cut the range of a number: it is rounded to the ends of its part."""
        return self.design.k - 1 if self.grid else 1

    @property
    def ends(self) -> tuple[str, str]:
        """What the smallest and the largest number are called."""
        return self.labels[0], self.labels[-1 if self.grid else 1]

    @property
    def report_labels(self) -> tuple[str, ...]:
        """What each report is called, in the language in force: often as the truths, but not in every design."""
        if self.range and (grid := self.grid):
            # What is tapped may be the answer to another question, which has no unit of this one's.
            return replace(self.range, unit="").labels(grid.truths) if self.tapped else self.range.labels(grid.values)
        return self.asked_with.report_labels(self.labels)

    @property
    def sent_labels(self) -> tuple[str, ...]:
        """The same for whoever sends one: a number that chance made says so, or it would read as an answer."""
        if self.tapped or not self.grid:
            return self.report_labels
        return tuple(gettext("%(number)s, made by chance") % {"number": label} for label in self.report_labels)

    def is_about(self, other: "Item") -> bool:
        """Whether both are about one answer: an item and itself, or two options of which at most one is true."""
        return self.key == other.key or (self.traits.one_true and self.question_number == other.question_number)

    def accepts(self, report: str) -> bool:
        """Whether this one character is a report of this item."""
        return report in tuple(CODES[: self.design.m]) or (report == LEFT_OUT and self.can_be_left_out)

    def words(self, report: str) -> str:
        """Return what a report says, in words."""
        return gettext("skipped") if report == LEFT_OUT else self.sent_labels[CODES.index(report)]


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """One question as it is asked: its items share their design, labels and way of leaving them out."""

    number: int  # as people count, from 1
    question_id: int
    kind: str
    text: str
    leave_out: str
    details: Mapping[str, Any]
    items: tuple[Item, ...]
    arms: tuple[int, ...] = ()  # the numbers of those in which it is asked; none named are all
    arm_column: int = 0  # where stored reports have the arm's code
    quantity: int = 0  # the same above 0: they ask for the same thing
    options: tuple[str, ...] = ()  # as their author wrote them
    random_order: bool = False  # of its options, on the page alone
    asked_if: Condition | None = None  # whom it is asked; None is everybody

    @property
    def traits(self) -> QuestionKind:
        """What its kind says of itself, asked with its design."""
        return traits_of(self.kind, self.design.name)

    @property
    def first(self) -> Item:
        """The item that stands for all of them where they are alike."""
        return self.items[0]

    def is_asked(self, reports: str) -> bool:
        """Whether it is asked of somebody with these reports, as far as they go."""
        return self.asked_if is None or reports[self.asked_if.item] in {CODES[code] for code in self.asked_if.codes}

    @property
    def edges(self) -> tuple[Fraction, ...]:
        """The limits of the bands, where its answers are bands of a number."""
        return self.traits.edges(self.details)

    @property
    def values(self) -> tuple[Fraction, ...]:
        """The number that each answer stands for, where they have an order."""
        return self.traits.values(self.details)

    @property
    def design(self) -> Design:
        """The design of each item."""
        return self.first.design

    @property
    def asked_with(self) -> designs.Technique:
        """What the design of each item says of itself."""
        return self.first.asked_with

    @property
    def in_the_head(self) -> bool:
        """Whether an innocuous fact stands for chance."""
        return self.first.in_the_head

    @property
    def guessed(self) -> str:
        """The parameter of its design that is a guess and not known; "" where there is none."""
        return self.asked_with.guessed(self.details)

    @property
    def is_guess(self) -> bool:
        """Whether a share that its design takes as known is a guess."""
        return bool(self.guessed)

    @property
    def tapped(self) -> bool:
        """Whether no device takes part in answering."""
        return self.first.tapped

    @property
    def protects(self) -> bool:
        """Whether chance hides its answers; else they are sent as they are."""
        return self.first.protects

    @property
    def can_be_left_out(self) -> bool:
        """Whether leaving it out is possible, and seen."""
        return self.first.can_be_left_out

    @property
    def protects_leaving_out(self) -> bool:
        """Whether “prefer not to say” is one more answer that chance hides."""
        return self.leave_out == LeaveOut.PROTECTED

    @property
    def answers(self) -> int:
        """How many true answers there are, of which each person has one; Yes and No of each where several can be."""
        return len(self.items) if self.traits.one_true else self.design.k

    @property
    def losses(self) -> tuple[Loss, ...]:
        """What its reports give away, which adds up: each of them, but all together where one option is true."""
        if self.traits.one_true:
            return (Loss(odds_of_one(self.design), epsilon_of_one(self.design), reports=len(self.items)),)
        return tuple(item.loss for item in self.items)

    @property
    def epsilon(self) -> float:
        """The local loss of answering this question, in nats: the sum, rounded up."""
        return total_epsilon(loss.epsilon for loss in self.losses)


@dataclass(frozen=True)
class Definition:
    """Everything that respondents are told and that estimators need; but for a day it never changes once it is open.

    Where there are random arms this is all of it, and `in_arm` is what the respondents of one of them meet: a survey
    like any other. Stored reports have a character for each item of all arms, and one more, the arm's.
    """

    survey_id: int
    code: str
    title: str
    introduction: str
    consent: str
    support: str
    language: str
    minimum_n: int
    server_mode_allowed: bool
    by_invitation: bool
    questions: tuple[AskedQuestion, ...]
    purge_on: dt.date | None  # beside what is frozen: it may be brought forward
    _content: Mapping[str, Any] = field(compare=False, repr=False)
    random_order: bool = False  # of its questions, on the page alone
    arms: tuple[Arm, ...] = ()
    arm: Arm | None = None  # whose questions these are, and nobody else's
    _whole: "Definition | None" = field(default=None, compare=False, repr=False)
    places: tuple[int, ...] = field(default=(), compare=False, repr=False)  # of an arm's items in the whole
    languages: tuple[str, ...] = ()  # in which it can be read, its own first; none named is its own alone
    _rows: tuple[Survey, list[Question]] | None = field(default=None, compare=False, repr=False)
    _change: Callable[["Definition"], "Definition"] | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, survey: Survey, questions: Iterable[Question]) -> "Definition":
        """Build the definition from rows; raises ValueError when a stored design makes no matrix."""
        stored, others = list(questions), survey.other_languages
        content = {name: getattr(survey, name) for name in FROZEN_COLUMNS}
        content |= {"questions": [_content_of(question) for question in stored]} | _said_later(survey, _SAID_LATER)
        if others:
            content["translations"] = _translations(survey, stored)
        whole = cls._spoken(survey, stored, content)
        return replace(whole, languages=(survey.language, *others), _rows=(survey, stored)) if others else whole

    @classmethod
    def _spoken(cls, survey: Survey, stored: list[Question], content: Mapping[str, Any]) -> "Definition":
        frozen = {name: getattr(survey, name) for name in FROZEN_COLUMNS}
        # “Yes”, “Prefer not to say” and the like are the pages' words: in the survey's language, whoever asks.
        with translation.override(survey.language):
            asked = _asked(stored, arms_of(survey.arms))
        return cls(
            survey_id=survey.pk,
            **frozen,
            questions=asked,
            purge_on=survey.purge_on,
            _content=content,
            random_order=survey.random_order,
            arms=arms_of(survey.arms),
        )

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """The items of all questions, in the order of the reports."""
        return tuple(item for question in self.questions for item in question.items)

    @cached_property
    def _by_arm(self) -> Mapping[int, "Definition"]:
        return {arm.number: _of_arm(self, arm) for arm in self.arms}

    @property
    def whole(self) -> "Definition":
        """All of it, where this is what one arm meets."""
        return self._whole or self

    def in_arm(self, number: int) -> "Definition":
        """Return what respondents of this arm meet; raises KeyError where there is none of this number."""
        return self._by_arm[number]

    def in_language(self, code: str) -> "Definition":
        """Return the same as it is read in one of its languages: chances, codes and version are those of its own."""
        return self if code == self.language else self._by_language[code]

    def changed(self, change: Callable[["Definition"], "Definition"]) -> "Definition":
        """Return what a function makes of it, and in each other language of what is read there."""
        return replace(change(self), _change=change)

    @cached_property
    def _by_language(self) -> Mapping[str, "Definition"]:
        if self._rows is None:
            return {}
        survey, questions = self._rows
        return {code: self._translated(code, survey, questions) for code in self.languages[1:]}

    def _translated(self, code: str, survey: Survey, questions: list[Question]) -> "Definition":
        spoken, words = survey.translated(code), survey.translations[code]
        rows = [question.translated(spoken, words) for question in questions]
        read = replace(self._spoken(spoken, rows, self._content), languages=self.languages)
        return self._change(read) if self._change else read

    @property
    def each_arm(self) -> tuple["Definition", ...]:
        """What respondents meet: of each arm, or this itself where there are none."""
        return tuple(self._by_arm.values()) or (self,)

    def asked_of(self, n: int, *questions: AskedQuestion) -> int:
        """Return how many of `n` respondents to expect in the arms that are asked one of these questions."""
        numbers = [arm.number for arm in self.arms]
        return answers_in(self.arms, {number for question in questions for number in question.arms or numbers}, n)

    def variants_of(self, question: AskedQuestion) -> tuple[AskedQuestion, ...]:
        """Return the questions that ask for the same in different arms, this one too.

        None where there is no other with the same answers, one of a list each.
        """
        alike = tuple(
            each
            for each in self.questions
            if question.quantity
            and each.quantity == question.quantity
            and each.first.labels == question.first.labels
            and len(each.items) == 1
            and not each.first.range
        )
        return alike if len(alike) > 1 and question in alike else ()

    def asks_together(self, *items: Item) -> bool:
        """Whether somebody is asked all of these: questions of different arms nobody is."""
        everywhere = {arm.number for arm in self.arms}
        asked = [set(self.questions[item.question_number - 1].arms) or everywhere for item in items]
        return not self.arms or bool(set.intersection(*asked))

    def arm_names(self, question: AskedQuestion) -> str:
        """Return the names of the arms in which a question is asked, where not everybody is asked it."""
        return ", ".join(arm.name for arm in self.arms if arm.number in question.arms)

    @property
    def columns(self) -> tuple[int, ...]:
        """How many codes each character of stored reports has: each item's reports, then the arms."""
        return (*(item.design.m for item in self.items), *([len(self.arms)] if self.arms else []))

    def stored(self, reports: str) -> str:
        """Return as they are stored the reports that fit here: with those of no other arm, and the arm's code."""
        if self.arm is None:
            return reports
        whole = [LEFT_OUT] * len(self.whole.items)
        for place, report in zip(self.places, reports, strict=True):
            whole[place] = report
        return "".join(whole) + CODES[self.arm.number - 1]

    def arm_of(self, stored: str) -> "Definition":
        """Return what those met who sent these stored reports, which fit here."""
        return self.in_arm(CODES.index(stored[-1]) + 1) if self.arms else self

    def own(self, stored: str) -> str:
        """Return of stored reports those to the items here."""
        return "".join(stored[place] for place in self.places) if self.arm else stored

    @cached_property
    def protected_items(self) -> tuple[Item, ...]:
        """The items whose answers chance hides: of them alone there are proofs and odds to speak of."""
        return tuple(item for item in self.items if item.protects)

    @cached_property
    def losses(self) -> tuple[Loss, ...]:
        """What the reports to protected questions give away, which adds up to an ε."""
        return tuple(loss for question in self.questions if question.protects for loss in question.losses)

    @property
    def protects(self) -> bool:
        """Whether chance hides something of everybody's: not where an arm is asked nothing but plain questions."""
        return all(met.protected_items for met in self.each_arm)

    @property
    def dearest(self) -> "Definition":
        """What costs respondents most, of all that they may meet."""
        return max(self.each_arm, key=lambda met: (met.epsilon, met.bounded_epsilon))

    @cached_property
    def epsilon(self) -> float:
        """The respondent's local loss, in nats: the sum over protected questions (basic composition), rounded up.

        Of several arms that of the one which costs most.
        """
        if self._by_arm:
            return max(each.epsilon for each in self._by_arm.values())
        return total_epsilon(loss.epsilon for loss in self.losses)

    @property
    def epsilon_of_truths(self) -> float:
        """What the reports of one response tell of all its true answers: infinite where one is sent as it is."""
        return math.inf if self.unprotected else self.epsilon

    @cached_property
    def bounded_epsilon(self) -> float:
        """The same sum over what proves nothing: a proof is named apart."""
        if self._by_arm:
            return max(each.bounded_epsilon for each in self._by_arm.values())
        return total_epsilon(loss.epsilon for loss in self.losses if loss.epsilon < math.inf)

    @cached_property
    def proving(self) -> tuple[int, ...]:
        """The numbers of the protected questions one of whose reports can prove an answer."""
        return tuple(
            question.number for question in self.questions if question.protects and question.epsilon == math.inf
        )

    @cached_property
    def unprotected(self) -> tuple[int, ...]:
        """The numbers of the questions whose answers are sent as they are."""
        return tuple(question.number for question in self.questions if not question.protects)

    @property
    def content(self) -> Mapping[str, Any]:
        """All that a respondent agrees to, as JSON can hold it."""
        return self._content

    @cached_property
    def version(self) -> str:
        """SHA-256 of all that a respondent agrees to; stored as `Survey.content_hash` when the survey opens."""
        return hashlib.sha256(json.dumps(self._content, sort_keys=True, ensure_ascii=True).encode()).hexdigest()

    @cached_property
    def browser(self) -> dict[str, Any]:
        """What the randomizer in the browser reads: the very matrices that the estimators invert."""
        told: dict[str, Any] = {"randomOrder": True} if self.random_order else {}
        return told | {"questions": [_for_browser(question) for question in self.questions]}

    def misfit(self, reports: str) -> str:
        """Return what is wrong with a reports text, in words that name the question, or "" when it fits."""
        if self._by_arm:
            return self._misfit_of_arm(reports)
        if len(reports) != len(self.items):
            return gettext("There must be %(wanted)s reports, one for each item; there are %(given)s.") % {
                "wanted": len(self.items),
                "given": len(reports),
            }
        for question in self.questions:
            first = question.first.number
            given = reports[first : first + len(question.items)]
            if question.asked_if and not question.is_asked(reports):
                if given.strip(LEFT_OUT):
                    return gettext(
                        "Question %(number)s is not asked of those who answered question %(other)s in this way."
                    ) % {"number": question.number, "other": question.asked_if.question_number}
                continue
            for item, report in zip(question.items, given, strict=True):
                if not item.accepts(report):
                    return gettext("Question %(number)s: %(report)r is not one of its reports.") % {
                        "number": question.number,
                        "report": report,
                    }
            if LEFT_OUT in given and given.strip(LEFT_OUT):
                return gettext("Question %(number)s can be left out as a whole only.") % {"number": question.number}
        return ""

    def _misfit_of_arm(self, stored: str) -> str:
        """Judge the stored reports of a survey with arms: those of one arm, nothing else, and its code."""
        if len(stored) != len(self.columns) or stored[-1] not in CODES[: len(self.arms)]:
            return gettext("The reports name no arm of this survey.")
        mine = self.arm_of(stored)
        own = mine.own(stored)
        if mine.stored(own) != stored:
            return gettext("A question of another arm has a report.")
        return mine.misfit(own)


_ASKED = ("kind", "text", "options", "details", "design", "parameters", "leave_out", "accepts_infinite")
# What came later is named where it is said: a survey that was opened before keeps its version.
_SAID_LATER = ("arms", "random_order")
_ASKED_LATER = ("arms", "quantity", "random_order", "asked_if")


def _content_of(question: Question) -> dict[str, Any]:
    return {name: getattr(question, name) for name in _ASKED} | _said_later(question, _ASKED_LATER)


def _said_later(row: Survey | Question, names: Iterable[str]) -> dict[str, Any]:
    return {name: value for name in names if (value := getattr(row, name))}


def _translations(survey: Survey, questions: list[Question]) -> dict[str, dict[str, str]]:
    """Return what is translated of the texts that there are: of a text that was changed nothing is read any more."""
    rows: list[Survey | Question] = [survey, *questions]
    texts = [text for row in rows for text in row.texts.values()]
    return {
        code: {text: survey.translations[code][text] for text in texts if text in survey.translations[code]}
        for code in survey.other_languages
    }


def _of_arm(whole: Definition, arm: Arm) -> Definition:
    """Return what respondents of an arm meet: its questions alone, numbered as they count them."""
    here: dict[int, AskedQuestion] = {}  # by their numbers in the whole
    places: list[int] = []
    for question in whole.questions:
        if question.arms and arm.number not in question.arms:
            continue
        number, first = len(here) + 1, len(places)
        items = tuple(
            replace(item, number=first + place, question_number=number, key=_key(number, place, item.option))
            for place, item in enumerate(question.items)
        )
        places += (item.number for item in question.items)
        asked_if = question.asked_if
        if asked_if:
            deciding = here[asked_if.question_number]
            asked_if = replace(asked_if, question_number=deciding.number, item=deciding.first.number)
        here[question.number] = replace(question, number=number, items=items, asked_if=asked_if)
    return replace(whole, questions=tuple(here.values()), arms=(), arm=arm, _whole=whole, places=tuple(places))


def _key(question: int, place: int, option: str) -> str:
    return f"{question}{_LETTERS[place]}" if option else str(question)


def items_of(question: Question, *, question_number: int = 1, first: int = 0) -> tuple[Item, ...]:
    """Return a question's items; raises ValueError when the stored design makes no matrix."""
    options = question.options if question.traits.by_option else [""]
    design, labels = question.randomizer, question.labels
    return tuple(
        Item(
            number=first + place,
            question_id=question.pk or 0,
            question_number=question_number,
            kind=question.kind,
            text=question.text,
            labels=labels,
            leave_out=question.leave_out,
            design=design,
            option=option,
            key=_key(question_number, place, option),
            range=question.traits.range(question.details),
        )
        for place, option in enumerate(options)
    )


def _asked(questions: Iterable[Question], arms: tuple[Arm, ...]) -> tuple[AskedQuestion, ...]:
    asked: list[AskedQuestion] = []
    first = 0
    for number, question in enumerate(questions, start=1):
        items = items_of(question, question_number=number, first=first)
        first += len(items)
        asked.append(
            AskedQuestion(
                number=number,
                question_id=question.pk,
                kind=question.kind,
                text=question.text,
                leave_out=question.leave_out,
                details=question.details,
                items=items,
                arms=tuple(question.arms),
                quantity=question.quantity,
                options=tuple(question.options),
                random_order=question.random_order,
                asked_if=_condition(question.asked_if, asked) if question.asked_if else None,
            )
        )
    return tuple(replace(question, arm_column=first) for question in asked) if arms else tuple(asked)


def _condition(stored: Mapping[str, Any], before: Sequence[AskedQuestion]) -> Condition:
    deciding = before[stored["question"] - 1]
    codes, labels = tuple(stored["answers"]), deciding.first.labels
    answers = tuple(labels[code] for code in codes)
    return Condition(deciding.number, deciding.first.number, codes, answers, len(labels) - len(codes))


def _for_browser(question: AskedQuestion) -> dict[str, Any]:
    item = question.first
    told: dict[str, Any] = {
        "items": len(question.items),
        "canSkip": question.can_be_left_out,
        "reports": item.sent_labels,
    }
    if not question.tapped:
        told |= {"denominator": item.design.denominator, "columns": item.design.columns}
    if question.traits.one_true:
        told["answers"] = 1
    if question.random_order:
        told["randomOrder"] = (
            len(question.items) if item.traits.by_option else len(item.labels) - question.protects_leaving_out
        )
    if question.asked_if:
        told["askedIf"] = {"question": question.asked_if.question_number, "codes": list(question.asked_if.codes)}
    if item.range and not item.tapped:
        told["range"] = {**item.range.shown, "steps": item.range.steps} | ({"cells": item.cells} if item.grid else {})
    return told
