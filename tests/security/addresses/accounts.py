"""Signing up, in and out, and people's own accounts."""

from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from surveys.accounts.services.sign_up import invite_instructor
from surveys.models import Survey
from tests.factories import PASSWORD
from tests.security.addresses.row import Row, personal, public
from tests.security.addresses.setting import Setting

_OUTSIDE = {"anonymous": 200, "deactivated": 200, "others": 302}
_CLOSED = {"anonymous": 403, "deactivated": 403, "others": 302}
_SPENT = {"anonymous": 410, "deactivated": 410, "others": 302}
_REDIRECTED = {"anonymous": 405, "deactivated": 405, "others": 302}
_links: WeakKeyDictionary[Setting, str] = WeakKeyDictionary()


def _invitation(setting: Setting, _survey: Survey) -> str:
    """Return where an invitation leads that nobody has used."""
    if setting not in _links:
        _links[setting] = urlsplit(invite_instructor(email="new@example.org", mail=False).link).path
    return _links[setting]


ROWS: tuple[Row, ...] = (
    public(
        "login",
        get=_OUTSIDE,
        post=_OUTSIDE,
        changes=False,
        # Who is signed in is sent on whatever they ask.
        more=dict.fromkeys(("PUT", "PATCH", "DELETE", "OPTIONS"), _REDIRECTED),
    ),
    # Nobody here has shown a password and not yet a code: tests/accounts/ knows who has.
    public("sign-in-code", get=302, post=302, body={"code": "123456"}, changes=False),
    public("logout", get=None, post=302, changes=False, more={"OPTIONS": 200}),
    public("sign-up", get=_CLOSED, post=_CLOSED, body={"email": "new@example.org"}, changes=False),
    public("sign-up-sent", get=_OUTSIDE),
    public(
        "sign-up-invited",
        where=_invitation,
        get=_OUTSIDE,
        post=302,
        body={"username": "the.new.one", "password1": PASSWORD, "password2": PASSWORD},
        actor="anonymous",
    ),
    public("sign-up-invited", extra=("A" * 26,), get=_SPENT, post=_SPENT, changes=False),
    # Here there is no provider: tests/accounts/ knows what there is with one.
    *(public(name, get=404) for name in ("provider-start", "provider-back", "provider-signed-out")),
    public("provider-sign-up", get=404, post=404, changes=False),
    public("provider-invited", extra=("A" * 26,), get=404),
    *(personal(name, get=404) for name in ("provider-connect", "provider-confirm")),
    personal("provider-account", get=404, post=404, changes=False),
    public("password-reset", post=302, body={"email": "owner@example.org"}),
    public("password-reset-sent"),
    public("password-reset-confirm", extra=("MQ", "x-y"), get=410, post=410, changes=False),
    personal("password-change", post=422, changes=False),
    personal("account"),
    personal("account-sign-out", get=None, post=302, body={"which": "all"}, changes=False),
    personal("two-factor", post=422, changes=False),
    # Without a second factor there is nothing to change about it.
    personal("two-factor-codes", get=302, post=302, changes=False),
    personal("two-factor-off", get=302, post=302, changes=False),
)
