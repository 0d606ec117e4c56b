"""Studies by the thousand as results pages read them, answered through the survey's designs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.privacy.designs import Design
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.question import Question
from surveys.responses.selectors.snapshot import Snapshot, snapshot_of
from surveys.responses.selectors.tally import MISSING, Tally
from surveys.responses.told import recode
from tests.factories import make_open

Codes = np.ndarray[Any, np.dtype[np.int64]]
STUDIES = 2_000
NOT_ASKED = MISSING
Ask = Callable[..., Question]


@dataclass(frozen=True)
class Studied:
    """A closed survey whose responses are replaced study by study; the seed is fixed."""

    stored: Definition
    empty: Snapshot = field(repr=False)
    generator: np.random.Generator

    @classmethod
    def of(cls, *drafts: Question, arms: int = 0, seed: int = 20_261_126) -> "Studied":
        """Open and close a survey of these questions, dealt to so many arms."""
        dealt = [{"name": f"Arm {number}", "weight": 1} for number in range(1, arms + 1)]
        survey = close_survey(survey=make_open(*drafts, arms=dealt))
        stored = definition_of(survey)
        survey.partition = None  # nobody's: each study is parted by itself
        return cls(stored, snapshot_of(survey, stored), np.random.default_rng(seed))

    def design(self, number: int) -> Design:
        """The design of a question, by its number as people count."""
        return self.stored.questions[number - 1].design

    def sent(self, number: int, truths: Codes) -> Codes:
        """Return what is sent to a question by people of these true answers."""
        columns = np.array(self.design(number).matrix, dtype=float).T.cumsum(axis=1)
        columns[:, -1] = 1.0
        return (self.generator.random((len(truths), 1)) > columns[truths]).sum(axis=1)

    def have(self, share: float, n: int) -> Codes:
        """Return n true answers, Yes with this probability."""
        return (self.generator.random(n) < share).astype(np.int64)

    def told(self, *arms: Sequence[Codes | None], groups: Codes | None = None) -> tuple[Definition, Snapshot]:
        """Return a study as pages read it, from the reports to each question in each arm; None: not asked there."""
        rows = []
        for code, columns in enumerate(arms):
            n = next(len(column) for column in columns if column is not None)
            reports = [np.full(n, NOT_ASKED) if column is None else column for column in columns]
            rows.append(np.column_stack([*reports, *([np.full(n, code)] if self.stored.arms else [])]))
        everybody = np.vstack(rows)
        of = np.zeros(len(everybody), dtype=np.int64) if groups is None else groups
        distinct, counts = np.unique(np.column_stack([everybody, of]), axis=0, return_counts=True)
        source = Tally(distinct[:, :-1].astype(np.uint8), counts, distinct[:, -1], ("device",) * len(counts))
        n, parts = source.n, {"n_by_group": source.n_by_group(), "n_by_part": source.n_by_part()}
        study = replace(self.empty, n=n, received=n, n_by_mode=source.n_by_mode(), _source=source, **parts)
        return recode(self.stored, study)


def shares_held(study: Callable[[], Sequence[bool]], studies: int = STUDIES) -> np.ndarray:
    """Return in which share of studies each interval holds what is true."""
    return np.mean([study() for _ in range(studies)], axis=0)


def held_as_said(study: Callable[[], Sequence[bool]]) -> None:
    """Require .93 to .97 of 95% intervals: more than four standard deviations of .005 of 2,000 studies from .95."""
    held = shares_held(study)
    assert ((held >= 0.93) & (held <= 0.97)).all(), held


def holds(estimate: Any, truth: float) -> bool:  # noqa: ANN401 - whatever has two ends
    """Whether the limits of an estimate hold the truth."""
    return bool(estimate.low <= truth <= estimate.high)


def both_arms(one: Ask, other: Ask, *changes: dict[str, Any]) -> list[Question]:
    """Return two questions that ask for the same, each in an arm of its own."""
    first, second = changes or ({}, {})
    asked = {"quantity": 1, "leave_out": "no"}
    return [one(arms=[1], **(asked | first)), other(arms=[2], **(asked | second))]
