"""How many answers a wished precision takes, randomized and asked directly."""

from functools import lru_cache

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Axis, Curve, CurveChart, Mark, Table, Tick
from surveys.estimation.planning.precision import expected_half_width
from surveys.estimation.planning.size import sample_size
from surveys.learn.forms import OF_100, Slider
from surveys.learn.page import Chapter, LabPage, Numbers, SeededChance, Shown, Values
from surveys.learn.selectors import OwnQuestion
from surveys.numbers.words import decimal, points, tenths_of_100, whole_number, without_zero
from surveys.privacy.designs import Design, direct, forced_response

_FEWEST, _MOST, _WIDEST = 10, 10**6, 0.5
_STEPS = 10
# So many of each ten.
_SIZES = tuple(round(_FEWEST * 10 ** (step / _STEPS)) for step in range(5 * _STEPS + 1))
_TABLED = (10, 30, 100, 300, 1_000, 3_000, 10_000, 100_000, 1_000_000)

Points = tuple[tuple[int, float], ...]


class Planning(LabPage):
    """A curve to read a number of answers from, before anybody is asked."""

    place = 29
    chapter = Chapter.SURVEYS
    slug = "planning"
    title = gettext_lazy("How many answers do you need?")
    source = "Warner 1965; Cochran 1977"
    controls = {
        "half_width": Slider(
            "2", "25", step="1", initial="10", label=gettext_lazy("Desired margin of error, ± percentage points")
        ),
        "truth": Slider(
            "10", "90", step="10", initial="50", label=gettext_lazy("People who send their own answer"), unit=OF_100
        ),
        "share": Slider("5", "95", step="5", initial="30", label=gettext_lazy("People who mean Yes"), unit=OF_100),
    }
    replaced = ("truth",)
    real = "survey-results-plan"

    def numbers(self, values: Values, _chance: SeededChance) -> Numbers:
        """Plan as results do."""
        share, wanted, design = (
            float(values["share"] / 100),
            float(values["half_width"] / 100),
            _design(values),
        )
        needed, plainly = (sample_size(design=of, prevalence=share, half_width=wanted) for of in (design, direct()))
        return {
            "if_yes": design.matrix[1][1],
            "if_no": design.matrix[1][0],
            "half_width": wanted,
            "needed": needed,
            "direct": plainly,
            "factor": needed / plainly,
            "halved": sample_size(design=design, prevalence=share, half_width=wanted / 2),
            "at": {str(n): expected_half_width(n=n, design=design, prevalence=share) for n in _TABLED},
            "at_direct": {str(n): expected_half_width(n=n, design=direct(), prevalence=share) for n in _TABLED},
        }  # fmt: skip

    def show(self, values: Values, numbers: Numbers) -> Shown:
        """Draw what any number of answers would leave open."""
        figures = {
            "size": tenths_of_100(numbers["half_width"]),
            "needed": whole_number(numbers["needed"]),
            "direct": whole_number(numbers["direct"]),
            "factor": without_zero(decimal(numbers["factor"], 1)),
            "halved": whole_number(numbers["halved"]),
            "half": without_zero(points(numbers["half_width"] / 2)),
        }
        title = _("A margin of error of ±%(size)s percentage points takes %(needed)s answers") % figures
        sentence = _(
            "With truthful direct answers, %(direct)s would be enough, but randomizing takes %(factor)s times "
            "as many. For ±%(half)s, %(halved)s randomized answers are needed."
        )
        return Shown(sentence % figures, (_chart(values, numbers, title),))


def _design(values: Values) -> Design:
    question: OwnQuestion | None = values.get("own")
    return question.design if question else forced_response(values["truth"] / 100)


@lru_cache(maxsize=256)
def _curve(design: Design, share: float) -> Points:
    """Return how much so many answers leave open, where it is less than half of everything."""
    widths = ((n, expected_half_width(n=n, design=design, prevalence=share)) for n in _SIZES)
    return tuple((n, width) for n, width in widths if width <= _WIDEST)


def _chart(values: Values, numbers: Numbers, title: str) -> CurveChart:
    share, needed = float(values["share"] / 100), numbers["needed"]
    chance = _("margin of error if randomized") if values.get("own") else _("margin of error with two coins")
    through = _("randomized") if values.get("own") else _("with two coins")
    rows = tuple(
        (whole_number(n), points(numbers["at"][str(n)]), points(numbers["at_direct"][str(n)])) for n in _TABLED
    )
    return CurveChart(
        name="answers",
        title=title,
        table=Table(title, (_("Answers"), chance, _("margin of error if asked directly")), rows),
        x_axis=_answers_axis(),
        y_axis=Axis(0, _WIDEST, tuple(Tick(at / 100, f"±{at}") for at in range(0, 51, 10)), _("of 100")),
        curves=(
            Curve(through, _curve(_design(values), share)),
            Curve(_("asked directly"), _curve(direct(), share), dash=1),
        ),
        marks=(
            Mark(whole_number(needed), x=float(needed)),
            Mark(f"±{tenths_of_100(numbers['half_width'])}", y=numbers["half_width"]),
        ),
    )


def _answers_axis() -> Axis:
    ticks = tuple(Tick(n, whole_number(n)) for n in (10, 100, 1_000, 10_000, 100_000))
    return Axis(_FEWEST, _MOST, ticks, _("answers"), logarithmic=True)


PAGE = Planning()
