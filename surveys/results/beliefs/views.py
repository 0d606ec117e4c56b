"""Posteriors, what one report says, and the best that any test could do."""

from fractions import Fraction
from typing import Any

from surveys.estimation import PrevalenceEstimate, estimate_prevalence
from surveys.models.asked_question import Item
from surveys.results.beliefs import words
from surveys.results.beliefs.charts import guess_chart, posterior_chart, report_chart
from surveys.results.beliefs.figures import OneReport, belief_of, counts_of, guesser, one_report
from surveys.results.beliefs.forms import PRIORS, BayesOptions, items_believed, parse_bayes
from surveys.results.views import TabRequest, results_tab

_HALF = Fraction(1, 2)


@results_tab("results/beliefs/bayes.html", of_shares=True)
def survey_results_bayes(asked: TabRequest) -> dict[str, Any]:
    """Show the posterior, one report and the best guess for the item and the answer asked for."""
    chosen = parse_bayes(asked.request.GET, asked.definition)
    item, items = chosen.item, items_believed(asked.definition)
    counts = counts_of(item, asked.snapshot)
    n = int(counts.sum())
    enough = n >= asked.snapshot.minimum_n
    estimate = estimate_prevalence(counts, item.design) if enough else None
    belief = (
        belief_of(
            item,
            counts,
            chosen.option,
            prior=chosen.prior,
            confidence_level=asked.options.confidence_level,
            beyond=chosen.beyond,
        )
        if estimate and not estimate.misfit
        else None
    )
    said, share = _one_report(item, chosen, estimate)
    guess = guesser(item, chosen.option, asked.definition.epsilon)
    charts = {
        "posterior": posterior_chart(belief) if belief else None,
        "report": report_chart(said, words.report_words(said, chosen.option, share or _HALF), share),
        "guess": guess_chart(guess, len(items), words.guess_words(guess)),
    }
    return {
        "chosen": chosen,
        "items": items,
        "n": n,
        "enough": enough,
        "misfit": bool(estimate and estimate.misfit),
        "belief": belief,
        "said": said,
        "share": _HALF if share is None else share,
        "estimated": share is not None,
        "told_of": _told_of(item, chosen.option),
        "guess": guess,
        "priors": [(label, a, b, chosen.query(a, b)) for label, a, b in PRIORS],
        "drawn": charts,
        "charts": [chart for chart in charts.values() if chart],
        "notices": list(chosen.notices),
    }


def _one_report(
    item: Item, chosen: BayesOptions, estimate: PrevalenceEstimate | None
) -> tuple[OneReport, Fraction | None]:
    """Return what reports say, and how many of all have the answer, where there is an estimate of that to trust."""
    known = estimate is not None and not estimate.misfit
    shares = estimate.constrained.tolist() if estimate is not None and known else [1.0] * item.design.k
    share = min(Fraction(1), Fraction(shares[chosen.option])) if known and not chosen.of_mean else None
    return one_report(item, chosen.option, shares), share


def _told_of(item: Item, option: int) -> list[int]:
    """Return the reports that have a sentence: both of two, else that of the answer itself."""
    return [1, 0] if item.design.m == 2 else [option]
