"""One question's results in full."""

from typing import Any

from django.http import Http404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.forms.results.options import too_many_forged
from surveys.forms.results.question import parse_row
from surveys.selectors.results.overview import group_names
from surveys.selectors.results.question import question_detail
from surveys.selectors.results.scatter import scatter_of
from surveys.templatetags.results.mean_words import mean_name, units_of
from surveys.templatetags.results.result_words import row_name
from surveys.views.results import question_tables
from surveys.views.results.scatter_chart import scatter_chart
from surveys.views.results.shown import shown_question
from surveys.views.results.tabs import Asked, results_tab

# Tabs that are about one item or more, by the name of their address, and the name of an item in their query strings.
_ABOUT_AN_ITEM = (
    ("survey-results-relate", "a", gettext_lazy("Relate it to another question")),
    ("survey-results-regression", "outcome", gettext_lazy("Explain it by groups and other questions")),
    ("survey-results-bayes", "item", gettext_lazy("What one report says about one person")),
    ("survey-results-plan", "item", gettext_lazy("How many answers the next survey needs")),
)


@results_tab("results/question.html")
def survey_results_question(asked: Asked, number: int) -> dict[str, Any]:
    """Show all that is known about one question; `number` is as people count, from 1."""
    questions = asked.definition.questions
    if not 1 <= number <= len(questions):
        raise Http404
    question, options = questions[number - 1], asked.options
    detail = question_detail(question, asked.definition, asked.snapshot, options.wanted, group_names(asked.survey))
    result = detail.result
    shown = shown_question(result, options, asked.survey.language)
    context: dict[str, Any] = {
        "question": question,
        "questions": questions,
        "result": result,
        "shown": shown,
        "charts": list(shown.charts),
        "notices": too_many_forged(options, asked.snapshot.n),
        "modes": question_tables.parts_table(
            _("By who added chance, of all answers to the survey"), _("Chance added by"), detail.n_by_mode
        ),
        "groups": question_tables.parts_table(
            _("By group, of those who answered this question"), _("Group"), detail.n_by_group
        ),
        "matrix": question_tables.matrix_table(question.first),
    }
    if result.enough:
        context |= {
            "reports": question_tables.reports_table(result),
            "misfit": question_tables.misfit_table(result),
            "methods": question_tables.methods_table(detail.by_method),
        }
        _add_scatter(context, asked)
    return context


def _add_scatter(context: dict[str, Any], asked: Asked) -> None:
    """Add the sampling distribution of the row asked for, and the links to what other tabs say of its item."""
    result, level = context["result"], asked.options.confidence_level
    rows = [(item, code) for item in result.items for code in item.shown_codes]
    names = [row_name(item.options[code], item) for item, code in rows]
    units = None
    if result.first.mean and not rows:
        # A rounded number is high or low: the share of the high ones is where the mean lies in the range.
        rows, names, units = [(result.first, 1)], [mean_name(among_those_who_say=False)], units_of(result.first.mean)
    place, notices = parse_row(asked.request.GET, names)
    item, code = rows[place]
    context["rows"] = list(enumerate(names, 1))
    context["row"] = place + 1
    context["notices"] += notices
    context["links"] = [(name, parameter, label, item.item.key) for name, parameter, label in _ABOUT_AN_ITEM]
    if scatter := scatter_of(item, code, level):
        name = f"q{result.question.number}-repeated"
        chart = scatter_chart(scatter, name=name, label=names[place], level=level, units=units)
        context |= {"scatter": chart, "scatter_words": chart.text}
        context["charts"].append(chart)
