"""The columns of an export and what may stand in them."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from django.utils import translation

from surveys.models import Group, Mode, Survey
from surveys.models.definition import Definition, Item

NOT_GIVEN = "(withheld)"
"""In the columns of group and mode; no link of a group can be called so."""

_LETTER = re.compile(r"(?<=\d)(?=[a-z])")


@dataclass(frozen=True, slots=True)
class GroupNames:
    """What a survey's groups are called in exports, by primary key."""

    slugs: Mapping[int, str]  # as in the link: never two alike
    names: Mapping[int, str]  # as people call them; with the link's where two would be alike


def column_name(item: Item) -> str:
    """Return the name of an item's column: q3, or q3_b for the second of several options."""
    return "q" + _LETTER.sub("_", item.key)


def group_names_of(survey: Survey) -> GroupNames:
    """Return the names of a survey's groups."""
    found = list(Group.objects.filter(survey_id=survey.pk).order_by("slug").values_list("pk", "slug", "name"))
    taken = Counter(name for _key, _slug, name in found) + Counter([NOT_GIVEN, ""])
    return GroupNames(
        slugs={key: slug for key, slug, _name in found},
        names={key: f"{name} ({slug})" if taken[name] > 1 else name for key, slug, name in found},
    )


def report_labels(definition: Definition) -> tuple[tuple[str, ...], ...]:
    """Return what the reports of each item are called, in the survey's language."""
    with translation.override(definition.language):
        return tuple(tuple(map(str, item.report_labels)) for item in definition.items)


def mode_labels(definition: Definition) -> dict[str, str]:
    """Return what the modes are called, in the survey's language."""
    with translation.override(definition.language):
        return {mode.value: str(mode.label) for mode in Mode}
