"""Mails to people about what was done to their own account: whoever did not do it learns of it."""

from django.contrib.auth.models import User

from surveys.services.accounts import mailing


def tell(*, user: User, what: str, **context: object) -> None:
    """Send one of the notices, if the person has a mail address."""
    if user.email:
        mailing.in_background(
            lambda: mailing.send(template=what, to=user.email, username=user.get_username(), **context), what="notice"
        )
