"""Questions answered in the head: whether nonadherence can be detected; one fact has one share."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from surveys.drafts.figures import models_of
from surveys.linting.findings import Level, LintFinding
from surveys.linting.subject import LintedSurvey
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.facts import facts_in

_SHARE = "_share"
# Of two answers of one person the reports are just enough for a share of who does not follow, and test nothing.
_ENOUGH_TO_TEST = 3


def nothing_tells_who_follows(survey: LintedSurvey) -> Iterator[LintFinding]:
    """Find questions about two answers at once beside which no second arm, and no two others in the head, stand."""
    asked = {question.number: question for question in survey.asked}
    in_the_head = [[each for each in here if each.in_the_head and not each.first.grid] for here, _n in survey.each_arm]
    beside = {
        number: max((len(here) for here in in_the_head if any(each is question for each in here)), default=1)
        for number, question in asked.items()
        if question.chance.reports_on_both and not any(_mirrors(question, other) for other in asked.values())
    }
    source = _(
        "Heck, Hoffmann & Moshagen (2018), Behavior Research Methods 50; Atsusaka & Stevenson (2023), "
        "Political Analysis 31."
    )
    if alone := tuple(number for number, questions in beside.items() if questions == 1):
        yield LintFinding(
            rule="nothing_tells_who_follows",
            level=Level.HINT,
            numbers=alone,
            what=_("The results cannot show whether people tap at random or always tap the same answer."),
            why=_(
                "The estimate assumes that everyone considers both questions. If some people do not, the "
                "estimate moves away from the true value, mostly towards one half. The reports on a single "
                "question cannot show this shift."
            ),
            fix=_(
                "Ask the question in a second random arm with the innocuous question reversed. Or ask two more "
                "questions with this design. Or add an anchor, a question with this design to which nobody’s "
                "true answer is Yes."
            ),
            source=source,
        )
    if pairs := tuple(number for number, questions in beside.items() if 1 < questions < _ENOUGH_TO_TEST):
        yield LintFinding(
            rule="only_an_anchor_tells_who_follows",
            level=Level.HINT,
            numbers=pairs,
            what=_(
                "With two questions answered in the head, only an anchor shows whether people tap at random or "
                "always tap the same answer."
            ),
            why=_(
                "An anchor is a question to which nobody can truthfully say Yes. Without one, two reports per "
                "person are too few to test the assumptions about people who did not follow the instructions."
            ),
            fix=_(
                "If one of the two questions is an anchor, choose it on the results page of the other. If "
                "neither is, add an anchor or ask a third question with this design. You can also ask the "
                "question in a second random arm with the innocuous question reversed."
            ),
            source=source,
        )


def _mirrors(question: AskedQuestion, other: AskedQuestion) -> bool:
    """Whether another asks for the same, in its own arms, by the same design with another share."""
    return (
        question.quantity == other.quantity > 0
        and question.design.name == other.design.name
        and question.design.matrix != other.design.matrix
    )


def only_of_own_throws(survey: LintedSurvey) -> Iterator[LintFinding]:
    """Find two arms that would show who does not follow the coins, which a phone follows in any case."""
    asked = survey.asked
    numbers = {
        number
        for question in asked
        if not question.chance.tapped
        for pair in models_of(question, asked)
        if pair.identified
        for number in (pair.first.number, pair.second.number)
    }
    if numbers:
        yield LintFinding(
            rule="only_of_own_throws",
            level=Level.WARNING,
            numbers=tuple(sorted(numbers)),
            what=_(
                "Together, the two arms can detect people who did not follow the instructions only among those "
                "who throw coins themselves."
            ),
            why=_(
                "When a phone randomizes, people cannot choose whether to follow the coins. If most people "
                "answer by phone, the estimated share who did not follow the instructions means nothing."
            ),
            fix=_(
                "To use this model, have people throw real coins, in a room or on paper. To compare the two "
                "designs, you need not change anything."
            ),
        )


def one_fact_two_shares(survey: LintedSurvey) -> Iterator[LintFinding]:
    """Find a fact that two questions, which ask for the same in different arms, give different shares."""
    shares: dict[str, dict[object, int]] = {}
    for question in survey.asked:
        if not question.in_the_head:
            continue
        known = dict(question.design.exact_parameters)
        for parameter, field in question.chance.typed_in.items():
            name = field.removesuffix(_SHARE)
            for fact in facts_in({name: getattr(question.chance, name, "")}):
                shares.setdefault(fact, {}).setdefault(known[parameter], question.number)
    for numbers in shares.values():
        if len(numbers) > 1:
            yield LintFinding(
                rule="one_fact_two_shares",
                level=Level.PROBLEM,
                numbers=tuple(sorted(numbers.values())),
                what=_("Two different shares are stated for the same innocuous question."),
                why=_("At most one of these shares is right. With a wrong share, the estimate is wrong."),
                fix=_(
                    "If you reversed one of the shares, reverse its innocuous question too. If not, enter "
                    "the same share for both."
                ),
            )
