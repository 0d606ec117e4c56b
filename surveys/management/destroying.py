"""What the commands that destroy something share: which survey is meant, and whether whoever runs them means it."""

from django.conf import settings
from django.core.management.base import CommandError

from surveys.common.selectors import survey_by_code
from surveys.models import Survey
from surveys.models.erasure import leaves_a_log
from surveys.responses.services import erasing
from surveys.upkeep.services.backing_up import backups_in


def survey_called(code: str) -> Survey:
    """Return the survey with this join code; raises CommandError."""
    try:
        return Survey.objects.get(pk=survey_by_code(code).pk)
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


# What the commands that delete say of the database's files.


IN_USE = (
    "the database’s files still hold what was deleted, because others are using them or they are large."
    " `manage.py purge` goes on with it, and `manage.py purge --however-long` lets others wait"
)
_LOG = (
    "\nPostgreSQL’s write-ahead log still holds it until it is written over:"
    " docs/deployment.md says how to hasten that."
)


def log_words() -> str:
    """Say what the tables' files no longer hold and the database's log still does, if it keeps one."""
    return _LOG if leaves_a_log() else ""


def require_erased(survey: Survey, *, done: str) -> str:
    """Return what to say when the files hold nothing of it any more, and which backups do; else raises CommandError."""
    if survey.erasures.exists() and not erasing.erase(patience=erasing.PATIENCE_OF_A_JOB) and survey.erasures.exists():
        raise CommandError(f"{survey.code}: {IN_USE}.")
    backups = [
        kept.path.name
        for kept in backups_in(settings.BACKUP_DIR)
        if any(destroyed.key == survey.pk for destroyed in kept.destroyed)
    ]
    kept = f" In {settings.BACKUP_DIR} these do: {', '.join(backups)}." if backups else ""
    return f"{done}{kept}{log_words()}"
