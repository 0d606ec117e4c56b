"""The numbers beside a question: its dial, other settings and designs, the survey's ε, and what makes both enough."""

import math
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import dropwhile
from typing import ClassVar, NamedTuple

from surveys.drafts.figures import USUAL_SHARE, ExpectedPrecision, expected_of
from surveys.numbers.words import says_too_little
from surveys.privacy.designs import (
    Design,
    DesignFamily,
    direct,
    optimized_unary,
    probability_of,
)
from surveys.privacy.designs import total_epsilon as sum_of_epsilons
from surveys.privacy.designs.design import Parameter
from surveys.questionnaire import designs, kinds
from surveys.questionnaire.asked_question import AskedQuestion, Item, ask
from surveys.questionnaire.designs import InTheHead
from surveys.questionnaire.kinds import LARGEST_DENOMINATOR, Loss, Range, suitable_designs
from surveys.questionnaire.question import LARGEST_EPSILON, Question

_PARTS = 20
_REMEMBERED = 64
_TWENTIETHS = tuple(Fraction(part, _PARTS) for part in range(1, _PARTS))


@dataclass(frozen=True, slots=True)
class DialSetting:
    """One probability, and the item as it would be then."""

    probability: Fraction
    item: Item
    is_now: bool

    @property
    def epsilon(self) -> float:
        """What an answer costs then, in nats."""
        return self.item.answers.losses(self.item.design)[0].epsilon


def steps_of(item: Item) -> tuple[DialSetting, ...]:
    """Return the twentieths that a device could be set to, and the probability that it is set to, in their order.

    The last is the least private one; () where a fact that nobody can choose replaces the coins, and where no twentieth
    would do.
    """
    turned_by = probability_of(item.design)
    if turned_by is None:
        return ()
    now, family = turned_by[1], item.chance.matrices
    others = tuple((name, value) for name, value in item.design.exact_parameters if name != family.turned_by)
    below = now < family.useless_beside(dict(others))
    designs = {now: item.design, **dict(_turns(family, item.design.k, others, below))}
    settings = (
        DialSetting(probability, replace(item, design=designs[probability]), probability == now)
        for probability in sorted(designs, reverse=below)
    )
    return tuple(setting for setting in settings if setting.is_now or setting.epsilon <= LARGEST_EPSILON)


def facts_of(item: Item) -> tuple[DialSetting, ...]:
    """Return the shares that facts which are easy to find have, and the item as it would be with such a fact.

    () for designs without a fact, or without a finite ε.
    """
    asked_with = item.chance
    if not isinstance(asked_with, InTheHead) or not asked_with.easy_shares:
        return ()
    family = asked_with.matrices
    now = dict(item.design.exact_parameters)[family.turned_by]
    designs = {share: family.turned(item.design, share) for share in asked_with.easy_shares}
    return tuple(
        DialSetting(share, replace(item, design=design), share == now)
        for share, design in designs.items()
        if design.epsilon <= LARGEST_EPSILON
    )


@lru_cache(maxsize=_REMEMBERED)
def _turns(
    family: DesignFamily, k: int, others: tuple[tuple[str, Parameter], ...], below: bool
) -> tuple[tuple[Fraction, Design], ...]:
    """Return the designs at all twentieths on one side of the value at which reports tell nothing."""
    useless = family.useless_beside(dict(others))
    made = (
        (part, family.design(k, {family.turned_by: part, **dict(others)}))
        for part in _TWENTIETHS
        if part != useless and (part < useless) is below
    )
    return tuple(
        (part, design)
        for part, design in made
        if design.epsilon <= LARGEST_EPSILON and design.denominator <= LARGEST_DENOMINATOR
    )


# What every design that suits a question would make of the same ε: the cost of randomizing, and which costs least.


# Closer than it is shown, so that designs are compared and not their roundings.
_CLOSE = Fraction(9999, 10_000)
# Margins of error that differ by less are one in the tables, and in anybody's result.
_ALIKE = 0.0005


@dataclass(frozen=True, slots=True)
class AtEqualEpsilon:
    """One design at the question's ε; without an expectation it cannot have this ε."""

    name: str  # of a design; "own" for a question whose own coins are not fair; "direct" for an unprotected question
    expected: ExpectedPrecision | None
    is_chosen: bool = False

    @property
    def half_width(self) -> float:
        """How far off its result may be; infinite where there is none."""
        return self.expected.half_width if self.expected else math.inf


@dataclass(frozen=True, slots=True)
class DesignComparison:
    """The designs that suit a question, at its ε."""

    rows: tuple[AtEqualEpsilon, ...]
    direct: AtEqualEpsilon

    @property
    def possible(self) -> tuple[AtEqualEpsilon, ...]:
        """Those that can have this ε."""
        return tuple(row for row in self.rows if row.expected)

    @property
    def impossible(self) -> tuple[AtEqualEpsilon, ...]:
        """Those that cannot: their ε is infinite whatever their probabilities."""
        return tuple(row for row in self.rows if not row.expected)

    @property
    def most_precise(self) -> tuple[AtEqualEpsilon, ...]:
        """Those with the smallest margin of error; several where they are alike."""
        least = min(row.half_width for row in self.possible)
        return tuple(row for row in self.possible if row.half_width < least + _ALIKE)

    @property
    def all_alike(self) -> bool:
        """Whether it does not matter which is chosen."""
        return len(self.most_precise) == len(self.possible)

    @property
    def worth(self) -> float:
        """How many randomized answers are worth one direct answer."""
        return (self.most_precise[0].half_width / self.direct.half_width) ** 2


def compare_designs(question: AskedQuestion, *, n: int, share: Fraction) -> DesignComparison | None:
    """Return the comparison; None where ε is infinite, which no other design need match."""
    asked = expected_of(question, n=n, share=share)
    epsilon = question.losses[0].epsilon
    if epsilon == math.inf:
        return None
    rows = []
    for name in suitable_designs(question.kind, question.leave_out):
        asked_with = designs.named(name)
        if not asked_with.protects or asked_with.matrices.compared_as:
            continue
        limits = question.first.range
        if limits and asked_with.for_numbers:
            usual = {"grid": asked_with.usual_grid(limits.steps)}
            if asked_with.refused_limits(usual, limits.low, limits.steps):
                continue
        design = _at(name, question, epsilon)
        expected = ExpectedPrecision(design, asked.is_mean, n, share) if design else None
        rows.append(AtEqualEpsilon(name, expected, is_chosen=name == question.design.name))
    if any(kinds.traits_of(question.kind, row.name).one_true for row in rows):
        # Two coins can be set so that they seldom give a Yes, which suits options that few have.
        option = optimized_unary(epsilon, question.answer_count).bit
        rows.append(AtEqualEpsilon("optimized_unary", ExpectedPrecision(option, asked.is_mean, n, share)))
    if all(not row.is_chosen or abs(row.half_width - asked.half_width) >= _ALIKE for row in rows):
        rows = [AtEqualEpsilon("own", asked, is_chosen=True)] + [AtEqualEpsilon(row.name, row.expected) for row in rows]
    return DesignComparison(tuple(rows), AtEqualEpsilon("direct", ExpectedPrecision(direct(), asked.is_mean, n, share)))


def _at(name: str, question: AskedQuestion, epsilon: float) -> Design | None:
    asked_with, item, chosen = designs.named(name), question.first, question.design
    if asked_with.always_proves:
        return None
    family = asked_with.matrices
    asked = kinds.traits_of(question.kind, name)
    if asked.one_true or question.answers.one_true:
        return asked.at_epsilon(family, epsilon, question.answer_count, close=_CLOSE)
    if chosen.name == name:
        kept = {parameter: value for parameter, value in chosen.exact_parameters if parameter != family.turned_by}
        kept = kept if asked_with.for_numbers else {fact: kept[fact] for fact in family.kept_facts}
        return family.at_epsilon(epsilon, chosen.k, close=_CLOSE, **kept)
    if asked_with.for_numbers:
        return family.at_epsilon(epsilon, asked_with.usual_grid(item.range.steps if item.range else 0), close=_CLOSE)
    # Of the mean of a number one bit has two answers.
    return family.at_epsilon(epsilon, 2 if designs.named(chosen.name).for_numbers else chosen.k, close=_CLOSE)


# The privacy–accuracy dial: what a question's design means for respondents and for the result.


@dataclass(frozen=True)
class Dial:
    """What one design promises respondents and what it costs in precision.

    At an assumed true share; for the mean of a number, with the mean in the middle of its range. All but ε is computed
    when it is asked for: of a question that is not being edited a page shows little else.
    """

    question: AskedQuestion
    class_size: int
    share: Fraction
    people: int  # in all: not everybody may be asked it

    @property
    def item(self) -> Item:
        """One item, which stands for all."""
        return self.question.first

    @cached_property
    def expected(self) -> ExpectedPrecision:
        """What so many answers will be able to tell."""
        return expected_of(self.question, n=self.class_size, share=self.share)

    @property
    def half_width(self) -> float:
        """Of a share, or of a mean as a part of the range."""
        return self.expected.half_width

    @property
    def least(self) -> int:
        """How many people in all bring the smallest number of answers that is not too few."""
        return self._people_for(self.expected.least)

    @property
    def enough(self) -> int:
        """How many people in all would make the margin of error 10 points, or a tenth of the range."""
        return self._people_for(self.expected.enough)

    @property
    def enough_to_show(self) -> int | None:
        """How many people in all give the wanted power to distinguish a share from 0; None where no number does."""
        return self.expected.enough_to_show and self._people_for(self.expected.enough_to_show)

    def _people_for(self, answers: int) -> int:
        return math.ceil(Fraction(answers * self.people, self.class_size))

    @cached_property
    def epsilon(self) -> float:
        """The local ε of this question, in nats: that of all its items together."""
        return self.question.epsilon

    @property
    def protects(self) -> bool:
        """Return whether the question is protected; else there is no ε to add up."""
        return self.question.protects

    @property
    def proves(self) -> bool:
        """Return whether a report can prove an answer despite randomization: ε is infinite."""
        return self.protects and self.epsilon == math.inf

    @property
    def loss(self) -> Loss:
        """What one answer gives away; of several options that can be true the report on one."""
        return self.question.losses[0]

    @property
    def factor(self) -> Fraction | float:
        """How much one answer can change anybody's odds about the truth: e to its ε, exactly."""
        return self.loss.odds

    @property
    def range(self) -> Range | None:
        """The limits of a number."""
        return self.item.range

    @property
    def too_few(self) -> bool:
        """Whether so few answers could not support any conclusion."""
        return self.expected.too_few

    @property
    def is_vague(self) -> bool:
        """Whether results would probably tell an interval only."""
        return says_too_little(-self.half_width, self.half_width)

    @cached_property
    def settings(self) -> tuple["Dial", ...]:
        """The dial as it would be with each of its probabilities, the most private first; itself if it has none."""
        return tuple(self._with(step) for step in steps_of(self.item)) or (self,)

    @cached_property
    def telling(self) -> tuple["Dial", ...]:
        """Those of them with which so many answers are not too few."""
        return tuple(dropwhile(lambda dial: dial.too_few, self.settings))

    @property
    def fitting(self) -> tuple["Dial", ...]:
        """Those of these that cost no more than it does now; else the most private of them, else itself."""
        return tuple(dial for dial in self.telling if dial.epsilon <= self.epsilon) or self.telling[:1] or (self,)

    @property
    def probability(self) -> Fraction | None:
        """What it is set to; None for designs whose probability nobody can choose."""
        turned_by = probability_of(self.item.design)
        return turned_by[1] if turned_by else None

    @property
    def enough_at(self) -> Fraction | None:
        """The most private probability with which so many answers are not too few."""
        return self.telling[0].probability if self.telling else None

    @property
    def between(self) -> tuple[float, float, float]:
        """The lower limit to expect, the middle and the upper limit, as parts of all that is possible."""
        middle = 0.5 if self.range else float(self.share)
        return max(0.0, middle - self.half_width), middle, min(1.0, middle + self.half_width)

    def _with(self, step: DialSetting) -> "Dial":
        items = tuple(replace(item, design=step.item.design) for item in self.question.items)
        return replace(self, question=replace(self.question, items=items))


@dataclass(frozen=True, slots=True)
class NoDial:
    """Why there are no numbers yet."""

    reason: str
    proves: ClassVar[bool] = False
    protects: ClassVar[bool] = True


def dial_of(question: Question, *, class_size: int, share: Fraction = USUAL_SHARE) -> Dial:
    """Return the dial of a question whose parameters make a design."""
    # By itself it has no earlier question whose answers decide whom it is asked.
    (asked,) = ask([replace(question, asked_if={})], in_arms=False)
    return Dial(asked, class_size, share, people=class_size)


def total_epsilon(dials: Sequence[Dial | NoDial]) -> float | None:
    """Return the survey's ε, the sum over its questions; None while one of them has no number."""
    known = [dial.epsilon for dial in dials if isinstance(dial, Dial)]
    return sum_of_epsilons(known) if known and len(known) == len(dials) else None


# What makes the answers expected enough for every question and keeps the total ε within the level, both at once.


@dataclass(frozen=True, slots=True)
class Remedy:
    """Settings that do both, for the questions that have room then."""

    turns: dict[int, "Turn"]  # by the place of a question, from 0
    kept: int  # so many questions, from the first on
    asked: int  # of so many
    hopeless: tuple[int, ...]  # the numbers of questions for which no setting makes the answers enough
    epsilon: float  # the total of those that stay
    people: int | None  # so many are enough for what does not fit; None where all does, and where no number is enough

    @property
    def helps(self) -> bool:
        """Whether there is anything to be done."""
        return self.kept > 0 and bool(self.turns or self.drops)

    @property
    def drops(self) -> int:
        """How many questions have no room."""
        return self.asked - self.kept

    @property
    def less_private(self) -> "Turn | None":
        """The least protected before and after, of the questions that protect less then."""
        turns = [turn for turn in self.turns.values() if turn.after.epsilon > turn.before.epsilon]
        if not turns:
            return None
        return Turn(*(max(dials, key=lambda dial: dial.factor) for dials in zip(*turns, strict=True)))

    @property
    def widest(self) -> float | None:
        """The largest margin of error of the questions that protect more then."""
        wider = (turn.after.half_width for turn in self.turns.values() if turn.after.epsilon < turn.before.epsilon)
        return max(wider, default=None)


class Turn(NamedTuple):
    """A dial as it is, and as it would be with another probability."""

    before: Dial
    after: Dial


def remedy_of(dials: Sequence[Dial | NoDial], *, level: float, arms: Sequence[Collection[int]] = ()) -> Remedy | None:
    """Return the smallest turns that do both; None where nothing need be done.

    Where not all questions have room, the first ones stay. `arms` are the places of the questions of each arm: where
    there are any none is dropped, because those of another arm may be compared with it.
    """
    known = {place: dial for place, dial in enumerate(dials) if isinstance(dial, Dial)}
    together = arms or [known]
    if not any(dial.too_few for dial in known.values()) and _total(known, together) <= level:
        return None
    choices = {place: list(dial.fitting) for place, dial in known.items()}
    private = {place: choice[0] for place, choice in choices.items()}
    counts = [len(dials)] if arms else range(len(dials), 0, -1)
    kept = next((count for count in counts if _total(_first(private, count), together) <= level), 0)
    now = _first({place: choice[-1] for place, choice in choices.items()}, kept)
    while kept and _total(now, together) > level:
        # In the costliest arm the costliest questions are turned to their next setting: what is alike stays alike.
        arm = max(together, key=lambda places: _total(now, [places]))
        free = [place for place in arm if place in now and choices[place][1:]]
        most = max(now[place].epsilon for place in free)
        for place in free:
            if now[place].epsilon == most:
                choices[place].pop()
                now[place] = choices[place][-1]
    hopeless = tuple(place + 1 for place, dial in private.items() if dial.too_few and place < (kept or len(dials)))
    return Remedy(
        turns={p: Turn(known[p], dial) for p, dial in now.items() if dial.probability != known[p].probability},
        kept=kept,
        asked=len(dials),
        hopeless=hopeless,
        epsilon=_total(now, together),
        people=_people_enough(known, together, level) if kept < len(dials) or hopeless else None,
    )


def _first(dials: Mapping[int, Dial], count: int) -> dict[int, Dial]:
    return {place: dial for place, dial in dials.items() if place < count}


def _total(dials: Mapping[int, Dial], arms: Sequence[Collection[int]]) -> float:
    """Return the total ε of the arm that costs most."""
    return max(sum_of_epsilons(_loss(dials[place]) for place in arm if place in dials) for arm in arms)


def _loss(dial: Dial) -> float:
    """Return what adds up to a total, which leaves questions with an infinite ε aside."""
    return dial.epsilon if dial.epsilon < math.inf else 0.0


def _people_enough(dials: Mapping[int, Dial], arms: Sequence[Collection[int]], level: float) -> int | None:
    """Return the smallest number of people that makes the answers enough with settings within the level."""
    settings = {place: [(each.least, each) for each in dial.settings] for place, dial in dials.items()}

    def are_enough(people: int) -> bool:
        telling = {place: [each for least, each in choice if least <= people] for place, choice in settings.items()}
        return all(telling.values()) and _total({place: choice[0] for place, choice in telling.items()}, arms) <= level

    counts = sorted({least for choice in settings.values() for least, _dial in choice})
    place = bisect_left(counts, True, key=are_enough)
    return counts[place] if place < len(counts) else None
