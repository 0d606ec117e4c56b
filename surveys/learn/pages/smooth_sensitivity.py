"""When a median or a mode can be released: noise as large as these data need, and a test that may refuse."""

from fractions import Fraction
from functools import lru_cache

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Axis, Bar, BarChart, Chart, IntervalChart, IntervalRow, Table, Tick, share_axis
from surveys.learn.forms import OF_100, Pick, Slider, counted
from surveys.learn.page import Chapter, LabPage, Numbers, SeededChance, Shown, Values
from surveys.numbers.words import chance as probability_words
from surveys.numbers.words import decimal, tenths_of_100, three_digits, whole_number
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.designs import direct
from surveys.privacy.mechanisms.cauchy import CauchyNoise
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from surveys.privacy.mechanisms.smooth_median import SmoothMedian
from surveys.privacy.mechanisms.stable_mode import StableMode

_POINTS = range(1, 6)
_WIDTH = _POINTS[-1] - _POINTS[0]
_DELTA = Fraction(1, 10**6)
_STEP = Fraction(1, 100)
# How much of the noise is drawn: nine draws of ten.
_LEVEL = 0.9


class SmoothSensitivity(LabPage):
    """A class between 1 and 5, of whom more or fewer stand in the middle."""

    place = 11
    chapter = Chapter.NOISE
    slug = "smooth-sensitivity"
    title = gettext_lazy("When can a median be published almost exactly?")
    source = "Nissim, Raskhodnikova & Smith 2007; Dwork & Lei 2009; Thakurta & Smith 2013"
    controls = {
        "middle": Slider(
            "0", "100", step="10", initial="40", label=gettext_lazy("People who say 3, not 1 or 5"), unit=OF_100
        ),
        "people": Pick(counted(10, 100, 1000), initial="100", label=gettext_lazy("People")),
        "epsilon": Slider(
            "0.2", "4", step="0.2", initial="1", label=gettext_lazy("ε: how much one answer can change the odds")
        ),
    }
    watched = "drawn"
    aim = "median"

    def numbers(self, values: Values, chance: SeededChance) -> Numbers:
        """Draw the median with the noise that these answers need, as releases do."""
        counts, epsilon = _counts(values), values["epsilon"]
        measures, noise, grid = _measures(counts, epsilon), _noise(counts, epsilon), _median(epsilon).grid
        nearest = noise.draw_nearest(grid.place(Fraction(measures["median"])), grid.last, chance.randbelow)
        return measures | {"counts": counts, "drawn": grid.number(nearest)}

    def show(self, values: Values, numbers: Numbers) -> Shown:
        """Draw the noise of this class and of the worst, and the class."""
        smooth = numbers["smooth_bound"]
        figures = {
            "needed": whole_number(numbers["needed"]),
            "smooth": three_digits(smooth),
            "worst": three_digits(numbers["worst_bound"]),
            "passes": probability_words(numbers["passes"]),
        }
        if numbers["needed"] == 1:
            title = _("One changed answer moves this median, so the median drowns in noise")
        elif smooth >= _WIDTH / 2:
            title = _("%(needed)s changed answers move this median, so the median drowns in noise") % figures
        else:
            title = (
                _(
                    "It takes %(needed)s changed answers to move this median, so the median can be "
                    "published to within ±%(smooth)s"
                )
                % figures
            )
        sentence = _(
            "Noise for the worst possible class would be ±%(worst)s on a scale from 1 to 5. A stability test "
            "publishes the most common answer (probability: %(passes)s) or refuses to."
        )
        return Shown(sentence % figures, (_noises(numbers, title, figures), _answers(numbers)))

    def axis(self, values: Values) -> Axis:
        return _scale()

    def write(self, number: float) -> str:
        return decimal(number, 2)


def _counts(values: Values) -> tuple[int, ...]:
    n = int(values["people"])
    middle = int(n * values["middle"] / 100)
    low = (n - middle) // 2
    return (low, 0, middle, 0, n - middle - low)


@lru_cache
def _median(epsilon: Fraction) -> SmoothMedian:
    return SmoothMedian(
        epsilon=epsilon,
        relation=NeighbouringRelation.REPLACE_ONE,
        values=tuple(Fraction(point) for point in _POINTS),
        design=direct(len(_POINTS)),
        step=_STEP,
    )


@lru_cache
def _noise(counts: tuple[int, ...], epsilon: Fraction) -> CauchyNoise:
    return _median(epsilon).noise(counts)


@lru_cache
def _measures(counts: tuple[int, ...], epsilon: Fraction) -> Numbers:
    median = _median(epsilon)
    mode = StableMode(
        epsilon=epsilon, delta=_DELTA, relation=NeighbouringRelation.REPLACE_ONE, design=direct(len(_POINTS))
    )
    of_mode, stability = mode.mode_and_stability(counts)
    return {
        "median": _POINTS[median.answers.median_code(counts)],
        "local": float(median.answers.local_sensitivity(counts)),
        "needed": median.answers.jumps(counts)[0].distance + 1,
        "smooth_bound": _noise(counts, epsilon).error_bound(_LEVEL) * float(_STEP),
        "worst_bound": float(DiscreteLaplace(epsilon, _WIDTH / _STEP).error_bound(_LEVEL) * _STEP),
        "mode": _POINTS[of_mode],
        "stability": stability,
        "threshold": mode.test.threshold,
        "passes": mode.test.probability(stability),
    }


def _scale() -> Axis:
    return Axis(1, 5, tuple(Tick(point, whole_number(point)) for point in _POINTS))


def _noises(numbers: Numbers, title: str, figures: dict[str, str]) -> Chart:
    median = numbers["median"]
    names = {_("noise for this class"): "smooth", _("noise for the worst possible class"): "worst"}
    rows = [
        IntervalRow(
            label,
            f"{label}: ±{figures[name]}",
            decimal(numbers["drawn"], 2) if name == "smooth" else "",
            float(numbers["drawn"]) if name == "smooth" else None,
            median - numbers[f"{name}_bound"],
            median + numbers[f"{name}_bound"],
            truth=median,
            limits=f"±{figures[name]}",
        )
        for label, name in names.items()
    ]
    table_rows = (
        *((label, f"±{figures[name]}") for label, name in names.items()),
        (_("the median"), whole_number(median)),
        (_("the median with noise"), decimal(numbers["drawn"], 2)),
        (_("the most common answer"), whole_number(numbers["mode"])),
        (_("changed answers that the most common answer withstands"), whole_number(numbers["stability"])),
        (_("the test’s threshold, with noise"), whole_number(numbers["threshold"])),
        (_("probability of publishing the most common answer"), figures["passes"]),
    )
    return IntervalChart(
        name="noise",
        title=title,
        table=Table(title, (_("Quantity"), _("Number")), table_rows),
        axis=_scale(),
        rows=rows,
        interval_label=_("range of nine in ten draws"),
        truth_label=_("the median"),
    )


def _answers(numbers: Numbers) -> Chart:
    counts = numbers["counts"]
    shares = {whole_number(point): count / sum(counts) for point, count in zip(_POINTS, counts, strict=True)}
    title = _("The class’s answers")
    return BarChart(
        name="class",
        title=title,
        table=Table(
            title, (_("Answer"), _("Of 100")), tuple((point, tenths_of_100(at)) for point, at in shares.items())
        ),
        axis=share_axis(),
        bars=[Bar(point, f"{point}: {tenths_of_100(at)}", tenths_of_100(at), at) for point, at in shares.items()],
        share_label=_("the class’s answers, of 100"),
    )


PAGE = SmoothSensitivity()
