"""The findings about a stored survey."""

from django.conf import settings

from surveys.models.survey import Survey
from surveys.selectors.editions import others_of
from surveys.selectors.linting.finding import Finding
from surveys.selectors.linting.subject import linted
from surveys.selectors.linting.table import findings_in
from surveys.selectors.surveys import definition_of


def findings_of(survey: Survey) -> tuple[Finding, ...]:
    """Return what the linter finds in a survey, the weightiest first."""
    return findings_in(
        linted(
            survey,
            definition_of(survey),
            epsilon_level=settings.EPSILON_LEVEL,
            epsilon_cap=settings.EPSILON_CAP,
            others=others_of(survey),
        )
    )
