"""Budgets and releases: a release is charged, drawn once and stored in one transaction, or refused at no charge."""

from surveys.services.releasing.amounts import LARGEST_DELTA, LARGEST_EPSILON, decimal, written
from surveys.services.releasing.budgets import set_budget
from surveys.services.releasing.checked import micro_epsilon, pico_delta, stated_reason
from surveys.services.releasing.drawing import check, release
from surveys.services.releasing.publishing import publish, withdraw
from surveys.services.releasing.refusals import (
    BudgetBelowSpent,
    BudgetTooSmall,
    CannotBeDrawn,
    DeltaBelowSpent,
    DeltaTooSmall,
    DuplicateRequest,
    ForeignQuestion,
    InvalidDelta,
    InvalidEpsilon,
    InvalidOption,
    LedgerHasGoneOn,
    NoBudget,
    NoQuestion,
    NoReason,
    NotOpened,
    Purged,
    Refused,
    Sealed,
    TooFewAnswers,
    UnknownMechanism,
    UnsuitableQuestion,
)
from surveys.services.releasing.repeating import same_as

__all__ = [
    "LARGEST_DELTA",
    "LARGEST_EPSILON",
    "BudgetBelowSpent",
    "BudgetTooSmall",
    "CannotBeDrawn",
    "DeltaBelowSpent",
    "DeltaTooSmall",
    "DuplicateRequest",
    "ForeignQuestion",
    "InvalidDelta",
    "InvalidEpsilon",
    "InvalidOption",
    "LedgerHasGoneOn",
    "NoBudget",
    "NoQuestion",
    "NoReason",
    "NotOpened",
    "Purged",
    "Refused",
    "Sealed",
    "TooFewAnswers",
    "UnknownMechanism",
    "UnsuitableQuestion",
    "check",
    "decimal",
    "micro_epsilon",
    "pico_delta",
    "publish",
    "release",
    "same_as",
    "set_budget",
    "stated_reason",
    "withdraw",
    "written",
]
