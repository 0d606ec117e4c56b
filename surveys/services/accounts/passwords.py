"""Passwords: another one by mail, or by somebody who knows the old one; both end all other sign-ins."""

from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.db import transaction
from django.http import HttpRequest
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from surveys.models.account_names import folded
from surveys.services.accounts import mailing
from surveys.services.accounts.addresses import site_address
from surveys.services.accounts.notices import tell
from surveys.services.accounts.second_factor import allow_one_more_code
from surveys.services.accounts.signing_in import let_in_again
from surveys.services.accounts.signing_out import sign_out_everywhere
from surveys.services.accounts.tries import TooManyTries, Try, count_try, give_back

MAILS_A_WINDOW = 3


class LinkIsSpent(Exception):  # noqa: N818 - reads as a sentence where it is raised
    """The link was used, withdrawn or has expired; nothing was changed."""


def ask_for_reset(*, email: str, request: HttpRequest) -> None:
    """Send the owner of this address a link to another password; nobody else learns whether there is one.

    Whoever asks in the owner's stead fills the window with links that reach the owner, each good for longer than the
    window lasts. What was not sent does not count.
    """
    counted = counted_mail("reset", email)
    if counted is None:
        return
    # The request's address is read here: afterwards the request is gone.
    start = site_address(request)

    def answer() -> None:
        if not _send_links(email, start):
            give_back(counted)

    if not mailing.in_background(answer, what="reset"):
        give_back(counted)


def counted_mail(what: str, email: str) -> Try | None:
    """Count a mail of one kind that somebody asks for to an address, or return None: nobody fills another's mailbox.

    Each kind by itself: mails of one kind that strangers ask for must not keep another from its reader.
    """
    try:
        return count_try(what=f"mail.{what}", name=folded(email), limit=MAILS_A_WINDOW)
    except TooManyTries:
        return None


@transaction.atomic
def reset_password(*, user: User, token: str, password: str) -> User:
    """Store another password for whoever brings this token; raises LinkIsSpent for the second of two at once."""
    user = User.objects.select_for_update().get(pk=user.pk)
    if not default_token_generator.check_token(user, token):
        raise LinkIsSpent
    return set_password(user=user, password=password)


@transaction.atomic
def set_password(*, user: User, password: str, except_key: str | None = None) -> User:
    """Store another password, end all sign-ins but one, and lift what failed tries have closed."""
    user = User.objects.select_for_update().get(pk=user.pk)
    user.set_password(password)
    user.save(update_fields=["password"])
    sign_out_everywhere(user=user, except_key=except_key)
    let_in_again(user=user)
    allow_one_more_code(user=user)
    transaction.on_commit(lambda: tell(user=user, what="password_changed"))
    return user


def _send_links(email: str, start: str) -> bool:
    """Mail a link to each account of this address; return whether all that there are went out."""
    sent = True
    for user in User.objects.filter(email__iexact=email, is_active=True):
        # Letters that only look alike after folding are another person's address.
        if user.has_usable_password() and folded(user.email) == folded(email):
            uid = urlsafe_base64_encode(force_bytes(user.pk))
            path = reverse("password-reset-confirm", args=[uid, default_token_generator.make_token(user)])
            sent &= mailing.send(template="reset", to=user.email, username=user.get_username(), link=f"{start}{path}")
    return sent
