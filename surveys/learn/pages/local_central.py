"""Coins on the phone, noise in what is published, or both: what both together say about an answer."""

from fractions import Fraction
from math import exp

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Chart, Curve, CurveChart, Mark, Table, axis_around
from surveys.learn.forms import Pick, Slider, counted
from surveys.learn.page import Chapter, LabPage, Numbers, SeededChance, Shown, Values
from surveys.numbers.words import nats, upwards
from surveys.privacy.accounting.local_central import local_then_central_k_ary

_MOST = 5
_PARTS = 40


class LocalCentral(LabPage):
    """The loss about the truth of a release made from randomized reports."""

    place = 5
    chapter = Chapter.HIDING
    slug = "local-central"
    title = gettext_lazy("Coins on the phone and noise at the end: what do they protect together?")
    source = "Kairouz, Oh & Viswanath 2015; derived in docs/theory/11-composition.md"
    controls = {
        "local": Slider("0.1", str(_MOST), step="0.1", initial="1.1", label=gettext_lazy("ε of the phone’s coins")),
        "central": Slider("0.1", str(_MOST), step="0.1", initial="1", label=gettext_lazy("ε of the noise")),
        "answers": Pick(counted(2, 4, 10), initial="2", label=gettext_lazy("Answers to choose from")),
    }

    def numbers(self, values: Values, chance: SeededChance) -> Numbers:
        """Put both together, along all noise that could be added."""
        local, central, k = values["local"], values["central"], int(values["answers"])
        path = [Fraction(_MOST * part, _PARTS) for part in range(_PARTS + 1)]
        return {
            "together": local_then_central_k_ary(local, central, k),
            "sum": local + central,
            "smaller": min(local, central),
            "curve": [(float(at), local_then_central_k_ary(local, at, k)) for at in path],
        }

    def show(self, values: Values, numbers: Numbers) -> Shown:
        """Draw what is revealed about the true answer against the noise."""
        figures = {
            "factor": _fold(numbers["together"]),
            "epsilon": nats(numbers["together"]),
            "local": _fold(values["local"]),
            "central": _fold(values["central"]),
            "smaller": nats(numbers["smaller"]),
            "sum": nats(numbers["sum"]),
        }
        title = (
            _("Coins and noise together change anyone’s odds about the true answer at most %(factor)s‑fold") % figures
        )
        sentence = _(
            "The coins alone allow a factor of %(local)s, the noise alone %(central)s. Their combined ε (the "
            "logarithm of the factor) is %(epsilon)s. It is less than the smaller ε (%(smaller)s) and far from "
            "the sum (%(sum)s)."
        )
        return Shown(sentence % figures, (_curves(values, numbers, title),))


def _fold(epsilon: float | Fraction) -> str:
    return upwards(Fraction(exp(epsilon)), 2)


def _curves(values: Values, numbers: Numbers, title: str) -> Chart:
    local, central = float(values["local"]), float(values["central"])
    rows = tuple(
        (nats(at), nats(together), nats(min(values["local"], Fraction(at)))) for at, together in numbers["curve"][4::4]
    )
    return CurveChart(
        name="both",
        title=title,
        table=Table(title, (_("ε of the noise"), _("ε of both"), _("the smaller of the two ε")), rows),
        x_axis=axis_around([0, _MOST], title=_("ε of the noise")),
        y_axis=axis_around([0, _MOST], title=_("ε for the true answer")),
        curves=(
            Curve(_("both"), numbers["curve"]),
            Curve(_("noise alone"), ((0, 0), (_MOST, _MOST)), dash=1),
        ),
        marks=(Mark(_("coins alone"), y=local), Mark(_("chosen noise"), x=central)),
    )


PAGE = LocalCentral()
