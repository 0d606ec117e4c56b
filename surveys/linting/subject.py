"""What rules read: a survey, its questions, and their texts as words, lines and clauses of a language."""

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from django.conf import settings

from surveys.drafts.figures import USUAL_SHARE
from surveys.drafts.selectors import OtherVersions
from surveys.models.survey import Survey
from surveys.privacy.designs import total_epsilon
from surveys.questionnaire import designs
from surveys.questionnaire.arms import Arm, answers_in
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.designs import Chance
from surveys.questionnaire.kinds import YES_OR_NO, LeaveOut, find

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_CLAUSE = re.compile(r"[.;:!?¿¡()\n]+")


def words_of(text: str) -> tuple[str, ...]:
    """Return the words, in lower case and with straight apostrophes."""
    return tuple(word.replace("’", "'") for word in _WORD.findall(unicodedata.normalize("NFC", text).lower()))


def line_of(text: str) -> str:
    """Return the words with one space between any two."""
    return " ".join(words_of(text))


def clauses_of(text: str) -> tuple[str, ...]:
    """Return the words of each clause as a line; clauses end at a full stop, a question mark and the like."""
    return tuple(line for part in _CLAUSE.split(text) if (line := line_of(part)))


def author_words(text: str, line: str) -> str:
    """Return the survey owner's own words for a line, as they stand in the text; the line where they are not found."""
    between = r"[\W_]+"
    # An apostrophe may be the typographic one.
    words = between.join(re.escape(word).replace("'", "['’]") for word in line.split())
    match = re.search(words, unicodedata.normalize("NFC", text), re.IGNORECASE) if words else None
    return match[0] if match else line


# Which language a survey owner's words are in: pages may speak another one.


# Words that a question can hardly do without, each in one of the languages only.
_COMMON = {
    "en": "the of to you your have has had did do does what which how often ever was were been with for from this that "
    "not yes or and would are is when who",
    "de": "der die das den dem ein eine einen hast haben hat du sie ihr dein deine ist sind wie was welche "
    "schon einmal "
    "jemals nicht und oder mit von für im am wann wer zu auf bei hattest warst bist ist dich dir dieses deiner einem",
    "es": "el los las una unos que qué cómo cuál cuántas cuántos cuánto alguna vez has ha tu su usted con para "
    "por del al "
    "es son está o y en cuándo quién sin se te le la",
}
_LANGUAGES_OF = {language: frozenset(words.split()) for language, words in _COMMON.items()}
# Letters that say as much as several words.
_LETTERS = {"de": "äöüß", "es": "¿¡ñ"}
_LEAST = 2


def language_of(text: str, otherwise: str) -> str:
    """Return the language that most of the common words in a text are of, the other one where that is not clear."""
    words = words_of(text)
    counts = {language: sum(word in common for word in words) for language, common in _LANGUAGES_OF.items()}
    for language, letters in _LETTERS.items():
        counts[language] += _LEAST * any(letter in letters for letter in text.lower())
    best = max(counts, key=lambda language: counts[language])
    clear = counts[best] >= _LEAST and counts[best] > counts.get(otherwise, 0)
    return best if clear else otherwise


# What the linter reads: a survey, stored or as it stands in the editor.


def unfinished(
    number: int,
    text: str,
    *,
    kind: str = "",
    options: Sequence[str] = (),
    leave_out: str = LeaveOut.VISIBLY,
    design: str = "",
) -> AskedQuestion:
    """Return a question as far as it is typed; while it cannot be asked, it has no items."""
    answers = replace(find(kind) or YES_OR_NO, options=tuple(options))
    return AskedQuestion(number, answers, designs.find(design) or Chance(), text, leave_out, ())


@dataclass(frozen=True, slots=True)
class LintedSurvey:
    """What stands around the questions, and what is expected."""

    questions: tuple[AskedQuestion, ...]
    introduction: str = ""
    consent: str = ""
    support: str = ""
    minimum_n: int = 10
    expected_n: int = 30
    expected_share: Fraction = USUAL_SHARE
    epsilon_level: float = field(default_factory=lambda: settings.EPSILON_LEVEL)
    epsilon_cap: float = field(default_factory=lambda: settings.EPSILON_CAP)  # none above it is opened
    others: OtherVersions | None = None  # that somebody may have answered as well
    groups: int = 0
    arms: tuple[Arm, ...] = ()
    language: str = "en"  # of its texts, as its owner says

    @property
    def asked(self) -> list[AskedQuestion]:
        """The questions that are finished."""
        return [question for question in self.questions if question.items]

    @property
    def epsilon(self) -> float:
        """The sum over the questions that are finished; what proves something, or is sent as it is, is found apart.

        Of several arms that of the one which costs most.
        """
        return max(
            total_epsilon(each.epsilon for each in asked if each.epsilon < math.inf) for asked, _n in self.each_arm
        )

    @property
    def each_arm(self) -> list[tuple[list[AskedQuestion], int]]:
        """The questions that are finished and how many people are to answer them: of each arm, or of all."""
        asked = self.asked
        return [
            (
                [each for each in asked if not each.arms or arm.number in each.arms],
                answers_in(self.arms, [arm.number], self.expected_n),
            )
            for arm in self.arms
        ] or [(asked, self.expected_n)]

    def answers(self, asked: AskedQuestion) -> int:
        """Return how many people are to be asked a question."""
        people = answers_in(self.arms, asked.arms or [arm.number for arm in self.arms], self.expected_n)
        return asked.asked_if.asked_of(people) if asked.asked_if else people


def lint_subject(survey: Survey, definition: Definition, others: OtherVersions | None = None) -> LintedSurvey:
    written = survey.questionnaire
    return LintedSurvey(
        questions=definition.questions,
        introduction=written.introduction,
        consent=written.consent,
        support=written.support,
        minimum_n=survey.minimum_n,
        expected_n=survey.expected_n,
        expected_share=Fraction(survey.expected_share, 100),
        others=others,
        groups=survey.groups.count() if definition.unprotected else 0,
        arms=definition.arms,
        language=survey.language,
    )
