"""The next sensible step of a survey, in words and with what to press: one step, whoever looks and wherever."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from surveys.common.numbers import whole
from surveys.models import Right, Survey
from surveys.presenters.offers import Button, Offer, buttons_of
from surveys.selectors.course import Course, Stage
from surveys.templatetags.instructor.moments import on_its_clocks


@dataclass(frozen=True, slots=True)
class NextStep:
    """What to do next; without buttons it is for somebody else to do."""

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


_EDIT, _ANALYSE = frozenset({Right.EDIT}), frozenset({Right.ANALYSE})
_WRITE = Offer(_("Write questions"), "survey-edit", _EDIT)
_EDIT_IT = Offer(_("Edit"), "survey-edit", _EDIT)
_REHEARSE = Offer(_("Rehearse"), "survey-rehearse", _EDIT)
_OPEN = Offer(_("Open…"), "survey-open", _EDIT)
_PREVIEW = Offer(_("Preview"), "survey-preview", frozenset({Right.SEE}))
_RESUME = Offer(_("Resume"), "survey-open", _EDIT, post=True)
_SHARE = Offer(_("Share it"), "survey-share", _EDIT)
_INVITE = Offer(_("Invite people"), "survey-invitations", _EDIT)
_PRESENT = Offer(_("Present it"), "survey-present", _EDIT | _ANALYSE)
_RESULTS = Offer(_("See the results"), "survey-results", _ANALYSE)
_EXPORT = Offer(_("Export"), "survey-export", _ANALYSE)
_SCHEDULE = Offer(_("Change times or cap"), "survey-schedule", _EDIT)
_CLOSE = Offer(_("Close…"), "survey-close", _EDIT)
_SEAL = Offer(_("Seal…"), "survey-seal", _EDIT)
_CHANGE = Offer(_("New version"), "survey-next-version", _EDIT, post=True)

_STEPS: Mapping[Stage, tuple[Promise, tuple[Offer, ...]]] = {
    Stage.EMPTY: (_("A survey needs at least one question."), (_WRITE,)),
    Stage.READY: (
        _(
            "Look at it as respondents will, rehearse it with simulated ones, then open it. Opening freezes the "
            "questions and their chance."
        ),
        (_OPEN, _REHEARSE, _PREVIEW, _EDIT_IT),
    ),
    Stage.WAITING: (
        _("It takes answers from %(opens)s on. Let people know the code."),
        (_SHARE, _SCHEDULE),
    ),
    Stage.FEW: (
        _("Share it with your class. Results appear from %(minimum)s answers on; %(received)s so far."),
        (_SHARE, _PRESENT),
    ),
    Stage.BATCH: (
        _(
            "%(received)s answers are in. Results are drawn from batches that leave as many behind, so that no two "
            "looks differ by one response: the first comes at about %(double)s answers, or when you close it."
        ),
        (_PRESENT, _SHARE, _CLOSE),
    ),
    Stage.ENOUGH: (
        _("There are enough answers to read the results; they follow while more come in."),
        (_RESULTS, _PRESENT, _SHARE),
    ),
    Stage.FULL: (
        _("It has all the answers it wants, %(cap)s, and takes no more. Close it, and the results are final."),
        (_CLOSE, _SCHEDULE),
    ),
    Stage.OVER: (
        _("Its closing time, %(closes)s, has passed: it takes no more answers. Close it, and the results are final."),
        (_CLOSE, _SCHEDULE),
    ),
    Stage.PAUSED: (_("No answers are accepted now."), (_RESUME, _CLOSE)),
    Stage.CLOSED: (
        _("No more answers are accepted. The results are final."),
        (_RESULTS, _EXPORT, _SEAL),
    ),
    Stage.CLOSED_WITHOUT: (
        _(
            "No more answers are accepted. Results need %(minimum)s answers and %(received)s came in: they stay "
            "hidden. You can ask again in a new version."
        ),
        (_CHANGE,),
    ),
    Stage.SEALED: (_("Only sums are left of what came in, and the results are final."), (_RESULTS, _EXPORT)),
    Stage.SEALED_WITHOUT: (
        _(
            "Only sums are left of what came in. Results need %(minimum)s answers and %(received)s came in: they stay "
            "hidden. You can ask again in a new version."
        ),
        (_CHANGE,),
    ),
    Stage.PURGING: (
        _(
            "The reports are deleted, down to the last count. What was asked and what was released stay. You can ask "
            "again in a new version."
        ),
        (_CHANGE,),
    ),
    Stage.PURGED: (
        _(
            "The reports are destroyed, down to the last count. What was asked and what was released stay. You can ask "
            "again in a new version."
        ),
        (_CHANGE,),
    ),
}

_WITH_A_LATER_VERSION = _("Nothing is left to do here. Version %(edition)s follows it.")


def next_step(course: Course, rights: frozenset[Right], *, later: Survey | None = None) -> NextStep:
    """Return the next step of a survey for somebody with these rights; `later` is a version that follows it."""
    survey = course.survey
    words, offers = _STEPS[course.stage]
    if survey.by_invitation:
        offers = tuple(_INVITE if offer is _SHARE else offer for offer in offers)
    facts = {
        "minimum": whole(survey.minimum_n),
        "double": whole(2 * survey.minimum_n),
        "received": whole(course.received),
        "cap": whole(survey.response_cap or 0),
        "opens": on_its_clocks(survey.opens_at, survey) if survey.opens_at else "",
        "closes": on_its_clocks(survey.closes_at, survey) if survey.closes_at else "",
    }
    if later is not None and _CHANGE in offers:
        words = _WITH_A_LATER_VERSION
        facts["edition"] = str(later.edition)
        onward = Button(
            gettext("Go to version %(edition)s") % facts, reverse("survey-detail", args=[later.code]), "survey-detail"
        )
        return NextStep(str(words) % facts, (onward,))
    return NextStep(str(words) % facts, buttons_of(offers, survey, rights))
