"""What a random part of the answers costs: neither qε nor 2qε."""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Axis, Curve, CurveChart, Mark, Table, Tick, axis_around
from surveys.learn.forms import OF_100, Pick, Slider
from surveys.learn.page import Chapter, LabPage, Numbers, SeededChance, Shown, Values
from surveys.numbers.words import decimal, localized, of_100
from surveys.privacy.accounting.subsampling import Sampling, subsampled_loss
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.designs import from_matrix, k_ary_at
from surveys.privacy.loss import PrivacyLoss

_RATES = tuple(Fraction(of_twenty, 20) for of_twenty in range(21))


class Subsampling(LabPage):
    """Every answer is kept by its own coin, and nobody knows whose."""

    place = 15
    chapter = Chapter.ADDING_UP
    slug = "subsampling"
    title = gettext_lazy("How much does drawing a small sample hide?")
    source = "Balle, Barthe & Gaboardi 2018"
    controls = {
        "kept": Slider("5", "100", step="5", initial="10", label=gettext_lazy("Sample size"), unit=OF_100),
        "epsilon": Slider(
            "0.2", "4", step="0.2", initial="2", label=gettext_lazy("ε: how much a drawn answer can change the odds")
        ),
        "known": Pick(
            {"no": gettext_lazy("stays secret"), "yes": gettext_lazy("becomes known")},
            initial="no",
            label=gettext_lazy("The sample"),
        ),
    }

    def numbers(self, values: Values, chance: SeededChance) -> Numbers:
        """Compute the bound, both rules of thumb, and what one coin attains."""
        rate, epsilon = values["kept"] / 100, values["epsilon"]
        exact = _exact(epsilon, rate)
        return {
            "exact": exact,
            "attained": _attained(epsilon, rate),
            "too_little": rate * epsilon,
            "twice": 2 * rate * epsilon,
            "epsilon": float(epsilon) if values["known"] == "yes" else exact,
        }

    def show(self, values: Values, numbers: Numbers) -> Shown:
        """Draw all four over the share that is drawn."""
        figures = {
            "kept": of_100(values["kept"] / 100),
            "epsilon": localized(values["epsilon"]),
            "exact": decimal(numbers["exact"], 3),
            "attained": decimal(numbers["attained"], 3),
            "small": decimal(numbers["too_little"], 3),
            "twice": decimal(numbers["twice"], 3),
        }
        if values["known"] == "yes":
            title = _("Once the sample is known, sampling hides nothing: ε = %(epsilon)s") % figures
        else:
            title = _("Drawing %(kept)s of 100 people turns ε = %(epsilon)s into %(exact)s") % figures
        of_once = _("A single coin reaches an ε of %(attained)s, so qε = %(small)s promises too much.") % figures
        if values["kept"] == 100:
            of_once = _("If everyone is drawn, nothing is gained.")
        of_twice = (
            _("2qε = %(twice)s is more than necessary.")
            if numbers["twice"] >= numbers["exact"]
            else _("2qε = %(twice)s promises too much as well.")
        ) % figures
        sentence = f"{of_once} {of_twice}"
        if values["known"] == "yes":
            sentence = (
                _(
                    "People who are drawn are as exposed as if everyone had been drawn. With a secret "
                    "sample, ε would be %(exact)s."
                )
                % figures
            )
        return Shown(sentence, (_picture(values, title, figures),))


@lru_cache
def _exact(epsilon: Fraction, rate: Fraction) -> float:
    loss = subsampled_loss(PrivacyLoss(epsilon), rate, Sampling.POISSON, NeighbouringRelation.ADD_OR_REMOVE_ONE)
    return float(loss.epsilon)


def _attained(epsilon: Fraction, rate: Fraction) -> float:
    """Return ε of a report that says Yes more often if somebody was drawn; columns are without and with this person."""
    lie, truth = k_ary_at(epsilon, 2).matrix[1]
    yes = rate * truth + (1 - rate) * lie
    return from_matrix([[1 - lie, 1 - yes], [lie, yes]]).epsilon


def _picture(values: Values, title: str, figures: dict[str, str]) -> CurveChart:
    epsilon = values["epsilon"]
    lines: dict[str, Sequence[float]] = {
        _("exact"): [_exact(epsilon, rate) for rate in _RATES],
        "qε": [float(rate * epsilon) for rate in _RATES],
        "2qε": [float(2 * rate * epsilon) for rate in _RATES],
    }
    if values["known"] == "yes":
        lines[_("sample is known")] = [float(epsilon)] * len(_RATES)
    rows = tuple(
        (of_100(rate), *(decimal(line[place], 3) for line in lines.values())) for place, rate in enumerate(_RATES)
    )
    return CurveChart(
        name="rates",
        title=title,
        table=Table(title, (_("Drawn, of 100"), *lines), rows),
        x_axis=Axis(
            0,
            1,
            tuple(Tick(share / 100, str(share)) for share in (0, 25, 50, 75, 100)),
            _("drawn, of 100"),
        ),
        y_axis=axis_around([0, float(2 * epsilon)], title=_("ε for everyone")),
        curves=tuple(
            Curve(label, tuple((float(rate), y) for rate, y in zip(_RATES, line, strict=True)), dash)
            for dash, (label, line) in enumerate(lines.items())
        ),
        marks=(Mark(_("%(kept)s of 100") % figures, x=float(values["kept"] / 100)),),
    )


PAGE = Subsampling()
