"""Groups: named links of one survey, made and renamed by its owner, also while it is open."""

import re
from collections.abc import Iterable

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import ProtectedError
from django.utils.text import slugify
from django.utils.translation import gettext as _

from surveys.drafts.services.surveys import NotAllowedNow
from surveys.models import Group, State, Survey

MOST_GROUPS = 30
# What stands behind a survey's code in the addresses of its own pages.
RESERVED_SLUGS = frozenset({"own-coin", "server", "receipt", "declined", "i"})
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LONGEST_SLUG = 40
_SETTLED = {State.SEALED, State.PURGED}


@transaction.atomic
def add_group(*, survey: Survey, name: str, slug: str = "") -> Group:
    """Add a group link; without a slug it is made from the name.

    Raises ValidationError naming the field, or NotAllowedNow; nothing is stored then.
    """
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    if not survey.is_joinable:
        raise NotAllowedNow(_("This survey no longer accepts responses, so a new group would stay empty."))
    group = checked_group(name=name, slug=slug, others=list(survey.groups.all()))
    group.survey = survey
    group.save()
    return group


def checked_group(*, name: str, slug: str, others: list[Group]) -> Group:
    """Return a group, not stored yet, that can stand beside these others; raises ValidationError naming the field."""
    if len(others) >= MOST_GROUPS:
        raise ValidationError({"name": _("A survey can have at most %(most)s groups.") % {"most": MOST_GROUPS}})
    group = Group(name=_checked_name(name, others), slug=_checked_slug(slug, name, others))
    group.clean_fields(exclude={"survey"})
    return group


@transaction.atomic
def rename_group(*, group: Group, name: str) -> Group:
    """Give a group another name; its link stays. Raises ValidationError or NotAllowedNow."""
    survey = Survey.objects.select_for_update().get(pk=group.survey_id)
    if survey.state in _SETTLED:
        raise NotAllowedNow(_("This survey’s counts are final, so its groups can no longer change."))
    group = survey.groups.get(pk=group.pk)
    group.name = _checked_name(name, survey.groups.exclude(pk=group.pk))
    group.full_clean(validate_unique=False)
    group.save()
    return group


@transaction.atomic
def remove_group(*, group: Group) -> None:
    """Remove a group that nobody has answered in; raises NotAllowedNow otherwise."""
    # Answers hold the survey's row as their key: while this is locked none comes in.
    survey = Survey.objects.select_for_update().get(pk=group.survey_id)
    if survey.state in _SETTLED:
        raise NotAllowedNow(_("This survey’s counts are final, so its groups can no longer change."))
    try:
        group.delete()
    except ProtectedError:
        raise NotAllowedNow(_("Someone has answered in this group, so it can’t be removed.")) from None


def _checked_name(name: str, others: Iterable[Group]) -> str:
    name = " ".join(name.split())
    if not name:
        raise ValidationError({"name": _("Enter a name for the group.")})
    if name.casefold() in {other.name.casefold() for other in others}:
        raise ValidationError({"name": _("There is already a group with this name. Choose another name.")})
    return name


def _checked_slug(slug: str, name: str, others: list[Group]) -> str:
    taken = RESERVED_SLUGS | {other.slug for other in others}
    if not slug:
        return _made_slug(name, taken)
    slug = slug.strip().lower()
    if not _SLUG.fullmatch(slug) or len(slug) > _LONGEST_SLUG:
        raise ValidationError(
            {
                "slug": _(
                    "Use at most %(most)s characters: lower-case letters a to z, digits, and hyphens between them."
                )
                % {"most": _LONGEST_SLUG}
            }
        )
    if slug in RESERVED_SLUGS:
        raise ValidationError(
            {
                "slug": _("“%(slug)s” is reserved for the survey’s own pages. Choose another link ending.")
                % {"slug": slug}
            }
        )
    if slug in taken:
        raise ValidationError({"slug": _("Another group already has this link. Choose another link ending.")})
    return slug


def _made_slug(name: str, taken: frozenset[str]) -> str:
    slug = slugify(name).replace("_", "-")[:_LONGEST_SLUG].strip("-")
    # Names in other scripts leave nothing; a number says as much.
    numbered = (f"group-{number}" for number in range(1, MOST_GROUPS + 2))
    return slug if _SLUG.fullmatch(slug) and slug not in taken else next(one for one in numbered if one not in taken)
