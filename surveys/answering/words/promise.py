"""What is promised, in numbers: odds, dots, factors and ε, read from the matrices of the designs in force."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from math import ceil, inf, prod
from typing import cast

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language_bidi, ngettext
from django.utils.translation import gettext as _

from surveys.charts.svg.words import from_right_to_left
from surveys.drafts.selectors import OtherVersions
from surveys.models.asked_question import AskedQuestion, Item
from surveys.models.definition import Definition
from surveys.models.kinds import LeaveOut, Loss
from surveys.models.translations import language_name
from surveys.numbers.words import epsilon_at_most, nats, of_100, spans, upwards, whole_number
from surveys.privacy.designs import total_epsilon

register = template.Library()
register.filter("whole", whole_number)
register.filter("listed", spans)
register.filter("of_hundred", of_100)
register.filter("epsilon_at_most", epsilon_at_most)

_FACTS = ("innocuous", "innocuous_source", "selector", "selector_source")
# Beyond it a factor says no more to anybody than that it is huge.
_LARGEST_FACTOR = 1_000_000
# Reports that change odds more than this, 1 to 20, are evidence that people act on.
_STRONG_EVIDENCE = 20
# More of them make a list that nobody reads: then each question says it.
_MOST_PROOFS = 2
_SECONDS_A_QUESTION = 20
_SECONDS_A_FURTHER_OPTION = 5
_SECONDS_TO_THINK_OF_A_FACT = 20


@dataclass(frozen=True, slots=True)
class Odds:
    """One report and how often it is sent when it is the true answer and when another one is."""

    label: str
    other: str
    when_true: Fraction
    when_not: Fraction
    number: str = ""  # of a report that stands for a value, the first of the numbers for which it is likeliest


@dataclass(frozen=True, slots=True)
class TappedReport:
    """One report where a fact in the head stands for chance, and how often people with either answer tap it."""

    label: str
    when_yes: Fraction
    when_no: Fraction


@dataclass(frozen=True, slots=True)
class Proof:
    """A report that rules true answers out, and the one true answer that is left, if it is one."""

    report: str
    truth: str
    ruled_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LikeQuestions:
    """Questions about which the promise says the same."""

    questions: tuple[AskedQuestion, ...]

    @property
    def first(self) -> AskedQuestion:
        """The one that stands for all of them."""
        return self.questions[0]

    @property
    def numbers(self) -> str:
        """Their numbers, in words."""
        return spans([question.number for question in self.questions])

    @property
    def change(self) -> Fraction | float:
        """How far one answer to them changes odds."""
        return _exact_factor(self.first.losses[:1])

    @property
    def labels_differ(self) -> bool:
        """Whether no answer can be named that all of them have."""
        return len({question.first.labels for question in self.questions}) > 1


@register.filter
def named_languages(definition: Definition) -> list[tuple[str, str]]:
    """Return the languages in which a survey can be read, each by its own name."""
    return [(code, language_name(code)) for code in definition.languages]


@register.filter
def group_like_questions(definition: Definition) -> list[LikeQuestions]:
    """Return the protected questions in groups of which the promise says the same; whose answer tells most is first."""
    found: dict[tuple[object, ...], list[AskedQuestion]] = {}
    for question in definition.questions:
        if question.protects:
            found.setdefault(_what_is_said_of(question), []).append(question)
    groups = [LikeQuestions(tuple(questions)) for questions in found.values()]
    return sorted(groups, key=lambda group: group.change, reverse=True)


def _what_is_said_of(question: AskedQuestion) -> tuple[object, ...]:
    item = question.first
    has_own_words = not item.traits.one_of_list
    names_answers = not has_own_words and (item.design.k == 2 or len(odds(item)) > 1 or proofs(item))
    return (
        item.kind if has_own_words else "",
        item.design.name,
        item.design.matrix,
        item.leave_out,
        item.range,
        len(question.items),
        item.labels if names_answers else (),
        tuple(question.details.get(name) for name in _FACTS),
    )


@register.filter
def odds_line(definition: Definition) -> str:
    """Say what one answer proves and how far it changes odds, then the same of all of them together."""
    losses = definition.losses
    if not nothing_is_proven(definition):
        told = [_what_is_proven(definition)]
    elif len(losses) > 1:
        told = [_one_answer(losses), _all_answers(definition)]
    else:
        told = [_only_answer(definition)] if losses else []
    if told and definition.unprotected:
        told.append(_("This is about the protected answers alone."))
    if any_in_the_head(losses) and nothing_is_proven(definition):
        told.append(_("To whoever knows that fact, an answer can be plain."))
    if any(question.is_guess for question in definition.questions):
        told.append(_("All this is so if a share that nobody has counted is as guessed."))
    return " ".join(told)


def _what_is_proven(definition: Definition) -> str:
    """Say of the questions that prove something what it is; of several things only which questions prove one."""
    numbers: dict[str, list[int]] = {}
    for question in definition.questions:
        if proofs(question.first):
            numbers.setdefault(_what_a_report_shows(question.first), []).append(question.number)
    if definition.random_order and len(definition.questions) > 1:
        return _("Some reports prove something about the true answer, as their questions say.")
    if len(numbers) > 1:
        # Each in its own words would push the button off a small phone.
        return _("Questions %(numbers)s: what is sent can prove something, as each says.") % {
            "numbers": spans(definition.proving)
        }
    ((words, those),) = numbers.items()
    if len(definition.questions) == 1:
        return words
    return ngettext("Question %(numbers)s: %(words)s", "Questions %(numbers)s: %(words)s", len(those)) % {
        "numbers": spans(those),
        "words": words,
    }


def _what_a_report_shows(item: Item) -> str:
    found = proofs(item)
    if proves_everything(item):
        return _("What is sent shows your answer.")
    if len(found) > _MOST_PROOFS:
        return _("What is sent can prove something, as the question says.")
    return " ".join(
        _("%(report)s shows that your answer is %(truth)s.") % {"report": proof.report, "truth": proof.truth}
        if proof.truth
        else _("%(report)s shows that your answer is not %(others)s.")
        % {"report": proof.report, "others": listed_words(proof.ruled_out)}
        for proof in found
    )


def _only_answer(definition: Definition) -> str:
    told = {"factor": odds_factor(definition.losses), "epsilon": _once(definition)}
    if not told["factor"]:
        words = _(
            "An answer is strong evidence: it can change anyone’s odds about you more than a millionfold (%(epsilon)s)."
        )
    elif strong_evidence(definition.losses):
        words = _(
            "An answer can be strong evidence: it changes anyone’s odds about you "
            "at most %(factor)s‑fold (%(epsilon)s)."
        )
    else:
        words = _("An answer proves nothing about you: it changes anyone’s odds at most %(factor)s‑fold (%(epsilon)s).")
    return words % told


def _one_answer(losses: Sequence[Loss]) -> str:
    widest = max(losses, key=lambda loss: loss.odds)
    factor = odds_factor([widest])
    if not factor:
        return _("One answer can be strong evidence: it can change anyone’s odds about you more than a millionfold.")
    if strong_evidence([widest]):
        words = _("One answer can be strong evidence: it changes anyone’s odds about you at most %(factor)s‑fold.")
    else:
        words = _("One answer proves nothing about you: it changes anyone’s odds at most %(factor)s‑fold.")
    return words % {"factor": factor}


def _all_answers(definition: Definition) -> str:
    losses, told = definition.losses, {"who": _all_of(definition), "epsilon": _once(definition)}
    factor = odds_factor(losses)
    if not factor:
        words = _("%(who)s can be strong evidence: more than a millionfold (%(epsilon)s).")
    elif strong_evidence(losses):
        words = _("%(who)s can be strong evidence: at most %(factor)s‑fold (%(epsilon)s).")
    else:
        words = _("%(who)s: at most %(factor)s‑fold (%(epsilon)s).")
    return words % (told | {"factor": factor})


def _once(definition: Definition) -> str:
    """Say what one response costs at most; only an invitation keeps somebody from giving two."""
    epsilon = epsilon_of(definition.losses)
    return epsilon if definition.by_invitation else _("%(epsilon)s if you answer once") % {"epsilon": epsilon}


def _all_of(definition: Definition) -> str:
    """Name all answers; a question with parts has an answer for each, so that there are more of them than questions."""
    answers, questions = len(definition.losses), len(definition.questions) - len(definition.unprotected)
    told = {"answers": whole_number(answers), "questions": whole_number(questions)}
    if answers == questions:
        return _("All %(answers)s together") % told
    return (
        ngettext(
            "All %(answers)s answers to the question together",
            "All %(answers)s answers to the %(questions)s questions together",
            questions,
        )
        % told
    )


@register.filter
def odds(item: Item) -> list[Odds]:
    """One entry a report worth telling; none where no device adds chance.

    Two answers need one entry. More answers need one if all are treated alike, else one each.
    """
    if item.tapped:
        return []
    labels, matrix = item.labels, item.design.matrix
    if item.grid:
        return [most_telling(item)]
    two = item.design.k == 2
    told = [
        Odds(
            label=label,
            other=labels[1 - report] if two else _("another one"),
            when_true=matrix[report][report],
            # In every design that a device carries out here, all other truths have the same chance.
            when_not=matrix[report][report - 1],
        )
        for report, label in enumerate(labels)
    ]
    if two or len({(entry.when_true, entry.when_not) for entry in told}) == 1:
        # Of a number, too, the upper end; people expect Yes before No.
        return told[:1] if item.traits.one_of_list and not two else told[1:2]
    return told


def largest_change(chances: Sequence[Fraction]) -> Fraction | float:
    """Return how much a report with these chances can change odds."""
    return max(chances) / min(chances) if min(chances) else inf


@register.filter
def most_telling(item: Item) -> Odds:
    """Return the report on a number that changes odds most; where all are treated alike, one in the middle."""
    matrix, middle = item.design.matrix, item.design.m - 1
    code = min(
        range(item.design.m),
        key=lambda code: (-largest_change(matrix[code]), -max(matrix[code]), abs(2 * code - middle)),
    )
    row = matrix[code]
    return Odds(item.report_labels[code], "", max(row), min(row), item.labels[row.index(max(row))])


@register.filter
def of_grid(item: Item, name: str) -> str:
    """Return what a design says under this name of the report that tells most of a number."""
    entry, reports = most_telling(item), item.report_labels
    return str(getattr(item.asked_with.grid_words, name)) % {
        "label": entry.label,
        "number": entry.number,
        "here": of_100(entry.when_true),
        "there": of_100(entry.when_not),
        "points": item.design.k,
        "first": reports[0],
        "last": reports[-1],
    }


@register.filter
def chance_line(item: Item) -> str:
    """Say in one line what chance does to an answer; nothing where it does not treat all answers alike."""
    entries = odds(item)
    if len(entries) != 1:
        return ""
    if item.grid:
        return of_grid(item, "line")
    (entry,) = entries
    told = {
        "label": quote_answer(entry.label, item),
        "other": quote_answer(entry.other, item),
        "here": of_100(entry.when_true),
        "there": of_100(entry.when_not),
    }
    if item.range:
        words = _("If it rounds to %(label)s, %(here)s of 100 phones send that; if not, %(there)s.")
    elif item.traits.yes_or_no and item.design.k == 2 and not item.traits.one_true:
        words = _("If you mean %(label)s, %(here)s of 100 phones send %(label)s; if %(other)s, %(there)s.")
    else:
        words = _("If an answer is yours, %(here)s of 100 phones send it; if not, %(there)s.")
    return words % told


@register.filter
def is_first_flip(question: AskedQuestion, definition: Definition) -> bool:
    """Whether it is the first to which a device adds chance, or may be it."""
    flipped = [each for each in definition.questions if not each.tapped]
    return question in (flipped if definition.random_order else flipped[:1])


@register.filter
def tapped_report(item: Item) -> TappedReport:
    """Return what people tap to whom a fact in their heads gives the chance: the last report says it all."""
    when_no, when_yes = item.design.matrix[1]
    return TappedReport(item.report_labels[1], when_yes, when_no)


@register.filter
def parameter(item: Item, name: str) -> Fraction:
    """Return one exact probability that the design was made with."""
    return cast("Fraction", dict(item.design.exact_parameters)[name])


def _ruled_out(item: Item, row: Sequence[Fraction]) -> Iterator[str]:
    """Yield what a report with these chances rules out: of numbers also those between two that it does."""
    for possible, group in groupby(zip(item.labels, row, strict=True), key=lambda entry: bool(entry[1])):
        labels = [quote_answer(label, item) for label, _share in group]
        if possible:
            continue
        if item.grid and len(labels) > 1:
            yield _("a number from %(low)s to %(high)s") % {"low": labels[0], "high": labels[-1]}
        else:
            yield from labels


@register.filter
def proofs(item: Item) -> list[Proof]:
    """Return the reports that prove something; of a number, which is rounded first, they only rule an end out.

    An answer that is sent as it is is no proof in spite of chance: it has words of its own.
    """
    if not item.protects:
        return []
    found = []
    not_saying = quote_answer(item.labels[-1], item) if item.range and item.leave_out == LeaveOut.PROTECTED else ""
    for label, row in zip(item.report_labels, item.design.matrix, strict=True):
        ruled_out = tuple(_ruled_out(item, row))
        left = [quote_answer(truth, item) for truth, share in zip(item.labels, row, strict=True) if share]
        if ruled_out:
            proven = left[0] if len(left) == 1 and (not item.range or item.tapped or left[0] == not_saying) else ""
            found.append(Proof(quote_answer(label, item), proven, ruled_out))
    return found


@register.filter
def proves_everything(item: Item) -> bool:
    """Whether each report leaves one true answer only."""
    return all(proof.truth for proof in proofs(item)) and len(proofs(item)) == item.design.m


@register.filter
def hides_leaving_out(item: Item) -> bool:
    """Whether “prefer not to say” is reported for people with other answers too."""
    return item.leave_out == LeaveOut.PROTECTED and all(item.design.matrix[-1])


@register.filter
def quote_answer(label: str, item: Item) -> str:
    """Put an answer that an author worded in quotation marks; Yes and No need none."""
    plain = item.traits.yes_or_no and label in item.labels[:2]
    quoted = label if plain else _("“%(label)s”") % {"label": label}
    # Else what follows in a sentence from left to right would go along with it.
    return f"\u2068{quoted}\u2069" if from_right_to_left(label) and not get_language_bidi() else quoted


@register.filter
def facts_of(definition: Definition, item: Item) -> dict[str, str]:
    """Return the innocuous questions, with the sources of their shares, that stand for chance in an item."""
    details = definition.questions[item.question_number - 1].details
    # They stand inside sentences of ours; where a share has no source, nobody has counted it.
    guess = _("a guess, on which these odds depend")
    return {name: details[name].strip().rstrip(".") or guess for name in _FACTS if name in details}


@register.filter
def strong(text: str) -> SafeString:
    """Let a number stand out of its sentence."""
    return format_html("<strong>{}</strong>", text)


@register.filter
def more_than_one(things: Sequence[object]) -> bool:
    """Whether there are several."""
    return len(things) > 1


@register.filter
def listed_words(words: Sequence[str]) -> str:
    """Join words as a list."""
    return ", ".join(words)


@register.filter
def dots(share: Fraction) -> str:
    """Return the path that covers this share of ten rows of ten dots."""
    rows, rest = divmod(share * 10, 1)
    return f"M0 0H100V{rows * 10}H0ZM0 {rows * 10}H{float(rest) * 100:g}V{rows * 10 + 10}H0Z"


@register.filter
def odds_factor(losses: Sequence[Loss]) -> str:
    """Return e to the total ε as people say it, upwards, from the exact odds; "" where it is infinite or huge."""
    factor = _exact_factor(losses)
    if factor > _LARGEST_FACTOR:
        return ""
    # Three digits say enough: 2.4, 27, and 59,100 for 59,049.
    return upwards(Fraction(factor), 1 if factor < 10 else min(0, 3 - len(str(ceil(factor)))))


@register.filter
def odds_bound(losses: Sequence[Loss]) -> str:
    """Say in a few words by how much all of these together change odds."""
    told = {"factor": odds_factor(losses), "epsilon": epsilon_of(losses)}
    if not told["factor"]:
        return told["epsilon"]
    return _("at most %(factor)s‑fold (%(epsilon)s)") % told


@register.filter
def twice(losses: Sequence[Loss]) -> tuple[Loss, ...]:
    """Return the losses of somebody who answers twice: each report has a chance of its own."""
    return (*losses, *losses)


@register.filter
def with_second_answer(losses: Sequence[Loss], definition: Definition) -> tuple[Loss, ...]:
    """Return the losses of somebody who answers twice, the second time in the arm that costs most."""
    dearest = max(definition.whole.each_arm, key=lambda met: met.bounded_epsilon)
    return (*losses, *bounded_losses(dearest))


@register.filter
def with_others(losses: Sequence[Loss], others: OtherVersions) -> tuple[Loss, ...]:
    """Return the losses of somebody who answers the other versions as well."""
    return (*losses, *others.losses)


def _exact_factor(losses: Sequence[Loss]) -> Fraction | float:
    factors = [loss.odds for loss in losses]
    return inf if inf in factors else prod((Fraction(each) for each in factors), start=Fraction(1))


@register.filter
def strong_evidence(losses: Sequence[Loss]) -> bool:
    """Whether the reports together prove nothing, but come close to it."""
    return _STRONG_EVIDENCE < _exact_factor(losses) < inf


@register.filter
def certainty(definition: Definition) -> str:
    """Return what a single report can be, at worst: a "proof", strong "evidence", or ""."""
    if not nothing_is_proven(definition):
        return "proof"
    return "evidence" if any(strong_evidence([loss]) for loss in definition.losses) else ""


@register.filter
def any_in_the_head(losses: Sequence[Loss]) -> bool:
    """Whether a fact stands for chance in one of them, so that their ε is nothing to people who know the fact."""
    return any(loss.in_the_head for loss in losses)


@register.filter
def nothing_is_proven(definition: Definition) -> bool:
    """Whether no report proves anything."""
    return definition.epsilon < inf


@register.filter
def total_in_words(definition: Definition) -> str:
    """Write the sum of all ε that there is one for, and apart from it which questions have none."""
    if nothing_is_proven(definition):
        return nats(definition.epsilon)
    if not bounded_losses(definition):
        return nats(inf)
    told = {"sum": nats(definition.bounded_epsilon), "numbers": spans(definition.proving)}
    return _("%(sum)s, and ∞ for question %(numbers)s") % told


@register.filter
def bounded_losses(definition: Definition) -> tuple[Loss, ...]:
    """Return what changes odds by no more than the sum of its ε."""
    return tuple(loss for loss in definition.losses if loss.epsilon < inf)


@register.filter
def reports_in(losses: Sequence[Loss]) -> int:
    """Return how many reports give these away."""
    return sum(loss.reports for loss in losses)


@register.filter
def epsilon_of(losses: Sequence[Loss]) -> str:
    """Write the sum of their ε, upwards."""
    return epsilon_at_most(total_epsilon(loss.epsilon for loss in losses))


@register.filter
def is_finite(epsilon: float) -> bool:
    """Whether no report proves anything."""
    return epsilon < inf


@register.filter
def chance_is_added(definition: Definition) -> str:
    """Where chance comes from: "device", "head" or "both"; "" where there is none."""
    places = {question.in_the_head for question in definition.questions if question.protects}
    return "both" if len(places) > 1 else "head" if places == {True} else "device" if places else ""


@register.filter
def needs_a_throw(definition: Definition) -> bool:
    """Whether a device, coins or the server add chance: what is in the head, and what is sent as it is, needs none."""
    return not all(question.tapped for question in definition.questions)


@register.filter
def ways_of_leaving_out(definition: Definition) -> str:
    """Whether leaving out is "visible" or "hidden", "both", or "" where every question wants an answer."""
    visible = any(question.can_be_left_out for question in definition.questions)
    hidden = any(hides_leaving_out(question.first) for question in definition.questions)
    return "both" if visible and hidden else "visible" if visible else "hidden" if hidden else ""


@register.filter
def minutes(definition: Definition) -> int:
    """Minutes needed, rounded up; of several arms those of the longest."""
    if definition.arms:
        return max(minutes(met) for met in definition.each_arm)
    further = sum(len(question.items) - 1 for question in definition.questions if not question.traits.one_true)
    to_think = sum(question.in_the_head for question in definition.questions)
    seconds = (
        len(definition.questions) * _SECONDS_A_QUESTION
        + further * _SECONDS_A_FURTHER_OPTION
        + to_think * _SECONDS_TO_THINK_OF_A_FACT
    )
    return 1 + seconds // 60
