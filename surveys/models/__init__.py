"""What is stored: surveys and their questions, perturbed responses, budgets and releases."""

from surveys.models.invitation import Invitation
from surveys.models.kinds import Kind, LeaveOut
from surveys.models.question import Question
from surveys.models.release import Budget, Mechanism, Release
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
    "Mechanism",
    "Mode",
    "PatternCount",
    "Question",
    "Release",
    "Response",
    "SpentNonce",
    "State",
    "Survey",
]
