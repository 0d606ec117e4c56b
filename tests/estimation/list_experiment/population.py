"""A population with a sensitive item and J innocuous ones, and the reports that a seed draws from it."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

from surveys.estimation.list_experiment.arms import ListDesigns, list_channels, plain_designs
from surveys.estimation.list_experiment.types import counts_of_types
from surveys.privacy.designs import direct, k_ary

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
PLAIN = plain_designs(3)
COIN = k_ary(4, "4/5"), k_ary(5, "4/5")
SAME_COIN = k_ary(5, "4/5"), k_ary(5, "4/5")
CHANNELS = {
    "plain": PLAIN,
    "a coin": COIN,
    "the same coin": SAME_COIN,
    "a coin in one arm": (direct(4), k_ary(5, "4/5")),
}


@dataclass(frozen=True)
class ListPopulation:
    """Shares of types: row z for the sensitive item, column y for the count of innocuous ones."""

    types: Floats

    @property
    def prevalence(self) -> float:
        return float(self.types[1].sum())

    def reported(self, designs: ListDesigns) -> tuple[Floats, Floats]:
        """The probabilities of the reports of the control and of the treatment arm."""
        of_types = counts_of_types(self.types.shape[1] - 1)
        control, treatment = (
            channel.matrix @ counts @ self.types.ravel()
            for channel, counts in zip(list_channels(designs), of_types, strict=True)
        )
        return control, treatment

    def draw(
        self, generator: np.random.Generator, designs: ListDesigns, sizes: tuple[int, int]
    ) -> tuple[Integers, ...]:
        control, treatment = self.reported(designs)
        return generator.multinomial(sizes[0], control), generator.multinomial(sizes[1], treatment)


def binomial(items: int, share: float) -> Floats:
    return np.asarray(stats.binom.pmf(np.arange(items + 1), items, share))


def independent(prevalence: float, counts: Floats) -> ListPopulation:
    return ListPopulation(np.outer([1 - prevalence, prevalence], counts))


TOGETHER = ListPopulation(np.array([[0.07, 0.22, 0.27, 0.14], [0.03, 0.08, 0.11, 0.08]]))
"""30% with the item, who have more of the innocuous ones."""
