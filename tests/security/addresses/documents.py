"""Surveys as documents: starting from one, importing, exporting, duplicating."""

from django.core import signing

from surveys.documents import views
from surveys.drafts.selectors import document_of
from surveys.models import Survey
from tests.security.addresses.row import Row, of_survey, personal
from tests.security.addresses.setting import Setting


def _shown(_setting: Setting, survey: Survey) -> dict[str, str]:
    """What the page that shows an import carries."""
    return {"document": signing.dumps(document_of(survey), salt=views.SALT, compress=True)}


ROWS: tuple[Row, ...] = (
    personal("survey-start"),
    personal("survey-start-from", get=None, post=302, extra=("exam-cheating",), body={"language": "en"}),
    personal("survey-import", post=302, body=_shown),
    of_survey("survey-duplicate", "edit", get=None, post=302),
    of_survey("survey-duplicate", "edit", get=None, post=302, state="sealed"),
    of_survey("survey-document", "see", programs=True),
    of_survey("survey-document", "see", state="closed", programs=True),
)
