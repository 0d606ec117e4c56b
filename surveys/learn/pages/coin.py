"""How a coin keeps a secret and still shows the truth: two coins, a class, and the estimate."""

from functools import lru_cache

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Chart, CrowdChart, CrowdRow, IntervalChart, IntervalRow, Table, share_axis
from surveys.charts.crowds import Kind
from surveys.estimation.prevalence import estimate_prevalence
from surveys.learn.forms import OF_100, Pick, Slider, counted
from surveys.learn.page import Chapter, LabPage, Numbers, SeededChance, Shown, Values
from surveys.numbers.words import (
    estimate_of_100,
    interval_cell,
    of_100,
    says_too_little,
    tenths_of_100,
    times,
    whole_number,
)
from surveys.privacy.designs import Design, forced_response

# More people need a wider crowd.
_TEN_ROWS = 100


class Coin(LabPage):
    """A class of any size flips two coins each."""

    place = 1
    chapter = Chapter.HIDING
    slug = "coin"
    title = gettext_lazy("How can a coin keep a secret and still tell the truth?")
    source = "Warner 1965; Greenberg, Abul-Ela, Simmons & Horvitz 1969"
    controls = {
        "people": Pick(counted(1, 10, 100, 1000), initial="100", label=gettext_lazy("People")),
        "yes": Slider("0", "100", step="5", initial="30", label=gettext_lazy("People who mean Yes"), unit=OF_100),
        "truth": Slider(
            "10", "90", step="10", initial="50", label=gettext_lazy("People who send their own answer"), unit=OF_100
        ),
    }
    replaced = ("truth",)
    watched = "estimate"
    aim = "true_share"

    def numbers(self, values: Values, chance: SeededChance) -> Numbers:
        """Let everybody answer through the product's own randomizer, and estimate as its results do."""
        question = values.get("own")
        n, design = (
            int(values["people"]),
            question.design if question else forced_response(values["truth"] / 100),
        )
        true_yes = round(n * values["yes"] / 100)
        reports = chance.reports(design, [1] * true_yes + [0] * (n - true_yes))
        return {
            "true_share": true_yes / n,
            "reports": reports.tolist(),
            "reported_yes": int(reports.sum()),
            "if_yes": design.matrix[1][1],
            "chance_alone": design.matrix[1][0],
            "factor": max(design.odds),
            **_estimated(n, int(reports.sum()), design),
        }

    def show(self, values: Values, numbers: Numbers) -> Shown:
        """Draw everybody's report, and what all of them say together."""
        low, high = numbers["low"], numbers["high"]
        figures = {
            "sent": whole_number(numbers["reported_yes"]),
            "n": whole_number(len(numbers["reports"])),
            "share": estimate_of_100(numbers["estimate"], low, high),
            "limits": interval_cell(low, high),
            "factor": times(numbers["factor"]),
        }
        little = says_too_little(low, high)
        title = (
            _("Too few people to say much: %(limits)s of 100 mean Yes")
            if little
            else _("About %(share)s of 100 mean Yes")
        ) % figures
        sentence = _(
            "%(sent)s of %(n)s sent Yes. One report changes anyone’s odds about its sender at most "
            "%(factor)s‑fold. All reports together give an interval of %(limits)s of 100."
        )
        return Shown(sentence % figures, (_phones(numbers, title, figures), _estimate(numbers, title)))


# Of 200 classes many send as many Yeses.
@lru_cache(maxsize=1_000)
def _estimated(n: int, sent_yes: int, design: Design) -> dict[str, float]:
    estimate = estimate_prevalence([n - sent_yes, sent_yes], design)
    interval = estimate.interval()
    return {
        "estimate": float(estimate.constrained[1]),
        "low": float(interval.low[1]),
        "high": float(interval.high[1]),
    }


def _phones(numbers: Numbers, title: str, figures: dict[str, str]) -> Chart:
    # Who sent Yes stands first: which of them meant it, nobody can see.
    dots: list[Kind] = ["lit" if report else "ring" for report in sorted(numbers["reports"], reverse=True)]
    sent = _("%(sent)s of %(n)s phones sent Yes") % figures
    rows = ((_("Yes"), figures["sent"]), (_("No"), whole_number(len(dots) - numbers["reported_yes"])))
    return CrowdChart(
        name="phones",
        title=title,
        text=sent,
        table=Table(sent, (_("Sent"), _("Phones")), rows),
        crowds=(CrowdRow(_("phones sent Yes (randomized)"), sent, _("%(sent)s of %(n)s") % figures, dots),),
        columns=10 if len(dots) <= _TEN_ROWS else 40,
    )


def _estimate(numbers: Numbers, title: str) -> Chart:
    low, high, reported = numbers["low"], numbers["high"], numbers["reported_yes"] / len(numbers["reports"])
    rows = (
        (_("sent Yes (randomized)"), tenths_of_100(reported)),
        (_("would send Yes if nobody meant it"), of_100(numbers["chance_alone"])),
        (_("true answer Yes: estimate"), tenths_of_100(numbers["estimate"])),
        (_("true answer Yes: interval"), interval_cell(low, high)),
        (_("true answer Yes: actual share"), tenths_of_100(numbers["true_share"])),
    )
    row = IntervalRow(
        _("true answer Yes"),
        title,
        estimate_of_100(numbers["estimate"], low, high),
        numbers["estimate"],
        low,
        high,
        reported,
        truth=numbers["true_share"],
        limits=interval_cell(low, high),
    )
    table = Table(title, (_("Group"), _("Of 100")), rows)
    return IntervalChart(name="estimate", title=title, table=table, axis=share_axis(), rows=(row,))


PAGE = Coin()
