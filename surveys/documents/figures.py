"""What the page for new surveys says of each starter."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from surveys.documents.starters import STARTERS, Starter
from surveys.drafts.figures import expected_of

CLASS_SIZE = 30


@dataclass(frozen=True, slots=True)
class StarterCard:
    """One starter with its numbers: they depend on its designs only, not on the language."""

    starter: Starter
    questions: int
    epsilon: float  # of answering everything, in nats
    half_width: float  # of the least precise share, with 30 answers
    least: int  # answers that support a conclusion about each share; 30 where those do
    in_the_head: bool  # whether no device takes part in any answer


def starter_cards() -> Iterable[StarterCard]:
    """Return the starters with their numbers."""
    return (_card(number) for number in range(len(STARTERS)))


@lru_cache(maxsize=len(STARTERS))
def _card(number: int) -> StarterCard:
    starter = STARTERS[number]
    content = starter.content
    definition = content.definition
    share = Fraction(content.fields["expected_share"], 100)
    expected = [expected_of(question, n=CLASS_SIZE, share=share) for question in definition.questions]
    return StarterCard(
        starter=starter,
        questions=len(definition.questions),
        epsilon=definition.epsilon,
        half_width=max(one.half_width for one in expected),
        least=max(one.least if one.too_few else CLASS_SIZE for one in expected),
        in_the_head=all(question.in_the_head for question in definition.questions),
    )
