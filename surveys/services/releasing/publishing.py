"""Whether a release is shown to everybody, which is all of it that ever changes."""

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.db import transaction

from surveys.models import Release


@transaction.atomic
def publish(*, release: Release, user: User) -> None:
    """Show a release to everybody, at its address and in the list of the survey's published releases."""
    Release.objects.filter(pk=release.pk).update(published=True)
    _log(user, release, "Published.")


@transaction.atomic
def withdraw(*, release: Release, user: User) -> None:
    """Hide a release again; it has been paid for all the same."""
    Release.objects.filter(pk=release.pk).update(published=False)
    _log(user, release, "Withdrawn; the charge stays.")


def _log(user: User, release: Release, message: str) -> None:
    # In one language for everybody who reads it, whatever the person at work reads.
    LogEntry.objects.log_actions(
        user_id=user.pk, queryset=[release], action_flag=CHANGE, change_message=message, single_object=True
    )
