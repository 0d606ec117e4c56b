"""What a survey has that sealing, purging or deleting it would destroy, end or leave: numbers, never reports."""

from dataclasses import dataclass

from surveys.models import Budget, Invitation, Release, Survey
from surveys.models.units import MICRO
from surveys.selectors.responses import standing_of


@dataclass(frozen=True, slots=True)
class Losses:
    """Everything of one survey that its author may be asked to give up."""

    responses: int
    patterns: int  # different combinations of reports that are counted
    invitations: int
    releases: int  # drawn and charged
    published: int  # of these, those that everybody may see
    unspent: float  # central ε of the budget that nothing has been charged to yet
    questions: int
    groups: int
    saves: int
    people: int


def losses_of(survey: Survey) -> Losses:
    """Return what there is now."""
    standing = standing_of(survey)
    releases = Release.objects.filter(survey_id=survey.pk, entry__isnull=False)
    budget = Budget.objects.filter(survey_id=survey.pk).first()
    return Losses(
        responses=standing.received,
        patterns=standing.patterns,
        invitations=Invitation.objects.filter(survey_id=survey.pk).count(),
        releases=releases.count(),
        published=releases.filter(published=True).count(),
        unspent=(budget.total_micro_epsilon - budget.spent_micro_epsilon) / MICRO if budget else 0.0,
        questions=survey.questions.count(),
        groups=survey.groups.count(),
        saves=survey.saved_versions.count(),
        people=survey.memberships.values("user").distinct().count(),
    )
