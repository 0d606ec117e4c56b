"""An unrelated question instead."""

from fractions import Fraction

from django.utils.translation import gettext_lazy as _

from surveys.privacy.designs import Design
from surveys.privacy.designs.innocuous import UNRELATED_QUESTION
from surveys.questionnaire.designs.chance import Chance
from surveys.questionnaire.designs.in_the_head import INNOCUOUS_LENGTH, HeadExample, InTheHead
from surveys.questionnaire.facts import same_fact


class OneOfTwo(InTheHead):
    """One fact decides which of two questions is answered, the sensitive or an innocuous one."""

    details = {  # noqa: RUF012
        **InTheHead.details,
        "selector": INNOCUOUS_LENGTH,
        "selector_source": INNOCUOUS_LENGTH,
    }
    by_chance = _(
        "Of 100 reports, %(floor)s say “%(report)s” in answer to the innocuous question, whatever the true answers are."
    )
    leads_part = "answering/in_the_head/_one_of_two_questions_leads.html"
    last_part = "answering/in_the_head/_one_of_two_questions_last.html"
    both = _("%(question)s Or: %(innocuous)s")
    tap = _("Tap your true answer. Nobody sees which question you answered.")
    example = HeadExample(
        given=(
            _("This person’s answer to the question that decides is No."),
            _("This person’s answer to the innocuous question is No."),
        ),
        rule=_(
            "If the answer to the question that decides is Yes, answer the survey question. If that answer is "
            "No, answer the innocuous question."
        ),
        because=_(
            "The answer to the question that decides is No, so this person answers the innocuous question: “%(first)s”."
        ),
    )
    # Last digits of telephone numbers decide.
    easy_shares = tuple(Fraction(digits, 10) for digits in range(1, 10))
    easy_words = _(
        "A fact about people replaces the coin here, so the share of Yes answers cannot be set. To get another "
        "share, use another fact. Questions about last digits have roughly the shares below."
    )


class UnrelatedQuestion(OneOfTwo):
    """Both questions are answered with Yes or No."""

    name = "unrelated_question"
    label = _("One of two questions (unrelated question)")
    matrices = UNRELATED_QUESTION
    citation = "Greenberg et al. 1969"
    references = (
        (
            "Greenberg, Abul-Ela, Simmons & Horvitz (1969)",
            "The unrelated question randomized response model: theoretical framework, JASA 64.",
        ),
    )
    typed_in = {"p": "selector_share", "q": "innocuous_share"}  # noqa: RUF012
    sentence = _(
        "People to whom the fact applies, %(p)s of all, answer this question. The others answer the innocuous "
        "question, to which %(q)s of people answer Yes. No device is involved."
    )
    chance_stands_apart = True
    steps_part = "answering/in_the_head/_one_of_two_questions.html"
    two_arms = "unrelated_unknown"
    # Who knows no source of the share of the innocuous question leaves it empty, and finds the share from two arms.
    may_be_empty = frozenset({"innocuous_source"})

    def end_weights(self, design: Design) -> tuple[Fraction, Fraction]:
        """Return how often the innocuous, and how often the sensitive question is answered."""
        return 1 - design.slope, design.slope

    def asks_as(self, other: Chance) -> bool:
        """Whether both arms ask the same innocuous question."""
        return isinstance(other, InTheHead) and same_fact(self.innocuous, other.innocuous)

    @property
    def guessed(self) -> str:
        """The share of the innocuous question, where nobody says where it is from."""
        return "" if self.innocuous_source.strip() else "q"
