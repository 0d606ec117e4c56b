"""A survey in every state that it can be in, made through the services."""

from collections.abc import Callable

from surveys.course.services import archive_survey, close_survey, pause_survey, purge_survey, seal_survey
from surveys.models import Survey
from tests.factories import fill, make_draft, make_open


def answered() -> Survey:
    survey = make_open()
    fill(survey, {"0": 8, "1": 4})
    return survey


STATES: dict[str, Callable[[], Survey]] = {
    "draft": make_draft,
    "open": answered,
    "paused": lambda: pause_survey(survey=answered()),
    "closed": lambda: close_survey(survey=answered()),
    "sealed": lambda: seal_survey(survey=STATES["closed"]()),
    "purged": lambda: purge_survey(survey=STATES["closed"]()),
    "archived draft": lambda: archive_survey(survey=make_draft()),
    "archived": lambda: archive_survey(survey=STATES["closed"]()),
}
