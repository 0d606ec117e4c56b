"""A survey as pages and services use it: frozen items, each one channel with one design matrix."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from surveys.models.response import CODES, LEFT_OUT
from surveys.models.survey import LeaveOut, Question, Survey
from surveys.privacy.designs import Design, total_epsilon


@dataclass(frozen=True, slots=True)
class Item:
    """One channel: one truth in, one report out, one character in `Response.reports`."""

    number: int  # place in the reports, from 0
    question_id: int
    question_number: int  # as people count, from 1
    kind: str
    text: str
    labels: tuple[str, ...]
    leave_out: str
    design: Design

    @property
    def can_be_left_out(self) -> bool:
        """Whether "-" is a report."""
        return self.leave_out == LeaveOut.VISIBLY

    def accepts(self, report: str) -> bool:
        """Whether this one character is a report of this item."""
        return report in CODES[: self.design.m] or (report == LEFT_OUT and self.can_be_left_out)

    def words(self, report: str) -> str:
        """Return what a report says, in words."""
        return "left out" if report == LEFT_OUT else self.labels[CODES.index(report)]


@dataclass(frozen=True)
class Definition:
    """Everything that respondents are told and that estimators need; it never changes once the survey is open."""

    survey_id: int
    code: str
    title: str
    introduction: str
    consent: str
    support: str
    language: str
    minimum_n: int
    server_mode_allowed: bool
    items: tuple[Item, ...]

    @classmethod
    def of(cls, survey: Survey, questions: Iterable[Question]) -> "Definition":
        """Build the definition from rows; raises ValueError when a stored design makes no matrix."""
        items = tuple(
            Item(
                number=number,
                question_id=question.pk,
                question_number=number + 1,
                kind=question.kind,
                text=question.text,
                labels=question.labels,
                leave_out=question.leave_out,
                design=question.randomizer,
            )
            for number, question in enumerate(questions)
        )
        return cls(
            survey_id=survey.pk,
            code=survey.code,
            title=survey.title,
            introduction=survey.introduction,
            consent=survey.consent,
            support=survey.support,
            language=survey.language,
            minimum_n=survey.minimum_n,
            server_mode_allowed=survey.server_mode_allowed,
            items=items,
        )

    @cached_property
    def epsilon(self) -> float:
        """The respondent's whole local loss, in nats: the sum over items (basic composition), rounded up."""
        return total_epsilon(item.design.epsilon for item in self.items)

    @cached_property
    def version(self) -> str:
        """SHA-256 of all that a respondent agrees to; stored as `Survey.content_hash` when the survey opens."""
        content = {
            "code": self.code,
            "title": self.title,
            "introduction": self.introduction,
            "consent": self.consent,
            "support": self.support,
            "language": self.language,
            "minimum_n": self.minimum_n,
            "server_mode_allowed": self.server_mode_allowed,
            "items": [
                {
                    "kind": item.kind,
                    "text": item.text,
                    "labels": item.labels,
                    "leave_out": item.leave_out,
                    "matrix": [[str(entry) for entry in row] for row in item.design.matrix],
                }
                for item in self.items
            ],
        }
        return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=True).encode()).hexdigest()

    @cached_property
    def browser(self) -> dict[str, Any]:
        """What the randomizer in the browser reads: the very matrices that the estimators invert."""
        return {
            "items": [
                {
                    "question": item.question_number,
                    "kind": item.kind,
                    "denominator": item.design.denominator,
                    "columns": item.design.columns,
                    "labels": item.labels,
                    "canSkip": item.can_be_left_out,
                }
                for item in self.items
            ]
        }

    def misfit(self, reports: str) -> str:
        """Return what is wrong with a reports text, in words that name the question, or "" when it fits."""
        if len(reports) != len(self.items):
            return f"There must be {len(self.items)} reports, one for each question; there are {len(reports)}."
        for item, report in zip(self.items, reports, strict=True):
            if not item.accepts(report):
                return f"Question {item.question_number}: {report!r} is not one of its reports."
        return ""
