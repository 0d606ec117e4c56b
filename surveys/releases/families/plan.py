"""A plan: one part of a release before it is drawn, by one mechanism; and the terms of a release, which is its plans.

A mechanism is a subclass with a file of its own, which holds all there is to it. The class itself says what it suits
and needs; a plan of it says what it costs and how far off it is, draws, and reads what was drawn.
"""

import math
import secrets
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

from django.db.models import TextChoices
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Table
from surveys.models import ReleasePart
from surveys.numbers.words import exact_number, level_words, three_digits, with_unit
from surveys.privacy.accounting.composition import compose
from surveys.privacy.accounting.local_central import local_then_central
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.decimals import float_not_below
from surveys.privacy.designs import Design, direct, total_epsilon
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.mechanism import CentralMechanism, Randbelow
from surveys.questionnaire.asked_question import AskedQuestion, Item
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.kinds import Answers, LeaveOut
from surveys.releases.families.finding import CONFIDENCE_LEVEL, Finding, SyntheticPeople
from surveys.releases.families.noise import Source
from surveys.releases.families.options import Option, Questions, invalid
from surveys.releases.families.questions import Reason, design_counted, first_of, only_a_mean

RELATION = NeighbouringRelation.REPLACE_ONE
"""The number of answers is shown, so neighbours replace one answer: docs/decisions/0004-neighbouring-relation.md."""

LARGEST_EPSILON = 10
"""Above it noise protects next to nothing: one answer's odds may change by e¹⁰, 22,000-fold."""

Reference = tuple[str, str]
"""Who, with the year, and what it is called and where it is written."""

# Those that several mechanisms name.
CALIBRATED_NOISE = (
    "Dwork, McSherry, Nissim & Smith (2006)",
    "Calibrating noise to sensitivity in private data analysis, TCC.",
)
EXPONENTIAL_MECHANISM = ("McSherry & Talwar (2007)", "Mechanism design via differential privacy, FOCS.")
GEOMETRIC_NOISE = (
    "Ghosh, Roughgarden & Sundararajan (2012)",
    "Universally utility-maximizing privacy mechanisms, SIAM J. Computing 41.",
)
STABILITY = ("Dwork & Lei (2009)", "Differential privacy and robust statistics, STOC.")
BOUNDED_SUMS = ("Li, Lyu, Su & Yang (2016)", "Differential Privacy: From Theory to Practice, Morgan & Claypool.")
DISCRETE_NOISE = ("Canonne, Kamath & Steinke (2020)", "The discrete Gaussian for differential privacy, NeurIPS.")

POINTS = "points"
"""Percentage points, as a unit of wanted accuracy."""
COEFFICIENT = "coefficient"
"""Half of the first coefficient's expected interval, as a unit of wanted accuracy."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How far off a part of a release may be; the randomness of the reports themselves comes on top.

    Attributes
    ----------
    confidence_level : float
        How certain it is.
    at_most : float
        The bound in `unit` whatever the data are, rounded up; infinite where nothing can be promised for all of them.
    unit : str
        ``"answers"``: of each count. ``"people"``: by how many people's answers a choice falls short of the best.
        ``"rank"``: how many people a quantile is away. ``"number"``: in the unit of the question. ``"total"``: of a
        sum, in that unit. ``"square"``: in that unit squared. ``"price"``: of revenue. ``"refusal"``: 0 where what
        is published is exactly what the reports say, infinite where it is refused.
    points : float
        The same in percentage points of the estimated shares of people, where that makes sense; else infinite.
    at_best : float
        What the bound is for the most favourable data, where it depends on them; else the same as `at_most`.
    largest_error : float
        In `unit`: what the output could be off by if it had nothing to do with the data.
    """

    confidence_level: float
    at_most: float
    unit: str
    points: float
    at_best: float
    largest_error: float

    @property
    def is_uninformative(self) -> bool:
        """Whether the mechanism alone can turn any result into any other, even with the most favourable data."""
        return self.at_best >= self.largest_error

    @property
    def depends_on_data(self) -> bool:
        """Whether only the worst and the best case are known beforehand."""
        return self.at_best < self.at_most

    def size(self, unit: str) -> float:
        """Return the bound in its own unit, or in ``"points"``."""
        return self.points if unit == POINTS else self.at_most


# What is counted.


@dataclass(frozen=True, slots=True)
class GroupsApart:
    """A survey's groups as a predictor beside questions: stored with a response as they are, no coin in between.

    Attributes
    ----------
    text : str
        What they are called together.
    names : tuple of str
        Of those shown separately, two at least; the last may be all others.
    keys : tuple of int or None
        The primary key of each, 0 for responses without a group; None is all others.
    """

    text: str
    names: tuple[str, ...]
    keys: tuple[int | None, ...]


class GroupAnswers(Answers):
    """The groups as answers, which nobody is asked for."""

    name = "groups"
    label = ""

    @property
    def labels(self) -> tuple[str, ...]:
        return self.options


def columns_of(questions: Questions, groups: GroupsApart | None = None) -> tuple[Item, ...]:
    """Return what patterns are counted of: the questions, the outcome first, then the groups."""
    columns = [question.first for question in questions]
    if groups:
        names = groups.names
        # What is stored is what is so: the identity matrix.
        columns.append(Item(-1, 0, GroupAnswers(names), groups.text, names, LeaveOut.NO, direct(len(names))))
    return tuple(columns)


@dataclass(frozen=True)
class Plan(ABC):
    """The terms on which some questions are released as one part: everything but the draw.

    Attributes
    ----------
    questions : tuple of AskedQuestion
        What is counted: one question, or several counted jointly, the outcome first.
    options : mapping
        What else the mechanism needs, as `read_options` returned it: exact, and fit for JSON.
    loss : PrivacyLoss
        The central ε and δ charged for the reports of these questions.
    n : int
        The answers counted; public. 0 where they are not counted yet.
    groups : GroupsApart or None
        Those that are counted separately, as one more predictor.
    chosen_from : int
        Among how many draws of the questions this one may have been chosen to be shown; see `Draws`.
    """

    questions: Questions
    options: Mapping[str, Any]
    loss: PrivacyLoss
    n: int
    groups: GroupsApart | None = None
    chosen_from: int = 1

    # Of the mechanism; templates read these off the class.
    do_not_call_in_templates: ClassVar[bool] = True
    name: ClassVar[TextChoices]
    # Whether it can take a δ, and whether it can do without.
    uses_delta: ClassVar[bool] = False
    needs_no_delta: ClassVar[bool] = False
    # What most releases need, in plain words: shown beside the first that suits; the others are folded.
    in_words: ClassVar[Promise | str] = ""
    # Whether people can be made up from what it draws.
    synthesizes: ClassVar[bool] = False
    # What it needs besides ε and δ.
    fields: ClassVar[tuple[Option, ...]] = ()
    # The unit of its accuracy, and whether that can be said in percentage points too.
    unit: ClassVar[str]
    in_points: ClassVar[bool] = False
    # In which other units it can be wanted to be accurate.
    wanted_in: ClassVar[tuple[str, ...]] = ()
    # Why a question does not suit it, in words or "": of several reasons the first that there is.
    unsuitable_if: ClassVar[tuple[Reason, ...]] = ()
    # What it publishes, for those who choose; what it does, for those who read; where that is written.
    sentence: ClassVar[Promise]
    explanation: ClassVar[Promise]
    references: ClassVar[tuple[Reference, ...]]
    # How far off it may be: with a place for `level`, and for `amount`, `points` and `best` where needed.
    accuracy_sentence: ClassVar[Promise]
    # How much one changed report moves what noise was added to, with a place for the `value`.
    sensitivity_sentence: ClassVar[Promise]
    # That one without δ serves as well, with places for the `question`, the `level`, and both bounds.
    without_delta_sentence: ClassVar[Promise]
    # How the noise was drawn, and where a real number had to be rounded.
    exactness_sentence: ClassVar[Promise] = gettext_lazy(
        "All draws use only integers and fractions. No floating-point number is ever added to data, and "
        "every draw has exactly the distribution described."
    )
    # What the parts of its stored output are called.
    stored_names: ClassVar[Mapping[str, Promise]]

    # What it suits, and its arguments.

    @classmethod
    def unsuitable(cls, asked: AskedQuestion) -> str:
        """Return why this question cannot be released so, in words, or "" where it can."""
        return first_of(asked, only_a_mean, *cls.unsuitable_if)

    @classmethod
    def parts_of(cls, asked: Sequence[AskedQuestion], options: Mapping[str, Any]) -> tuple[Questions, ...]:
        """Return what each part of a release of these questions is about; raises `ReleaseRefused`.

        Each question is a part of its own, unless a mechanism counts several of them jointly.
        """
        return tuple((question,) for question in asked)

    @classmethod
    def unsuitable_together(cls, asked: Sequence[AskedQuestion]) -> str:
        """Return why these questions cannot be released so in one release, or ""."""
        return next((why for question in asked if (why := cls.unsuitable(question))), "")

    @classmethod
    def read_options(cls, questions: Questions, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options exactly and fit for JSON; raises `ReleaseRefused` for one that cannot be.

        What was left empty counts as not given.
        """
        given = {name: value for name, value in options.items() if value is not None and value != ""}
        for name in given:
            if name not in {field.name for field in cls.fields}:
                raise invalid(name, _("This mechanism does not use this field. Leave it empty."))
        wanted = (field for field in cls.fields if field.needed or field.name in given)
        return {field.name: field.read(questions, given.get(field.name)) for field in wanted}

    @classmethod
    def of_part(cls, part: ReleasePart, questions: Mapping[int, AskedQuestion], chosen_from: int = 1) -> Self:
        """Return the plan by which a stored part was drawn, of the survey's questions by number."""
        stored = part.parameters.get("groups")
        return cls(
            questions=tuple(questions[number] for number in part.questions),
            options=part.parameters["options"],
            loss=PrivacyLoss(part.epsilon, part.delta),
            n=part.n,
            groups=GroupsApart(stored["text"], tuple(stored["names"]), tuple(stored["keys"])) if stored else None,
            chosen_from=chosen_from,
        )

    @property
    def counts_groups(self) -> bool:
        """Whether groups are to be counted separately."""
        return False

    def too_few(self) -> str:
        """Return why so many answers are too few for it, whatever a survey shows results from, or ""."""
        return ""

    # What it draws, and how that is stored.

    @property
    @abstractmethod
    def mechanism(self) -> CentralMechanism[Any]:
        """What happens to the counts, with all its parameters."""

    def draw(self, counts: Sequence[int], randbelow: Randbelow = secrets.randbelow) -> dict[str, Any]:
        """Run the mechanism once, and return its output as JSON holds it, which is all that is ever stored."""
        if not self.n > 0:
            raise ValueError(f"n must be counted before the draw, got {self.n}")
        return self.stored(self.mechanism.release(counts, randbelow))

    @abstractmethod
    def noise(self) -> list[Source]:
        """Return every source of noise: what it was `on`, its `family`, and the parameters of that, exactly.

        Noise is a whole number of steps of the `grid`.
        """

    @abstractmethod
    def stored(self, output: Any) -> dict[str, Any]:  # noqa: ANN401 - each mechanism's own
        """Return an output as JSON holds it."""

    @abstractmethod
    def restored(self, stored: Mapping[str, Any]) -> Any:  # noqa: ANN401 - each mechanism's own
        """Return the output that is stored so, as the mechanism drew it."""

    @property
    def design(self) -> Design:
        """What leads from the true answers to what is counted: of several options, to each of them."""
        return design_counted(self.question)

    # What follows from it.

    def refused(self, output: Mapping[str, Any]) -> bool:
        """Whether a stored output says that a test was not passed, and nothing else."""
        return all(value is None for value in output.values())

    @abstractmethod
    def read(self, output: Mapping[str, Any]) -> Finding:
        """Return what a stored output says."""

    def further(self, output: Mapping[str, Any]) -> list[Table]:
        """Return what else is read off a stored output at no further cost, beside what it says."""
        return []

    def synthetic(self, output: Mapping[str, Any]) -> SyntheticPeople:
        """Return respondents who do not exist, drawn from a stored output, where this `synthesizes`."""
        raise NotImplementedError(self.name)

    # How far off it is, said before and after it is published.

    @property
    @abstractmethod
    def largest_error(self) -> Fraction | None:
        """What an output could be off by if it had nothing to do with the data; None is without limit."""

    @property
    def points_a_unit(self) -> Fraction | None:
        """How many percentage points of people one unit of the bound is, None where that makes no sense."""
        largest = self.largest_error
        return 100 / largest if self.in_points and largest is not None else None

    def level(self, confidence_level: float = CONFIDENCE_LEVEL) -> float:
        """Return how sure each of the draws must be for the one that is shown to be as sure as this."""
        return 1 - (1 - confidence_level) / self.chosen_from

    def accuracy(self, confidence_level: float = CONFIDENCE_LEVEL) -> Accuracy:
        """Return what the mechanism alone may change, from public numbers only; worked out once a level."""
        if confidence_level not in self._accuracies:
            self._accuracies[confidence_level] = self._accuracy_at(self.level(confidence_level))
        return self._accuracies[confidence_level]

    @cached_property
    def _accuracies(self) -> dict[float, Accuracy]:
        return {}

    def _accuracy_at(self, confidence_level: float) -> Accuracy:
        bound = self.mechanism.error_bound(self.n, confidence_level)
        largest, points = self.largest_error, self.points_a_unit
        return Accuracy(
            confidence_level=confidence_level,
            at_most=bound.at_most,
            unit=self.unit,
            points=math.inf
            if points is None or bound.at_most == math.inf
            else float_not_below(points * Fraction(bound.at_most)),
            at_best=bound.at_best,
            largest_error=math.inf if largest is None else float_not_below(largest),
        )

    def error_in(self, unit: str, confidence_level: float) -> float:
        """Return how far off it may be in one of the units in which that can be wanted; `ReleaseRefused` for none."""
        return self.accuracy(confidence_level).size(unit)

    @property
    def risk_of_reports(self) -> float:
        """The half of the risk of being wrong that is for the reports' randomness; the other is for the noise."""
        return (1 - self.level()) / 2

    @property
    def bound_of_noise(self) -> float:
        """The mechanism's own error bound at half the risk."""
        return self.mechanism.error_bound(self.n, 1 - self.risk_of_reports).at_most

    def expected_half_widths(self, confidence_level: float) -> tuple[float, ...]:
        """Return about how wide half of each interval will be, of what is computed from it; nothing where none is."""
        return ()

    @property
    def unit_of_reports(self) -> str:
        """In which unit noise and the reports' randomness are compared: percentage points where that makes sense."""
        return POINTS if self.in_points else self.unit

    def error_from_reports(self, confidence_level: float = CONFIDENCE_LEVEL) -> float | None:
        """Return the error of the result from the reports' randomness; None where that is not known beforehand.

        It comes from sampling and from the respondents' coins, whatever the release costs.
        """
        return None

    @classmethod
    def accuracy_words(cls, accuracy: Accuracy) -> str:
        """Return its `accuracy_sentence`, or what is to be said instead where the bound depends on the data."""
        return str(cls.accuracy_sentence)

    def accuracy_says(self, confidence_level: float) -> str:
        """Say what the mechanism alone may change, with this confidence, from public numbers only."""
        accuracy = self.accuracy(confidence_level)
        facts = {
            "level": level_words(confidence_level),
            "amount": amount_words(accuracy.at_most, self.question, accuracy.unit),
            "points": three_digits(accuracy.points),
            "best": amount_words(accuracy.at_best, self.question, accuracy.unit),
        }
        sentence = self.accuracy_words(accuracy) % facts
        # Where nothing is promised at best, it is said of a refusal.
        if not accuracy.is_uninformative or accuracy.at_best == math.inf:
            return sentence
        return _("%(sentence)s This limit can be as large as the whole range, so the release may show nothing.") % {
            "sentence": sentence
        }

    def expectation_says(self) -> str:
        """Say how precise what is computed from it is expected to be, from public numbers only; "" for nothing more."""
        return ""

    @property
    def sensitivity_words(self) -> str:
        return str(self.sensitivity_sentence) % {"value": exact_number(self.mechanism.sensitivity.value)}

    # What else can be read off it, which costs nothing.

    def answers(self, new: "Plan") -> bool:
        """Whether what was drawn by this plan says what would be by a new one of the same questions, or of some."""
        return self.name == new.name and self.options == new.options

    def derived_accuracy(self, new: "Plan", confidence_level: float) -> float | None:
        """Return how far off it is then, in the unit of the new accuracy; None where no bound is known."""
        bound = self.accuracy(confidence_level).at_most
        return bound if self.unit == new.unit else None

    def error_from_counts(self, t: Fraction, n: int) -> Fraction | None:
        """Return how far off it is when it is computed from noisy counts of n answers, each off by at most t.

        A weighted sum of such counts is off by at most t times its weights' absolute sum. None where no bound is known.
        """
        return None

    @classmethod
    def same_without_delta(cls, other: type["Plan"]) -> bool:
        """Whether another mechanism publishes the same, and needs no δ for it."""
        return False

    # What it is about, in words and for the true answers.

    @property
    def question(self) -> AskedQuestion:
        """The question; of several the outcome."""
        return self.questions[0]

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(question.number for question in self.questions)

    @property
    def columns(self) -> tuple[Item, ...]:
        """What patterns are counted of: the questions, the outcome first, then the groups."""
        return columns_of(self.questions, self.groups)

    @property
    def options_words(self) -> str:
        """The mechanism's further arguments before it ran."""
        used = (field for field in self.fields if field.name in self.options)
        return "; ".join(field.words(self, self.options[field.name]) for field in used)

    @property
    def texts(self) -> str:
        """What was asked, to stand between quotation marks; of several questions each between its own."""
        return "” · “".join(question.text for question in self.questions)

    @property
    def heading(self) -> str:
        return f"“{self.texts}”" if len(self.questions) > 1 else self.question.text

    @property
    def local_epsilon(self) -> float:
        """What one response's reports to these questions tell about their true answers, in nats, rounded up."""
        if len(self.questions) == 1:
            return self.question.epsilon
        return total_epsilon(question.epsilon for question in self.questions)

    @property
    def report_proves(self) -> bool:
        """Whether a report can prove an answer, so that the release's own ε is the only bound."""
        return self.local_epsilon == math.inf

    @property
    def unprotected(self) -> bool:
        """Whether one of its questions is sent as it is, so that the release's own ε is the only bound."""
        return not all(question.protects for question in self.questions)

    @property
    def truth_epsilon(self) -> float:
        """What this part reveals about the true answers of one response, which it reaches only through the report."""
        return self.truth_epsilon_together_with(Fraction(0))

    def truth_epsilon_together_with(self, earlier: Fraction) -> float:
        """Return the same for this part and earlier ones of the question, whose central ε come to `earlier`."""
        return local_then_central(self.local_epsilon, self.loss.epsilon + earlier)


def amount_words(value: float, asked: AskedQuestion, unit: str) -> str:
    """Write a bound in the unit of an accuracy: numbers of people have none of their own."""
    amount, name = three_digits(value), asked.answers.unit
    if unit == POINTS:
        return _("%(points)s percentage points") % {"points": amount}
    if unit == "square" and name:
        return _("%(amount)s (%(unit)s squared)") % {"amount": amount, "unit": name}
    return with_unit(amount, name if unit in {"number", "total", "price"} else "")


@dataclass(frozen=True)
class Terms:
    """The terms of a release: the plans of its parts, all of one mechanism."""

    definition: Definition
    plans: tuple[Plan, ...]

    @property
    def mechanism(self) -> type[Plan]:
        return type(self.plans[0])

    @property
    def loss(self) -> PrivacyLoss:
        """What the release costs: the parts' losses add up, as one response can be in all of them."""
        return compose(plan.loss for plan in self.plans)

    @property
    def epsilon(self) -> Fraction:
        return self.loss.epsilon

    @property
    def delta(self) -> Fraction:
        return self.loss.delta

    @property
    def groups_apart(self) -> bool:
        """Whether groups are counted apart: moving one response could change which of them are."""
        return any(plan.groups for plan in self.plans)


PLANS: dict[str, type[Plan]] = {}
"""Every mechanism by its stored value, in the order of the form: `surveys.releases.mechanisms` registers them."""


def register(plan: type[Plan]) -> None:
    """Offer a mechanism: on forms, to the command, in ledgers, on pages and in documents."""
    if plan.name in PLANS:
        raise ValueError(f"plan must have a name of its own, got {plan.name}")
    PLANS[str(plan.name)] = plan


def unregister(plan: type[Plan]) -> None:
    del PLANS[str(plan.name)]


def all_fields() -> list[Option]:
    """Return what any mechanism needs besides ε and δ, in the order of the form."""
    named = {field.name: field for plan in PLANS.values() for field in plan.fields}
    return sorted(named.values(), key=lambda field: field.place)
