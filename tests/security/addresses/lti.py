"""What course platforms send people to: without a launch nobody gets far; tests/lti/ knows what there is with one."""

from weakref import WeakKeyDictionary

from surveys.models import Survey
from tests.credit.receipts import closed_with_credit
from tests.security.addresses.row import public
from tests.security.addresses.setting import Setting

_with_credit: WeakKeyDictionary[Setting, Survey] = WeakKeyDictionary()


def _redeeming(setting: Setting, _survey: Survey) -> str:
    if setting not in _with_credit:
        _with_credit[setting] = closed_with_credit()
    return f"/lti/redeem/{_with_credit[setting].code}/"


ROWS = (
    public("lti-login", get=400, post=400, body={"iss": "https://moodle.example.org"}, changes=False),
    public("lti-launch", get=None, post=400, body={"state": "x", "id_token": "x"}, changes=False),
    public("lti-keys"),
    public("lti-redeem", where=_redeeming, get=403, post=403, body={"receipt": "A" * 427}, changes=False),
    public("lti-redeem", extra=("NQPE23",), get=404, post=404, changes=False),
    public("lti-deep-link", get=400, post=400, body={"code": "NQPE23"}, changes=False),
    public("lti-register", extra=("x",), get=410),
)
