"""What the questions show: answers in the order people expect, and what the phone draws, in words."""

from collections.abc import Sequence
from itertools import pairwise

from django import template
from django.utils.translation import gettext

from surveys.common.numbers import span
from surveys.models.definition import Item

register = template.Library()


@register.filter
def truth_choices(item: Item) -> list[tuple[int, str]]:
    """Numbers and labels of the true answers in the order in which people expect them: Yes before No."""
    return _expected_order(item, item.labels)


@register.filter
def tap_choices(item: Item) -> list[tuple[int, str]]:
    """Numbers and labels of the reports likewise: what somebody taps whose head has added the chance."""
    return _expected_order(item, item.report_labels)


def _expected_order(item: Item, labels: Sequence[str]) -> list[tuple[int, str]]:
    numbered = list(enumerate(labels))
    return [numbered[1], numbered[0], *numbered[2:]] if item.traits.yes_or_no else numbered


@register.filter
def walk(item: Item) -> list[tuple[str, str]]:
    """For two answers: which numbers drawn by the phone mean what. More answers make a list nobody reads."""
    design = item.design
    if design.k != 2 or design.m != 2:
        return []
    ends = sorted({0, design.denominator, *(column[0] for column in design.columns)})
    meanings = []
    for start, stop in pairwise(ends):
        reports = tuple(int(start >= column[0]) for column in design.columns)
        meanings.append((span(start + 1, stop), _meaning(item, reports)))
    return meanings


def _meaning(item: Item, reports: tuple[int, ...]) -> str:
    if reports[0] == reports[1]:
        return gettext("it sends “%(report)s”, whatever is true") % {"report": item.labels[reports[0]]}
    if item.range:
        kept = gettext("it sends the end that your number was rounded to")
        return kept if reports == (0, 1) else gettext("it sends the other end")
    kept = gettext("it sends your true answer")
    return kept if reports == (0, 1) else gettext("it sends the other answer")
