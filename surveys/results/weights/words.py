"""What weights did to the estimates, in sentences, and why there are none."""

from collections.abc import Sequence
from dataclasses import dataclass

from django import template
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from surveys.models.arms import Arm
from surveys.numbers.words import (
    Units,
    decimal,
    estimate_of_100,
    hundredths,
    interval_clause,
    interval_sentence,
    percent,
    whole_number,
)
from surveys.results.figures.intervals import NumberEstimate
from surveys.results.figures.items import OptionResult
from surveys.results.figures.means import MeanResult
from surveys.results.weights.figures import (
    WeightedAnswer,
    WeightedItem,
    WeightedQuestion,
    WeightedResults,
    WeightsInUse,
)
from surveys.results.words.means import mean_name
from surveys.results.words.shares import row_name

register = template.Library()

_SMALLEST_SHIFT = 0.005  # of shares, or as a part of a number's range: less is written as 0
_FEW = 0.2  # people who are at most this part of all are named where they carry half of the weight or more
_WITH = {
    "none": gettext_lazy("with weights"),
    "clusters": gettext_lazy("with groups as clusters"),
    "strata": gettext_lazy("with groups as strata"),
}


@dataclass(frozen=True, slots=True)
class ComparedAnswer:
    """An answer without and with weights, and what it is called."""

    item: WeightedItem
    answer: WeightedAnswer
    name: str

    @property
    def units(self) -> Units | None:
        """In what a mean is measured; shares have none."""
        return self.answer.units

    @property
    def claimed(self) -> bool:
        """Whether both estimates can be shown."""
        return self.answer in self.item.claimed

    @property
    def shift(self) -> float:
        """How far the weights move the estimate, as a share, or as a part of the number's range."""
        moved = (self.answer.weighted.estimate or 0.0) - (self.answer.unweighted.estimate or 0.0)
        return moved / float(self.units.high - self.units.low) if self.units else moved


def compared_answers(results: WeightedResults) -> list[ComparedAnswer]:
    """Return all answers of all questions that enough people answered, in their order."""
    return [
        ComparedAnswer(
            item,
            answer,
            f"{question.question.number}. {question.question.text} – {_name(question, item, answer)}",
        )
        for question in results.questions
        for item in question.items
        for answer in item.answers
    ]


def _name(question: WeightedQuestion, item: WeightedItem, answer: WeightedAnswer) -> str:
    if isinstance(answer.unweighted, OptionResult):
        return row_name(answer.unweighted, item.unweighted)
    return mean_name(among_those_who_say=question.question.protects_leaving_out)


def farthest_moved(results: WeightedResults) -> ComparedAnswer | None:
    """Return the answer whose share the weights move farthest; a mean only where no share is compared."""
    claimed = [compared for compared in compared_answers(results) if compared.claimed]
    shares = [compared for compared in claimed if not compared.units]
    return max(shares or claimed, key=lambda compared: abs(compared.shift), default=None)


def with_words(results: WeightedResults) -> str:
    """Say in few words what the weighted estimates are."""
    return str(_WITH["none" if results.plan.known else results.plan.role])


@register.simple_tag
def weights_title(results: WeightedResults) -> str:
    """Say what the weights did."""
    most = farthest_moved(results)
    if most is None:
        return _("No estimates to compare")
    if not results.plan.known:
        return _("The estimates stay, their intervals change")
    if abs(most.shift) < _SMALLEST_SHIFT:
        return _("The weights change hardly anything")
    weighted, unweighted = most.answer.weighted, most.answer.unweighted
    if weighted.low <= unweighted.high and unweighted.low <= weighted.high:
        return _("With and without weights, the intervals overlap")
    if most.units:
        moved = abs(most.shift) * float(most.units.high - most.units.low)
        return _("The weights move a mean by %(size)s") % {"size": most.units.write(moved)}
    return _("The weights move estimates by up to %(points)s of 100") % {"points": hundredths(abs(most.shift), 2)}


@register.simple_tag
def farthest_words(results: WeightedResults) -> str:
    """Say of the answer that moved farthest what its share is, with and without weights."""
    most = farthest_moved(results)
    if most is None:
        return ""
    told = {"name": most.name, "weighting": with_words(results)}
    told |= {"with": value_words(most.answer.weighted, most.units)}
    told |= {"without": value_words(most.answer.unweighted, most.units)}
    return _("%(name)s: %(with)s %(weighting)s, %(without)s without.") % told


def value_words(figure: OptionResult | MeanResult | NumberEstimate, units: Units | None) -> str:
    """Say an estimate with its interval within a sentence: 27 (between 15 and 40 of 100)."""
    if units:
        limits = interval_sentence(figure.low, figure.high, units)
        return _("%(estimate)s (%(limits)s)") % {
            "estimate": units.write(figure.estimate),
            "limits": limits[:1].lower() + limits[1:],
        }
    share = estimate_of_100(figure.estimate or 0.0, figure.low, figure.high)
    return _("%(estimate)s (%(limits)s)") % {"estimate": share, "limits": interval_clause(figure.low, figure.high)}


@register.simple_tag
def weights_words(weights: WeightsInUse, results: WeightedResults, arms: Sequence[Arm], minimum_n: int) -> str:
    """Say how much these weights tell apart, or why there are none."""
    names = [arm.name for arm in arms if arm.number in weights.arms]
    said = [_("Asked in %(arms)s:") % {"arms": get_text_list(names, _("and"))}] if names else []
    if weights.problem:
        told = {"minimum": minimum_n, "title": weights.culprit[0], "label": weights.culprit[1]}
        return " ".join([*said, _problem(weights.problem) % told])
    if results.plan.known:
        said.append(
            _(
                "%(n)s people are weighted. They tell as much as %(effective)s of equal weight; "
                "the largest weight is %(largest)s times the mean."
            )
            % {
                "n": whole_number(weights.n),
                "effective": whole_number(int(weights.effective_n)),
                "largest": decimal(weights.largest, 2),
            }
        )
        few, carried = weights.heaviest
        if few <= _FEW * weights.n:
            told = {"few": whole_number(few), "share": percent(carried)}
            words = ngettext(
                "%(few)s person carries %(share)s of the weight.", "%(few)s people carry %(share)s of the weight.", few
            )
            said.append(words % told)
        said.append(_trimmed(weights, results.plan.largest))
    if results.plan.role == "clusters":
        said.append(
            _("The groups are %(clusters)s clusters: intervals rest on how these differ from each other.")
            % {"clusters": weights.clusters}
        )
    if weights.left_out:
        said.append(
            ngettext(
                "%(left_out)s who skipped what is weighted by is in none of these figures.",
                "%(left_out)s who skipped what is weighted by are in none of these figures.",
                weights.left_out,
            )
            % {"left_out": whole_number(weights.left_out)}
        )
    return " ".join(filter(None, said))


def _trimmed(weights: WeightsInUse, largest: float | None) -> str:
    if largest is None:
        return _("None was cut.")
    told = {"trimmed": whole_number(weights.trimmed), "bound": decimal(largest, 0)}
    if not weights.trimmed:
        return _("None is above %(bound)s times the mean, so none was cut.") % told
    return (
        ngettext(
            "%(trimmed)s person’s weight was cut to %(bound)s times the mean, so the shares are no longer met exactly.",
            "%(trimmed)s people’s weights were cut to %(bound)s times the mean, so the shares are no longer met "
            "exactly.",
            weights.trimmed,
        )
        % told
    )


def _problem(problem: str) -> str:
    return {
        "too_few": _("Fewer than %(minimum)s people answered all that is weighted by: there are no weights."),
        "small": _(
            "Some combination of what is weighted by holds fewer than %(minimum)s people, whom weights would single "
            "out: weight by less."
        ),
        "nobody": _(
            "%(title)s: nobody here is in “%(label)s”, so nobody can stand for those who are. Leave its field empty "
            "and add its share to a similar one."
        ),
        "contradiction": _(
            "No weights meet all of these shares at once (raking does not converge): they need combinations of "
            "answers that nobody here gave."
        ),
        "one_cluster": _("There are no two groups that may be told apart, so nothing says how groups differ."),
    }[problem]


@register.simple_tag
def known_words(results: WeightedResults) -> str:
    """Name the shares that are met, which paper has no form to show."""
    return " ".join(
        _("%(title)s: %(shares)s.")
        % {
            "title": known.title,
            "shares": ", ".join(
                _("%(label)s %(share)s") % {"label": label, "share": percent(share, 1)}
                for label, share in zip(known.labels, known.shares, strict=True)
                if share is not None
            ),
        }
        for known in results.plan.known
    )


@register.simple_tag
def too_few_words(results: WeightedResults) -> str:
    """Name the questions that too few of those weighted answered."""
    numbers = [
        str(question.question.number)
        for question in results.questions
        if question.items and not all(item.answers for item in question.items)
    ]
    if not numbers:
        return ""
    return ngettext(
        "Too few of them answered question %(numbers)s.",
        "Too few of them answered questions %(numbers)s.",
        len(numbers),
    ) % {"numbers": get_text_list(numbers, _("and"))}
