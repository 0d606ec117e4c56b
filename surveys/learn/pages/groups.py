"""What several answers of one person, or of people who share a secret, give away together."""

from fractions import Fraction
from functools import lru_cache

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Curve, CurveChart, Mark, Table, axis_around
from surveys.learn.forms import OF_100, Pick, Slider
from surveys.learn.page import Chapter, LabPage, Numbers, SeededChance, Shown, Values
from surveys.numbers.words import nats, roughly_of_100, three_digits, whole_number
from surveys.privacy.accounting.composition import group_privacy
from surveys.privacy.accounting.error_region import error_region
from surveys.privacy.accounting.hypothesis_testing import posterior_bound
from surveys.privacy.designs import forced_response, kuk
from surveys.privacy.designs.odds import log_of
from surveys.privacy.loss import PrivacyLoss

_COUNTS = range(1, 21)
_BEYOND = 1_000_000


class Groups(LabPage):
    """The same truth, sent several times."""

    place = 14
    chapter = Chapter.ADDING_UP
    slug = "groups"
    title = gettext_lazy("Is a secret still safe if it is shared again and again?")
    source = "Dwork, McSherry, Nissim & Smith 2006; Erlingsson, Pihur & Korolova 2014"
    controls = {
        "count": Slider("1", "20", step="1", initial="5", label=gettext_lazy("Answers")),
        "who": Pick(
            {
                "again": gettext_lazy("one person, new coins"),
                "group": gettext_lazy("people who share a secret"),
                "kept": gettext_lazy("one person, same coins"),
            },
            initial="again",
            label=gettext_lazy("Sent by"),
        ),
        "truth": Slider(
            "10",
            "90",
            step="10",
            initial="50",
            label=gettext_lazy("How often the coin asks for the true answer"),
            unit=OF_100,
        ),
    }

    def numbers(self, values: Values, chance: SeededChance) -> Numbers:
        """Compute what all answers say, at worst and as a rule, for somebody who thought Yes as likely as No."""
        truth, fresh = values["truth"] / 100, 1 if values["who"] == "kept" else int(values["count"])
        factor = Fraction(max(forced_response(truth).odds))
        loss = group_privacy(PrivacyLoss(Fraction(log_of(factor))), fresh)
        return {
            "factor": float(factor),
            "factor_of_all": float(factor) ** fresh,
            "epsilon": log_of(factor),
            "epsilon_of_all": loss.epsilon,
            "at_worst": posterior_bound(Fraction(1, 2), loss.epsilon),
            "guessed": _guessed(truth, fresh),
        }

    def show(self, values: Values, numbers: Numbers) -> Shown:
        """Draw how often the best guess is right, and what it can know at most."""
        figures = {
            "count": whole_number(int(values["count"])),
            "guessed": roughly_of_100(numbers["guessed"]),
            "factor": _factor(numbers["factor"]),
            "all": _factor(numbers["factor_of_all"]),
            "epsilon": nats(numbers["epsilon_of_all"]),
        }
        titles = {
            "again": _("Reports from one person: %(count)s. Guesses are right %(guessed)s times in 100"),
            "group": _("People who share a secret: %(count)s. Guesses are right %(guessed)s times in 100"),
            "kept": _(
                "Times the same report is sent: %(count)s. Guesses are right %(guessed)s times in 100, as "
                "with one report"
            ),
        }
        sentences = {
            "again": _(
                "One report changes anyone’s odds about the secret at most %(factor)s‑fold. All reports "
                "together change these odds at most %(all)s‑fold (ε = %(epsilon)s). The limit for one report "
                "protects an answer, not a person."
            ),
            "group": _(
                "One report changes anyone’s odds about the secret at most %(factor)s‑fold. All reports "
                "together change these odds at most %(all)s‑fold (ε = %(epsilon)s). The limit for one report "
                "protects a person, not a household."
            ),
            "kept": _(
                "The coins are flipped once and kept, so all reports together change anyone’s odds about the "
                "secret at most %(all)s‑fold (ε = %(epsilon)s)."
            ),
        }
        title = titles[values["who"]] % figures
        return Shown(sentences[values["who"]] % figures, (_picture(values, title, figures),))


def _factor(factor: float) -> str:
    # What is beyond says no more.
    if factor > _BEYOND:
        return _("more than %(number)s") % {"number": whole_number(_BEYOND)}
    return three_digits(factor)


@lru_cache
def _guessed(truth: Fraction, count: int) -> float:
    """Return how often the best guess from so many reports is right, Yes and No being equally likely."""
    design = forced_response(truth)
    # How many of several reports say Yes is what Kuk's decks show in as many draws.
    reports = kuk(design.matrix[1][1], design.matrix[1][0], count)
    return float((1 + error_region(reports, 1, 0).best_advantage) / 2)


def _picture(values: Values, title: str, figures: dict[str, str]) -> CurveChart:
    truth = values["truth"] / 100
    epsilon = forced_response(truth).epsilon
    once = _guessed(truth, 1)
    lines = {
        _("new coins, on average"): [_guessed(truth, count) for count in _COUNTS],
        _("new coins, at most"): [posterior_bound(Fraction(1, 2), count * epsilon) for count in _COUNTS],
        _("same coins"): [once] * len(_COUNTS),
    }
    rows = tuple(
        (whole_number(count), *(roughly_of_100(line[place]) for line in lines.values()))
        for place, count in enumerate(_COUNTS)
    )
    # The solid line is the finding.
    order = (2, 1, 0) if values["who"] == "kept" else (0, 1, 2)
    named = list(lines.items())
    return CurveChart(
        name="guesses",
        title=title,
        table=Table(title, (_("Answers"), *lines), rows),
        x_axis=axis_around(_COUNTS, title=_("answers"), within=(1, 20)),
        y_axis=axis_around(
            [0.5, 1], title=_("guessed right, of 100"), write=lambda share, _digits: roughly_of_100(share)
        ),
        curves=tuple(
            Curve(named[place][0], tuple(zip(_COUNTS, named[place][1], strict=True)), dash)
            for dash, place in enumerate(order)
        ),
        marks=(Mark(_("answers: %(count)s") % figures, x=float(values["count"])),),
    )


PAGE = Groups()
