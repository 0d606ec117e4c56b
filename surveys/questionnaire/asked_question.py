"""Questions as they are asked, each with its items, each item one channel."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from django.utils.translation import get_language, gettext

from surveys.privacy.designs import Design, GridMean, grid_of, total_epsilon
from surveys.questionnaire import designs
from surveys.questionnaire.branches import Condition
from surveys.questionnaire.designs import Chance
from surveys.questionnaire.kinds import Answers, LeaveOut, Loss, Range
from surveys.questionnaire.question import Question
from surveys.questionnaire.reports import CODES, LEFT_OUT

_LETTERS = "abcdefghijklmnopqrst"


# What follows from the fields is worked out once: pages ask for it hundreds of times.


@dataclass(frozen=True)
class Item:
    """One channel: one true answer in, one report out, one character in `Response.reports`."""

    number: int  # place in the reports, from 0
    question_number: int  # as people count, from 1
    answers: Answers
    text: str
    labels: tuple[str, ...]  # the true answers by code
    leave_out: str
    design: Design
    option: str = ""  # of several options, the one that this item is about
    key: str = ""  # "3", or "3b" for the second of several options: names of fields, columns and anchors

    @property
    def kind(self) -> str:
        """The name of its kind."""
        return str(self.answers.name)

    @cached_property
    def range(self) -> Range | None:
        """Of a number: first rounded at random to the value of a code."""
        return self.answers.range

    @property
    def title(self) -> str:
        """What this item asks, in one line."""
        return f"{self.text} – {self.option}" if self.option else self.text

    @cached_property
    def can_be_left_out(self) -> bool:
        """Whether "-" is a report."""
        return self.leave_out == LeaveOut.VISIBLY

    @cached_property
    def chance(self) -> Chance:
        """What its design says of itself."""
        return designs.named(self.design.name)

    @cached_property
    def in_the_head(self) -> bool:
        """Return whether an innocuous fact replaces the coins."""
        return self.chance.in_the_head

    @cached_property
    def tapped(self) -> bool:
        """Whether what is tapped is the report, so that no device takes part."""
        return self.chance.tapped

    @cached_property
    def protects(self) -> bool:
        """Return whether the answer is randomized; else it is sent as it is."""
        return self.chance.protects

    @cached_property
    def grid(self) -> GridMean | None:
        """The values that true answers and reports stand for, where reports are of numbers and not of answers."""
        return grid_of(self.design, self.range.low, self.range.high) if self.range else None

    @cached_property
    def cells(self) -> int:
        """Into how many equal parts values cut the range of a number: it is rounded to the ends of its part."""
        return self.design.k - 1 if self.grid else 1

    @property
    def ends(self) -> tuple[str, str]:
        """What the smallest and the largest number are called."""
        return self.labels[0], self.labels[-1 if self.grid else 1]

    @property
    def report_labels(self) -> tuple[str, ...]:
        """What each report is called, in the language in force: often as the true answers, but not in every design."""
        language = get_language() or ""
        if language not in self._report_labels:
            self._report_labels[language] = self._labels_of_reports()
        return self._report_labels[language]

    @cached_property
    def _report_labels(self) -> dict[str, tuple[str, ...]]:
        """The same by language: a page of results asks for them a hundred times."""
        return {}

    def _labels_of_reports(self) -> tuple[str, ...]:
        if self.range and (grid := self.grid):
            # What is tapped may be the answer to another question, which has no unit of this one's.
            return replace(self.range, unit="").labels(grid.truths) if self.tapped else self.range.labels(grid.values)
        return self.chance.report_labels(self.labels)

    @property
    def reports_are_answers(self) -> bool:
        """Return True if reports are randomized and named as the answers: both shares can be shown together."""
        return self.protects and self.report_labels == self.labels

    @property
    def sent_labels(self) -> tuple[str, ...]:
        """The same for respondents: a number drawn at random says so, or it would read as an answer."""
        if self.tapped or not self.grid:
            return self.report_labels
        return tuple(gettext("%(number)s, drawn at random") % {"number": label} for label in self.report_labels)

    def is_about(self, other: "Item") -> bool:
        """Whether both are about one answer: an item and itself, or two options of which at most one is true."""
        return self.key == other.key or (self.answers.one_true and self.question_number == other.question_number)

    def accepts(self, report: str) -> bool:
        """Whether this one character is a report of this item."""
        return report in tuple(CODES[: self.design.m]) or (report == LEFT_OUT and self.can_be_left_out)

    def words(self, report: str) -> str:
        return gettext("skipped") if report == LEFT_OUT else self.sent_labels[CODES.index(report)]


@dataclass(frozen=True)
class AskedQuestion:
    """One question as it is asked: its items share their design, labels and way of leaving them out."""

    number: int  # as people count, from 1
    answers: Answers
    chance: Chance
    text: str
    leave_out: str
    items: tuple[Item, ...]
    arms: tuple[int, ...] = ()  # the numbers of those in which it is asked; none named are all
    arm_column: int = 0  # where stored reports have the arm's code
    quantity: int = 0  # the same above 0: they ask for the same thing
    random_order: bool = False  # of its options, on the page alone
    asked_if: Condition | None = None  # whom it is asked; None is everybody

    @property
    def kind(self) -> str:
        """The name of its kind."""
        return str(self.answers.name)

    @property
    def options(self) -> tuple[str, ...]:
        """What the survey owner wrote to choose from."""
        return self.answers.options

    @cached_property
    def first(self) -> Item:
        """The item that stands for all of them where they are alike."""
        return self.items[0]

    def is_asked(self, reports: str) -> bool:
        """Whether it is asked of somebody with these reports, as far as they go."""
        return self.asked_if is None or reports[self.asked_if.item] in {CODES[code] for code in self.asked_if.codes}

    @property
    def edges(self) -> tuple[Fraction, ...]:
        """The limits of the bands, where its answers are bands of a number."""
        return self.answers.edges

    @property
    def values(self) -> tuple[Fraction, ...]:
        """The number that each answer stands for, where they have an order."""
        return self.answers.values

    @cached_property
    def design(self) -> Design:
        """The design of each item."""
        return self.first.design

    @cached_property
    def in_the_head(self) -> bool:
        """Return whether an innocuous fact replaces the coins."""
        return self.first.in_the_head

    @property
    def guessed(self) -> str:
        """The parameter of its design that is a guess and not known; "" where there is none."""
        return self.chance.guessed

    @cached_property
    def is_guess(self) -> bool:
        """Whether a share that its design takes as known is a guess."""
        return bool(self.guessed)

    @cached_property
    def tapped(self) -> bool:
        """Whether no device takes part in answering."""
        return self.first.tapped

    @cached_property
    def protects(self) -> bool:
        """Return whether its answers are randomized; else they are sent as they are."""
        return self.chance.protects

    @cached_property
    def proves(self) -> bool:
        """Whether one of its reports can prove an answer despite randomization."""
        return bool(self.items) and self.protects and self.epsilon == math.inf

    @cached_property
    def can_be_left_out(self) -> bool:
        """Whether leaving it out is possible, and seen."""
        return self.first.can_be_left_out

    @cached_property
    def missing_is_sensitive(self) -> bool:
        """Return whether giving no answer reveals more than skipping a protected question, which is counted exactly."""
        return bool(self.arms or self.asked_if) or (self.can_be_left_out and not self.protects)

    @cached_property
    def protects_leaving_out(self) -> bool:
        """Return whether “prefer not to say” is one more protected answer."""
        return self.leave_out == LeaveOut.PROTECTED

    @cached_property
    def answer_count(self) -> int:
        """How many true answers there are, of which each person has one; Yes and No of each where several can be."""
        return len(self.items) if self.answers.one_true else self.design.k

    @cached_property
    def losses(self) -> tuple[Loss, ...]:
        """What its reports give away, which adds up."""
        return self.answers.losses(self.design, len(self.items))

    @cached_property
    def epsilon(self) -> float:
        """The local loss of answering this question, in nats: the sum, rounded up."""
        return total_epsilon(loss.epsilon for loss in self.losses)

    @property
    def browser(self) -> dict[str, Any]:
        """What the randomizer in the browser reads of it."""
        item = self.first
        fields: dict[str, Any] = {
            "items": len(self.items),
            "canSkip": self.can_be_left_out,
            "reports": item.sent_labels,
        }
        if not self.tapped:
            fields |= {"denominator": item.design.denominator, "columns": item.design.columns}
        if self.answers.one_true:
            fields["answers"] = 1
        if self.random_order:
            fields["randomOrder"] = (
                len(self.items) if item.answers.by_option else len(item.labels) - self.protects_leaving_out
            )
        if self.asked_if:
            fields["askedIf"] = {"question": self.asked_if.question_number, "codes": list(self.asked_if.codes)}
        if item.range and not item.tapped:
            fields["range"] = {**item.range.shown, "steps": item.range.steps} | (
                {"cells": item.cells} if item.grid else {}
            )
        return fields

    def misfit(self, reports: str) -> str:
        """Return what is wrong with its own among all reports, in words that name it, or "" when they fit."""
        given = reports[self.first.number :][: len(self.items)]
        if self.asked_if and not self.is_asked(reports):
            if not given.strip(LEFT_OUT):
                return ""
            return gettext(
                "Question %(number)s is not asked after this answer to question %(other)s. Answer again and "
                "skip question %(number)s."
            ) % {
                "number": self.number,
                "other": self.asked_if.question_number,
            }
        for item, report in zip(self.items, given, strict=True):
            if not item.accepts(report):
                return gettext(
                    "Question %(number)s: %(report)r is not a possible report. Go to the survey and answer again."
                ) % {
                    "number": self.number,
                    "report": report,
                }
        if LEFT_OUT in given and given.strip(LEFT_OUT):
            return gettext("Question %(number)s can only be skipped as a whole. Answer all parts of it or none.") % {
                "number": self.number
            }
        return ""

    def moved(self, number: int, first: int, asked_if: Condition | None) -> "AskedQuestion":
        """Return the same with another number, its items from this place on, and asked on this condition."""
        items = tuple(
            replace(item, number=first + place, question_number=number, key=_key(number, place, item.option))
            for place, item in enumerate(self.items)
        )
        return replace(self, number=number, items=items, asked_if=asked_if)


def _key(question: int, place: int, option: str) -> str:
    return f"{question}{_LETTERS[place]}" if option else str(question)


def items_of(question: Question, *, question_number: int = 1, first: int = 0) -> tuple[Item, ...]:
    """Return a question's items; raises ValueError when the stored design makes no matrix."""
    answers = question.answers
    options = answers.options if answers.by_option else ("",)
    design, labels = question.randomizer, question.labels
    return tuple(
        Item(
            number=first + place,
            question_number=question_number,
            answers=answers,
            text=question.text,
            labels=labels,
            leave_out=question.leave_out,
            design=design,
            option=option,
            key=_key(question_number, place, option),
        )
        for place, option in enumerate(options)
    )


def ask(questions: Iterable[Question], *, in_arms: bool) -> tuple[AskedQuestion, ...]:
    """Return questions as they are asked; raises ValueError when a stored design makes no matrix."""
    asked: list[AskedQuestion] = []
    first = 0
    for number, question in enumerate(questions, start=1):
        items = items_of(question, question_number=number, first=first)
        first += len(items)
        asked.append(
            AskedQuestion(
                number=number,
                answers=question.answers,
                chance=question.chance,
                text=question.text,
                leave_out=question.leave_out,
                items=items,
                arms=tuple(question.arms),
                quantity=question.quantity,
                random_order=question.random_order,
                asked_if=_condition(question.asked_if, asked) if question.asked_if else None,
            )
        )
    return tuple(replace(question, arm_column=first) for question in asked) if in_arms else tuple(asked)


def _condition(stored: Mapping[str, Any], before: Sequence[AskedQuestion]) -> Condition:
    deciding = before[stored["question"] - 1]
    codes, labels = tuple(stored["answers"]), deciding.first.labels
    answers = tuple(labels[code] for code in codes)
    return Condition(deciding.number, deciding.first.number, codes, answers, len(labels) - len(codes))
