"""What may be known of invitations: whether one can still be used, and about how many have been."""

from dataclasses import dataclass
from typing import Literal

from django.db.models import Count, Q

from surveys.models import Invitation, State, Survey
from surveys.models.invitation import token_hashes

InvitationState = Literal["unused", "spent", "unknown"]


@dataclass(frozen=True, slots=True)
class InvitationCounts:
    """How many invitations there are, and how many of them were used at least.

    While answers come in, `used` is rounded down to full batches of the survey's minimum n, so that nobody who watches
    it sees a single invitation being used. Afterwards it is exact.
    """

    made: int
    used: int
    batch: int
    exact: bool

    @property
    def unused(self) -> int:
        """How many are left: at most, unless the counts are exact."""
        return self.made - self.used


def invitation_state(survey: Survey, token: str) -> InvitationState:
    """Return whether this token can still be used; what no card of ours says is unknown without looking."""
    hashes = token_hashes(survey.pk, token)
    if not hashes:
        return "unknown"
    found = Invitation.objects.filter(survey_id=survey.pk, token_hash__in=hashes).values_list("spent", flat=True)
    spent = found.first()
    if spent is None:
        return "unknown"
    return "spent" if spent else "unused"


def invitation_counts(survey: Survey) -> InvitationCounts:
    """Return what the survey's owner may see of its invitations."""
    counted = Invitation.objects.filter(survey_id=survey.pk).aggregate(
        made=Count("pk"), used=Count("pk", filter=Q(spent=True))
    )
    exact = survey.state not in {State.OPEN, State.PAUSED}
    used = counted["used"] if exact else counted["used"] // survey.minimum_n * survey.minimum_n
    return InvitationCounts(made=counted["made"], used=used, batch=survey.minimum_n, exact=exact)
