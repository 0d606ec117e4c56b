"""What the designs share in which an innocuous fact that only the respondent knows replaces the coins."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from django.core.exceptions import ValidationError
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from surveys.privacy.designs import Design
from surveys.questionnaire.designs.chance import Chance
from surveys.questionnaire.facts import facts_in

INNOCUOUS_LENGTH = 300


@dataclass(frozen=True, slots=True)
class HeadExample:
    """What somebody taps whose true answer is Yes and whose innocuous answers are No; %(first)s is report 0."""

    given: tuple[Promise | str, ...]
    rule: Promise | str
    because: Promise | str
    taps: int = 0


@dataclass(frozen=True)
class InTheHead(Chance):
    """Two questions are answered silently, and what is tapped is something about both answers."""

    in_the_head = True
    tapped = True
    typed_in = {"p": "innocuous_share"}  # noqa: RUF012 - read only, as all tables of these classes
    details = {"innocuous": INNOCUOUS_LENGTH, "innocuous_source": INNOCUOUS_LENGTH}  # noqa: RUF012

    # The steps of a respondent, as templates: a list for plain forms; on a phone those before the taps, and what stands
    # above the taps. The last one is this tap.
    steps_part: ClassVar[str] = "answering/in_the_head/_both_questions.html"
    leads_part: ClassVar[str] = "answering/in_the_head/_both_questions_leads.html"
    last_part: ClassVar[str] = "answering/in_the_head/_both_questions_last.html"
    tap: ClassVar[Promise | str]
    # What a report is about: named by the sensitive question alone it would read as an answer to that.
    both: ClassVar[Promise | str] = gettext_lazy("%(question)s And: %(innocuous)s")
    example: ClassVar[HeadExample]
    # Shares that facts which are easy to find have, and what is said of them.
    easy_shares: ClassVar[tuple[Fraction, ...]] = ()
    easy_words: ClassVar[Promise | str] = ""

    innocuous: str = ""
    innocuous_source: str = ""
    selector: str = ""
    selector_source: str = ""

    def innocuous_numbers(self, design: Design, labels: Sequence[str]) -> str:
        """Say how often which number answers the innocuous question, where numbers do."""
        return ""

    def practised(self, design: Design) -> Design:
        """Return what is practised for it, with two answers."""
        return design

    def check_details(self, details: Mapping[str, Any]) -> None:
        """Refuse one fact in two places."""
        if "selector" in self.details and len(facts_in(details)) < 2:
            raise ValidationError(
                {"selector": gettext("Choose a different fact to decide which question is answered.")}
            )
