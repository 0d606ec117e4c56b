"""How many releases come to together: added up, by a formula, in ρ and exactly; and what a budget pays for."""

from bisect import bisect_right
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Curve, CurveChart, Mark, Table, axis_around
from surveys.learn.forms import Slider
from surveys.learn.page import Chapter, LabPage, Numbers, SeededChance, Shown, Values
from surveys.numbers.words import at_most, localized, whole_number, without_zero
from surveys.privacy.accounting.composition import compose_advanced
from surveys.privacy.accounting.concentrated import compose_concentrated, concentrated_epsilon, concentrated_from_pure
from surveys.privacy.accounting.optimal import optimal_epsilon
from surveys.privacy.loss import PrivacyLoss

DELTA = Fraction(1, 10**6)
_MOST = 1_000
_POINTS = 20


class ManyReleases(LabPage):
    """Releases of the same ε, one after the other."""

    place = 12
    chapter = Chapter.ADDING_UP
    slug = "composition"
    title = gettext_lazy("What do a hundred small releases cost?")
    source = "Dwork, Rothblum & Vadhan 2010; Kairouz, Oh & Viswanath 2015; Bun & Steinke 2016"
    controls = {
        "count": Slider("10", "500", step="10", initial="100", label=gettext_lazy("Releases")),
        "epsilon": Slider(
            "0.05",
            "1",
            step="0.05",
            initial="0.1",
            label=gettext_lazy("ε of each release: how much it can change the odds of a guess"),
        ),
        "budget": Slider("1", "20", step="1", initial="5", label=gettext_lazy("Total ε budget")),
    }
    real = "admin:surveys_budget_change"

    def numbers(self, values: Values, chance: SeededChance) -> Numbers:
        """Compute all four totals as the ledger does, and for how many releases the budget lasts."""
        epsilon, count, budget = values["epsilon"], int(values["count"]), values["budget"]
        return {
            **{name: total(epsilon, count) for name, total in _TOTALS.items()},
            "crossover": _first_of(lambda k: _TOTALS["advanced"](epsilon, k) < k * epsilon),
            "lasts_by_sums": min(int(budget / epsilon), _MOST),
            "lasts_at_best": _first_of(lambda k: _TOTALS["optimal"](epsilon, k) > budget) - 1,
        }

    def show(self, values: Values, numbers: Numbers) -> Shown:
        """Draw the totals over the number of releases, and the budget across."""
        figures = {
            "count": whole_number(int(values["count"])),
            "epsilon": localized(values["epsilon"]),
            "sum": without_zero(at_most(float(numbers["sum"]), 1)),
            "best": without_zero(at_most(numbers["optimal"], 1)),
            "crossover": whole_number(numbers["crossover"]),
            "budget": localized(values["budget"]),
            "few": _lasting(numbers["lasts_by_sums"]),
            "many": _lasting(numbers["lasts_at_best"]),
        }
        title = _("%(count)s releases cost ε = %(sum)s if added up, and %(best)s with optimal composition") % figures
        lasts = (
            _(
                "Releases within a budget of %(budget)s: %(few)s by adding up their ε, or %(many)s by optimal "
                "composition (except with a probability of one in a million)."
            )
            % figures
        )
        crosses = (
            _("From %(crossover)s releases on, advanced composition gives a smaller ε than the sum.")
            if numbers["crossover"] <= _MOST
            else _("For the numbers of releases shown here, advanced composition stays above the sum.")
        ) % figures
        return Shown(f"{lasts} {crosses}", (_picture(values, title, figures),))


def _sum(epsilon: Fraction, count: int) -> Fraction:
    return epsilon * count


@lru_cache
def _advanced(epsilon: Fraction, count: int) -> float:
    return float(compose_advanced(PrivacyLoss(epsilon), count, DELTA).epsilon)


@lru_cache
def _concentrated(epsilon: Fraction, count: int) -> float:
    return concentrated_epsilon(compose_concentrated([concentrated_from_pure(epsilon)] * count), DELTA)


@lru_cache
def _optimal(epsilon: Fraction, count: int) -> float:
    return optimal_epsilon(epsilon, count, DELTA)


_TOTALS: dict[str, Callable[[Fraction, int], float | Fraction]] = {
    "sum": _sum,
    "advanced": _advanced,
    "concentrated": _concentrated,
    "optimal": _optimal,
}


def _first_of(holds: Callable[[int], bool]) -> int:
    """Return the first number of releases from which on it holds; one more than are looked at where it never does."""
    return 1 + bisect_right(range(1, _MOST + 1), 0, key=lambda count: int(holds(count)))


def _lasting(count: int) -> str:
    if count >= _MOST:
        return _("%(count)s or more") % {"count": whole_number(_MOST)}
    return whole_number(count)


def _picture(values: Values, title: str, figures: dict[str, str]) -> CurveChart:
    names = {
        "sum": _("added up"),
        "advanced": _("advanced"),
        "concentrated": _("zero-concentrated"),
        "optimal": _("optimal"),
    }
    # Twice as many releases as are asked for: that many are in the middle.
    step = int(values["count"]) // (_POINTS // 2)
    counts = range(step, step * _POINTS + 1, step)
    lines = {name: [float(_TOTALS[name](values["epsilon"], count)) for count in counts] for name in names}
    rows = tuple(
        (whole_number(count), *(at_most(line[place], 2) for line in lines.values()))
        for place, count in enumerate(counts)
    )
    # The best is the finding: it is the solid line.
    dashes = {"optimal": 0, "sum": 1, "advanced": 2, "concentrated": 3}
    y_axis = axis_around([0, float(values["budget"]), 1.2 * lines["advanced"][-1]], title=_("total ε"))
    points = {
        name: [(0.0, 0.0), *zip(map(float, counts), lines[name], strict=True)]
        for name in ("optimal", "concentrated", "advanced")
    }
    # The sum leaves the picture early.
    last = min(float(counts[-1]), y_axis.high / float(values["epsilon"]))
    points["sum"] = [(0.0, 0.0), (last, last * float(values["epsilon"]))]
    return CurveChart(
        name="totals",
        title=title,
        table=Table(title, (_("Releases"), *names.values()), rows),
        x_axis=axis_around([0, counts[-1]], title=_("releases")),
        y_axis=y_axis,
        curves=tuple(Curve(names[name], points[name], dash) for name, dash in dashes.items()),
        marks=(
            Mark(_("%(count)s releases") % figures, x=float(values["count"])),
            Mark(_("budget: %(budget)s") % figures, y=float(values["budget"])),
        ),
    )


PAGE = ManyReleases()
