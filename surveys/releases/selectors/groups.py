"""Which groups a release tells apart: those that the pages of results tell apart, and fewer where few answered.

It follows from how many responses of each group left which question out, and from nothing that anybody reported: these
numbers are public, as n is (decisions 4, 16 and 41). So for given groups of all responses the counts of a release are
of a domain that no report decides.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from django.utils import translation
from django.utils.translation import gettext as _

from surveys.models import Group, Survey
from surveys.models.asked_question import AskedQuestion
from surveys.models.definition import Definition
from surveys.releases.families.joint import GROUPS
from surveys.releases.families.options import OptionError
from surveys.releases.families.questions import GroupsApart, JointlyAsked, items_counted
from surveys.responses.selectors.small_numbers import parts_large_enough, separable_parts
from surveys.responses.selectors.tally import Tally, group_counts, group_counts_in

NO_GROUP = 0

CountGroups = Callable[[Sequence[Sequence[int]]], Sequence[Mapping[int, int]]]
"""Returns for each of several sets of items how many responses of each group (0 is none) leave none of them out."""


def counted_now(survey: Survey) -> CountGroups:
    """Return how to count what is in the figures of a survey; no report is read."""
    return partial(group_counts, survey)


def counted_in(tally: Tally) -> CountGroups:
    """Return how to count the responses that a release is drawn from."""
    return partial(group_counts_in, tally)


def tell_groups(
    survey: Survey, definition: Definition, asked: AskedQuestion, options: Mapping[str, Any], counted: CountGroups
) -> AskedQuestion:
    """Return what a part is about, with its groups where they are wanted; `OptionError` where no two can be told apart.

    Groups that the pages of results hide are one, and so are those that fewer than the minimum of the responses
    counted here are of, with the smallest of the rest until they are enough: as in a regression there.
    """
    if GROUPS.name not in options or not isinstance(asked, JointlyAsked):
        return asked
    each = [(item.number,) for item in definition.protected_items]
    whole, *answers, here = counted([(), *each, tuple(item.number for item in items_counted(asked))])
    told = separable_parts([whole, *answers], definition.minimum_n)
    large: dict[int | None, int] = {
        key: size for key, size in here.items() if key in told and size >= definition.minimum_n
    }
    large[None] = sum(here.values()) - sum(large.values())
    shown = parts_large_enough(large, definition.minimum_n)
    names = _names(survey, definition)
    keys: list[int | None] = [key for key in names if key in shown and key is not None]
    if sum(here.get(key or NO_GROUP, 0) for key in keys) < sum(here.values()):
        keys.append(None)
    if len(keys) < 2:
        raise OptionError(
            GROUPS.name,
            _(
                "Fewer than two groups can be told apart: each needs %(minimum)s responses that leave none of these "
                "questions out, and all others together as many or none."
            )
            % {"minimum": definition.minimum_n},
        )
    with translation.override(definition.language):
        return replace(asked, groups=GroupsApart(_("Group"), tuple(str(names[key]) for key in keys), tuple(keys)))


def _names(survey: Survey, definition: Definition) -> dict[int | None, str]:
    """Return what the groups are called, in order; of two that are called alike, by their links as well."""
    found = list(Group.objects.filter(survey_id=survey.pk).order_by("name", "pk").values_list("pk", "slug", "name"))
    called = [name for _key, _slug, name in found]
    with translation.override(definition.language):
        named: dict[int | None, str] = {
            key: f"{name} ({slug})" if called.count(name) > 1 else name for key, slug, name in found
        }
        return named | {NO_GROUP: _("No group"), None: _("Other groups")}
