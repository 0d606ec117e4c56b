"""Sealing a closed survey, for good: only sums are left of what came in."""

from django.db import transaction
from django.utils.translation import gettext as _

from surveys.models import Invitation, SpentNonce, State, Survey
from surveys.selectors import cells, responses
from surveys.services import erasing, folding
from surveys.services.folding import Keep
from surveys.services.surveys import NotAllowedNow


@transaction.atomic
def seal_survey(*, survey: Survey, pairs_only: bool = False) -> Survey:
    """Fold what is left, destroy nonces, invitations and modes, then write the files anew; cannot be taken back.

    `pairs_only` keeps how often each report came, and each pair of reports to two items, and no whole response.
    Where others keep the files as they are, that stays due. Raises `NotAllowedNow` for any survey that is not closed.
    """
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    if survey.state != State.CLOSED:
        raise NotAllowedNow(_("Only a closed survey can be sealed."))
    folding.fold(survey=survey, everything=True, keep=Keep.PAIRS if pairs_only else Keep.REPORTS)
    erasing.overwrite_what_is_deleted()
    SpentNonce.objects.filter(survey=survey).delete()
    Invitation.objects.filter(survey=survey).delete()
    survey.state = State.SEALED
    survey.save()
    # What this process had counted before may hold more.
    transaction.on_commit(responses.forget)
    transaction.on_commit(cells.forget)
    return survey
