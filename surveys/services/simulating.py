"""Simulated respondents: truths of known shares through the real randomizer and the real submission service."""

import secrets
from collections.abc import Iterator, Sequence
from fractions import Fraction

from django.db import transaction

from surveys import selectors
from surveys.models import Group, Mode, Survey
from surveys.models.definition import Item
from surveys.services import collecting, folding
from surveys.services.perturbing import Truth, perturb

BATCH = 500


def simulate(
    *,
    survey: Survey,
    respondents: int,
    shares: Sequence[Sequence[Fraction]],
    mode: str = Mode.DEVICE,
    group: Group | None = None,
) -> Iterator[int]:
    """Send `respondents` submissions, yield how many have been sent after every batch, and fold what is due.

    `shares` holds, for each item, the share of the respondents whose truth is each of its answers. The shares hold
    for the simulated people as exactly as whole numbers allow; who has which truth is drawn with `secrets`.
    """
    if not respondents >= 1:
        raise ValueError(f"respondents must be at least 1, got {respondents!r}")
    definition = selectors.definition_of(survey)
    if len(shares) != len(definition.items):
        raise ValueError(f"shares must be given for {len(definition.items)} items, got {len(shares)}")
    columns = [
        _answers(item, _truths(respondents, of_question, item.design.k, item.question_number))
        for item, of_question in zip(definition.items, shares, strict=True)
    ]
    for start in range(0, respondents, BATCH):
        with transaction.atomic():
            for person in range(start, min(start + BATCH, respondents)):
                collecting.collect(
                    survey=survey,
                    definition=definition,
                    mode=mode,
                    group=group,
                    nonce=collecting.new_nonce(),
                    reports=perturb(definition=definition, truths=[column[person] for column in columns]),
                )
        yield min(start + BATCH, respondents)
    folding.fold(survey=survey)


def _answers(item: Item, codes: list[int]) -> Sequence[Truth]:
    """Return the answers behind codes: of a number, codes 0 and 1 are people at its two ends."""
    if item.range is None:
        return codes
    ends: tuple[Truth, ...] = (item.range.low, item.range.high, 2)
    return [ends[code] for code in codes]


def _truths(respondents: int, shares: Sequence[Fraction], k: int, question: int) -> list[int]:
    if len(shares) != k or any(share < 0 for share in shares) or sum(shares) != 1:
        raise ValueError(f"question {question}: shares must be {k} numbers of at least 0 that add up to 1")
    whole = [int(share * respondents) for share in shares]
    # Largest remainders first, so that the parts add up to everybody.
    by_remainder = sorted(range(k), key=lambda answer: whole[answer] - shares[answer] * respondents)
    for answer in by_remainder[: respondents - sum(whole)]:
        whole[answer] += 1
    truths = [answer for answer, number in enumerate(whole) for _ in range(number)]
    secrets.SystemRandom().shuffle(truths)
    return truths
