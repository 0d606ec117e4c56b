"""What is promised: what answers can prove, how far they change odds and what they cost, in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.answering.words.designs import (
    any_in_the_head,
    bounded_losses,
    epsilon_of,
    exact_factor,
    hides_leaving_out,
    listed_words,
    odds,
    odds_factor,
    proofs,
    proves_everything,
    strong_evidence,
)
from surveys.numbers.words import nats, spans, whole_number
from surveys.questionnaire.asked_question import AskedQuestion, Item
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.document import Place, Text
from surveys.questionnaire.kinds import Loss
from surveys.questionnaire.translations import language_name

register = template.Library()
register.filter("whole", whole_number)
register.filter("listed", spans)

_FACTS = ("innocuous", "innocuous_source", "selector", "selector_source")
# More of them make a list that nobody reads: then each question says it.
_MOST_PROOFS = 2
_SECONDS_A_QUESTION = 20
_SECONDS_A_FURTHER_OPTION = 5
_SECONDS_TO_THINK_OF_A_FACT = 20


@dataclass(frozen=True, slots=True)
class LikeQuestions:
    """Questions about which the promise says the same."""

    questions: tuple[AskedQuestion, ...]

    @property
    def first(self) -> AskedQuestion:
        return self.questions[0]

    @property
    def numbers(self) -> str:
        return spans([question.number for question in self.questions])

    @property
    def change(self) -> Fraction | float:
        return exact_factor(self.first.losses[:1])

    @property
    def labels_differ(self) -> bool:
        """Whether no answer can be named that all of them have."""
        return len({question.first.labels for question in self.questions}) > 1


@register.filter
def texts_at(definition: Definition, place: str) -> list[tuple[Text, str]]:
    """Return the texts that respondents read in a place, each with what is known of it."""
    return list(definition.texts_at(Place(place)))


@register.filter
def named_languages(definition: Definition) -> list[tuple[str, str]]:
    """Return the languages in which a survey can be read, each by its own name."""
    return [(code, language_name(code)) for code in definition.languages]


@register.filter
def group_like_questions(definition: Definition) -> list[LikeQuestions]:
    """Return the protected questions in groups with the same promise; the one whose answers reveal most is first."""
    alike: dict[tuple[object, ...], list[AskedQuestion]] = {}
    for question in definition.questions:
        if question.protects:
            alike.setdefault(_wording_of(question), []).append(question)
    groups = [LikeQuestions(tuple(questions)) for questions in alike.values()]
    return sorted(groups, key=lambda group: group.change, reverse=True)


def _wording_of(question: AskedQuestion) -> tuple[object, ...]:
    item = question.first
    has_own_words = not item.answers.one_of_list
    names_answers = not has_own_words and (item.design.k == 2 or len(odds(item)) > 1 or proofs(item))
    return (
        item.kind if has_own_words else "",
        item.design.name,
        item.design.matrix,
        item.leave_out,
        item.range,
        len(question.items),
        item.labels if names_answers else (),
        tuple(getattr(question.chance, name, "") for name in _FACTS),
    )


@register.filter
def odds_line(definition: Definition) -> str:
    """Say what one answer proves and how far it changes odds, then the same of all of them together."""
    losses = definition.losses
    if not nothing_is_proven(definition):
        sentences = [_what_is_proven(definition)]
    elif len(losses) > 1:
        sentences = [_one_answer(losses), _all_answers(definition)]
    else:
        sentences = [_only_answer(definition)] if losses else []
    if sentences and definition.unprotected:
        sentences.append(_("This covers only protected answers."))
    if any_in_the_head(losses) and nothing_is_proven(definition):
        sentences.append(
            ngettext(
                "Anyone who knows the fact that replaces the coins might see your answer.",
                "Anyone who knows a fact that replaces the coins might see that answer.",
                sum(question.in_the_head for question in definition.questions),
            )
        )
    if any(question.is_guess for question in definition.questions):
        sentences.append(_("All this holds only if a guessed share is right."))
    return " ".join(sentences)


def _what_is_proven(definition: Definition) -> str:
    """Say of the questions that prove something what it is; of several things only which questions prove one."""
    numbers: dict[str, list[int]] = {}
    for question in definition.questions:
        if proofs(question.first):
            numbers.setdefault(_what_a_report_shows(question.first), []).append(question.number)
    if definition.random_order and len(definition.questions) > 1:
        return _("Some reports prove something about your true answer, as their questions explain.")
    if len(numbers) > 1:
        # Each in its own words would push the button off a small phone.
        return _("In questions %(numbers)s, a report can prove something about your answer.") % {
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
    proving = proofs(item)
    if proves_everything(item):
        return _("What is sent shows your answer.")
    if len(proving) > _MOST_PROOFS:
        return _("A report can prove something about your answer.")
    return " ".join(
        _("%(report)s shows that your answer is %(truth)s.") % {"report": proof.report, "truth": proof.truth}
        if proof.truth
        else _("%(report)s shows that your answer is not %(others)s.")
        % {"report": proof.report, "others": listed_words(proof.ruled_out)}
        for proof in proving
    )


def _only_answer(definition: Definition) -> str:
    return _by_strength(
        definition.losses,
        _("An answer is strong evidence. It can change the odds about you more than a millionfold (%(epsilon)s)."),
        _("An answer can be strong evidence. It changes the odds about you at most %(factor)s‑fold (%(epsilon)s)."),
        _("An answer is no proof: the odds about you change at most %(factor)s‑fold (%(epsilon)s)."),
        epsilon=_once(definition),
    )


def _one_answer(losses: Sequence[Loss]) -> str:
    return _by_strength(
        [max(losses, key=lambda loss: loss.odds)],
        _("One answer can be strong evidence. It can change the odds about you more than a millionfold."),
        _("One answer can be strong evidence. It changes the odds about you at most %(factor)s‑fold."),
        _("One answer is no proof: the odds about you change at most %(factor)s‑fold."),
    )


def _all_answers(definition: Definition) -> str:
    return _by_strength(
        definition.losses,
        _("%(who)s can be strong evidence. They can change the odds about you more than a millionfold (%(epsilon)s)."),
        _("%(who)s can be strong evidence: the odds change at most %(factor)s‑fold (%(epsilon)s)."),
        _("%(who)s change odds about you at most %(factor)s‑fold (%(epsilon)s)."),
        who=_all_of(definition),
        epsilon=_once(definition),
    )


def _by_strength(losses: Sequence[Loss], huge: str, strong: str, weak: str, **values: str) -> str:
    """Say by how much these change odds, in the words for a factor beyond all numbers, a strong one, or another."""
    factor = odds_factor(losses)
    words = huge if not factor else strong if strong_evidence(losses) else weak
    return words % (values | {"factor": factor})


def _once(definition: Definition) -> str:
    """Say what one response costs at most; only an invitation keeps somebody from giving two."""
    epsilon = epsilon_of(definition.losses)
    return epsilon if definition.by_invitation else _("%(epsilon)s if you answer once") % {"epsilon": epsilon}


def _all_of(definition: Definition) -> str:
    """Name all answers; a question with parts has an answer for each, so that there are more of them than questions."""
    answers, questions = len(definition.losses), len(definition.questions) - len(definition.unprotected)
    numbers = {"answers": whole_number(answers), "questions": whole_number(questions)}
    if answers == questions:
        return _("The %(answers)s answers together") % numbers
    return (
        ngettext(
            "All %(answers)s answers to the question together",
            "All %(answers)s answers together (%(questions)s questions)",
            questions,
        )
        % numbers
    )


@register.filter
def is_first_flip(question: AskedQuestion, definition: Definition) -> bool:
    """Return whether it is, or may be, the first question that a device randomizes."""
    flipped = [each for each in definition.questions if not each.tapped]
    return question in (flipped if definition.random_order else flipped[:1])


@register.filter
def facts_of(definition: Definition, item: Item) -> dict[str, str]:
    """Return the innocuous questions, with the sources of their shares, that replace an item's coins."""
    chance = definition.questions[item.question_number - 1].chance
    # They stand inside sentences of ours; where a share has no source, nobody has counted it.
    guess = _("a guess, on which these figures depend")
    return {name: getattr(chance, name).strip().rstrip(".") or guess for name in _FACTS if name in chance.details}


@register.filter
def strong(text: str) -> SafeString:
    """Let a number stand out of its sentence."""
    return format_html("<strong>{}</strong>", text)


@register.filter
def more_than_one(things: Sequence[object]) -> bool:
    return len(things) > 1


@register.filter
def certainty(definition: Definition) -> str:
    """Return what a single report can be, at worst: a "proof", strong "evidence", or ""."""
    if not nothing_is_proven(definition):
        return "proof"
    return "evidence" if any(strong_evidence([loss]) for loss in definition.losses) else ""


@register.filter
def nothing_is_proven(definition: Definition) -> bool:
    return definition.epsilon < inf


@register.filter
def total_in_words(definition: Definition) -> str:
    """Write the sum of all ε that there is one for, and apart from it which questions have none."""
    if nothing_is_proven(definition):
        return nats(definition.epsilon)
    if not bounded_losses(definition):
        return nats(inf)
    values = {"sum": nats(definition.bounded_epsilon), "numbers": spans(definition.proving)}
    return (
        ngettext(
            "%(sum)s, and ∞ for question %(numbers)s",
            "%(sum)s, and ∞ for questions %(numbers)s",
            len(definition.proving),
        )
        % values
    )


@register.filter
def chance_is_added(definition: Definition) -> str:
    """Return where answers are randomized: "device", "head" or "both"; "" if nowhere."""
    places = {question.in_the_head for question in definition.questions if question.protects}
    return "both" if len(places) > 1 else "head" if places == {True} else "device" if places else ""


@register.filter
def needs_a_throw(definition: Definition) -> bool:
    """Return whether a device, coins or the server randomize: not for facts in the head or unprotected questions."""
    return not all(question.tapped for question in definition.questions)


@register.filter
def ways_of_leaving_out(definition: Definition) -> str:
    """Return whether skipping is "visible", "hidden" or "both"; "" where every question wants an answer."""
    visible = any(question.can_be_left_out for question in definition.questions)
    hidden = any(hides_leaving_out(question.first) for question in definition.questions)
    return "both" if visible and hidden else "visible" if visible else "hidden" if hidden else ""


@register.filter
def minutes(definition: Definition) -> int:
    """Minutes needed, rounded up; of several arms those of the longest."""
    if definition.arms:
        return max(minutes(met) for met in definition.each_arm)
    further = sum(len(question.items) - 1 for question in definition.questions if not question.answers.one_true)
    to_think = sum(question.in_the_head for question in definition.questions)
    seconds = (
        len(definition.questions) * _SECONDS_A_QUESTION
        + further * _SECONDS_A_FURTHER_OPTION
        + to_think * _SECONDS_TO_THINK_OF_A_FACT
    )
    return 1 + seconds // 60
