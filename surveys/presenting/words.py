"""What a class reads: what a presentation says of a survey, and the sentences and the formula of each step.

Numbers stand in formulas as decimals, because nested fractions are too small to read.
"""

import math

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.estimation.claims import FigureOptions
from surveys.models import State
from surveys.numbers.words import (
    decimal,
    estimate_of_100,
    interval_cell,
    level_words,
    localized,
    says_too_little,
    share_of_100,
    sure_sentence,
    sure_words,
    tenths_of_100,
    whole_number,
    without_zero,
)
from surveys.presenting.selectors import CLASSES, Again, AnswerCount, Reveal, SlideRow, SlideStep, VariantsBeside
from surveys.questionnaire.definition import Definition
from surveys.results.figures.arms import ArmComparison
from surveys.results.figures.means import MeanResult
from surveys.results.figures.questions import OptionResult, QuestionResult
from surveys.results.formulas import equation, fraction, hat, mean_formulas, result, row
from surveys.results.words import (
    answered_words,
    compared_caption,
    difference_words,
    is_claimed,
    limited_to,
    mean_limited,
    mean_name,
    mean_says,
    mean_words,
    oddity,
    outside_words,
    together_words,
    units_of,
)

_LAMBDA, _PI = hat("λ"), hat("π")


def formula(reveal: Reveal, step: SlideStep) -> SafeString:
    """Write a step's formula, of the first of several answers; empty where a step has none."""
    if step == SlideStep.CHANCE:
        return _difference(reveal.rows[0])
    if step == SlideStep.STRETCH:
        return _stretched(reveal.rows[0])
    if step == SlideStep.NUMBER and (mean := reveal.mean_of):
        return mean_formulas(mean)
    return SafeString("")


def _difference(shown: SlideRow) -> SafeString:
    return equation("rest", row(_LAMBDA, "−", "d"), row(shown.observed, "−", float(shown.floor)), result(shown.rest))


def _stretched(shown: SlideRow) -> SafeString:
    return equation(
        "moment",
        _PI,
        fraction(row(_LAMBDA, "−", "d"), "c"),
        fraction(shown.rest, float(shown.reach)),
        result(shown.stretched),
    )


# What a presentation says of a survey as a whole, and what its scripts say.


register = template.Library()


@register.simple_tag
def arrived_words(arrived: AnswerCount) -> SafeString:
    """Say how many answered, as exactly as it may be seen; the number stands out."""
    shown = format_html("<strong>{}</strong>", whole_number(arrived.n if arrived.n or arrived.exact else arrived.batch))
    if arrived.exact:
        words = ngettext("%(n)s person answered", "%(n)s people answered", arrived.n)
    elif not arrived.n:
        words = _("Fewer than %(n)s people so far")
    elif arrived.cap:
        words = _("At least %(n)s of %(cap)s people")
    else:
        words = _("At least %(n)s people")
    return format_html(
        words.replace("%(n)s", "{n}").replace("%(cap)s", "{cap}"), n=shown, cap=whole_number(arrived.cap)
    )


@register.simple_tag
def batch_words(arrived: AnswerCount) -> str:
    """Say why the count stands still."""
    if arrived.exact:
        return ""
    return _("People are counted in steps of %(batch)s, so that individuals rarely stand out.") % {
        "batch": whole_number(arrived.batch)
    }


@register.simple_tag
def counted_words(result: QuestionResult, arrived: AnswerCount) -> str:
    """Say how many are in the figures, and of how many as coarsely as these are counted: none is seen to come."""
    if result.question.asked_if and not result.is_shown:
        return ""
    n = result.n + result.missing
    numbers = {"n": whole_number(n), "received": whole_number(arrived.n), "missing": whole_number(result.missing)}
    if arrived.exact:
        words = ngettext("%(n)s person counted.", "%(n)s people counted.", n)
    elif n >= arrived.n or result.question.arms:
        # Of a question that some arms alone are asked it is not known how many are still to come.
        words = ngettext("%(n)s person counted so far.", "%(n)s people counted so far.", n)
    else:
        words = _(
            "%(n)s of at least %(received)s people counted so far. The others are added in batches, and all "
            "are counted once the survey is closed."
        )
    skipped = ngettext(
        "%(missing)s person skipped this question.", "%(missing)s people skipped this question.", result.missing
    )
    # Where an unprotected question is not shown, not even that is.
    return (f"{words} {skipped}" if result.missing and (result.enough or result.is_shown) else words) % numbers


@register.filter
def room(text: str) -> str:
    """Say how much room a code or an address takes: it is to be as large as fits one line."""
    return "short" if len(text) <= 6 else "medium" if len(text) <= 9 else "long" if len(text) <= 30 else "very-long"


@register.simple_tag
def state_words(state: str) -> str:
    """Say why no answers are accepted."""
    if state == State.DRAFT:
        return _("Not open yet")
    if state == State.PAUSED:
        return _("Paused, so no answers are accepted now")
    if state == State.PURGED:
        return _("The reports have been deleted")
    return _("Closed, so no more answers are accepted")


@register.simple_tag
def promise_words(definition: Definition) -> str:
    """Say in two sentences what is promised, in all cases truly."""
    if definition.unprotected:
        return _(
            "No account, no name. Some answers are protected, others are sent as they are. The first page shows which."
        )
    if definition.server_mode_allowed:
        chance = _("No account, no name. Answers are randomized before anything is stored.")
    elif any(question.in_the_head for question in definition.questions):
        chance = _("No account, no name. Answers are randomized before anything leaves your phone.")
    else:
        chance = _("No account, no name. Your phone randomizes answers before sending.")
    if definition.epsilon == math.inf:
        left = _("Some answers can still show what you meant. The first page shows which.")
    else:
        left = _("Nobody can be sure what you meant. The first page shows how much a report reveals.")
    return f"{chance} {left}"


@register.simple_tag
def present_words() -> dict[str, str]:
    """Return the texts of the presentation's scripts in the presenter's language."""
    return {
        "blank": _("The screen is blank. Press B to show the slide again."),
        "lesson": _("How this works"),
        "result": _("Back to the result"),
        "failed": _("The server did not confirm this. Nothing has changed on this screen. Try again."),
        "old": _("The server isn’t responding. The count may be out of date."),
    }


@register.simple_tag
def drawn_words() -> dict[str, str]:
    """Return what is said while classes are drawn, in the language in force."""
    return {
        "classes": _("simulated classes"),
        "drawn": _("%(drawn)s of %(classes)s classes simulated"),
    }


# What is said to a class, step by step, from the reports to the estimate.


def slide_title(reveal: Reveal, step: SlideStep) -> str:
    if not reveal.result.is_shown and step in {SlideStep.RECEIVED, SlideStep.TOO_FEW}:
        return _("Reports received") if step == SlideStep.RECEIVED else _("Not shown")
    return {
        SlideStep.RECEIVED: _("Reports received"),
        SlideStep.CHANCE: _("Subtract the random part"),
        SlideStep.STRETCH: _("Scale up the rest"),
        SlideStep.NUMBER: _("From shares to the mean"),
        SlideStep.ESTIMATE: _("Estimated true answers"),
        SlideStep.AGAIN: _("This class, simulated %(classes)s times") % {"classes": CLASSES},
        SlideStep.COMPARED: compared_caption(reveal.beside.comparison) if reveal.beside else "",
        SlideStep.MISFIT: _("No reliable estimate"),
        SlideStep.TOO_FEW: _("Too few people have answered so far"),
    }[step]


def asked_words(reveal: Reveal, step: SlideStep) -> str:
    """Return what was asked; of several ways to ask for the same, what they have in common."""
    if step == SlideStep.COMPARED and reveal.beside:
        return reveal.beside.text or _("The same thing, asked differently")
    return reveal.question.text


def variant_names(beside: VariantsBeside) -> list[str]:
    """Name each way to ask for the same: by its arms, and where its words are its own by these too."""
    asked = [answer.result.question for answer in beside.comparison.answers]
    texts = ["" if beside.text else question.text for question in asked]
    return [
        f"{question.number}. {' – '.join(filter(None, (arms, text)))}"
        for question, arms, text in zip(asked, beside.arms, texts, strict=True)
    ]


def says(reveal: Reveal, step: SlideStep) -> list[str]:
    return [words for words in _SAYS[step](reveal) if words]


def _received(reveal: Reveal) -> list[str]:
    if not reveal.question.protects:
        return [_("Answers are sent as they are, so there is nothing random to subtract.")]
    if len(reveal.rows) > 1:
        return [_("Each bar shows one answer’s share of the reports. All reports are randomized.")]
    row = reveal.rows[0]
    values = {"observed": tenths_of_100(row.observed), "report": row.option.report}
    return [_("%(observed)s of 100 reports say “%(report)s”. All reports are randomized.") % values]


def _chance(reveal: Reveal) -> list[str]:
    if len(reveal.rows) > 1:
        return [_chance_of_all(reveal)]
    row = reveal.rows[0]
    values = _values(row)
    return [str(reveal.question.chance.by_chance) % values, _rest_words(row) % values]


def _rest_words(row: SlideRow) -> str:
    if abs(row.rest) < 0.0005:
        return _("The share among the reports received is also %(observed)s of 100.")
    if row.rest > 0:
        return _("The share among the reports received is %(observed)s of 100, which is %(rest)s more.")
    return _("The share among the reports received is %(observed)s of 100, which is %(rest)s less.")


def _chance_of_all(reveal: Reveal) -> str:
    floors = {row.floor for row in reveal.rows}
    values = _values(reveal.rows[0])
    if len(floors) > 1:
        return _("The hatched part of each bar is purely random, whatever the true answers are. Subtract this part.")
    if reveal.question.chance.chance_stands_apart:
        if reveal.question.answers.by_option:
            return (
                _(
                    "For each option, %(floor)s of 100 reports are “%(report)s” purely at random, whatever the "
                    "true answers are."
                )
                % values
            )
        return (
            _("Each of these answers gets %(floor)s of 100 reports purely at random, whatever the true answers are.")
            % values
        )
    return (
        _(
            "If nobody’s true answer was “%(label)s”, %(floor)s of 100 reports would still be "
            "“%(report)s”, purely at random."
        )
        % values
    )


def _stretch(reveal: Reveal) -> list[str]:
    row = reveal.rows[0]
    values = _values(row)
    if reveal.question.chance.chance_stands_apart:
        first = _("Only %(reach)s of 100 reports depend on the true answer.") % values
    elif row.reach > 0:
        first = (
            _(
                "If “%(label)s” was everybody’s true answer, not nobody’s, the expected share would be "
                "%(reach)s higher, at %(ceiling)s of 100."
            )
            % values
        )
    else:
        first = (
            _(
                "If “%(label)s” was everybody’s true answer, not nobody’s, the expected share would be "
                "%(reach)s lower, at %(ceiling)s of 100."
            )
            % values
        )
    if len(reveal.rows) > 1:
        return [first, _("The rest is multiplied by %(factor)s, so that %(reach)s becomes 100.") % values]
    return [first, _stretched_words(row) % values]


def _stretched_words(row: SlideRow) -> str:
    if row.stretched < -0.0005:
        return _("Scaled up from %(reach)s to 100, the rest would be %(stretched)s, but a share below 0 is impossible.")
    if row.stretched > 1.0005:
        return _(
            "Scaled up from %(reach)s to 100, the rest would be %(stretched)s, but a share above 100 is impossible."
        )
    return _("%(rest)s out of %(reach)s is the same as %(stretched)s out of 100.")


def _number(reveal: Reveal) -> list[str]:
    mean, row = reveal.mean, reveal.rows[0]
    if mean is None:
        return []
    units = units_of(mean)
    if mean.among_those_who_say:
        return [
            _(
                "Every number was rounded at random to %(low)s or %(high)s. The mean of the numbers given lies "
                "between the two."
            )
            % units.ends
        ]
    values = {**units.ends, "share": tenths_of_100(row.stretched), "mean": units.write(mean.moment)}
    return [
        _("Every number was rounded at random to %(low)s or %(high)s.") % values,
        _("With %(share)s of 100 numbers at the upper end and the others at the lower end, the mean is %(mean)s.")
        % values,
    ]


def _estimate(reveal: Reveal) -> list[str]:
    whose = _("Only for people who answered, assuming all followed the instructions.")
    if reveal.mean:
        return [mean_limited(reveal.mean, units_of(reveal.mean)), whose]
    first = reveal.result.first
    figures = first.scale or first.bands
    mean = ""
    if figures:
        mean = mean_says(
            figures.mean,
            units_of(figures),
            name=mean_name(among_those_who_say=figures.among_those_who_say),
            trusted=not first.oddities,
        )
    odd = [oddity(misfit, item) for item in reveal.result.items for misfit in item.oddities]
    if len(reveal.rows) == 1:
        return [mean and f"{mean}.", limited_to(reveal.rows[0].option), *odd, whose]
    level = {"level": level_words(FigureOptions().confidence_level)}
    together = _("All ranges hold simultaneously, with %(level)s confidence.") % level
    return [mean and f"{mean}.", *odd, f"{whose} {together}"]


def _again(reveal: Reveal) -> list[str]:
    return again_words(reveal.again) if reveal.again else []


def again_words(again: Again) -> list[str]:
    """Say what is drawn; of a number, also that everybody is supposed to have the same."""
    anew = _("The same people answer again and again. Only the randomization is new each time.")
    anew = f"{anew} {_aim(again)}"
    if again.number is None:
        return [anew]
    values = {"n": whole_number(again.read.n), "number": _supposed(again)}
    return [_("Suppose all %(n)s people have the same number, the estimated mean of %(number)s.") % values, anew]


def _aim(again: Again) -> str:
    """Say why it is not the level itself: a method aims at that on average, and this class can be counted exactly."""
    values = {
        "level": tenths_of_100(again.level),
        "held": without_zero(decimal(100 * again.read.held, 1)),
    }
    return (
        _(
            "The method aims for %(level)s of 100 intervals to contain the true value. For a class like "
            "this one, %(held)s do."
        )
        % values
    )


def expected_words(again: Again) -> str:
    """Say how many of the intervals should hold what was supposed."""
    return _("About %(expected)s of %(classes)s intervals should contain the assumed value.") % _expected(again)


def held_words(again: Again) -> str:
    """Say how many did and how many should have; the number is the script's."""
    return _(
        "%(held)s of %(classes)s intervals contain the assumed value, %(supposed)s. About %(expected)s should."
    ) % {
        "held": "%(held)s",
        "supposed": _supposed(again),
        **_expected(again),
    }


def _supposed(again: Again) -> str:
    """Write what is supposed: a number that everybody has, or a share of the people."""
    if again.number is not None and (limits := again.row.item.item.range):
        return f"{localized(again.number)} {limits.unit}".strip()
    return share_of_100(again.people / again.read.n)


def _expected(again: Again) -> dict[str, str]:
    return {"expected": decimal(again.expected, 0), "classes": str(CLASSES)}


def _compared(reveal: Reveal) -> list[str]:
    each = _("Each range is a %(interval)s.") % {"interval": sure_words(FigureOptions().confidence_level)}
    no_proof = _("A higher estimate is not necessarily better.")
    return [f"{each} {no_proof}"]


def _beside_words(comparison: ArmComparison) -> str:
    """Say in one sentence what two designs differ by; what more of them say together."""
    if len(comparison.differences) == 1:
        return difference_words(comparison.differences[0], tested=False)
    return together_words(comparison.together) if comparison.together else ""


def _misfit(reveal: Reveal) -> list[str]:
    return [
        _("Respondents probably did not follow the instructions."),
        *(oddity(misfit, item) for item in reveal.result.items for misfit in item.oddities),
    ]


def _too_few(reveal: Reveal) -> list[str]:
    if reveal.question.asked_if and not reveal.result.is_shown:
        return [_("Too few people were asked this question to show their answers.")]
    if not reveal.question.protects:
        return [_("This question is not protected, and too few people gave one of its answers.")]
    if reveal.question.arms and not reveal.result.is_shown:
        return [
            _("Only some sets of questions include this question, and too few people were given one of those sets.")
        ]
    return [answered_words(reveal.result)]


_SAYS = {
    SlideStep.RECEIVED: _received,
    SlideStep.CHANCE: _chance,
    SlideStep.STRETCH: _stretch,
    SlideStep.NUMBER: _number,
    SlideStep.ESTIMATE: _estimate,
    SlideStep.AGAIN: _again,
    SlideStep.COMPARED: _compared,
    SlideStep.MISFIT: _misfit,
    SlideStep.TOO_FEW: _too_few,
}


def _values(row: SlideRow) -> dict[str, str]:
    return {
        "label": row.option.label,
        "report": row.option.report,
        "observed": tenths_of_100(row.observed),
        "floor": tenths_of_100(float(row.floor)),
        "ceiling": tenths_of_100(float(row.ceiling)),
        "reach": tenths_of_100(abs(float(row.reach))),
        "rest": tenths_of_100(abs(row.rest)),
        "stretched": tenths_of_100(row.stretched),
        "factor": without_zero(decimal(abs(float(1 / row.reach)), 1)),
    }


def lead(reveal: Reveal, step: SlideStep) -> tuple[str, str]:
    """Return a slide's figure, and how sure that is, between what it lies; of several answers neither."""
    if step == SlideStep.RECEIVED and len(reveal.rows) == 1:
        return share_of_100(reveal.rows[0].observed), ""
    if step == SlideStep.COMPARED and reveal.beside:
        return "", _beside_words(reveal.beside.comparison)
    if step != SlideStep.ESTIMATE:
        return "", ""
    if reveal.mean:
        return _lead_of_mean(reveal.mean)
    return _lead_of_share(reveal.rows[0].option) if len(reveal.rows) == 1 else ("", "")


def _lead_of_mean(mean: MeanResult) -> tuple[str, str]:
    level, units = FigureOptions().confidence_level, units_of(mean)
    if not mean.claimed:
        return "–", mean_words(mean, units)
    if says_too_little(mean.low, mean.high, float(units.high - units.low)):
        return interval_cell(mean.low, mean.high, units), sure_words(level)
    return units.write(mean.estimate), sure_sentence(level, mean.low, mean.high, units)


def _lead_of_share(option: OptionResult) -> tuple[str, str]:
    level, low, high = FigureOptions().confidence_level, option.low, option.high
    if not option.claimed:
        return "–", outside_words(option)
    if says_too_little(low, high):
        return _("%(share)s of 100") % {"share": interval_cell(low, high)}, sure_words(level)
    estimate = estimate_of_100(option.estimate, low, high)
    return _("%(share)s of 100") % {"share": estimate}, sure_sentence(level, low, high)


def limits_words(row: SlideRow) -> str:
    """Write a row's interval beside the others, or that none is reliable."""
    if row.item.oddities:
        return _("not reliable")
    return interval_cell(row.option.low, row.option.high) if row.option.claimed else "–"


def why_none(row: SlideRow) -> str:
    """Say why a row has no interval, if it has none."""
    return "" if row.item.oddities or row.option.claimed else outside_words(row.option)


def share_words(row: SlideRow, step: SlideStep) -> str:
    """Write a row's number at a step."""
    if step == SlideStep.RECEIVED:
        return tenths_of_100(row.observed)
    if step == SlideStep.CHANCE:
        return tenths_of_100(row.rest)
    if step in {SlideStep.STRETCH, SlideStep.NUMBER}:
        return tenths_of_100(row.stretched)
    option = row.option
    return estimate_of_100(option.estimate, option.low, option.high) if is_claimed(option, row.item) else "–"
