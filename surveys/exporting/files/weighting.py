"""Programs that weight the reports of the CSV file as the page of weights does, for R and for Python with numpy."""

from typing import Any

from django.conf import settings

from surveys.exporting.files.programs import fill_in, python_literal, r_literal, responses_name
from surveys.exporting.selectors import NOT_GIVEN, GroupNames, column_name, described_items
from surveys.questionnaire.definition import Definition
from surveys.results.figures.groups import NO_GROUP
from surveys.results.figures.weights import OTHER_GROUPS, KnownShares, WeightingPlan, is_weighted, mean_values

_FOLDER = settings.BASE_DIR / "templates" / "exporting" / "weights"
_DISTRIBUTIONS = _FOLDER.parent / "python" / "2_distributions.py.txt"
_LITERALS = {"py": python_literal, "R": r_literal}


def weighting_program(language: str, definition: Definition, plan: WeightingPlan, groups: GroupNames) -> str:
    """Return the program in this language, by the ending of its name."""
    described_survey = _survey(definition, plan, groups)
    template = (_FOLDER / f"weights.{language}.txt").read_text(encoding="utf-8")
    places = {
        "PROGRAM": f"weights-{definition.code}.{language}",
        "RESPONSES": responses_name(definition),
        "SURVEY": _LITERALS[language](described_survey),
        "LEVEL": repr(float(plan.wanted.confidence_level)),
        # After its cell of text.
        "DISTRIBUTIONS": _DISTRIBUTIONS.read_text(encoding="utf-8").split("# %%\n", 1)[1],
    }
    return fill_in(template, places)


def _survey(definition: Definition, plan: WeightingPlan, groups: GroupNames) -> dict[str, Any]:
    asked = {item.number: question for question in definition.questions for item in question.items}
    described = zip(definition.items, described_items(definition), strict=True)
    needed = ("name", "question", "option", "truths", "numerators", "denominator")
    return {
        "code": definition.code,
        "title": definition.title,
        "minimum_n": definition.minimum_n,
        "margins": [_margin(known, plan, groups) for known in plan.known],
        "role": plan.role,
        "largest": plan.largest,
        "items": [
            {key: described_item[key] for key in needed}
            | {"arms": [str(number - 1) for number in asked[item.number].arms]}
            | {"values": [float(value) for value in mean_values(asked[item.number])]}
            | {"report_values": [float(value) for value in item.grid.values] if item.grid else []}
            for item, described_item in described
            if is_weighted(asked[item.number], definition, plan)
        ],
    }


def _margin(known: KnownShares, plan: WeightingPlan, groups: GroupNames) -> dict[str, Any]:
    """Return what stands in the column, and the share of each."""
    slugs = {**groups.slugs, NO_GROUP: "", OTHER_GROUPS: NOT_GIVEN}
    cells = [str(code) for code in range(len(known.labels))] if known.item else [slugs[key] for key in plan.groups.keys]
    return {
        "column": column_name(known.item) if known.item else "group",
        "values": [cells[code] for code in known.kept],
        "shares": [known.shares[code] for code in known.kept],
    }
