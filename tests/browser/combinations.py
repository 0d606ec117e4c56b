"""Every kind of question with every design that suits it and every way of leaving it out, from the registries."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from surveys.answering.words.own_chance import why_not_coins
from surveys.common.selectors import definition_of
from surveys.models import Survey
from surveys.questionnaire import designs, kinds
from surveys.questionnaire.kinds import LeaveOut
from surveys.questionnaire.question import Question
from tests import factories
from tests.factories import every_kind, make_draft, make_open


def _made(part: str, name: str) -> Question:
    """Return a question of this kind, or with this design, among those of all kinds or by a factory of that name."""
    match = next((draft for draft in every_kind() if getattr(draft, part) == name), None)
    return match or getattr(factories, name)()


@dataclass(frozen=True)
class Combination:
    """One way to ask; what its kind and its design need besides is as the factories have it."""

    kind: str
    design: str
    leave_out: str

    @property
    def arms(self) -> int:
        """How many arms it is asked in: a list of statements tells something beside a longer one only."""
        return 2 if kinds.named(self.kind).counts_options else 1

    def drafts(self, arm: int) -> list[Question]:
        draft = self._draft(arm)
        if self.arms == 1:
            return [draft]
        longer = replace(draft, options=[*draft.options, "I have cheated"], arms=[arm + 1], quantity=arm)
        return [replace(draft, quantity=arm), longer]

    def _draft(self, arm: int) -> Question:
        by_design = _made("design", self.design)
        # What suits a design of one kind alone, as its numbers do, it brings along.
        of_kind = by_design if by_design.kind == self.kind else _made("kind", self.kind)
        # A fact in the head serves one question only.
        facts = {
            name: f"{arm}. {text}"
            for name, text in by_design.details.items()
            if name in designs.named(self.design).details
        }
        return replace(
            of_kind,
            text=f"Asked in arm {arm}?",
            design=self.design,
            parameters=by_design.parameters,
            accepts_infinite=by_design.accepts_infinite,
            leave_out=self.leave_out,
            details=facts
            | {name: value for name, value in of_kind.details.items() if name in kinds.named(self.kind).detail_names},
            arms=[arm],
        )


COMBINATIONS = [
    Combination(str(kind.name), design, leave_out)
    for kind in kinds.every()
    for leave_out in map(str, LeaveOut)
    for design in kinds.suitable_designs(str(kind.name), leave_out)
]


def _representative() -> Iterator[Combination]:
    """Yield as few as show every kind, every design and every way of leaving out."""
    shown: set[str] = set()
    for combination in COMBINATIONS:
        new = {combination.kind, combination.design, combination.leave_out} - shown
        shown |= new
        if new:
            yield combination


_TOGETHER = 16  # asked in one survey
_REST = [combination for combination in COMBINATIONS if combination not in (few := [*_representative()])]
WALKED = [few, *(_REST[first : first + _TOGETHER] for first in range(0, len(_REST), _TOGETHER))]
"""All combinations, the representative ones first, in lots that one survey asks."""


def open_walk(combinations: Sequence[Combination]) -> Survey:
    """Open a survey that asks all of these in arms: what coins cannot do in one of its own, lists in two others."""
    made = [combination.drafts(2 * number + 1) for number, combination in enumerate(combinations)]
    tried = definition_of(make_draft(*(replace(drafts[0], arms=[], quantity=0) for drafts in made)))
    asked: list[tuple[str, Question]] = []
    for number, (drafts, question) in enumerate(zip(made, tried.questions, strict=True), start=1):
        names = ("First", "Second") if len(drafts) > 1 else (("First", "Second")[number % 2],)
        if len(drafts) == 1 and why_not_coins(question):
            names = ("No coins",)
        quantity = number if len(drafts) > 1 else 0
        asked += [(name, replace(draft, quantity=quantity)) for name, draft in zip(names, drafts, strict=True)]
    used = sorted({name for name, _draft in asked})
    arms = [{"name": name, "weight": 1} for name in used] if len(used) > 1 else []
    questions = [replace(draft, arms=[used.index(name) + 1] if arms else []) for name, draft in asked]
    return make_open(*questions, arms=arms, server_mode_allowed=True)
