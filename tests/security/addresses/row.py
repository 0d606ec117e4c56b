"""How a row of the table reads: an address, whom it is for, and what each method answers them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.urls import reverse

from surveys.models import Survey
from tests.security.addresses.setting import Setting

METHODS = ("GET", "POST", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS")
OUTSIDE = ("anonymous", "deactivated")
SIGNED_IN = ("stranger", "admin", "editor", "analyst", "releaser", "owner")
VISITORS = (*OUTSIDE, *SIGNED_IN)
MEMBERS = {"editor", "analyst", "releaser", "owner"}
# Spelled out once more on purpose: the code has a list of its own.
MAY = {
    "see": MEMBERS,
    "edit": {"editor", "owner"},
    "analyse": {"analyst", "owner"},
    "release": {"releaser", "owner"},
    "show": {"owner"},
    "present": {"editor", "analyst", "owner"},
    "own": {"owner"},
}

Statuses = int | Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class Row:
    """One address in one state of a survey.

    Attributes
    ----------
    name : str
        The address's name, behind the pattern of what includes it, if anything does.
    to : str
        "everybody", "people" who are signed in, or those with a right of `MAY`: to others who take part the page is
        refused (403), and to anybody else there is no survey (404).
    get, post : int, mapping or None
        What those whom it is for are answered, all of them or each by name ("others" for those not named); None where
        the method is refused (405). HEAD goes with GET.
    body
        What the POST sends: such that it does its work when its `actor` sends it (`changes`: whether the
        database is another one afterwards).
    state : str
        Of the survey: a name of `setting.STATES`.
    extra
        What else the address takes behind the survey's code.
    actor : str
        Who sends the POST that does its work.
    rehearsals : bool
        Whether the page is there for copies to rehearse with, too.
    more
        Answers to further methods, where a row needs them.
    programs : bool
        Whether programs read it: who is not signed in is then asked for a token (401), unless a browser asks.
    """

    name: str
    to: str
    get: Statuses | None = 200
    post: Statuses | None = None
    body: Mapping[str, Any] | Callable[[Setting, Survey], Mapping[str, Any]] = field(default_factory=dict)
    state: str = "draft"
    extra: tuple[Any, ...] = ()
    where: Callable[[Setting, Survey], str] | None = None
    changes: bool = True
    actor: str = "owner"
    rehearsals: bool = False
    more: Mapping[str, Statuses] = field(default_factory=dict)
    programs: bool = False

    @property
    def of_a_survey(self) -> bool:
        """Whether it is a page that a survey's members have."""
        return self.to in MAY

    def address(self, setting: Setting, survey: Survey) -> str:
        """Return where it is for this survey."""
        if self.where is not None:
            return self.where(setting, survey)
        return reverse(
            self.name.rpartition(" ")[2], args=[survey.code, *self.extra] if self.of_a_survey else self.extra
        )

    def prepare(self, setting: Setting, survey: Survey) -> None:
        """Make now whatever its requests name, so that it is there before anything is compared or taken back."""
        self.address(setting, survey)
        self.fields(setting, survey)

    def fields(self, setting: Setting, survey: Survey) -> dict[str, Any]:
        """Return what its POST sends."""
        return dict(self.body(setting, survey) if callable(self.body) else self.body)

    def is_for(self, visitor: str) -> bool:
        """Whether a visitor gets further than the door."""
        if self.of_a_survey:
            return visitor in MAY[self.to]
        return self.to == "everybody" or visitor in SIGNED_IN

    def expected(self, visitor: str, method: str) -> int:
        """Return the status that a visitor must be answered."""
        if not self.is_for(visitor):
            if visitor in OUTSIDE:
                return 401 if self.programs else 302
            return 403 if visitor in MEMBERS else 404
        return _status({"GET": self.get, "HEAD": self.get, "POST": self.post, **self.more}.get(method), visitor)


def _status(statuses: Statuses | None, visitor: str) -> int:
    if statuses is None:
        return 405
    return statuses if isinstance(statuses, int) else statuses.get(visitor, statuses.get("others", 405))


def public(name: str, **changes: Any) -> Row:
    """Return a row for everybody."""
    return Row(name=name, to="everybody", **changes)


def personal(name: str, **changes: Any) -> Row:
    """Return a row for people who are signed in."""
    return Row(name=name, to="people", **changes)


def of_survey(name: str, to: str, **changes: Any) -> Row:
    """Return a row for a survey's members with a right, and its owner."""
    return Row(name=name, to=to, **changes)
