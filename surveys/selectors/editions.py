"""The versions of a survey: what was opened stays as it is, and what was changed afterwards is another survey."""

from django.contrib.auth.models import AnonymousUser, User
from django.db import connection

from surveys.models import State, Survey
from surveys.selectors.surveys import surveys_of

# Up to the first version, then down to all that were made from it, however they branch.
_FAMILY = """
    WITH RECURSIVE up (id, previous_id) AS (
        SELECT id, previous_id FROM surveys_survey WHERE id = %s
        UNION SELECT s.id, s.previous_id FROM surveys_survey s JOIN up ON s.id = up.previous_id
    ), family (id) AS (
        SELECT id FROM up WHERE previous_id IS NULL
        UNION SELECT s.id FROM surveys_survey s JOIN family ON s.previous_id = family.id
    ) SELECT id FROM family
"""


def editions_of(survey: Survey, *, user: User | AnonymousUser) -> list[Survey]:
    """Return all versions of a survey that the user may see, the first one first."""
    return sorted(surveys_of(user=user).filter(pk__in=_family(survey)), key=lambda each: (each.edition, each.pk))


def last_edition(survey: Survey) -> int:
    """Return the highest number that a version of this survey has."""
    return max(Survey.objects.filter(pk__in=_family(survey)).values_list("edition", flat=True))


def next_draft(survey: Survey) -> Survey | None:
    """Return the draft that is to become the next version, if one has been begun."""
    # After a transfer the draft may be the former owner's, which the new one cannot see.
    drafts = survey.next_versions.filter(state=State.DRAFT, owner_id=survey.owner_id)
    return drafts.order_by("pk").first()


def _family(survey: Survey) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(_FAMILY, [survey.pk])
        return [row[0] for row in cursor.fetchall()]
