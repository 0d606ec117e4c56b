"""Who follows a procedure in the head, in sentences and tables."""

from collections.abc import Sequence
from fractions import Fraction

from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.charts import Table
from surveys.models.asked_question import Item
from surveys.numbers.words import (
    decimal,
    estimate_of_100,
    interval_clause,
    level_words,
    limits_of_100,
    of_100,
    p_value,
    p_words,
    percent,
    percent_limits,
    share_with_limits,
    spans,
    whole_number,
)
from surveys.results.adherence.figures import (
    AnchoredFinding,
    AttentionPoint,
    FixedReports,
    FixedReportShare,
    MirroredArms,
)
from surveys.results.figures.intervals import NumberEstimate, method_label
from surveys.results.figures.items import MISFIT
from surveys.results.words.finding import quoted

ANCHOR_SOURCE = "Atsusaka & Stevenson (2023), Political Analysis 31."
FIXED_REPORTS_SOURCE = (
    "Böckenholt & van der Heijden (2007), Psychometrika 72; Cruyff, van den Hout, van der Heijden & Böckenholt (2007), "
    "Sociological Methods & Research 36."
)


# Two arms.


def mirrored_words(found: MirroredArms) -> str:
    """Say what both arms say together, and whether some tapped the same whatever is true."""
    told = {
        "numbers": spans([asked.number for asked in found.questions]),
        "share": share_with_limits(found.share, found.low, found.high),
        "statistic": decimal(found.statistic, 2),
        "freedom": found.degrees_of_freedom,
        "p": p_words(found.p_value),
    }
    words = (
        _(
            "Taken together, questions %(numbers)s say %(share)s. Whoever always taps the same pushes these arms "
            "apart, and they are no further apart than chance sets them (G² = %(statistic)s, degrees of freedom: "
            "%(freedom)s, %(p)s)."
        )
        if found.p_value >= MISFIT
        else _(
            "Taken together, questions %(numbers)s would say %(share)s, but these arms are further apart than chance "
            "sets them (G² = %(statistic)s, degrees of freedom: %(freedom)s, %(p)s): some always tap the same, or the "
            "arms are not alike."
        )
    )
    unseen = _("Who taps at random does not show here: that pulls all of these arms alike.")
    return words % told if found.sees_random else f"{words % told} {unseen}"


# An anchor question.


def anchored_title(found: AnchoredFinding) -> str:
    """Say the corrected share, or why there is none."""
    if not found.enough:
        return _("Too few answers")
    attentive, corrected = found.attentive, found.corrected
    if attentive is None or corrected is None or not (attentive.claimed and attentive.low > 0):
        return _("This anchor cannot tell who follows the procedure")
    if corrected.estimate is None or not corrected.claimed:
        return _("No estimate to trust")
    value = estimate_of_100(corrected.estimate, corrected.low, corrected.high)
    return _("Corrected for taps at random: %(value)s of 100") % {"value": value}


def anchored_words(found: AnchoredFinding) -> list[str]:
    """Say who follows the procedure, and the share corrected for the others."""
    if not found.enough:
        words = ngettext(
            "%(n)s person answered both questions: too few to show anything else.",
            "%(n)s people answered both questions: too few to show anything else.",
            found.n,
        )
        return [words % {"n": whole_number(found.n)}]
    told = {"number": found.anchor.key, "known": of_100(found.known), "label": found.item.labels[1]}
    attentive, corrected, uncorrected = found.attentive, found.corrected, found.uncorrected
    if attentive is None or corrected is None or uncorrected is None:
        return [telling_nothing(found.anchor, found.known)]
    if not attentive.claimed:
        words = _(
            "With %(known)s of 100 who truly answer Yes to question %(number)s, no share of followers fits its "
            "reports. Is what is known of it right?"
        )
        return [words % told]
    if not attentive.low > 0:
        words = _(
            "With %(known)s of 100 who truly answer Yes to question %(number)s, its reports do not show that anybody "
            "follows the procedure. So any share is possible here."
        )
        return [words % told]
    told["attentive"] = interval_clause(attentive.low, attentive.high)
    if not corrected.claimed:
        words = _(
            "By question %(number)s, to which %(known)s of 100 truly answer Yes, %(attentive)s follow the procedure. "
            "With that no share of “%(label)s” fits the reports to this question."
        )
        return [words % told]
    told |= {
        "corrected": share_with_limits(corrected.estimate or 0.0, corrected.low, corrected.high),
        "uncorrected": share_with_limits(uncorrected.estimate or 0.0, uncorrected.low, uncorrected.high),
    }
    words = _(
        "By question %(number)s, to which %(known)s of 100 truly answer Yes, %(attentive)s follow the procedure, and "
        "the others tap at random. Corrected for these, the share of “%(label)s” is %(corrected)s; as if everybody "
        "followed it, %(uncorrected)s."
    )
    also = _(
        "It is the share among those who follow the procedure: everybody’s, if that has nothing to do with the answer."
    )
    return [words % told, also]


def telling_nothing(anchor: Item, known: Fraction) -> str:
    """Say why an anchor cannot tell anything with so many who truly answer Yes."""
    return _(
        "If %(known)s of 100 truly answer Yes to question %(number)s, those who follow the procedure tap there "
        "like those who tap at random: as an anchor it tells nothing."
    ) % {"known": of_100(known), "number": anchor.key}


def followers_words(anchor: Item, known: Fraction, share: float, low: float, high: float) -> str:
    """Say what a regression is corrected by."""
    return _(
        "Corrected for taps at random by question %(number)s, to which %(known)s of 100 truly answer Yes: %(share)s "
        "follow the procedure."
    ) % {"number": anchor.key, "known": of_100(known), "share": share_with_limits(share, low, high)}


def anchored_table(found: AnchoredFinding) -> Table:
    """Return the share of followers, and the share of Yes with and without correction."""
    told = {"label": found.item.labels[1]}
    rows = (
        (_("Follow the procedure"), found.attentive),
        (_("“%(label)s”, corrected") % told, found.corrected),
        (_("“%(label)s”, as if all followed it") % told, found.uncorrected),
    )
    return Table(
        _("Corrected by an anchor"),
        (
            _("Share"),
            _("Estimate, raw"),
            _("Estimate, limited"),
            _("Low"),
            _("High"),
            _("Standard error"),
        ),
        tuple((name, *_cells(share)) for name, share in rows if share),
    )


def _cells(share: NumberEstimate) -> tuple[str, ...]:
    if not share.claimed:
        return (percent(share.moment, 1), *[_("none to trust")] * 3, percent(share.standard_error, 1))
    limits = percent_limits(share.low, share.high)
    return percent(share.moment, 1), percent(share.estimate, 1), *limits, percent(share.standard_error, 1)


def anchored_note(found: AnchoredFinding, level: float) -> str:
    """Say how many answered both, and how the intervals were found."""
    if found.corrected is None:
        return ""
    return _("n = %(n)s who answered both · %(method)s, %(level)s") % {
        "n": whole_number(found.n),
        "method": method_label(found.corrected.method),
        "level": level_words(level),
    }


# Neither.


def attention_title(points: Sequence[AttentionPoint]) -> str:
    """Say how far the estimate moves if a quarter does not follow the procedure."""
    everybody, some = _at(points, 1.0), _at(points, 0.75)
    if everybody.outside or some.outside:
        return _("If not everybody follows the procedure")
    told = {"some": _value(some), "all": _value(everybody)}
    return _("If 75 of 100 follow the procedure: %(some)s of 100, not %(all)s") % told


def attention_words(points: Sequence[AttentionPoint]) -> str:
    """Say what the estimate would be at a few shares."""
    return _(
        "If everybody follows the procedure the estimate is %(all)s of 100; if 90 of 100 do and the others tap at "
        "random, %(most)s; if 75 of 100 do, %(some)s. One question alone cannot tell how many do."
    ) % {"all": _value(_at(points, 1.0)), "most": _value(_at(points, 0.9)), "some": _value(_at(points, 0.75))}


def _at(points: Sequence[AttentionPoint], attentive: float) -> AttentionPoint:
    return min(points, key=lambda point: abs(float(point.attentive) - attentive))


def _value(point: AttentionPoint) -> str:
    return _("none possible") if point.outside else estimate_of_100(point.estimate, point.low, point.high)


# Several questions.


def fixed_title(found: FixedReports) -> str:
    """Say how many always tap the same, or why that is not known."""
    if not found.enough:
        return _("Too few answers")
    model = found.headline
    if model is None:
        return _("These questions cannot tell who always taps the same")
    if not model.low > 0:
        return _("No sign that anybody always taps the same answer")
    return _("Between %(low)s and %(high)s of 100 always tap the same") % limits_of_100(model.low, model.high)


def fixed_words(found: FixedReports) -> list[str]:
    """Say what each model finds, with its interval and its test."""
    if not found.enough:
        words = ngettext(
            "%(n)s person answered all of these questions: too few to show anything else.",
            "%(n)s people answered all of these questions: too few to show anything else.",
            found.n,
        )
        return [words % {"n": whole_number(found.n)}]
    told = {"reports": pattern_words(found.items, found.reports)}
    if not found.models:
        return [
            _("Their reports do not tell people who always tap %(reports)s from true answers that go together.") % told
        ]
    return [_model_words(model) % {**told, **_model_numbers(model)} for model in found.models]


def _model_words(model: FixedReportShare) -> str:
    words = (
        _(
            "If the true answers to these questions have nothing to do with each other, %(share)s always tap "
            "%(reports)s; were it nobody, the reports would show as many with %(p)s."
        )
        if model.order == 1
        else _(
            "If no more than two true answers go together at a time, %(share)s always tap %(reports)s; were it nobody, "
            "the reports would show as many with %(p)s."
        )
    )
    untold = _("The reports could not contradict what is supposed here.")
    misfit = _("But what is supposed here does not fit the reports (%(fit)s).")
    if model.fit is None:
        return f"{words} {untold}"
    return words if model.fits else f"{words} {misfit}"


def _model_numbers(model: FixedReportShare) -> dict[str, str]:
    return {
        "share": share_with_limits(model.share, model.low, model.high),
        "p": p_words(model.p_value),
        "fit": "" if model.fit is None else p_words(model.fit),
    }


def models_table(found: FixedReports) -> Table:
    """Return the share that always taps the same by each model."""
    return Table(
        _("Who always taps the same"),
        (
            _("Supposed of the true answers"),
            _("Share"),
            _("Low"),
            _("High"),
            _("p-value of nobody"),
            _("p-value of the fit"),
        ),
        tuple(
            (
                _("nothing to do with each other") if model.order == 1 else _("no more than two go together"),
                percent(model.share, 1),
                *percent_limits(model.low, model.high),
                p_value(model.p_value),
                p_value(model.fit),
            )
            for model in found.models
        ),
    )


def others_table(found: FixedReports) -> Table:
    """Return the shares of Yes among those who do not always tap the same."""
    return Table(
        _("Shares of “%(label)s” among the others") % {"label": found.items[0].labels[1]},
        (_("Question"), _("As if nobody always tapped the same"), _("Among the others"), _("Low"), _("High")),
        tuple(
            (
                _("Question %(number)s") % {"number": share.item.key},
                percent(share.uncorrected, 1),
                percent(share.estimate, 1),
                *percent_limits(share.low, share.high),
            )
            for share in found.others
        ),
    )


def pattern_words(items: Sequence[Item], pattern: Sequence[int]) -> str:
    """Name what one may always tap, as the reports are called."""
    reports = [item.report_labels[code] for item, code in zip(items, pattern, strict=True)]
    return str(get_text_list([quoted(report) for report in dict.fromkeys(reports)], _("or")))
