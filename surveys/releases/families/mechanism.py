"""What a mechanism is in the product: one object that holds all there is to it, and the terms of one question."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

from django.db.models import TextChoices
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from surveys.charts import Table
from surveys.models import ReleasePart
from surveys.models.asked_question import AskedQuestion
from surveys.numbers.words import exact_number
from surveys.privacy.accounting import local_then_central
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.decimals import float_not_below
from surveys.privacy.designs import Design
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.mechanism import CentralMechanism
from surveys.releases.families.accuracy import CONFIDENCE_LEVEL, Accuracy
from surveys.releases.families.finding import Finding, SyntheticPeople
from surveys.releases.families.noise import Source
from surveys.releases.families.options import Option, OptionError
from surveys.releases.families.questions import asked_in, design_counted, only_a_mean, questions_in, texts_of

RELATION = NeighbouringRelation.REPLACE_ONE
"""The number of answers is shown, so neighbours replace one answer: docs/decisions/0004-neighbouring-relation.md."""

Drawing = TypeVar("Drawing", bound=CentralMechanism[Any])

Reference = tuple[str, str]
"""Who, with the year, and what it is called and where it is written."""


class Offer(ABC, Generic[Drawing]):
    """One mechanism, offered: stateless, one instance each in `OFFERS`, which is all that pages know of mechanisms."""

    name: ClassVar[TextChoices]
    # Whether it can take a δ, and whether it can do without.
    uses_delta: ClassVar[bool] = False
    needs_no_delta: ClassVar[bool] = False
    # What most releases need, in plain words: shown beside the first that suits; the others are folded.
    in_words: ClassVar[Promise | str] = ""
    # Whether people can be made up from what it draws.
    synthesizes: ClassVar[bool] = False
    # What it needs besides ε and δ.
    options: ClassVar[tuple[Option, ...]] = ()
    # The unit of its accuracy, and whether that can be said in percentage points too.
    unit: ClassVar[str]
    in_points: ClassVar[bool] = False
    # In which other units it can be wanted to be accurate.
    wanted_in: ClassVar[tuple[str, ...]] = ()
    # What it publishes, for those who choose; what it does, for those who read; where that is written.
    sentence: ClassVar[Promise]
    explanation: ClassVar[Promise]
    references: ClassVar[tuple[Reference, ...]]
    # What the parts of its stored output are called.
    stored_names: ClassVar[Mapping[str, Promise]]

    # What it suits, and its arguments.

    @abstractmethod
    def unsuitable(self, asked: AskedQuestion) -> str:
        """Return why this question cannot be released so, in words, or "" where it can."""

    def parts_of(self, asked: Sequence[AskedQuestion], options: Mapping[str, Any]) -> tuple[AskedQuestion, ...]:
        """Return what each part of a release of these questions is about; raises `OptionError`.

        Each question is a part of its own, unless a mechanism counts several of them jointly.
        """
        return tuple(asked)

    def unsuitable_together(self, asked: Sequence[AskedQuestion]) -> str:
        """Return why these questions cannot be released so in one release, or ""."""
        return next((why for question in asked if (why := only_a_mean(question) or self.unsuitable(question))), "")

    def too_few(self, asked: AskedQuestion, n: int) -> str:
        """Return why so many answers are too few for it, whatever a survey shows results from, or ""."""
        return ""

    def read_options(self, asked: AskedQuestion, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options exactly and fit for JSON; raises `OptionError` for one that cannot be.

        What was left empty counts as not given.
        """
        given = {name: value for name, value in options.items() if value is not None and value != ""}
        for name in given:
            if name not in {option.name for option in self.options}:
                raise OptionError(name, _("This mechanism does not use this field. Leave it empty."))
        wanted = (option for option in self.options if option.needed or option.name in given)
        return {option.name: option.read(asked, given.get(option.name)) for option in wanted}

    # What it draws, and how that is stored.

    @abstractmethod
    def mechanism(
        self, asked: AskedQuestion, options: Mapping[str, Any], loss: PrivacyLoss, relation: NeighbouringRelation
    ) -> Drawing:
        """Return what happens to this question's counts at this cost."""

    def mechanism_at(self, terms: "PartTerms") -> Drawing:
        """Return the same where the number of answers is known as well."""
        return self.mechanism(terms.asked, terms.options, terms.loss, RELATION)

    @abstractmethod
    def noise(self, mechanism: Any) -> list[Source]:  # noqa: ANN401 - its own, which `mechanism` returns
        """Return every source of noise: what it was `on`, its `family`, and the parameters of that, exactly.

        Noise is a whole number of steps of the `grid`.
        """

    @abstractmethod
    def stored(self, output: Any, asked: AskedQuestion) -> dict[str, Any]:  # noqa: ANN401 - each mechanism's own
        """Return an output as JSON holds it."""

    @abstractmethod
    def restored(self, stored: Mapping[str, Any]) -> Any:  # noqa: ANN401 - each mechanism's own
        """Return the output that is stored so, as the mechanism drew it."""

    def design(self, asked: AskedQuestion, options: Mapping[str, Any]) -> Design:
        """Return what leads from the true answers to what is counted: of several options, to each of them."""
        return design_counted(asked)

    # What follows from it.

    def refused(self, output: Mapping[str, Any]) -> bool:
        """Whether a stored output says that a test was not passed, and nothing else."""
        return False

    @abstractmethod
    def finding(self, terms: "PartTerms", output: Mapping[str, Any]) -> Finding:
        """Return what a stored output says."""

    def drawn_on(self, terms: "PartTerms") -> Drawing:
        """Return the mechanism of terms that are this one's, so that nothing is made of what another drew."""
        if terms.offer.name != self.name:
            raise TypeError(f"mechanism must be {self.name}, got {terms.offer.name}")
        mechanism: Drawing = terms.mechanism
        return mechanism

    def further(self, terms: "PartTerms", output: Mapping[str, Any]) -> list[Table]:
        """Return what else is read off a stored output at no further cost, beside what it says."""
        return []

    def synthetic(self, terms: "PartTerms", output: Mapping[str, Any]) -> SyntheticPeople:
        """Return respondents who do not exist, drawn from a stored output, where this `synthesizes`."""
        raise NotImplementedError(self.name)

    # How far off it is, said before and after it is published.

    @abstractmethod
    def largest_error(self, asked: AskedQuestion, options: Mapping[str, Any], n: int) -> Fraction | None:
        """Return what an output could be off by if it had nothing to do with the data; None is without limit."""

    def points(self, asked: AskedQuestion, options: Mapping[str, Any], n: int) -> Fraction | None:
        """Return how many percentage points of people one unit of the bound is, None where that makes no sense."""
        largest = self.largest_error(asked, options, n)
        return 100 / largest if self.in_points and largest is not None else None

    def accuracy(
        self,
        mechanism: CentralMechanism[Any],
        asked: AskedQuestion,
        options: Mapping[str, Any],
        n: int,
        confidence_level: float,
    ) -> Accuracy:
        """Return how far off the output may be, from public numbers only."""
        bound = mechanism.error_bound(n, confidence_level)
        largest, points = self.largest_error(asked, options, n), self.points(asked, options, n)
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

    def error_in(self, unit: str, terms: "PartTerms", confidence_level: float) -> float:
        """Return how far off it may be in one of the units in which that can be wanted; `OptionError` for none."""
        return terms.accuracy(confidence_level).size(unit)

    def expected_half_widths(self, terms: "PartTerms", confidence_level: float) -> tuple[float, ...]:
        """Return about how wide half of each interval will be, of what is computed from it; nothing where none is."""
        return ()

    def points_from_reports(
        self, asked: AskedQuestion, options: Mapping[str, Any], n: int, confidence_level: float
    ) -> float | None:
        """Return the same result's error from the reports' randomness, in points; None where points do not apply."""
        return None

    def number_from_reports(
        self, asked: AskedQuestion, options: Mapping[str, Any], n: int, confidence_level: float
    ) -> float | None:
        """Return the error of the same from the reports' randomness, in `unit`; None where that is not known."""
        return None

    @abstractmethod
    def accuracy_words(self, accuracy: Accuracy) -> str:
        """Say how far off it may be: with a place for `level`, and for `amount`, `points` and `best` where needed."""

    def expectation_words(self, terms: "PartTerms") -> str:
        """Say how precise what is computed from it is expected to be, from public numbers only; "" for nothing more."""
        return ""

    @abstractmethod
    def sensitivity_words(self) -> str:
        """Say how much one changed report moves what noise was added to, with a place for the `value`."""

    def exactness_words(self) -> str:
        """Say how the noise was drawn, and where a real number had to be rounded."""
        return _(
            "All draws use only integers and fractions. No floating-point number is ever added to data, and "
            "every draw has exactly the distribution described."
        )

    # What else can be read off it, which costs nothing.

    def answers(self, earlier: "PartTerms", new: "PartTerms") -> bool:
        """Whether what was drawn on earlier terms of this mechanism says what would be on new ones, by any other."""
        return earlier.offer.name == new.offer.name and earlier.options == new.options

    def derived_accuracy(self, earlier: "PartTerms", new: "PartTerms", confidence_level: float) -> float | None:
        """Return how far off it is then, in the unit of the new accuracy; None where no bound is known."""
        bound = earlier.accuracy(confidence_level).at_most
        return bound if self.unit == new.offer.unit else None

    def error_from_counts(self, terms: "PartTerms", t: Fraction, n: int) -> Fraction | None:
        """Return how far off it is when it is computed from noisy counts of n answers, each off by at most t.

        A weighted sum of such counts is off by at most t times its weights' absolute sum. None where no bound is known.
        """
        return None

    def same_without_delta(self, other: "Offer[Any]") -> bool:
        """Whether another mechanism publishes the same, and needs no δ for it."""
        return False

    def without_delta_words(self, *, question: str, pure: str, gaussian: str, level: str) -> str:
        """Say that it serves as well: its bound is `pure`, this one's `gaussian`, with a certainty of `level`."""
        raise NotImplementedError(self.name)


@dataclass(frozen=True)
class PartTerms:
    """The terms on which one question is released: everything but the draw.

    Attributes
    ----------
    asked : AskedQuestion
        The question.
    offer : Offer
        The mechanism as the product offers it.
    options : mapping
        What else the mechanism needs, as `Offer.read_options` returned it: exact, and fit for JSON.
    loss : PrivacyLoss
        The central ε and δ charged for the reports of this question.
    n : int
        The answers counted; public.
    chosen_from : int
        Among how many draws of the question this one may have been chosen to be shown; see `Draws`.
    """

    asked: AskedQuestion
    offer: Offer[Any]
    options: Mapping[str, Any]
    loss: PrivacyLoss
    n: int
    chosen_from: int = 1

    @cached_property
    def mechanism(self) -> Any:  # noqa: ANN401 - each mechanism's own; `Offer.drawn_on` knows it by its type
        """What happens, with all its parameters."""
        return self.offer.mechanism_at(self)

    def level(self, confidence_level: float = CONFIDENCE_LEVEL) -> float:
        """Return how sure each of the draws must be for the one that is shown to be as sure as this."""
        return 1 - (1 - confidence_level) / self.chosen_from

    def accuracy(self, confidence_level: float = CONFIDENCE_LEVEL) -> Accuracy:
        """Return what the mechanism alone may change, from public numbers only; worked out once a level."""
        if confidence_level not in self._accuracies:
            self._accuracies[confidence_level] = self.offer.accuracy(
                self.mechanism, self.asked, self.options, self.n, self.level(confidence_level)
            )
        return self._accuracies[confidence_level]

    @cached_property
    def _accuracies(self) -> dict[float, Accuracy]:
        return {}

    @property
    def risk_of_reports(self) -> float:
        """The half of the risk of being wrong that is for the reports' randomness; the other is for the noise."""
        return (1 - self.level()) / 2

    @property
    def bound_of_noise(self) -> float:
        """The mechanism's own error bound at half the risk."""
        bound: float = self.mechanism.error_bound(self.n, 1 - self.risk_of_reports).at_most
        return bound

    @property
    def design(self) -> Design:
        """What leads from the true answers to what is counted: "is it this answer?" where one answer is."""
        return self.offer.design(self.asked, self.options)

    def points_from_reports(self, confidence_level: float = CONFIDENCE_LEVEL) -> float | None:
        """Return the error of the result from the reports' randomness, in percentage points; None where that is not it.

        It comes from sampling and from the respondents' coins, whatever the release costs.
        """
        return self.offer.points_from_reports(self.asked, self.options, self.n, confidence_level)

    def number_from_reports(self, confidence_level: float = CONFIDENCE_LEVEL) -> float | None:
        """Return the same in the unit of `accuracy`; None where that is not known beforehand."""
        return self.offer.number_from_reports(self.asked, self.options, self.n, confidence_level)

    def finding(self, output: Mapping[str, Any]) -> Finding:
        """Return what a stored output says."""
        return self.offer.finding(self, output)

    def noise(self) -> list[Source]:
        """Return every source of noise."""
        return self.offer.noise(self.mechanism)

    @property
    def sensitivity_words(self) -> str:
        """How much one changed report moves what noise was added to."""
        return self.offer.sensitivity_words() % {"value": exact_number(self.mechanism.sensitivity.value)}

    @property
    def options_words(self) -> str:
        """The mechanism's further arguments before it ran."""
        used = (option for option in self.offer.options if option.name in self.options)
        return "; ".join(option.words(self.asked, self.options[option.name]) for option in used)

    @property
    def texts(self) -> str:
        """What was asked, to stand between quotation marks."""
        return texts_of(self.asked)

    @property
    def heading(self) -> str:
        """What was asked, by itself."""
        return f"“{self.texts}”" if len(questions_in(self.asked)) > 1 else self.asked.text

    @property
    def local_epsilon(self) -> float:
        """What one response's reports to this question tell about their true answers."""
        return self.asked.epsilon

    @property
    def report_proves(self) -> bool:
        """Whether a report can prove an answer, so that the release's own ε is the only bound."""
        return self.local_epsilon == math.inf

    @property
    def unprotected(self) -> bool:
        """Whether one of its questions is sent as it is, so that the release's own ε is the only bound."""
        return not all(question.protects for question in questions_in(self.asked))

    @property
    def truth_epsilon(self) -> float:
        """What this part reveals about the true answers of one response, which it reaches only through the report."""
        return self.truth_epsilon_together_with(Fraction(0))

    def truth_epsilon_together_with(self, earlier: Fraction) -> float:
        """Return the same for this part and earlier ones of the question, whose central ε come to `earlier`."""
        return local_then_central(self.local_epsilon, self.loss.epsilon + earlier)


def part_terms(
    part: ReleasePart, questions: Mapping[int, AskedQuestion], offer: Offer[Any], chosen_from: int = 1
) -> PartTerms:
    """Return the terms on which a stored part was drawn, and among how many draws it may have been chosen."""
    return PartTerms(
        asked=asked_in(part, questions),
        offer=offer,
        options=part.parameters["options"],
        loss=PrivacyLoss(part.epsilon, part.delta),
        n=part.n,
        chosen_from=chosen_from,
    )


def answers(earlier: PartTerms, output: Mapping[str, Any], new: PartTerms) -> bool:
    """Whether what a part has said says what a new part of the same question would, without any further cost."""
    counted = {question.question_id for question in questions_in(earlier.asked)}
    if not counted.issuperset(question.question_id for question in questions_in(new.asked)):
        return False
    return not earlier.offer.refused(output) and earlier.offer.answers(earlier, new)


def derived_accuracy(earlier: PartTerms, new: PartTerms, confidence_level: float) -> float | None:
    """Return how far off it is then, in the unit of the new part's accuracy; None where no bound is known."""
    return earlier.offer.derived_accuracy(earlier, new, confidence_level)
