"""What a closed survey shows separately, decided once and stored."""

from surveys.common.selectors import definition_of
from surveys.models import State, Survey
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.responses.told import partition_of


def keep_partition(survey: Survey) -> None:
    """Store what a closed survey shows separately, unless that has been done; in a rehearsal nobody is real."""
    if survey.state != State.CLOSED or survey.is_rehearsal or survey.partition is not None:
        return
    definition = definition_of(survey)
    decided = partition_of(definition, snapshot_of(survey, definition)).document
    Survey.objects.filter(pk=survey.pk, state=State.CLOSED, partition__isnull=True).update(partition=decided)
    survey.refresh_from_db(fields=["partition"])
