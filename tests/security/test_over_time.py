"""Somebody keeps every page and file of a survey over time, joins them, subtracts and solves: nobody is singled out.

Each sequence lets people answer in groups, looks now and then, pauses, closes, exports, seals and exports again. The
adversary has all ten protected reports of a person as a fingerprint, by which rows of any two files can be joined, and
every sum of responses that a page can be drawn from. What the files tell of a person together is shared by at least the
minimum, and no sum or difference of figures is about fewer.
"""

import csv
import io
import itertools
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

import numpy as np
import pytest
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from surveys.common import caches
from surveys.common.selectors import definition_of
from surveys.course.services import close_survey, open_survey, pause_survey, seal_survey
from surveys.drafts.services.groups import add_group
from surveys.exporting import selectors as exporting
from surveys.exporting import words
from surveys.models import Group, Response, Survey
from surveys.responses import told as rule
from surveys.responses.selectors.snapshot import Snapshot, snapshot_of
from surveys.responses.told import recode, separable_groups
from tests.factories import make_open, make_user, plain, settle, yes_no

pytestmark = [pytest.mark.django_db, pytest.mark.uncounted]

MINIMUM = 5
PROTECTED = 10
ARMS = [{"name": "A", "weight": 1}, {"name": "B", "weight": 1}]
FILES = ("survey-export-csv", "survey-export-labels")
Atom = TypeVar("Atom", bound=Hashable)
Person = tuple[int, int, int, int]
"""Group, sex, year and arm: what others may know of somebody. 0 is no group."""


@dataclass
class Adversary:
    """What somebody has kept: of each file what it tells of whom, and of each page the sums that it is drawn from."""

    people: dict[str, Person] = field(default_factory=dict)  # by fingerprint: known to the test, not to the adversary
    batch_of: dict[str, int] = field(default_factory=dict)  # at which look somebody was counted first
    files: list[dict[str, tuple[str, ...]]] = field(default_factory=list)
    sums: list[frozenset[tuple[Person, int]]] = field(default_factory=list)  # by what people may be told apart by

    @property
    def pieces(self) -> Counter[tuple[tuple[str, ...] | None, ...]]:
        """How many people there are of whom all files together tell the same, and who are in the same files."""
        seen = set().union(*self.files)
        return Counter(tuple(file.get(one) for file in self.files) for one in seen)

    @property
    def too_few(self) -> list[object]:
        """Whatever is about fewer people than the minimum."""
        joined: list[object] = [(piece, n) for piece, n in self.pieces.items() if n < MINIMUM]
        return joined + _solved(self.sums, Counter((self.people[one], batch) for one, batch in self.batch_of.items()))


def _solved(sums: Sequence[frozenset[Atom]], sizes: Counter[Atom]) -> list[object]:
    """Return the sets of at most three atoms, too few people together, that combinations of all sums are about."""
    atoms = list(sizes)
    if not sums or not atoms:
        return []
    shown = np.array([[atom in small for atom in atoms] for small in set(sums)], dtype=float)
    _, strengths, right = np.linalg.svd(shown)
    inside = right[: (strengths > 1e-9).sum()]
    missing = np.eye(len(atoms)) - inside.T @ inside
    few = [place for place, atom in enumerate(atoms) if sizes[atom] < MINIMUM]
    small: list[object] = []
    for number in (1, 2, 3):
        for chosen in itertools.combinations(few, number):
            n = sum(sizes[atoms[place]] for place in chosen)
            if n < MINIMUM and np.abs(missing[:, chosen].sum(axis=1)).max() < 1e-9:
                small.append((n, [atoms[place] for place in chosen]))
    return small


class Course:
    """A survey from its opening to its sealing, by chance."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)  # noqa: S311 - answers of nobody
        self.plain = self.chance.random() < 0.7
        self.arms = self.plain and self.chance.random() < 0.4
        questions = [yes_no(f"Sensitive {number}?", leave_out="no") for number in range(PROTECTED)]
        if self.plain:
            questions.append(plain(("Woman", "Man", "Other"), "Which sex are you?", leave_out="no"))
            questions.append(plain(leave_out="no"))
        if self.arms:
            questions.append(yes_no("Only some?", arms=[1], leave_out="no"))
        owner = make_user()
        self.survey = make_open(*questions, owner=owner, minimum_n=MINIMUM, **({"arms": ARMS} if self.arms else {}))
        self.groups: list[Group | None] = [None]
        self.groups += [add_group(survey=self.survey, name=name) for name in ("7a", "7b", "7c")]
        self.client = Client()
        self.client.force_login(owner)
        self.fingerprints = [format(number, f"0{PROTECTED}b") for number in range(2**PROTECTED)]
        self.chance.shuffle(self.fingerprints)
        self.adversary = Adversary()

    def run(self) -> Adversary:
        for _ in range(self.chance.randint(4, 9)):
            self._join(self.chance.randrange(len(self.groups)), self.chance.choice([1, 2, 3, 6, 12, 25]))
            if self.chance.random() < 0.6:
                self.look()
            if self.chance.random() < 0.1:
                self.survey = open_survey(survey=pause_survey(survey=self.survey))
        self.close()
        self.look()
        self.survey = seal_survey(survey=self.survey, pairs_only=self.chance.random() < 0.3)
        self.look()
        return self.adversary

    def close(self) -> None:
        self.survey = close_survey(survey=self.survey)

    def _join(self, place: int, number: int) -> None:
        """Let so many people answer in a group; of their sex and year one is rare."""
        rows = []
        group = self.groups[place]
        for _ in range(number):
            sex, year = (self.chance.choices(range(3), [8, 8, 1])[0] if self.plain else 0 for _ in range(2))
            arm = self.chance.randrange(2) if self.arms else 0
            fingerprint = self.fingerprints.pop()
            self.adversary.people[fingerprint] = (place, sex, year, arm)
            reports = f"{fingerprint}{sex}{year}" if self.plain else fingerprint
            if self.arms:
                reports += f"{self.chance.choice('01') if arm == 0 else '-'}{arm}"
            rows.append((self.survey.pk, group and group.pk, "device", reports, self.chance.randbytes(16)))
        with connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO surveys_response (survey_id, group_id, mode, reports, nonce_hash)"
                " VALUES (%s, %s, %s, %s, %s)",
                rows,
            )

    def look(self) -> None:
        """Look at the results, take every file, and keep it all."""
        settle(self.survey)
        self._keep_sums()
        for name in FILES:
            response = self.client.get(reverse(name, args=[self.survey.code]))
            content = b"".join(response.streaming_content) if response.streaming else response.content  # type: ignore[attr-defined]
            if response.status_code == 200:
                self._keep_file(content.decode("utf-8-sig"))

    def _keep_sums(self) -> None:
        """Keep whatever sums of responses a page may be drawn from at this moment."""
        kept, survey = self.adversary, Survey.objects.get(pk=self.survey.pk)
        waiting = set(Response.objects.filter(survey=survey).values_list("reports", flat=True))
        now = len(kept.sums)
        for one in kept.people.keys() - kept.batch_of.keys() - {reports[:PROTECTED] for reports in waiting}:
            kept.batch_of[one] = now
        definition, snapshot = recode(definition_of(survey), snapshot_of(survey, definition_of(survey)))
        if not snapshot.enough:
            return
        groups = separable_groups(snapshot, definition)
        parts: dict[object, set[tuple[Person, int]]] = {}
        for one, batch in kept.batch_of.items():
            place, sex, year, arm = person = kept.people[one]
            group = self.groups[place]
            key = group.pk if group else 0
            codes = {PROTECTED: sex, PROTECTED + 1: year} if self.plain else {}
            codes |= {PROTECTED + 3: arm} if self.arms else {}
            cells = tuple(_cell(snapshot, item, code) for item, code in codes.items())
            apart = key if key in groups else None
            parts.setdefault((apart, cells), set()).add((person, batch))
        kept.sums += map(frozenset, parts.values())

    def _keep_file(self, content: str) -> None:
        _, *rows = csv.reader(io.StringIO(content, newline=""))
        coded = {"No": "0", "Yes": "1"}
        after = PROTECTED + 2 * self.plain
        self.adversary.files.append(
            {
                "".join(coded.get(cell, cell) for cell in row[:PROTECTED]): tuple(
                    row[PROTECTED:after] + row[after + self.arms :]
                )
                for row in rows
            }
        )


def _cell(snapshot: Snapshot, item: int, code: int) -> int:
    return int(snapshot.recoded[item][code]) if item in snapshot.recoded else code


def _kept_by(seed: int) -> Adversary:
    """Return what somebody has kept of one sequence; nothing of it stays in the database."""
    with transaction.atomic():
        caches.clear()
        course = Course(seed).run()
        transaction.set_rollback(True)
    caches.clear()
    return course


@pytest.mark.parametrize("seeds", [range(10), pytest.param(range(10, 1000), marks=pytest.mark.slow)])
def test_nobody_is_singled_out_by_all_that_was_ever_told(seeds: range) -> None:
    differing = 0
    for seed in seeds:
        course = _kept_by(seed)
        assert course.too_few == [], seed
        differing += any(len(set(file.values())) > 1 for file in course.files)
    # In most sequences files do tell people apart.
    assert differing > len(seeds) / 2


def test_what_was_decided_afresh_at_each_look_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault is the rule of old: rows of an open survey, and groups that each look tells apart anew."""
    for module in (exporting, words, rule):
        monkeypatch.setattr(module, "is_final", lambda _snapshot: True)
    monkeypatch.setattr(rule, "_decided", lambda _snapshot: None)
    assert sum(bool(_kept_by(seed).too_few) for seed in range(10)) > 3


def test_another_rule_of_a_later_program_parts_a_closed_survey_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    def files(*, stored: bool) -> list[dict[str, tuple[str, ...]]]:
        with transaction.atomic(), monkeypatch.context() as patch:
            caches.clear()
            if not stored:
                patch.setattr(rule, "_decided", lambda _snapshot: None)
            sequence = Course(4)
            for place in range(4):
                sequence._join(place, 40 + place)
            sequence.close()
            sequence.look()
            patch.setattr(rule, "separable_parts", lambda sizes, _least: frozenset(list(sizes[0])[:1]))
            sequence.look()
            transaction.set_rollback(True)
        return sequence.adversary.files[:: len(FILES)]

    before, after = files(stored=True)
    assert before == after
    before, after = files(stored=False)
    assert before != after
