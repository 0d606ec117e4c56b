"""Where a survey's own page leads besides the next step: what there is in its state, for whoever looks."""

from dataclasses import dataclass, replace

from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from surveys.models import Right, State
from surveys.presenters.offers import Button, Offer, buttons_of
from surveys.selectors.course import Course

_ANYBODY, _OWNER = frozenset({Right.SEE}), frozenset({Right.OWN})
_EDIT, _ANALYSE = frozenset({Right.EDIT}), frozenset({Right.ANALYSE})
_PREVIEW = Offer(_("Preview"), "survey-preview", _ANYBODY)
_REHEARSE = Offer(_("Rehearse"), "survey-rehearse", _EDIT)
_RESULTS = Offer(_("Results"), "survey-results", _ANALYSE)
_ETHICS = Offer(_("Ethics packet"), "survey-ethics", _ANALYSE)
_SHARE = Offer(_("Share"), "survey-share", _EDIT)
_PRESENT = Offer(_("Present"), "survey-present", _EDIT | _ANALYSE)
_GROUPS = Offer(_("Groups"), "survey-groups", _EDIT)
_INVITATIONS = Offer(_("Invitations"), "survey-invitations", _EDIT)
_EXPORT = Offer(_("Export"), "survey-export", _ANALYSE)
_FILE = Offer(_("The survey as a file (JSON)"), "survey-document", _ANYBODY)
_DUPLICATE = Offer(_("Duplicate"), "survey-duplicate", _EDIT, post=True)
_EDITOR = Offer(_("Edit"), "survey-edit", _EDIT)
_SAVED = Offer(_("Saved drafts"), "survey-versions", _EDIT)
_PEOPLE = Offer(_("People and roles"), "survey-people", _OWNER)
_LEAVE = Offer(_("Give up your role"), "survey-leave", _ANYBODY)


@dataclass(frozen=True, slots=True)
class Places:
    """Some places of one sort, under a heading."""

    heading: str
    buttons: tuple[Button, ...]


def places_of(
    course: Course, rights: frozenset[Right], *, offered: frozenset[str], groups: bool, releases_key: str
) -> list[Places]:
    """Return the places by sort; not those that the next step has `offered`, nor any that have come to nothing.

    `groups` says whether the survey has any, `releases_key` is in the address of its published releases.
    """
    survey = course.survey
    joinable = survey.state in {State.DRAFT, State.OPEN, State.PAUSED}
    readable = survey.state != State.PURGED
    look = [_PREVIEW, *([_REHEARSE] if readable and course.questions else []), *([_RESULTS] if readable else [])]
    reach = [
        *([_SHARE] if joinable and not survey.by_invitation else []),
        *([_PRESENT] if readable else []),
        *([_GROUPS] if joinable or groups else []),
        *([_INVITATIONS] if survey.by_invitation else []),
    ]
    work = [*([_EDITOR] if survey.is_draft else []), _SAVED, _PEOPLE if Right.OWN in rights else _LEAVE]
    released = []
    if releases_key:
        address = reverse("release-index", args=[releases_key])
        released.append(Button(gettext("Published releases"), address, "release-index"))
    if Right.RELEASE in rights and not survey.is_draft:
        released.append(Button(gettext("Releases and budget"), reverse("admin:index"), "admin:index"))
    sorts = [
        Places(gettext("Look"), (*buttons_of([*look, _ETHICS], survey, rights), *released)),
        Places(gettext("Reach people"), buttons_of(reach, survey, rights)),
        Places(gettext("Take along"), buttons_of([_EXPORT, _FILE, _DUPLICATE], survey, rights)),
        Places(gettext("Work on it"), buttons_of(work, survey, rights)),
    ]
    new = (replace(sort, buttons=tuple(one for one in sort.buttons if one.name not in offered)) for sort in sorts)
    return [sort for sort in new if sort.buttons]
