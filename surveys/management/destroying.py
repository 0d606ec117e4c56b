"""What the commands that destroy something share: whether it is meant, and whether the files have forgotten it."""

from django.conf import settings
from django.core.management.base import CommandError

from surveys.models import Survey
from surveys.responses.services import erasing
from surveys.upkeep.services.backing_up import backups_in
from surveys.upkeep.services.housekeeping import STILL_HELD, log_words


def require_code(survey: Survey, *, to: str, refused: str, flag: str) -> None:
    """Let somebody type the join code; raises CommandError when they type anything else, or nobody is there."""
    try:
        typed = input(f"Type {survey.code} to {to} it: ")
    except EOFError:
        raise CommandError(f"Nobody is here to confirm: use {flag}.") from None
    if typed.strip().upper() != survey.code:
        raise CommandError(refused)


def require_erased(survey: Survey, *, done: str) -> str:
    """Return what to say when the files hold nothing of it any more, and which backups do; else raises CommandError."""
    if survey.erasures.exists() and not erasing.erase(patience=erasing.PATIENCE_OF_A_JOB) and survey.erasures.exists():
        raise CommandError(
            f"{survey.code}: {STILL_HELD}. Housekeeping goes on with it, at night while others wait;"
            f" `{settings.COMMAND} housekeeping --once --night` does so now."
        )
    backups = [
        kept.path.name
        for kept in backups_in(settings.BACKUP_DIR)
        if any(destroyed.key == survey.pk for destroyed in kept.destroyed)
    ]
    kept = f" In {settings.BACKUP_DIR} these do: {', '.join(backups)}." if backups else ""
    return f"{done}{kept}{log_words()}"
