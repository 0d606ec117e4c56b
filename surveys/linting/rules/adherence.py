"""Questions answered in the head: whether anything tells who does not follow the procedure; one fact has one share."""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from surveys.linting.findings import Level, LintFinding
from surveys.linting.subject import LintedSurvey
from surveys.models.asked_question import AskedQuestion
from surveys.models.facts import facts_in

_SHARE = "_share"


def nothing_tells_who_follows(survey: LintedSurvey) -> Iterator[LintFinding]:
    """Find questions about two answers at once beside which no second arm, no anchor and no other such one stands."""
    asked = {question.number: question.asked for question in survey.questions if question.asked}
    alone = tuple(
        number
        for number, each in asked.items()
        if each.asked_with.reports_on_both
        and not _is_checked(each, [other for other in asked.values() if other is not each])
    )
    if alone:
        yield LintFinding(
            rule="nothing_tells_who_follows",
            level=Level.HINT,
            numbers=alone,
            what=_("Nothing will tell who taps at random, or always the same."),
            why=_(
                "The estimate takes it that everybody thinks of both questions. Who does not pulls it away from the "
                "truth, mostly towards half, and the reports of one question look the same either way."
            ),
            fix=_(
                "Ask it in a second random arm with the innocuous question turned round, add an anchor, a question in "
                "the same way to which nobody’s true answer is Yes, or ask several questions in this way."
            ),
            source=_(
                "Heck, Hoffmann & Moshagen (2018), Behavior Research Methods 50; Atsusaka & Stevenson (2023), "
                "Political Analysis 31."
            ),
        )


def _is_checked(question: AskedQuestion, others: Sequence[AskedQuestion]) -> bool:
    return any(
        _mirrors(question, other) or (other.in_the_head and not other.first.grid and _meet(question, other))
        for other in others
    )


def _mirrors(question: AskedQuestion, other: AskedQuestion) -> bool:
    """Whether another asks for the same, in its own arms, by the same design with another share."""
    return (
        question.quantity == other.quantity > 0
        and question.design.name == other.design.name
        and question.design.matrix != other.design.matrix
    )


def _meet(question: AskedQuestion, other: AskedQuestion) -> bool:
    """Whether somebody is asked both."""
    return not question.arms or not other.arms or not set(question.arms).isdisjoint(other.arms)


def one_fact_two_shares(survey: LintedSurvey) -> Iterator[LintFinding]:
    """Find a fact that two questions, which ask for the same in different arms, give different shares."""
    shares: dict[str, dict[object, int]] = {}
    for question in survey.questions:
        if question.asked is None or not question.asked.in_the_head:
            continue
        known = dict(question.asked.design.exact_parameters)
        for parameter, field in question.asked.asked_with.typed_in.items():
            name = field.removesuffix(_SHARE)
            for fact in facts_in({name: question.asked.details.get(name, "")}):
                shares.setdefault(fact, {}).setdefault(known[parameter], question.number)
    for found in shares.values():
        if len(found) > 1:
            yield LintFinding(
                rule="one_fact_two_shares",
                level=Level.PROBLEM,
                numbers=tuple(sorted(found.values())),
                what=_("One innocuous question stands here with two shares."),
                why=_("At most one of them is true of it. With the other one the estimate is wrong."),
                fix=_("Where the share is turned round, turn the innocuous question too, or give both the same share."),
            )
