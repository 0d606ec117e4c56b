"""What a mechanism is in the product: which questions it suits, what it must be told, what it stores."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from django.utils.translation import gettext as _

from surveys.models import Mechanism
from surveys.models.definition import AskedQuestion
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.decimals import not_below
from surveys.privacy.designs import Design
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.mechanism import CentralMechanism
from surveys.selectors.releases.counting import counts_of, design_counted, reports_of
from surveys.selectors.responses import Tally


class OptionError(ValueError):
    """An option of a mechanism cannot be what was typed; the message says why to people, `field` names the option."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How far off a part of a release may be; the chance in the reports themselves comes on top.

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
    whole : float
        In `unit`: what the output could be off by if it had nothing to do with the data.
    """

    confidence_level: float
    at_most: float
    unit: str
    points: float
    at_best: float
    whole: float

    @property
    def says_nothing(self) -> bool:
        """Whether the mechanism alone can turn any result into any other, even with the most favourable data."""
        return self.at_best >= self.whole

    @property
    def depends_on_data(self) -> bool:
        """Whether only the worst and the best case are known beforehand."""
        return self.at_best < self.at_most

    def within(self, wanted: Fraction, unit: str) -> bool:
        """Whether the bound, for all data, is at most this much in its unit or in ``"points"``."""
        return self.size(unit) <= wanted

    def size(self, unit: str) -> float:
        """Return the bound in its own unit, or in ``"points"``."""
        return self.points if unit == POINTS else self.at_most


POINTS = "points"
"""Percentage points, as a unit of wanted accuracy."""


class Offer(ABC):
    """One mechanism, offered: stateless, one instance each in `OFFERS`."""

    name: ClassVar[Mechanism]
    uses_delta: ClassVar[bool] = False
    # Names of the options it needs besides ε and δ, among "answer", "share", "how_many" and "bound".
    options: ClassVar[tuple[str, ...]] = ()
    # The unit of its accuracy, and whether that can be said in percentage points too.
    unit: ClassVar[str]
    in_points: ClassVar[bool] = False

    @abstractmethod
    def unsuitable(self, asked: AskedQuestion) -> str:
        """Return why this question cannot be released so, in words, or "" where it can."""

    def read_options(self, asked: AskedQuestion, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options exactly and fit for JSON; raises `OptionError` for one that cannot be.

        What was left empty counts as not given.
        """
        given = {name: value for name, value in options.items() if value is not None and value != ""}
        for name in given:
            if name not in self.options:
                raise OptionError(name, _("This mechanism has no such option: leave it empty."))
        return {name: self.read_option(asked, name, given.get(name)) for name in self.options}

    def read_option(self, asked: AskedQuestion, name: str, value: object) -> Any:  # noqa: ANN401 - fit for JSON
        """Return one option exactly and fit for JSON; None stands for one that was not given."""
        raise NotImplementedError(name)

    @abstractmethod
    def mechanism(
        self, asked: AskedQuestion, options: Mapping[str, Any], loss: PrivacyLoss, relation: NeighbouringRelation
    ) -> CentralMechanism[Any]:
        """Return what happens to this question's counts at this cost."""

    @abstractmethod
    def whole(self, asked: AskedQuestion, options: Mapping[str, Any], n: int) -> Fraction | None:
        """Return what an output could be off by if it had nothing to do with the data; None is without limit."""

    def points(self, asked: AskedQuestion, options: Mapping[str, Any], n: int) -> Fraction | None:
        """Return how many percentage points of people one unit of the bound is, None where that makes no sense."""
        whole = self.whole(asked, options, n)
        return 100 / whole if self.in_points and whole is not None else None

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
        whole, points = self.whole(asked, options, n), self.points(asked, options, n)
        return Accuracy(
            confidence_level=confidence_level,
            at_most=bound.at_most,
            unit=self.unit,
            points=math.inf
            if points is None or bound.at_most == math.inf
            else not_below(points * Fraction(bound.at_most)),
            at_best=bound.at_best,
            whole=math.inf if whole is None else not_below(whole),
        )

    def points_from_reports(
        self, asked: AskedQuestion, options: Mapping[str, Any], n: int, confidence_level: float
    ) -> float | None:
        """Return how far off chance in the reports makes the same, in percentage points; None where that is not it."""
        return None

    def number_from_reports(
        self, asked: AskedQuestion, options: Mapping[str, Any], n: int, confidence_level: float
    ) -> float | None:
        """Return how far off chance in the reports makes the same, in `unit`; None where that is not known."""
        return None

    @abstractmethod
    def restored(self, stored: Mapping[str, Any]) -> Any:  # noqa: ANN401 - each mechanism's own
        """Return the output that is stored so, as the mechanism drew it."""

    @abstractmethod
    def stored(self, output: Any, asked: AskedQuestion) -> dict[str, Any]:  # noqa: ANN401 - each mechanism's own
        """Return an output as JSON holds it."""

    def design(self, asked: AskedQuestion, options: Mapping[str, Any]) -> Design:
        """Return what leads from the true answers to what is counted: of several options, to each of them."""
        return design_counted(asked)

    def counts(self, asked: AskedQuestion, tally: Tally) -> list[int]:
        """Return the counts that the mechanism reads: by default of the reports, or of those with each option."""
        return counts_of(asked, tally)

    def answered(self, asked: AskedQuestion, tally: Tally) -> int:
        """Return how many responses do not leave the question out: a public number."""
        return sum(reports_of(asked.first, tally))
