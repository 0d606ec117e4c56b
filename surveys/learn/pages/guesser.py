"""What a guesser can do: how often it errs, and how far a report moves what it thought before."""

from fractions import Fraction
from math import exp, floor

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Chart, Curve, CurveChart, IntervalChart, IntervalRow, Table, share_axis
from surveys.learn.forms import OF_100, Pick, Slider
from surveys.learn.page import Chapter, LabPage, Numbers, SeededChance, Shown, Values
from surveys.numbers.words import chance as as_chance
from surveys.numbers.words import limits_cell, people_of_100, people_of_100_at_least, people_of_100_at_most, upwards
from surveys.privacy.accounting.error_region import error_region
from surveys.privacy.accounting.gaussian import gaussian_variance
from surveys.privacy.accounting.hypothesis_testing import posterior_bound, tradeoff
from surveys.privacy.designs import Design, k_ary_at
from surveys.privacy.mechanisms.gaussian import DiscreteGaussian
from surveys.privacy.mechanisms.laplace import DiscreteLaplace

# Much more than anybody would allow, so that it can be seen.
_DELTA = Fraction(1, 20)

Corners = tuple[tuple[float, float], ...]


class BestGuesses(LabPage):
    """All pairs of false alarms and misses that a test can have, and the best of them."""

    place = 3
    chapter = Chapter.HIDING
    slug = "guesser"
    title = gettext_lazy("What can a guesser find out?")
    source = "Wasserman & Zhou 2010; Kairouz, Oh & Viswanath 2015; Kasiviswanathan & Smith 2014"
    controls = {
        "noise": Pick(
            {
                "coins": gettext_lazy("coins for each answer"),
                "laplace": gettext_lazy("Laplace noise on a count"),
                "gaussian": gettext_lazy("Gaussian noise, δ = 5%"),
                "any": gettext_lazy("the worst case with δ = 5%"),
            },
            initial="coins",
            label=gettext_lazy("Hidden by"),
        ),
        "epsilon": Slider(
            "0.1", "4", step="0.1", initial="1.1", label=gettext_lazy("ε: how much the odds of Yes can change")
        ),
        "prior": Slider(
            "1", "99", step="1", initial="50", label=gettext_lazy("Probability of Yes beforehand"), unit=OF_100
        ),
    }
    replaced = ("noise", "epsilon")
    real = "survey-results-bayes"

    def numbers(self, values: Values, chance: SeededChance) -> Numbers:
        """Find the corners of the error region, and what Bayes makes of the best guess."""
        question, prior = values.get("own"), values["prior"] / 100
        epsilon = Fraction(question.design.epsilon) if question else values["epsilon"]
        corners, beyond = (_of_coins(question.design), 0.0) if question else _tests(values["noise"], epsilon)
        right = max(prior * (1 - fnr) + (1 - prior) * (1 - fpr) for fpr, fnr in corners)
        return {
            "epsilon": epsilon,
            "factor": max(question.design.odds) if question else Fraction(exp(epsilon)),
            "corners": corners,
            "advantage": max(1 - fpr - fnr for fpr, fnr in corners),
            "right": float(right),
            "right_before": float(max(prior, 1 - prior)),
            "least": 1 - posterior_bound(1 - prior, epsilon),
            "most": posterior_bound(prior, epsilon),
            "beyond": beyond,
        }

    def show(self, values: Values, numbers: Numbers) -> Shown:
        """Draw the region, and what was thought before and after."""
        figures = {
            "right": people_of_100_at_most(numbers["right"]),
            "before": people_of_100(numbers["right_before"]),
            "prior": str(values["prior"]),
            "limits": limits_cell(people_of_100_at_least(numbers["least"]), people_of_100_at_most(numbers["most"])),
            "factor": upwards(numbers["factor"], 1),
            "beyond": as_chance(numbers["beyond"]),
        }
        title = _("The best guess is right %(right)s times in 100") % figures
        sentence = _(
            "Without seeing the outcome, the best guess is right %(before)s times in 100. A probability of "
            "%(prior)s in 100 for Yes stays in the range %(limits)s. The odds change at most %(factor)s‑fold "
            "(e to the ε)."
        )
        if numbers["beyond"]:
            sentence += " " + _(
                "But with probability %(beyond)s, the odds change by more than this factor, towards the true answer."
            )
        return Shown(sentence % figures, (_region(values, numbers, title), _belief(values, numbers, figures)))


def _tests(noise: str, epsilon: Fraction) -> tuple[Corners, float]:
    """Return the best tests' errors, and how often odds move beyond e^ε."""
    if noise == "coins":
        return _of_coins(k_ary_at(epsilon, 2)), 0.0
    if noise == "laplace":
        laplace = DiscreteLaplace(epsilon, 1)
        # Likelihoods of a count and the next change their quotient once only.
        return _by_threshold(laplace, -1, 2), 0.0
    if noise == "gaussian":
        variance = gaussian_variance(epsilon, _DELTA)
        gaussian = DiscreteGaussian(variance)
        # The output y is exp((2y − 1)/(2σ²)) times as likely one higher.
        first = floor(epsilon * variance + Fraction(1, 2)) + 1
        return _by_threshold(gaussian, -gaussian.reach, gaussian.reach + 2), float(gaussian.at_least(first - 1))
    equal = tradeoff(0, epsilon, _DELTA) / (1 + exp(epsilon))
    return ((0.0, 1.0 - float(_DELTA)), (equal, equal), (1.0 - float(_DELTA), 0.0)), float(_DELTA)


def _of_coins(design: Design) -> Corners:
    return tuple((float(fpr), float(fnr)) for fpr, fnr in error_region(design, 1, 0).vertices)


def _by_threshold(noise: DiscreteLaplace | DiscreteGaussian, first: int, last: int) -> Corners:
    """Return the errors of all tests that say "one more" from some output on."""
    outputs = np.arange(last, first - 1, -1)
    fpr, fnr = noise.at_least(outputs), 1 - noise.at_least(outputs - 1)
    inner = [(float(x), float(y)) for x, y in zip(fpr, fnr, strict=True) if x > 1e-6 and y > 1e-6]
    return ((0.0, 1.0), *inner, (1.0, 0.0))


def _region(values: Values, numbers: Numbers, title: str) -> Chart:
    corners: Corners = numbers["corners"]
    bound = 1 / (1 + exp(numbers["epsilon"]))
    kept = [corner for corner in corners if min(corner) > 0.002 or corner in {corners[0], corners[-1]}]
    rows = tuple((as_chance(fpr), as_chance(fnr)) for fpr, fnr in kept)
    curves = [
        Curve(_("blind guesses"), ((0, 1), (1, 0)), dash=2),
        Curve(_("best guesses"), corners),
    ]
    if numbers["beyond"]:
        curves.append(Curve(_("limit of ε alone"), ((0, 1), (bound, bound), (1, 0)), dash=1))
    return CurveChart(
        name="guesses",
        title=title,
        text=_("%(title)s. The line runs from always guessing No to always guessing Yes.") % {"title": title},
        table=Table(title, (_("false alarms"), _("missed")), rows),
        x_axis=share_axis(_("false alarms, of 100 people who mean No")),
        y_axis=share_axis(_("missed, of 100 people who mean Yes")),
        curves=curves,
    )


def _belief(values: Values, numbers: Numbers, figures: dict[str, str]) -> Chart:
    title = _("Probability of Yes before and after")
    row = IntervalRow(
        _("probability of Yes"),
        figures["limits"],
        figures["limits"],
        None,
        numbers["least"],
        numbers["most"],
        truth=float(values["prior"] / 100),
    )
    rows = ((_("before"), figures["prior"]), (_("after"), figures["limits"]))
    return IntervalChart(
        name="belief",
        title=title,
        table=Table(title, (_("When"), _("Of 100")), rows),
        axis=share_axis(),
        rows=(row,),
        interval_label=_("after any outcome"),
        truth_label=_("before"),
    )


PAGE = BestGuesses()
