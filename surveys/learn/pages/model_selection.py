"""Private model selection: the exponential mechanism among three models, and what a lost factor 2 spends."""

import math
from fractions import Fraction
from functools import lru_cache
from itertools import product

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Axis, Bar, BarChart, Chart, Curve, CurveChart, Mark, Table, Tick, share_axis
from surveys.learn.forms import Pick, Slider, counted
from surveys.learn.learners.hypotheses import HypothesisChoice
from surveys.learn.page import Chapter, LabPage, Numbers, SeededChance, Shown, Values
from surveys.numbers.words import (
    four_digits,
    in_formula,
    rough_chance,
    round_up_exactly,
    tenths_of_100,
    times,
    whole_number,
)

_RIGHT = (Fraction(80, 100), Fraction(78, 100), Fraction(70, 100))
_MOST_EPSILON, _STEPS = 5, 50


class ModelSelection(LabPage):
    """Three models, of which one is best."""

    place = 26
    chapter = Chapter.LEARNING
    slug = "model-selection"
    title = gettext_lazy("How do you pick the best model without exposing anyone?")
    source = "McSherry & Talwar 2007"
    controls = {
        "epsilon": Slider(
            "0.1", str(_MOST_EPSILON), step="0.1", initial="1", label=gettext_lazy("Privacy budget spent, ε")
        ),
        "people": Pick(counted(50, 100, 500, 2000), initial="100", label=gettext_lazy("People")),
        "exponent": Pick(
            {"proved": "ε·u/2", "slide": "ε·u"}, initial="proved", label=gettext_lazy("Weights: e to the power of")
        ),
    }  # fmt: skip

    def numbers(self, values: Values, _chance: SeededChance) -> Numbers:
        """Weigh the models by how many answers each has right."""
        n, meant = int(values["people"]), values["epsilon"]
        used = meant * (2 if values["exponent"] == "slide" else 1)
        chosen = _choice(n, used).probabilities
        best = max(_RIGHT)
        return {
            "right": [int(n * share) for share in _RIGHT],
            "chances": list(chosen),
            "best": chosen[0],
            "given_up": float(sum(p * float(best - share) for p, share in zip(chosen, _RIGHT, strict=True))),
            "meant": meant,
            "spent": _spent(n, used),
        }

    def show(self, values: Values, numbers: Numbers) -> Shown:
        """Draw how often each is chosen, now and at any ε."""
        meant, spent = numbers["meant"], numbers["spent"]
        figures = {
            "best": tenths_of_100(numbers["best"]),
            "second": rough_chance(numbers["chances"][1]),
            "given": in_formula(round(100 * numbers["given_up"], 2)),
            "meant": four_digits(meant),
            "spent": four_digits(spent),
            "fold": times(round_up_exactly(Fraction(math.exp(spent)), 3)),
        }
        if spent > float(meant) * (1 + 1e-6):
            title = _("The mechanism spends ε = %(spent)s, not the promised %(meant)s") % figures
        else:
            title = _("The best of three models is chosen in %(best)s of 100 draws") % figures
        sentence = _(
            "The second best is chosen in %(second)s of draws. On average, %(given)s fewer of 100 answers are "
            "right than with the best model. One person changes the odds of a choice at most %(fold)s‑fold."
        )
        slide = values["exponent"] == "slide"
        return Shown(sentence % figures, (_bars(numbers, title), _curves(values, title, 2 if slide else 1)))


def _choice(n: int, epsilon: Fraction) -> HypothesisChoice:
    return HypothesisChoice(utilities=tuple(n * share for share in _RIGHT), epsilon=epsilon, sensitivity=Fraction(1))


@lru_cache(maxsize=64)
def _curve(n: int, factor: int) -> tuple[tuple[float, tuple[float, ...]], ...]:
    """Return ε, and how often each model is chosen."""
    epsilons = [Fraction(_MOST_EPSILON * step, _STEPS) for step in range(1, _STEPS + 1)]
    return tuple((float(epsilon), _choice(n, factor * epsilon).probabilities) for epsilon in epsilons)


def _spent(n: int, epsilon: Fraction) -> float:
    """Return the largest logarithm of odds between these answers and those with one replaced."""
    choice, largest = _choice(n, epsilon), 0.0
    here = choice.probabilities
    for change in product((-1, 0, 1), repeat=len(_RIGHT)):
        moved = tuple(utility + step for utility, step in zip(choice.utilities, change, strict=True))
        there = HypothesisChoice(utilities=moved, epsilon=epsilon, sensitivity=Fraction(1)).probabilities
        largest = max(largest, *(abs(math.log(p / q)) for p, q in zip(here, there, strict=True) if p > 0 and q > 0))
    return largest


def _name(right: int, n: int) -> str:
    return _("%(right)s of %(n)s answers right") % {"right": whole_number(right), "n": whole_number(n)}


def _bars(numbers: Numbers, title: str) -> Chart:
    n = int(numbers["right"][0] / _RIGHT[0])
    names = [_name(right, n) for right in numbers["right"]]
    values = [rough_chance(chance) for chance in numbers["chances"]]
    return BarChart(
        name="chosen",
        title=title,
        table=Table(title, (_("Model"), _("Chosen")), tuple(zip(names, values, strict=True))),
        axis=share_axis(),
        bars=tuple(
            Bar(name, f"{name}: {value}.", value, chance)
            for name, value, chance in zip(names, values, numbers["chances"], strict=True)
        ),
        share_label=_("times chosen, of 100"),
    )


def _curves(values: Values, title: str, factor: int) -> Chart:
    n = int(values["people"])
    points = _curve(n, factor)
    names = [_name(int(n * share), n) for share in _RIGHT]
    rows = tuple(
        (in_formula(epsilon), *(rough_chance(chance) for chance in chances)) for epsilon, chances in points[4::5]
    )
    return CurveChart(
        name="along",
        title=title,
        table=Table(title, ("ε", *names), rows),
        x_axis=Axis(0, _MOST_EPSILON, tuple(Tick(at, str(at)) for at in range(_MOST_EPSILON + 1)), "ε"),
        y_axis=share_axis(_("chosen, of 100")),
        curves=tuple(
            Curve(name, [(epsilon, chances[place]) for epsilon, chances in points], dash=place)
            for place, name in enumerate(names)
        ),
        marks=(Mark(_("now"), x=float(values["epsilon"])),),
    )


PAGE = ModelSelection()
