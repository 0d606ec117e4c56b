"""What a page of the lab is: a question, at most three controls, numbers of the core, one picture of them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import expm1, inf
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from django.db.models import IntegerChoices
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from numpy.random import Generator, default_rng  # noqa: TID251 - people who do not exist, drawn again by their seed

from surveys.charts import Axis, Chart, DotPlot, Pin, Table, share_axis
from surveys.learn.forms import TIMES, Controls, PageForm
from surveys.numbers.words import tenths_of_100
from surveys.privacy.designs import Design
from surveys.privacy.mechanisms.laplace import DiscreteLaplace

Values = Mapping[str, Any]
Numbers = dict[str, Any]


class Chapter(IntegerChoices):
    """What pages are about, in the order in which they are read."""

    HIDING = 1, gettext_lazy("Hiding individuals, learning from everyone")
    NOISE = 2, gettext_lazy("Noise")
    ADDING_UP = 3, gettext_lazy("Adding up privacy loss")
    ATTACKS = 4, gettext_lazy("Attacks and defences")
    LEARNING = 5, gettext_lazy("Learning")
    SURVEYS = 6, gettext_lazy("Surveys")


@dataclass(frozen=True, eq=False)
class SeededChance:
    """Randomness that can be drawn again: the same seed gives the same people and coins to everybody.

    It protects nobody, as nobody real is in the lab; what is released comes from `secrets`.
    """

    seed: int

    @cached_property
    def generator(self) -> Generator:
        """For many draws at once."""
        return default_rng(self.seed)

    def reports(self, design: Design, truths: Sequence[int]) -> npt.NDArray[np.int64]:
        """Draw everybody's report as `draw_report` does, for thousands at once."""
        draws = self.generator.integers(design.denominator, size=len(truths))
        ends = np.cumsum(np.array(design.columns), axis=1)[np.asarray(truths)]
        reports: npt.NDArray[np.int64] = (draws[:, None] >= ends).sum(axis=1)
        return reports

    def noise(self, noise: DiscreteLaplace, size: tuple[int, ...]) -> npt.NDArray[np.int64]:
        """Draw so much discrete Laplace noise: two geometric variables differ by it."""
        drawn: npt.NDArray[np.int64] = np.diff(self.generator.geometric(-expm1(-noise.rate), (*size, 2)))[..., 0]
        return drawn

    @property
    def randbelow(self) -> Callable[[int], int]:
        """Whole numbers below a bound of any size, as the exact samplers ask for them."""

        def randbelow(bound: int) -> int:
            bits = (bound - 1).bit_length()
            size, spare = -(-bits // 8), -bits % 8
            while (drawn := int.from_bytes(self.generator.bytes(size)) >> spare) >= bound:
                pass
            return drawn

        return randbelow


@dataclass(frozen=True, slots=True)
class Shown:
    """What a page says of its numbers: one sentence, and the picture whose title is the finding."""

    sentence: str
    charts: Sequence[Chart]


class LabPage(ABC):
    """One idea to touch.

    Attributes
    ----------
    place : int
        Its number, by which pages are ordered.
    chapter : Chapter
        What it belongs to.
    slug : str
        Its address, and its template in templates/learn/pages/.
    title : str
        The question that it answers.
    source : str
        The lecture or paper that the idea is from.
    controls : mapping
        At most three.
    replaced : tuple of str
        Controls for which the odds of a question of somebody's own survey can stand: `values["own"]` has the question.
    real : str
        The name of the address that does with a survey's real answers, or releases, what the page does.
    watched, aim : str
        Of its numbers, the one that varies between draws, and what it should be; without one nothing is drawn again.
    """

    place: ClassVar[int]
    chapter: ClassVar[Chapter]
    slug: ClassVar[str]
    title: ClassVar[Promise]
    source: ClassVar[str]
    controls: ClassVar[Controls] = {}
    replaced: ClassVar[tuple[str, ...]] = ()
    real: ClassVar[str] = ""
    watched: ClassVar[str] = ""
    aim: ClassVar[str] = ""

    @abstractmethod
    def numbers(self, values: Values, chance: SeededChance) -> Numbers:
        """Return what the core computes for these controls and this draw."""

    @abstractmethod
    def show(self, values: Values, numbers: Numbers) -> Shown:
        """Return the sentence and the picture of these numbers."""

    def axis(self, values: Values) -> Axis:
        """Return the axis on which the watched number of many draws stands: of shares, unless a page says otherwise."""
        return share_axis()

    def write(self, number: float) -> str:
        """Return the watched number as it is written: of 100, unless a page says otherwise."""
        return tenths_of_100(number)

    @property
    def template(self) -> str:
        """Its words, and its code to copy."""
        return f"learn/pages/{self.slug}.html"

    def result(self, values: Values) -> tuple[Numbers, Shown]:
        """Return the numbers and the picture that an address asks for."""
        if values["times"] == 1 or not self.watched:
            numbers = self.numbers(values, SeededChance(values["seed"]))
            return numbers, self.show(values, numbers)
        return self._many(values)

    def context(self, form: PageForm, values: Values) -> dict[str, Any]:
        """Return what its templates show of such values."""
        numbers, shown = self.result(values)
        return {"page": self, "form": form, "values": values, "numbers": numbers, "shown": shown}

    def _many(self, values: Values) -> tuple[Numbers, Shown]:
        draws = [self.numbers(values, SeededChance(values["seed"] + turn)) for turn in range(TIMES)]
        watched = [float(drawn[self.watched]) for drawn in draws]
        # The middle 95 of 100.
        cut = TIMES // 40
        low, high = sorted(watched)[cut], sorted(watched)[-1 - cut]
        figures = {"times": TIMES, "most": TIMES - 2 * cut, "low": self.write(low), "high": self.write(high)}
        title = _("%(most)s of %(times)s draws lie between %(low)s and %(high)s") % figures
        chart = self.dot_plot(values, watched, draws[0], title=title, within=(low, high))
        return {"draws": watched, "low": low, "high": high}, Shown(title + ".", (chart,))

    def dot_plot(
        self,
        values: Values,
        watched: Sequence[float],
        drawn: Numbers,
        *,
        title: str,
        within: tuple[float, float] = (-inf, inf),
    ) -> DotPlot:
        """Return a dot for each of many draws, beside what they aim at as one of them (`drawn`) has it."""
        pins = (
            (Pin(_("true value: %(aim)s") % {"aim": self.write(drawn[self.aim])}, float(drawn[self.aim])),)
            if self.aim
            else ()
        )
        rows = tuple((str(turn + 1), self.write(value)) for turn, value in enumerate(watched))
        return DotPlot(
            name="draws",
            title=title,
            table=Table(title, (_("Draw"), _("Result")), rows),
            axis=self.axis(values),
            values=watched,
            pins=pins,
            within=within,
        )


def as_json(value: Any) -> Any:  # noqa: ANN401 - whatever a page computes
    """Return numbers as JSON writes them: a fraction as the nearest float."""
    if isinstance(value, Mapping):
        return {name: as_json(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(part) for part in value]
    return float(value) if isinstance(value, Fraction) else value
