"""What is stored: surveys, responses, releases."""

from surveys.models.access_token import AccessToken
from surveys.models.accounts import AccountName, ProviderAccount, RecoveryCodes, SecondFactor, SignUpInvitation, Tries
from surveys.models.budget import Budget, LedgerEntry
from surveys.models.concentrated import ConcentratedBudget, ConcentratedCharge
from surveys.models.credit import CoursePlatform, CreditKey, Decline, SpentReceipt, ToolKey, WaitingScore
from surveys.models.housekeeping import Erasure, LastRun, WaitingMail
from surveys.models.invitation import Invitation
from surveys.models.lesson import Lesson, LessonFinding
from surveys.models.membership import Membership, Right, Role, RoleInvitation
from surveys.models.proposal import Proposal
from surveys.models.rehearsal import Rehearsal
from surveys.models.release import Mechanism, Release, ReleasePart
from surveys.models.response import CellCount, FoldedPart, Mode, PatternCount, Response, SpentNonces
from surveys.models.saved_version import SavedVersion
from surveys.models.sessions import SignIn
from surveys.models.survey import ExactFigures, Group, State, Survey

__all__ = [
    "AccessToken",
    "AccountName",
    "Budget",
    "CellCount",
    "ConcentratedBudget",
    "ConcentratedCharge",
    "CoursePlatform",
    "CreditKey",
    "Decline",
    "Erasure",
    "ExactFigures",
    "FoldedPart",
    "Group",
    "Invitation",
    "LastRun",
    "LedgerEntry",
    "Lesson",
    "LessonFinding",
    "Mechanism",
    "Membership",
    "Mode",
    "PatternCount",
    "Proposal",
    "ProviderAccount",
    "RecoveryCodes",
    "Rehearsal",
    "Release",
    "ReleasePart",
    "Response",
    "Right",
    "Role",
    "RoleInvitation",
    "SavedVersion",
    "SecondFactor",
    "SignIn",
    "SignUpInvitation",
    "SpentNonces",
    "SpentReceipt",
    "State",
    "Survey",
    "ToolKey",
    "Tries",
    "WaitingMail",
    "WaitingScore",
]
