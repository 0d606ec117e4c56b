"""The page of a receipt, and a survey's page of the credit that it gives."""

from weakref import WeakKeyDictionary

from django.core.files.uploadedfile import SimpleUploadedFile

from surveys.models import Survey
from tests.credit.receipts import make_receipt
from tests.security.addresses.row import of_survey, public
from tests.security.addresses.setting import Setting

_receipts: WeakKeyDictionary[Setting, str] = WeakKeyDictionary()


def _list(setting: Setting, survey: Survey) -> dict[str, SimpleUploadedFile]:
    """Return a list with a receipt that nobody has redeemed."""
    if setting not in _receipts:
        _receipts[setting] = make_receipt(survey)
    return {"file": SimpleUploadedFile("list.csv", f"Ana,{_receipts[setting]}".encode())}


ROWS = (
    *(
        public("credit", state=state, where=lambda _setting, survey: f"/credit/{survey.code}/", get=get)
        for state, get in (("with credit", 200), ("closed with credit", 200), ("open", 404), ("draft", 404))
    ),
    of_survey("survey-credit", "edit", state="closed with credit", post=200, body=_list),
    # Without a file, and without credit.
    of_survey("survey-credit", "edit", state="with credit", post=422, body={"file": "x"}, changes=False),
    of_survey("survey-credit", "edit", state="open", get=404, post=404, changes=False),
)
