"""What a regression of two arms says beside its odds ratios: shares that it estimates, and what is fitted."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.numbers.words import level_words, share_with_limits
from surveys.questionnaire.lists import ListPair
from surveys.results.figures.regression.arms import ArmsOutcome
from surveys.results.figures.regression.terms import FittedShare, Regression


def arms_lines(regression: Regression, outcome: ArmsOutcome) -> list[str]:
    """Say what the regression makes of the share of all, beside what both arms say without predictors."""
    lines = []
    if regression.prevalence:
        values = {"by_it": _share_words(regression.prevalence), "level": level_words(regression.confidence_level)}
        if regression.beside:
            lines.append(_share_line(outcome) % {**values, "beside": _share_words(regression.beside)})
        else:
            lines.append(
                _(
                    "According to this regression, the statement is true for %(by_it)s. The range in "
                    "brackets is a %(level)s confidence interval."
                )
                % values
            )
    if regression.merged:
        lines.append(
            _(
                "Numbers that only a few people share are pooled, so the regression uses less information "
                "than the difference in means."
            )
        )
    if regression.second and not isinstance(outcome.of, ListPair):
        lines.append(str(_OF_MODELS[outcome.of.model].second) % {"share": _share_words(regression.second)})
    return lines


def _share_line(outcome: ArmsOutcome) -> str:
    if isinstance(outcome.of, ListPair):
        return _(
            "According to this regression, the statement is true for %(by_it)s. According to the difference in "
            "means among everyone who answered the lists, it is true for %(beside)s. The ranges in brackets "
            "are %(level)s confidence intervals. The regression assumes a distribution for the innocuous "
            "numbers, but the difference in means does not. If the two estimates are far apart, trust the "
            "difference in means."
        )
    return str(_OF_MODELS[outcome.of.model].share)


def _share_words(share: FittedShare) -> str:
    return share_with_limits(share.share, share.low, share.high)


def model_words(outcome: ArmsOutcome) -> str:
    """Say what is fitted, and what it takes to be so."""
    if isinstance(outcome.of, ListPair):
        return _(
            "The log odds of the sensitive statement and of an innocuous statement are fitted together by "
            "maximum likelihood, with the same predictors (Imai 2011; Blair and Imai 2012). The model assumes "
            "that the number of true innocuous statements is beta-binomial. It also assumes that this number "
            "is related to the sensitive statement only through the predictors."
        )
    return str(_OF_MODELS[outcome.of.model].fitted)


_ANSWER_YES = gettext_lazy(
    "According to this regression, %(by_it)s answer Yes. According to the shares of Yes among everyone who "
    "answered in the two arms, %(beside)s do. The ranges in brackets are %(level)s confidence intervals."
)


@dataclass(frozen=True, slots=True)
class _FittedModel:
    """What a regression says of a model of two arms: its other share, what is fitted, and the share of all."""

    second: Promise
    fitted: Promise
    share: Promise = _ANSWER_YES


_OF_MODELS = {
    "unrelated_unknown": _FittedModel(
        second=gettext_lazy("According to this regression, %(share)s answer Yes to the innocuous question."),
        fitted=gettext_lazy(
            "The log odds of Yes to the sensitive question are fitted together with one share of Yes to the "
            "innocuous question, by maximum likelihood. Both are identified because the arms put the sensitive "
            "question to different proportions of people (Greenberg and others 1969). A share stated for the "
            "innocuous question is not used. The estimated share is assumed to be the same for all predictor "
            "values."
        ),
    ),
    "cheating_detection": _FittedModel(
        second=gettext_lazy(
            "According to this regression, %(share)s say No whatever the coins show. In the odds, these people "
            "do not count as Yes."
        ),
        fitted=gettext_lazy(
            "The log odds of Yes from people who follow the coins are fitted by maximum likelihood. One share "
            "of people who say No whatever the coins show is fitted with them. Both are identified because the "
            "arms force Yes on different proportions of people (Clark and Desharnais 1998). The odds refer to "
            "everyone, so people who always say No do not count as Yes, whatever their true answer. Their "
            "share is assumed to be the same for all predictor values. So for some values, the two shares may "
            "add up to more than 1. Only people who throw coins themselves can always say No, because a phone "
            "follows its instructions."
        ),
    ),
    "lie_detector": _FittedModel(
        second=gettext_lazy("According to this regression, of the people whose true answer is Yes, %(share)s say Yes."),
        fitted=gettext_lazy(
            "The log odds of a true Yes are fitted by maximum likelihood, together with the share who say Yes "
            "among people with a true Yes. Both are identified because the arms instruct different proportions "
            "of people to answer truthfully (Moshagen, Musch and Erdfelder 2012). This share is assumed to be "
            "the same for all predictor values. If a phone randomizes, people who tap No although their true "
            "answer is Yes count as No."
        ),
        # Not all of them answer so.
        share=gettext_lazy(
            "According to this regression, the true answer is Yes for %(by_it)s. According to the shares of "
            "Yes among everyone who answered in the two arms, the true answer is Yes for %(beside)s. The "
            "ranges in brackets are %(level)s confidence intervals."
        ),
    ),
}
