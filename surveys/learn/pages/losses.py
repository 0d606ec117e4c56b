"""Which losses a private learner can take: slopes, corners and bends, and what each learner needs of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Axis, Curve, CurveChart, Table, Tick
from surveys.learn.forms import Pick
from surveys.learn.learners.chains import ContinuousExponential
from surveys.learn.learners.losses import LinearLoss, LogisticLoss, SquaredLoss, hinge_loss
from surveys.learn.learners.objective import ObjectivePerturbation
from surveys.learn.learners.output import OutputPerturbation
from surveys.learn.page import Chapter, LabPage, Numbers, SeededChance, Shown, Values
from surveys.numbers.words import decimal, in_formula, whole_number

PEOPLE, COEFFICIENTS, RADIUS, EPSILON = 1000, 2, Fraction(2), Fraction(1)
LOSSES: Mapping[str, LinearLoss] = {
    "squared": SquaredLoss(),
    "logistic": LogisticLoss(),
    "hinge": hinge_loss(),
    "rounded": hinge_loss(Fraction(1, 2)),
}
_LOSS_NAMES = {
    "squared": gettext_lazy("squared loss"),
    "logistic": gettext_lazy("logistic loss"),
    "hinge": gettext_lazy("hinge loss"),
    "rounded": gettext_lazy("rounded hinge loss"),
}


@dataclass(frozen=True, slots=True)
class LearnerNeeds:
    """What a learner needs of a loss: for its proof, for its accuracy, or to certify its minimum."""

    name: Promise
    needs: tuple[str, ...]


LEARNERS = {
    "exponential": LearnerNeeds(gettext_lazy("Exponential mechanism"), ("lipschitz", "convex")),
    "output": LearnerNeeds(gettext_lazy("Output perturbation"), ("lipschitz", "smooth", "strongly_convex")),
    "objective": LearnerNeeds(gettext_lazy("Objective perturbation"), ("lipschitz", "smooth", "strongly_convex")),
    "gradient": LearnerNeeds(gettext_lazy("Gradient perturbation"), ()),
}
_SCORES = np.linspace(-3, 3, 121)
_TABLED = slice(0, None, 20)
_HIGH = 5


class Losses(LabPage):
    """A loss, a learner, and the verdict."""

    place = 23
    chapter = Chapter.LEARNING
    slug = "losses"
    title = gettext_lazy("Which loss functions allow private learning?")
    source = "Chaudhuri, Monteleoni & Sarwate 2011; Bassily, Smith & Thakurta 2014"
    controls = {
        "loss": Pick(
            {
                "squared": gettext_lazy("squared"),
                "logistic": gettext_lazy("logistic"),
                "hinge": gettext_lazy("hinge"),
                "rounded": gettext_lazy("hinge, rounded"),
            },
            initial="hinge",
            label=gettext_lazy("Loss"),
        ),
        "learner": Pick(
            {
                "output": gettext_lazy("output perturbation"),
                "objective": gettext_lazy("objective perturbation"),
                "gradient": gettext_lazy("gradient perturbation"),
                "exponential": gettext_lazy("exponential mechanism"),
            },
            initial="output",
            label=gettext_lazy("Learner"),
        ),
        "ridge": Pick(
            {"0": gettext_lazy("none"), "0.1": gettext_lazy("a little")},
            initial="0.1",
            label=gettext_lazy("Pull towards 0 (ridge)"),
        ),
    }

    def numbers(self, values: Values, _chance: SeededChance) -> Numbers:
        """Read the constants of the loss, and what the learner promises with them."""
        loss, ridge = LOSSES[values["loss"]], Fraction(values["ridge"])
        has = {
            "lipschitz": loss.lipschitz is not None,
            "convex": loss.convex,
            "smooth": loss.smoothness is not None,
            "strongly_convex": ridge > 0,
        }
        missing = [name for name in LEARNERS[values["learner"]].needs if not has[name]]
        outcome = np.ones(len(_SCORES))
        slopes = loss.slopes(_SCORES, outcome) + float(ridge) * _SCORES
        return {
            **has,
            "steepest": loss.lipschitz,
            "bend": loss.smoothness,
            "missing": missing,
            "promise": None if missing else _promise(values["learner"], loss, ridge),
            "scores": _SCORES.tolist(),
            "losses": (loss.values(_SCORES, outcome) + float(ridge) / 2 * _SCORES**2).tolist(),
            "slopes": slopes.tolist(),
            "steepest_shown": float(np.abs(loss.slopes(_SCORES, outcome)).max()),
        }

    def show(self, values: Values, numbers: Numbers) -> Shown:
        """Draw the loss and its slope, and say who takes it."""
        figures = {"learner": LEARNERS[values["learner"]].name, "loss": _LOSS_NAMES[values["loss"]]}
        if numbers["missing"]:
            why, sentence = _reason(numbers["missing"][0], values["learner"])
            title = _("%(learner)s refuses %(loss)s: %(why)s") % {**figures, "why": why}
        else:
            title = _("%(learner)s accepts %(loss)s") % figures
            sentence = _consequence(values["learner"], numbers["promise"])
            if numbers["promise"] is None:
                title = _("%(learner)s accepts %(loss)s, but promises no accuracy") % figures
        return Shown(sentence, (_chart(numbers, title),))


def _promise(learner: str, loss: LinearLoss, ridge: Fraction) -> float | None:
    """Return the number that a learner's guarantee stands on; None where it promises no accuracy."""
    steepest, bend = loss.lipschitz or Fraction(0), loss.smoothness or Fraction(0)
    if learner == "exponential":
        mechanism = ContinuousExponential(n=PEOPLE, lipschitz=steepest, epsilon=EPSILON, radius=RADIUS)
        return float(mechanism.utility(COEFFICIENTS))
    if learner == "output":
        on_result = OutputPerturbation(
            n=PEOPLE, ridge=ridge, dimension=COEFFICIENTS, epsilon=EPSILON, lipschitz=steepest
        )
        return float(on_result.shift)
    if learner == "objective":
        on_aim = ObjectivePerturbation(n=PEOPLE, ridge=ridge, epsilon=EPSILON, curvature=bend, lipschitz=steepest)
        return float(on_aim.effective_epsilon)
    # A replaced response turns a slope around at most.
    return None if loss.lipschitz is None else float(2 * steepest / PEOPLE)


def _reason(missing: str, learner: str) -> tuple[str, str]:
    """Return what a loss lacks, and why it matters."""
    if missing == "lipschitz":
        return _("its slope has no limit"), _(
            "One extreme answer could pull with any force, so no amount of noise hides it. Clip the slopes or "
            "bound the parameters."
        )
    if missing == "smooth" and learner == "output":
        return _("it has a corner"), _(
            "With a corner, one answer can move the minimum no further than without. But the program cannot "
            "certify a minimum at a corner unless the corner is rounded off."
        )
    if missing == "smooth":
        return _("it has a corner"), _(
            "At a corner the slope jumps, so many values of the noise lead to the same minimum. Such a minimum "
            "reveals whose corner it is. If you round the corner off, the proof holds."
        )
    return _("nothing pulls the minimum towards 0"), _(
        "Nothing holds the minimum in place, so one answer of many could move it anywhere. A small ridge "
        "penalty limits the movement."
    )


def _consequence(learner: str, promise: float | None) -> str:
    if promise is None:
        return _(
            "Slopes are clipped to a maximum length before they are added up. Clipping protects "
            "privacy, but nobody knows how far the result is from the smallest loss."
        )
    figures = {"n": whole_number(PEOPLE), "number": in_formula(float(f"{promise:.3g}"))}
    return {
        "exponential": _(
            "With %(n)s people and ε = 1, the learner’s loss is on average at most %(number)s above the "
            "smallest possible."
        ),
        "output": _(
            "Replacing one of %(n)s answers moves the minimum by at most %(number)s, and the noise hides a "
            "change of that size."
        ),
        "objective": _("With %(n)s people, %(number)s of ε = 1 remains for the noise. Curvature uses up the rest."),
        "gradient": _(
            "Replacing one of %(n)s answers changes a mean slope by at most %(number)s, and each step’s noise "
            "hides a change of that size."
        ),
    }[learner] % figures


def _chart(numbers: Numbers, title: str) -> CurveChart:
    scores = numbers["scores"]
    # What is above the picture is not drawn.
    lines = {
        name: [(score, at) for score, at in zip(scores, numbers[name], strict=True) if abs(at) <= _HIGH]
        for name in ("losses", "slopes")
    }
    rows = tuple(
        tuple(decimal(number, 2) for number in row)
        for row in zip(scores[_TABLED], numbers["losses"][_TABLED], numbers["slopes"][_TABLED], strict=True)
    )
    ticks = tuple(Tick(at, decimal(at, 0)) for at in (-4, -2, 0, 2, 4))
    return CurveChart(
        name="loss",
        title=title,
        table=Table(title, (_("Score"), _("Loss"), _("Slope")), rows),
        x_axis=Axis(-3, 3, tuple(Tick(at, decimal(at, 0)) for at in range(-3, 4)), _("score, if Yes is correct")),
        y_axis=Axis(-_HIGH, _HIGH, ticks),
        curves=(Curve(_("loss"), lines["losses"]), Curve(_("its slope"), lines["slopes"], dash=1)),
    )


PAGE = Losses()
