"""Making invitations: tokens are handed out once, only their hashes stay."""

import hashlib
import re
import secrets
from dataclasses import dataclass

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from surveys.drafts.services.surveys import NotAllowedNow
from surveys.models import Invitation, State, Survey
from surveys.models.invitation import TOKEN_LENGTH, token_hashes
from surveys.models.survey import CODE_ALPHABET
from surveys.numbers.words import with_commas

MOST_AT_ONCE = 2_000
MOST_IN_ALL = 20_000
_BATCH = re.compile(r"[A-Za-z0-9_-]{22}")
_STATES = {State.DRAFT, State.OPEN, State.PAUSED}


@dataclass(frozen=True, slots=True)
class Batch:
    """The tokens of one batch, in the order of its cards; `repeated` when the same request made them before."""

    tokens: tuple[str, ...]
    repeated: bool


def new_batch() -> str:
    """Return what a page sends along, so that sending it twice makes one batch."""
    return secrets.token_urlsafe(16)


@transaction.atomic
def invite(*, survey: Survey, number: int, batch: str) -> Batch:
    """Make `number` invitations, or return those that the same page has made: a reloaded page shows its cards again.

    Tokens are derived from the server's key and `batch`, which only that page holds, so nothing has to be kept to show
    them again, and nobody who has the database and the key alone can derive them.

    Raises
    ------
    ValidationError, NotAllowedNow
        Nothing is stored.
    """
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    _check(survey, number, batch)
    tokens = tuple(_token(survey.pk, batch, number, place) for place in range(number))
    hashes = [token_hashes(survey.pk, token)[0] for token in tokens]
    if Invitation.objects.filter(token_hash=hashes[0]).exists():
        return Batch(tokens, repeated=True)
    if survey.invitations.count() + number > MOST_IN_ALL:
        raise ValidationError(
            {"number": _("A survey can have at most %(most)s invitations.") % {"most": with_commas(MOST_IN_ALL)}}
        )
    # In the order of the hashes, which has nothing to do with the order of the cards.
    Invitation.objects.bulk_create(
        [Invitation(survey=survey, token_hash=token_hash) for token_hash in sorted(hashes)], batch_size=500
    )
    return Batch(tokens, repeated=False)


def _check(survey: Survey, number: int, batch: str) -> None:
    if not survey.by_invitation:
        raise NotAllowedNow(_("This survey is open to anyone with its link, so it has no invitations."))
    if survey.state not in _STATES:
        raise NotAllowedNow(_("This survey no longer accepts answers, so you can’t create invitations."))
    if not 1 <= number <= MOST_AT_ONCE:
        raise ValidationError({"number": _("Enter a number from 1 to %(most)s.") % {"most": with_commas(MOST_AT_ONCE)}})
    if not _BATCH.fullmatch(batch):
        raise ValidationError(_("The page’s one-time number is missing or damaged. Load the page again."))


def _token(survey_id: int, batch: str, number: int, place: int) -> str:
    key = hashlib.sha256(b"deniable.token\0" + settings.SECRET_KEY.encode()).digest()
    drawn = hashlib.blake2b(f"{survey_id}:{batch}:{number}:{place}".encode(), key=key, digest_size=32)
    # 256 bits are so many more than a token holds that no letter is likelier than another by more than 2⁻¹²⁷.
    value = int.from_bytes(drawn.digest(), "big")
    letters = []
    for _position in range(TOKEN_LENGTH):
        value, letter = divmod(value, len(CODE_ALPHABET))
        letters.append(CODE_ALPHABET[letter])
    return "".join(letters)
