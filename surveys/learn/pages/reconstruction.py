"""What too many answers that are too exact give away: everything."""

from fractions import Fraction
from functools import lru_cache
from math import sqrt

import numpy as np
import scipy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Chart, CrowdChart, CrowdRow, Curve, CurveChart, Mark, Table, axis_around, share_axis
from surveys.charts.crowds import Kind
from surveys.estimation.validation import Floats
from surveys.learn.forms import Pick, Slider, counted
from surveys.learn.page import Chapter, LabPage, Numbers, SeededChance, Shown, Values
from surveys.numbers.words import tenths_of_100, whole_number
from surveys.privacy.accounting.hypothesis_testing import posterior_bound
from surveys.privacy.mechanisms.laplace import DiscreteLaplace

_PEOPLE, _MOST_OFF = 100, 50
_QUERIES = (200, 400, 1000)
_EPSILON = 1
_ALLOWED = posterior_bound(0.5, _EPSILON)


@lru_cache
def _questions(queries: int) -> tuple[Floats, Floats, Floats]:
    """Return who is asked about in each question, its pseudoinverse, and √(AᵀA)⁻¹ᵢᵢ, by which an error grows."""
    asked = SeededChance(queries).generator.integers(2, size=(queries, _PEOPLE)).astype(np.float64)
    within = np.linalg.inv(asked.T @ asked)
    return asked, within @ asked.T, np.sqrt(np.diagonal(within))


def share_right(queries: int, spread: float) -> float:
    """Return the share that is guessed right, nearly: an error of each answer is an error of each person, and normal.

    Parameters
    ----------
    queries : int
        How many random parts of the people are counted.
    spread : float
        The standard deviation of an answer's error.
    """
    growth = _questions(queries)[2]
    return float(scipy.special.ndtr(0.5 / np.maximum(growth * spread, 1e-9)).mean())


def _shared(queries: int) -> DiscreteLaplace:
    """Return the noise of each answer where all of them share one ε: a person is in each of them at most once."""
    return DiscreteLaplace(Fraction(_EPSILON, queries), 1)


class Reconstruction(LabPage):
    """A hundred secret answers, and counts of the Yes in random parts of the people."""

    place = 20
    chapter = Chapter.ATTACKS
    slug = "reconstruction"
    title = gettext_lazy("How many answers can be given before everything is revealed?")
    source = "Dinur & Nissim 2003; Dwork, McSherry & Talwar 2007; Dwork & Roth 2014, chapter 8"
    controls = {
        "off": Slider(
            "0",
            str(_MOST_OFF),
            step="5",
            initial="5",
            label=gettext_lazy("Largest error of an answer"),
            unit=gettext_lazy(" people"),
        ),
        "queries": Pick(counted(*_QUERIES), initial="400", label=gettext_lazy("Questions answered")),
        "guard": Pick(
            {
                "same": gettext_lazy("up to the largest error set above"),
                "budget": gettext_lazy("ε = 1 shared by all answers"),
            },
            initial="same",
            label=gettext_lazy("Noise"),
        ),
    }
    watched = "right"

    def numbers(self, values: Values, chance: SeededChance) -> Numbers:
        """Answer how many of random people say Yes, each time a little wrong, and solve for what fits best."""
        queries, off, generator = int(values["queries"]), int(values["off"]), chance.generator
        asked, solve, _growth = _questions(queries)
        truths = generator.integers(2, size=_PEOPLE)
        if values["guard"] == "same":
            errors, spread = generator.integers(-off, off + 1, size=queries), sqrt(off * (off + 1) / 3)
        else:
            noise = _shared(queries)
            errors = chance.noise(noise, (queries,))
            spread = sqrt(noise.variance)
        guesses = (solve @ (asked @ truths + errors) > 0.5).astype(np.int64)
        right = guesses == truths
        return {
            "right": float(right.mean()),
            "correct": right.tolist(),
            "spread": spread,
            "expected": share_right(queries, spread),
            "allowed": _ALLOWED,
        }

    def show(self, values: Values, numbers: Numbers) -> Shown:
        """Draw who is guessed right, and how that depends on the error of an answer."""
        budget = values["guard"] == "budget"
        figures = {
            "right": whole_number(sum(numbers["correct"])),
            "queries": whole_number(int(values["queries"])),
            "off": whole_number(int(values["off"])),
            "spread": whole_number(round(numbers["spread"])),
            "allowed": tenths_of_100(numbers["allowed"]),
        }
        if budget:
            title = _(
                "With one budget for all answers, %(right)s of 100 secret answers are guessed right, about as "
                "many as by guessing at random"
            )
            sentence = _(
                "All %(queries)s answers share ε = 1, so each is off by about %(spread)s. No guess at a "
                "person’s answer can be right in more than %(allowed)s of 100 cases."
            )
        elif values["off"] == 0:
            title = _("%(right)s of 100 secret answers are guessed right")
            sentence = _(
                "%(queries)s exact counts of randomly chosen people are equations, and equations can be solved."
            )
        else:
            title = _("%(right)s of 100 secret answers are guessed right")
            sentence = _(
                "These guesses fit best with %(queries)s counts of randomly chosen people, each wrong by at "
                "most %(off)s. To hide many people, errors must reach about √100 = 10. On average, guessing at "
                "random gets 50 right."
            )
        return Shown(sentence % figures, (_people(numbers, title % figures), _by_error(values, figures)))


def _people(numbers: Numbers, title: str) -> Chart:
    correct = numbers["correct"]
    figures = {"right": whole_number(sum(correct)), "people": whole_number(len(correct))}
    words = _("Answers guessed right: %(right)s of %(people)s") % figures
    dots: list[Kind] = ["yes" if right else "no" for right in sorted(correct, reverse=True)]
    rows = (
        (_("guessed right"), figures["right"]),
        (_("expected"), tenths_of_100(numbers["expected"])),
        (_("by guessing at random"), tenths_of_100(0.5)),
    )
    return CrowdChart(
        name="people",
        title=title,
        text=words,
        table=Table(words, (_("Guesses"), _("Of 100")), rows),
        crowds=(CrowdRow(_("answers guessed right"), words, _("%(right)s of %(people)s") % figures, dots),),
        columns=20,
    )


@lru_cache
def _curve(queries: int) -> tuple[tuple[float, float], ...]:
    return tuple((off, share_right(queries, sqrt(off * (off + 1) / 3))) for off in range(_MOST_OFF + 1))


def _by_error(values: Values, figures: dict[str, str]) -> Chart:
    title = _("Answers guessed right, of 100, by size of error")
    rows = tuple(
        (whole_number(off), *(tenths_of_100(_curve(queries)[off][1]) for queries in _QUERIES))
        for off in range(0, _MOST_OFF + 1, 5)
    )
    names = {queries: _("%(number)s questions") % {"number": whole_number(queries)} for queries in _QUERIES}
    queries, budget = int(values["queries"]), sqrt(_shared(int(values["queries"])).variance)
    guessed = share_right(queries, budget)
    marks = (
        () if values["guard"] == "budget" else (Mark(_("error of up to %(off)s") % figures, x=float(values["off"])),)
    )
    return CurveChart(
        name="errors",
        title=title,
        text=_("The more questions and the smaller the errors, the more answers are guessed right"),
        table=Table(title, (_("largest error"), *names.values()), rows),
        x_axis=axis_around([0, _MOST_OFF], title=_("largest error of an answer, in people")),
        y_axis=share_axis(),
        curves=[
            Curve(names[queries], _curve(queries)),
            Curve(_("with ε = 1 shared by all answers"), [(0, guessed), (_MOST_OFF, guessed)], dash=1),
        ],
        marks=marks,
    )


PAGE = Reconstruction()
