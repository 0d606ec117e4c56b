"""Which account here a person's account at the provider signs in to, and who may make one by it."""

from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.http import is_same_domain

from surveys.accounts.selectors import has_account
from surveys.accounts.services.mails import tell
from surveys.accounts.services.provider import Identity, NotSignedIn, Refused, all_claims
from surveys.accounts.services.sign_up import accept, make_account
from surveys.models import ProviderAccount, SignUpInvitation
from surveys.models.hashing import keyed_hash, keyed_hashes

_PURPOSE = "provider"


def subject_hash(identity: Identity) -> bytes:
    return keyed_hash(_PURPOSE, _named(identity))


def _named(identity: Identity) -> str:
    return f"{settings.OIDC_ISSUER}\0{identity.subject}"


def person_behind(identity: Identity) -> User | None:
    """Return whose account it is, or None where nobody has connected it.

    Raises
    ------
    Refused
        The account is deactivated; strangers are refused in the same words.
    """
    hashes = keyed_hashes(_PURPOSE, _named(identity))
    row = (
        ProviderAccount.objects.select_related("user")
        .filter(issuer=settings.OIDC_ISSUER, subject_hash__in=hashes)
        .first()
    )
    if row is None:
        return None
    if bytes(row.subject_hash) != hashes[0]:
        # Found by an earlier key, which can be retired once everybody has signed in with this one.
        ProviderAccount.objects.filter(pk=row.pk).update(subject_hash=hashes[0])
    user: User = row.user
    if not user.is_active:
        raise Refused(NotSignedIn.NO_ACCOUNT)
    return user


def require_admitted(identity: Identity) -> None:
    """Refuse people who may not make an account without an invitation.

    Raises
    ------
    Refused
        They are neither of a domain nor of the group that the operator has named, or somebody has an account with
        their email address: it is not theirs before they have signed in to it.
    """
    if not (settings.OIDC_DOMAINS or settings.OIDC_GROUP):
        raise Refused(NotSignedIn.NO_ACCOUNT)
    claims = all_claims(identity)
    address = claims.get("email")
    # A provider may let people type any address, and says so.
    proven = address if isinstance(address, str) and claims.get("email_verified") is True else ""
    domain = proven.rpartition("@")[2].lower()
    by_domain = any(is_same_domain(domain, allowed) for allowed in settings.OIDC_DOMAINS)
    if not (by_domain or _is_in_the_group(claims)):
        raise Refused(NotSignedIn.NO_ACCOUNT)
    if proven and has_account(proven):
        raise Refused(NotSignedIn.SAME_ADDRESS)


def _is_in_the_group(claims: dict[str, object]) -> bool:
    if settings.OIDC_GROUP is None:
        return False
    name, wanted = settings.OIDC_GROUP
    held = claims.get(name)
    return held == wanted or (isinstance(held, list) and wanted in held)


@dataclass(frozen=True, slots=True)
class NewPerson:
    """Somebody who may make an account: by an invitation, or as the provider describes them."""

    subject_hash: bytes
    invitation: SignUpInvitation | None


@transaction.atomic
def make_connected_account(*, person: NewPerson, username: str) -> User:
    """Make an account without a password that this account at the provider signs in to.

    Raises
    ------
    LinkIsSpent, ValidationError
        The invitation was used, or the username is taken; nothing is stored.
    Refused
        Another account was connected meanwhile.
    """
    if person.invitation is not None:
        user = accept(invitation=person.invitation, username=username, password=None)
    else:
        user = make_account(username=username, email="", password=None)
    _store(user, person.subject_hash)
    return user


@transaction.atomic
def connect(*, user: User, subject_hash: bytes) -> None:
    """Let this account at the provider sign in to a person's account, and tell its owner; raises Refused."""
    _store(user, subject_hash)
    tell(user=user, what="provider_connected", provider=settings.OIDC_NAME)


@transaction.atomic
def disconnect(*, user: User) -> None:
    if ProviderAccount.objects.filter(user_id=user.pk).delete()[0]:
        tell(user=user, what="provider_disconnected", provider=settings.OIDC_NAME)


def _store(user: User, subject_hash: bytes) -> None:
    try:
        with transaction.atomic():
            # One of an earlier provider, or of a key that was retired, signs nobody in any more.
            ProviderAccount.objects.update_or_create(
                user=user, defaults={"issuer": settings.OIDC_ISSUER, "subject_hash": subject_hash}
            )
    except IntegrityError:
        raise Refused(NotSignedIn.TAKEN) from None
