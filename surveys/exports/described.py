"""A survey as data that other programs can read: questions, labels, and every matrix exactly."""

import math
from typing import Any

from surveys.exports.columns import GroupNames, column_name, report_labels
from surveys.models.definition import Definition, Item


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
    return told | question.traits.exported(question.details)


def described_groups(groups: GroupNames) -> dict[str, str]:
    """Return the names of the groups by what the column holds."""
    return {slug: groups.names[key] for key, slug in groups.slugs.items()}
