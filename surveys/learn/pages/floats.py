"""Why floats betray: textbook noise in binary fractions can show what it was added to; whole numbers cannot."""

from fractions import Fraction
from math import exp

import numpy as np
import numpy.typing as npt
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Axis, Chart, CrowdChart, CrowdRow, Table, Tick
from surveys.charts.crowds import Kind
from surveys.learn.forms import Pick, counted
from surveys.learn.page import Chapter, LabPage, Numbers, SeededChance, Shown, Values
from surveys.numbers.words import people_of_100, tenths_of_100, upwards, whole_number
from surveys.privacy.mechanisms.laplace import DiscreteLaplace

_DRAWS = 400
_COLUMNS = 40
# A float between 0 and 1 is drawn as so many parts of 1.
_PARTS = 2**53
# Rounding moves the part that gives a number by 1 at most; two more for safety.
_NEAR = np.arange(-3, 4)

Floats = npt.NDArray[np.float64]


class BetrayingFloats(LabPage):
    """Of noisy numbers, those that only one of two counts can lead to."""

    place = 7
    chapter = Chapter.NOISE
    slug = "floats"
    title = gettext_lazy("Can rounding betray a secret?")
    source = "Mironov 2012; Canonne, Kamath & Steinke 2020"
    controls = {
        "noise": Pick(
            {"floats": gettext_lazy("decimals (textbook)"), "whole": gettext_lazy("whole numbers")},
            initial="floats",
            label=gettext_lazy("Noise"),
        ),
        "truth": Pick(counted(0, 1), initial="0", label=gettext_lazy("True count")),
        "scale": Pick(counted(1, 2, 10), initial="1", label=gettext_lazy("Size of the noise")),
    }
    watched = "share"

    def numbers(self, values: Values, chance: SeededChance) -> Numbers:
        """Draw noisy counts, and search for what else could have led to each."""
        truth, scale = int(values["truth"]), int(values["scale"])
        if values["noise"] == "whole":
            noise = DiscreteLaplace(Fraction(1, scale), 1)
            fall = 1 - exp(-noise.rate)
            above, below = chance.generator.geometric(fall, size=(2, _DRAWS))
            seen = truth + above - below
            outputs, places = np.unique(seen, return_inverse=True)
            proofs = np.array([noise.probability(int(output) - (1 - truth)) == 0 for output in outputs])
            betrayed = proofs[places].tolist()
            return {
                "share": sum(betrayed) / _DRAWS,
                "betrayed": betrayed,
                "by_last_digits": 0.0,
                "first": float(seen[0]),
            }
        noisy = add_textbook_noise(chance.generator.random(_DRAWS), truth, scale)
        alone = ~can_come_from(noisy, 1 - truth, scale)
        # What noise leads to from 1 is a multiple of 2⁻⁵³.
        finer = (noisy * _PARTS) % 1 != 0
        return {
            "share": float(alone.mean()),
            "betrayed": alone.tolist(),
            "by_last_digits": float(finer.mean()) if truth == 0 else 0.0,
            "first": float(noisy[0]),
        }

    def show(self, values: Values, numbers: Numbers) -> Shown:
        """Draw every noisy number as a dot, filled if it betrays the count."""
        betrayed = sum(numbers["betrayed"])
        figures = {
            "share": people_of_100(numbers["share"]),
            "found": whole_number(betrayed),
            "many": whole_number(_DRAWS),
            "truth": values["truth"],
            "other": str(1 - int(values["truth"])),
            "digits": people_of_100(numbers["by_last_digits"]),
            "factor": upwards(Fraction(exp(1 / int(values["scale"]))), 2),
        }
        if values["noise"] == "whole":
            title = _("No whole number betrays the count")
            sentence = _(
                "Each of the %(many)s noisy numbers can come from either count, 0 or 1. One count produces it "
                "at most %(factor)s times as often as the other."
            )
        else:
            title = _("%(share)s of 100 noisy numbers betray the count")
            sentence = _(
                "%(found)s of %(many)s noisy numbers can come from a count of %(truth)s but never from "
                "%(other)s. In %(digits)s of 100 noisy numbers, the last binary digits alone show this."
            )
        return Shown(sentence % figures, (_dots(title % figures, numbers, figures),))

    def result(self, values: Values) -> tuple[Numbers, Shown]:
        """Draw whole numbers once: their share never varies."""
        return super().result({**values, "times": 1} if values["noise"] == "whole" else values)

    def axis(self, values: Values) -> Axis:
        """Shares, of which none is below a half."""
        return Axis(0.5, 1, tuple(Tick(at / 100, str(at)) for at in (50, 75, 100)))


def add_textbook_noise(drawn: Floats, count: int, scale: int) -> Floats:
    """Return count − scale·sgn(u − ½)·ln(1 − 2|u − ½|), every step rounded as computers do."""
    away = drawn - 0.5
    noisy: Floats = count - scale * np.sign(away) * np.log(1 - 2 * np.abs(away))
    return noisy


def can_come_from(noisy: Floats, count: int, scale: int) -> npt.NDArray[np.bool_]:
    """Return which numbers the textbook's noise on this count leads to, for any draw at all."""
    away = noisy - count
    tail = np.exp(-np.abs(away) / scale) / 2
    nearest = np.rint(np.where(away > 0, 1 - tail, tail) * _PARTS)
    tried = np.clip(nearest[:, None] + _NEAR, 1, _PARTS - 1)
    possible: npt.NDArray[np.bool_] = (add_textbook_noise(tried / _PARTS, count, scale) == noisy[:, None]).any(axis=1)
    return possible


def _dots(title: str, numbers: Numbers, figures: dict[str, str]) -> Chart:
    # Those that betray stand first.
    dots: list[Kind] = ["lit" if betrayed else "ring" for betrayed in sorted(numbers["betrayed"], reverse=True)]
    label = _("noisy numbers possible only from %(truth)s") % figures
    value = _("%(found)s of %(many)s") % figures
    rows = (
        (label, figures["found"]),
        (_("others"), whole_number(dots.count("ring"))),
        (_("betrayed by their last digits, of 100"), tenths_of_100(numbers["by_last_digits"])),
        (_("the first noisy number"), repr(numbers["first"])),
    )
    return CrowdChart(
        name="numbers",
        title=title,
        table=Table(title, (_("Quantity"), _("Number")), rows),
        crowds=(CrowdRow(label, f"{value}: {label}", value, dots),),
        columns=_COLUMNS,
    )


PAGE = BetrayingFloats()
