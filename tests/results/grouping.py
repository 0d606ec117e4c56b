"""Responses in groups, drawn through the designs from known truths or given by hand."""

import itertools
from random import Random

from surveys.common.selectors import definition_of
from surveys.models import Group, Response, Survey
from surveys.questionnaire.asked_question import Item
from surveys.questionnaire.reports import CODES
from tests.factories import hash_of, spent_count


def group_of(survey: Survey, name: str) -> Group:
    return Group.objects.create(survey=survey, slug=f"g{Group.objects.count() + 1}", name=name)


def answer(survey: Survey, counts: dict[str, int], group: Group | None = None, *, mode: str = "device") -> None:
    """Store so many responses with these reports, in a group or in none."""
    number = itertools.count(Response.objects.count() + spent_count() + 1)
    Response.objects.bulk_create(
        Response(survey=survey, mode=mode, reports=reports, group=group, nonce_hash=hash_of(next(number)))
        for reports, count in counts.items()
        for _ in range(count)
    )


def answer_by_chance(survey: Survey, n: int, random: Random, group: Group | None = None) -> None:
    """Store n responses of people whose true answers are drawn at random; some questions are left out."""
    definition = definition_of(survey)
    truths = {item.key: [random.random() ** 3 for _ in range(item.design.k)] for item in definition.items}
    counts: dict[str, int] = {}
    for _ in range(n):
        reports = ""
        for question in definition.questions:
            left_out = question.can_be_left_out and random.random() < 0.1
            reports += "".join("-" if left_out else _report(item, truths[item.key], random) for item in question.items)
        counts[reports] = counts.get(reports, 0) + 1
    answer(survey, counts, group)


def _report(item: Item, weights: list[float], random: Random) -> str:
    truth = random.choices(range(item.design.k), weights)[0]
    chances = [float(row[truth]) for row in item.design.matrix]
    return CODES[random.choices(range(item.design.m), chances)[0]]
