"""What two arms estimate together besides one share: the models, their parameters, and the words for them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isnan
from typing import Any

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from surveys.charts import Table
from surveys.drafts.figures import TwoArms
from surveys.estimation.two_groups.models import BESIDES
from surveys.numbers.words import (
    decimal,
    estimate_of_100,
    interval_cell,
    interval_clause,
    level_words,
    limits_of_100,
    of_100,
    p_words,
    percent,
)
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.results.figures.questions import QuestionResult
from surveys.results.figures.regression.arms import outcomes_of_arms
from surveys.results.figures.two_arms import ModelParameter, TwoArmsResult, fit_two_arms, models_shown
from surveys.results.report import Report
from surveys.results.sections.arms import comparison_of
from surveys.results.sections.section import Section


def section(report: Report, result: QuestionResult) -> Section | None:
    """Return the model of two arms that is asked for, and the others that there are."""
    question = result.question
    compared = report.once(comparison_of, question) if report.stored.arms else None
    models = models_shown(question, report.definition, compared) if compared else ()
    identified = [each for each in models if each.identified]
    usual = identified[0] if question.is_guess and identified else None
    chosen, notices = parse_model(report.query, models, usual)
    if not models and not question.is_guess:
        return Section(notices=notices) if notices else None
    fit = fit_two_arms(chosen, compared, report.options.wanted) if compared and chosen in identified else None
    context: dict[str, Any] = {
        "models": [(each.value, model_label(each), each == chosen) for each in models] if identified else [],
        "guess": guess_words(fit) if question.is_guess and result.enough else "",
        "lines": [unidentified_words(chosen)] if chosen and not chosen.identified else [],
    }
    if fit:
        context |= {
            "table": model_table(fit),
            "title": model_label(fit.arms),
            "lines": model_finding(fit, report.options.confidence_level),
            "terms": model_terms(fit),
            "computed": computed_words(fit),
        }
    return Section(
        context, below="results/sections/two_arms.html", notices=notices, outcome=outcome_of_arms(report, question)
    )


def outcome_of_arms(report: Report, question: AskedQuestion) -> str:
    """Return the key of what a question and another one show together, where alone it shows nothing, or is a guess."""
    if not (question.answers.counts_options or question.is_guess):
        return ""
    outcomes = outcomes_of_arms(report.stored, report.snapshot)
    return next((outcome.key for outcome in outcomes if question.number in outcome.numbers), "")


def parse_model(query: QueryDict, models: Sequence[TwoArms], usual: TwoArms | None) -> tuple[TwoArms | None, list[str]]:
    """Return the model asked for, None for one share in all arms; what is unknown becomes that, with a notice."""
    wanted = query.get("model", usual.value if usual else "")
    model = next((each for each in models if each.value == wanted), None)
    if model or not wanted:
        return model, []
    return None, [
        _("Unknown model “%(model)s” for these arms. One share for all arms is shown instead.") % {"model": wanted[:40]}
    ]


_ANSWER_YES = gettext_lazy(
    "Under this model, about %(estimate)s of 100 people answer Yes (%(level)s confidence interval: %(clause)s)."
)


@dataclass(frozen=True, slots=True)
class ModelWords:
    """What is said of a model: its name, its parameters, its second finding, and what it takes to be so."""

    label: Promise
    parameters: Mapping[str, Promise]
    finding: Promise  # of the second parameter's estimate and limits
    assumes: Promise
    source: str
    first_finding: Promise = _ANSWER_YES


WORDS = {
    "unrelated_unknown": ModelWords(
        label=gettext_lazy("the share of Yes answers to the innocuous question is estimated"),
        parameters={
            "prevalence": gettext_lazy("Yes to this question"),
            "innocuous_rate": gettext_lazy("Yes to the innocuous question"),
        },
        finding=gettext_lazy(
            "About %(estimate)s of 100 people answer Yes to the innocuous question (between %(low)s and "
            "%(high)s). The stated share was %(stated)s of 100."
        ),
        assumes=gettext_lazy(
            "This model assumes that both arms have the same share of Yes answers to each question. It also "
            "assumes that the facts that decide which question is answered apply to as many people as stated."
        ),
        source="Greenberg, Abul-Ela, Simmons & Horvitz (1969)",
    ),
    "cheating_detection": ModelWords(
        label=gettext_lazy("some people say No whatever the coins show"),
        parameters={
            "prevalence": gettext_lazy("people who follow the coins and whose true answer is Yes"),
            "honest_no": gettext_lazy("people who follow the coins and whose true answer is No"),
            "always_no": gettext_lazy("people who say No whatever the coins show"),
        },
        finding=gettext_lazy(
            "Another %(estimate)s of 100 people (between %(low)s and %(high)s) say No whatever the coins show. "
            "Their true answers are unknown."
        ),
        assumes=gettext_lazy(
            "This model assumes that both arms have the same three shares. A phone always follows its "
            "instructions. Only people who throw coins themselves can say No whatever the coins show."
        ),
        source="Clark & Desharnais (1998)",
    ),
    "lie_detector": ModelWords(
        label=gettext_lazy("some people whose true answer is Yes do not answer truthfully"),
        parameters={
            "prevalence": gettext_lazy("Yes"),
            "truthful_share": gettext_lazy("people who answer truthfully, of those whose true answer is Yes"),
        },
        finding=gettext_lazy(
            "Of these people, about %(estimate)s of 100 answer truthfully (between %(low)s and %(high)s)."
        ),
        assumes=gettext_lazy(
            "This model assumes that both arms have the same shares, and that people whose true answer is No "
            "follow the instructions. If a phone randomizes, people who tap No although their true answer is "
            "Yes count as No. So the model can detect untruthful answers only from people who throw coins "
            "themselves."
        ),
        source="Moshagen, Musch & Erdfelder (2012)",
        # Not all of them answer so.
        first_finding=gettext_lazy(
            "Under this model, the true answer is Yes for about %(estimate)s of 100 people (%(level)s "
            "confidence interval: %(clause)s)."
        ),
    ),
}


def model_label(arms: TwoArms) -> str:
    """Name a model and its two questions, to choose it."""
    return _("Questions %(first)s and %(second)s: %(model)s") % {
        "first": arms.first.number,
        "second": arms.second.number,
        "model": WORDS[arms.model].label,
    }


def unidentified_words(arms: TwoArms) -> str:
    """Say why a model cannot be read off these two arms."""
    return _(
        "Questions %(first)s and %(second)s are randomized in the same proportions, so together they give only "
        "one share. Use other probabilities for one of them."
    ) % {"first": arms.first.number, "second": arms.second.number}


def guess_words(result: TwoArmsResult | None) -> str:
    """Say what does without a guessed share."""
    if result:
        return _("The estimate below comes from both arms and needs no guessed share.")
    return _(
        "To avoid the guessed share, you need a second arm with other probabilities, and enough answers in both arms."
    )


def model_table(result: TwoArmsResult) -> Table:
    """Return every parameter with its interval, and what it was before it was limited."""
    words = WORDS[result.arms.model].parameters
    return Table(
        _("Both arms together, of 100"),
        (pgettext("of people", "Share"), _("Estimate"), _("Interval"), _("Raw estimate")),
        tuple(
            (
                capfirst(str(words[parameter.name])),
                _of_100(parameter, trusted=not result.misfit.suspicious),
                interval_cell(parameter.low, parameter.high) if not result.misfit.suspicious else "–",
                "–" if isnan(parameter.moment) else decimal(100 * parameter.moment, 1),
            )
            for parameter in result.parameters
        ),
    )


def _of_100(parameter: ModelParameter, *, trusted: bool) -> str:
    if not trusted:
        return _("not reliable")
    if isnan(parameter.estimate):
        return _("none (no such people)")
    return estimate_of_100(parameter.estimate, parameter.low, parameter.high)


def model_finding(result: TwoArmsResult, level: float) -> list[str]:
    """Say both findings with their intervals, where the model can give what was reported."""
    if result.misfit.suspicious:
        return [
            _("Whatever the shares, this model does not fit the reports (%(p)s).")
            % {"p": p_words(result.misfit.p_value)}
        ]
    prevalence, words = result.parameters[0], WORDS[result.arms.model]
    sentences = [
        str(words.first_finding)
        % {
            "estimate": estimate_of_100(prevalence.estimate, prevalence.low, prevalence.high),
            "clause": interval_clause(prevalence.low, prevalence.high),
            "level": level_words(level),
        }
    ]
    second = next(each for each in result.parameters if each.name == BESIDES[result.arms.model])
    if isnan(second.estimate):
        return sentences
    share = dict(result.arms.first.design.exact_parameters).get("q")
    estimate = estimate_of_100(second.estimate, second.low, second.high)
    shown = {"estimate": estimate, "stated": of_100(share) if isinstance(share, Fraction) else ""}
    sentences.append(str(words.finding) % {**shown, **limits_of_100(second.low, second.high)})
    return sentences


def model_terms(result: TwoArmsResult) -> list[str]:
    """Say what the model takes to be so, and whether it fits."""
    words = WORDS[result.arms.model]
    if result.misfit.outside:
        fit = _(
            "No shares make this model fit the reports exactly (goodness-of-fit test: %(p)s), so the estimates "
            "are the possible shares under which these reports are likeliest."
        ) % {"p": p_words(result.misfit.p_value)}
    else:
        fit = _("The model fits exactly, because it has as many shares as there are arms. So its fit cannot be tested.")
    return [str(words.assumes), fit]


def computed_words(result: TwoArmsResult) -> list[str]:
    """Say how it is computed, with the weights of each arm, and whose model it is."""
    weights = [percent(weight, 1) for pair in result.arms.weights for weight in pair]
    computed = _(
        "Each arm’s share of Yes reports is a mixture of two shares. Their weights are %(a)s and %(b)s in "
        "question %(first)s, and %(c)s and %(d)s in question %(second)s. Two equations give two shares. "
        "Intervals for shares combine the Wilson intervals of both arms (MOVER). Intervals for conditional "
        "shares come from the likelihood."
    ) % {
        "first": result.arms.first.number,
        "second": result.arms.second.number,
        **dict(zip("abcd", weights, strict=True)),
    }
    return [computed, _("Source: %(source)s") % {"source": WORDS[result.arms.model].source}]
