"""A survey's own page, and its course from draft to purged; groups and invitations go with it."""

from surveys.models import Survey
from surveys.sharing.services import new_batch
from tests.security.addresses.row import Row, of_survey
from tests.security.addresses.setting import Setting


def _code(_setting: Setting, survey: Survey) -> dict[str, str]:
    return {"code": survey.code}


ROWS: tuple[Row, ...] = (
    of_survey("survey-detail", "see"),
    of_survey("survey-detail", "see", state="closed"),
    of_survey("survey-open", "edit", post=302),
    of_survey("survey-pause", "edit", state="open", get=None, post=302),
    of_survey("survey-close", "edit", state="open", post=302),
    of_survey("survey-schedule", "edit", state="open", post=302, body={"closes_at": "2999-01-01T12:00"}),
    of_survey("survey-next-version", "edit", state="closed", get=None, post=302),
    of_survey("survey-archive", "edit", state="closed", get=None, post=302),
    of_survey("survey-archive", "edit", state="archived", get=None, post=302, body={"action": "unarchive"}),
    of_survey("survey-result-show", "show", state="closed", get=None, post=302),
    of_survey("survey-result-hide", "show", state="shown", get=None, post=302),
    of_survey("survey-seal", "edit", state="closed", post=302, body=_code),
    of_survey("survey-purge", "own", state="closed", post=302, body=_code),
    of_survey("survey-purge", "own", state="sealed", post=302, body=_code),
    of_survey(
        "survey-purge-day",
        "own",
        state="open",
        post=302,
        body=lambda _setting, survey: {"code": survey.code, "purge_on": "2999-01-01"},
    ),
    of_survey("survey-delete", "own", post=302, body=_code),
    of_survey("survey-groups", "edit", state="open", post=302, body={"action": "add", "name": "South"}),
    of_survey("survey-invitations", "edit", state="open", post=422, changes=False),
    of_survey(
        "survey-invitations",
        "edit",
        state="by invitation",
        post=200,
        body=lambda *_: {"number": "2", "batch": new_batch()},
    ),
    of_survey(
        "survey-invitations-mail",
        "edit",
        state="by invitation",
        get=None,
        post=302,
        body=lambda *_: {"addresses": "somebody@example.org", "batch": new_batch()},
    ),
    of_survey("survey-invitations-mail", "edit", state="open", get=None, post=422, changes=False),
    of_survey(
        "survey-invitations-csv",
        "edit",
        state="by invitation",
        get=None,
        post=200,
        body=lambda *_: {"number": "2", "batch": new_batch()},
    ),
)
