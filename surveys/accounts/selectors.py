"""Reading accounts: sign-ins, two-factor authentication, invitations to sign up."""

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY, REDIRECT_FIELD_NAME
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.http import url_has_allowed_host_and_scheme

from surveys.models import AccountName, ProviderAccount, RecoveryCodes, SecondFactor, SignIn, SignUpInvitation
from surveys.models.account_names import fold_name, skeleton
from surveys.models.hashing import keyed_hashes


def second_factor_of(user: User) -> SecondFactor | None:
    """Return the person's authenticator app, if they have confirmed one."""
    device: SecondFactor | None = SecondFactor.objects.filter(user_id=user.pk, confirmed=True).order_by("pk").first()
    return device


def recovery_codes_of(user: User) -> RecoveryCodes | None:
    holder: RecoveryCodes | None = RecoveryCodes.objects.filter(user_id=user.pk, confirmed=True).order_by("pk").first()
    return holder


def recovery_codes_left(user: User) -> int:
    codes = recovery_codes_of(user)
    return codes.token_set.count() if codes else 0


def sign_ins_of(user: User) -> list[SignIn]:
    """Return where the person is signed in, the latest first; a session from before another password is none."""
    rows = SignIn.objects.filter(user_id=user.pk, expire_date__gt=timezone.now()).order_by("-signed_in_at", "pk")
    valid = [user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()]
    return [row for row in rows if _holds_one_of(row, valid)]


def provider_account_of(user: User) -> ProviderAccount | None:
    """Return by which account at the provider somebody signs in; at an earlier provider nobody can."""
    return ProviderAccount.objects.filter(user_id=user.pk, issuer=settings.OIDC_ISSUER).first()


def signs_in_by_password(user: User) -> bool:
    """Whether the person has a password, and signs in by it."""
    return bool(settings.PASSWORD_SIGN_IN) and user.has_usable_password()


def usable_invitations() -> QuerySet[SignUpInvitation]:
    """Return the invitations that still lead to an account: none of an admin who may not come in themselves."""
    good = SignUpInvitation.objects.filter(used_at=None, expires_at__gt=timezone.now())
    return good.exclude(invited_by__is_active=False)


def invitation_behind(token: str) -> SignUpInvitation | None:
    return usable_invitations().filter(token_hash__in=keyed_hashes("sign-up", token)).first()


def person_called(name: str) -> User | None:
    """Return who has this name, in whatever letter case it was typed; nobody else is found by a name like theirs."""
    alike = AccountName.objects.select_related("user").filter(skeleton=skeleton(name)).first()
    user: User | None = alike.user if alike is not None else None
    return user if user is not None and fold_name(user.get_username()) == fold_name(name) else None


def has_account(email: str) -> bool:
    """Return whether anybody has an account with this email address, in whatever letters it was written."""
    return User.objects.filter(email__iexact=email).exists()


def asked_for(request: HttpRequest) -> str:
    """Return where the visitor wants to go after signing in, if that is a page of this site; else nothing."""
    address = request.GET.get(REDIRECT_FIELD_NAME, "")
    safe = url_has_allowed_host_and_scheme(address, {request.get_host()}, require_https=request.is_secure())
    return address if safe else ""


def _holds_one_of(row: SignIn, hashes: list[str]) -> bool:
    held = row.get_decoded().get(HASH_SESSION_KEY, "")
    return any(constant_time_compare(held, valid) for valid in hashes)
