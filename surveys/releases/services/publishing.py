"""Whether a release is shown to everybody: all of it that ever changes, and each change is a line of the ledger."""

from django.contrib.auth.models import User
from django.db import transaction

from surveys.models import LedgerEntry, Release
from surveys.releases.ledger import services


def publish(*, release: Release, user: User) -> None:
    """Show a release to everybody, at its address and in the list of the survey's published releases."""
    _show(release, user, LedgerEntry.Kind.PUBLISH)


def withdraw(*, release: Release, user: User) -> None:
    """Hide a release again; it has been paid for all the same."""
    _show(release, user, LedgerEntry.Kind.WITHDRAW)


@transaction.atomic
def _show(release: Release, user: User, kind: LedgerEntry.Kind) -> None:
    """Write the line, which shows or hides the release; nothing where that is so already."""
    budget = services.locked(release.survey)
    # Only now: whoever was at it has had the last word.
    if budget is None or Release.objects.get(pk=release.pk).published == (kind == LedgerEntry.Kind.PUBLISH):
        return
    services.write_publication(budget, kind=kind, release=release, user=user)
