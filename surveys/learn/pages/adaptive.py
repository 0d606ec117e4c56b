"""Who looks at each answer before asking for the next can break a promise that was not made for that."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import inf, tanh

import numpy as np
import numpy.typing as npt
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Axis, Curve, CurveChart, DotPlot, Mark, Pin, Table, axis_around
from surveys.learn.forms import TIMES, Pick, counted
from surveys.learn.page import Chapter, LabPage, Numbers, SeededChance, Shown, Values
from surveys.numbers.words import decimal, roughly_of_100, three_digits, whole_number
from surveys.privacy.accounting.composition import compose_advanced
from surveys.privacy.loss import PrivacyLoss

# Every question is a coin that leans towards the truth by this much.
_EPSILON = 0.1
_LEANS = (1 + tanh(_EPSILON / 2)) / 2
# In so many runs a promise may be broken.
_RISK = 0.05
# The odometer is made for a hundred questions, and holds for any number.
_MADE_FOR = 100 * _EPSILON**2
_MOST_POINTS = 200

Losses = npt.NDArray[np.float64]


class Adaptive(LabPage):
    """Questions of ε = 0.1, until somebody has seen enough."""

    place = 13
    chapter = Chapter.ADDING_UP
    slug = "adaptive"
    title = gettext_lazy("What do you gain by looking before you ask again?")
    source = "Rogers, Roth, Ullman & Vadhan 2016; Feldman & Zrnic 2021; Whitehouse, Ramdas, Rogers & Wu 2023"
    controls = {
        "who": Pick(
            {"best": gettext_lazy("stops at the best moment"), "all": gettext_lazy("asks every question")},
            initial="best",
            label=gettext_lazy("Attacker"),
        ),
        "promise": Pick(
            {
                "fixed": gettext_lazy("for a fixed number of questions"),
                "odometer": gettext_lazy("odometer"),
                "filter": gettext_lazy("filter: total set in advance"),
            },
            initial="fixed",
            label=gettext_lazy("Promise"),
        ),
        "questions": Pick(counted(10, 100, 1000), initial="100", label=gettext_lazy("Maximum number of questions")),
    }
    watched = "of_promise"

    def numbers(self, values: Values, chance: SeededChance) -> Numbers:
        """Let somebody ask, and compute how often the promise is broken."""
        questions = int(values["questions"])
        promised = _promise(values["promise"], questions)
        losses = np.cumsum(np.where(chance.generator.random(questions) < _LEANS, _EPSILON, -_EPSILON))
        beyond = np.flatnonzero(losses > promised + _EPSILON / 2)
        stop = int(beyond[0]) if len(beyond) and values["who"] == "best" else questions - 1
        return {
            "losses": losses[: stop + 1].tolist(),
            "promised": promised.tolist(),
            "asked": stop + 1,
            "of_promise": float(losses[stop] / promised[stop]),
            "broken": _broken(values["promise"], questions, values["who"]),
        }

    def show(self, values: Values, numbers: Numbers) -> Shown:
        """Draw one run beside what is promised."""
        stop = numbers["asked"] - 1
        figures = {
            "asked": whole_number(numbers["asked"]),
            "factor": three_digits(float(np.exp(numbers["losses"][stop]))),
            "promised": three_digits(float(np.exp(numbers["promised"][stop]))),
        }
        sentence = _(
            "This time, %(asked)s answers changed the odds by a factor of %(factor)s. The promised limit was a "
            "factor of %(promised)s, except in at most 5 of 100 runs."
        )
        title = _title(numbers["broken"])
        return Shown(sentence % figures, (_picture(numbers, title),))

    def result(self, values: Values) -> tuple[Numbers, Shown]:
        """Of many runs, say how many broke the promise: a dot beyond it is one."""
        numbers, shown = super().result(values)
        chart = shown.charts[0]
        if not isinstance(chart, DotPlot):
            return numbers, shown
        figures = {"broken": sum(part > 1 for part in numbers["draws"]), "times": TIMES}
        title = _("%(broken)s of %(times)s runs broke the promise") % figures
        dots = replace(chart, title=title, text=title, within=(-inf, 1), pins=(Pin(_("promised"), 1),))
        broken = _broken(values["promise"], int(values["questions"]), values["who"])
        return numbers, Shown(_title(broken) + ".", (dots,))

    def axis(self, values: Values) -> Axis:
        """In parts of the promise."""
        return axis_around([-1, 2], title=_("change in the log odds, as a fraction of the promised limit"))

    def write(self, number: float) -> str:
        return decimal(number, 2)


def _title(broken: float) -> str:
    figures = {"broken": roughly_of_100(broken)}
    if broken > _RISK:
        return _("This promise may fail in at most 5 of 100 runs, but it fails in %(broken)s") % figures
    return _("This promise may fail in at most 5 of 100 runs and fails in %(broken)s, so the promise is kept") % figures


@lru_cache
def _promise(promise: str, questions: int) -> Losses:
    """Return how far, after each question, the log-odds may have moved but for the risk."""
    asked = np.arange(1, questions + 1)
    if promise == "filter":
        total = compose_advanced(PrivacyLoss(Fraction(1, 10)), questions, Fraction(1, 20)).epsilon
        return np.full(questions, min(float(total), questions * _EPSILON))
    if promise == "odometer":
        # A mixture over all rates at which a bet on the coins can grow: it holds at all times at once.
        spread = asked * _EPSILON**2 + _MADE_FOR
        drift = asked * _EPSILON * tanh(_EPSILON / 2)
        bound = drift + np.sqrt(spread * np.log(spread / (_MADE_FOR * _RISK**2)))
        odometer: Losses = np.minimum(bound, asked * _EPSILON)
        return odometer
    quantiles, chances = [], np.array([1.0])
    for _question in asked:
        chances = _after_one_more(chances)
        quantiles.append(int(np.searchsorted(np.cumsum(chances), 1 - _RISK)))
    bounds: Losses = (2.0 * np.array(quantiles) - asked) * _EPSILON
    return bounds


@lru_cache
def _broken(promise: str, questions: int, who: str) -> float:
    """Return the exact probability that the promise is broken, from that of every number of answers for the truth."""
    chances, broken = np.array([1.0]), 0.0
    for asked, allowed in enumerate(_promise(promise, questions), 1):
        chances = _after_one_more(chances)
        beyond = (2 * np.arange(asked + 1) - asked) * _EPSILON > allowed + _EPSILON / 2
        if who == "best" or asked == questions:
            broken += float(chances[beyond].sum())
            chances[beyond] = 0
    return broken


def _after_one_more(chances: Losses) -> Losses:
    """Return how likely each number of answers for the truth is after one more question."""
    more: Losses = np.append(chances * (1 - _LEANS), 0) + np.append(0, chances * _LEANS)
    return more


def _picture(numbers: Mapping[str, list[float]], title: str) -> CurveChart:
    losses, promised, asked = numbers["losses"], numbers["promised"], len(numbers["losses"])
    step = -(-len(promised) // _MOST_POINTS)
    places = range(step, len(promised) + 1, step)
    walk = [(0.0, 0.0), *((float(k), losses[k - 1]) for k in places if k < asked), (float(asked), losses[-1])]
    bound = [(float(k), promised[k - 1]) for k in places]
    rows = tuple(
        (whole_number(k), decimal(losses[k - 1], 1) if k <= asked else "–", decimal(promised[k - 1], 2)) for k in places
    )
    return CurveChart(
        name="run",
        title=title,
        table=Table(title, (_("Questions"), _("this run"), _("promised")), rows),
        x_axis=axis_around([0, len(promised)], title=_("questions asked")),
        y_axis=axis_around([0, *promised, *losses], title=_("change in the log odds (ε)")),
        curves=(Curve(_("this run"), walk), Curve(_("promised"), bound, 1)),
        marks=(Mark(_("end of this run"), x=float(asked)),),
    )


PAGE = Adaptive()
