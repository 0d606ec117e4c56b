"""Each formula with this survey's numbers put in."""

from typing import Any

from surveys.results.figures.overview import group_names
from surveys.results.methods.figures import QuestionMethods, methods_of
from surveys.results.methods.forms import parse_methods
from surveys.results.relate.figures import groups_worked, pair_worked
from surveys.results.views import TabRequest, results_tab


@results_tab("results/methods/methods.html")
def survey_results_methods(asked: TabRequest) -> dict[str, Any]:
    """Show the formulas of all questions, or of one, and of what is computed from several."""
    chosen = parse_methods(asked.request.GET, asked.definition)
    wanted, items = asked.options.wanted, asked.definition.items
    questions = methods_of(asked.definition, asked.snapshot, wanted, question=chosen.question)
    return {
        "chosen": chosen,
        "wanted": wanted,
        "questions": questions,
        "two_answers": _first_with_two_answers(questions),
        "groups": groups_worked(asked.definition, asked.snapshot, group_names(asked.survey), wanted),
        "pair": pair_worked(items, asked.snapshot, wanted.confidence_level),
        "notices": list(chosen.notices),
    }


def _first_with_two_answers(questions: tuple[QuestionMethods, ...]) -> object:
    """Return the first answer worked through that belongs to a question with two, for what needs such a one."""
    found = (item.main for question in questions for item in question.items if item.design.k == 2)
    return next((worked for worked in found if worked), None)
