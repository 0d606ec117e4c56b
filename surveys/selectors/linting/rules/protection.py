"""How much the reports give away: one of them, and all together."""

from collections.abc import Iterator, Sequence

from django.utils.text import get_text_list
from django.utils.translation import gettext as _

from surveys.common.numbers import nats
from surveys.models.designs import Technique
from surveys.privacy.designs import total_epsilon
from surveys.selectors.linting.finding import Finding, Level
from surveys.selectors.linting.mends import mend_of
from surveys.selectors.linting.subject import LintedQuestion, LintedSurvey


def infinite_epsilon(question: LintedQuestion) -> Iterator[Finding]:
    """Find a question one of whose reports proves an answer."""
    if question.proves:
        yield Finding(
            rule="infinite_epsilon",
            level=Level.WARNING,
            what=_("A report can prove an answer: ε is infinite."),
            why=_(
                "Whoever sees that report knows the answer for certain; only the other one stays deniable. The promise "
                "to respondents says so, and some will not answer."
            ),
            fix=str((question.asked_with or Technique).without_proof_words),
            sets=mend_of("infinite_epsilon", question.asked_with),
        )


def much_in_all(survey: LintedSurvey) -> Iterator[Finding]:
    """Find a survey whose questions give away more than the level, together with the other versions of it."""
    others, too_much = survey.others, survey.epsilon > survey.epsilon_cap
    total = total_epsilon([survey.epsilon, others.bounded_epsilon]) if others and not too_much else survey.epsilon
    if not total > survey.epsilon_level:
        return
    if too_much:
        what = _("The total ε is %(total)s, and no survey above %(most)s is opened on this server.")
    elif others:
        what = _("Together with other versions (%(versions)s) the total ε is %(total)s: above the level of %(level)s.")
    else:
        what = _("The total ε is %(total)s: above the level of %(level)s.")
    told = {
        "versions": _listed([str(number) for number in others.numbers]) if others else "",
        "total": nats(total, short=True),
        "level": nats(survey.epsilon_level, short=True),
        "most": nats(survey.epsilon_cap, short=True),
    }
    asked = [question.asked for question in survey.questions if question.asked and not question.proves]
    costly = sorted(asked, key=lambda question: -question.epsilon)[:3]
    yield Finding(
        rule="total_epsilon",
        level=Level.PROBLEM if too_much else Level.WARNING,
        what=what % told,
        why=_(
            "The losses of the answers in one response add up: somebody who sees all of its reports can be far "
            "surer than after any single one."
        ),
        fix=_("Ask fewer questions, or send the truth less often. Most is given away by: %(questions)s.")
        % {
            "questions": _listed(
                [
                    _("question %(number)s (%(epsilon)s)")
                    % {"number": each.number, "epsilon": nats(each.epsilon, short=True)}
                    for each in costly
                ]
            )
        },
        source=_("Basic composition: Dwork & Roth (2014), The Algorithmic Foundations of Differential Privacy, 3.5."),
    )


def _listed(parts: Sequence[str]) -> str:
    return str(get_text_list(list(parts), _("and")))
