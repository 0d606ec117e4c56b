"""What a survey's page says and offers: the line of its course, its next step, and where else it leads."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django import template
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.text import get_text_list
from django.utils.translation import gettext, gettext_lazy, pgettext
from django.utils.translation import gettext as _

from surveys.common.tags import MOST_DOTS
from surveys.common.words import on_its_clocks
from surveys.course.selectors import Course, CourseStage
from surveys.linting.findings import Level, LintFinding
from surveys.models import Right, Role, State, Survey
from surveys.numbers.words import whole_number

register = template.Library()


@dataclass(frozen=True, slots=True)
class Stop:
    """One stop of the line: "done", "now" or "ahead"."""

    label: str
    standing: str


@register.filter
def course_line(survey: Survey) -> list[Stop]:
    """Return the stops on a survey's way; purging is shown only where it has happened, for it need not."""
    last = State.PURGED if survey.state == State.PURGED else State.SEALED
    halt = State.PAUSED if survey.state == State.PAUSED else State.OPEN
    stops = [State.DRAFT, halt, State.CLOSED, last]
    here = stops.index(State(survey.state))
    return [
        Stop(str(stop.label), "done" if place < here else "now" if place == here else "ahead")
        for place, stop in enumerate(stops)
    ]


@register.filter
def heavier(findings: Sequence[LintFinding]) -> list[LintFinding]:
    """Return what the linter found that is more than a hint."""
    return [finding for finding in findings if finding.level < Level.HINT]


@register.filter
def lighter(findings: Sequence[LintFinding]) -> list[LintFinding]:
    """Return the hints among what the linter found."""
    return [finding for finding in findings if finding.level >= Level.HINT]


@register.filter
def role_words(roles: Sequence[Role]) -> str:
    """Say what somebody is in a survey; without a role it is their own."""
    names = {
        Role.EDITOR: pgettext("role in a survey", "editor"),
        Role.ANALYST: pgettext("role in a survey", "analyst"),
        Role.RELEASER: pgettext("role in a survey", "releaser"),
    }
    return (
        str(get_text_list([names[role] for role in roles], _("and")))
        if roles
        else pgettext("role in a survey", "owner")
    )


# What a survey's pages offer to press, and to whom.


@dataclass(frozen=True, slots=True)
class StepOffer:
    """A button or link, and the rights of which a user needs one to see it."""

    label: Promise
    name: str
    rights: frozenset[Right]
    post: bool = False


@dataclass(frozen=True, slots=True)
class Button:
    """Something that this visitor may press."""

    label: str
    address: str
    name: str  # of the address
    post: bool = False


def buttons_of(offers: Iterable[StepOffer], survey: Survey, rights: frozenset[Right]) -> tuple[Button, ...]:
    """Return those offers that somebody with these rights may take."""
    return tuple(
        Button(str(offer.label), reverse(offer.name, args=[survey.code]), offer.name, offer.post)
        for offer in offers
        if offer.rights & rights
    )


# Where a survey's own page leads besides the next step: what there is in its state, for the visitor.


_ANYBODY, _OWNER = frozenset({Right.SEE}), frozenset({Right.OWN})
_EDIT, _ANALYSE = frozenset({Right.EDIT}), frozenset({Right.ANALYSE})
_PREVIEW = StepOffer(gettext_lazy("Preview"), "survey-preview", _ANYBODY)
_REHEARSE = StepOffer(gettext_lazy("Rehearse"), "survey-rehearse", _EDIT)
_RESULTS_PLACE = StepOffer(gettext_lazy("Results"), "survey-results", _ANALYSE)
_ETHICS = StepOffer(gettext_lazy("Ethics packet"), "survey-ethics", _ANALYSE)
_QR_CODE = StepOffer(gettext_lazy("QR code"), "survey-share", _EDIT)
_POSTER = StepOffer(gettext_lazy("Poster"), "survey-poster", _EDIT)
_PRESENT_PLACE = StepOffer(gettext_lazy("Present"), "survey-present", _EDIT | _ANALYSE)
_LESSON = StepOffer(gettext_lazy("Lesson"), "survey-lesson", _EDIT)
_SHOW = StepOffer(gettext_lazy("Show result on receipts"), "survey-result-show", _ANALYSE, post=True)
_HIDE = StepOffer(gettext_lazy("Hide result on receipts"), "survey-result-hide", _ANALYSE, post=True)
_GROUPS = StepOffer(gettext_lazy("Groups"), "survey-groups", _EDIT)
_INVITATIONS = StepOffer(gettext_lazy("Invitations"), "survey-invitations", _EDIT)
_CREDIT = StepOffer(gettext_lazy("Credit"), "survey-credit", _EDIT)
_EXPORT = StepOffer(gettext_lazy("Export"), "survey-export", _ANALYSE)
_FILE = StepOffer(gettext_lazy("Survey as JSON"), "survey-document", _ANYBODY)
_DUPLICATE = StepOffer(gettext_lazy("Duplicate"), "survey-duplicate", _EDIT, post=True)
_EDITOR = StepOffer(gettext_lazy("Edit"), "survey-edit", _EDIT)
_SAVED = StepOffer(gettext_lazy("Saved drafts"), "survey-versions", _EDIT)
_PEOPLE = StepOffer(gettext_lazy("Team and roles"), "survey-people", _OWNER)
_LEAVE = StepOffer(gettext_lazy("Leave survey"), "survey-leave", _ANYBODY)


@dataclass(frozen=True, slots=True)
class Places:
    """Where the page leads for one purpose that is rarely needed."""

    title: str
    buttons: tuple[Button, ...]


def links_of(course: Course, rights: frozenset[Right], *, offered: frozenset[str], groups: bool) -> list[Button]:
    """Return what is needed often; not what the next step has `offered`, nor what has come to nothing.

    `groups` says whether the survey has any.
    """
    survey = course.survey
    readable = survey.state != State.PURGED
    offers = [
        *([_EDITOR] if survey.is_draft else []),
        _PREVIEW,
        *([_REHEARSE] if readable and course.questions else []),
        *([_RESULTS_PLACE, _PRESENT_PLACE, _LESSON] if readable else []),
        *([_GROUPS] if survey.is_joinable or groups else []),
        *([_INVITATIONS] if survey.by_invitation else []),
        *([_CREDIT] if survey.questionnaire.credit else []),
        _PEOPLE if Right.OWN in rights else _LEAVE,
    ]
    return [one for one in buttons_of(offers, survey, rights) if one.name not in offered]


def places_of(course: Course, rights: frozenset[Right], *, offered: frozenset[str], releases_key: str) -> list[Places]:
    """Return what is rarely needed, by purpose; `releases_key` is in the address of its published releases."""
    survey = course.survey
    releases: list[Button] = []
    if releases_key:
        address = reverse("release-index", args=[releases_key])
        releases.append(Button(gettext("Published releases"), address, "release-index"))
    if Right.RELEASE in rights and not survey.is_draft:
        releases.append(Button(gettext("Releases and budget"), reverse("admin:index"), "admin:index"))
    purposes: list[tuple[str, list[StepOffer], list[Button]]] = [
        (gettext("Publish"), _showing(course, rights), releases),
        (gettext("Files"), [_EXPORT, _ETHICS, _FILE], []),
        (gettext("Drafts"), [_SAVED, _DUPLICATE], []),
    ]
    all_places = [
        Places(title, tuple(one for one in (*buttons_of(offers, survey, rights), *more) if one.name not in offered))
        for title, offers, more in purposes
    ]
    return [places for places in all_places if places.buttons]


def _showing(course: Course, rights: frozenset[Right]) -> list[StepOffer]:
    """Return what lets those who answered see the result, or no longer: for people who may both edit and read it."""
    if not (course.enough and rights >= _EDIT | _ANALYSE):
        return []
    return [_HIDE if course.survey.result_on_receipt else _SHOW]


def handouts_of(course: Course, rights: frozenset[Right], *, offered: frozenset[str]) -> list[Button]:
    """Return what hands the join code out, to stand beside it."""
    survey = course.survey
    if survey.by_invitation or not survey.is_joinable:
        return []
    ways = buttons_of([_QR_CODE, _POSTER], survey, rights)
    return [one for one in ways if one.name not in offered]


# The next sensible step of a survey, in words and with what to press: one step, for every visitor and on every page.


@dataclass(frozen=True, slots=True)
class NextStep:
    """What to do next; without buttons it is for somebody else to do."""

    title: str
    words: str
    buttons: tuple[Button, ...]

    @property
    def alone(self) -> Button | None:
        """The one to press where only one is shown: a draft is written on, for opening it freezes it."""
        write = (button for button in self.buttons if button.name == "survey-edit")
        return next(write, self.buttons[0] if self.buttons else None)

    @property
    def names(self) -> frozenset[str]:
        """Which pages it leads to."""
        return frozenset(button.name for button in self.buttons)


_WRITE = StepOffer(gettext_lazy("Write questions"), "survey-edit", _EDIT)
_OPEN = StepOffer(gettext_lazy("Open survey…"), "survey-open", _EDIT)
_RESUME = StepOffer(gettext_lazy("Resume survey"), "survey-open", _EDIT, post=True)
_SHARE = StepOffer(gettext_lazy("Share survey"), "survey-share", _EDIT)
_INVITE = StepOffer(gettext_lazy("Invite people"), "survey-invitations", _EDIT)
_PRESENT = StepOffer(gettext_lazy("Present survey"), "survey-present", _EDIT | _ANALYSE)
_RESULTS = StepOffer(gettext_lazy("View results"), "survey-results", _ANALYSE)

_SCHEDULE = StepOffer(gettext_lazy("Change times or limit"), "survey-schedule", _EDIT)
_CLOSE = StepOffer(gettext_lazy("Close survey…"), "survey-close", _EDIT)
_SEAL = StepOffer(gettext_lazy("Seal survey…"), "survey-seal", _EDIT)
_CHANGE = StepOffer(gettext_lazy("Create a new version"), "survey-next-version", _EDIT, post=True)

_AGAIN = gettext_lazy(
    "Responses received: %(received)s. At least %(minimum)s are needed, so results stay hidden. Create a new "
    "version to ask again."
)
_STEPS: Mapping[CourseStage, tuple[Promise, Promise, tuple[StepOffer, ...]]] = {
    CourseStage.EMPTY: (
        gettext_lazy("Write the first question"),
        gettext_lazy("A survey needs at least one question."),
        (_WRITE,),
    ),
    CourseStage.READY: (
        gettext_lazy("Ready to open"),
        gettext_lazy(
            "Rehearse the survey with simulated answers, then open it. Opening freezes the questions and designs."
        ),
        (_OPEN, _REHEARSE, _PREVIEW, _EDITOR),
    ),
    CourseStage.WAITING: (
        gettext_lazy("Opening scheduled"),
        gettext_lazy("The survey accepts answers from %(opens)s. Share the code."),
        (_SHARE, _SCHEDULE),
    ),
    CourseStage.FEW: (
        gettext_lazy("Collecting answers"),
        gettext_lazy("Results need at least %(minimum)s responses. Responses so far: %(received)s."),
        (_SHARE, _PRESENT),
    ),
    CourseStage.BATCH: (
        gettext_lazy("Collecting answers"),
        gettext_lazy(
            "%(received)s people have answered. Results come in batches. The first appears after about "
            "%(double)s responses, or when you close the survey."
        ),
        (_PRESENT, _SHARE, _CLOSE),
    ),
    CourseStage.UNSHOWN: (
        gettext_lazy("Collecting answers"),
        gettext_lazy("%(received)s people have answered. Results appear when you close the survey."),
        (_PRESENT, _SHARE, _CLOSE),
    ),
    CourseStage.ENOUGH: (
        gettext_lazy("Results ready"),
        gettext_lazy("%(counted)s of %(received)s people have been counted. Results update as more people answer."),
        (_RESULTS, _PRESENT),
    ),
    CourseStage.FULL: (
        gettext_lazy("All answers are in"),
        gettext_lazy("All %(cap)s places are taken. Close the survey to make results final."),
        (_CLOSE, _SCHEDULE),
    ),
    CourseStage.OVER: (
        gettext_lazy("Answering has ended"),
        gettext_lazy("The closing time (%(closes)s) has passed. Close the survey to make results final."),
        (_CLOSE, _SCHEDULE),
    ),
    CourseStage.PAUSED: (
        gettext_lazy("Paused"),
        gettext_lazy("The survey is not accepting answers."),
        (_RESUME, _CLOSE),
    ),
    CourseStage.CLOSED: (
        gettext_lazy("The results are final"),
        gettext_lazy("All %(received)s people have been counted. Sealing keeps only counts."),
        (_RESULTS, _EXPORT, _SEAL),
    ),
    CourseStage.CLOSED_WITHOUT: (gettext_lazy("Too few people answered"), _AGAIN, (_CHANGE,)),
    CourseStage.SEALED: (
        gettext_lazy("The results are final"),
        gettext_lazy("Only counts of the reports remain."),
        (_RESULTS, _EXPORT),
    ),
    CourseStage.SEALED_WITHOUT: (gettext_lazy("Too few people answered"), _AGAIN, (_CHANGE,)),
    CourseStage.PURGING: (
        gettext_lazy("The reports have been deleted"),
        gettext_lazy("The questions and past releases remain. You can ask again in a new version."),
        (_CHANGE,),
    ),
    CourseStage.PURGED: (
        gettext_lazy("The reports have been destroyed"),
        gettext_lazy("The questions and past releases remain. You can ask again in a new version."),
        (_CHANGE,),
    ),
}

_WITH_A_LATER_VERSION = gettext_lazy("There is nothing left to do in this version. Continue with version %(edition)s.")


@dataclass(frozen=True, slots=True)
class Crowd:
    """Everybody who answered as dots: counted ones, those that wait, and those that results still need."""

    yes: int
    no: int
    empty: int


def crowd_of(course: Course) -> Crowd | None:
    """Return the dots of a survey that collects or has collected; nothing where there is nobody, or a mass."""
    if course.survey.is_draft or course.survey.state == State.PURGED:
        return None
    enough = course.survey.minimum_n
    counted = course.in_figures if course.enough else 0
    waiting = course.received - counted
    needed = max(0, enough - course.received)
    return Crowd(counted, waiting, needed) if 0 < counted + waiting + needed <= MOST_DOTS else None


def _day(day: dt.date | None) -> str:
    return date_format(day) if day is not None else ""


def next_step(course: Course, rights: frozenset[Right], *, later: Survey | None = None) -> NextStep:
    """Return the next step of a survey for somebody with these rights; `later` is a version that follows it."""
    survey = course.survey
    title, words, offers = _STEPS[course.stage]
    if survey.by_invitation:
        offers = tuple(_INVITE if offer is _SHARE else offer for offer in offers)
    facts = {
        "minimum": whole_number(survey.minimum_n),
        "double": whole_number(2 * survey.minimum_n),
        "received": whole_number(course.received),
        "counted": whole_number(course.in_figures),
        "cap": whole_number(survey.response_cap or 0),
        "opens": on_its_clocks(survey.opens_at, survey) if survey.opens_at else "",
        "closes": on_its_clocks(survey.closes_at, survey) if survey.closes_at else _day(survey.purge_on),
    }
    if later is not None and _CHANGE in offers:
        words = _WITH_A_LATER_VERSION
        facts["edition"] = str(later.edition)
        onward = Button(
            gettext("Go to version %(edition)s") % facts, reverse("survey-detail", args=[later.code]), "survey-detail"
        )
        return NextStep(str(title), str(words) % facts, (onward,))
    return NextStep(str(title), str(words) % facts, buttons_of(offers, survey, rights))
