"""A survey as data that other programs can read: questions, labels, and every matrix exactly."""

import math
from fractions import Fraction
from typing import Any

from surveys.exports.columns import GroupNames, column_name, report_labels
from surveys.models.definition import AskedQuestion, Definition, Item
from surveys.models.kinds import Kind


def described_items(definition: Definition) -> list[dict[str, Any]]:
    """Return what is needed to compute each item's results, in the order of the columns.

    A matrix stands as integers over one common denominator, a row a report, a column a truth.
    """
    reports = report_labels(definition)
    return [_described(definition, item, reports[item.number]) for item in definition.items]


def _described(definition: Definition, item: Item, reports: tuple[str, ...]) -> dict[str, Any]:
    question = definition.questions[item.question_number - 1]
    design = item.design
    told: dict[str, Any] = {
        "name": column_name(item),
        "kind": item.kind,
        "question": item.text,
        "option": item.option,
        "reports": list(reports),
        "truths": list(item.labels),
        "design": str(design.name),
        "numerators": [[int(entry * design.denominator) for entry in row] for row in design.matrix],
        "denominator": design.denominator,
        "epsilon": design.epsilon if design.epsilon < math.inf else None,
        "leave_out": str(item.leave_out),
    }
    return told | numbers_of(question)


def numbers_of(question: AskedQuestion) -> dict[str, Any]:
    """Return the numbers that a question's answers stand for, as pairs of numerator and denominator."""
    limits = question.first.range
    if limits is not None:
        told = {name: _pair(getattr(limits, name)) for name in ("low", "high", "step")}
        return {**told, "unit": limits.unit}
    if question.kind == Kind.NUMBER_BANDS:
        return {"edges": [list(edge) for edge in question.details["edges"]], "unit": question.details["unit"]}
    return {}


def described_groups(groups: GroupNames) -> dict[str, str]:
    """Return the names of the groups by what the column holds."""
    return {slug: groups.names[key] for key, slug in groups.slugs.items()}


def _pair(number: Fraction) -> list[int]:
    return [number.numerator, number.denominator]
