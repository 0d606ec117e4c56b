"""Making invitations: tokens are handed out once, on a page or in emails, and only their hashes stay."""

import hashlib
import re
import secrets
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from surveys.accounts.services import mails
from surveys.accounts.services.sign_in import TooManyTries, count_try, give_back
from surveys.common.selectors import definition_of
from surveys.drafts.services.surveys import NotAllowedNow
from surveys.models import Invitation, State, Survey
from surveys.models.invitation import TOKEN_LENGTH, token_hashes
from surveys.models.survey import CODE_ALPHABET
from surveys.numbers.words import with_commas
from surveys.responses.services import erasing

MOST_AT_ONCE = 2_000
MOST_IN_ALL = 20_000
_BATCH = re.compile(r"[A-Za-z0-9_-]{22}")


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
    stored = {bytes(token_hash): spent for token_hash, spent in survey.invitations.values_list("token_hash", "spent")}
    if not stored.keys().isdisjoint(hashes):
        return Batch(tokens, repeated=True)
    if len(stored) + number > MOST_IN_ALL:
        raise ValidationError(
            {
                "number": _("A survey can have at most %(most)s invitations. Enter a smaller number.")
                % {"most": with_commas(MOST_IN_ALL)}
            }
        )
    # All of them anew in the order of their hashes: it reveals neither the cards' order nor which were made together.
    stored |= dict.fromkeys(hashes, False)
    _forget_deleted(survey)
    survey.invitations.all().delete()
    Invitation.objects.bulk_create(
        [Invitation(survey=survey, token_hash=token_hash, spent=stored[token_hash]) for token_hash in sorted(stored)],
        batch_size=500,
    )
    return Batch(tokens, repeated=False)


def _forget_deleted(survey: Survey) -> None:
    """Erase deleted rows from the files, because next to the new rows they would show which invitations are new."""
    erasing.overwrite_what_is_deleted()
    erasing.erase_when_committed(survey, rewriting=False)


def _check(survey: Survey, number: int, batch: str) -> None:
    if not survey.by_invitation:
        raise NotAllowedNow(_("This survey is open to anyone with its link, so it has no invitations."))
    if not survey.is_joinable:
        raise NotAllowedNow(_("This survey no longer accepts answers, so you can’t create invitations."))
    if not 1 <= number <= MOST_AT_ONCE:
        raise ValidationError({"number": _("Enter a number from 1 to %(most)s.") % {"most": with_commas(MOST_AT_ONCE)}})
    _check_batch(batch)


def _check_batch(batch: str) -> None:
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


# Mailing invitations to addresses that are stored nowhere: docs/decisions/0076-mailed-invitations.md.


MOST_ADDRESSES = 100
SENDS_A_WINDOW = 5
# The sender waits for the page that lists unsent addresses, and a proxy gives up after a while.
_SECONDS = 60


def may_mail(survey: Survey) -> bool:
    """Whether invitations can be sent by email now: links work at once, and there is a mail server."""
    return survey.by_invitation and survey.state == State.OPEN and mails.leave_this_machine()


def mail_invitations(
    *, survey: Survey, by: User, addresses: Sequence[str], batch: str, start: str, group: str = ""
) -> list[str]:
    """Send each address one invitation, and return those that could not be reached: their invitations are gone.

    `start` is what the links begin with; `batch` comes from the page, which sends once.

    Raises
    ------
    ValidationError, NotAllowedNow
        Nothing is stored or sent.
    """
    if not may_mail(survey):
        raise NotAllowedNow(_("Invitations can be emailed only while the survey is open."))
    _check_batch(batch)
    try:
        once = count_try(what="mailed-invitations-page", name=f"{survey.pk} {batch}", limit=1)
    except TooManyTries:
        raise NotAllowedNow(
            _("This page has already sent its invitations. Any unsent addresses were listed once, right after sending.")
        ) from None
    try:
        count_try(what="mailed-invitations-by", name=str(by.pk), limit=SENDS_A_WINDOW)
        # With a number of its own, these tokens are never made again, neither as cards nor for other addresses.
        tokens = list(invite(survey=survey, number=len(addresses), batch=new_batch()).tokens)
    except TooManyTries:
        give_back(once)
        raise ValidationError(
            {"addresses": _("You have just sent too many emails. Try again in 15 minutes.")}
        ) from None
    except (ValidationError, NotAllowedNow):
        give_back(once)
        raise
    secrets.SystemRandom().shuffle(tokens)
    unsent = _mail(survey, dict(zip(addresses, tokens, strict=True)), who=by.get_username(), start=start, group=group)
    _remove(survey, unsent.values())
    return list(unsent)


def answer_path(survey: Survey, *further: str) -> str:
    """Return where respondents find the survey, or what stands behind it: a group's place, an invitation's."""
    return reverse("answer", args=[survey.code]) + "".join(f"{part}/" for part in further)


def invitation_path(survey: Survey, token: str, group: str = "") -> str:
    return answer_path(survey, *([group] if group else []), "i", token)


def _mail(survey: Survey, tokens: dict[str, str], *, who: str, start: str, group: str) -> dict[str, str]:
    """Send each token to its address, and return those that were not sent."""
    unsent, latest = dict(tokens), time.monotonic() + _SECONDS
    context = {"survey": survey, "definition": definition_of(survey), "who": who}
    with translation.override(survey.language), mails.one_connection() as connection:
        for address, token in tokens.items():
            if time.monotonic() > latest:
                break
            link = start + invitation_path(survey, token, group)
            if mails.send(template="survey_invitation", to=address, over=connection, link=link, **context):
                del unsent[address]
    return unsent


@transaction.atomic
def _remove(survey: Survey, tokens: Collection[str]) -> None:
    # A fold writes invitations anew, and not while this row is locked.
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    _forget_deleted(survey)
    hashes = [token_hash for token in tokens for token_hash in token_hashes(survey.pk, token)]
    survey.invitations.filter(token_hash__in=hashes, spent=False).delete()
