"""What is known of the population, and what part groups play, from the query string."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.models.asked_question import Item
from surveys.numbers.words import decimal, without_zeros
from surveys.responses.selectors.snapshot import Snapshot
from surveys.results.forms import number_of
from surveys.results.weights.figures import ROLES, GroupCategories, KnownShares

MOST_QUESTIONS = 8
"""Fields of more questions with eight answers each, and of all groups, would be more than a request may have."""

LARGEST = ("", "2", "3", "5")
_OFF = 0.5  # points of 100: eight shares rounded to a tenth are off by less
_LONGEST = 20
_ROLE_LABELS = {
    "none": gettext_lazy("play no part"),
    "clusters": gettext_lazy("were each asked together (clusters)"),
    "strata": gettext_lazy("were each asked for themselves (strata)"),
}


@dataclass(frozen=True, slots=True)
class ShareField:
    """One category, and which part of the population it is, as it was typed."""

    name: str
    label: str
    typed: str
    here: float  # its part of those who answered


@dataclass(frozen=True, slots=True)
class MarginFields:
    """The fields of one question, or of the groups."""

    item: Item | None  # None: the groups
    fields: tuple[ShareField, ...]
    error: str
    known: KnownShares | None  # None where nothing was typed, or what is no distribution


@dataclass(frozen=True, slots=True)
class WeightsQuery:
    """All that was typed and chosen."""

    margins: tuple[MarginFields, ...]
    more: bool  # whether questions are not offered, as there are too many
    role: str
    largest: str
    notices: tuple[str, ...]

    @property
    def known(self) -> tuple[KnownShares, ...]:
        """What is weighted to."""
        return tuple(fields.known for fields in self.margins if fields.known)

    @property
    def refused(self) -> bool:
        """Whether something that was typed is no distribution, so that nothing can be computed."""
        return any(fields.error for fields in self.margins)

    @property
    def asks(self) -> bool:
        """Whether anything is asked for that makes other figures than those of the other pages."""
        return not self.refused and (bool(self.known) or self.role != "none")

    @property
    def roles(self) -> list[tuple[str, str]]:
        """What groups can be."""
        return [(role, str(_ROLE_LABELS[role])) for role in ROLES]

    @property
    def bounds(self) -> list[tuple[str, str]]:
        """How weights can be cut."""
        labels = [_("%(times)s times the mean") % {"times": bound} if bound else _("not limited") for bound in LARGEST]
        return list(zip(LARGEST, labels, strict=True))


def parse_weights(
    query: QueryDict, items: Sequence[Item], snapshot: Snapshot, groups: GroupCategories, *, has_groups: bool
) -> WeightsQuery:
    """Read a share for each answer to each plain question, and for each group; `role` and `largest`."""
    plain = [item for item in items if not item.protects]
    margins = [_of_item(query, item, snapshot) for item in plain[:MOST_QUESTIONS]]
    if has_groups and len(groups.keys) > 1:
        margins.append(_of_groups(query, snapshot, groups))
    notices = [fields.error for fields in margins if fields.error]
    role, largest = query.get("role", ROLES[0]), query.get("largest", LARGEST[0])
    if role not in ROLES or (role != ROLES[0] and not has_groups):
        notices.append(_("Groups can have no part “%(given)s” here. They play none.") % {"given": role[:_LONGEST]})
        role = ROLES[0]
    if role == "clusters" and any(fields.known and not fields.item for fields in margins):
        notices.append(
            _(
                "Groups whose shares of the population are known are all there are, no sample of them: "
                "they count as asked for themselves."
            )
        )
        role = "strata"
    if largest not in LARGEST:
        notices.append(_("There is no limit “%(given)s”. Weights are not limited.") % {"given": largest[:_LONGEST]})
        largest = LARGEST[0]
    return WeightsQuery(tuple(margins), len(plain) > MOST_QUESTIONS, role, largest, tuple(notices))


def _of_item(query: QueryDict, item: Item, snapshot: Snapshot) -> MarginFields:
    found = snapshot.on(item.number)
    sizes = [int(found.counts[found.patterns[:, 0] == code].sum()) for code in range(item.design.k)]
    title = _("Question %(number)s") % {"number": item.question_number}
    categories = [(f"q{item.key}-{code}", label, sizes[code]) for code, label in enumerate(item.labels)]
    return _read(query, item, title, categories)


def _of_groups(query: QueryDict, snapshot: Snapshot, groups: GroupCategories) -> MarginFields:
    sizes = [snapshot.n_by_group.get(key, 0) for key in groups.keys]
    # Nobody has the key of the other groups, who are those that are left.
    sizes = [size or snapshot.n - sum(sizes) for size in sizes]
    categories = [
        (f"group-{key}", label, size) for key, label, size in zip(groups.keys, groups.labels, sizes, strict=True)
    ]
    return _read(query, None, _("Groups"), categories)


def _read(query: QueryDict, item: Item | None, title: str, categories: Sequence[tuple[str, str, int]]) -> MarginFields:
    n = max(1, sum(size for _name, _label, size in categories))
    fields = tuple(
        ShareField(name, label, query.get(name, "").strip()[:_LONGEST], size / n) for name, label, size in categories
    )
    if not any(field.typed for field in fields):
        return MarginFields(item, fields, "", None)
    shares, error = _shares(title, fields)
    known = None if error else KnownShares(item, title, tuple(field.label for field in fields), shares)
    return MarginFields(item, fields, error, known)


def _shares(title: str, fields: Sequence[ShareField]) -> tuple[tuple[float | None, ...], str]:
    """Return the shares, and what is wrong with them; of what nobody answered there may be none."""
    shares: list[float | None] = []
    for field in fields:
        share = number_of(field.typed) if field.typed else None
        told = {"title": title, "label": field.label, "given": field.typed}
        if field.typed and (share is None or not 0 < share <= 100):
            return (), _("%(title)s, “%(label)s”: write a number above 0 and at most 100, not “%(given)s”.") % told
        if share is None and field.here:
            return (), _("%(title)s: a share of “%(label)s” is missing. State all of them, or none.") % told
        shares.append(share)
    whole = math.fsum(share for share in shares if share)
    if not abs(whole - 100) <= _OFF:
        told = {"title": title, "sum": without_zeros(decimal(whole, 2))}
        return (), _("%(title)s: the shares add up to %(sum)s, not to 100.") % told
    return tuple(share and share / whole for share in shares), ""
