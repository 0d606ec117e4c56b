"""The templates that a survey can start from, each with its reasons, its studies and the numbers on its card."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from django.contrib.auth.models import User
from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from surveys.documents.services.creating import create_from
from surveys.documents.services.reading import SurveyContent, read_document
from surveys.drafts.figures import ExpectedPrecision, expected_of
from surveys.drafts.selectors import FORMAT, VERSION
from surveys.drafts.services.surveys import is_already
from surveys.models import Survey
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.kinds import Loss

Text = str | Promise
CLASS_SIZE = 30

VOLUNTARY = _("Taking part is voluntary. You can skip any question.")
INTRODUCTION = _(
    "Your phone may change your answers at random before sending them. Nobody can be sure what you meant, but "
    "group results can still be estimated."
)
# In brackets, so that nobody takes it for an address when the survey owner has forgotten it.
SUPPORT = _("[Enter who can help: name, phone number, opening hours.]")


@dataclass(frozen=True)
class Starter:
    """A survey to begin with; its texts come in the language that is in force when it is read."""

    key: str  # in its address
    topic: Text  # what survey owners look for; respondents read the survey's own title
    after: str  # the study that it comes from, in short
    asks: Text  # what it asks, in one sentence
    why: Text  # why in this way
    sources: tuple[str, ...]  # works as they are cited; the first is that study
    survey: dict[str, Any]
    questions: tuple[dict[str, Any], ...]

    @property
    def document(self) -> dict[str, Any]:
        """The survey's document, in the language in force."""
        survey = {"language": translation.get_language(), **self.survey}
        document = {"format": FORMAT, "version": VERSION, "survey": survey, "questions": list(self.questions)}
        translated: dict[str, Any] = _in_active_language(document)
        return translated

    @cached_property
    def content(self) -> SurveyContent:
        """What a draft made from it would hold, as far as no words matter: designs, numbers."""
        with translation.override("en"):
            return read_document(self.document)

    @cached_property
    def _definition(self) -> Definition:
        return self.content.definition

    @cached_property
    def _expected(self) -> list[ExpectedPrecision]:
        """What 30 answers tell of each question."""
        share = Fraction(self.content.fields["expected_share"], 100)
        return [expected_of(question, n=CLASS_SIZE, share=share) for question in self._definition.questions]

    @property
    def losses(self) -> tuple[Loss, ...]:
        return self._definition.losses

    @property
    def half_width(self) -> float:
        """Of the least precise share, with 30 answers."""
        return max(each.half_width for each in self._expected)

    @property
    def least(self) -> int:
        """How many answers support a conclusion about each share; 30 where those do."""
        return max(each.least if each.too_few else CLASS_SIZE for each in self._expected)

    @property
    def in_the_head(self) -> bool:
        """Whether no device takes part in any answer."""
        return all(question.in_the_head for question in self._definition.questions)


def _in_active_language(value: Any) -> Any:  # noqa: ANN401 - whatever stands in a document
    """Return a value with its texts in the language in force."""
    if isinstance(value, Promise):
        return str(value)
    if isinstance(value, dict):
        return {name: _in_active_language(inner) for name, inner in value.items()}
    return [_in_active_language(inner) for inner in value] if isinstance(value, list) else value


def yes_no(text: Text, *, truth: tuple[int, int], leave_out: str = "visibly") -> dict[str, Any]:
    """Ask yes or no with two coins; the second is fair."""
    return {
        "kind": "yes_no",
        "text": text,
        "design": "forced_response",
        "parameters": {"truth": list(truth), "yes": [1, 2]},
        "leave_out": leave_out,
    }


def unrelated(text: Text, *, selector: Text, innocuous: Text) -> dict[str, Any]:
    """Ask yes or no, or an unrelated question instead, as a birthday decides: no device takes part."""
    return {
        "kind": "yes_no",
        "text": text,
        "design": "unrelated_question",
        # Of 365 days, 257 are the 10th of a month or later, and 181 come before July.
        "parameters": {"p": [257, 365], "q": [181, 365]},
        "details": {
            "selector": selector,
            "selector_source": _("257 of the 365 days in a year. Births are spread about evenly over the year."),
            "innocuous": innocuous,
            "innocuous_source": _("181 of the 365 days in a year. Births are spread about evenly over the year."),
        },
    }


def crosswise(text: Text, *, innocuous: Text) -> dict[str, Any]:
    """Ask whether the answers to a question and to one about a birthday are the same: no device takes part."""
    return {
        "kind": "yes_no",
        "text": text,
        "design": "crosswise",
        # January to March: 90 of 365 days.
        "parameters": {"p": [18, 73]},
        "details": {
            "innocuous": innocuous,
            "innocuous_source": _("90 of the 365 days in a year. Births are spread about evenly over the year."),
        },
    }


# A starter whose truth is known: a class checks the method before it is trusted with a secret.


CARD_DECK = Starter(
    key="card-deck",
    topic=_("A deck of cards with known shares"),
    after="Warner (1965)",
    asks=_("Drawing a court card (12 of 52) or a red card (26 of 52)."),
    why=_(
        "The true shares are known (3 in 13 and one half), so a class can check the estimates. The question "
        "about court cards uses two coins. The question about red cards uses Warner’s design. Both designs "
        "protect equally well and, for equal shares, give equally precise estimates."
    ),
    sources=(
        "Warner, S. L. (1965). Randomized response: A survey technique for eliminating evasive answer bias. Journal of "
        "the American Statistical Association, 60(309), 63–69.",
        "Genest, C., Hanley, J. A. & Bhatnagar, S. R. (2024). Investigating sensitive issues in class through "
        "randomized response polling. Journal of Statistics and Data Science Education. "
        "doi:10.1080/26939169.2024.2302179",
    ),
    survey={
        "title": _("What is on your card?"),
        "introduction": _(
            "Draw one card from a full deck of 52. Look at it without showing anyone, then put it back. Answer "
            "the questions about that card. Your phone may change your answers at random before sending them."
        ),
        "consent": _("Taking part is voluntary."),
        "expected_share": 23,
    },
    questions=(
        yes_no(_("Is your card a jack, a queen or a king?"), truth=(7, 10), leave_out="no"),
        {
            "kind": "yes_no",
            "text": _("Is your card red (hearts or diamonds)?"),
            "design": "warner",
            "parameters": {"p": [17, 20]},
            "leave_out": "no",
        },
    ),
)


# Starters about work, school life, health, money and sport.


_IN_THE_HEAD = _(
    "You answer using facts that only you should know. People who don’t know these facts can’t be sure what you meant."
)

WORKPLACE_HARASSMENT = Starter(
    key="workplace-harassment",
    topic=_("Harassment at work"),
    after="Boudreau et al. (2023)",
    asks=_("Threats, violence and sexual harassment by a superior in the past 12 months."),
    why=_(
        "Reporting harassment is especially risky. Each of the three answers is randomized with a coin and a "
        "spinner. “Prefer not to say” is protected too. No results are shown before 20 people have answered. "
        "Like the study, this template asks separately about threats, violence and sexual harassment."
    ),
    sources=(
        "Boudreau, L., Chassang, S., González-Torres, A. & Heath, R. (2023). Monitoring harassment in organizations. "
        "Working paper, Princeton University.",
    ),
    survey={
        "title": _("Respect at work"),
        "introduction": INTRODUCTION,
        "consent": VOLUNTARY,
        "support": SUPPORT,
        "minimum_n": 20,
        "expected_n": 70,
    },
    questions=(
        {
            "kind": "several_of",
            "text": _("Which of these has a superior done to you at work in the past 12 months?"),
            "options": [
                _("Threatened or humiliated me"),
                _("Pushed, hit or grabbed me"),
                _("Touched me or spoke to me in a sexual way that I did not want"),
            ],
            "design": "k_ary",
            "parameters": {"truth": [9, 20]},
            "leave_out": "protected",
        },
    ),
)

BULLYING = Starter(
    key="bullying",
    topic=_("Bullying at school"),
    after="Cobo Rodríguez & Molina Muñoz (2018)",
    asks=_("How often pupils have hurt others on purpose, or been hurt, this school year."),
    why=_(
        "The questions ask about acts, because few people would call their own acts bullying. “Prefer not to "
        "say” is protected too, so nobody can be sure who did not want to answer."
    ),
    sources=(
        "Cobo Rodríguez, B. & Molina Muñoz, D. (2018). Measuring bullying among students using the randomized "
        "response technique. The Eurasia Proceedings of Educational and Social Sciences.",
    ),
    survey={
        "title": _("How we treat each other"),
        "introduction": INTRODUCTION,
        "consent": VOLUNTARY,
        "support": SUPPORT,
        "expected_n": 60,
    },
    questions=tuple(
        {
            "kind": "one_of",
            "text": text,
            "options": [_("Never"), _("Once or twice"), _("More often")],
            "design": "k_ary",
            "parameters": {"truth": [1, 2]},
            "leave_out": "protected",
        }
        for text in (
            _("This school year, how often have you hurt, mocked or excluded somebody at school on purpose?"),
            _("This school year, how often has somebody at school hurt, mocked or excluded you on purpose?"),
        )
    ),
)

SUBSTANCE_USE = Starter(
    key="substance-use",
    topic=_("Substance use"),
    after="Dietz et al. (2013)",
    asks=_("Use of prescription or illegal drugs in the past 12 months, to study or work better."),
    why=_(
        "Depending on a birthday, some people answer an unrelated question instead of the sensitive one. This "
        "design needs no device and works even on paper. The study used randomized response on paper with "
        "2,569 university students."
    ),
    sources=(
        "Dietz, P., Striegel, H., Franke, A. G., Lieb, K., Simon, P. & Ulrich, R. (2013). Randomized response "
        "estimates for the 12-month prevalence of cognitive-enhancing drug use in university students. "
        "Pharmacotherapy, 33(1), 44–50. doi:10.1002/phar.1166",
        "Goodstadt, M. S. & Gruson, V. (1975). The randomized response technique: A test on drug use. Journal of the "
        "American Statistical Association, 70(352), 814–818.",
    ),
    survey={
        "title": _("Getting through the day"),
        "introduction": _IN_THE_HEAD,
        "consent": VOLUNTARY,
        "support": SUPPORT,
    },
    questions=(
        unrelated(
            _(
                "In the past 12 months, have you taken a prescription drug or an illegal drug to study or work better, "
                "without a medical reason?"
            ),
            selector=_("Is your mother’s birthday on or after the 10th of the month?"),
            innocuous=_("Is your father’s birthday between 1 January and 30 June?"),
        ),
    ),
)

DOPING = Starter(
    key="doping",
    topic=_("Doping in sport"),
    after="Ulrich et al. (2018)",
    asks=_("Doping in one’s own sport in the past 12 months."),
    why=_(
        "Depending on a birthday, some people answer an unrelated question instead of the sensitive one. This "
        "design needs no device and works even in a stadium. The study used it with more than two thousand "
        "athletes at two competitions."
    ),
    sources=(
        "Ulrich, R., Pope, H. G., Cléret, L., Petróczi, A., Nepusz, T., Schaffer, J., Kanayama, G., Comstock, R. D. & "
        "Simon, P. (2018). Doping in two elite athletics competitions assessed by randomized-response surveys. Sports "
        "Medicine, 48(1), 211–219. doi:10.1007/s40279-017-0765-4",
    ),
    survey={"title": _("Clean sport"), "introduction": _IN_THE_HEAD, "consent": VOLUNTARY, "support": SUPPORT},
    questions=(
        unrelated(
            _("In the past 12 months, have you knowingly used a substance or method that your sport prohibits?"),
            selector=_("Think of a good friend. Is their birthday on or after the 10th of the month?"),
            innocuous=_("Think of another friend. Is their birthday between 1 January and 30 June?"),
        ),
    ),
)

TAX_HONESTY = Starter(
    key="tax-honesty",
    topic=_("Tax honesty"),
    after="Houston & Tran (2001)",
    asks=_("Undeclared income and unjustified deductions in the last tax return."),
    why=_(
        "Like the study, this template asks separately about income and deductions. Two coins protect Yes and "
        "No equally. The first coin is biased towards the true answer, so fewer responses are needed than with "
        "a fair coin."
    ),
    sources=(
        "Houston, J. & Tran, A. (2001). A survey of tax evasion using the randomized response technique. Advances in "
        "Taxation, 13, 69–94.",
        "Korndörfer, M., Krumpal, I. & Schmukle, S. C. (2014). Measuring and explaining tax evasion: Improving "
        "self-reports using the crosswise model. Journal of Economic Psychology, 45, 18–32.",
    ),
    survey={"title": _("Tax returns"), "introduction": INTRODUCTION, "consent": VOLUNTARY},
    questions=(
        yes_no(_("In your last tax return, did you omit income that you had to declare?"), truth=(7, 10)),
        yes_no(_("In your last tax return, did you claim costs that you had no right to claim?"), truth=(7, 10)),
    ),
)


# Starters about studying: exams, assignments, plagiarism.


EXAM_CHEATING = Starter(
    key="exam-cheating",
    topic=_("Exam cheating"),
    after="Höglinger, Jann & Diekmann (2016)",
    asks=_("Copying from others, or using forbidden notes or a phone, in exams in the past 12 months."),
    why=_(
        "A design with two coins is the easiest to explain to a class. Each act has its own question, because "
        "people who did only one of the two might not call it “cheating”."
    ),
    sources=(
        "Höglinger, M., Jann, B. & Diekmann, A. (2016). Sensitive questions in online surveys: An experimental "
        "evaluation of different implementations of the randomized response technique and the crosswise model. "
        "Survey Research Methods, 10(3), 171–187. doi:10.18148/srm/2016.v10i3.6703",
    ),
    survey={"title": _("Exams, honestly"), "introduction": INTRODUCTION, "consent": VOLUNTARY},
    questions=(
        yes_no(
            _("In the past 12 months, have you copied answers from someone else during an exam?"),
            truth=(7, 10),
        ),
        yes_no(
            _("In the past 12 months, have you used notes or a phone in an exam where they were not allowed?"),
            truth=(7, 10),
        ),
    ),
)

AI_ASSIGNMENTS = Starter(
    key="ai-assignments",
    topic=_("AI use in assignments"),
    after="Nguyen & Goto (2024)",
    asks=_("How much an AI tool did for the last assignment."),
    why=_(
        "People use AI in many ways, so there are four answers instead of Yes and No. The answers are "
        "randomized with a coin and a spinner. People remember their last assignment better than whether they "
        "have ever used AI."
    ),
    sources=(
        "Nguyen, H. M. & Goto, D. (2024). Unmasking academic cheating behavior in the artificial intelligence era: "
        "Evidence from Vietnamese undergraduates. Education and Information Technologies. "
        "doi:10.1007/s10639-024-12495-4",
        "Lee, V. R., Pope, D., Miles, S. & Zárate, R. C. (2024). Cheating in the age of generative AI: A high school "
        "survey study of cheating behaviors before and after the release of ChatGPT. Computers and Education: "
        "Artificial Intelligence, 7, 100253.",
    ),
    survey={"title": _("AI in assignments"), "introduction": INTRODUCTION, "consent": VOLUNTARY},
    questions=(
        {
            "kind": "one_of",
            "text": _("Think of the last assignment you handed in. What is the most that an AI tool did for it?"),
            "options": [
                _("Nothing"),
                _("Ideas, explanations or corrections"),
                _("Some of the text or the solution"),
                _("Most of the text or the solution"),
            ],
            "design": "k_ary",
            "parameters": {"truth": [2, 3]},
        },
    ),
)

PLAGIARISM = Starter(
    key="plagiarism",
    topic=_("Plagiarism"),
    after="Jann, Jerke & Krumpal (2012)",
    asks=_("Copying passages from others without naming the source, in papers handed in during the past 12 months."),
    why=_(
        "The crosswise design needs no device. People only say whether their answers to two questions are the "
        "same. Neither response is an admission. The study found higher shares than with direct questions. The "
        "second pair of questions is an anchor. Everyone’s true answer to the anchor is No, so the reports "
        "show how many people tap at random."
    ),
    sources=(
        "Jann, B., Jerke, J. & Krumpal, I. (2012). Asking sensitive questions using the crosswise model: An "
        "experimental survey measuring plagiarism. Public Opinion Quarterly, 76(1), 32–49.",
        "Yu, J.-W., Tian, G.-L. & Tang, M.-L. (2008). Two new models for survey sampling with sensitive "
        "characteristic: Design and analysis. Metrika, 67(3), 251–263.",
        "Atsusaka, Y. & Stevenson, R. T. (2023). A bias-corrected estimator for the crosswise model with inattentive "
        "respondents. Political Analysis, 31(1), 134–148.",
    ),
    survey={
        "title": _("Sources in papers"),
        "introduction": _(
            "You answer using a fact that only you should know. People who don’t know this fact can’t "
            "be sure what you meant."
        ),
        "consent": VOLUNTARY,
        "expected_n": 60,
    },
    questions=(
        crosswise(
            _(
                "In the past 12 months, have you handed in a paper with a passage by someone else without "
                "naming the source?"
            ),
            innocuous=_("Is your mother’s birthday in January, February or March?"),
        ),
        crosswise(
            _("In the past 12 months, have you handed in a paper of more than ten thousand pages?"),
            innocuous=_("Is your father’s birthday in January, February or March?"),
        ),
    ),
)


# From a starter to a draft in the language chosen.


def start_from(starter: Starter, *, owner: User, language: str) -> Survey:
    """Create a draft whose texts are in this language, which the pages must speak."""
    with translation.override(language):
        content = read_document(starter.document)
    return create_from(owner=owner, content=content)


STARTERS = (
    EXAM_CHEATING,
    AI_ASSIGNMENTS,
    PLAGIARISM,
    CARD_DECK,
    WORKPLACE_HARASSMENT,
    BULLYING,
    SUBSTANCE_USE,
    DOPING,
    TAX_HONESTY,
)


def is_as_started(survey: Survey) -> bool:
    """Whether a survey says, letter for letter, what a starter says in its language: nobody has typed anything."""
    with translation.override(survey.language):
        alike = (read_document(each.document) for each in STARTERS if each.survey["title"] == survey.title)
        return any(is_already(survey, content.questions, content.fields) for content in alike)
