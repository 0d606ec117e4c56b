"""Planning the next survey from what this one found."""

from typing import Any

from surveys.charts import Chart
from surveys.drafts.figures import compare_in_arms, models_of
from surveys.models.asked_question import AskedQuestion
from surveys.results.planning.charts import power_chart, precision_chart
from surveys.results.planning.figures import (
    HALF_WIDTHS,
    AssumedShare,
    PowerOfTest,
    Precision,
    TwoArmsPrecision,
    assumed_share,
    counts_for,
    mean_precision,
    people_asked,
    share_precision,
    share_test,
    two_arms_precision,
)
from surveys.results.planning.forms import ALTERNATIVES, PlanQuery, parse_plan
from surveys.results.question.figures import compare_arms, fit_two_arms, models_told
from surveys.results.views import TabRequest, results_tab
from surveys.results.words.shares import HIGHER_IS_NO_PROOF


@results_tab("results/planning/plan.html", of_items=True)
def survey_results_plan(asked: TabRequest) -> dict[str, Any]:
    """Show what a precision and a power need, for the answer asked for."""
    query = parse_plan(asked.request.GET, asked.items)
    question = asked.definition.questions[query.item.question_number - 1]
    counts = counts_for(query.item, asked.snapshot)
    n = int(counts.sum())
    context: dict[str, Any] = {
        "query": query,
        "n": n,
        "enough": n >= asked.snapshot.minimum_n,
        "of_mean": query.option is None,
        "alternatives": ALTERNATIVES,
        "notices": list(query.notices),
        "loss": question.losses[0],
        "answers": question.answers,
        "arm_names": asked.definition.arm_names(question),
        "asked_if": question.asked_if,
        "variants": len(asked.definition.variants_of(question)),
    }
    if not context["enough"]:
        return context
    level = asked.options.confidence_level
    half_widths = (*HALF_WIDTHS, *([query.half_width] if query.half_width is not None else []))
    planned = people_asked(query.n, question, asked.definition, asked.snapshot) if query.n else n
    context["planned"] = planned
    if query.option is None:
        precision = mean_precision(query.item, planned, now=n, half_widths=half_widths, confidence_level=level)
        return context | _drawn(query, precision, None, None, n)
    assumed = assumed_share(query.item, query.option, counts, query.share)
    precision = share_precision(
        question,
        query.item,
        query.option,
        assumed.share,
        planned,
        now=n,
        half_widths=half_widths,
        confidence_level=level,
    )
    if query.option == 1:
        context["two_arms"] = _two_arms(asked, query)
    test = share_test(
        query.item,
        query.option,
        share=assumed.share,
        null=assumed.share / 2 if query.null is None else query.null,
        n=planned,
        now=n,
        alternative=query.alternative,
        target=query.power,
        significance=round(1 - level, 9),
    )
    context |= _compared(asked, query, question, assumed.share)
    return context | _drawn(query, precision, assumed, test, n)


def _compared(asked: TabRequest, query: PlanQuery, question: AskedQuestion, share: float) -> dict[str, Any]:
    """Return what comparisons with the other ways of asking will tell, of as many respondents as expected in all."""
    everybody = query.n or asked.snapshot.n
    comparisons = [
        compare_in_arms(
            asked.definition.arms,
            question,
            other,
            n=everybody,
            share=share,
            difference=query.difference,
            option=query.option or 0,
            one_sided=query.alternative == "one-sided",
            significance=round(1 - asked.options.confidence_level, 9),
            target=query.power,
        )
        for other in asked.definition.variants_of(question)
        if other != question
    ]
    if not comparisons:
        return {}
    plainly = any(not each.protects for each in asked.definition.variants_of(question))
    return {"comparisons": comparisons, "compares_plainly": plainly, "no_proof": HIGHER_IS_NO_PROOF}


def _two_arms(asked: TabRequest, query: PlanQuery) -> TwoArmsPrecision | None:
    """Return the precision of both arms together, where two of them ask so that they tell more than a share."""
    question = asked.definition.questions[query.item.question_number - 1]
    if not models_of(question, asked.definition.questions):
        return None
    compared = compare_arms(question, asked.stored, asked.snapshot, asked.options.wanted)
    models = models_told(question, asked.definition, compared) if compared else ()
    arms = next((each for each in models if each.identified), None)
    if not arms or not compared:
        return None
    found = fit_two_arms(arms, compared, asked.options.wanted)
    typed = query.n and sum(
        people_asked(query.n, each, asked.definition, asked.snapshot) for each in (arms.first, arms.second)
    )
    return two_arms_precision(
        found,
        asked.definition,
        query.share,
        n=typed or sum(found.n),
        wanted=query.half_width or HALF_WIDTHS[-1],
        confidence_level=asked.options.confidence_level,
    )


def _drawn(
    query: PlanQuery, precision: Precision, assumed: AssumedShare | None, test: PowerOfTest | None, n: int
) -> dict[str, Any]:
    charts: list[Chart] = [precision_chart(precision, query.item, n, of_mean=query.option is None)]
    if test is not None and not test.no_difference:
        charts.append(power_chart(test, n))
    return {"precision": precision, "assumed": assumed, "test": test, "charts": charts, "drawn": charts}
