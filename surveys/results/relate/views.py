"""Relating two questions, and what several of them say about who follows the procedure."""

from typing import Any

from surveys.charts import Chart
from surveys.results.adherence.figures import fixed_reports, tapped_items
from surveys.results.adherence.forms import parse_fixed
from surveys.results.adherence.words import (
    FIXED_REPORTS_SOURCE,
    fixed_title,
    fixed_words,
    models_table,
    others_table,
    pattern_words,
)
from surveys.results.relate.charts import among_chart, joint_chart
from surveys.results.relate.figures import relation_of
from surveys.results.relate.forms import parse_relate
from surveys.results.views import TabRequest, results_tab
from surveys.results.words.shares import never_asked_together


@results_tab("results/relate/relate.html", of_shares=True)
def survey_results_relate(asked: TabRequest) -> dict[str, Any]:
    """Show what the answers to one question have to do with those to another."""
    chosen = parse_relate(asked.request.GET, asked.items_with_shares, asked.definition)
    if chosen is None:
        return {"chosen": None}
    relation = relation_of(chosen.a, chosen.b, asked.snapshot, asked.options.wanted)
    language = asked.definition.language
    drawn: dict[str, Chart] = {"joint": joint_chart(relation, language)} if relation.cells else {}
    if among := among_chart(relation, language):
        drawn["among"] = among
    numbers = {item.question_number for item in (chosen.a, chosen.b)}
    context = {
        "chosen": chosen,
        "of_some": [each.asked_if for each in asked.definition.questions if each.asked_if and each.number in numbers],
        "relation": relation,
        "reported_rows": list(zip(chosen.a.report_labels, relation.reported, strict=False)),
        "drawn": drawn,
        "charts": list(drawn.values()),
        # Of a number only not saying it is an answer; the ends that chance rounded it to are none.
        "first_answer": "2:" if chosen.b.range else "0:",
        "answers": chosen.b.labels[2:] if chosen.b.range else chosen.b.labels,
        "notices": [*chosen.notices, *never_asked_together(asked.definition, chosen.a, chosen.b)],
    }
    _add_fixed_reports(context, asked)
    return context


def _add_fixed_reports(context: dict[str, Any], asked: TabRequest) -> None:
    """Add who always taps the same, where the same people answer two questions in the head and somebody asks for it."""
    definition = asked.definition
    together = parse_fixed(asked.request.GET, tapped_items(definition), definition, whole=asked.snapshot.whole)
    if together is None:
        return
    context["notices"] += together.notices
    context |= {
        "together": together,
        "patterns": [(name, pattern_words(together.chosen, pattern)) for name, pattern in together.patterns],
    }
    if not together.is_asked:
        return
    found = fixed_reports(together.chosen, together.reports, asked.snapshot, asked.options.confidence_level)
    context |= {
        "fixed_source": FIXED_REPORTS_SOURCE,
        "fixed_title": fixed_title(found),
        "fixed_words": fixed_words(found),
        "fixed_n": found.n,
        "models": models_table(found) if found.models else None,
        "others": others_table(found) if found.others else None,
    }
