"""Where large numbers should be cut off: a lower limit needs less noise, and takes more away."""

from fractions import Fraction
from functools import lru_cache
from math import hypot, sqrt

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Axis, Curve, CurveChart, Mark, Table, axis_around
from surveys.learn.forms import Pick, Slider, counted
from surveys.learn.page import Chapter, LabPage, Numbers, SeededChance, Shown, Values
from surveys.numbers.words import decimal, limits_cell, whole_number, without_zeros
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.mechanisms.bounds import ApproximateBounds, bin_of, signed_log_bins
from surveys.privacy.mechanisms.mean import BoundedMean
from surveys.privacy.mechanisms.reported_numbers import undisguised_numbers

# Of every ten people.
SAID = (0, 0, 0, 0, 1, 3, 7, 8, 8, 8)
_LIMITS = range(1, 21)
# Nothing but its order of magnitude is known of any number: −32, −16, …, 0, 1, 2, …, 32.
_EDGES = signed_log_bins(0, 5)


class Clipping(LabPage):
    """Numbers above a limit count as the limit."""

    place = 9
    chapter = Chapter.NOISE
    slug = "clipping"
    title = gettext_lazy("Where should large numbers be cut off?")
    source = "Wilson, Zhang, Lam, Desfontaines, Simmons-Marengo & Gipson 2020"
    controls = {
        "limit": Slider(
            "1", "20", step="1", initial="20", label=gettext_lazy("Limit: larger numbers count as the limit")
        ),
        "people": Pick(counted(10, 100, 1000), initial="10", label=gettext_lazy("People")),
        "epsilon": Slider(
            "0.1",
            "2",
            step="0.1",
            initial="1",
            label=gettext_lazy("ε: how much one number can change the odds of a guess"),
        ),
    }
    watched = "noisy_mean"
    aim = "true_mean"

    def numbers(self, values: Values, chance: SeededChance) -> Numbers:
        """Draw the noise of a bounded mean, and limits from noisy counts of bins, as releases do."""
        n, epsilon, limit = int(values["people"]), values["epsilon"], int(values["limit"])
        errors = _errors(n, epsilon)
        clipped, (of_sum,) = _clipped(limit), _mean(epsilon, limit).parts.sums
        drawn: Numbers = {"noisy_mean": clipped + of_sum.grid.unit * of_sum.noise.sample(chance.randbelow) / n}
        if values["times"] == 1:
            # Many draws show the mean alone.
            drawn |= _find_bounds(n, epsilon, chance)
        totals = [hypot(bias, noise) for bias, noise in errors]
        return drawn | {
            "true_mean": _clipped(max(SAID)),
            "bias": errors[limit - 1][0],
            "noise": errors[limit - 1][1],
            "error": totals[limit - 1],
            "best_limit": _LIMITS[totals.index(min(totals))],
            "least_error": min(totals),
        }

    def show(self, values: Values, numbers: Numbers) -> Shown:
        """Draw what each limit takes away, what noise it needs, and both together."""
        limits = _("nothing")
        if numbers["found_high"] is not None:
            limits = limits_cell(whole_number(numbers["found_low"]), whole_number(numbers["found_high"]))
        figures = {
            "limit": whole_number(int(values["limit"])),
            "best": whole_number(numbers["best_limit"]),
            "error": decimal(numbers["error"], 2),
            "least": decimal(numbers["least_error"], 2),
            "bias": without_zeros(decimal(-numbers["bias"], 2)),
            "noise": decimal(numbers["noise"], 2),
            "found": limits,
        }
        if numbers["best_limit"] == values["limit"]:
            title = _("With the best limit, %(limit)s, the mean’s typical error is %(error)s") % figures
        else:
            title = (
                _(
                    "With a limit of %(limit)s, the mean’s typical error is %(error)s, but with %(best)s it "
                    "would be %(least)s"
                )
                % figures
            )
        sentence = _(
            "Cutting numbers off lowers the mean by %(bias)s. The noise moves the mean by about %(noise)s "
            "either way. Searching for limits costs the same ε again and finds %(found)s."
        )
        return Shown(sentence % figures, (_picture(values, numbers, title, figures),))

    def axis(self, values: Values) -> Axis:
        """Around the truth, as far as noise goes."""
        noise = _errors(int(values["people"]), values["epsilon"])[int(values["limit"]) - 1][1]
        middle = sum(SAID) / len(SAID)
        return axis_around([middle - 3 * noise, middle + 3 * noise])

    def write(self, number: float) -> str:
        return decimal(number, 2)


def _clipped(limit: int) -> Fraction:
    return Fraction(sum(min(number, limit) for number in SAID), len(SAID))


@lru_cache
def _mean(epsilon: Fraction, limit: int) -> BoundedMean:
    numbers = undisguised_numbers(range(limit + 1))
    return BoundedMean(epsilon=epsilon, relation=NeighbouringRelation.REPLACE_ONE, numbers=numbers)


@lru_cache
def _errors(n: int, epsilon: Fraction) -> tuple[tuple[float, float], ...]:
    """Return for each limit the bias of the mean, and the standard deviation of its noise."""
    errors = []
    for limit in _LIMITS:
        (of_sum,) = _mean(epsilon, limit).parts.sums
        bias = float(_clipped(limit) - _clipped(max(SAID)))
        errors.append((bias, float(of_sum.grid.unit) * sqrt(of_sum.noise.variance) / n))
    return tuple(errors)


def _find_bounds(n: int, epsilon: Fraction, chance: SeededChance) -> Numbers:
    bins = len(_EDGES) - 1
    held = [bin_of(number, _EDGES) for number in SAID]
    mechanism = ApproximateBounds(epsilon=epsilon, relation=NeighbouringRelation.REPLACE_ONE, bins=bins)
    bounds = mechanism.release([n // len(SAID) * held.count(code) for code in range(bins)], chance.randbelow)
    if bounds.low is None or bounds.high is None:
        return {"found_low": None, "found_high": None}
    return {"found_low": int(_EDGES[bounds.low]), "found_high": int(_EDGES[bounds.high + 1])}


def _picture(values: Values, numbers: Numbers, title: str, figures: dict[str, str]) -> CurveChart:
    errors = _errors(int(values["people"]), values["epsilon"])
    lines = {
        _("both"): [hypot(*parts) for parts in errors],
        _("noise"): [noise for _bias, noise in errors],
        _("lost by cutting"): [-bias for bias, _noise in errors],
    }
    rows = tuple(
        (whole_number(limit), *(decimal(line[place], 2) for line in lines.values()))
        for place, limit in enumerate(_LIMITS)
    )
    marks = [Mark(_("limit: %(limit)s") % figures, x=float(values["limit"]))]
    if numbers["found_high"] is not None and numbers["found_high"] <= _LIMITS[-1]:
        marks.append(Mark(_("found: %(found)s") % figures, x=numbers["found_high"]))
    return CurveChart(
        name="limits",
        title=title,
        table=Table(title, (_("Limit"), *lines), rows),
        x_axis=axis_around(_LIMITS, title=_("limit"), within=(1, 20)),
        y_axis=axis_around([0, *lines[_("both")]], title=_("typical error of the mean")),
        curves=tuple(
            Curve(label, tuple(zip(_LIMITS, line, strict=True)), dash)
            for dash, (label, line) in enumerate(lines.items())
        ),
        marks=marks,
    )


PAGE = Clipping()
