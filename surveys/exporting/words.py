"""What the pages of exports say."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.models import State
from surveys.responses.selectors.snapshot import Snapshot
from surveys.responses.told import is_final


def why_no_figures(snapshot: Snapshot) -> str:
    """Say why nothing can be exported of a survey's answers; "" where something can."""
    if snapshot.survey.state == State.PURGED:
        return _("The reports were destroyed when this survey was purged. Files exported earlier are not affected.")
    if snapshot.withheld:
        return _("This survey has arms or unprotected questions, so its figures can’t be exported until it is closed.")
    if not snapshot.enough:
        return ngettext(
            "%(counted)s person has been counted so far. An export needs at least %(minimum)s.",
            "%(counted)s people have been counted so far. An export needs at least %(minimum)s.",
            snapshot.n,
        ) % {"counted": snapshot.n, "minimum": snapshot.minimum_n}
    return ""


def why_no_reports(snapshot: Snapshot) -> str:
    """Say why no file has a row for each response; "" where one has."""
    if not is_final(snapshot):
        return _(
            "Responses can be exported once the survey is closed. Comparing two exports from an open survey "
            "could single out individuals."
        )
    if why := why_no_figures(snapshot):
        return why
    if not snapshot.keeps_responses:
        return _(
            "Sealing kept only the counts for questions and pairs of questions, so this survey has no "
            "responses to export."
        )
    return ""
