"""Sealing a closed survey, for good: only sums are left of what came in."""

from django.db import transaction
from django.utils.translation import gettext as _

from surveys.models import Invitation, SpentNonce, State, Survey
from surveys.services import erasing, folding
from surveys.services.surveys import NotAllowedNow


@transaction.atomic
def seal_survey(*, survey: Survey) -> Survey:
    """Fold what is left, destroy nonces and invitations, then write the files anew; cannot be taken back.

    Where others keep the files as they are, that stays due. Raises `NotAllowedNow` for any survey that is not closed.
    """
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    if survey.state != State.CLOSED:
        raise NotAllowedNow(_("Only a closed survey can be sealed."))
    folding.fold(survey=survey, everything=True)
    erasing.overwrite_what_is_deleted()
    SpentNonce.objects.filter(survey=survey).delete()
    Invitation.objects.filter(survey=survey).delete()
    survey.state = State.SEALED
    survey.save()
    return survey
