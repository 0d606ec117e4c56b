"""Which groups a release shows separately: those that the pages of results do, and fewer where few answered.

It follows from how many responses of each group left which question out, and from nothing that anybody reported: these
numbers are public, as n is (decisions 4, 16 and 41). So for given groups of all responses the counts of a release are
of a domain that no report decides.
"""

from dataclasses import replace

from django.utils import translation
from django.utils.translation import gettext as _

from surveys.common.totals import sums_by
from surveys.models import Group, Survey
from surveys.questionnaire.definition import Definition
from surveys.releases.families.joint import GROUPS
from surveys.releases.families.options import invalid
from surveys.releases.families.plan import GroupsApart, Plan
from surveys.releases.selectors.doors import Look
from surveys.responses.selectors.tally import MISSING
from surveys.responses.told import is_final, parts_large_enough, separable_groups

NO_GROUP = 0


def separate_groups(survey: Survey, plan: Plan, look: Look) -> Plan:
    """Return a plan with the groups that it counts separately; `ReleaseRefused` where no two can be shown so.

    Groups that the pages of results hide are one, and so are those that fewer than the minimum of the responses
    counted here are of, with the smallest of the rest until they are enough: as in a regression there.
    """
    definition, snapshot = look()
    if not is_final(snapshot):
        raise invalid(
            GROUPS.name, _("Groups can’t be counted separately until the survey is closed. Close the survey first.")
        )
    separable = separable_groups(snapshot, definition)
    # As they are stored: that the number of answers to these questions may be shown is known.
    reports = replace(snapshot, recoded={}).on(*(question.first.number for question in plan.questions))
    given = (reports.patterns != MISSING).all(axis=1)
    keys = reports.groups[given].tolist()
    here = sums_by(keys, reports.counts[given].tolist(), sorted(set(keys)))
    large: dict[int | None, int] = {
        key: size for key, size in here.items() if key in separable and size >= definition.minimum_n
    }
    large[None] = sum(here.values()) - sum(large.values())
    shown = parts_large_enough(large, definition.minimum_n)
    names = _names(survey, definition)
    apart: list[int | None] = [key for key in names if key in shown and key is not None]
    if sum(here.get(key or NO_GROUP, 0) for key in apart) < sum(here.values()):
        apart.append(None)
    if len(apart) < 2:
        raise invalid(
            GROUPS.name,
            _(
                "Fewer than two groups can be counted separately. Each needs at least %(minimum)s responses "
                "that skip none of these questions. Smaller groups are counted together and need as many in "
                "all. Release without groups, or choose other questions."
            )
            % {"minimum": definition.minimum_n},
        )
    with translation.override(definition.language):
        return replace(plan, groups=GroupsApart(_("Group"), tuple(str(names[key]) for key in apart), tuple(apart)))


def _names(survey: Survey, definition: Definition) -> dict[int | None, str]:
    """Return what the groups are called, in order; of two that are called alike, by their links as well."""
    groups = list(Group.objects.filter(survey_id=survey.pk).order_by("name", "pk").values_list("pk", "slug", "name"))
    called = [name for _key, _slug, name in groups]
    with translation.override(definition.language):
        named: dict[int | None, str] = {
            key: f"{name} ({slug})" if called.count(name) > 1 else name for key, slug, name in groups
        }
        return named | {NO_GROUP: _("No group"), None: _("Other groups")}
