"""What the commands that destroy something share: which survey is meant, and whether whoever runs them means it."""

from django.core.management.base import CommandError

from surveys import selectors
from surveys.models import Survey


def survey_called(code: str) -> Survey:
    """Return the survey with this join code; raises CommandError."""
    try:
        return Survey.objects.get(pk=selectors.survey_by_code(code).pk)
    except Survey.DoesNotExist:
        raise CommandError(f"There is no survey with the code {code}.") from None


def require_code(survey: Survey, *, to: str, refused: str, flag: str) -> None:
    """Let somebody type the join code; raises CommandError when they type anything else, or nobody is there."""
    try:
        typed = input(f"Type {survey.code} to {to} it: ")
    except EOFError:
        raise CommandError(f"Nobody is here to confirm: use {flag}.") from None
    if typed.strip().upper() != survey.code:
        raise CommandError(refused)
