"""What a look at an open survey tells, from everything that its owner and an admin can look at.

Two worlds are built on the real services that differ only in what must not be seen: the looks must be the same, byte
for byte but for what chance puts into a page. So no pair of pages, files or options can be held against each other to
find it, now or later.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from surveys.common import caches
from surveys.course.services import close_survey
from surveys.drafts.services.groups import add_group
from surveys.models import Group, Survey
from surveys.responses import told as rule
from surveys.responses.selectors import snapshot as snapshots
from tests.factories import fill, make_admin, make_budget, make_open, make_user, one_of, send, yes_no
from tests.security.looks import Look

pytestmark = [pytest.mark.django_db, pytest.mark.uncounted]

MINIMUM = 5
# Every page, every file and every form in both; one other choice of each name, or every choice.
EVERY_CHOICE = pytest.mark.parametrize("every_choice", [False, pytest.param(True, marks=pytest.mark.slow)])
World = Callable[[Survey, dict[str, Group]], None]


@dataclass(frozen=True)
class Class:
    """A survey of four links, and whoever looks at it."""

    survey: Survey
    groups: dict[str, Group]
    lookers: dict[str, Client]

    def looks(self, world: World, pages: Sequence[str] = (), *, every_choice: bool = True) -> dict[str, Look]:
        """Look at the survey as it is in a world, and take the world back; by default at everything."""
        with transaction.atomic():
            caches.clear()
            world(self.survey, self.groups)
            now = Survey.objects.get(pk=self.survey.pk)
            found = {
                who: Look(client, now, staff=who == "admin", pages=pages, every_choice=every_choice)
                for who, client in self.lookers.items()
            }
            transaction.set_rollback(True)
        caches.clear()
        return found

    def differences(
        self, one: World, other: World, pages: Sequence[str] = (), *, every_choice: bool = True
    ) -> list[tuple[str, str]]:
        """Return who sees a difference between two worlds, and where."""
        before, after = (self.looks(world, pages, every_choice=every_choice) for world in (one, other))
        return [(who, address) for who in before for address in before[who].differs_from(after[who])]


@pytest.fixture
def room() -> Class:
    owner = make_user("owner")
    questions = (yes_no(), one_of(leave_out="visibly"), yes_no("Did you ever copy?"), yes_no("Hardly ever answered?"))
    survey = make_open(*questions, owner=owner, minimum_n=MINIMUM, code="WATCHED2")
    groups = {name: add_group(survey=survey, name=name) for name in ("North", "East", "South", "West")}
    make_budget(survey)
    lookers = {"owner": Client(), "admin": Client()}
    for who, user in (("owner", owner), ("admin", make_admin())):
        lookers[who].force_login(user)
    return Class(survey, groups, lookers)


def _everybody(survey: Survey, groups: dict[str, Group], rare: str) -> None:
    """Fill two groups that are told apart; three people answer the last question, these reports."""
    fill(survey, {"101-": 12, "010-": 9, "121-": 7}, group=groups["North"])
    for report in rare:
        fill(survey, {f"111{report}": 1}, group=groups["North"])
    fill(survey, {"001-": 12, "110-": 9, "-20-": 7}, group=groups["East"])


def _live(rare: str, hidden: tuple[str, str], waiting: tuple[str, str], mode: str) -> World:
    """Return a world of an open survey; in two small groups too few answered the third question."""

    def world(survey: Survey, groups: dict[str, Group]) -> None:
        _everybody(survey, groups, rare)
        fill(survey, {"11--": 4, "101-": 3}, group=groups[hidden[0]])
        fill(survey, {"02--": 4, "000-": 3}, group=groups[hidden[1]])
        fill(survey, {"000-": 6}, mode=mode)
        for reports in waiting:
            send(survey, reports, mode=mode, group=groups["North"])

    return world


_ONE = _live("001", ("South", "West"), ("1111", "1110"), "device")
_OTHER = _live("110", ("West", "South"), ("0---", "02-0"), "own_coin")


def _closed(places: tuple[str, str, str], modes: tuple[str, str]) -> World:
    """Return a world of a closed survey: small groups in these places; two people's own coins in a large one."""

    def world(survey: Survey, groups: dict[str, Group]) -> None:
        _everybody(survey, groups, "001")
        for reports, number, place in zip(("111-", "00--", "-1--"), (3, 4, 1), places, strict=True):
            fill(survey, {reports: number}, group=groups.get(place))
        fill(survey, {"111-": 2}, mode=modes[0], group=groups["North"])
        fill(survey, {"000-": 2}, mode=modes[1], group=groups["North"])
        close_survey(survey=survey)

    return world


@EVERY_CHOICE
def test_a_live_look_tells_nothing_of_who_waits_of_modes_and_of_small_groups(room: Class, every_choice: bool) -> None:
    assert room.differences(_ONE, _OTHER, every_choice=every_choice) == []


@pytest.mark.slow
@EVERY_CHOICE
def test_a_look_after_the_close_tells_no_small_group_from_another_or_from_none(room: Class, every_choice: bool) -> None:
    one = _closed(("South", "West", "none"), ("device", "own_coin"))
    other = _closed(("none", "South", "West"), ("own_coin", "device"))
    assert room.differences(one, other, every_choice=every_choice) == []


@pytest.mark.parametrize(
    ("fault", "found"),
    [
        # Figures of all that came, not of whole batches.
        ((snapshots, "responses_in_figures", lambda _survey, standing: standing.received), "survey-results"),
        # Who flipped the coins, although more answers may come.
        ((rule, "is_final", lambda _snapshot: True), "survey-results"),
    ],
)
def test_a_look_that_tells_more_would_be_found(
    room: Class, monkeypatch: pytest.MonkeyPatch, fault: tuple[object, str, object], found: str
) -> None:
    monkeypatch.setattr(*fault)
    assert ("owner", reverse(found, args=[room.survey.code])) in room.differences(_ONE, _OTHER, [found])


@pytest.mark.slow
@EVERY_CHOICE
def test_one_more_answer_changes_the_number_of_answers_and_nothing_else(room: Class, every_choice: bool) -> None:
    def world(survey: Survey, groups: dict[str, Group]) -> None:
        fill(survey, {"101-": 1012})
        send(survey, "1111", group=groups["North"])

    def joined(survey: Survey, groups: dict[str, Group]) -> None:
        world(survey, groups)
        send(survey, "0000", group=groups["South"], mode="own_coin")

    before, after = (room.looks(answers, every_choice=every_choice) for answers in (world, joined))
    number = re.compile(r"1,?01[34]|ETag', '[^']*'|data-etag=\"[^\"]*\"")
    for who, look in before.items():
        other = after[who].texts
        assert look.texts.keys() == other.keys()
        assert [at for at, text in look.texts.items() if number.sub("N", text) != number.sub("N", other[at])] == []
