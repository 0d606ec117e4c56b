"""Reads: the only doors to objects. Ownership is checked here and nowhere else."""

from surveys.selectors.responses import Tally, response_count, tally_of
from surveys.selectors.surveys import (
    definition_of,
    draft_of,
    group_by_slug,
    rights_of,
    survey_by_code,
    survey_for,
    surveys_of,
)

__all__ = [
    "Tally",
    "definition_of",
    "draft_of",
    "group_by_slug",
    "response_count",
    "rights_of",
    "survey_by_code",
    "survey_for",
    "surveys_of",
    "tally_of",
]
