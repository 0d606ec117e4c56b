"""What is stored: surveys and their questions, perturbed responses, budgets and releases."""

from surveys.models.release import Budget, Mechanism, Release
from surveys.models.response import Mode, Response
from surveys.models.survey import Group, Kind, LeaveOut, Question, State, Survey

__all__ = [
    "Budget",
    "Group",
    "Kind",
    "LeaveOut",
    "Mechanism",
    "Mode",
    "Question",
    "Release",
    "Response",
    "State",
    "Survey",
]
