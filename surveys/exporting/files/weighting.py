"""Programs that weight the reports of the CSV file as the page of weights does, for R and for Python with numpy."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from django.conf import settings

from surveys.estimation.weighting.contrasts import anchor_terms, list_terms, share_term
from surveys.estimation.weighting.means import MeanTerm
from surveys.exporting.files.programs import fill_in, python_literal, r_literal, responses_name
from surveys.exporting.selectors import NOT_GIVEN, GroupNames, column_name, described_items
from surveys.questionnaire.asked_question import AskedQuestion, Item
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.lists import pairs_of
from surveys.results.figures.groups import NO_GROUP
from surveys.results.figures.weighted_contrasts import are_compared, is_corrected_by
from surveys.results.figures.weights import OTHER_GROUPS, KnownShares, WeightingPlan, is_weighted, mean_values

_FOLDER = settings.BASE_DIR / "templates" / "exporting" / "weights"
_DISTRIBUTIONS = _FOLDER.parent / "python" / "2_distributions.py.txt"
_LITERALS = {"py": python_literal, "R": r_literal}


def weighting_program(
    language: str,
    stored: Definition,
    definition: Definition,
    plan: WeightingPlan,
    groups: GroupNames,
    *,
    anchor: tuple[Item, Fraction] | None = None,
) -> str:
    """Return the program in this language, by the ending of its name.

    `stored` is what was asked, `definition` how it may be shown; `anchor` is a question and how many truly say Yes.
    """
    described_survey = _survey(definition, plan, groups) | {
        "contrasts": [
            *_differences(definition, plan),
            *_lists(stored),
            *(_corrected(definition, plan, *anchor) if anchor else ()),
        ]
    }
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


def _differences(definition: Definition, plan: WeightingPlan) -> Iterator[dict[str, Any]]:
    """Describe the differences between questions that ask for the same in different arms."""
    questions = [question for question in definition.questions if is_weighted(question, definition, plan)]
    for first, second in combinations(questions, 2):
        if second not in definition.variants_of(first) or not are_compared(first, second):
            continue
        for code in [1] if first.answers.yes_or_no else range(first.design.k):
            terms = [_term([each.first], each, share_term([], each.design, code)) for each in (first, second)]
            name = f"{column_name(first.first)}-{column_name(second.first)}.{code}"
            yield {"name": name, "terms": terms, "between": [-1.0, 1.0]}


def _lists(stored: Definition) -> Iterator[dict[str, Any]]:
    """Describe pairs of lists; numbers that are sent as they are may be merged in the file, and then have no mean."""
    for pair in pairs_of(stored):
        if pair.control.protects and pair.treatment.protects:
            asked, designs = (pair.treatment, pair.control), (pair.control.design, pair.treatment.design)
            terms = [
                _term([each.first], each, term) for each, term in zip(asked, list_terms([], [], designs), strict=True)
            ]
            name = f"{column_name(pair.treatment.first)}-{column_name(pair.control.first)}"
            yield {"name": name, "terms": terms, "between": [0.0, 1.0]}


def _corrected(definition: Definition, plan: WeightingPlan, anchor: Item, known: Fraction) -> Iterator[dict[str, Any]]:
    """Describe the shares that an anchor corrects."""
    for question in definition.questions:
        if is_weighted(question, definition, plan) and is_corrected_by(question, anchor, known, definition):
            item = question.first
            corrected, _attentive = anchor_terms([], [], item.design, anchor.design, anchor_prevalence=known)
            name = f"{column_name(item)}/{column_name(anchor)}"
            yield {"name": name, "terms": [_term([item, anchor], question, corrected)], "between": [0.0, 1.0]}


def _term(items: Sequence[Item], question: AskedQuestion, term: MeanTerm) -> dict[str, Any]:
    """Describe a mean: the columns whose reports together are its code, and what each code stands for."""
    return {
        "columns": [column_name(item) for item in items],
        "sizes": [item.design.m for item in items],
        "arms": [str(number - 1) for number in question.arms],
        "stands_for": term.stands_for.tolist(),
        "between": [term.low, term.high],
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
