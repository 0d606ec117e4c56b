"""Simulated respondents: true answers of known shares through the real randomizer and the real submission service."""

import secrets
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from django.db import transaction

from surveys.answering.services import collecting
from surveys.answering.services.perturbing import Truth, perturb
from surveys.common.selectors import definition_of
from surveys.models import Group, Mode, Survey
from surveys.models.simulated import People, apportion_answers
from surveys.questionnaire.asked_question import AskedQuestion, Item
from surveys.questionnaire.definition import Definition
from surveys.responses.services import folding

BATCH = 500
_CHANCE = secrets.SystemRandom()


def simulate(
    *,
    survey: Survey,
    respondents: int,
    shares: Sequence[Sequence[Fraction]],
    group: Group | None = None,
) -> Iterator[int]:
    """Send `respondents` submissions, yield how many have been sent after every batch, and fold what is due.

    `shares` holds, for each item, the share of the respondents whose truth is each of its answers. The shares hold
    for the simulated people as exactly as whole numbers allow; who has which truth is drawn with `secrets`.
    """
    if not respondents >= 1:
        raise ValueError(f"respondents must be at least 1, got {respondents!r}")
    definition = definition_of(survey)
    if len(shares) != len(definition.items):
        raise ValueError(f"shares must be given for {len(definition.items)} items, got {len(shares)}")
    left = [
        People(apportion_answers(question, [shares[item.number] for item in question.items], respondents))
        for question in definition.questions
    ]
    for start in range(0, respondents, BATCH):
        reports, left = draw(definition=definition, left=left, number=min(BATCH, respondents - start))
        with transaction.atomic():
            send(survey=survey, definition=definition, reports=reports, groups=[group] * len(reports))
        yield start + len(reports)
    folding.fold(survey=survey)


def draw(*, definition: Definition, left: Sequence[People], number: int) -> tuple[list[str], list[People]]:
    """Return the reports of `number` of the people who have not answered yet, and who is left then.

    The draw is as if everybody had been shuffled once: however many draws there are, the class is the same.
    """
    columns: list[list[Truth]] = []
    after: list[People] = []
    for question, people in zip(definition.questions, left, strict=True):
        answered, rest = _draw_question(question, people, number)
        columns += answered
        after.append(rest)
    truths = zip(*columns, strict=True)
    return [perturb(definition=definition, truths=list(person)) for person in truths], after


def send(*, survey: Survey, definition: Definition, reports: Iterable[str], groups: Iterable[Group | None]) -> None:
    """Submit reports as so many people, each in a group of their own or in none."""
    for text, group in zip(reports, groups, strict=True):
        collecting.collect(
            survey=survey,
            definition=definition,
            mode=Mode.DEVICE,
            group=group,
            nonce=collecting.new_nonce(),
            reports=text,
        )


def _draw_question(question: AskedQuestion, people: People, number: int) -> tuple[list[list[Truth]], People]:
    """Return the true answers of so many people, a column an item, and who is left."""
    leaves = _drawn((people.answering, people.leaving), number)
    answering = leaves.count(0)
    columns, rest = [], []
    chosen = _drawn([yes for _no, yes in people.answers], answering) if question.answers.one_true else []
    for item, answers in zip(question.items, people.answers, strict=True):
        place = item.number - question.first.number
        codes = [int(option == place) for option in chosen] if chosen else _drawn(answers, answering)
        rest.append(tuple(count - codes.count(code) for code, count in enumerate(answers)))
        truths = iter(_answers(item, codes))
        columns.append([None if leaving else next(truths) for leaving in leaves])
    return columns, People(tuple(rest), people.leaving - (number - answering))


def _drawn(counts: Sequence[int], number: int) -> list[int]:
    """Return which of these kinds so many people are, drawn without putting back and in the order drawn."""
    return _CHANCE.sample(range(len(counts)), counts=counts, k=number) if number else []


def _answers(item: Item, codes: list[int]) -> Sequence[Truth]:
    """Return the answers behind codes: of a number, codes 0 and 1 are people at its two ends, or at a grid's values."""
    if item.range is None or item.grid:
        return codes
    ends: tuple[Truth, ...] = (item.range.low, item.range.high, 2)
    return [ends[code] for code in codes]
