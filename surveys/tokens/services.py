"""Making, using and revoking access tokens."""

import datetime as dt
import secrets

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from surveys.accounts.services.mails import tell
from surveys.accounts.services.sign_in import TRIES_A_WINDOW, count_try
from surveys.drafts.services.surveys import NotAllowedNow
from surveys.models import AccessToken, Role, State, Survey
from surveys.models.access_token import PREFIX, TOKEN_BYTES, access_token_hashes, valid_tokens

MOST_TOKENS = 20


@transaction.atomic
def make_token(*, survey: Survey, maker: User, label: str, days: int) -> str:
    """Return a new token, this once, and notify its maker by email.

    Raises ValidationError naming the field, or NotAllowedNow; nothing is stored then.
    """
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    if survey.state == State.PURGED:
        raise NotAllowedNow(_("This survey’s reports have already been deleted."))
    owns = survey.owner_id == maker.pk
    role = None if owns else survey.memberships.filter(user=maker, role=Role.ANALYST).first()
    if not owns and role is None:
        raise NotAllowedNow(_("Only people who can see the results can create access tokens."))
    today = timezone.localdate()
    forget_ended_tokens(today=today)
    if survey.access_tokens.count() >= MOST_TOKENS:
        raise ValidationError(
            _("A survey can have at most %(most)s access tokens. Revoke one first.") % {"most": MOST_TOKENS}
        )
    if survey.access_tokens.filter(label=label).exists():
        raise ValidationError({"label": _("This survey already has a token with this name. Enter another name.")})
    token = PREFIX + secrets.token_hex(TOKEN_BYTES)
    survey.access_tokens.create(
        maker=maker,
        role=role,
        label=label,
        token_hash=access_token_hashes(token)[0],
        made_on=today,
        expires_on=today + dt.timedelta(days=days),
    )
    # Whoever found a session open may have made it.
    tell(user=maker, what="token_made", code=survey.code)
    return token


def use_token(*, token: str, code: str) -> AccessToken | None:
    """Return the access token, with its maker and survey, and note the day; None where no valid one is so written.

    Raises TooManyTries after as many wrong ones for a code as wrong passwords for a name. It is looked up first: what
    strangers send keeps no program out.
    """
    today = timezone.localdate()
    hashes = access_token_hashes(token)
    found = valid_tokens(today).filter(token_hash__in=hashes).select_related("maker", "survey").first()
    if found is None:
        count_try(what="access-token", name=code.upper(), limit=TRIES_A_WINDOW)
    elif found.last_used_on != today:
        AccessToken.objects.filter(pk=found.pk).update(last_used_on=today)
    return found


def revoke_token(*, survey: Survey, key: str) -> None:
    """End the token with this primary key; one that is gone already stays gone."""
    survey.access_tokens.filter(
        pk__in=[token.pk for token in survey.access_tokens.all() if str(token.pk) == key]
    ).delete()


def forget_ended_tokens(*, today: dt.date) -> None:
    """Delete the tokens that have ended: whoever may sign in again later does not find theirs valid again."""
    AccessToken.objects.exclude(pk__in=valid_tokens(today).values("pk")).delete()
