"""How wrong noise makes counts: whole Laplace and Gaussian noise, with error bounds, and a textbook's waste."""

from fractions import Fraction
from functools import lru_cache
from math import log, sqrt

import numpy as np
import numpy.typing as npt
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from surveys.charts import Axis, Chart, Curve, CurveChart, Mark, Table, axis_around
from surveys.learn.forms import Pick, Slider, counted
from surveys.learn.page import Chapter, LabPage, Numbers, SeededChance, Shown, Values
from surveys.numbers.words import decimal, level_words, localized, whole_number
from surveys.privacy.accounting.gaussian import analytic_gaussian_sigma, gaussian_variance
from surveys.privacy.adjacency import NeighbouringRelation, histogram_sensitivity
from surveys.privacy.mechanisms.gaussian import DiscreteGaussian
from surveys.privacy.mechanisms.laplace import DiscreteLaplace

_DELTA = Fraction(1, 10**6)
_SURE = 0.95
# Each person is in one of the counts, or in none.
_CHANGED = histogram_sensitivity(NeighbouringRelation.ADD_OR_REMOVE_ONE)
_PLACES = 60

Noise = DiscreteLaplace | DiscreteGaussian


class WorstOfCounts(LabPage):
    """The noise of one count, and how far the worst of many counts is off."""

    place = 6
    chapter = Chapter.NOISE
    slug = "count-noise"
    title = gettext_lazy("How wrong does noise make a count?")
    source = "Ghosh, Roughgarden & Sundararajan 2012; Canonne, Kamath & Steinke 2020; Balle & Wang 2018"
    controls = {
        "counts": Pick(counted(1, 100, 10000), initial="10000", label=gettext_lazy("Names counted")),
        "noise": Pick(
            {
                "laplace": gettext_lazy("Laplace"),
                "gaussian": gettext_lazy("Gaussian"),
                "classic": gettext_lazy("textbook Gaussian"),
            },
            initial="laplace",
            label=gettext_lazy("Noise"),
        ),
        "epsilon": Slider("0.1", "3", step="0.1", initial="1", label=gettext_lazy("ε (a smaller value protects more)")),
    }
    watched = "error"

    def numbers(self, values: Values, chance: SeededChance) -> Numbers:
        """Bound the errors, and draw the worst of them."""
        noise, bound, cumulated = _counts_off(values["noise"], values["epsilon"], int(values["counts"]))
        numbers: Numbers = {
            "bound": bound,
            "textbook": log(int(values["counts"]) / (1 - _SURE)) * _CHANGED / float(values["epsilon"]),
            "error": int(np.searchsorted(cumulated, chance.generator.random())),
            "deviation": sqrt(noise.variance),
        }
        if isinstance(noise, DiscreteGaussian):
            numbers |= {"sigma": noise.sigma} | _enough(values["epsilon"])
        return numbers

    def show(self, values: Values, numbers: Numbers) -> Shown:
        """Draw how likely each error of one count is."""
        figures = {
            "counts": whole_number(int(values["counts"])),
            "bound": whole_number(numbers["bound"]),
            "error": whole_number(numbers["error"]),
            "textbook": decimal(numbers["textbook"], 1),
            "sure": level_words(_SURE),
        }
        many = int(values["counts"])
        title = ngettext(
            "One count is off by at most %(bound)s", "None of %(counts)s counts is off by more than %(bound)s", many
        )
        sentence = ngettext(
            "This bound holds with probability %(sure)s. In this draw, the error is %(error)s.",
            "This bound holds with probability %(sure)s. In this draw, the largest error is %(error)s.",
            many,
        )
        return Shown(
            f"{sentence % figures} {_explained(values, numbers, figures)}",
            (_curve(values, numbers, title % figures),),
        )

    def axis(self, values: Values) -> Axis:
        _noise, bound, _cumulated = _counts_off(values["noise"], values["epsilon"], int(values["counts"]))
        return axis_around([0, 2 * bound], title=_("largest error of any count"))

    def write(self, number: float) -> str:
        return whole_number(round(number))


def _least_gaussian(epsilon: Fraction) -> DiscreteGaussian:
    return DiscreteGaussian(gaussian_variance(epsilon, _DELTA, _CHANGED))


@lru_cache(maxsize=256)
def _enough(epsilon: Fraction) -> dict[str, float]:
    """Return the least σ of whole numbers, and of continuous noise."""
    continuous = analytic_gaussian_sigma(float(epsilon), float(_DELTA), _CHANGED)
    return {"needed": _least_gaussian(epsilon).sigma, "continuous": continuous}


@lru_cache(maxsize=256)
def _counts_off(name: str, epsilon: Fraction, counts: int) -> tuple[Noise, int, npt.NDArray[np.float64]]:
    """Return the noise, the bound of all errors, and how likely all are at most 0, 1 and so on."""
    noise: Noise
    if name == "laplace":
        noise = DiscreteLaplace(epsilon, _CHANGED)
    elif name == "gaussian":
        noise = _least_gaussian(epsilon)
    else:
        noise = DiscreteGaussian(2 * _CHANGED * Fraction(log(1.25 / _DELTA)) / epsilon**2)
    bound = noise.error_bound(_SURE, counts)
    return noise, bound, (1 - 2 * noise.at_least(np.arange(1, 4 * bound + 40))) ** counts


def _explained(values: Values, numbers: Numbers, figures: dict[str, str]) -> str:
    if values["noise"] == "laplace":
        return _("The textbook bound, ln(k/β)/ε for k counts and a risk β, is %(textbook)s.") % figures
    sigmas = {
        "sigma": decimal(numbers["sigma"], 2),
        "needed": decimal(numbers["needed"], 2),
        "delta": localized(_DELTA),
        "more": level_words(round(numbers["sigma"] / numbers["needed"] - 1, 2)),
    }
    if values["noise"] == "gaussian":
        return (
            _(
                "Because δ = %(delta)s is allowed, the noise needs σ = %(needed)s. Probabilities may exceed "
                "the limit by at most δ."
            )
            % sigmas
        )
    if values["epsilon"] <= 1:
        return _("The textbook σ, %(sigma)s, is %(more)s larger than necessary: %(needed)s is enough.") % sigmas
    return (
        _("The textbook σ is %(sigma)s, but %(needed)s is enough, and above ε = 1 the textbook’s proof does not hold.")
        % sigmas
    )


def _curve(values: Values, numbers: Numbers, title: str) -> Chart:
    bound, epsilon = numbers["bound"], values["epsilon"]
    noise, _bound, _cumulated = _counts_off(values["noise"], epsilon, int(values["counts"]))
    others: dict[str, tuple[Noise, str]] = {
        "laplace": (_least_gaussian(epsilon), _("Gaussian")),
        "gaussian": (DiscreteLaplace(epsilon, _CHANGED), _("Laplace")),
        "classic": (_least_gaussian(epsilon), _("Gaussian with sufficient σ")),
    }
    other, name = others[values["noise"]]
    step = max(1, bound // (_PLACES // 2))
    last = -(-max(bound * 5 // 4, bound + 2) // step) * step
    places = range(-last, last + 1, step)
    chosen = [(at, noise.probability(at)) for at in places]
    compared = [(at, other.probability(at)) for at in places]
    rows = [
        (_("textbook bound ln(k/β)/ε"), decimal(numbers["textbook"], 1)),
        (_("bound for whole numbers"), whole_number(bound)),
        (_("in this draw"), whole_number(numbers["error"])),
        (_("standard deviation"), decimal(numbers["deviation"], 2)),
    ]
    if "sigma" in numbers:
        rows += [
            (_("σ"), decimal(numbers["sigma"], 4)),
            (_("sufficient σ, whole numbers"), decimal(numbers["needed"], 4)),
            (_("sufficient σ, all numbers"), decimal(numbers["continuous"], 4)),
        ]
    return CurveChart(
        name="noise",
        title=title,
        text=_("%(title)s. Small errors are the most likely.") % {"title": title},
        table=Table(title, (_("Quantity"), _("Number")), tuple(rows)),
        x_axis=axis_around([-last, last], title=_("noise added to one count")),
        y_axis=Axis(0, 1.1 * max(height for _at, height in chosen + compared), ()),
        curves=(
            Curve(_("this noise"), chosen, filled=True),
            Curve(name, compared, dash=1),
        ),
        marks=(Mark(f"−{whole_number(bound)}", x=-bound), Mark(f"+{whole_number(bound)}", x=bound)),
    )


PAGE = WorstOfCounts()
