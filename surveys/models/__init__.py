"""What is stored: surveys and their questions, perturbed responses, budgets and releases."""

from surveys.models.budget import Budget, LedgerEntry
from surveys.models.invitation import Invitation
from surveys.models.kinds import Kind, LeaveOut
from surveys.models.question import Question
from surveys.models.release import Mechanism, Release, ReleasePart
from surveys.models.response import CellCount, FoldedPart, Mode, PatternCount, Response, SpentNonce
from surveys.models.survey import Group, State, Survey

__all__ = [
    "Budget",
    "CellCount",
    "FoldedPart",
    "Group",
    "Invitation",
    "Kind",
    "LeaveOut",
    "LedgerEntry",
    "Mechanism",
    "Mode",
    "PatternCount",
    "Question",
    "Release",
    "ReleasePart",
    "Response",
    "SpentNonce",
    "State",
    "Survey",
]
