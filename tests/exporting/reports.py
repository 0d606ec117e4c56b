"""Surveys with random reports, and files of them read back as other people's programs would."""

import csv
import io
import random
from typing import Any

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import reverse

from surveys.common.selectors import definition_of
from surveys.models import Group, Survey
from surveys.questionnaire.asked_question import Item
from surveys.questionnaire.reports import CODES, LEFT_OUT
from tests.factories import fill


def random_reports(survey: Survey, number: int, chance: random.Random) -> dict[str, int]:
    """So many reports texts that fit the survey, some with a question left out."""
    counts: dict[str, int] = {}
    for _ in range(number):
        parts = []
        for question in definition_of(survey).questions:
            left_out = question.can_be_left_out and chance.random() < 0.1
            parts += [LEFT_OUT if left_out else CODES[_draw(item, chance)] for item in question.items]
        text = "".join(parts)
        counts[text] = counts.get(text, 0) + 1
    return counts


def _draw(item: Item, chance: random.Random) -> int:
    truth = chance.choices(range(item.design.k), [3, 2, *[1] * (item.design.k - 2)])[0]
    return chance.choices(range(item.design.m), [float(row[truth]) for row in item.design.matrix])[0]


def fill_randomly(survey: Survey, number: int, *, seed: int = 1, group: Group | None = None, **how: Any) -> None:
    fill(survey, random_reports(survey, number, random.Random(seed)), group=group, **how)  # noqa: S311 - reports to test with


def content_of(response: HttpResponseBase) -> bytes:
    """All bytes of a response, sent at once or piece by piece."""
    if isinstance(response, StreamingHttpResponse):
        return b"".join(response)  # type: ignore[arg-type]
    return response.content  # type: ignore[attr-defined, no-any-return]


def download(client: Client, survey: Survey, name: str, query: str = "") -> bytes:
    response = client.get(reverse(name, args=[survey.code]) + query)
    assert response.status_code == 200
    return content_of(response)


def table_of(content: bytes) -> tuple[list[str], list[list[str]]]:
    """The names of the columns and the rows."""
    head, *rows = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    return head, rows
