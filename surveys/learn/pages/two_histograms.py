"""What one report gives away: what is sent if Yes is meant beside what is sent if No is meant, and the loss of each."""

import math
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import (
    Axis,
    Chart,
    Curve,
    CurveChart,
    IntervalChart,
    IntervalRow,
    Region,
    Table,
    Tick,
    axis_around,
    share_axis,
)
from surveys.learn.forms import Pick, counted
from surveys.learn.page import Chapter, LabPage, Numbers, SeededChance, Shown, Values
from surveys.numbers.words import nats, of_100, times, whole_number
from surveys.privacy.designs import kuk

# The probabilities that people who mean Yes, and people who mean No, send Yes.
_COINS = {
    "fair": (Fraction(3, 4), Fraction(1, 4)),
    "loaded": (Fraction(19, 20), Fraction(1, 20)),
    "yes": (Fraction(1), Fraction(1, 2)),
}
# A bar’s width on an axis of whole numbers.
_WIDE = 0.4


class TwoHistograms(LabPage):
    """One histogram for each true answer; what distinguishes them is the privacy loss."""

    place = 2
    chapter = Chapter.HIDING
    slug = "two-histograms"
    title = gettext_lazy("What does one report reveal?")
    source = "Dwork, McSherry, Nissim & Smith 2006; Kuk 1990"
    controls = {
        "coins": Pick(
            {
                "fair": gettext_lazy("two fair coins"),
                "loaded": gettext_lazy("true answer 9 times in 10"),
                "yes": gettext_lazy("the second coin always says Yes"),
            },
            initial="fair",
            label=gettext_lazy("Coins"),
        ),
        "reports": Pick(counted(1, 2, 3, 5), initial="1", label=gettext_lazy("Reports from the same person")),
        "event": Pick(
            {
                "all": gettext_lazy("only Yes"),
                "most": gettext_lazy("mostly Yes"),
                "none": gettext_lazy("only No"),
            },
            initial="all",
            label=gettext_lazy("Sent"),
        ),
    }
    replaced = ("coins",)
    real = "survey-results-bayes"

    def numbers(self, values: Values, chance: SeededChance) -> Numbers:
        """Compare, for each number of Yes, how likely it is under both true answers."""
        question = values.get("own")
        if_yes, if_no = (question.if_yes, question.if_no) if question else _COINS[values["coins"]]
        sent = int(values["reports"])
        design = kuk(if_yes, if_no, sent)
        rows = {"all": design.matrix[sent:], "most": design.matrix[sent // 2 + 1 :], "none": design.matrix[:1]}
        no, yes = (sum(column) for column in zip(*rows[values["event"]], strict=True))
        return {
            "coins": [if_yes, if_no],
            "if_yes": [yes for _no, yes in design.matrix],
            "if_no": [no for no, _yes in design.matrix],
            "losses": [_loss(yes, no) for no, yes in design.matrix],
            "event_if_yes": yes,
            "event_if_no": no,
            "factor": max(yes, no) / min(yes, no) if yes and no else None,
            "largest": None if design.epsilon == math.inf else max(design.odds),
            "epsilon": None if design.epsilon == math.inf else design.epsilon,
        }

    def show(self, values: Values, numbers: Numbers) -> Shown:
        """Draw both histograms, and below them what each number of Yes reveals."""
        yes, no, factor, one = (
            numbers["event_if_yes"],
            numbers["event_if_no"],
            numbers["factor"],
            values["reports"] == "1",
        )
        figures = {
            "event": str(_one_or_many(one)[values["event"]]),
            "who": _("Yes") if yes > no else _("No"),
            "factor": "" if factor is None else times(factor),
            "yes": of_100(yes),
            "no": of_100(no),
        }
        title = (
            _("%(event)s proves that the true answer is %(who)s")
            if factor is None
            else _("%(event)s is %(factor)s times as likely if the true answer is %(who)s")
        )
        sentence = (
            _("%(yes)s of 100 people who mean Yes produce this result, and so do %(no)s of 100 who mean No.") % figures
        )
        if numbers["largest"] is None:
            sentence += " " + _("Because one outcome is proof, ε is infinite.")
        else:
            sentence += " " + _(
                "Nothing that is sent changes anyone’s odds more than %(largest)s‑fold. ε is the logarithm of "
                "this limit: %(epsilon)s."
            ) % {"largest": times(numbers["largest"]), "epsilon": nats(numbers["epsilon"])}
        return Shown(sentence, (_histograms(values, numbers, title % figures), _losses(numbers, one=one)))


def _loss(yes: Fraction, no: Fraction) -> float | None:
    return math.log(yes / no) if yes and no else None


def _one_or_many(one: bool) -> dict[str, str]:
    if one:
        return {"all": _("A Yes"), "most": _("A Yes"), "none": _("A No")}
    return {"all": _("Only Yes"), "most": _("Mostly Yes"), "none": _("Only No")}


def _bars(shares: list[Fraction], left: float) -> list[tuple[float, float]]:
    """Return the outline of bars that leave room for the others beside them."""
    points = [(0.0, 0.0), (0.0, 1.0), (_WIDE, 1.0), (_WIDE, 0.0)]
    return [(at + left + x, float(share) * y) for at, share in enumerate(shares) for x, y in points]


def _names(outcomes: int) -> list[str]:
    if outcomes == 2:
        return [_("No"), _("Yes")]
    return [_("%(number)s Yes") % {"number": whole_number(number)} for number in range(outcomes)]


def _histograms(values: Values, numbers: Numbers, title: str) -> Chart:
    outcomes = len(numbers["if_yes"])
    names = _names(outcomes)
    left = {"all": outcomes - 1.5, "most": (outcomes - 1) // 2 + 0.5, "none": -0.5}[values["event"]]
    right = 0.5 if values["event"] == "none" else outcomes - 0.5
    ticks = names if outcomes == 2 else [whole_number(number) for number in range(outcomes)]
    rows = tuple(
        (name, of_100(yes), of_100(no))
        for name, yes, no in zip(names, numbers["if_yes"], numbers["if_no"], strict=True)
    )
    return CurveChart(
        name="histograms",
        title=title,
        table=Table(title, (_("Sent"), _("of 100 people who mean Yes"), _("of 100 people who mean No")), rows),
        x_axis=Axis(
            -0.5,
            outcomes - 0.5,
            tuple(Tick(at, label) for at, label in enumerate(ticks)),
            _("reports sent") if outcomes == 2 else _("number of Yes reports sent"),
        ),
        y_axis=share_axis(_("of 100")),
        curves=(
            Curve(_("if Yes is meant"), _bars(numbers["if_yes"], -_WIDE), filled=True),
            Curve(_("if No is meant"), _bars(numbers["if_no"], 0.0), dash=1),
        ),
        regions=(Region(_("report sent"), ((left, 0), (right, 0), (right, 1), (left, 1))),),
    )


def _losses(numbers: Numbers, *, one: bool) -> Chart:
    title = _("Privacy loss of each outcome: the logarithm of the change in odds")
    losses = [loss for loss in numbers["losses"] if loss is not None]
    rows = []
    for name, yes, no, loss in zip(
        _names(len(numbers["losses"])), numbers["if_yes"], numbers["if_no"], numbers["losses"], strict=True
    ):
        size = math.copysign(math.inf, yes - no) if loss is None else loss
        value = "∞" if loss is None else nats(abs(loss))
        says = _("for Yes: %(loss)s") if size > 0 else _("for No: %(loss)s")
        rows.append(IntervalRow(name, f"{name}: {says % {'loss': value}}", value, loss, min(0, size), max(0, size)))
    rows.reverse()
    return IntervalChart(
        name="losses",
        title=title,
        table=Table(
            title, (_("Sent"), _("privacy loss")), tuple((row.label, row.says.partition(": ")[2]) for row in rows)
        ),
        axis=axis_around(
            [-1.5, 1.5, *losses, *(-loss for loss in losses)], title=_("evidence for No ← → evidence for Yes")
        ),
        rows=tuple(rows),
        reference=0,
        interval_label=_("privacy loss: the logarithm of the change in odds"),
        reference_label=_("reveals nothing"),
    )


PAGE = TwoHistograms()
