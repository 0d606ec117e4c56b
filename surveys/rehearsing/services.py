"""Rehearsing: simulated respondents answer a copy of a survey, by the way of real ones, until the copy is thrown away.

A copy is a survey of its own, which belongs to the person who rehearses and which no respondent reaches: nothing of it
can be mixed with real responses, for each of them belongs to one survey.
"""

import time
from collections.abc import Sequence

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from surveys.answering.services import simulating
from surveys.common.selectors import definition_of
from surveys.course.services import open_survey
from surveys.drafts.services.copies import discard_all, discard_of, sweep
from surveys.drafts.services.surveys import NotAllowedNow, create_survey
from surveys.models import Group, Rehearsal, State, Survey
from surveys.models.simulated import TrueShares, people_of
from surveys.numbers.words import with_commas
from surveys.questionnaire.document import COLUMNS
from surveys.responses.services import folding

FEWEST, MOST = 10, 10_000
# Ten thousand people are some 5 MB until they are thrown away.
MOST_OF_A_PERSON, MOST_IN_ALL = 3, 60
# How long a step may take, and how many people answer between two looks at the clock: in one transaction, because on
# SQLite nobody else writes meanwhile.
STEP_SECONDS = 0.5
_AT_ONCE = 200

# What a copy has of the survey besides its questions. When it opens and closes, how many it takes and that people are
# invited decides who may answer, and here nobody real does; translations, which may be unfinished, nobody reads, and
# nobody is given credit.
_COPIED = COLUMNS.keys() - {"by_invitation", "credit", "translations"}


def start(*, survey: Survey, user: User, respondents: int, shares: Sequence[TrueShares]) -> Rehearsal:
    """Make a copy of the survey and open it; an earlier one of this person's is discarded.

    Raises
    ------
    ValidationError
        Naming `respondents`, or saying why the survey cannot be opened.
    NotAllowedNow
        Where the survey is itself a copy or asks something else than the shares are for, or too many people rehearse.
    """
    if survey.is_rehearsal:
        raise NotAllowedNow(_("This survey is already a rehearsal. Rehearse the original survey instead."))
    if not FEWEST <= respondents <= MOST:
        raise ValidationError(
            {
                "respondents": _("Enter a number of people from %(fewest)s to %(most)s.")
                % {"fewest": FEWEST, "most": with_commas(MOST)}
            }
        )
    sweep()
    return _begin(survey=survey, user=user, respondents=respondents, shares=shares)


@transaction.atomic
def _begin(*, survey: Survey, user: User, respondents: int, shares: Sequence[TrueShares]) -> Rehearsal:
    # Of two requests at once the second finds the first one's copy. Answers to the survey do not wait for this lock.
    survey = Survey.objects.select_for_update(no_key=True).get(pk=survey.pk)
    discard_of(user=user, survey=survey)
    _make_room(user)
    copy = _copied(survey, user)
    definition = definition_of(copy)
    try:
        everybody = zip(definition.questions, shares, strict=True)
        left = [people_of(question, chosen, respondents) for question, chosen in everybody]
    except ValueError:
        # A draft may have been saved since somebody chose what is to be true of it.
        raise NotAllowedNow(_("The survey has changed in the meantime. Enter the true answers again.")) from None
    return Rehearsal.objects.create(
        survey=copy,
        shares=[chosen.stored for chosen in shares],
        left=[people.stored for people in left],
        respondents=respondents,
    )


def step(*, rehearsal: Rehearsal, seconds: float | None = None) -> Rehearsal | None:
    """Let people answer for about half a second, and return how far it has come; None where it has been discarded.

    When all have answered the copy is closed, so that its results are those of everybody.
    """
    until = time.monotonic() + (STEP_SECONDS if seconds is None else seconds)
    while (current := _as_it_stands(rehearsal)) is not None and not current.is_complete:
        if current.sent < current.respondents:
            _send_some(current)
        else:
            _close(current)
        # However slow the machine, every step gets somewhere.
        if time.monotonic() >= until:
            return _as_it_stands(rehearsal)
    return current


def _make_room(user: User) -> None:
    copies = Survey.objects.filter(rehearsal_of__isnull=False)
    of_this_person = copies.filter(owner_id=user.pk).order_by("-created_at", "-pk")
    discard_all(of_this_person.values_list("pk", flat=True)[MOST_OF_A_PERSON - 1 :])
    if copies.count() >= MOST_IN_ALL:
        raise NotAllowedNow(_("Too many people are rehearsing right now. Try again in a few minutes."))


def _copied(survey: Survey, user: User) -> Survey:
    """Return an open copy: every column of every question, and the groups."""
    copy = create_survey(
        owner=user,
        questions=survey.questions,
        rehearsal_of=survey,
        **{name: value for name, value in survey.questionnaire.as_json.items() if name in _COPIED},
    )
    Group.objects.bulk_create(Group(survey=copy, slug=group.slug, name=group.name) for group in survey.groups.all())
    return open_survey(survey=copy)


def _as_it_stands(rehearsal: Rehearsal) -> Rehearsal | None:
    return Rehearsal.objects.select_related("survey").filter(pk=rehearsal.pk).first()


def _send_some(rehearsal: Rehearsal) -> None:
    """Let the next people answer, unless others have been let in meanwhile: nobody answers twice."""
    survey, sent = rehearsal.survey, rehearsal.sent
    definition, groups = definition_of(survey), list(survey.groups.order_by("pk"))
    # Answers are randomized before the transaction begins, so that it is short.
    reports, left = simulating.draw(
        definition=definition, left=rehearsal.people_left, number=min(_AT_ONCE, rehearsal.respondents - sent)
    )
    with transaction.atomic():
        if _claimed(rehearsal, sent + len(reports), [people.stored for people in left]):
            simulating.send(
                survey=survey, definition=definition, reports=reports, groups=_spread(groups, sent, len(reports))
            )


def _claimed(rehearsal: Rehearsal, sent: int, left: list[dict[str, object]]) -> bool:
    """Whether nobody else has moved the rehearsal on since it was read; from here on nobody can."""
    ours = Rehearsal.objects.filter(pk=rehearsal.pk, sent=rehearsal.sent)
    return bool(ours.update(sent=sent, left=left))


def _spread(groups: Sequence[Group], sent: int, number: int) -> list[Group | None]:
    """Return the groups of the next people: equally many in each."""
    places: Sequence[Group | None] = groups or [None]
    return [places[place % len(places)] for place in range(sent, sent + number)]


@transaction.atomic
def _close(rehearsal: Rehearsal) -> None:
    """Count everybody and close the copy.

    Not by `close_survey`: that also empties SQLite's journal, for however long it takes, and a class may be answering
    another survey.
    """
    if not Rehearsal.objects.select_for_update().filter(pk=rehearsal.pk).exists():
        return
    folding.fold(survey=rehearsal.survey, everything=True)
    Survey.objects.filter(pk=rehearsal.pk, state=State.OPEN).update(state=State.CLOSED)
