"""The versions of a survey: what was opened stays as it is, and what was changed afterwards is another survey."""

import math
from dataclasses import dataclass, field

from django.contrib.auth.models import AnonymousUser, User
from django.db import connection

from surveys.models import State, Survey
from surveys.models.definition import Item
from surveys.privacy.designs import total_epsilon
from surveys.selectors.surveys import definition_of, surveys_of

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


@dataclass(frozen=True, slots=True)
class OtherVersions:
    """The other versions of a survey that were opened: somebody may have answered each, with other coins."""

    hashes: tuple[str, ...]
    numbers: tuple[int, ...] = field(compare=False)  # as people count versions
    items: tuple[Item, ...] = field(compare=False)  # of all of them

    @property
    def bounded_epsilon(self) -> float:
        """What one response to each of them gives away, but for proofs: the sum, rounded up."""
        return total_epsilon(item.design.epsilon for item in self.items if item.design.epsilon < math.inf)


def others_of(survey: Survey) -> OtherVersions | None:
    """Return what a survey's own reports add up with, and None where no other version was opened."""
    if not (others := other_versions(survey)):
        return None
    return OtherVersions(
        hashes=tuple(other.content_hash for other in others),
        numbers=tuple(other.edition for other in others),
        items=tuple(item for other in others for item in definition_of(other).items),
    )


def other_versions(survey: Survey) -> list[Survey]:
    """Return the versions beside this one that were opened, whatever has become of them, the first one first."""
    if survey.pk is None or not survey.may_have_versions:
        return []
    opened = Survey.objects.filter(pk__in=_family(survey)).exclude(pk=survey.pk).exclude(state=State.DRAFT)
    return list(opened.order_by("edition", "pk"))


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
