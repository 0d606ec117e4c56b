"""What the commands that delete say of the database's files."""

from django.core.management.base import CommandError

from surveys.models import Survey
from surveys.services import erasing

IN_USE = (
    "the database’s files still hold what was deleted, because others are using them or they are large."
    " `manage.py purge` goes on with it, and `manage.py purge --however-long` lets others wait"
)


def require_erased(survey: Survey, *, done: str) -> str:
    """Return what to say when the files hold nothing of it any more; raises CommandError while they do."""
    if survey.erasures.exists() and not erasing.erase(patience=erasing.PATIENCE_OF_A_JOB) and survey.erasures.exists():
        raise CommandError(f"{survey.code}: {IN_USE}.")
    return done
